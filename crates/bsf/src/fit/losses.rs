//! Both losses side by side: where they differ, a measured time may be wrong.

use super::error::FitError;
use super::fitted::{Fit, Loss, fit};
use super::points::Measured;
use super::shape::Shape;
use runcast_core::accuracy::relative_error;

/// A curve fitted by both losses.
#[derive(Debug, Clone)]
pub struct Both {
    /// By least squares.
    pub l2: Fit,
    /// By least absolute errors.
    pub l1: Fit,
}

/// Where the two losses differ, and the point that may be why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disagreement {
    /// The number of workers at which they differ most.
    pub workers: u64,
    /// The difference there, as a share of the l1 curve.
    pub difference: f64,
    /// The fitted point that is furthest from the l1 curve.
    pub suspect: Measured,
    /// Its distance, as a share of its time.
    pub suspect_error: f64,
}

/// Fits a curve by both losses.
///
/// # Errors
/// As [`fit`].
pub fn fit_both(runs: &[Measured], shape: Shape) -> Result<Both, FitError> {
    Ok(Both { l2: fit(runs, shape, Loss::LeastSquares)?, l1: fit(runs, shape, Loss::LeastAbsolute)? })
}

impl Both {
    pub fn by(&self, loss: Loss) -> &Fit {
        match loss {
            Loss::LeastSquares => &self.l2,
            Loss::LeastAbsolute => &self.l1,
        }
    }

    /// Whether the curves differ by more than a share (such as 0.02) at one of these numbers of workers.
    ///
    /// Squares follow a wrong time, absolute errors hardly do; so the fitted point furthest from the l1 curve is the
    /// first suspect.
    pub fn disagreement(&self, workers: impl IntoIterator<Item = u64>, tolerated: f64) -> Option<Disagreement> {
        let difference = |workers: u64| (workers, relative_error(self.l2.time_s(workers), self.l1.time_s(workers)));
        let (workers, difference) = workers.into_iter().map(difference).max_by(|a, b| a.1.total_cmp(&b.1))?;
        let error = |point: &Measured| (*point, relative_error(self.l1.time_s(point.workers), point.time_s));
        let (suspect, suspect_error) = self.l1.points().iter().map(error).max_by(|a, b| a.1.total_cmp(&b.1))?;
        (difference > tolerated).then_some(Disagreement { workers, difference, suspect, suspect_error })
    }
}
