//! What a model did on a line of the accuracy table.

use crate::real_runs::Set;
use runcast_core::accuracy::relative_error;
use runcast_core::prediction::Prediction;
use runcast_core::statistics::median;
use runcast_fit::{FitOptions, Model, registry};

const LEVEL: f64 = 0.9;

/// What a model did on one line of the table.
#[derive(Default)]
pub struct Outcome {
    /// Relative errors.
    pub errors_pct: Vec<f64>,
    /// Predictions that were refused.
    pub failed: usize,
    covered: usize,
    with_interval: usize,
    log_factors: Vec<f64>,
}

impl Outcome {
    /// Fits the model to every case of a line and predicts what was held out.
    pub fn of(set: &Set, name: &str, free_signs: bool) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(regression) = registry::find(name) else { return outcome };
        let (formula, unknown) = set.formula;
        let options = FitOptions {
            aggregate: name.starts_with("barnes").then(|| "best".to_owned()),
            free_signs,
            formula: Some(formula.to_owned()),
            unknown: unknown.iter().map(|name| (*name).to_owned()).collect(),
            ..FitOptions::default()
        };
        for case in set.cases_for(name) {
            let model = Model::fit(&case.train, regression, &options);
            for (target, measured) in &case.targets {
                let prediction =
                    model.as_ref().ok().and_then(|model| model.predict(target, LEVEL).ok()).map(|(p, _)| p);
                outcome.add(prediction, *measured);
            }
        }
        outcome
    }

    /// Takes in a forecast, or that there is none.
    pub fn add(&mut self, prediction: Option<Prediction>, measured: f64) {
        let Some((prediction, value)) = prediction.and_then(|p| p.value.map(|value| (p, value))) else {
            self.failed += 1;
            return;
        };
        self.errors_pct.push(100.0 * relative_error(value, measured));
        if let (Some(low), Some(high)) = (prediction.low, prediction.high) {
            self.with_interval += 1;
            self.covered += usize::from((low..=high).contains(&measured));
            self.log_factors.push(0.5 * (high / low).ln());
        }
    }

    /// Takes in the outcome of another line.
    pub fn join(&mut self, other: Outcome) {
        self.errors_pct.extend(other.errors_pct);
        self.failed += other.failed;
        self.covered += other.covered;
        self.with_interval += other.with_interval;
        self.log_factors.extend(other.log_factors);
    }

    /// Median and largest error, for a cell.
    pub fn errors(&self) -> String {
        if self.errors_pct.is_empty() {
            return "-".to_owned();
        }
        let most = self.errors_pct.iter().copied().fold(0.0, f64::max);
        let failed = if self.failed > 0 { format!(" ({} refused)", self.failed) } else { String::new() };
        format!("{} / {}{failed}", digits(median(&self.errors_pct)), digits(most))
    }

    /// The share of intervals that held.
    pub fn share_covered(&self) -> f64 {
        self.covered as f64 / self.with_interval as f64
    }

    /// Half the width of the median interval, as a factor.
    pub fn half_width(&self) -> f64 {
        median(&self.log_factors).exp()
    }

    /// How many intervals held, and how wide they were, for two cells.
    pub fn coverage(&self) -> String {
        if self.with_interval == 0 {
            return "- | -".to_owned();
        }
        let share = 100.0 * self.share_covered();
        format!("{share:.0} % of {} | x{:.2}", self.with_interval, self.half_width())
    }
}

fn digits(pct: f64) -> String {
    if pct < 10.0 { format!("{pct:.1}") } else { format!("{pct:.0}") }
}
