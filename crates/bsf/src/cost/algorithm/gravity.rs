//! One body attracted by `n` fixed bodies; the list is these bodies.

use super::growth::Amounts;
use super::{Algorithm, Counts, elements};
use crate::cost::error::CostError;

pub(super) const GRAVITY: Algorithm = Algorithm {
    name: "gravity",
    summary: "a body attracted by n fixed bodies",
    has_inequalities: false,
    counts: |size, _| gravity(size),
    amounts: |n, _| amounts(n),
};

/// BSF-gravity with `n` fixed bodies: position and velocity of the moving one are sent, its acceleration comes back.
///
/// ```text
/// l = n    c_s = 6    c_Map = 20n    c_a = 3    c_r = 3    c_p = 14                               [S, section 6]
/// a(K)  = [2L+9tr+14op+23 n op] / [K(2L+9tr+3op) + 23 n op/K + 11 op]                            [S, Eq. 45, corrected]
/// K_max = sqrt(23 n op / (2L+9tr+3op))                                                           [S, Eq. 46]
/// ```
///
/// Erratum Eq. 45: it prints `K(2L+9tr+14op)`, where Eq. 10, Eq. 46 and a(1) = 1 need `3op`. As printed,
/// a(1) = 0.997592 at n = 150.
///
/// # Errors
/// The size is 0, or too large to count exactly.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::{Collective, Form, Machine, algorithm};
/// let machine = Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };
/// let costs = algorithm::gravity(150)?.costs(&machine)?;
/// assert!((costs.speedup(Form::Smooth, Collective::Flat, 2) / 1.15998 - 1.0).abs() < 1e-5);
/// assert_eq!(costs.speedup(Form::Smooth, Collective::Flat, 1), 1.0);
/// # Ok::<(), runcast_bsf::cost::CostError>(())
/// ```
pub fn gravity(size: u64) -> Result<Counts, CostError> {
    Ok(amounts(elements(size)?).counts(size))
}

fn amounts(n: f64) -> Amounts {
    Amounts { length: n, send: 6.0, map: 20.0 * n, fold: 3.0, receive: 3.0, compute: 14.0 }
}
