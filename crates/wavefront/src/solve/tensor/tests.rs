//! The exact method against closed forms, published values, and an enumeration of everything that can happen.

mod enumeration;

use super::*;
use crate::cases;
use crate::model::{Laws, Modes, Semantics, Tie};
use crate::solve::SolveOptions;
use crate::solve::bound::Bound;
use crate::solve::chain::{Chain, Limits};
use enumeration::Enumeration;
use runcast_core::random::SplitMix;
use std::collections::BTreeMap;

fn close(what: &str, value: f64, expected: f64) {
    let error = (value - expected).abs();
    assert!(error <= 1e-9 * expected.abs() + 1e-11, "{what}: {value} instead of {expected}");
}

fn options() -> Options {
    Options { phase_pmf: true, ..Options::default() }
}

fn compare(model: &Model, solution: &Solution) {
    let expected = Enumeration::of(model);
    let states = &solution.states;
    assert_eq!(states.reachable, Some(expected.reachable), "reachable");
    assert_eq!(states.recurrent, Some(expected.recurrent), "recurrent");
    let moments = [
        ("E Phi", solution.phase.phase_mean, expected.phase.phase_mean),
        ("Var Phi", solution.phase.phase_var, expected.phase.phase_var),
        ("E N", solution.phase.iterations_mean, expected.phase.iterations_mean),
        ("Var N", solution.phase.iterations_var, expected.phase.iterations_var),
        ("Cov", solution.phase.cov, expected.phase.cov),
    ];
    for (what, value, expected) in moments {
        close(what, value, expected);
    }
    let asymptotic = solution.asymptotic.expect("one class");
    close("a Phi", asymptotic.phase_var, expected.asymptotic.phase_var);
    close("a N", asymptotic.iterations_var, expected.asymptotic.iterations_var);
    close("a Cov", asymptotic.cov, expected.asymptotic.cov);
    assert_eq!(solution.iterations_min, expected.iterations_pmf.keys().next().copied().expect("some"));
    assert_eq!(solution.iterations_max, expected.iterations_pmf.keys().last().copied().expect("some"));
    law("N", &solution.iterations_pmf, &expected.iterations_pmf);
    law("Phi", solution.phase_pmf.as_deref().expect("asked for"), &expected.phase_pmf);
    for (value, expected) in solution.updates_mean.iter().zip(&expected.updates_mean) {
        close("updates", *value, *expected);
    }
    if let Some(ties) = solution.ties {
        close("counts", ties.counts, expected.ties.counts);
        close("discards", ties.discards, expected.ties.discards);
    }
    assert_eq!(solution.wavefront.len(), expected.wavefront.len(), "wavefronts");
    for state in &solution.wavefront {
        let wanted = expected.wavefront.get(&(state.mode, state.offsets.clone())).expect("a recurrent state");
        close("wavefront", state.probability, *wanted);
    }
}

fn law(what: &str, law: &[(u64, f64)], expected: &BTreeMap<u64, f64>) {
    let mut left = expected.clone();
    for (value, probability) in law {
        close(what, *probability, left.remove(value).unwrap_or(0.0));
    }
    assert!(left.values().all(|probability| *probability < 1e-11), "{what}: {left:?} is missing");
}

fn random_law(random: &mut SplitMix, from: u64, to: u64, values: usize) -> Law {
    let weights: Vec<(u64, f64)> =
        (0..values).map(|_| (from + random.bits() % (to - from + 1), 0.1 + random.uniform())).collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    Law::new(weights.into_iter().map(|(ticks, weight)| (ticks, weight / sum))).expect("a law")
}

fn random_laws(random: &mut SplitMix, size: usize, most: u64) -> Laws {
    let update = (0..size).map(|_| std::sync::Arc::new(random_law(random, 1, 6, 2))).collect();
    let message =
        (0..size).map(|_| (0..size).map(|_| std::sync::Arc::new(random_law(random, 0, most, 2))).collect()).collect();
    Laws { update, message }
}

fn random_model(seed: u64) -> Model {
    let mut random = SplitMix::new(seed, 0);
    let size = 1 + (seed % 3) as usize;
    let most = [4, 2, 0, 3][(seed / 3 % 4) as usize];
    let laws = random_laws(&mut random, size, most);
    let mut model = cases::plain(1.0, 0.9, vec![Law::constant(1); size], Law::constant(0));
    model.modes = if seed % 5 == 4 && size < 3 {
        let second = random_laws(&mut random, size, most);
        Modes {
            names: vec!["calm".to_owned(), "busy".to_owned()],
            transition: vec![vec![0.9, 0.1], vec![0.3, 0.7]],
            start: vec![0.5, 0.5],
            laws: vec![laws, second],
        }
    } else {
        Modes::single(laws)
    };
    for process in &mut model.processes {
        process.alpha_updates = 1 + (random.bits() % 2) as u32;
        process.beta_updates = (random.bits() % 3) as u32;
    }
    model.semantics = if seed.is_multiple_of(2) { Semantics::Abort } else { Semantics::Complete };
    model.tie = if seed % 4 < 2 { Tie::Counts } else { Tie::Discards };
    if seed.is_multiple_of(7) {
        model.start = (0..size as i64).map(|process| process * 9 - 4 * (process / 2)).collect();
    }
    model
}

#[test]
fn small_models_as_by_enumeration() {
    let mut compared = 0;
    for seed in 0..100 {
        let model = random_model(seed);
        match solution(&model, &options()) {
            Ok(solution) if solution.states.closed_classes == Some(1) => {
                compare(&model, &solution);
                compared += 1;
            }
            Ok(_) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(compared >= 90, "{compared}");
}

#[test]
fn cases_as_by_enumeration() {
    let cases = [
        cases::two_point(),
        cases::barrier(),
        cases::constant_network(0),
        cases::constant_network(1),
        cases::periodic(),
    ];
    for model in cases {
        compare(&model, &solution(&model, &options()).expect("a solution"));
    }
    let mut model = cases::periodic();
    model.start = vec![0, 1];
    let periodic = solution(&model, &options()).expect("a solution");
    assert_eq!(periodic.states.period, Some(2));
    compare(&model, &periodic);
}

/// Solves with equal processes as one, whatever is faster.
fn lumped(model: &Model) -> Result<Solution, TensorError> {
    let shape = Shape::of(model);
    let (bytes, work) = lumped::needs(model, &shape, &lump::groups(model));
    let engine = Lumped::new(model, shape.clone(), lump::groups(model));
    solve(model, &shape, &engine, &options(), Needs { bytes, work, lumped: true }).map(|(solution, _)| solution)
}

#[test]
fn equal_processes_as_one() {
    let law = |pairs: &[(u64, f64)]| Law::new(pairs.iter().copied()).expect("a law");
    let update = law(&[(1, 0.5), (3, 0.3), (4, 0.2)]);
    for (seed, size) in [(1, 2), (2, 3), (3, 3), (4, 3), (5, 2), (6, 3), (7, 1)] {
        let mut model = cases::plain(1.0, 0.9, vec![update.clone(); size], law(&[(1, 0.5), (2, 0.5)]));
        if seed == 3 {
            // Two equal ones and another.
            model.modes.laws[0].update[2] = std::sync::Arc::new(law(&[(2, 0.5), (3, 0.5)]));
        }
        if seed == 4 {
            model.modes.laws[0] = Laws::with_one_network(vec![update.clone(); size], Law::constant(0));
        }
        for process in &mut model.processes {
            process.beta_updates = seed % 3;
            process.alpha_updates = 1 + seed % 2;
        }
        model.semantics = if seed < 5 { Semantics::Abort } else { Semantics::Complete };
        compare(&model, &lumped(&model).expect("a solution"));
    }
}

/// Against the chain that lists its states: another way to the same numbers, for chains that are too large for tests above.
fn compare_listed(model: &Model, solution: &Solution) {
    let chain = Chain::build(model, &Limits::default()).expect("a small chain");
    let expected = chain.solution(&SolveOptions { phase_pmf: true, ..SolveOptions::default() });
    let counts = |states: crate::solve::solution::States| {
        (states.bound, states.reachable, states.recurrent, states.closed_classes, states.period)
    };
    assert_eq!(counts(solution.states), counts(expected.states));
    moments(&solution.phase, &expected.phase);
    assert_eq!(solution.asymptotic.is_some(), expected.asymptotic.is_some());
    if let (Some(asymptotic), Some(expected)) = (&solution.asymptotic, &expected.asymptotic) {
        moments(asymptotic, expected);
    }
    assert_eq!(
        (solution.iterations_min, solution.iterations_max),
        (expected.iterations_min, expected.iterations_max),
        "extremes"
    );
    law("N", &solution.iterations_pmf, &expected.iterations_pmf.iter().copied().collect());
    let pmf = expected.phase_pmf.expect("asked for");
    law("Phi", solution.phase_pmf.as_deref().expect("asked for"), &pmf.into_iter().collect());
    for (value, expected) in solution.updates_mean.iter().zip(&expected.updates_mean) {
        close("updates", *value, *expected);
    }
    if let (Some(ties), Some(expected)) = (solution.ties, expected.ties) {
        close("counts", ties.counts, expected.counts);
        close("discards", ties.discards, expected.discards);
    }
    for (class, expected) in solution.classes.iter().zip(&expected.classes) {
        close("weight", class.weight, expected.weight);
        close("class phase", class.phase_mean, expected.phase_mean);
        close("class iterations", class.iterations_mean, expected.iterations_mean);
        assert_eq!((class.states, class.period), (expected.states, expected.period));
    }
    let states: BTreeMap<_, f64> =
        expected.wavefront.iter().map(|state| ((state.mode, &state.offsets), state.probability)).collect();
    assert_eq!(solution.wavefront.len(), states.len());
    for state in &solution.wavefront {
        close("wavefront", state.probability, states[&(state.mode, &state.offsets)]);
    }
}

fn moments(value: &crate::solve::solution::Moments, expected: &crate::solve::solution::Moments) {
    close("E Phi", value.phase_mean, expected.phase_mean);
    close("Var Phi", value.phase_var, expected.phase_var);
    close("E N", value.iterations_mean, expected.iterations_mean);
    close("Var N", value.iterations_var, expected.iterations_var);
    close("Cov", value.cov, expected.cov);
}

/// Different processes and links, more values than in [`random_model`].
fn large_model(seed: u64) -> Model {
    let mut random = SplitMix::new(seed, 1);
    let size = 2 + (seed % 3) as usize;
    let (least, most) = ([1, 0, 3][(seed % 3) as usize], [12, 7, 5][(seed % 3) as usize]);
    let update = (0..size).map(|_| random_law(&mut random, 3, 14, 6)).collect();
    let mut model = cases::plain(1.0, 0.9, update, Law::constant(0));
    for from in 0..size {
        for to in 0..size {
            model.modes.laws[0].message[from][to] = std::sync::Arc::new(random_law(&mut random, least, most, 4));
        }
    }
    if seed % 4 == 3 {
        // A slow mode: the modes last 1e5 phases.
        let mut slow = model.modes.laws[0].clone();
        slow.update[0] = std::sync::Arc::new(random_law(&mut random, 10, 20, 3));
        model.modes = Modes {
            names: vec!["calm".to_owned(), "busy".to_owned()],
            transition: vec![vec![1.0 - 1e-5, 1e-5], vec![2e-5, 1.0 - 2e-5]],
            start: vec![1.0, 0.0],
            laws: vec![model.modes.laws[0].clone(), slow],
        };
    }
    for process in &mut model.processes {
        process.alpha_updates = 1 + (random.bits() % 2) as u32;
        process.beta_updates = (random.bits() % 3) as u32;
    }
    model.semantics = if seed % 5 == 4 && size < 4 { Semantics::Complete } else { Semantics::Abort };
    model.tie = if seed.is_multiple_of(2) { Tie::Counts } else { Tie::Discards };
    model
}

#[test]
fn larger_models_as_by_listing() {
    for seed in 0..12 {
        let model = large_model(seed);
        compare_listed(&model, &solution(&model, &options()).expect("a solution"));
    }
}

#[test]
fn equal_processes_as_by_listing() {
    for (size, least, width, beta) in [(4, 1, 4, 1), (3, 0, 6, 2), (5, 1, 2, 1), (4, 2, 1, 1)] {
        let mut model = cases::homogeneous(size, least, width).with_updates(&vec![(1, beta); size]);
        compare_listed(&model, &lumped(&model).expect("a solution"));
        model.modes.laws[0].update[1] = std::sync::Arc::new(Law::constant(6));
        compare_listed(&model, &lumped(&model).expect("a solution"));
    }
}

#[test]
fn states_are_as_many_as_promised() {
    for (size, most) in [(2, 60), (3, 14), (4, 7), (5, 4), (6, 3)] {
        let model = cases::homogeneous(size, 1, most);
        for lump in [false, true] {
            let solution = solution(&model, &Options { lump, ..Options::default() }).expect("a solution");
            assert_eq!(solution.states.reachable, Some(Bound::of(&model).states as u64));
        }
    }
}

/// Two processes without messages; in the last mode, process 1 takes 6 s instead of 2 s.
fn busy(transition: &[&[f64]]) -> Model {
    let mut model = cases::plain(1.0, 0.9, vec![Law::constant(2); 2], Law::constant(0));
    let count = transition.len();
    let mut laws = vec![model.modes.laws[0].clone(); count];
    laws[count - 1].update[0] = std::sync::Arc::new(Law::constant(6));
    let mut start = vec![0.0; count];
    start[0] = 1.0;
    model.modes = Modes {
        names: (0..count).map(|mode| mode.to_string()).collect(),
        transition: transition.iter().map(|row| row.to_vec()).collect(),
        start,
        laws,
    };
    model
}

#[test]
fn modes_that_last_are_solved_for_themselves() {
    // Of two modes with rates a and b: Var Phi = 16 ab / (a+b)^2, and a = Var (2 - a - b) / (a + b).
    for (a, b) in [(0.01, 0.03), (1e-5, 3e-5), (1e-7, 1e-6)] {
        let solution = solution(&busy(&[&[1.0 - a, a], &[b, 1.0 - b]]), &options()).expect("a solution");
        let share = a / (a + b);
        close("E Phi", solution.phase.phase_mean, 2.0 + 4.0 * share);
        let var = 16.0 * share * (1.0 - share);
        close("Var Phi", solution.phase.phase_var, var);
        close("a Phi", solution.asymptotic.expect("one class").phase_var, var * (2.0 - a - b) / (a + b));
    }
}

#[test]
fn modes_that_are_never_left_are_classes() {
    let model = busy(&[&[0.0, 0.25, 0.75], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]);
    let solution = solution(&model, &options()).expect("a solution");
    close("E Phi", solution.phase.phase_mean, 5.0);
    assert_eq!((solution.states.reachable, solution.states.recurrent), (Some(3), Some(2)));
    let classes: Vec<(f64, f64)> = solution.classes.iter().map(|class| (class.weight, class.phase_mean)).collect();
    assert_eq!(classes.len(), 2);
    close("weight", classes[0].0, 0.75);
    close("mean", classes[0].1, 6.0);
    close("mean", classes[1].1, 2.0);
    assert!(solution.asymptotic.is_none());
}

#[test]
fn too_much_is_told_before_memory_is_taken() {
    let wide = Law::new([(1, 0.5), (9_000_000, 0.5)]).expect("a law");
    let short = Law::constant(3);
    let mut follower = cases::plain(1.0, 0.9, vec![wide.clone(); 3], short.clone());
    follower.semantics = Semantics::Complete;
    let models = [
        cases::plain(1.0, 0.9, vec![short.clone(); 3], wide.clone()),
        cases::plain(1.0, 0.9, vec![short.clone(), wide.clone(), wide.clone()], short.clone()),
        cases::plain(1.0, 0.9, vec![wide; 2], short).with_updates(&[(4_000_000_000, 0), (1, 0)]),
        follower.with_updates(&[(1, 4_000_000_000); 3]),
        cases::homogeneous(12, 1, 30),
    ];
    for model in models {
        for lump in [false, true] {
            let error = solution(&model, &Options { lump, ..Options::default() }).expect_err("too large");
            assert!(matches!(error, TensorError::TooLarge(_)), "{error}");
        }
    }
}

#[test]
fn it_can_be_interrupted() {
    let interrupt = Some(Arc::new(AtomicBool::new(true)));
    let options = Options { interrupt, ..Options::default() };
    assert_eq!(solution(&cases::homogeneous(3, 1, 9), &options), Err(TensorError::Interrupted));
}
