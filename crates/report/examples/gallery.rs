//! Draws one of everything into a folder, for the eye: `cargo run -p runcast-report --example gallery -- FOLDER`.

#[path = "../tests/integration/sample.rs"]
mod sample;

use runcast_report::svg::{Size, SvgOptions, Theme};
use runcast_report::terminal::{self, TerminalOptions};
use runcast_report::{Page, Plot, png, svg};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("which folder?")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let page = sample::page();
    write_page(folder, &page)?;
    for (name, plot) in sample::pictures() {
        write_plot(folder, name, &plot)?;
    }
    Ok(())
}

fn write_page(folder: &Path, page: &Page) -> Result<(), Box<dyn Error>> {
    fs::write(folder.join("page.html"), page.to_html())?;
    for (name, plot) in page.plots() {
        write_plot(folder, &name, plot)?;
    }
    Ok(())
}

fn write_plot(folder: &Path, name: &str, plot: &Plot) -> Result<(), Box<dyn Error>> {
    fs::write(folder.join(format!("{name}.svg")), svg::render(plot))?;
    fs::write(folder.join(format!("{name}.png")), png::render(plot)?)?;
    let dark = SvgOptions { size: Size::Narrow, theme: Theme::Dark, embedded: false };
    fs::write(folder.join(format!("{name}.dark.png")), png::render_with(plot, &dark, 2.0)?)?;
    fs::write(folder.join(format!("{name}.txt")), terminal::render(plot, &TerminalOptions::default()))?;
    Ok(())
}
