//! A formula whose constants change from piece to piece: samples, pieces, breaks and intervals.

use crate::comparison::{parameter_axis, range_label};
use crate::number;
use crate::plot::{Axis, Band, Ink, Line, Place as At, Plot, Points, Rule};
use crate::words;

/// What [`plot`] draws.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    pub title: String,
    /// The formula, or nothing.
    pub subtitle: String,
    /// The parameter on the horizontal axis.
    pub x: String,
    /// Name of the metric.
    pub metric: String,
    pub unit: String,
    /// Single samples.
    pub samples: Vec<(f64, f64)>,
    /// How samples become one value: `median`.
    pub aggregate: String,
    /// Measured values and predictions.
    pub curves: Vec<Curve>,
    /// The breaks, ascending.
    pub breaks: Vec<Break>,
    /// Level of the intervals.
    pub level: f64,
}

/// Measurements and predictions along the axis with everything else held fixed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// `(x, value)` of each configuration.
    pub measured: Vec<(f64, f64)>,
    /// Predictions, ascending; both sides of each break among them.
    pub predicted: Vec<Place>,
}

/// A prediction on the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub x: f64,
    /// The value, if any.
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Break {
    /// The last value of the piece before it.
    pub at: f64,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// The constant that changes; empty: all.
    pub label: String,
}

/// Points, a curve that is interrupted at each break, its interval, and a line for each break.
pub fn plot(picture: &Picture) -> Plot {
    let y = Axis::new(words::metric(&picture.metric), picture.unit.as_str());
    let mut plot = Plot::new(picture.title.as_str(), parameter_axis(&picture.x), y);
    plot.subtitle.clone_from(&picture.subtitle);
    let single = picture.curves.len() == 1;
    for curve in &picture.curves {
        let band = curve.predicted.iter().filter_map(|place| {
            let (low, high) = place.interval?;
            Some((place.x, low, high))
        });
        let band: Vec<(f64, f64, f64)> = band.collect();
        if single && !band.is_empty() {
            let label = range_label(picture.level);
            plot = plot.with(Band { name: curve.name.clone(), label, values: band, ink: Ink::Auto });
        }
        let line = interrupted(curve, &picture.breaks);
        if !line.is_empty() {
            plot = plot.with(Line::new(curve.name.as_str(), line));
        }
    }
    if !picture.samples.is_empty() && single {
        plot = plot.with(Points::new("single samples", picture.samples.iter().copied()).inked(Ink::Faint));
    }
    for curve in &picture.curves {
        let is_only = single && !curve.predicted.is_empty();
        let measured = format!("measured ({})", picture.aggregate);
        let name = if is_only || curve.name.is_empty() { measured } else { curve.name.clone() };
        let points = Points::new(name, curve.measured.iter().copied());
        plot = plot.with(if is_only { points.inked(Ink::Measured) } else { points });
    }
    for b in &picture.breaks {
        let place = number::significant(b.at, 3);
        let label = if b.label.is_empty() { place } else { format!("{} {place}", b.label) };
        plot = plot.with(Rule { place: At::Vertical(b.at), label });
    }
    plot
}

/// The curve with a gap past each break.
fn interrupted(curve: &Curve, breaks: &[Break]) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::with_capacity(curve.predicted.len() + breaks.len());
    for place in &curve.predicted {
        if let Some(&(before, _)) = line.last()
            && breaks.iter().any(|b| before <= b.at && b.at < place.x)
        {
            line.push((place.x, f64::NAN));
        }
        line.push((place.x, place.value.unwrap_or(f64::NAN)));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Layer;
    use crate::{svg, terminal};

    fn picture() -> Picture {
        let place = |x: f64, y: f64| Place { x, value: Some(y), interval: Some((0.9 * y, 1.1 * y)) };
        Picture {
            title: "m: F, time_s".to_owned(),
            subtitle: "F[0]+F[1]*n".to_owned(),
            x: "n".to_owned(),
            metric: "time_s".to_owned(),
            unit: "s".to_owned(),
            samples: vec![(1.0, 1.0), (1.0, 1.1), (8.0, 20.0)],
            aggregate: "median".to_owned(),
            curves: vec![Curve {
                name: "model".to_owned(),
                measured: vec![(1.0, 1.05), (8.0, 20.0)],
                predicted: vec![place(1.0, 1.0), place(4.0, 4.0), place(4.1, 12.0), place(8.0, 20.0)],
            }],
            breaks: vec![Break { at: 4.0, low: Some(3.0), high: Some(5.0), label: String::new() }],
            level: 0.9,
        }
    }

    #[test]
    fn the_curve_is_interrupted_at_the_break() {
        let plot = plot(&picture());
        let Some(Layer::Line(line)) = plot.layers.iter().find(|layer| matches!(layer, Layer::Line(_))) else {
            panic!("a curve");
        };
        let gaps: Vec<bool> = line.points.iter().map(|point| point.1.is_nan()).collect();
        assert_eq!(gaps, [false, false, true, false, false]);
        assert!(plot.layers.iter().any(|layer| matches!(layer, Layer::Rule(rule) if rule.label == "4")));
        assert!(plot.layers.iter().any(|layer| matches!(layer, Layer::Band(band) if band.values.len() == 4)));
        let text = svg::render(&plot);
        assert!(text.contains("measured (median)") && text.contains("single samples"));
        assert!(terminal::render(&plot, &Default::default()).contains("m: F, time_s"));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_picture() {
        assert!(svg::render(&plot(&Picture::default())).contains("<svg"));
    }
}
