//! `auto`: the recommended model when only the runs are known.

pub mod calibration;
mod grid;
mod line;

use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;

/// A power law weighted towards the last points, and a normal form on `p T`, combined where they agree.
///
/// ```text
/// A = power (r = 4)     B = pmnf-pt (forward chained)     ratio = max(A,B)/min(A,B) at the target
/// value = sqrt(A B)                     verdict "ok"        when ratio <= 2
/// value = B, members not combined       verdict "disagree"  when ratio > 2
/// ```
/// Where the plan is denser than doublings, A weighs by distance rather than by rank ([`Recency::Gentle`]) and B is
/// scored on steps of about a factor of two ([`Folds::ForwardLeaps`]): otherwise the last two or three runs, and steps
/// of a few percent, would decide. On doublings nothing changes.
///
/// A rate is fitted as its reciprocal by both. With two configurations A is used alone, with one the value itself. In
/// a grid it works in the slice through the target: all parameters equal but one, at least four configurations, along
/// the processes if there are several such slices; if there is none, A is the joint [`crate::models::weak`] and B the
/// normal form in several parameters.
///
/// [`Recency::Gentle`]: crate::options::Recency::Gentle
/// [`Folds::ForwardLeaps`]: crate::models::search::Folds::ForwardLeaps
pub struct Auto;

impl Regression for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn summary(&self) -> &'static str {
        "the recommended forecast: power and pmnf-pt combined, calibrated interval"
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        if sample.dimensions.len() > 1 { grid::fit(sample, options) } else { line::fit(sample, options) }
    }
}

/// The rule that joins two members, as a formula.
fn joined_formula(a: &str, b: &str) -> String {
    format!("if({b} <= 0, {a}, if(max({a}, {b}) <= 2*min({a}, {b}), sqrt(({a})*({b})), {b}))")
}

/// The rule that joins two members, as (value, whether they disagree).
fn joined(a: f64, b: f64) -> (f64, bool) {
    let usable = |value: f64| value > 0.0 && value.is_finite();
    match (usable(a), usable(b)) {
        (true, true) if a.max(b) <= 2.0 * a.min(b) => ((a * b).sqrt(), false),
        (_, true) => (b, true),
        (true, false) => (a, true),
        (false, false) => (f64::NAN, true),
    }
}

/// Population standard deviation of the logarithms of those members that are positive; `None` for fewer than two.
fn log_spread(members: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = members.filter(|value| *value > 0.0 && value.is_finite()).map(f64::ln).collect();
    (logs.len() >= 2).then(|| runcast_core::statistics::population_sd(&logs))
}
