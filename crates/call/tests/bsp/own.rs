//! Programs of ours in `testdata/bsp`, against numbers from a few lines of Python that follow (1) to (4).

use crate::{near, outcome, prepared};

const STENCIL: &str = include_str!("../../../../testdata/bsp/stencil.toml");
const SUMMATION: &str = include_str!("../../../../testdata/bsp/summation.toml");

/// The slow spot travels with the messages and is met again, or against them and is not.
#[test]
fn a_disturbance_costs_what_the_messages_carry_on() {
    let program = prepared(STENCIL);
    for (drift, obsp) in [(-1, 0.069_741_721_6), (0, 0.321_741_721_6), (1, 0.321_741_721_6), (2, 0.069_741_721_6)] {
        let outcome = outcome(&program, &[&format!("drift={drift}")]);
        near(&[outcome.obsp_time_s(), outcome.bsp_time_s()], &[obsp, 0.321_741_721_6]);
    }
}

/// 62,500 additions and loads each, then 4 levels of 8 B; raw BSP at 1 ns, 5 us and 0.8 ns/B.
#[test]
fn a_sum_over_a_tree_counts_instructions() {
    let program = prepared(SUMMATION);
    let outcome = outcome(&program, &[]);
    let own = 62_500.0 * (0.3e-9 + 1.2e-9) + 3.0 * 0.3e-9 + 4.0 * (8.0 * 0.1e-9 + 1.5e-6);
    let raw = 62_500.0 * 2e-9 + 3.0 * 1e-9 + 4.0 * (8.0 * 0.8e-9 + 5e-6);
    near(&[outcome.obsp_time_s(), outcome.bsp_time_s(), outcome.raw_bsp_time_s().unwrap_or(0.0)], &[own, own, raw]);
    // Those that have sent have nothing more to wait for or to pay but latencies.
    assert!(outcome.obsp_finish_s()[1] < outcome.obsp_finish_s()[0]);
}
