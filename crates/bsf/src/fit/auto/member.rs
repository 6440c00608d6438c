//! A curve of the mixture, with what is known of its errors.

use super::super::fitted::Coefficients;
use super::super::points::{Measured, PointNoise};
use super::super::shape::Shape;
use super::hypothesis::{COLUMNS, EXTRA, Solved, Step, factored};
use super::scores::Folds;
use runcast_core::numeric::{dot, qr::Qr};
use runcast_core::random::SplitMix;

/// Coefficients that every curve has.
const TERMS: usize = 3;

/// A curve that remains possible.
#[derive(Debug, Clone)]
pub struct Member {
    solved: Solved,
    /// Mean error on the forward folds; none where there is no fold.
    pub score: Option<f64>,
    /// Its share of the prediction.
    pub weight: f64,
    pub(super) fold_square: f64,
    scatter: Option<Scatter>,
    /// Variance of the relative errors.
    variance: f64,
}

/// The columns that are uncertain, factored: `C = s2 (W'W)^-1`.
#[derive(Debug, Clone)]
struct Scatter {
    columns: Vec<usize>,
    factors: Qr,
    lengths: Vec<f64>,
}

impl Member {
    pub(super) fn new(solved: Solved, points: &[Measured], folds: &Folds, noise: PointNoise) -> Member {
        let row = |point: &Measured| solved.terms(point.workers).map(|term| term / point.time_s);
        let rows: Vec<[f64; COLUMNS]> = points.iter().map(row).collect();
        // A fixed part of 0 stays at 0; the others may be greater.
        let is_free = |column: &usize| match *column {
            0 => solved.coefficients[0] > 0.0,
            EXTRA => solved.size.is_some(),
            _ => true,
        };
        let columns: Vec<usize> = (0..COLUMNS).filter(is_free).collect();
        let scatter = factored(&rows, &columns).map(|(factors, lengths)| Scatter { columns, factors, lengths });
        let variance = variance(solved.squares, points.len(), noise);
        Member { solved, score: folds.score, weight: 1.0, fold_square: folds.fold_square, scatter, variance }
    }

    pub fn shape(&self) -> Shape {
        self.solved.shape
    }

    /// Whether it may have a step, even if none was found.
    pub fn has_step(&self) -> bool {
        self.solved.has_step
    }

    /// The step that was found.
    pub fn step(&self) -> Option<Step> {
        let [_, work, _, extra] = self.solved.coefficients;
        self.solved.size.filter(|_| work > 0.0).map(|size| Step { size, factor: 1.0 + extra / work })
    }

    /// Share of the messages of a flat master that is hidden behind the work of those that have their orders.
    pub fn hidden(&self) -> f64 {
        self.solved.hidden
    }

    /// The coefficients; of the work, that of blocks that fit.
    pub fn coefficients(&self) -> Coefficients {
        let [fixed_s, work_s, per_worker_s, _] = self.solved.coefficients;
        Coefficients { fixed_s, work_s, per_worker_s }
    }

    /// The time with this many workers \[s\].
    pub fn time_s(&self, workers: u64) -> f64 {
        self.solved.time_s(workers)
    }

    pub(super) fn time_of(&self, coefficients: &[f64; COLUMNS], workers: u64) -> f64 {
        Solved { coefficients: *coefficients, ..self.solved.clone() }.time_s(workers)
    }

    /// Variance of the relative error of a run.
    pub(super) fn noise_square(&self) -> f64 {
        self.variance
    }

    /// `x'C x/T^2`: infinite where the points do not determine the curve.
    pub(super) fn parameter_square(&self, workers: u64) -> f64 {
        let x = self.solved.terms(workers);
        let gain = self.scatter.as_ref().map_or(f64::INFINITY, |scatter| scatter.gain(&x));
        if gain.is_infinite() {
            return f64::INFINITY;
        }
        gain * gain * self.variance / self.time_s(workers).powi(2)
    }

    /// `(ln(T'/T))^2/2`, `T'` the time with this many workers if nothing is hidden: while no run is bound by messages, either
    /// is as likely.
    pub(super) fn overlap_square(&self, workers: u64) -> f64 {
        if self.solved.is_overlap_known {
            0.0
        } else {
            0.5 * (self.solved.open_s(workers) / self.time_s(workers)).ln().powi(2)
        }
    }

    /// The covariance of the coefficients that are uncertain, named by their columns; none where it has no bound.
    pub fn covariance(&self) -> Option<Vec<Vec<f64>>> {
        let scatter = self.scatter.as_ref()?;
        let gain = |x: [f64; COLUMNS]| Some(scatter.gain(&x)).filter(|gain| gain.is_finite());
        let unit = |column: usize, sign: f64, other: usize| {
            let mut x = [0.0; COLUMNS];
            x[column] += 1.0;
            x[other] += sign;
            x
        };
        // By polarization: x'Cy = ((x+y)'C(x+y) - (x-y)'C(x-y))/4.
        let entry = |a: usize, b: usize| {
            let difference = gain(unit(a, 1.0, b))?.powi(2) - gain(unit(a, -1.0, b))?.powi(2);
            Some(self.variance * 0.25 * difference)
        };
        let row = |&a: &usize| scatter.columns.iter().map(|&b| entry(a, b)).collect();
        scatter.columns.iter().map(row).collect()
    }

    /// The columns of [`Member::covariance`]: 0 fixed, 1 work, 2 per worker, 3 what blocks beyond the step take more.
    pub fn uncertain_columns(&self) -> &[usize] {
        self.scatter.as_ref().map_or(&[], |scatter| &scatter.columns)
    }

    /// Coefficients as they could be as well: normal, cut at 0.
    pub(super) fn draw(&self, root: Option<&Vec<Vec<f64>>>, random: &mut SplitMix) -> [f64; COLUMNS] {
        let mut drawn = self.solved.coefficients;
        let (Some(scatter), Some(root)) = (&self.scatter, root) else { return drawn };
        let deviates: Vec<f64> = scatter.columns.iter().map(|_| deviate(random)).collect();
        for (&column, row) in scatter.columns.iter().zip(root) {
            drawn[column] = (drawn[column] + dot(row, &deviates)).max(0.0);
        }
        drawn
    }
}

/// Variance of the relative errors of the points around a curve with these squares. From fewer than two points beyond the
/// coefficients a curve goes through what is noise: that of the repetitions counts, too.
fn variance(squares: f64, points: usize, noise: PointNoise) -> f64 {
    let beyond = points.saturating_sub(TERMS) as f64;
    if beyond >= 2.0 {
        return squares / beyond;
    }
    let known = noise.degrees_of_freedom as f64;
    (squares + known * noise.sd * noise.sd) / (beyond + known)
}

impl Scatter {
    /// `sqrt(x' (W'W)^-1 x)`
    fn gain(&self, x: &[f64; COLUMNS]) -> f64 {
        let scaled: Vec<f64> =
            self.columns.iter().zip(&self.lengths).map(|(&column, length)| x[column] / length).collect();
        self.factors.noise_gain(&scaled)
    }
}

/// A normal number, by the inverse of its distribution.
fn deviate(random: &mut SplitMix) -> f64 {
    runcast_core::numeric::normal::quantile(random.uniform().clamp(1e-300, 1.0 - 1e-16))
}
