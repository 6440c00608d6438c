//! What a model did on a line of the accuracy table.

use crate::real_runs::Set;
use runcast_core::accuracy::relative_error;
use runcast_core::prediction::Prediction;
use runcast_core::ranges::Coverage;
use runcast_core::statistics::median;
use runcast_fit::{FitOptions, Model, registry};

const LEVEL: f64 = 0.9;

/// What a model did on one line of the table.
#[derive(Default, Clone)]
pub struct Outcome {
    /// Relative errors.
    pub errors_pct: Vec<f64>,
    /// Predictions that were refused.
    pub failed: usize,
    /// Runs with a range and those within it, of each cluster: what is not repeated by one more point.
    clusters: Vec<(usize, usize)>,
    log_errors: Vec<f64>,
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
        self.take(value, prediction.low.zip(prediction.high), measured);
    }

    /// Takes in a value with its range.
    pub fn take(&mut self, value: f64, range: Option<(f64, f64)>, measured: f64) {
        let is_covered = range.is_some_and(|(low, high)| (low..=high).contains(&measured));
        self.take_runs(value, range, measured, (1, usize::from(is_covered)));
    }

    /// Takes in a value with its range, the median of some runs, and how many of them there were and fell into it.
    pub fn take_runs(&mut self, value: f64, range: Option<(f64, f64)>, measured: f64, runs: (usize, usize)) {
        self.errors_pct.push(100.0 * relative_error(value, measured));
        self.log_errors.push((measured / value).ln().abs());
        let Some((low, high)) = range else { return };
        self.log_factors.push(0.5 * (high / low).ln());
        match self.clusters.last_mut() {
            Some(cluster) => *cluster = (cluster.0 + runs.0, cluster.1 + runs.1),
            None => self.clusters.push(runs),
        }
    }

    /// Takes in the outcome of another line, in clusters of its own.
    pub fn join(&mut self, other: Outcome) {
        self.errors_pct.extend(other.errors_pct);
        self.failed += other.failed;
        self.clusters.extend(other.clusters);
        self.log_errors.extend(other.log_errors);
        self.log_factors.extend(other.log_factors);
    }

    /// As one cluster.
    pub fn together(mut self) -> Outcome {
        let sum = self.clusters.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        self.clusters = if sum.0 > 0 { vec![sum] } else { Vec::new() };
        self
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

    /// The share of intervals that held; not a number without any.
    pub fn share_covered(&self) -> f64 {
        Coverage::of(&self.clusters).map_or(f64::NAN, |coverage| coverage.share())
    }

    /// Half the width of the median interval, as a factor.
    pub fn half_width(&self) -> f64 {
        median(&self.log_factors).exp()
    }

    /// How many intervals held, and how wide they were, for two cells.
    pub fn coverage(&self) -> String {
        let Some(coverage) = Coverage::of(&self.clusters) else { return "- | -".to_owned() };
        format!("{:.0} % of {} | x{:.2}", 100.0 * coverage.share(), coverage.runs, self.half_width())
    }

    /// The same with an interval of the share and the factor that nine of ten errors are within, which no calibration can
    /// know: cells for runs, clusters, share, half-width, factor.
    pub fn judged(&self) -> String {
        let Some(coverage) = Coverage::of(&self.clusters) else { return "- | - | no range | - | -".to_owned() };
        let mut errors = self.log_errors.clone();
        errors.sort_by(f64::total_cmp);
        let factor = errors[(9 * errors.len()).div_ceil(10) - 1].exp();
        let [share, low, high] = [coverage.share(), coverage.low, coverage.high].map(|share| 100.0 * share);
        format!(
            "{} | {} | {share:.0} % ({low:.0} to {high:.0}) | x{:.2} | x{factor:.2}",
            coverage.runs,
            self.clusters.len(),
            self.half_width()
        )
    }
}

fn digits(pct: f64) -> String {
    if pct < 10.0 { format!("{pct:.1}") } else { format!("{pct:.0}") }
}
