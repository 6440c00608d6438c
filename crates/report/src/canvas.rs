//! Building blocks of pictures: lengths, texts, lines, and the classes that color them.

use crate::palette::{DASHES, SERIES, coordinate};
use crate::scene::Look;
use crate::svg::Size;
use crate::text::escape;
use std::fmt::Write;

/// Height of a line over the size of its letters.
pub(crate) const LINE_HEIGHT: f64 = 1.35;

/// Lengths of one size of picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measures {
    pub width: f64,
    pub plot_height: f64,
    pub pad: f64,
    pub font: f64,
    pub title_font: f64,
    pub ticks_x: usize,
    pub ticks_y: usize,
    pub narrow: bool,
    /// Whether it is part of a page, where a script draws every mark: dense ones become strokes here.
    pub sparing: bool,
}

/// A rectangle of the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// Adds a text, escaped here.
pub(crate) fn text(out: &mut String, class: &str, x: f64, y: f64, anchor: &str, size: f64, content: &str) {
    let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
    let _ = write!(
        out,
        "<text class=\"{class}\" x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}>{}</text>",
        coordinate(x),
        coordinate(y),
        coordinate(size),
        escape(content)
    );
}

/// Adds the labels of an axis, each at `(x, y)`; in a page what they have in common is written once.
pub(crate) fn labels(
    out: &mut String,
    measures: &Measures,
    anchor: &str,
    all: impl IntoIterator<Item = (f64, f64, String)>,
) {
    if !measures.sparing {
        all.into_iter().for_each(|(x, y, label)| text(out, "u", x, y, anchor, measures.font, &label));
        return;
    }
    let _ = write!(out, "<g class=\"u\" font-size=\"{}\" text-anchor=\"{anchor}\">", coordinate(measures.font));
    for (x, y, label) in all {
        let _ = write!(out, "<text x=\"{}\" y=\"{}\">{}</text>", coordinate(x), coordinate(y), escape(&label));
    }
    out.push_str("</g>");
}

/// Adds a straight line.
pub(crate) fn straight(out: &mut String, class: &str, from: (f64, f64), to: (f64, f64), extra: &str) {
    let _ = write!(
        out,
        "<path class=\"{class}\" d=\"M{},{}L{},{}\"{extra}/>",
        coordinate(from.0),
        coordinate(from.1),
        coordinate(to.0),
        coordinate(to.1)
    );
}

pub(crate) fn fill_class(look: Look) -> String {
    match look {
        Look::Measured => "mf".to_owned(),
        Look::Faint => "ff".to_owned(),
        Look::Series(index) => format!("f{}", index % SERIES),
    }
}

pub(crate) fn stroke_class(look: Look) -> String {
    match look {
        Look::Measured => "ms".to_owned(),
        Look::Faint => "fs".to_owned(),
        Look::Series(index) => format!("s{}", index % SERIES),
    }
}

/// Attributes of a curve.
pub(crate) fn line_style(look: Look) -> String {
    let dash = match look {
        Look::Measured => "",
        Look::Faint => "3 3",
        // After the colors are used up, the dashes continue, so that no two of the first forty look alike.
        Look::Series(index) => DASHES[(index + index / SERIES) % DASHES.len()],
    };
    let width = if look == Look::Faint { "1" } else { "2" };
    let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
    format!(" fill=\"none\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}")
}

impl Measures {
    pub fn of(size: Size, sparing: bool) -> Measures {
        match size {
            Size::Wide => Measures {
                width: 760.0,
                plot_height: 300.0,
                pad: 20.0,
                font: 13.0,
                title_font: 17.0,
                ticks_x: 9,
                ticks_y: 7,
                narrow: false,
                sparing,
            },
            Size::Narrow => Measures {
                width: 360.0,
                plot_height: 230.0,
                pad: 10.0,
                font: 12.5,
                title_font: 15.0,
                ticks_x: 6,
                ticks_y: 6,
                narrow: true,
                sparing,
            },
        }
    }
}

impl Area {
    pub fn x(&self, fraction: f64) -> f64 {
        self.left + fraction * (self.right - self.left)
    }

    pub fn y(&self, fraction: f64) -> f64 {
        self.bottom - fraction * (self.bottom - self.top)
    }
}
