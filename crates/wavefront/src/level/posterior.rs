//! Which levels the windows allow.

use super::Observed;
use runcast_core::numeric::cholesky::Factor;
use runcast_core::numeric::dot;
use std::f64::consts::TAU;

/// Change of the level in a window, in the grid: 0 and 0.005 times powers of 2.
const CHANGES: i32 = 9;
const LEAST_CHANGE: f64 = 0.005;
/// Rates of reversion, in units of one over the time measured.
const REVERSIONS: [f64; 5] = [0.0, 1.0 / 3.0, 1.0, 3.0, 10.0];
/// Prior probability of a level that does not move.
const STILL: f64 = 0.2;
/// The least variance of a window.
const JITTER: f64 = 1e-12;

/// A pair of the grid, with what follows from it.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Variance that the level gains in a second \[1/s\].
    pub q: f64,
    /// How fast it reverts \[1/s\].
    pub kappa: f64,
    /// Probability of the pair.
    pub weight: f64,
    pub ln_likelihood: f64,
    /// Estimated constant mean.
    pub mu: f64,
    factor: Factor,
    /// S^-1 (y - mu)
    residual: Vec<f64>,
    /// S^-1 1
    ones: Vec<f64>,
    /// 1'S^-1 1
    precision: f64,
}

/// All pairs, with weights that add up to 1.
#[derive(Debug, Clone)]
pub struct Posterior {
    pub entries: Vec<Entry>,
    times_s: Vec<f64>,
}

impl Posterior {
    /// The weights of a grid of pairs; none for fewer than two windows.
    pub fn of(observed: &Observed) -> Option<Posterior> {
        let (window_s, length_s) = (observed.window_s(), observed.length_s());
        if observed.times_s.len() < 2 || window_s.is_nan() || window_s <= 0.0 {
            return None;
        }
        let q = |power: i32| (LEAST_CHANGE * 2f64.powi(power)).powi(2) / window_s;
        let moving = (0..CHANGES).flat_map(|power| REVERSIONS.map(|rate| (q(power), rate / length_s)));
        let mut entries: Vec<Entry> =
            [(0.0, 0.0)].into_iter().chain(moving).filter_map(|(q, kappa)| Entry::of(observed, q, kappa)).collect();
        let largest = entries.iter().map(|entry| entry.ln_likelihood).fold(f64::NEG_INFINITY, f64::max);
        let others = (CHANGES * REVERSIONS.len() as i32) as f64;
        for entry in &mut entries {
            let prior = if entry.q == 0.0 { STILL } else { (1.0 - STILL) / others };
            entry.weight = prior * (entry.ln_likelihood - largest).exp();
        }
        let sum: f64 = entries.iter().map(|entry| entry.weight).sum();
        entries.iter_mut().for_each(|entry| entry.weight /= sum);
        (sum > 0.0).then(|| Posterior { entries, times_s: observed.times_s.clone() })
    }

    /// The probability that the level does not move.
    pub fn no_level_probability(&self) -> f64 {
        self.entries.iter().filter(|entry| entry.q == 0.0).map(|entry| entry.weight).sum()
    }

    /// The level averaged over some times: for each entry its weight, mean and variance.
    pub fn averages(&self, times_s: &[f64]) -> Vec<(f64, f64, f64)> {
        let relevant = self.entries.iter().filter(|entry| entry.weight > 1e-9);
        relevant
            .map(|entry| {
                let (mean, variance) = entry.average(&self.times_s, times_s);
                (entry.weight, mean, variance)
            })
            .collect()
    }
}

impl Entry {
    /// The pair with its restricted likelihood, the constant mean being unknown:
    ///
    /// ```text
    /// ln L = -1/2 ( ln|S| + ln(1'S^-1 1) + (y-mu)'S^-1(y-mu) + (n-1) ln 2 pi ),   mu = 1'S^-1 y/1'S^-1 1
    /// ```
    ///
    /// None where S is not positive.
    pub fn of(observed: &Observed, q: f64, kappa: f64) -> Option<Entry> {
        let times = &observed.times_s;
        let start = *times.first()?;
        let row = |k: usize| {
            let covariance = |l: usize| covariance(q, kappa, times[k] - start, times[l] - start);
            let mut row: Vec<f64> = (0..=k).map(covariance).collect();
            row[k] += observed.variance[k].max(JITTER);
            row
        };
        let factor = Factor::of((0..times.len()).map(row).collect())?;
        let ones = factor.solve(&vec![1.0; times.len()]);
        let precision: f64 = ones.iter().sum();
        let mu = dot(&ones, &observed.log_factor) / precision;
        let centered: Vec<f64> = observed.log_factor.iter().map(|y| y - mu).collect();
        let residual = factor.solve(&centered);
        let quadratic = dot(&residual, &centered);
        let degrees = (times.len() - 1) as f64;
        let ln_likelihood = -0.5 * (factor.ln_determinant() + precision.ln() + quadratic + degrees * TAU.ln());
        Some(Entry { q, kappa, weight: 0.0, ln_likelihood, mu, factor, residual, ones, precision })
    }

    /// Means of the level at some times, and the lower triangle of their covariance, as [`Entry::average`] has them.
    pub fn together(&self, windows_s: &[f64], times_s: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let start = windows_s.first().copied().unwrap_or(0.0);
        let with = |a: f64, b: f64| covariance(self.q, self.kappa, a - start, b - start);
        let cs: Vec<Vec<f64>> =
            times_s.iter().map(|time| windows_s.iter().map(|window| with(*window, *time)).collect()).collect();
        let known: Vec<Vec<f64>> = cs.iter().map(|c| self.factor.solve(c)).collect();
        let biases: Vec<f64> = cs.iter().map(|c| 1.0 - dot(c, &self.ones)).collect();
        let cell = |u: usize, v: usize| {
            with(times_s[u], times_s[v]) - dot(&cs[u], &known[v]) + biases[u] * biases[v] / self.precision
        };
        let rows = (0..times_s.len()).map(|u| (0..=u).map(|v| cell(u, v)).collect()).collect();
        (cs.iter().map(|c| self.mu + dot(c, &self.residual)).collect(), rows)
    }

    /// Mean and variance of the level averaged over some times, by ordinary kriging:
    ///
    /// ```text
    /// m = mu + c'S^-1(y - mu)      V = k - c'S^-1 c + b^2/(1'S^-1 1)      b = 1 - c'S^-1 1
    /// ```
    ///
    /// with c and k the covariances of the average with the windows and with itself.
    pub fn average(&self, windows_s: &[f64], times_s: &[f64]) -> (f64, f64) {
        let Some(&start) = windows_s.first() else { return (0.0, 0.0) };
        let count = times_s.len() as f64;
        let with = |a: f64, b: f64| covariance(self.q, self.kappa, a - start, b - start);
        let c: Vec<f64> = windows_s
            .iter()
            .map(|window| times_s.iter().map(|time| with(*window, *time)).sum::<f64>() / count)
            .collect();
        let own: f64 =
            times_s.iter().flat_map(|a| times_s.iter().map(move |b| (a, b))).map(|(a, b)| with(*a, *b)).sum();
        let bias = 1.0 - dot(&c, &self.ones);
        let known = dot(&c, &self.factor.solve(&c));
        let variance = own / (count * count) - known + bias * bias / self.precision;
        (self.mu + dot(&c, &self.residual), variance.max(0.0))
    }
}

/// The covariance of the level at two times from the first window: `q min(t, u)`, or `q/(2 kappa) exp(-kappa |t - u|)`.
fn covariance(q: f64, kappa: f64, t: f64, u: f64) -> f64 {
    if kappa > 0.0 { q / (2.0 * kappa) * (-kappa * (t - u).abs()).exp() } else { q * t.min(u) }
}
