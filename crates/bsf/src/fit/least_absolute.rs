//! The fit by relative absolute errors, which is robust against a few wrong times.

use super::design::{Design, SUPPORTS, TERMS, best_of};
use super::simplex;

/// The coefficients of the least sum of absolute relative errors among all that are not negative: a global optimum.
///
/// The linear program is solved over each support, so that a coefficient without evidence is exactly 0.
pub(super) fn least_absolute(design: &Design) -> [f64; TERMS] {
    let solutions = SUPPORTS.iter().map(|support| {
        let z = simplex::solve(&design.rows, support);
        (z, design.absolutes(&z))
    });
    best_of(solutions, 1e-13 * design.rows.len() as f64)
}
