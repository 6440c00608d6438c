//! Readable numbers and names of the shared vocabulary.

use crate::number;
use runcast_core::configuration::{Configuration, Group};
use runcast_core::prediction::{Prediction, Verdict};
use runcast_formula::units;

/// The name of a metric without its unit: `time_s` is `time`.
pub(crate) fn metric(name: &str) -> String {
    let bare = match name.rsplit_once('_') {
        Some((bare, _)) if !bare.is_empty() && units::suffix_unit(name).is_some() => bare,
        _ => name,
    };
    bare.replace('_', " ")
}

/// The labels of a group; a single label is shown by its value.
pub(crate) fn group(group: &Group) -> String {
    match group.len() {
        1 => group.values().next().cloned().unwrap_or_default(),
        _ => runcast_core::configuration::group_name(group),
    }
}

/// `p = 64, N = 20000`
pub(crate) fn configuration(at: &Configuration) -> String {
    let pairs: Vec<String> =
        at.0.iter().map(|(name, value)| format!("{name}\u{a0}=\u{a0}{}", number::parameter(*value))).collect();
    pairs.join(", ")
}

/// `12.3 to 15.1 ms`
pub(crate) fn range(low: Option<f64>, high: Option<f64>, unit: &str) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            format!("{} to {}", number::quantity(low, unit, 3), number::quantity(high, unit, 3))
        }
        _ => number::DASH.to_owned(),
    }
}

/// How far beyond the measured range a prediction lies: `8.8 × beyond in p`.
pub(crate) fn distance(prediction: &Prediction) -> String {
    let beyond: Vec<String> = prediction
        .distance
        .iter()
        .filter(|(_, factor)| **factor > 1.0)
        .map(|(name, factor)| format!("{}\u{a0}× in {name}", number::significant(*factor, 2)))
        .collect();
    match prediction.horizon {
        // Read from a table, or of a method without a measured range.
        horizon if beyond.is_empty() && horizon > 1.0 => format!("{}\u{a0}×", number::significant(horizon, 2)),
        horizon if horizon.is_nan() => String::new(),
        _ if beyond.is_empty() => "within".to_owned(),
        _ => beyond.join(", "),
    }
}

/// Whether a prediction may be trusted.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Disagree => "members disagree",
        Verdict::Far => "far",
        Verdict::FewPoints => "few points",
        Verdict::Refused => "refused",
    }
}

/// A percentage for a column with the sign in its heading.
pub(crate) fn bare_percent(value: f64) -> String {
    number::percent(value).trim_end_matches(['%', '\u{a0}']).to_owned()
}

/// A growth class; a short one is not broken into lines.
pub(crate) fn class(class: &str) -> String {
    if class.len() <= 28 { class.replace(' ', "\u{a0}") } else { class.to_owned() }
}
