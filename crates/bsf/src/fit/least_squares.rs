//! The fit by relative squares.

use super::design::{Design, SUPPORTS, TERMS, best_of};

/// The coefficients of least relative squares among all that are not negative: a global optimum.
///
/// Where the optimum has the positive coefficients S, it is the optimum over S without any sign as well. So it is
/// among the solutions of the seven supports, each by orthogonal factors, that turn out not to be negative.
pub(super) fn least_squares(design: &Design) -> [f64; TERMS] {
    let solutions = SUPPORTS.iter().filter_map(|support| {
        let z = over(design, support)?;
        Some((z, design.squares(&z)))
    });
    best_of(solutions, 1e-26 * design.rows.len() as f64)
}

/// The solution over a support; `None` if it is negative or not unique.
///
/// Dependent columns can be skipped: a smaller support yields the same fit.
fn over(design: &Design, support: &[usize]) -> Option<[f64; TERMS]> {
    let solution = design.factored(support).solve()?;
    let mut z = [0.0; TERMS];
    support.iter().zip(&solution).for_each(|(&column, &value)| z[column] = value);
    z.iter().all(|value| *value >= 0.0).then_some(z)
}
