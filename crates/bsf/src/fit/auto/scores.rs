//! How well a hypothesis predicts what lies beyond the points that it has seen.

use super::super::points::Measured;
use super::hypothesis::Hypothesis;
use runcast_core::ranges::{fold_square, prefixes};
use runcast_core::statistics::mean;

/// Points that a curve needs at least.
const LEAST: usize = 3;

/// Errors on the forward folds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Folds {
    /// Mean over prefixes of the mean `|ln(predicted/measured)|`; none without a fold.
    pub score: Option<f64>,
    /// Mean of `e^2/max(h, ln 1.2)`.
    pub fold_square: f64,
}

impl Folds {
    /// Fits every prefix of three points or more and tests it on the later points.
    pub(super) fn of(points: &[Measured], hypothesis: Hypothesis) -> Folds {
        let positions: Vec<f64> = points.iter().map(|point| point.workers as f64).collect();
        let (mut scores, mut tests) = (Vec::new(), Vec::new());
        for (seen, later) in prefixes(&positions, LEAST) {
            let Some(solved) = hypothesis.solve(&points[..seen]).filter(|_| !later.is_empty()) else { continue };
            let error = |point: &Measured| (point.time_s / solved.time_s(point.workers)).ln();
            let errors: Vec<f64> = points[later.clone()].iter().map(error).collect();
            scores.push(mean(&errors.iter().map(|error| error.abs()).collect::<Vec<_>>()));
            let beyond = |position: &f64| (position / positions[seen - 1]).ln();
            tests.extend(errors.into_iter().zip(positions[later].iter().map(beyond)));
        }
        let score = (!scores.is_empty()).then(|| mean(&scores)).filter(|score| score.is_finite());
        Folds { score, fold_square: fold_square(tests) }
    }
}
