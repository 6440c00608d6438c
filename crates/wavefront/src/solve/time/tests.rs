//! Laws of run times: closed forms, enumerations, tails.

use super::*;
use crate::cases;
use crate::model::law::Law;
use crate::model::{Laws, Modes, Semantics, Tie};
use crate::solve::SolveOptions;
use crate::solve::chain::Limits;
use crate::solve::tests::oracle::Oracle;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

fn options(phases: u64, thresholds: Vec<Threshold>) -> TimeOptions {
    TimeOptions { phases, quantiles: vec![0.05, 0.5, 0.95, 0.99], thresholds, seed: 0, interrupt: None }
}

fn solved(model: &Model) -> (Chain, Solution) {
    let chain = Chain::build(model, &Limits::default()).expect("a small model");
    let solution = chain.solution(&SolveOptions::default());
    (chain, solution)
}

fn answer(model: &Model, options: &TimeOptions) -> TimeEstimate {
    let (chain, solution) = solved(model);
    estimate(model, Some(&chain), &solution, options).expect("nobody stops it")
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} instead of {b}");
}

/// The law of the time, one phase after the other, by all ways that the definition allows.
fn slow_law(model: &Model, phases: u64) -> BTreeMap<i64, f64> {
    let oracle = Oracle::new(model);
    let mut now: BTreeMap<(usize, i64), f64> = oracle.start.iter().map(|(state, p)| ((*state, 0), *p)).collect();
    for _ in 0..phases {
        let mut next = BTreeMap::new();
        for ((state, time), p) in now {
            for way in &oracle.ways[state] {
                *next.entry((way.to, time + way.ticks)).or_insert(0.0) += p * way.probability;
            }
        }
        now = next;
    }
    let mut law = BTreeMap::new();
    now.into_iter().for_each(|((_, time), p)| *law.entry(time).or_insert(0.0) += p);
    law
}

/// Two processes with messages of no time, one of them slow in the last of three modes, which may never come.
fn three_modes(transition: Vec<Vec<f64>>) -> Model {
    let laws = |first: u64| Laws::with_one_network(vec![Law::constant(first), Law::constant(2)], Law::constant(0));
    let mut model = cases::plain(1.0, 0.9, vec![Law::constant(2); 2], Law::constant(0));
    let names = ["new", "calm", "busy"].map(str::to_owned).to_vec();
    model.modes = Modes { names, transition, start: vec![1.0, 0.0, 0.0], laws: vec![laws(2), laws(2), laws(6)] };
    model
}

#[test]
fn a_barrier_has_a_closed_form() {
    // T = 62 + 2 Binomial(62, 3/4); the numbers are of the binomial law, by another program.
    let found = answer(&cases::barrier(), &options(62, vec![Threshold::TimesMean(1.1), Threshold::Seconds(155.0)]));
    assert_eq!(found.method, TimeMethod::Exact);
    near(found.mean_s, 155.0, 1e-10);
    near(found.sd_s, 6.819_090_85, 1e-8);
    let quantiles: Vec<f64> = found.quantiles.iter().map(|(_, time)| *time).collect();
    assert_eq!(quantiles, [144.0, 156.0, 166.0, 170.0]);
    let tail = found.tails[0];
    near(tail.threshold_s, 170.5, 1e-10);
    near(tail.probability, 0.006_177_274_83, 5e-12);
    near(tail.rate.expect("a rate"), 0.048_238_447_3, 1e-10);
    near(tail.theta_per_tick.expect("a tilt"), 0.423_648_930_2, 1e-10);
    near(tail.chernoff.expect("a bound"), 0.050_248_040_3, 1e-10);
    // At the mean nothing is rare.
    assert_eq!((found.tails[1].rate, found.tails[1].chernoff), (Some(0.0), Some(1.0)));
    assert_eq!(found.warnings, []);
}

#[test]
fn thresholds_at_and_beyond_the_longest_run() {
    // No phase of the barrier takes more than 3 ticks; all 10 of them do with probability (3/4)^10.
    let thresholds = [29.9, 30.0, 31.0, 2.0].map(Threshold::Seconds).to_vec();
    let found = answer(&cases::barrier(), &options(10, thresholds));
    near(found.tails[0].probability, 0.75_f64.powi(10), 1e-14);
    assert!(found.tails[0].theta_per_tick.is_some());
    assert_eq!((found.tails[1].probability, found.tails[1].theta_per_tick), (0.0, None));
    near(found.tails[1].rate.expect("a rate"), -0.75_f64.ln(), 1e-9);
    assert_eq!((found.tails[2].probability, found.tails[2].rate, found.tails[2].chernoff), (0.0, None, Some(0.0)));
    assert_eq!((found.tails[3].probability, found.tails[3].rate), (1.0, Some(0.0)));
    assert_eq!(found.warnings.len(), 2);
}

#[test]
fn a_threshold_a_rounding_below_a_tick_is_that_tick() {
    // 159.7 / 0.1 is 1596.9999999999998.
    assert_eq!(Threshold::Seconds(159.7).ticks(0.1, 1, 1.0), 1597.0);
    assert_eq!(Threshold::Seconds(159.68).ticks(0.1, 1, 1.0).floor(), 1596.0);
    assert_eq!(Threshold::parse("-3s"), None);
    assert_eq!(Threshold::parse("nanx"), None);
}

#[test]
fn the_law_is_that_of_all_ways() {
    let mut complete = cases::two_point().with_updates(&[(1, 2); 2]);
    complete.semantics = Semantics::Complete;
    let mut late = cases::two_point();
    late.start = vec![0, 7];
    let modes = three_modes(vec![vec![0.0, 0.25, 0.75], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]]);
    for (model, phases) in [(cases::constant_network(1), 6), (complete, 4), (late, 9), (modes, 7)] {
        let (chain, _) = solved(&model);
        let law = time_law(&chain, phases, &|| false).expect("nobody stops it");
        let slow = slow_law(&model, phases);
        assert_eq!(law.support.len(), slow.len());
        for ((ticks, p), (at, q)) in law.support.iter().zip(&slow) {
            assert!(ticks == at && (p - q).abs() < 1e-14, "{ticks}: {p} instead of {q} at {at}");
        }
    }
}

#[test]
fn little_is_dropped_over_many_phases() {
    let (chain, _) = solved(&cases::constant_network(0));
    let law = time_law(&chain, 2_000, &|| false).expect("nobody stops it");
    let sum: f64 = law.support.iter().map(|(_, p)| p).sum();
    near(sum, 1.0, 1e-12);
    // The window is a fraction of the 18,000 ticks that are possible.
    assert!(law.support.len() < 4_000, "{}", law.support.len());
    let interrupted = time_law(&chain, 10, &|| true);
    assert_eq!(interrupted, None);
}

/// ln of the spectral radius of the tilted matrix, by many steps of the power method on all pairs of states.
fn slow_log_radius(oracle: &Oracle, theta: f64) -> f64 {
    let states = oracle.states.len();
    let mut vector = vec![1.0; states];
    let mut growth = 0.0;
    let steps = 1_000;
    for step in 0..2 * steps {
        let mut next = vec![0.0; states];
        for (state, ways) in oracle.ways.iter().enumerate() {
            next[state] =
                ways.iter().map(|way| way.probability * (theta * way.ticks as f64).exp() * vector[way.to]).sum();
        }
        let most: f64 = next.iter().copied().fold(0.0, f64::max);
        growth += if step >= steps { most.ln() } else { 0.0 };
        vector = next.into_iter().map(|value| value / most).collect();
    }
    growth / f64::from(steps)
}

#[test]
fn the_rate_is_the_supremum() {
    for (model, factor) in
        [(cases::two_point(), 1.15), (cases::constant_network(0), 1.15), (cases::constant_network(0), 1.35)]
    {
        let (chain, solution) = solved(&model);
        let mean = factor * solution.phase.phase_mean;
        let point = RateFunction::new(&chain).at(mean, &|| false).expect("it mixes");
        let (rate, theta) = (point.rate.expect("a rate"), point.theta.expect("a tilt"));
        let oracle = Oracle::new(&model);
        let value = |theta: f64| theta * mean - slow_log_radius(&oracle, theta);
        near(rate, value(theta), 1e-9);
        for other in [0.98 * theta, 1.02 * theta] {
            assert!(value(other) < rate - 1e-9, "{} at {other}, {rate} at {theta}", value(other));
        }
    }
}

#[test]
fn the_bound_of_chernoff_holds_for_the_exact_law() {
    // Up to the factor of the eigenvector, which the start and the end cost once.
    for model in [cases::two_point(), cases::constant_network(1)] {
        let found = answer(&model, &options(131, [1.02, 1.05, 1.1, 1.15].map(Threshold::TimesMean).to_vec()));
        for tail in found.tails {
            assert!(tail.probability < 2.0 * tail.chernoff.expect("a bound"), "{tail:?}");
            // And is right in its exponent.
            let exponent = -tail.probability.ln() / 131.0;
            assert!(tail.probability < 1e-18 || exponent < tail.rate.expect("a rate") + 0.05, "{tail:?}");
        }
    }
}

#[test]
fn with_several_classes_the_slowest_sets_the_rate() {
    let model = three_modes(vec![vec![0.0, 0.25, 0.75], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]]);
    // 2 ticks, then 99 phases of 6 with probability 3/4, or of 2.
    let found = answer(&model, &options(100, vec![Threshold::TimesMean(1.1), Threshold::Seconds(596.5)]));
    assert_eq!(found.method, TimeMethod::Exact);
    near(found.mean_s, 2.0 + 99.0 * 5.0, 1e-9);
    near(found.tails[0].threshold_s, 550.0, 1e-9);
    near(found.tails[0].probability, 0.75, 1e-14);
    assert_eq!(found.tails[0].rate, Some(0.0));
    assert_eq!(found.tails[1].probability, 0.0);
}

#[test]
fn the_asymptotic_spread_is_that_of_the_exact_law() {
    for model in [cases::two_point(), cases::constant_network(1), cases::homogeneous(3, 1, 3)] {
        let (chain, solution) = solved(&model);
        let law = time_law(&chain, 131, &|| false).expect("nobody stops it");
        let asymptotic = (131.0 * solution.asymptotic.expect("one class").phase_var).sqrt();
        near(asymptotic, law.sd(), 0.03 * law.sd());
    }
}

#[test]
fn modes_that_last_long_have_a_rate() {
    let mut model =
        three_modes(vec![vec![1.0, 0.0, 0.0], vec![0.0, 0.999_99, 0.000_01], vec![0.0, 0.000_02, 0.999_98]]);
    model.modes.start = vec![0.0, 1.0, 0.0];
    let (chain, solution) = solved(&model);
    near(solution.phase.phase_mean, 2.0 + 4.0 / 3.0, 1e-9);
    let point = RateFunction::new(&chain).at(4.5, &|| false).expect("elimination settles it");
    // Of the matrix of 2 states, calm (2 ticks) and busy (6 ticks), by its characteristic polynomial.
    let log_radius = |theta: f64| {
        let (a, d) = (0.999_99 * (2.0 * theta).exp(), 0.999_98 * (6.0 * theta).exp());
        let bc = 0.000_01 * 0.000_02 * (8.0 * theta).exp();
        (0.5 * (a + d) + (0.25 * (a - d) * (a - d) + bc).sqrt()).ln()
    };
    let theta = point.theta.expect("a tilt");
    near(point.rate.expect("a rate"), theta * 4.5 - log_radius(theta), 1e-12);
    let derivative = (log_radius(theta * 1.001) - log_radius(theta * 0.999)) / (0.002 * theta);
    near(derivative, 4.5, 1e-3);
}

#[test]
fn what_is_too_large_is_normal() {
    let model = cases::constant_network(0);
    let (chain, solution) = solved(&model);
    let exact = answer(&model, &options(131, vec![Threshold::TimesMean(1.05)]));
    let normal = estimate(&model, None, &solution, &options(131, vec![Threshold::TimesMean(1.05)])).expect("an answer");
    assert_eq!(normal.method, TimeMethod::Normal);
    assert_eq!(normal.warnings[0].code, "time_normal");
    near(normal.mean_s, exact.mean_s, 1.0);
    near(normal.sd_s, exact.sd_s, 0.03 * exact.sd_s);
    for ((_, rough), (_, time)) in normal.quantiles.iter().zip(&exact.quantiles) {
        near(*rough, *time, 1.0);
    }
    near(normal.tails[0].probability, exact.tails[0].probability, 0.01);
    // A billion phases are not walked one by one.
    let long = estimate(&model, Some(&chain), &solution, &options(1_000_000_000, vec![])).expect("an answer");
    assert_eq!(long.method, TimeMethod::Normal);
}

#[test]
fn without_chain_and_variance_runs_are_simulated() {
    let model = cases::barrier();
    let (_, solution) = solved(&model);
    let solution = Solution { asymptotic: None, ..solution };
    let found = estimate(&model, None, &solution, &options(62, vec![Threshold::TimesMean(1.1)])).expect("an answer");
    assert_eq!(found.method, TimeMethod::MonteCarlo);
    // 20,000 runs of sd 6.8.
    near(found.mean_s, 155.0, 4.0 * 6.82 / 141.0);
    near(found.sd_s, 6.819, 0.15);
    near(found.tails[0].probability, 0.006_177, 4.0 * 0.00056);
    let flag = Arc::new(AtomicBool::new(true));
    let stopped = TimeOptions { interrupt: Some(flag), ..options(62, vec![]) };
    assert_eq!(estimate(&model, None, &solution, &stopped), None);
}

fn small_law(least: u64) -> impl Strategy<Value = Law> {
    prop::collection::btree_map(least..7, 1_u32..100, 1..4).prop_map(|weights| {
        let sum: u32 = weights.values().sum();
        Law::new(weights.into_iter().map(|(ticks, weight)| (ticks, f64::from(weight) / f64::from(sum)))).expect("a law")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn small_models_have_the_law_of_all_ways(
        update in prop::collection::vec(small_law(1), 2),
        message in small_law(0),
        updates in prop::collection::vec((1_u32..3, 0_u32..3), 2),
        complete in any::<bool>(),
        discards in any::<bool>(),
        start in -5_i64..6,
    ) {
        let model = cases::plain(1.0, 0.5, update, message).with_updates(&updates);
        let semantics = if complete { Semantics::Complete } else { Semantics::Abort };
        let tie = if discards { Tie::Discards } else { Tie::Counts };
        let model = Model { semantics, tie, start: vec![0, start], ..model };
        let (chain, _) = solved(&model);
        let law = time_law(&chain, 5, &|| false).expect("nobody stops it");
        let slow = slow_law(&model, 5);
        for (ticks, p) in &law.support {
            prop_assert!((p - slow.get(ticks).copied().unwrap_or(0.0)).abs() < 1e-13);
        }
        let sum: f64 = law.support.iter().map(|(_, p)| p).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12);
        let quantiles: Vec<i64> = (0..=20).map(|level| law.quantile(f64::from(level) / 20.0)).collect();
        prop_assert!(quantiles.windows(2).all(|pair| pair[0] <= pair[1]));
        let above: Vec<f64> = (0..80).map(|ticks| law.above(ticks)).collect();
        prop_assert!(above.windows(2).all(|pair| pair[0] >= pair[1]));
    }
}
