//! Cimmino's method of projections for `m` linear inequalities in `n` unknowns; the list is the inequalities.

use super::growth::Amounts;
use super::{Algorithm, Counts, elements};
use crate::cost::error::CostError;

pub(super) const CIMMINO: Algorithm = Algorithm {
    name: "cimmino",
    summary: "Cimmino's projections for m linear inequalities in n unknowns",
    has_inequalities: true,
    counts: cimmino,
    amounts,
};

/// BSF-Cimmino with `m` inequalities `<a_i, x> <= b_i` in `n` unknowns, `m = 2n + 2` if not given.
///
/// ```text
/// l = m    c_s = n    c_Map = m(3n+2)    c_a = n    c_r = n    c_p = 5n+1
/// a(K)  = [2(L+n tr) + op (m(4n+2) + 5n+1)] / [K(2(L+n tr) + n op) + op (m(4n+2)/K + 4n+1)]
/// K_max = sqrt(m(4n+2) op / (2(L+n tr) + n op))
/// ```
///
/// Derived as section 4 of \[S\] does for Jacobi, the norms of the rows being computed once. An element: `<a_i,x>` takes
/// 2n-1 operations, its difference to `b_i` 1, the comparison with 0 1, the division by the squared norm 1, scaling
/// `a_i` n. Compute: `lambda` over the divisor 1, scaling n, addition n, the stop condition 3n. For large `n`,
/// `K_max/sqrt(n)` tends to twice the limit of [`jacobi`](super::jacobi).
///
/// # Errors
/// Size or inequalities are 0, or too large to count exactly.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::{Machine, algorithm};
/// let machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
/// let costs = algorithm::cimmino(1500, None)?.costs(&machine)?;
/// assert_eq!(costs.list_length, 3002);
/// assert!((costs.k_max().unwrap() / 28.4956 - 1.0).abs() < 1e-5);
/// # Ok::<(), runcast_bsf::cost::CostError>(())
/// ```
pub fn cimmino(size: u64, inequalities: Option<u64>) -> Result<Counts, CostError> {
    let n = elements(size)?;
    let list_length = inequalities.unwrap_or(2 * size + 2);
    let m = elements(list_length)?;
    Ok(amounts(n, Some(m)).counts(list_length))
}

fn amounts(n: f64, m: Option<f64>) -> Amounts {
    let m = m.unwrap_or(2.0 * n + 2.0);
    Amounts { length: m, send: n, map: m * (3.0 * n + 2.0), fold: n, receive: n, compute: 5.0 * n + 1.0 }
}
