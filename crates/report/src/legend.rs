//! The legend: above the picture, outside the data.

use crate::canvas::{Measures, fill_class, line_style, straight, stroke_class, text};
use crate::chart::shade_from;
use crate::palette::{self, coordinate};
use crate::plot::Place;
use crate::scene::{Drawn, Look, Scene};
use crate::text::{fit, width};
use std::fmt::Write;

/// A name with its swatch.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub label: String,
    pub look: Look,
    pub line: bool,
    pub marker: bool,
    pub band: bool,
    pub bar: bool,
    pub shade: bool,
}

const GAP: f64 = 18.0;
const MOST_ENTRIES: usize = 24;

/// The entries of a scene, each name once; curves with their name at the end need none.
///
/// `end_named` tells whether the end of the data, at an x, has its label in the picture.
pub(crate) fn entries(
    scene: &Scene,
    named_at_end: impl Fn(&str) -> bool,
    end_named: impl Fn(f64, &str) -> bool,
) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut add = |label: &str, look: Look, mark: fn(&mut Entry)| {
        if label.is_empty() {
            return;
        }
        let known = entries.iter().position(|entry| entry.label == label && entry.look == look);
        let at = known.unwrap_or_else(|| {
            entries.push(Entry::new(label, look));
            entries.len() - 1
        });
        if let Some(entry) = entries.get_mut(at) {
            mark(entry);
        }
    };
    let bar_layers = scene.layers.iter().filter(|layer| matches!(layer, Drawn::Bars { .. })).count();
    // Measurements come first, then curves and points in the order of the plot, then areas.
    for layer in &scene.layers {
        if let Drawn::Points { name, look: look @ Look::Measured, .. } = layer {
            add(name, *look, |entry| entry.marker = true);
        }
    }
    for layer in &scene.layers {
        match layer {
            // The markers on a named curve need no entry of their own.
            Drawn::Points { name, look: Look::Series(_), .. } if named_at_end(name) => {}
            Drawn::Points { name, look, .. } => add(name, *look, |entry| entry.marker = true),
            Drawn::Line { name, look, .. } if !named_at_end(name) => add(name, *look, |entry| entry.line = true),
            Drawn::Bars { name, look, .. } if bar_layers > 1 => {
                add(name, *look, |entry| (entry.bar, entry.marker) = (true, true));
            }
            _ => {}
        }
    }
    for layer in &scene.layers {
        if let Drawn::Band { label, look, .. } = layer {
            add(label, *look, |entry| entry.band = true);
        }
    }
    merge_bands(&mut entries);
    for (ranking, look) in &scene.rankings {
        if scene.rankings.len() > 1 && !ranking.name.is_empty() {
            entries.push(Entry { marker: true, ..Entry::new(&ranking.name, *look) });
        }
    }
    for layer in &scene.layers {
        if let Drawn::Rule { place: Place::EndOfData(x), label } = layer
            && shade_from(scene, *x).is_some()
            && !label.is_empty()
            && !end_named(*x, label)
        {
            entries.push(Entry { shade: true, ..Entry::new(label, Look::Faint) });
        }
    }
    entries
}

/// Draws the entries in rows and returns where they end.
pub(crate) fn draw(out: &mut String, entries: &[Entry], measures: &Measures, top: f64) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let (font, row_height) = (measures.font, measures.font * 1.6);
    let most = measures.width - 2.0 * measures.pad;
    let (mut x, mut y) = (measures.pad, top + 0.6 * row_height);
    for (index, entry) in entries.iter().enumerate() {
        let more = index == MOST_ENTRIES;
        let label = if more {
            format!("and {} more", entries.len() - index)
        } else {
            fit(&entry.label, font, most - swatch_width(entry))
        };
        let swatch_width = swatch_width(entry);
        let needed = swatch_width + width(&label, font);
        if x > measures.pad && x + needed > measures.pad + most {
            x = measures.pad;
            y += row_height;
        }
        if more {
            text(out, "u", x, y + 0.35 * font, "start", font, &label);
            break;
        }
        swatch(out, entry, x, y);
        text(out, "t", x + swatch_width, y + 0.35 * font, "start", font, &label);
        x += needed + GAP;
    }
    y + 0.5 * row_height + 4.0
}

impl Entry {
    fn new(label: &str, look: Look) -> Entry {
        Entry { label: label.to_owned(), look, line: false, marker: false, band: false, bar: false, shade: false }
    }
}

/// Bands of several models with the same label are one entry, in gray.
fn merge_bands(entries: &mut Vec<Entry>) {
    let mut merged: Vec<Entry> = Vec::new();
    for entry in entries.drain(..) {
        let is_band = |entry: &Entry| entry.band && !entry.line && !entry.marker;
        match merged.iter_mut().find(|known| known.label == entry.label && is_band(known)) {
            Some(known) if is_band(&entry) => known.look = Look::Faint,
            _ => merged.push(entry),
        }
    }
    *entries = merged;
}

/// Width of an entry's swatch, with the gap to its label.
fn swatch_width(entry: &Entry) -> f64 {
    match (entry.line, entry.band || entry.shade || entry.bar) {
        (true, _) => 33.0,
        (false, true) => 28.0,
        (false, false) => 16.0,
    }
}

/// The swatch of a legend entry around height `y`.
fn swatch(out: &mut String, entry: &Entry, x: f64, y: f64) {
    let rectangle = |out: &mut String, class: &str, width: f64, extra: &str| {
        let (x, y) = (coordinate(x), coordinate(y - 5.0));
        let _ = write!(out, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"10\"{extra}/>");
    };
    if entry.shade {
        rectangle(out, "h a", 21.0, "");
    }
    if entry.band {
        rectangle(out, &fill_class(entry.look), 21.0, " fill-opacity=\".25\"");
    }
    if entry.bar {
        rectangle(out, &fill_class(entry.look), 10.0, "");
    }
    if entry.line {
        straight(out, &stroke_class(entry.look), (x, y), (x + 26.0, y), &line_style(entry.look));
    }
    if entry.marker {
        let radius = if entry.look == Look::Faint { 2.4 } else { 4.0 };
        let center = match (entry.line, entry.bar) {
            (true, _) => x + 13.0,
            (false, true) => x + 17.5,
            (false, false) => x + 5.0,
        };
        let outline = palette::marker(entry.look.marker(), center, y, radius);
        let _ = write!(out, "<path class=\"{}\" d=\"{outline}\"/>", fill_class(entry.look));
    }
}
