//! Jacobi's method for `n` linear equations; the list is the columns of the iteration matrix.

use super::growth::Amounts;
use super::{Algorithm, Counts, elements};
use crate::cost::error::CostError;

pub(super) const JACOBI: Algorithm = Algorithm {
    name: "jacobi",
    summary: "Jacobi's method for n linear equations",
    has_inequalities: false,
    counts: |size, _| jacobi(size),
    amounts: |n, _| amounts(n),
};

/// BSF-Jacobi with `n` unknowns: `x' = C x + d`, the list is the `n` columns of `C`.
///
/// ```text
/// l = n    c_s = n    c_Map = n^2    c_a = n    c_r = n    c_p = 4n                              [S, section 5]
/// a(K)  = [2(L+n tr) + 2 n op (n+2)] / [K(2(L+n tr) + n op) + n op (2n/K + 3)]                   [S, Eq. 30]
/// K_max = sqrt(2 n^2 op / (2(L+n tr) + n op))                                                    [S, Eq. 31]
/// ```
///
/// Erratum Eq. 32-35: `O()` is used there as a value; right is the limit: for large `n`, `K_max/sqrt(n)` tends to
/// `sqrt(2 op/(2 tr + op))`.
///
/// # Errors
/// The size is 0, or too large to count exactly.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::{Collective, Form, Machine, algorithm};
/// let machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
/// let costs = algorithm::jacobi(10_000)?.costs(&machine)?;
/// assert!((costs.k_max().unwrap() / 37.5202 - 1.0).abs() < 1e-5);
/// assert_eq!(costs.best(Form::Smooth, Collective::Flat).workers, 38);
/// # Ok::<(), runcast_bsf::cost::CostError>(())
/// ```
pub fn jacobi(size: u64) -> Result<Counts, CostError> {
    Ok(amounts(elements(size)?).counts(size))
}

fn amounts(n: f64) -> Amounts {
    Amounts { length: n, send: n, map: n * n, fold: n, receive: n, compute: 4.0 * n }
}
