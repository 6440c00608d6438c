//! The fit, and its results.

use super::design::{Design, TERMS};
use super::error::FitError;
use super::intervals::{Intervals, Scatter};
use super::least_absolute::least_absolute;
use super::least_squares::least_squares;
use super::points::{Measured, PointNoise, medians};
use super::shape::Shape;

/// The loss that is minimized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Loss {
    /// `sum ((T(K_i) - T_i)/T_i)^2`, called l2.
    #[default]
    LeastSquares,
    /// `sum |T(K_i) - T_i|/T_i`, called l1: a few wrong times do not affect it.
    LeastAbsolute,
}

runcast_core::words!(Loss::name: LeastSquares = "l2", LeastAbsolute = "l1");

/// The coefficients of a fitted curve; none is negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Coefficients {
    /// The part that workers do not speed up \[s\].
    pub fixed_s: f64,
    /// The work on one worker \[s\].
    pub work_s: f64,
    /// The cost of each worker (flat), or of each level of the tree \[s\].
    pub per_worker_s: f64,
}

#[derive(Debug, Clone)]
pub struct Fit {
    shape: Shape,
    loss: Loss,
    coefficients: Coefficients,
    points: Vec<Measured>,
    scatter: Scatter,
}

/// Fits a curve to measured times; repetitions count by their median.
///
/// ```text
/// l2   minimize  sum ((T(K_i) - T_i)/T_i)^2        l1   minimize  sum |T(K_i) - T_i|/T_i
/// ```
///
/// The optimum is the global one: for l2 the best of the seven subsets of coefficients, each solved by orthogonal
/// factors, for l1 that of a linear program. If fewer coefficients fit as well, up to rounding errors, the others are
/// 0. It takes about a millisecond for a thousand numbers of workers.
///
/// # Errors
/// [`FitError`] names the first impossible run, or reports that there are fewer than three worker counts.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::{Collective, Form};
/// use runcast_bsf::fit::{Loss, Measured, Shape, fit};
///
/// // A list of 12 elements of 2 s each: 5 and 4 workers are as fast as each other.
/// let runs = [(2, 12.0), (3, 8.0), (4, 6.0), (6, 4.0)].map(|(workers, time_s)| Measured { workers, time_s });
/// let fitted = fit(&runs, Shape::new(Form::Granular, Collective::Flat, Some(12))?, Loss::LeastAbsolute)?;
/// assert!((fitted.coefficients().work_s - 24.0).abs() < 1e-12);
/// assert!((fitted.time_s(5) - 6.0).abs() < 1e-12);
/// assert_eq!(fitted.k_max(), None, "nothing grows with the workers");
/// # Ok::<(), runcast_bsf::fit::FitError>(())
/// ```
pub fn fit(runs: &[Measured], shape: Shape, loss: Loss) -> Result<Fit, FitError> {
    let points = medians(runs, shape)?;
    let terms: Vec<([f64; TERMS], f64)> =
        points.iter().map(|point| (shape.terms(point.workers), point.time_s)).collect();
    let design = Design::new(&terms).ok_or(FitError::OutOfRange)?;
    let z = match loss {
        Loss::LeastSquares => least_squares(&design),
        Loss::LeastAbsolute => least_absolute(&design),
    };
    let [fixed_s, work_s, per_worker_s] = design.unscaled(&z);
    let coefficients = Coefficients { fixed_s, work_s, per_worker_s };
    let scatter = Scatter::of(&design, &z, PointNoise::of(runs, &points));
    Ok(Fit { shape, loss, coefficients, points, scatter })
}

impl Fit {
    /// The shape of the curve.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The minimized loss.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    pub fn coefficients(&self) -> Coefficients {
        self.coefficients
    }

    /// The points that it was fitted to: the median of each number of workers, ascending.
    pub fn points(&self) -> &[Measured] {
        &self.points
    }

    /// The time with this many workers \[s\].
    ///
    /// Valid for 1 worker and more, in a list of known length up to its elements; see [`Shape::check_workers`].
    pub fn time_s(&self, workers: u64) -> f64 {
        let Coefficients { fixed_s, work_s, per_worker_s } = self.coefficients;
        let [one, share, messages] = self.shape.terms(workers.max(1));
        fixed_s * one + work_s * share + per_worker_s * messages
    }

    /// The scalability boundary, not rounded: the number of workers at which speedup peaks.
    ///
    /// ```text
    /// flat   sqrt(work/per_worker)          tree   ln 2 * work/per_worker
    /// ```
    ///
    /// `None` if the times show no cost that grows with the workers.
    pub fn k_max(&self) -> Option<f64> {
        self.shape.boundary(self.coefficients.work_s, self.coefficients.per_worker_s)
    }

    /// Whether the worker counts separate all three terms; if not, intervals are unbounded where it matters.
    pub fn is_identifiable(&self) -> bool {
        self.scatter.is_identifiable()
    }

    /// The intervals of this level, a probability between 0 and 1.
    pub fn at_level(&self, level: f64) -> Intervals<'_> {
        Intervals::new(self, &self.scatter, level)
    }
}
