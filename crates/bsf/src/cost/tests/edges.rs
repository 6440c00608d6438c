//! Costs at the edge of what there can be, and beyond.

use super::{MACHINE, fused};
use crate::cost::{
    Collective, CostError, Costs, Counts, Form, MOST_ELEMENTS, Machine, Times, Uncertain, Work, algorithm, tree_depth,
};
use std::time::Instant;

const TIMES: Times = Times {
    list_length: 5000,
    latency_s: 1.9e-6,
    overhead_s: Some(1e-6),
    send_s: 3.9e-6,
    receive_s: 4e-6,
    work: Work::Fused(5.2e-3),
    fold_s: 2.1e-6,
    compute_s: 1.4e-5,
};

#[test]
fn what_no_algorithm_can_cost_is_named() {
    assert!(Costs::new(TIMES).is_ok());
    for bad in [-1e-9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1e-300] {
        let key = |times: Times| Costs::new(times).expect_err("bad").key();
        assert_eq!(key(Times { latency_s: bad, overhead_s: None, ..TIMES }), "latency");
        assert_eq!(key(Times { overhead_s: Some(bad), ..TIMES }), "overhead");
        assert_eq!(key(Times { send_s: bad, ..TIMES }), "send");
        assert_eq!(key(Times { receive_s: bad, ..TIMES }), "receive");
        assert_eq!(key(Times { work: Work::Map(bad), ..TIMES }), "map");
        assert_eq!(key(Times { work: Work::Fused(bad), ..TIMES }), "work");
        assert_eq!(key(Times { fold_s: bad, ..TIMES }), "fold");
        assert_eq!(key(Times { compute_s: bad, ..TIMES }), "compute");
        assert!(Uncertain::new(bad, bad, bad).is_err());
    }
    for list_length in [0, MOST_ELEMENTS + 1, u64::MAX] {
        assert_eq!(Costs::new(Times { list_length, ..TIMES }).expect_err("bad").key(), "list_length");
    }
    let error = Costs::new(Times { overhead_s: Some(2e-6), ..TIMES }).expect_err("more than the latency");
    assert_eq!(error, CostError::Overhead { overhead_s: 2e-6, latency_s: 1.9e-6 });
    assert_eq!(error.to_string(), "overhead, 2e-6 s, is more than latency, 1.9e-6 s");
}

#[test]
fn counts_and_speeds_are_checked_before_they_are_multiplied() {
    let counts = algorithm::jacobi(10).expect("counts");
    let negative = Counts { map: -1.0, ..counts };
    let backwards = Machine { op_time_s: -2.9e-8, ..MACHINE };
    assert_eq!(negative.costs(&backwards).expect_err("bad").key(), "map");
    assert_eq!(counts.costs(&backwards).expect_err("bad").key(), "op_time");
    assert_eq!(Counts { send: f64::NAN, ..counts }.costs(&MACHINE).expect_err("bad").key(), "send");
    assert_eq!(Counts { map: 1e300, ..counts }.costs(&MACHINE).expect_err("too much").key(), "map");
    assert!(algorithm::jacobi(0).is_err() && algorithm::gravity(u64::MAX).is_err());
    assert!(algorithm::cimmino(u64::MAX, None).is_err() && algorithm::cimmino(5, Some(0)).is_err());
}

#[test]
fn without_communication_there_is_no_boundary() {
    let costs = fused(100, 1.0, 0.0, 0.0);
    assert_eq!((costs.k_max(), costs.k_max_clamped(), costs.k_max_tree()), (None, 100.0, None));
    for (form, collective) in super::properties::curves() {
        assert_eq!(costs.best(form, collective).workers, 100, "{form} {collective}");
    }
    assert!(costs.applicable());
    assert_eq!((costs.crossover_workers(), costs.best_collective()), (None, Collective::Flat));
}

#[test]
fn without_work_one_worker_is_best() {
    for costs in [fused(100, 0.0, 1e-5, 1e-6), fused(100, 0.0, 0.0, 0.0), fused(1, 0.0, 0.0, 0.0)] {
        assert_eq!((costs.k_max(), costs.k_max_clamped()), (Some(0.0), 1.0));
        assert!(!costs.applicable());
        for (form, collective) in super::properties::curves() {
            let best = costs.best(form, collective);
            assert_eq!((best.workers, best.speedup), (1, 1.0), "{form} {collective}");
            assert!(best.speedup_serial.is_finite() && costs.speedup(form, collective, 100).is_finite());
        }
    }
}

#[test]
fn a_fused_work_below_one_fold_takes_no_negative_time() {
    let costs = fused(1000, 1e-6, 1e-5, 5e-6);
    for workers in [1, 2, 1000] {
        assert!(costs.time_s(Form::Exact, Collective::Tree, workers) > 0.0);
    }
    assert!(costs.serial_time_s(Form::Exact) >= 0.0);
}

#[test]
fn the_longest_lists_are_answered_at_once() {
    let start = Instant::now();
    for list_length in [1_000_000_000_000_000, 999_999_999_999_989, MOST_ELEMENTS, MOST_ELEMENTS - 1] {
        for work_s in [1e-20, 1e-3, 1.0, 1e6, 1e15, 1e22, 1e30] {
            for message_s in [1e-29, 1e-9, 1e-5, 1.0] {
                let costs = fused(list_length, work_s, message_s, 0.0);
                for (form, collective) in super::properties::curves() {
                    let best = costs.best(form, collective);
                    assert!((1..=list_length).contains(&best.workers));
                    let beside = [best.workers.saturating_sub(1).max(1), (best.workers + 1).min(list_length)];
                    for workers in beside {
                        let time_s = costs.time_s(form, collective, workers);
                        assert!(time_s >= best.time_s * (1.0 - 1e-14), "{form} {collective} {workers} {costs:?}");
                    }
                }
                let _ = costs.crossover_workers();
            }
        }
    }
    // 4 x 7 x 4 lists with 6 curves each; a list alone has 100 ms.
    assert!(start.elapsed().as_secs_f64() < 11.2, "{:?}", start.elapsed());
}

#[test]
fn granular_on_a_long_list_is_the_best_of_all_block_sizes_near_it() {
    // 999,999,000,000 has many divisors, 1e12 - 11 is prime: every block size q gives another K = ceil(l/q).
    for list_length in [999_999_000_000u64, 999_999_999_989] {
        for blocks in [3.0, 1e3, 1e6, 3e9] {
            // The boundary at this many workers: W/c = blocks^2.
            let costs = fused(list_length, 1e-6 * blocks * blocks, 1e-6, 0.0);
            let best = costs.best(Form::Granular, Collective::Flat);
            let middle = (list_length as f64 / blocks) as u64;
            let (from, to) = (middle.saturating_sub(50_000).max(1), middle + 50_000);
            let scanned = (from..=to).map(|elements| list_length.div_ceil(elements));
            let around = (blocks as u64).saturating_sub(2000).max(1)..=(blocks as u64 + 2000).min(list_length);
            let least_s = scanned
                .chain(around)
                .map(|workers| costs.time_s(Form::Granular, Collective::Flat, workers))
                .fold(f64::INFINITY, f64::min);
            assert!(best.time_s <= least_s * (1.0 + 1e-14), "{list_length} {blocks}: {best:?} {least_s}");
        }
    }
}

#[test]
fn workers_have_an_element_each() {
    let costs = fused(10, 1.0, 1e-5, 0.0);
    assert!(costs.check_workers(1).is_ok() && costs.check_workers(10).is_ok());
    assert_eq!(costs.check_workers(11), Err(CostError::Workers { workers: 11, most: 10 }));
    assert_eq!(costs.check_workers(0).expect_err("none").allowed(), "1 to 10");
    assert_eq!(costs.time_s(Form::Smooth, Collective::Flat, 0), costs.time_s(Form::Smooth, Collective::Flat, 1));
}

#[test]
fn depths_of_trees() {
    assert_eq!([1, 2, 3, 4, 7, 8, 1 << 52, u64::MAX].map(tree_depth), [1, 2, 2, 3, 3, 4, 53, 64]);
}
