//! Description of what to draw, not how: methods and commands build a [`Plot`], and [`svg`](crate::svg),
//! [`png`](crate::png) and [`terminal`](crate::terminal) draw it.
//!
//! Layers are drawn in their order, bands first. Layers with one [`name`](Line::name) are one thing to the reader and
//! share color, marker and dash: the points, the curve and the band of a model.

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// What it shows, in a few words.
    pub title: String,
    /// The configuration or other context for the reader; may be empty.
    pub subtitle: String,
    pub x: Axis,
    pub y: Axis,
    pub layers: Vec<Layer>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// Label: `processes p`.
    pub label: String,
    /// SI unit of the values: `s`; empty for a bare number, `%` for percentages.
    pub unit: String,
    /// How values map to positions.
    pub scale: Scale,
}

/// How values map to positions on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Logarithmic when all values are positive and span more than one and a half decades (a horizontal axis of whole
    /// numbers, such as processes: more than one; a vertical axis beside a logarithmic one: more than 0.8); else linear.
    #[default]
    Auto,
    Linear,
    /// Logarithmic, ticks at powers of two: for counts of processes and sizes.
    Log2,
    /// Logarithmic, ticks at decades or at 1, 2 and 5.
    Log10,
}

/// A part of a picture.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// Measured or predicted values.
    Points(Points),
    Line(Line),
    /// An area between two curves: an interval.
    Band(Band),
    /// A vertical or horizontal line with a label.
    Rule(Rule),
    /// Bars that stand on the horizontal axis: a histogram.
    Bars(Bars),
    /// Named values from top to bottom. A picture with such a layer has no other kind, and `x` is the axis of the
    /// values.
    Ranking(Ranking),
}

/// How a layer looks beside others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ink {
    /// The next free color of the palette, the same for all layers of one name.
    #[default]
    Auto,
    /// Measurements: the color of text.
    Measured,
    /// Background: single repetitions, guide lines.
    Faint,
}

/// Values with or without error bars.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    /// Name in the legend; empty: not in the legend.
    pub name: String,
    pub ink: Ink,
    pub values: Vec<DataPoint>,
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataPoint {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Position on the vertical axis.
    pub y: f64,
    /// Ends of the error bar.
    pub bar: Option<(f64, f64)>,
}

/// A curve through points, in their order; a point that is not finite interrupts it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Name in the legend or at the end of the curve; empty: unnamed.
    pub name: String,
    pub ink: Ink,
    /// Points of the curve.
    pub points: Vec<(f64, f64)>,
}

/// An area between two curves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Band {
    /// Whose interval it is: the name of the [`Line`]; empty: unnamed.
    pub name: String,
    /// Name in the legend: `90 % range`; empty: not in the legend.
    pub label: String,
    pub ink: Ink,
    /// `(x, low, high)`.
    pub values: Vec<(f64, f64, f64)>,
}

/// A straight line over the whole picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    pub place: Place,
    /// What it means; may be empty.
    pub label: String,
}

/// Where a [`Rule`] stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// Vertical at this x.
    Vertical(f64),
    /// Vertical at this x, with everything to the right of it shaded: the end of the measured range.
    EndOfData(f64),
    /// Horizontal at this y: the zero line of residuals.
    Horizontal(f64),
}

/// Bars from zero upwards. Several layers of bars with the same edges stand side by side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Name in the legend.
    pub name: String,
    pub bars: Vec<Bar>,
}

/// One bar of a histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Left edge.
    pub from: f64,
    /// Right edge; infinite: everything above `from`.
    pub to: f64,
    /// Height.
    pub value: f64,
}

/// Named values, best first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Name in the legend; needed only where there are several.
    pub name: String,
    pub rows: Vec<RankedRow>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RankedRow {
    pub label: String,
    /// Its value; nothing is drawn for one that is not finite.
    pub value: f64,
    /// Ends of its interval.
    pub interval: Option<(f64, f64)>,
}

impl Plot {
    /// A picture without layers.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Plot { title: title.into(), subtitle: String::new(), x, y, layers: Vec::new() }
    }

    /// Adds a layer.
    #[must_use]
    pub fn with(mut self, layer: impl Into<Layer>) -> Self {
        self.layers.push(layer.into());
        self
    }

    /// Sets the context for the reader.
    #[must_use]
    pub fn subtitled(mut self, subtitle: impl Into<String>) -> Self {
        self.subtitle = subtitle.into();
        self
    }
}

impl Axis {
    /// An axis whose scale is chosen by the data.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Self {
        Axis { label: label.into(), unit: unit.into(), scale: Scale::Auto }
    }

    #[must_use]
    pub fn scaled(mut self, scale: Scale) -> Self {
        self.scale = scale;
        self
    }
}

impl Points {
    /// Points without error bars.
    pub fn new(name: impl Into<String>, xy: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let values = xy.into_iter().map(|(x, y)| DataPoint { x, y, bar: None }).collect();
        Points { name: name.into(), ink: Ink::Auto, values }
    }

    #[must_use]
    pub fn inked(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }
}

impl Line {
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Line { name: name.into(), ink: Ink::Auto, points: points.into_iter().collect() }
    }

    #[must_use]
    pub fn inked(mut self, ink: Ink) -> Self {
        self.ink = ink;
        self
    }
}

impl Rule {
    /// The end of the measured range: everything to the right of `x` is shaded.
    pub fn end_of_data(x: f64, label: impl Into<String>) -> Self {
        Rule { place: Place::EndOfData(x), label: label.into() }
    }

    /// A horizontal line at zero.
    pub fn zero() -> Self {
        Rule { place: Place::Horizontal(0.0), label: String::new() }
    }
}

macro_rules! layer_from {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Layer {
            fn from(layer: $kind) -> Self {
                Layer::$kind(layer)
            }
        }
    )*};
}
layer_from!(Points, Line, Band, Rule, Bars, Ranking);
