//! The closed forms of speedup and boundary that the built-in algorithms have, and the limits for large sizes.

use super::{MACHINE, assert_close};
use crate::cost::{Collective, Costs, Form, algorithm};

const OP: f64 = MACHINE.op_time_s;
const TR: f64 = MACHINE.transfer_time_s;
const LATENCY: f64 = MACHINE.latency_s;

fn smooth_flat(costs: &Costs, workers: u64) -> f64 {
    costs.speedup(Form::Smooth, Collective::Flat, workers)
}

#[test]
fn jacobi_is_eq_30_and_31() {
    for size in [1, 7, 1500, 10_000] {
        let n = size as f64;
        let costs = algorithm::jacobi(size).and_then(|counts| counts.costs(&MACHINE)).expect("costs");
        let message = 2.0 * (LATENCY + n * TR);
        let eq_31 = (2.0 * n * n * OP / (message + n * OP)).sqrt();
        assert_close(costs.k_max().expect("a boundary"), eq_31, 1e-14, "Eq. 31");
        for workers in [1, 2, 3, 64, 999] {
            let k = workers as f64;
            let eq_30 = (message + 2.0 * n * OP * (n + 2.0)) / (k * (message + n * OP) + n * OP * (2.0 * n / k + 3.0));
            assert_close(smooth_flat(&costs, workers), eq_30, 1e-13, "Eq. 30");
        }
    }
}

#[test]
fn cimmino_is_its_closed_form() {
    for (size, inequalities) in [(10, None), (1500, None), (1500, Some(77))] {
        let n = size as f64;
        let m = inequalities.unwrap_or(2 * size + 2) as f64;
        let costs = algorithm::cimmino(size, inequalities).and_then(|counts| counts.costs(&MACHINE)).expect("costs");
        let message = 2.0 * (LATENCY + n * TR);
        let work = m * (4.0 * n + 2.0);
        let boundary = (work * OP / (message + n * OP)).sqrt();
        assert_close(costs.k_max().expect("a boundary"), boundary, 1e-14, "K_max");
        for workers in [1, 2, 5, 40] {
            let k = workers as f64;
            let closed =
                (message + OP * (work + 5.0 * n + 1.0)) / (k * (message + n * OP) + OP * (work / k + 4.0 * n + 1.0));
            assert_close(smooth_flat(&costs, workers), closed, 1e-13, "a(K)");
        }
        if inequalities.is_none() {
            assert_close(work, 8.0 * n * n + 12.0 * n + 4.0, 1e-15, "m (4n+2)");
        }
    }
}

#[test]
fn gravity_is_eq_45_corrected_and_eq_46() {
    for size in [1, 150, 1_000_000] {
        let n = size as f64;
        let costs = algorithm::gravity(size).and_then(|counts| counts.costs(&MACHINE)).expect("costs");
        let each = 2.0 * LATENCY + 9.0 * TR + 3.0 * OP;
        assert_close(costs.k_max().expect("a boundary"), (23.0 * n * OP / each).sqrt(), 1e-14, "Eq. 46");
        for workers in [1, 2, 3, 50] {
            let k = workers as f64;
            let above = 2.0 * LATENCY + 9.0 * TR + 14.0 * OP + 23.0 * n * OP;
            let eq_45 = above / (k * each + 23.0 * n * OP / k + 11.0 * OP);
            assert_close(smooth_flat(&costs, workers), eq_45, 1e-13, "Eq. 45");
        }
    }
    // As it is printed, with 14 op in the factor of K, one worker would not be as fast as one worker.
    let above = 2.0 * LATENCY + 9.0 * TR + 14.0 * OP + 23.0 * 150.0 * OP;
    let printed = above / (2.0 * LATENCY + 9.0 * TR + 14.0 * OP + 23.0 * 150.0 * OP + 11.0 * OP);
    assert!((printed - 0.997592).abs() < 5e-7, "{printed}");
}

#[test]
fn large_sizes_tend_to_the_limit() {
    let size = 1 << 50;
    let root = (size as f64).sqrt();
    let limit = (2.0 * OP / (2.0 * TR + OP)).sqrt();
    let k_max = |counts: algorithm::Counts| counts.costs(&MACHINE).expect("costs").k_max().expect("a boundary");
    assert_close(k_max(algorithm::jacobi(size).expect("counts")) / root, limit, 1e-9, "jacobi");
    assert_close(k_max(algorithm::cimmino(size, None).expect("counts")) / root, 2.0 * limit, 1e-9, "cimmino");
}

#[test]
fn one_worker_has_speedup_one_to_the_bit() {
    for algorithm in algorithm::ALGORITHMS {
        for size in [1, 10, 150, 1500, 10_000] {
            let costs = algorithm.counts(size, None).and_then(|counts| counts.costs(&MACHINE)).expect("costs");
            for (form, collective) in super::properties::curves() {
                assert_eq!(costs.speedup(form, collective, 1), 1.0, "{} {size} {form} {collective}", algorithm.name);
            }
        }
    }
}
