//! Models with one nonlinear coefficient: the others are solved for at each of its values.

use crate::fitted::{Answer, Predictor, Spread};
use runcast_core::numeric::linear::{Design, LinearFit, solve};
use std::sync::Arc;

/// The value and its gradient by each free coefficient, at a configuration.
pub type Gradient = Arc<dyn Fn(&[f64], &[f64]) -> (f64, Vec<f64>) + Send + Sync>;

/// The minimizer in `[low, high]`: a scan, then golden-section steps around its best point. The scan protects against
/// local minima.
pub fn minimize(low: f64, high: f64, steps: usize, loss: impl Fn(f64) -> f64) -> f64 {
    let at = |k: usize| low + (high - low) * k as f64 / steps as f64;
    let losses: Vec<f64> = (0..=steps).map(|k| loss(at(k))).collect();
    let best = (0..=steps).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
    let (mut a, mut b) = (at(best.saturating_sub(1)), at((best + 1).min(steps)));
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut c, mut d) = (b - golden * (b - a), a + golden * (b - a));
    let (mut at_c, mut at_d) = (loss(c), loss(d));
    for _ in 0..80 {
        if at_c <= at_d {
            (b, d, at_d) = (d, c, at_c);
            c = b - golden * (b - a);
            at_c = loss(c);
        } else {
            (a, c, at_c) = (c, d, at_d);
            d = a + golden * (b - a);
            at_d = loss(d);
        }
    }
    let inner = 0.5 * (a + b);
    [low, high, at(best), inner].into_iter().min_by(|x, y| loss(*x).total_cmp(&loss(*y))).unwrap_or(inner)
}

/// A fitted nonlinear model: its interval comes from the gradient at the solution.
#[derive(Clone)]
pub struct Nonlinear {
    coefficients: Vec<f64>,
    gradient: Gradient,
    fit: Option<LinearFit>,
    variance: Option<f64>,
    freedom: usize,
}

impl Nonlinear {
    /// Polishes the coefficients by Gauss-Newton steps on `weights (model - y)` and keeps the data that the interval needs.
    ///
    /// `allowed` says whether coefficients are within their bounds.
    pub fn polish(
        start: Vec<f64>,
        gradient: Gradient,
        at: &[Vec<f64>],
        y: &[f64],
        weights: &[f64],
        noise: f64,
        allowed: impl Fn(&[f64]) -> bool,
    ) -> Self {
        let rss = |c: &[f64]| -> f64 {
            at.iter().zip(y).zip(weights).map(|((at, y), w)| (w * (gradient(c, at).0 - y)).powi(2)).sum()
        };
        let linearized = |c: &[f64]| {
            let design = Design {
                rows: at.iter().map(|at| gradient(c, at).1).collect(),
                y: at.iter().zip(y).map(|(at, y)| y - gradient(c, at).0).collect(),
                weights: weights.to_vec(),
                ridge: None,
                scale_columns: true,
            };
            solve(&design)
        };
        let mut coefficients = start;
        let mut loss = rss(&coefficients);
        let mut fit = linearized(&coefficients);
        for _ in 0..20 {
            let Some(step) = &fit else { break };
            let next: Vec<f64> = coefficients.iter().zip(&step.coefficients).map(|(c, s)| c + s).collect();
            let next_loss = rss(&next);
            if !(next_loss < loss && allowed(&next)) {
                break;
            }
            (coefficients, loss) = (next, next_loss);
            fit = linearized(&coefficients);
        }
        let freedom = fit.as_ref().map_or(0, |fit| y.len().saturating_sub(fit.rank));
        let variance = (freedom >= 1).then(|| (loss / freedom as f64).max(noise));
        Nonlinear { coefficients, gradient, fit, variance, freedom }
    }

    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }
}

impl Predictor for Nonlinear {
    fn predict(&self, at: &[f64]) -> Answer {
        let (value, row) = (self.gradient)(&self.coefficients, at);
        let spread = match (&self.fit, self.variance) {
            (Some(fit), Some(variance)) if value > 0.0 => Spread::Parametric {
                sd_ln: (variance * (1.0 + fit.variance_factor(&row) / (value * value))).sqrt(),
                freedom: self.freedom,
            },
            _ => Spread::None,
        };
        Answer { value, spread, ..Answer::default() }
    }
}
