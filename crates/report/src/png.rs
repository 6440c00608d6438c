//! Pictures as PNG, twice as fine as their SVG.
//!
//! The letters come from two fonts that are compiled in (Ubuntu Light, and Hack for what that lacks), so the same plot
//! gives the same picture everywhere; fonts of the machine are never read. A character that neither font has is drawn
//! as an empty box.

use crate::palette::{self, Colors};
use crate::plot::Plot;
use crate::svg::{self, SvgOptions, Theme};
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};
use std::sync::{Arc, OnceLock};

/// Why there is no PNG.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// The SVG could not be read back; this is a bug of runcast.
    #[error("the picture could not be drawn: {0}")]
    Svg(#[from] usvg::Error),
    /// The picture is too large for memory.
    #[error("a picture of {width} x {height} pixels is too large")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// The pixels could not be written.
    #[error("the picture could not be encoded: {0}")]
    Encoding(String),
}

/// The picture as a PNG file, dark on white, twice as many pixels as its SVG has units.
///
/// # Errors
/// [`PngError`], none of which a plot can cause.
pub fn render(plot: &Plot) -> Result<Vec<u8>, PngError> {
    render_with(plot, &SvgOptions { theme: Theme::Light, ..SvgOptions::default() }, 2.0)
}

/// The picture as told by `options`, at `pixels` per unit (0.25 to 8). [`Theme::Auto`] is light.
///
/// # Errors
/// [`PngError`], none of which a plot can cause.
pub fn render_with(plot: &Plot, options: &SvgOptions, pixels: f32) -> Result<Vec<u8>, PngError> {
    let theme = if options.theme == Theme::Auto { Theme::Light } else { options.theme };
    let svg = svg::render_with(plot, &SvgOptions { theme, embedded: false, ..*options });
    rasterize(&svg, theme, pixels)
}

fn rasterize(svg: &str, theme: Theme, pixels: f32) -> Result<Vec<u8>, PngError> {
    let options = usvg::Options {
        font_family: SANS.to_owned(),
        fontdb: fonts(),
        style_sheet: Some(heavier_letters(if theme == Theme::Dark { &palette::DARK } else { &palette::LIGHT })),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options)?;
    let pixels = if pixels.is_finite() { pixels.clamp(0.25, 8.0) } else { 2.0 };
    let size = tree.size().to_int_size().scale_by(pixels).unwrap_or_else(|| tree.size().to_int_size());
    let (width, height) = (size.width(), size.height());
    let mut pixmap = Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(pixels, pixels), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| PngError::Encoding(error.to_string()))
}

/// The font is light; a thin outline in its own color brings it to the weight that screens show, a thicker one to that
/// of titles.
fn heavier_letters(colors: &Colors) -> String {
    let mut css = format!(
        "text{{stroke-width:.3px;stroke-linejoin:round}}text.t{{stroke:{}}}text.u{{stroke:{}}}text[font-weight]{{stroke-width:.75px}}",
        colors.text, colors.muted
    );
    for (index, color) in colors.series.iter().enumerate() {
        css.push_str(&format!("text.f{index}{{stroke:{color}}}"));
    }
    css
}

const SANS: &str = "Ubuntu";

/// The fonts, read once.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    Arc::clone(FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        for data in DATA {
            fonts.load_font_source(fontdb::Source::Binary(Arc::new(data)));
        }
        fonts.set_sans_serif_family(SANS);
        Arc::new(fonts)
    }))
}

const DATA: [&[u8]; 2] = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Points};

    fn decoded(plot: &Plot) -> Pixmap {
        Pixmap::decode_png(&render(plot).expect("drawn")).expect("a PNG")
    }

    /// How many pixels of a rectangle, given in units of the SVG, are darker than gray.
    fn dark_pixels(pixmap: &Pixmap, (left, top, right, bottom): (u32, u32, u32, u32)) -> usize {
        let inside = |x: u32, y: u32| (2 * left..2 * right).contains(&x) && (2 * top..2 * bottom).contains(&y);
        let width = pixmap.width();
        let pixels = pixmap.pixels().iter().zip(0u32..);
        pixels.filter(|(pixel, at)| inside(at % width, at / width) && pixel.red() < 140).count()
    }

    fn titled(title: &str) -> Plot {
        Plot::new(title, Axis::new("processes", ""), Axis::new("time", "s"))
            .with(Points::new("a", [(1.0, 2.0), (2.0, 3.0)]))
    }

    #[test]
    fn letters_are_drawn() {
        let title = (16, 20, 400, 46);
        let (with, without) =
            (dark_pixels(&decoded(&titled("A title in letters")), title), dark_pixels(&decoded(&titled("")), title));
        assert!(with > 400 && with > 2 * without, "{with} dark pixels with a title, {without} without");
    }

    #[test]
    fn every_sign_that_we_write_has_a_shape() {
        // A character without a shape becomes the same empty box whichever it is.
        let shape = |text: &str| decoded(&titled(text)).data().to_vec();
        let missing = shape("\u{10fffd}");
        for sign in "…–−µ×±≤²⁰⁻αЖ→%".chars() {
            assert_ne!(shape(&sign.to_string()), missing, "{sign}");
        }
    }

    #[test]
    fn it_is_twice_as_fine_as_the_svg() {
        assert_eq!(decoded(&titled("t")).width(), 2 * 760);
    }

    #[test]
    fn dark_is_dark() {
        let options = SvgOptions { theme: Theme::Dark, ..SvgOptions::default() };
        let pixmap = Pixmap::decode_png(&render_with(&titled("t"), &options, 1.0).expect("drawn")).expect("a PNG");
        assert!(pixmap.pixel(1, 1).is_some_and(|pixel| pixel.red() < 40 && pixel.alpha() == 255));
    }
}
