//! Critical paths: published numbers, identities, a slow second way.

use super::*;
use crate::cases;
use crate::model::Tie;
use crate::model::law::Law;
use crate::solve::SolveOptions;
use crate::solve::chain::Limits;
use crate::solve::tests::oracle::Oracle;
use proptest::prelude::*;

fn solved(model: &Model) -> (Chain, Solution) {
    let chain = Chain::build(model, &Limits::default()).expect("a small model");
    let solution = chain.solution(&SolveOptions::default());
    (chain, solution)
}

fn answer(model: &Model) -> (Sensitivity, Solution) {
    let (chain, solution) = solved(model);
    let mut phase_mean = |model: &Model| Some(solved(model).1.phase.phase_mean);
    let found = sensitivity(model, Some(&chain), &solution, &SensitivityOptions::default(), &mut phase_mean);
    (found.expect("nobody stops it"), solution)
}

fn near(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} instead of {b}");
}

fn sum_of_times(found: &Sensitivity) -> f64 {
    found.processes.iter().map(|process| process.critical_time_s).sum::<f64>()
        + found.links.iter().map(|link| link.critical_time_s).sum::<f64>()
        + found.overrun_time_s
}

#[test]
fn three_processes_on_a_constant_network() {
    // Numbers of an independent enumeration, to 1e-6.
    let (found, solution) = answer(&cases::constant_network(1));
    assert_eq!(found.method, Method::Exact);
    let shares = [0.204125, 0.352866, 0.443009];
    let times = [0.138267, 0.249426, 0.433664];
    for ((process, share), time) in found.processes.iter().zip(shares).zip(times) {
        near(process.critical_share, share, 1e-6);
        near(process.critical_time_s, time, 1e-6);
    }
    near(sum_of_times(&found), solution.phase.phase_mean * 0.1, 1e-12);
    assert_eq!(found.warnings, []);
    // The slowest gains most.
    let gains: Vec<f64> = found.processes.iter().filter_map(|process| process.gain_s).collect();
    assert!(gains[2] > gains[1] && gains[1] > gains[0] && gains[0] > 0.0, "{gains:?}");
}

#[test]
fn two_processes() {
    let (found, solution) = answer(&cases::two_point());
    near(found.processes[0].critical_share, 0.460068, 1e-6);
    near(found.processes[1].critical_share, 0.539932, 1e-6);
    near(found.links[0].critical_share, 0.448926, 1e-6);
    near(found.links[1].critical_share, 0.448926, 1e-6);
    near(sum_of_times(&found), solution.phase.phase_mean * 0.5, 1e-12);
    let own: f64 = found.processes.iter().map(|process| process.own_share).sum();
    near(own + 2.0 * found.links[0].critical_share, 1.0, 2e-6);
}

#[test]
fn with_messages_of_no_time_the_slower_holds_all_up() {
    // At a barrier: one takes 1 or 3 ticks, the other always 2.
    let update = vec![Law::new([(1, 0.25), (3, 0.75)]).expect("a law"), Law::constant(2)];
    let model = cases::plain(1.0, 0.9, update, Law::constant(0));
    let (found, _) = answer(&model);
    near(found.processes[0].critical_share, 0.75, 1e-12);
    near(found.processes[0].critical_time_s, 2.25, 1e-12);
    near(found.processes[1].critical_time_s, 0.5, 1e-12);
    // Equal ones share.
    let (found, _) = answer(&cases::barrier());
    near(found.processes[0].critical_share, 0.5, 1e-12);
    near(found.processes[0].critical_time_s, 1.25, 1e-12);
}

#[test]
fn gains_are_falls_of_the_mean_phase() {
    // Constant times: the path goes to and fro, a phase takes 10 ticks of update and 10 of message.
    let model = cases::plain(1.0, 0.9, vec![Law::constant(10); 2], Law::constant(10));
    let (found, solution) = answer(&model);
    near(solution.phase.phase_mean, 20.0, 1e-12);
    // Alternately 19 and 20 ticks, or all at 19: in the mean a tick less every second phase.
    near(found.processes[0].gain_s.expect("a gain"), 0.5, 1e-9);
    near(found.links[0].gain_s.expect("a gain"), 0.5, 1e-9);
}

/// The same by all ways of a phase.
fn slow(model: &Model, chain: &Chain) -> Critical {
    let oracle = Oracle::new(model);
    let (size, states) = (model.size(), oracle.states.len());
    let mut through: Vec<f64> = (0..states * size).map(|place| f64::from(u8::from(place % size == 0))).collect();
    for _ in 0..300 {
        let mut next = vec![0.0; states * size];
        for (state, ways) in oracle.ways.iter().enumerate() {
            for way in ways {
                for (to, senders) in way.senders.iter().enumerate() {
                    for (from, share, _) in senders {
                        next[state * size + from] += way.probability * share * through[way.to * size + to];
                    }
                }
            }
        }
        through.iter_mut().zip(next).for_each(|(now, next)| *now = 0.5 * (*now + next));
    }
    let weight = |(mode, offsets): &(usize, Vec<i64>)| {
        let place = chain.states.iter().position(|state| state.mode == *mode && state.offsets == *offsets);
        chain.stationary()[place.expect("the same states")]
    };
    let stationary: Vec<f64> = oracle.states.iter().map(weight).collect();
    let mut critical = Critical::zero(size);
    for (state, ways) in oracle.ways.iter().enumerate() {
        for way in ways {
            for (to, senders) in way.senders.iter().enumerate() {
                for (from, share, ticks) in senders {
                    let mass = stationary[state] * way.probability * share * through[way.to * size + to];
                    critical.process_share[*from] += mass;
                    critical.process_time[*from] += mass * way.alpha[*from] as f64;
                    critical.link_share[from * size + to] += mass;
                    critical.link_time[from * size + to] += mass * *ticks as f64;
                }
            }
        }
    }
    critical
}

fn agree(model: &Model, tolerance: f64) {
    let (chain, solution) = solved(model);
    let (found, settled) = path::critical(&chain, &|| false).expect("small");
    assert!(settled);
    let slow = slow(model, &chain);
    let pairs = [
        (&found.process_share, &slow.process_share),
        (&found.process_time, &slow.process_time),
        (&found.link_share, &slow.link_share),
        (&found.link_time, &slow.link_time),
    ];
    for (found, slow) in pairs {
        found.iter().zip(slow).for_each(|(a, b)| near(*a, *b, tolerance));
    }
    let all: f64 = found.process_time.iter().chain(&found.link_time).sum::<f64>() + found.overrun_time;
    near(all, solution.phase.phase_mean, 1e-9);
}

#[test]
fn the_path_is_that_of_all_ways() {
    let mut complete = cases::two_point().with_updates(&[(1, 1), (2, 2)]);
    complete.semantics = Semantics::Complete;
    let mut periodic = cases::periodic();
    periodic.start = vec![0, 1];
    for model in [cases::two_point(), cases::constant_network(1), complete, periodic] {
        agree(&model, 1e-9);
    }
}

fn small_law(least: u64) -> impl Strategy<Value = Law> {
    prop::collection::btree_map(least..6, 1_u32..100, 2..4).prop_map(|weights| {
        let sum: u32 = weights.values().sum();
        Law::new(weights.into_iter().map(|(ticks, weight)| (ticks, f64::from(weight) / f64::from(sum)))).expect("a law")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn small_models_have_the_path_of_all_ways(
        update in prop::collection::vec(small_law(1), 2),
        message in small_law(0),
        updates in prop::collection::vec((1_u32..3, 0_u32..3), 2),
        complete in any::<bool>(),
        discards in any::<bool>(),
    ) {
        let model = cases::plain(1.0, 0.5, update, message).with_updates(&updates);
        let semantics = if complete { Semantics::Complete } else { Semantics::Abort };
        let tie = if discards { Tie::Discards } else { Tie::Counts };
        agree(&Model { semantics, tie, ..model }, 1e-6);
    }
}

#[test]
fn a_path_whose_shares_move_by_rounding_alone_is_settled() {
    // These shares stay in motion in their last digits.
    let laws = [[(3, 9.0 / 79.0), (4, 70.0 / 79.0)], [(1, 10.0 / 11.0), (2, 1.0 / 11.0)]];
    let update = laws.into_iter().map(|law| Law::new(law).expect("a law")).collect();
    let message = Law::new([(0, 0.5), (1, 0.5)]).expect("a law");
    agree(&cases::plain(1.0, 0.5, update, message).with_updates(&[(2, 0), (1, 0)]), 1e-6);
}

#[test]
fn a_simulated_path_is_near_the_exact_one() {
    let mut complete = cases::constant_network(1);
    complete.semantics = Semantics::Complete;
    for model in [cases::constant_network(1), complete] {
        let (exact, solution) = answer(&model);
        let mut phase_mean = |_: &Model| None;
        let found =
            sensitivity(&model, None, &solution, &SensitivityOptions::default(), &mut phase_mean).expect("an answer");
        assert_eq!(found.method, Method::MonteCarlo);
        assert_eq!(found.warnings[0].code, "gain_unknown");
        for (found, exact) in found.processes.iter().zip(&exact.processes) {
            near(found.critical_share, exact.critical_share, 0.005);
            near(found.critical_time_s, exact.critical_time_s, 0.005);
        }
        for (found, exact) in found.links.iter().zip(&exact.links) {
            near(found.critical_time_s, exact.critical_time_s, 0.003);
        }
        near(found.overrun_time_s, exact.overrun_time_s, 0.003);
    }
}
