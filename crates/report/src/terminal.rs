//! Pictures for a terminal: braille curves, shaded intervals, markers, ticks with units; or plain ASCII.

mod grid;
mod pen;
mod rows;

use crate::number;
use crate::plot::{Place, Plot};
use crate::scale::Tick;
use crate::scene::{Drawn, Look, Scene};
use grid::Grid;
use pen::{Pen, columns, without_color};

/// How a picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalOptions {
    /// Columns of the terminal; 30 to 400 are used.
    pub width: usize,
    /// Lines of the picture without heading and legend; 4 to 100 are used.
    pub height: usize,
    /// Whether escape sequences for color are allowed.
    pub color: bool,
    /// Whether only ASCII is allowed.
    pub ascii: bool,
}

impl Default for TerminalOptions {
    fn default() -> Self {
        TerminalOptions { width: 80, height: 16, color: false, ascii: false }
    }
}

/// The picture as lines of text, each ended by a line feed.
pub fn render(plot: &Plot, options: &TerminalOptions) -> String {
    let scene = Scene::new(plot);
    let pen = Pen::new(options);
    let mut out = String::new();
    pen.heading(&mut out, plot);
    if scene.is_empty() {
        out.push_str("  no data\n");
    } else if scene.rankings.is_empty() {
        chart(&mut out, &scene, &pen);
    } else {
        rows::draw(&mut out, &scene, &pen);
    }
    for note in &scene.notes {
        out.push_str(&format!("{}\n", pen.line(note, pen.width)));
    }
    out
}

/// A name beside the end of its curve.
struct EndName {
    line: usize,
    text: String,
    look: Look,
}

const MOST_END_NAME: usize = 16;
fn chart(out: &mut String, scene: &Scene, pen: &Pen) {
    let y_ticks = scene
        .y
        .ticks((pen.height / 3).max(2), |below, above| (above.fraction - below.fraction) * (pen.height as f64) < 1.5);
    let tick_width = y_ticks.iter().map(|tick| columns(&tick.label)).max().unwrap_or(0).min(pen.width / 4);
    let end_width = end_name_width(scene, pen);
    let grid_columns = pen.width - tick_width - 2 - if end_width > 0 { end_width + 1 } else { 0 };
    let mut grid = Grid::new(grid_columns, pen.height);
    for layer in &scene.layers {
        grid::draw(&mut grid, scene, pen, layer);
    }
    legend(out, scene, pen, end_width > 0);
    let y_title = scene.y.title(&scene.plot.y);
    if !y_title.is_empty() {
        out.push_str(&format!("{}\n", pen.line(&y_title, pen.width)));
    }
    let names = end_names(scene, pen, &grid, end_width);
    let (axis, tick_axis, corner, bottom, tick_bottom) =
        if pen.ascii { ('|', '+', '+', '-', '+') } else { ('│', '┤', '└', '─', '┬') };
    for line in 0..grid.lines {
        let tick = y_ticks.iter().find(|tick| grid.place(0.0, tick.fraction.clamp(0.0, 1.0)).1 == line as i64);
        let label = tick.map_or(String::new(), |tick| pen.line(&tick.label, tick_width));
        let pad = " ".repeat(tick_width.saturating_sub(columns(&label)));
        let mut text = format!("{pad}{label} {}", if tick.is_some() { tick_axis } else { axis });
        for cell in &grid.cells[line * grid.columns..(line + 1) * grid.columns] {
            text.push_str(&grid::glyph(cell, pen));
        }
        if let Some(name) = names.iter().find(|name| name.line == line) {
            text.push(' ');
            text.push_str(&pen.paint(&name.text, Some(name.look)));
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    let ticks = x_ticks(scene, grid_columns);
    let place = |tick: &Tick| grid.place(tick.fraction.clamp(0.0, 1.0), 0.0).0 as usize;
    let mut base = vec![bottom; grid_columns];
    for tick in &ticks {
        if let Some(character) = base.get_mut(place(tick)) {
            *character = tick_bottom;
        }
    }
    let margin = " ".repeat(tick_width + 1);
    out.push_str(&format!("{margin}{corner}{}\n", base.into_iter().collect::<String>()));
    let mut labels = String::new();
    for tick in &ticks {
        let label = pen.line(&tick.label, grid_columns);
        let middle = tick_width + 2 + place(tick);
        let start = middle.saturating_sub(columns(&label) / 2).min(pen.width.saturating_sub(columns(&label)));
        let have = columns(&labels);
        if have > 0 && start <= have {
            continue;
        }
        labels.push_str(&" ".repeat(start - have));
        labels.push_str(&label);
    }
    out.push_str(&format!("{labels}\n"));
    let x_title = pen.line(&scene.x.title(&scene.plot.x), pen.width);
    if !x_title.is_empty() {
        let middle = tick_width + 2 + grid_columns / 2;
        out.push_str(&format!("{}{x_title}\n", " ".repeat(middle.saturating_sub(columns(&x_title) / 2))));
    }
}

fn x_ticks(scene: &Scene, grid_columns: usize) -> Vec<Tick> {
    let open = scene.layers.iter().find_map(|layer| match layer {
        Drawn::Bars { bars, .. } => bars.iter().find(|bar| bar.to == f64::INFINITY).map(|bar| bar.from),
        _ => None,
    });
    let mut ticks = scene.x.ticks((grid_columns / 8).clamp(2, 12), |left, right| {
        let needed = 0.5 * (columns(&left.label) + columns(&right.label)) as f64 + 2.0;
        (right.fraction - left.fraction) * (grid_columns as f64) < needed
    });
    if let Some((from, fraction)) = open.and_then(|from| Some((from, scene.x.fraction(from)?))) {
        ticks.retain(|tick| tick.fraction < fraction - 1e-9);
        ticks.push(Tick { fraction: 0.5 * (fraction + 1.0), label: format!("over {}", number::parameter(from)) });
    }
    ticks
}

/// Names and ends of the curves that have both.
fn curves<'a>(scene: &'a Scene) -> Vec<(&'a str, Look, f64)> {
    scene
        .layers
        .iter()
        .filter_map(|layer| match layer {
            Drawn::Line { name, look, pieces } if !name.is_empty() => {
                let end = pieces.last()?.last()?;
                Some((*name, *look, scene.y.clamped(end.1)?.clamp(0.0, 1.0)))
            }
            _ => None,
        })
        .collect()
}

/// The width of the margin for the names of curves; 0 where they are in the legend.
fn end_name_width(scene: &Scene, pen: &Pen) -> usize {
    let curves = curves(scene);
    if curves.is_empty() || curves.len() > pen.height / 2 || pen.width < 50 {
        return 0;
    }
    curves.iter().map(|(name, ..)| columns(&pen.line(name, MOST_END_NAME))).max().unwrap_or(0)
}

fn end_names(scene: &Scene, pen: &Pen, grid: &Grid, most: usize) -> Vec<EndName> {
    if most == 0 {
        return Vec::new();
    }
    let mut names: Vec<EndName> = curves(scene)
        .into_iter()
        .map(|(name, look, end)| EndName { line: grid.place(0.0, end).1 as usize, text: pen.line(name, most), look })
        .collect();
    names.sort_by_key(|name| name.line);
    // Pushed down past the one above, then up from the bottom.
    let mut free = 0;
    for name in &mut names {
        name.line = name.line.max(free);
        free = name.line + 1;
    }
    let mut last = grid.lines;
    for name in names.iter_mut().rev() {
        name.line = name.line.min(last.saturating_sub(1));
        last = name.line;
    }
    names
}

fn legend(out: &mut String, scene: &Scene, pen: &Pen, named_at_end: bool) {
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut add = |sign: String, label: &str| {
        let label = pen.line(label, pen.width / 2);
        if !label.is_empty() && !entries.iter().any(|(known, text)| *text == label && *known == sign) {
            entries.push((sign, label));
        }
    };
    let several_bars = scene.layers.iter().filter(|layer| matches!(layer, Drawn::Bars { .. })).count() > 1;
    let mut band_told = Vec::new();
    for layer in &scene.layers {
        if let Drawn::Points { name, look: look @ Look::Measured, .. } = layer {
            add(pen.paint(&pen.mark(*look).to_string(), Some(*look)), name);
        }
    }
    let at_end = |name: &str| named_at_end && curves(scene).iter().any(|(curve, ..)| *curve == name);
    for layer in &scene.layers {
        match layer {
            Drawn::Points { name, .. } if at_end(name) => {}
            Drawn::Points { name, look, .. } => add(pen.paint(&pen.mark(*look).to_string(), Some(*look)), name),
            Drawn::Line { name, look, .. } if !named_at_end => {
                let sign = if pen.ascii { pen.stroke(*look).to_string().repeat(2) } else { "⠤⠤".to_owned() };
                add(pen.paint(&sign, Some(*look)), name);
            }
            Drawn::Band { label, .. } if !band_told.contains(label) => {
                band_told.push(label);
                add(if pen.ascii { "::" } else { "░░" }.to_owned(), label);
            }
            Drawn::Bars { name, look, .. } if several_bars => {
                add(pen.paint(&pen.mark(*look).to_string(), Some(*look)), name);
            }
            Drawn::Rule { place: Place::EndOfData(x), label } if scene.x.fraction(*x).is_some_and(|f| f < 0.999) => {
                add(if pen.ascii { "|" } else { "┊" }.to_owned(), &format!("{label} to the right"));
            }
            _ => {}
        }
    }
    flow(out, &entries, pen);
}

/// Entries side by side as far as they fit.
fn flow(out: &mut String, entries: &[(String, String)], pen: &Pen) {
    let mut used = 0;
    for (sign, label) in entries {
        let needed = columns(&without_color(sign)) + 1 + columns(label);
        if used > 0 && used + 3 + needed > pen.width {
            out.push('\n');
            used = 0;
        }
        if used > 0 {
            out.push_str("   ");
            used += 3;
        }
        out.push_str(&format!("{sign} {label}"));
        used += needed;
    }
    if used > 0 {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Band, Ink, Line, Points, RankedRow, Ranking, Rule};
    use proptest::prelude::*;

    fn sample() -> Plot {
        let curve: Vec<(f64, f64)> =
            (0..=40).map(|i| 2f64.powf(f64::from(i) / 4.0)).map(|p| (p, 0.6 + 90.0 / p)).collect();
        Plot::new("solver: time", Axis::new("processes p", ""), Axis::new("time", "s"))
            .with(Band {
                name: "auto".into(),
                label: "90\u{a0}% range".into(),
                values: curve.iter().map(|&(p, t)| (p, t / (1.1 + p / 900.0), t * (1.1 + p / 900.0))).collect(),
                ink: Ink::Auto,
            })
            .with(Line::new("auto", curve.clone()))
            .with(Points::new("measured", [(1.0, 91.0), (4.0, 23.0), (16.0, 6.4), (64.0, 2.0)]).inked(Ink::Measured))
            .with(Rule::end_of_data(64.0, "extrapolated"))
    }

    #[test]
    fn it_fits_into_80_columns_and_shows_everything() {
        let text = render(&sample(), &TerminalOptions::default());
        assert!(text.lines().all(|line| columns(line) <= 80), "{text}");
        for expected in ["●", "░", "┊", "auto", "measured", "90\u{a0}% range", "processes p", "10\u{a0}s", "1024"]
        {
            assert!(text.contains(expected), "{expected} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn plain_ascii_is_plain() {
        let text = render(&sample(), &TerminalOptions { ascii: true, ..TerminalOptions::default() });
        assert!(text.is_ascii(), "{text}");
    }

    #[test]
    fn color_is_on_demand() {
        let text = render(&sample(), &TerminalOptions { color: true, ..TerminalOptions::default() });
        assert!(text.contains("\u{1b}[34m"));
        assert_eq!(without_color(&text), render(&sample(), &TerminalOptions::default()));
    }

    #[test]
    fn names_cannot_steer_the_terminal() {
        let plot = Plot::new("\u{1b}]0;evil\u{7}", Axis::new("\u{1b}[2J", ""), Axis::default())
            .with(Points::new("\u{9b}31m", [(1.0, 1.0)]));
        let text = render(&plot, &TerminalOptions::default());
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }

    #[test]
    fn a_ranking_is_bars() {
        let row = |label: &str, value| RankedRow { label: label.into(), value, interval: None };
        let rows = vec![row("auto", 4.1), row("mokrov", 52.0)];
        let plot = Plot::new("r", Axis::new("error", "%"), Axis::default()).with(Ranking { name: String::new(), rows });
        let text = render(&plot, &TerminalOptions { width: 60, ..TerminalOptions::default() });
        let bars: Vec<usize> =
            text.lines().filter(|line| line.contains('│')).map(|line| line.matches('█').count()).collect();
        assert!(bars.len() == 2 && bars[0] * 8 < bars[1], "{text}");
        assert!(text.contains("52.0\u{a0}%"), "{text}");
    }

    proptest! {
        #[test]
        fn every_line_fits(width in 0usize..200, height in 0usize..60, ascii: bool, name in "\\PC{0,80}") {
            let mut plot = sample();
            plot.title.clone_from(&name);
            plot.layers.push(Line::new(name, [(1.0, 3.0), (900.0, 1.0)]).into());
            let text = render(&plot, &TerminalOptions { width, height, ascii, color: false });
            let most = width.clamp(30, 400);
            prop_assert!(text.lines().all(|line| columns(line) <= most), "{text}");
        }
    }
}
