//! The constant network against the listed chain, on which it is an instance like any other.

use super::{delay, solution};
use crate::model::{Laws, Modes, Semantics, Tie};
use crate::solve::SolveOptions;
use crate::solve::chain::{Chain, Limits};
use crate::{Law, Model, Solution, cases};
use runcast_core::random::SplitMix;
use std::sync::Arc;

#[test]
fn the_listed_chain_agrees() {
    for seed in 0..150 {
        let model = random_model(&mut SplitMix::new(seed, 2));
        let options = SolveOptions { phase_pmf: true, lump: seed % 2 == 0, ..SolveOptions::default() };
        let found = solution(&model, &options).expect("a constant network").expect("a small one");
        let chain = Chain::build(&model, &Limits::default()).expect("a small chain");
        compare(&format!("seed {seed}"), &found, &chain.solution(&options));
    }
}

fn compare(what: &str, found: &Solution, expected: &Solution) {
    let close = |name: &str, found: f64, expected: f64| {
        let allowed = 1e-10 * expected.abs() + 1e-12;
        assert!((found - expected).abs() <= allowed, "{what}: {name}: expected {expected}, found {found}");
    };
    let counts = |solution: &Solution| {
        let states = &solution.states;
        (states.reachable, states.recurrent, states.closed_classes, states.period)
    };
    assert_eq!(counts(found), counts(expected), "{what}");
    let moments = |solution: &Solution| {
        let of = |moments: crate::solve::solution::Moments| {
            let crate::solve::solution::Moments { phase_mean, phase_var, iterations_mean, iterations_var, cov } =
                moments;
            vec![phase_mean, phase_var, iterations_mean, iterations_var, cov]
        };
        let ties = solution.ties.map_or(vec![], |ties| vec![ties.counts, ties.discards]);
        let asymptotic = solution.asymptotic.map_or(vec![], of);
        [of(solution.phase), asymptotic, ties, solution.updates_mean.clone()].concat()
    };
    assert_eq!(moments(found).len(), moments(expected).len(), "{what}");
    for (found, expected) in moments(found).iter().zip(moments(expected)) {
        close("a moment", *found, expected);
    }
    for (found, expected) in found.classes.iter().zip(&expected.classes) {
        assert_eq!((found.states, found.period), (expected.states, expected.period), "{what}");
        close("weight", found.weight, expected.weight);
        close("E Phi of a class", found.phase_mean, expected.phase_mean);
        close("E N of a class", found.iterations_mean, expected.iterations_mean);
    }
    assert_eq!(
        (found.iterations_min, found.iterations_max),
        (expected.iterations_min, expected.iterations_max),
        "{what}"
    );
    let laws = [
        (&found.iterations_pmf, &expected.iterations_pmf),
        (found.phase_pmf.as_ref().expect("asked for"), expected.phase_pmf.as_ref().expect("asked for")),
    ];
    for (found, expected) in laws {
        assert_eq!(found.len(), expected.len(), "{what}: {found:?} instead of {expected:?}");
        for ((value, found), (other, expected)) in found.iter().zip(expected) {
            assert_eq!(value, other, "{what}");
            close("a law", *found, *expected);
        }
    }
    assert_eq!(found.wavefront.len(), expected.wavefront.len(), "{what}");
    for state in &expected.wavefront {
        let same = found.wavefront.iter().find(|other| (other.mode, &other.offsets) == (state.mode, &state.offsets));
        close("a wavefront", same.expect("the same wavefront").probability, state.probability);
    }
}

fn random_law(random: &mut SplitMix) -> Law {
    let weights: Vec<(u64, f64)> =
        (0..1 + random.below(3)).map(|_| (1 + random.below(8) as u64, random.uniform() + 0.01)).collect();
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
    Law::new(weights.into_iter().map(|(ticks, weight)| (ticks, weight / sum))).expect("a law")
}

fn random_model(random: &mut SplitMix) -> Model {
    let size = 2 + random.below(3);
    let count = 1 + random.below(2);
    let message = Law::constant(random.below(6) as u64);
    // Some processes are alike.
    let alike = random.below(2) == 0;
    let laws = (0..count).map(|_| {
        let mut update: Vec<Law> = (0..size).map(|_| random_law(random)).collect();
        if alike {
            update[size - 1] = update[size - 2].clone();
        }
        Laws::with_one_network(update, message.clone())
    });
    let modes = Modes {
        names: vec![String::from("mode"); count],
        laws: laws.collect(),
        transition: vec![vec![1.0 / count as f64; count]; count],
        start: vec![1.0 / count as f64; count],
    };
    let mut updates: Vec<(u32, u32)> =
        (0..size).map(|_| (1 + random.below(2) as u32, random.below(4) as u32)).collect();
    let mut start: Vec<i64> = (0..size).map(|_| random.below(9) as i64 - 4).collect();
    if alike {
        updates[size - 1] = updates[size - 2];
        start.fill(0);
    }
    start[0] = 0;
    let tie = if random.below(2) == 0 { Tie::Counts } else { Tie::Discards };
    let plain = cases::plain(1.0, 0.9, vec![Law::constant(1); size], Law::constant(0)).with_updates(&updates);
    Model { tie, start, modes, ..plain }
}

#[test]
fn what_is_a_constant_network() {
    assert_eq!(delay(&cases::constant_network(1)), Some(3));
    assert_eq!(delay(&cases::two_point()), None);
    let complete = |beta_updates| Model { semantics: Semantics::Complete, ..cases::constant_network(beta_updates) };
    assert_eq!((delay(&complete(1)), delay(&complete(0))), (None, Some(3)));
    let mut other = cases::constant_network(1);
    other.modes.laws[0].message[0][1] = Arc::new(Law::constant(4));
    assert_eq!(delay(&other), None);
}

#[test]
fn a_hundred_processes() {
    let law = Law::new([(4, 0.5), (5, 0.3), (8, 0.2)]).expect("a law");
    let alike = cases::plain(1.0, 0.9, vec![law; 100], Law::constant(4)).with_updates(&[(1, 1); 100]);
    let solved = |model: &Model, lump| {
        let options = SolveOptions { lump, ..SolveOptions::default() };
        solution(model, &options).expect("a constant network").expect("small enough")
    };
    let lumped = solved(&alike, true);
    // p*c + 1 states; process 1, the others and all together are what is solved.
    assert_eq!((lumped.states.reachable, lumped.states.bound), (Some(401), 401.0));
    assert_eq!(lumped.states.solved, Some(9));
    compare("lumped", &Solution { phase_pmf: Some(vec![]), ..lumped }, &{
        Solution { phase_pmf: Some(vec![]), ..solved(&alike, false) }
    });
}
