//! Predicted against measured.

use crate::number;
use crate::plot::{Axis, Band, Ink, Line, Plot, Points, Rule, Scale};
use runcast_core::prediction::Prediction;

/// The input of [`curve`].
#[derive(Debug, Clone, Copy)]
pub struct Curve<'a> {
    pub title: &'a str,
    /// The parameter on the horizontal axis, such as `p`.
    pub parameter: &'a str,
    /// The predicted metric, such as `time`.
    pub quantity: &'a str,
    /// SI unit of the values.
    pub unit: &'a str,
    /// `(parameter, value)` of the runs that the model has seen.
    pub training: &'a [(f64, f64)],
    /// `(parameter, value)` of runs that it has not seen.
    pub held_out: &'a [(f64, f64)],
    /// The model's predictions along the curve, in any order.
    pub predictions: &'a [Prediction],
}

/// Points of the runs, the curve of the model with its interval, and the end of the range it has seen.
pub fn curve(input: &Curve<'_>) -> Plot {
    let mut line: Vec<(f64, f64)> = Vec::new();
    let mut band: Vec<(f64, f64, f64)> = Vec::new();
    for prediction in input.predictions {
        let Some(x) = prediction.at.get(input.parameter) else { continue };
        if let Some(value) = prediction.value {
            line.push((x, value));
        }
        if let (Some(low), Some(high)) = (prediction.low, prediction.high) {
            band.push((x, low, high));
        }
    }
    line.sort_by(|a, b| a.0.total_cmp(&b.0));
    band.sort_by(|a, b| a.0.total_cmp(&b.0));
    let model = input.predictions.first().map_or("prediction", |prediction| prediction.model.as_str());
    let level = input.predictions.first().map_or(0.9, |prediction| prediction.level);
    let mut plot = Plot::new(input.title, parameter_axis(input.parameter), Axis::new(input.quantity, input.unit))
        .with(Band { name: model.to_owned(), label: range_label(level), values: band, ink: Ink::Auto })
        .with(Line::new(model, line.iter().copied()));
    let end = input.training.iter().map(|point| point.0).fold(f64::NEG_INFINITY, f64::max);
    if end.is_finite() && line.last().is_some_and(|last| last.0 > end) {
        plot = plot.with(Rule::end_of_data(end, "extrapolated"));
    }
    plot = plot.with(Points::new("measured", input.training.iter().copied()).inked(Ink::Measured));
    if !input.held_out.is_empty() {
        plot = plot.with(Points::new("measured afterwards", input.held_out.iter().copied()));
    }
    plot
}

/// The axis of a parameter: powers of two where the range is wide.
pub(crate) fn parameter_axis(parameter: &str) -> Axis {
    let label = match parameter {
        "p" => "processes p",
        other => other,
    };
    Axis::new(label, "")
}

/// `90 % range`
pub(crate) fn range_label(level: f64) -> String {
    format!("{}\u{a0}% range", number::significant(100.0 * level, 3))
}

/// `(measured, predicted)` of one model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pairs {
    pub name: String,
    /// `(measured, predicted)`.
    pub values: Vec<(f64, f64)>,
}

/// Predicted over measured values with the diagonal and a band of `off_pct` percent (below 100) around it.
pub fn scatter(title: &str, unit: &str, pairs: &[Pairs], off_pct: f64) -> Plot {
    let all = pairs.iter().flat_map(|pairs| &pairs.values);
    let positive = |value: &f64| value.is_finite() && *value > 0.0;
    let values: Vec<f64> = all.flat_map(|&(measured, predicted)| [measured, predicted]).filter(positive).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Both axes alike: a point on the diagonal is a correct prediction.
    let scale = if most / least > 10f64.powf(0.7) { Scale::Log10 } else { Scale::Linear };
    let mut plot =
        Plot::new(title, Axis::new("measured", unit).scaled(scale), Axis::new("predicted", unit).scaled(scale));
    if most.is_finite() {
        let share = off_pct / 100.0;
        if share > 0.0 && share < 1.0 {
            let around = |value: f64| (value, value * (1.0 - share), value * (1.0 + share));
            plot = plot.with(Band {
                name: String::new(),
                label: format!("at most {} off", number::with_unit(&number::significant(off_pct, 3), "%")),
                values: vec![around(least), around(most)],
                ink: Ink::Faint,
            });
        }
        plot = plot.with(Line::new("as measured", [(least, least), (most, most)]).inked(Ink::Faint));
    }
    for pairs in pairs {
        plot = plot.with(Points::new(pairs.name.as_str(), pairs.values.iter().copied()));
    }
    plot
}
