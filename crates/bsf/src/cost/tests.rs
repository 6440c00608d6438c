//! The cost model against published numbers, against closed forms, and against what it must do for any costs.

mod closed_forms;
mod edges;
mod files;
mod papers;
mod properties;
mod uncertainty;

use super::{Costs, Machine, Times, Work};

/// The machine of \[S\], section 6.
pub(super) const MACHINE: Machine =
    Machine { latency_s: 1.5e-5, overhead_s: None, op_time_s: 2.9e-8, transfer_time_s: 1.9e-7 };

pub(super) fn fused(list_length: u64, work_s: f64, message_s: f64, fold_s: f64) -> Costs {
    let work = Work::Fused(work_s);
    let (send_s, receive_s) = (0.0, 0.0);
    let latency_s = message_s / 2.0;
    let times = Times { list_length, latency_s, overhead_s: None, send_s, receive_s, work, fold_s, compute_s: 0.0 };
    Costs::new(times).expect("good costs")
}

/// Says by how much a number is off.
pub(super) fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found / expected - 1.0).abs();
    assert!(error <= tolerance, "{what}: expectation {expected}, actual result {found}, off by {error:e}");
}
