//! The costs of a program of any types.

use super::problem::{Problem, Visit};
use crate::skeleton::{self, CalibrateOptions, Calibration, RunError};

/// The visitor that measures the costs of a problem.
pub(super) struct Calibrate<'a>(pub &'a CalibrateOptions);

impl Visit for Calibrate<'_> {
    type Out = Result<Option<Calibration>, RunError>;

    fn visit<P: Problem>(self, problem: &P) -> Self::Out {
        skeleton::calibrate(problem.algorithm(), self.0)
    }
}
