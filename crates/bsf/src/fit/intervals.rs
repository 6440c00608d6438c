//! Uncertainty of a fitted curve.

use super::design::{Design, TERMS};
use super::fitted::Fit;
use super::points::PointNoise;
use runcast_core::numeric::{qr::Qr, student::two_sided};

/// Where a lower bound is cut: at this share of the value. No time is 0, and a logarithmic axis must stay in sight.
const LEAST_SHARE: f64 = 1e-3;

/// The scatter of the measured times around a fit.
#[derive(Debug, Clone)]
pub(super) struct Scatter {
    /// The design of all three columns, factored.
    factors: Qr,
    lengths: [f64; TERMS],
    /// Standard deviation of the relative errors.
    deviation: f64,
    degrees_of_freedom: usize,
}

impl Scatter {
    /// The scatter of a design around its solution.
    pub(super) fn of(design: &Design, z: &[f64; TERMS], noise: PointNoise) -> Self {
        let (deviation, degrees_of_freedom) = match design.rows.len().saturating_sub(TERMS) {
            // The curve may go through all points, and say nothing of their noise.
            0 => (noise.sd.hypot(design.squares(z).sqrt()), noise.degrees_of_freedom),
            beyond => ((design.squares(z) / beyond as f64).sqrt(), beyond),
        };
        Scatter { factors: design.factored(&[0, 1, 2]), lengths: design.lengths, deviation, degrees_of_freedom }
    }

    /// Whether the rows separate all coefficients.
    pub(super) fn is_identifiable(&self) -> bool {
        self.factors.is_full_rank()
    }

    /// `sqrt(x'C x)`; infinite if the rows do not determine `x . c`.
    fn of_sum(&self, x: [f64; TERMS]) -> f64 {
        let scaled = [0, 1, 2].map(|column| x[column] / self.lengths[column]);
        // An unmeasured direction is unknown even if all measurements fit without error.
        match self.factors.noise_gain(&scaled) {
            f64::INFINITY => f64::INFINITY,
            gain => gain * self.deviation,
        }
    }
}

/// The intervals of a fit, of one level.
///
/// ```text
/// time    y +- t sqrt(x'C x + s2 y^2), cut above 0           x = (1, g(K), k(K))
/// C       s2 (W'W)^-1, with the rows x/T_i of all three columns
/// s2      sum of the squared relative residuals / df         df = points - 3; of three points that of their
///         medians by the repetitions, or 1 % with 2 df
/// t       two-sided quantile of Student's t with df degrees of freedom
/// K_max   its formula at per_worker +- t sqrt(C_33)
/// ```
///
/// `x'Cx` is the uncertainty of the coefficients, `s2 y^2` the noise of a run. A coefficient at 0 keeps its column in C:
/// it may be greater.
#[derive(Debug, Clone, Copy)]
pub struct Intervals<'a> {
    fit: &'a Fit,
    scatter: &'a Scatter,
    level: f64,
    t: f64,
}

/// Bounds of a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeInterval {
    /// Lower bound \[s\], above 0.
    pub low_s: f64,
    /// Upper bound \[s\]; infinite where the measurements do not determine it.
    pub high_s: f64,
}

impl<'a> Intervals<'a> {
    pub(super) fn new(fit: &'a Fit, scatter: &'a Scatter, level: f64) -> Self {
        Intervals { fit, scatter, level, t: two_sided(level, scatter.degrees_of_freedom) }
    }

    /// Level of the intervals.
    pub fn level(&self) -> f64 {
        self.level
    }

    /// The interval of a run with this many workers.
    pub fn time(&self, workers: u64) -> TimeInterval {
        let value = self.fit.time_s(workers);
        let curve = self.scatter.of_sum(self.fit.shape().terms(workers.max(1)));
        let half = self.t * curve.hypot(self.scatter.deviation * value);
        TimeInterval { low_s: (value - half).max(LEAST_SHARE * value), high_s: value + half }
    }

    /// The interval of the scalability boundary: its lower and upper end, each `None` if unbounded.
    pub fn k_max(&self) -> (Option<f64>, Option<f64>) {
        let half = self.t * self.scatter.of_sum([0.0, 0.0, 1.0]);
        let coefficients = self.fit.coefficients();
        let at = |per_worker_s: f64| self.fit.shape().boundary(coefficients.work_s, per_worker_s);
        (at(coefficients.per_worker_s + half), at(coefficients.per_worker_s - half))
    }
}
