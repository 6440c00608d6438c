//! Sums of known functions with unknown coefficients, fitted to relative residuals.

use crate::fitted::{Answer, NoFit, Predictor, Spread};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use runcast_core::numeric::linear::{Design, LinearFit, solve, solve_nonnegative, solve_robust};
use std::sync::Arc;

/// A known function of a configuration.
pub type Known = Arc<dyn Fn(&[f64]) -> f64 + Send + Sync>;

/// `DF = sum_k c_k g_k(configuration)`
#[derive(Clone)]
pub struct KnownSum {
    known: Vec<Known>,
    /// One coefficient per known function; zero where a sign constraint is active.
    pub coefficients: Vec<f64>,
    /// The functions whose coefficients are not zero.
    active: Vec<usize>,
    pub fit: LinearFit,
    /// Rank of all functions together.
    pub full_rank: usize,
    variance: Option<f64>,
    freedom: usize,
}

/// Which coefficients are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Any sign.
    Free,
    /// At least zero.
    Nonnegative,
}

impl KnownSum {
    /// Least squares of `weights[k] (sum - y_k) / y_k`; the largest weight should be 1.
    ///
    /// # Errors
    /// [`NoFit`] when a value is not positive or a function is not finite somewhere.
    pub fn fit(
        sample: &Sample<'_>,
        model: &'static str,
        known: Vec<Known>,
        weights: &[f64],
        signs: Signs,
        options: &FitOptions,
    ) -> Result<Self, NoFit> {
        if let Some((point, line)) = sample.not_positive() {
            return Err(NoFit::NotPositive { model, line, value: sample.y[point] });
        }
        let rows: Vec<Vec<f64>> = sample.at.iter().map(|at| known.iter().map(|g| g(at)).collect()).collect();
        if let Some(point) = rows.iter().position(|row: &Vec<f64>| row.iter().any(|value| !value.is_finite())) {
            let at = sample.series.configuration(&sample.series.points[point]);
            return Err(NoFit::Unsuitable(format!("a term of {model} is not finite at {at}")));
        }
        let design = Design {
            rows,
            y: sample.y.clone(),
            weights: weights.iter().zip(&sample.y).map(|(weight, y)| weight / y).collect(),
            ridge: None,
            scale_columns: true,
        };
        let full_rank = solve(&design).map_or(0, |fit| fit.rank);
        let no_solution = || NoFit::Unsuitable(format!("{model}: no coefficients fit these runs"));
        let (active, fit) = match signs {
            Signs::Nonnegative => solve_nonnegative(&design, options.robust).ok_or_else(no_solution)?,
            Signs::Free => ((0..known.len()).collect(), solve_robust(&design, options.robust).ok_or_else(no_solution)?),
        };
        let mut coefficients = vec![0.0; known.len()];
        for (&k, c) in active.iter().zip(&fit.coefficients) {
            coefficients[k] = *c;
        }
        let freedom = sample.len().saturating_sub(fit.rank);
        let variance = (freedom >= 1).then(|| (fit.rss / freedom as f64).max(sample.repetition_variance(f64::ln)));
        Ok(KnownSum { known, coefficients, active, fit, full_rank, variance, freedom })
    }
}

impl Predictor for KnownSum {
    fn predict(&self, at: &[f64]) -> Answer {
        let value = self.value(at);
        let row: Vec<f64> = self.active.iter().map(|&k| (self.known[k])(at)).collect();
        let spread = match self.variance {
            Some(variance) if value > 0.0 => Spread::Parametric {
                sd_ln: (variance * (1.0 + self.fit.variance_factor(&row) / (value * value))).sqrt(),
                freedom: self.freedom,
            },
            _ => Spread::None,
        };
        Answer { value, spread, ..Answer::default() }
    }

    fn value(&self, at: &[f64]) -> f64 {
        self.known.iter().zip(&self.coefficients).filter(|(_, c)| **c != 0.0).map(|(g, c)| c * g(at)).sum()
    }
}

/// `recency^(k-n)` where the user asked for it, else ones.
pub fn weights(sample: &Sample<'_>, options: &FitOptions) -> Vec<f64> {
    Recency::Rank(options.recency.unwrap_or(1.0)).weights(&sample.x())
}

/// `sqrt(k/n)`, so that the squares are weighted by the rank `k` along the axis.
pub fn rank_weights(x: &[f64]) -> Vec<f64> {
    let mut distinct = x.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let n = distinct.len() as f64;
    x.iter().map(|value| ((distinct.partition_point(|other| other < value) + 1) as f64 / n).sqrt()).collect()
}

/// Refuses rates and grids.
pub fn times_along_one_axis(sample: &Sample<'_>) -> Result<(), String> {
    times_only(sample)?;
    super::one_dimension(sample)
}

/// Refuses rates: the laws of speedup speak of times.
pub fn times_only(sample: &Sample<'_>) -> Result<(), String> {
    if sample.series.metric.is_rate() {
        return Err("it describes times, and this metric is a rate".to_owned());
    }
    Ok(())
}
