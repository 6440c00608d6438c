//! The listed chain against published numbers and against a second, slow way.

mod dense;
mod golden;
mod random;

use super::listing::list;
use super::{Chain, Limits};
use crate::model::{Laws, Modes};
use crate::solve::SolveOptions;
use crate::solve::bound::Bound;
use crate::{Law, Model, Solution, cases};

pub(crate) fn solved(model: &Model) -> Solution {
    let chain = Chain::build(model, &Limits::default()).expect("a small chain");
    chain.solution(&SolveOptions { phase_pmf: true, ..SolveOptions::default() })
}

#[track_caller]
pub(crate) fn close(what: &str, found: f64, expected: f64) {
    let allowed = (1e-9 * expected.abs()).max(1e-12);
    assert!((found - expected).abs() <= allowed, "{what}: expected {expected}, found {found}");
}

#[test]
fn states_are_as_many_as_promised() {
    // Messages of 1 to w ticks: w^p - (w-1)^p + p*(w^(p-1) - (w-1)^(p-1)), here for w = 4, then three processes.
    let count = |size, width| {
        let listing = list(&cases::homogeneous(size, 1, width), &Limits::default()).expect("a small chain");
        listing.states.len()
    };
    assert_eq!([2, 3, 4, 5].map(|size| count(size, 4)), [9, 58, 323, 1_656]);
    assert_eq!([10, 20].map(|width| count(3, width)), [328, 1_258]);
    // Longer least times: the leader may be ready up to lo ticks before all others.
    for (least, width) in [(3, 3), (2, 4), (7, 4)] {
        let listing = list(&cases::homogeneous(3, least, width), &Limits::default()).expect("a small chain");
        assert_eq!(listing.states.len() as f64, Bound::of(&cases::homogeneous(3, least, width)).states);
    }
    // One constant of c ticks: p*c + 1 of them.
    for delay in 1..=4 {
        assert_eq!(
            list(&cases::homogeneous(3, delay, 1), &Limits::default()).expect("small").states.len() as u64,
            3 * delay + 1
        );
    }
}

#[test]
fn modes_that_last_slow_the_chain_down() {
    // One process takes 6 s instead of 2 s in the busy mode: everything follows from Q alone.
    let model = busy(&[&[0.99, 0.01], &[0.03, 0.97]], &[1.0, 0.0], 1);
    let solution = solved(&model);
    close("E Phi", solution.phase.phase_mean, 3.0);
    close("Var Phi", solution.phase.phase_var, 3.0);
    close("asymptotic", solution.asymptotic.expect("one class").phase_var, 147.0);
    assert_eq!(solution.states.reachable, Some(2));
    // Modes of 1e5 phases: var of the state 3 * (1 + r) / (1 - r), where r = 1 - 4e-5 / 3 is the second eigenvalue.
    let model = busy(&[&[1.0 - 1e-5, 1e-5], &[3e-5, 1.0 - 3e-5]], &[1.0, 0.0], 1);
    let solution = solved(&model);
    close("E Phi", solution.phase.phase_mean, 3.0);
    close("asymptotic", solution.asymptotic.expect("one class").phase_var, 3.0 * (2.0 - 4e-5) / 4e-5);
}

#[test]
fn modes_that_are_never_left_are_classes() {
    let model = busy(&[&[0.0, 0.25, 0.75], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]], &[1.0, 0.0, 0.0], 2);
    let solution = solved(&model);
    let classes: Vec<_> = solution.classes.iter().map(|class| (class.weight, class.phase_mean)).collect();
    assert_eq!(classes, [(0.75, 6.0), (0.25, 2.0)]);
    close("E Phi", solution.phase.phase_mean, 5.0);
    assert_eq!((solution.states.reachable, solution.states.recurrent), (Some(3), Some(2)));
    assert_eq!(solution.asymptotic, None);
}

/// Two processes of 2 ticks, messages of no time; in one of the modes the first takes 6.
fn busy(transition: &[&[f64]], start: &[f64], busy: usize) -> Model {
    let calm = cases::plain(1.0, 0.9, vec![Law::constant(2); 2], Law::constant(0));
    let laws = |mode: usize| {
        let first = if mode == busy { 6 } else { 2 };
        Laws::with_one_network(vec![Law::constant(first), Law::constant(2)], Law::constant(0))
    };
    let modes = Modes {
        names: (0..start.len()).map(|mode| format!("mode {mode}")).collect(),
        transition: transition.iter().map(|row| row.to_vec()).collect(),
        start: start.to_vec(),
        laws: (0..start.len()).map(laws).collect(),
    };
    Model { modes, ..calm }
}

#[test]
fn a_period_of_two_depends_on_the_start() {
    // X' = -X: from X = (0, 1) the chain jumps between two states forever.
    let model = Model { start: vec![0, 1], ..cases::periodic() };
    let solution = solved(&model);
    assert_eq!((solution.states.reachable, solution.states.period), (Some(2), Some(2)));
    // A wait of 3 ticks fits one update, 2 ticks none.
    close("E N", solution.phase.iterations_mean, 2.0);
    close("E Phi", solution.phase.phase_mean, 5.0);
    close("Var Phi", solution.phase.phase_var, 1.0);
    // Two phases take 10 ticks, always: nothing grows.
    let asymptotic = solution.asymptotic.expect("one class");
    assert_eq!((asymptotic.phase_var, asymptotic.iterations_var, asymptotic.cov), (0.0, 0.0, 0.0));
}

#[test]
fn too_much_is_told_before_it_is_made() {
    let small = Limits { max_states: 50, max_entries: 1_000_000, lump: true };
    let error = Chain::build(&cases::homogeneous(3, 1, 4), &small).expect_err("58 states");
    assert_eq!(error.to_string(), "there are more than 50 states");
    // 10^12 states, of which not one is listed.
    let error = Chain::build(&cases::homogeneous(8, 1, 40), &Limits::default()).expect_err("too many");
    assert_eq!(error.what, "transitions");
}

#[test]
fn equal_processes_are_solved_as_one() {
    let model = cases::homogeneous(3, 1, 4).with_updates(&[(1, 2); 3]);
    let solution = |lump| {
        let chain = Chain::build(&model, &Limits { lump, ..Limits::default() }).expect("a small chain");
        chain.solution(&SolveOptions::default())
    };
    let (lumped, plain) = (solution(true), solution(false));
    // Sorted: C(6,3) - C(5,3) + C(5,2) - C(4,2) = 14 of the 58 states.
    assert_eq!((lumped.states.reachable, lumped.states.solved), (Some(58), Some(14)));
    assert_eq!((plain.states.reachable, plain.states.solved), (Some(58), Some(58)));
    for (one, other) in [(lumped.asymptotic, plain.asymptotic), (Some(lumped.phase), Some(plain.phase))] {
        let (one, other) = (one.expect("one class"), other.expect("one class"));
        close("Var Phi", one.phase_var, other.phase_var);
        close("Var N", one.iterations_var, other.iterations_var);
        close("Cov", one.cov, other.cov);
    }
    for (one, other) in lumped.wavefront.iter().zip(&plain.wavefront) {
        close("pi", one.probability, other.probability);
    }
}
