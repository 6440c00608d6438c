//! Intervals from uncertain times.

use super::{MACHINE, assert_close};
use crate::cost::{Collective, CostError, CostModel, Form, Machine, Source, Times, Uncertain, Work, algorithm};

fn jacobi() -> CostModel {
    let uncertain = |value, low, high| Uncertain::new(value, low, high).expect("an interval");
    let machine = Machine {
        latency_s: uncertain(15e-6, 10e-6, 20e-6),
        overhead_s: None,
        op_time_s: uncertain(29e-9, 24e-9, 35e-9),
        transfer_time_s: uncertain(190e-9, 150e-9, 240e-9),
    };
    let counts = algorithm::jacobi(1500).expect("counts");
    CostModel::new(Source::Counts(counts, machine), 0.9).expect("a model")
}

fn only_work(factor: f64, input_level: f64) -> CostModel {
    let work = Uncertain::new(1.0, 1.0 / factor, factor).expect("an interval");
    let times = Times {
        list_length: 1_000_000,
        latency_s: Uncertain::exact(1e-5),
        overhead_s: None,
        send_s: Uncertain::exact(1e-4),
        receive_s: Uncertain::exact(1e-4),
        work: Work::Fused(work),
        fold_s: Uncertain::exact(0.0),
        compute_s: Uncertain::exact(0.0),
    };
    CostModel::new(Source::Times(times), input_level).expect("a model")
}

#[test]
fn an_uncertain_work_makes_the_boundary_uncertain_by_its_root() {
    let model = only_work(2.0, 0.9);
    let k_max = model.costs().k_max().expect("a boundary");
    for seed in 0..5 {
        let interval = model.draws(10_000, seed).and_then(|draws| draws.k_max(0.9)).expect("an interval");
        assert_close(interval.low, k_max / 2f64.sqrt(), 0.02, "low");
        assert_close(interval.high, k_max * 2f64.sqrt(), 0.02, "high");
    }
    let (low, high) = model.k_max_bounds().expect("bounds");
    assert_close(low, k_max / 2f64.sqrt(), 1e-14, "lower bound");
    assert_close(high, k_max * 2f64.sqrt(), 1e-14, "upper bound");
}

#[test]
fn the_level_of_the_inputs_is_not_that_of_the_answer() {
    // Ends at one standard deviation (68.27 %), asked for two of them (95.45 %): the root of 2^2.
    let model = only_work(2.0, 0.682_689_492);
    let interval = model.draws(40_000, 3).and_then(|draws| draws.k_max(0.954_499_736)).expect("an interval");
    let k_max = model.costs().k_max().expect("a boundary");
    assert_close(interval.low, k_max / 2.0, 0.03, "low");
    assert_close(interval.high, k_max * 2.0, 0.03, "high");
}

#[test]
fn the_same_seed_gives_the_same_draws() {
    let model = jacobi();
    assert_eq!(model.draws(500, 7), model.draws(500, 7));
    assert_ne!(model.draws(500, 7), model.draws(500, 8));
    assert_eq!(model.draws(500, 7).map(|draws| draws.count()), Some(500));
}

#[test]
fn half_of_the_draws_lie_below_the_value_on_either_side() {
    let draws = jacobi().draws(20_000, 0).expect("uncertain");
    // The latency alone: its median is the value, its ends those that were given.
    let interval = draws.interval(0.9, |costs| Some(costs.latency_s)).expect("an interval");
    assert_close(interval.low, 10e-6, 0.02, "low");
    assert_close(interval.high, 20e-6, 0.02, "high");
    let middle = draws.interval(1e-9, |costs| Some(costs.latency_s)).expect("an interval");
    assert_close(middle.low, 15e-6, 0.01, "median");
}

#[test]
fn times_have_intervals_around_them() {
    let model = jacobi();
    let draws = model.draws(10_000, 0).expect("uncertain");
    for (form, collective) in super::properties::curves() {
        for workers in [1, 2, 16, 200, 1500] {
            let time_s = model.costs().time_s(form, collective, workers);
            let wide = draws.time_s(form, collective, workers, 0.9).expect("an interval");
            let narrow = draws.time_s(form, collective, workers, 0.5).expect("an interval");
            assert!(wide.low < narrow.low && narrow.low < time_s, "{form} {collective} {workers}");
            assert!(time_s < narrow.high && narrow.high < wide.high, "{form} {collective} {workers}");
        }
    }
}

#[test]
fn bounds_hold_the_interval() {
    let model = jacobi();
    let (low, high) = model.k_max_bounds().expect("bounds");
    let interval = model.draws(10_000, 0).and_then(|draws| draws.k_max(0.9)).expect("an interval");
    assert!(low < interval.low && interval.high < high);
}

#[test]
fn without_doubt_there_is_no_interval() {
    let costs = algorithm::jacobi(1500).and_then(|counts| counts.costs(&MACHINE)).expect("costs");
    let model = CostModel::new(Source::from(costs), 0.9).expect("a model");
    assert_eq!(model.costs(), &costs);
    assert!(!model.is_uncertain() && model.draws(100, 0).is_none() && model.k_max_bounds().is_none());
}

#[test]
fn a_latency_below_the_overhead_takes_the_overhead_along() {
    let machine = Machine {
        latency_s: Uncertain::new(10e-6, 1e-6, 20e-6).expect("an interval"),
        overhead_s: Some(Uncertain::exact(9e-6)),
        op_time_s: Uncertain::exact(29e-9),
        transfer_time_s: Uncertain::exact(190e-9),
    };
    let counts = algorithm::gravity(300).expect("counts");
    let model = CostModel::new(Source::Counts(counts, machine), 0.9).expect("a model");
    let interval = model.draws(2000, 0).expect("uncertain").interval(0.999, |costs| {
        assert!(costs.overhead_s <= costs.latency_s);
        Some(costs.overhead_s)
    });
    assert!(interval.is_some_and(|interval| interval.high == 9e-6));
}

#[test]
fn absurd_intervals_give_numbers_all_the_same() {
    let wild = Uncertain::new(1.0, 1e-30, 1e30).expect("an interval");
    let times = Times {
        list_length: 1 << 53,
        latency_s: wild,
        overhead_s: Some(wild),
        send_s: wild,
        receive_s: wild,
        work: Work::Map(wild),
        fold_s: wild,
        compute_s: wild,
    };
    let model = CostModel::new(Source::Times(times), 0.01).expect("a model");
    let draws = model.draws(1000, 0).expect("uncertain");
    assert!(draws.k_max(0.999).is_some());
    for (form, collective) in super::properties::curves() {
        assert!(draws.time_s(form, collective, 1 << 53, 0.999).is_some());
    }
    assert!(model.k_max_bounds().is_some_and(|(low, high)| low < high && high.is_finite()));
}

#[test]
fn what_is_no_interval_is_an_error() {
    for (value, low, high) in [(1.0, 2.0, 3.0), (1.0, 0.5, 0.9), (1.0, 0.0, 2.0), (0.0, 0.0, 0.0), (1.0, -1.0, 2.0)] {
        assert_eq!(Uncertain::new(value, low, high), Err(CostError::Interval { value, low, high }));
    }
    assert!(Uncertain::new(1.0, f64::NAN, 2.0).is_err() && Uncertain::new(1.0, 1.0, f64::INFINITY).is_err());
    let source = Source::Counts(algorithm::jacobi(5).expect("counts"), MACHINE.map(|&time| Uncertain::exact(time)));
    for level in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(CostModel::new(source, level).is_err());
    }
    let time_s = |form| only_work(2.0, 0.9).costs().time_s(form, Collective::Flat, 3);
    assert_eq!(time_s(Form::Smooth), time_s(Form::Exact), "no folds, no difference");
}
