//! The predictions as a table, which `runcast evaluate` holds against the runs of `wavefront run`.

use super::document::{Document, Estimate, Estimates};
use runcast_core::numeric::normal;
use runcast_core::{Configuration, Prediction};

/// The time of a run of a given number of phases, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// How many phases.
    pub phases: u64,
    /// Its mean time.
    pub mean_s: f64,
    /// Its interval.
    pub range_s: Option<(f64, f64)>,
}

/// A prediction for each estimate, and one for the run of a given number of phases; of every degree where there are
/// some, whose name follows that of the estimate: `average-async-1`.
///
/// The interval of an estimate is that of a normal law with its spread (autocov).
pub(super) fn predictions(document: &Document, run: Option<Run>, level: f64) -> Vec<Prediction> {
    let processes = document.model.processes as f64;
    let mut all = Vec::new();
    if let Some(run) = run {
        all.push(prediction("phases".to_owned(), processes, Some(run.phases as f64), run.mean_s, (run.range_s, level)));
    }
    let of_estimates = |degree: &str, estimates: &Estimates| {
        let one = |(name, of): (&'static str, &Estimate)| {
            let time_s = of.time_s?;
            let range_s = of.sd_autocov_s.map(|sd_s| around(time_s, sd_s, level));
            let model =
                if degree.is_empty() { name.to_owned() } else { format!("{name}-{}", degree.replace(' ', "-")) };
            Some(prediction(model, processes, of.phases, time_s, (range_s, level)))
        };
        estimates.named().into_iter().filter_map(one).collect::<Vec<_>>()
    };
    all.extend(of_estimates("", &document.estimates));
    for degree in document.degrees.iter().flatten() {
        all.extend(of_estimates(&degree.name, &degree.estimates));
    }
    all
}

fn prediction(
    model: String,
    processes: f64,
    phases: Option<f64>,
    time_s: f64,
    (range_s, level): (Option<(f64, f64)>, f64),
) -> Prediction {
    let mut at = Configuration([("processes".to_owned(), processes)].into_iter().collect());
    at.0.extend(phases.map(|phases| ("phases".to_owned(), rounded(phases))));
    let (low, high) = range_s.map(|(low, high)| (rounded(low), rounded(high))).unzip();
    Prediction::new("wavefront", model, "time_s", at, Some(rounded(time_s))).within(level, low, high)
}

/// To 12 digits: what follows is rounding.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// The interval of a normal law; a time is not negative.
pub(super) fn around(mean_s: f64, sd_s: f64, level: f64) -> (f64, f64) {
    let half = sd_s * normal::quantile(0.5 + 0.5 * level);
    ((mean_s - half).max(0.0), mean_s + half)
}
