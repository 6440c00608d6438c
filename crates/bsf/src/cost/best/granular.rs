//! The best worker count where the largest block decides.
//!
//! Only `K = ceil(l/q)` can be best: with fewer workers the largest block would have more than `q` elements, and more
//! workers with the same `q` wait. There are some `2 sqrt(l)` of these. But the granular time is never less than the
//! smooth one, which is convex, so that only those near its minimum can be best: some `2 l^(1/4)`, for any costs.

use super::least;
use crate::cost::costs::Costs;
use crate::cost::form::Form;

/// The best of all counts on the flat granular curve.
pub(super) fn best_flat(costs: &Costs) -> u64 {
    let length = costs.list_length;
    let per_worker_s = costs.per_worker_s();
    // Without the part common to all counts, which would swallow small differences.
    let time_s = |workers: u64| workers as f64 * per_worker_s + costs.work_of_block_s(Form::Granular, workers);
    if per_worker_s == 0.0 || costs.work_s == 0.0 {
        return least([1, length].into_iter(), time_s);
    }
    let (from, to) = window(costs, time_s);
    let (most_elements, least_elements) = (length.div_ceil(from), length.div_ceil(to));
    if to - from <= most_elements - least_elements {
        least((from..=to).map(|workers| fewest_alike(length, workers)), time_s)
    } else {
        least((least_elements..=most_elements).rev().map(|elements| length.div_ceil(elements)), time_s)
    }
}

/// The fewest workers whose largest block is no larger than that of `workers`.
pub(super) fn fewest_alike(length: u64, workers: u64) -> u64 {
    length.div_ceil(length.div_ceil(workers))
}

/// The range in which the smooth time is not above the best granular time beside the boundary.
///
/// `c K^2 - U K + W = 0`; its roots are computed from the difference between `U` and the least smooth time, which is small.
fn window(costs: &Costs, time_s: impl Fn(u64) -> f64) -> (u64, u64) {
    let (length, per_worker_s) = (costs.list_length, costs.per_worker_s());
    let below = costs.k_max_clamped().floor() as u64;
    let bound_s = time_s(below).min(time_s((below + 1).min(length)));
    let least_s = 2.0 * (per_worker_s * costs.work_s).sqrt();
    let above_s = (bound_s - least_s).max(0.0) + 1e-14 * bound_s;
    let width_s = (above_s * (above_s + 2.0 * least_s)).sqrt();
    let sum_s = least_s + above_s + width_s;
    let (from, to) = (2.0 * costs.work_s / sum_s, sum_s / (2.0 * per_worker_s));
    let inside = |workers: f64| (workers as u64).clamp(1, length);
    (inside(from.floor()), inside(to.ceil()))
}
