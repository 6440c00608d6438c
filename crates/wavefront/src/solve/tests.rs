//! Which method is taken, and that they agree where several can be.

pub(crate) mod oracle;

use super::{SolveError, SolveOptions, Wanted, solve};
use crate::model::{Model, Semantics};
use crate::solve::solution::{Extremes, Method};
use crate::{Law, cases};

fn with(method: Wanted, max_states: u64) -> SolveOptions {
    SolveOptions { method, max_states, ..SolveOptions::default() }
}

#[test]
fn small_chains_are_listed() {
    let solved = solve(&cases::constant_network(1), &SolveOptions::default()).expect("a small chain");
    assert_eq!((solved.why.as_str(), solved.solution.method), ("its 10 states can be listed", Method::Exact));
    assert_eq!(solved.chain.map(|chain| chain.states.len()), Some(10));
}

#[test]
fn a_large_constant_network_is_exact() {
    let law = Law::new([(4, 0.5), (5, 0.3), (8, 0.2)]).expect("a law");
    let mut update = vec![law; 50];
    update[7] = Law::constant(6);
    let model = cases::plain(1.0, 0.9, update, Law::constant(4)).with_updates(&[(1, 1); 50]);
    let solved = solve(&model, &with(Wanted::Exact, 50_000)).expect("a leader and a lead");
    assert_eq!((solved.solution.method, solved.chain.is_none()), (Method::Exact, true));
    assert!(solved.solution.states.reachable <= Some(201));
}

#[test]
fn what_cannot_be_listed_is_solved_without_its_matrix() {
    let model = cases::homogeneous(4, 1, 10);
    let solved = solve(&model, &SolveOptions::default()).expect("a chain that fits");
    assert!(solved.chain.is_none() && solved.solution.method == Method::Exact, "{}", solved.why);
    assert_eq!(solved.solution.states.reachable, Some(4_523));
    assert_eq!(solved.solution.states.bound, 4_523.0);
}

#[test]
fn the_rest_is_simulated_or_refused() {
    let model = cases::homogeneous(5, 1, 1_000);
    let error = solve(&model, &with(Wanted::Exact, 50_000)).map(|solved| solved.why).expect_err("10^12 states");
    let SolveError::TooLarge { bound, what } = &error else { panic!("{error}") };
    assert!(bound.log10 > 12.0);
    assert_eq!(what, "at most 50000 are solved exactly (--max-states)");
    assert!(error.to_string().contains("up to 5009980014996 states"), "{error}");
    let small = cases::homogeneous(2, 1, 4);
    let solved = solve(&small, &with(Wanted::Auto, 2)).expect("a simulation");
    assert_eq!((solved.solution.method, solved.solution.extremes), (Method::MonteCarlo, Extremes::Analytic));
    assert!(solved.why.contains("up to 9 states"), "{}", solved.why);
    let asked = solve(&small, &with(Wanted::MonteCarlo, 50_000)).expect("a simulation");
    assert_eq!((asked.why.as_str(), asked.solution.phase), ("it was asked for", solved.solution.phase));
    let exact = solve(&small, &SolveOptions::default()).expect("a small chain").solution.phase.phase_mean;
    let half_width = solved.solution.half_widths.expect("intervals").phase.phase_mean;
    assert!((solved.solution.phase.phase_mean - exact).abs() < 3.0 * half_width);
}

#[test]
fn classes_are_told() {
    let mut model = Model { start: vec![0, 0], ..cases::barrier() };
    let laws = model.modes.laws[0].clone();
    model.modes.laws = vec![laws.clone(), laws.clone(), laws];
    model.modes.names = ["undecided", "one", "other"].map(String::from).to_vec();
    model.modes.transition = vec![vec![0.0, 0.5, 0.5], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    model.modes.start = vec![1.0, 0.0, 0.0];
    let solved = solve(&model, &SolveOptions::default()).expect("a small chain");
    assert_eq!(solved.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["several_classes"]);
    assert_eq!(solved.solution.classes.len(), 2);
}

#[test]
fn extreme_models_neither_hang_nor_panic() {
    let law = |pairs: &[(u64, f64)]| Law::new(pairs.iter().copied()).expect("a law");
    let wide = law(&[(1, 0.5), (10_000_000, 0.5)]);
    let many = u32::MAX;
    let models = [
        cases::plain(1.0, 0.9, vec![Law::constant(1); 2], wide.clone()).with_updates(&[(1, many); 2]),
        cases::plain(1.0, 0.9, vec![wide.clone(); 3], wide.clone()).with_updates(&[(1, 1); 3]),
        cases::plain(1.0, 0.9, vec![law(&[(1, 0.5), (2, 0.5)]); 2], Law::constant(3)).with_updates(&[(many, 0); 2]),
        cases::plain(1.0, 0.9, vec![wide; 40], law(&[(0, 0.5), (1, 0.5)])),
        Model { start: vec![0, i64::MAX, i64::MIN], ..cases::constant_network(2) },
        Model { start: vec![0, i64::MAX, i64::MIN], semantics: Semantics::Complete, ..cases::constant_network(2) },
    ];
    for model in models {
        if let Ok(solved) = solve(&model, &with(Wanted::Exact, 50_000)) {
            assert!(solved.solution.phase.phase_mean.is_finite(), "{solved:?}");
        }
    }
}

#[test]
fn equal_processes_are_solved_as_one() {
    // 6 equal processes, w = 4: 8,053 states, 91 where their order does not matter.
    let solved = solve(&cases::homogeneous(6, 1, 4), &SolveOptions::default()).expect("a chain that fits");
    let states = solved.solution.states;
    assert_eq!((states.reachable, states.solved), (Some(8_053), Some(91)));
}
