//! Hundreds of random small models, against the slow way.

use super::dense::{Answer, answer};
use super::{close, solved};
use crate::model::{Laws, Modes, Semantics, Tie};
use crate::{Law, Model, Solution, cases};
use proptest::prelude::*;
use runcast_core::random::SplitMix;
use std::sync::Arc;

/// Models that are drawn; a few have too many ways.
const SEEDS: u64 = 700;

/// Draws that a phase of the slow way may have.
const MOST_WAYS: f64 = 3e3;

#[test]
fn random_models_agree_with_every_way_of_a_phase() {
    let (mut compared, mut periodic, mut reducible, mut complete, mut four, mut lumped) = (0, 0, 0, 0, 0, 0);
    for seed in 0..SEEDS {
        let model = random_model(&mut SplitMix::new(seed, 0));
        if ways(&model) > MOST_WAYS {
            continue;
        }
        let found = solved(&model);
        if found.states.reachable.is_none_or(|states| states > 60) {
            continue;
        }
        compare(&format!("seed {seed}"), &found, &answer(&model));
        compared += 1;
        periodic += usize::from(found.states.period != Some(1));
        reducible += usize::from(found.classes.len() > 1);
        complete += usize::from(model.semantics == Semantics::Complete);
        four += usize::from(model.size() == 4);
        lumped += usize::from(found.states.solved < found.states.reachable);
    }
    println!(
        "{compared} compared: {periodic} periodic, {reducible} reducible, {complete} complete, {four} of four, {lumped} lumped"
    );
    assert!(compared > 300, "only {compared} models were compared");
    assert!(periodic > 20 && reducible > 20 && complete > 100 && four > 30 && lumped > 20);
}

fn compare(what: &str, found: &Solution, expected: &Answer) {
    assert_eq!(found.states.reachable, Some(expected.states as u64), "{what}: states");
    assert_eq!(found.classes.len(), expected.classes.len(), "{what}: classes");
    for (found, expected) in found.classes.iter().zip(&expected.classes) {
        close(&format!("{what}: weight"), found.weight, expected.0);
    }
    // Classes of equal weight come in any order.
    let mut left: Vec<_> = expected.classes.iter().collect();
    for class in &found.classes {
        let same = left.iter().position(|(weight, states, period, phase, iterations)| {
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            (class.states, class.period) == (*states as u64, *period)
                && near(class.weight, *weight)
                && near(class.phase_mean, *phase)
                && near(class.iterations_mean, *iterations)
        });
        left.remove(same.unwrap_or_else(|| panic!("{what}: {class:?} is not among {left:?}")));
    }
    let phase = &found.phase;
    let moments = [phase.phase_mean, phase.phase_var, phase.iterations_mean, phase.iterations_var, phase.cov];
    for (name, (found, expected)) in
        ["E Phi", "Var Phi", "E N", "Var N", "Cov"].iter().zip(moments.iter().zip(expected.phase))
    {
        // The slow way subtracts: where N is constant, it may find a covariance of 1e-12.
        if (found - expected).abs() > 1e-11 {
            close(&format!("{what}: {name}"), *found, expected);
        }
    }
    assert_eq!(found.asymptotic.is_some(), expected.asymptotic.is_some(), "{what}: asymptotic");
    if let (Some(found), Some(expected)) = (&found.asymptotic, &expected.asymptotic) {
        // What is a difference of numbers of another size is compared at that size.
        let size = 1.0 + phase.phase_var + phase.iterations_var;
        for (found, expected) in [found.phase_var, found.iterations_var, found.cov].iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-9 * expected.abs() + 1e-11 * size, "{what}: {found} not {expected}");
        }
    }
    let extremes = (found.iterations_min as i64, found.iterations_max as i64);
    assert_eq!(extremes, expected.extremes, "{what}: extremes");
    for (found, expected) in found.updates_mean.iter().zip(&expected.updates_mean) {
        close(&format!("{what}: updates"), *found, *expected);
    }
    assert_eq!(found.iterations_pmf.len(), expected.iterations_pmf.len(), "{what}: law of N");
    for (iterations, probability) in &found.iterations_pmf {
        close(&format!("{what}: N = {iterations}"), *probability, expected.iterations_pmf[&(*iterations as i64)]);
    }
    let pmf = found.phase_pmf.as_ref().expect("it was asked for");
    assert_eq!(pmf.len(), expected.phase_pmf.len(), "{what}: law of Phi");
    for (ticks, probability) in pmf {
        close(&format!("{what}: Phi = {ticks}"), *probability, expected.phase_pmf[&(*ticks as i64)]);
    }
    assert_eq!(found.wavefront.len(), expected.wavefront.len(), "{what}: wavefront");
    for state in &found.wavefront {
        let expected = expected.wavefront[&(state.mode, state.offsets.clone())];
        close(&format!("{what}: {state:?}"), state.probability, expected);
    }
}

fn chance(random: &mut SplitMix, share: f64) -> bool {
    random.uniform() < share
}

/// Up to two values, one of them more often where there are many processes.
fn random_law(random: &mut SplitMix, least: u64, width: usize, one: f64) -> Law {
    let first = least + random.below(width) as u64;
    if chance(random, one) {
        return Law::constant(first);
    }
    let probability = random.uniform().clamp(0.01, 0.99);
    Law::new([(first, probability), (least + random.below(width) as u64, 1.0 - probability)]).expect("a law")
}

fn random_model(random: &mut SplitMix) -> Model {
    let size = 1 + random.below(4);
    // All processes are alike.
    let equal = chance(random, 0.25);
    let count = if chance(random, 0.35) { 2 + random.below(2) } else { 1 };
    let laws = (0..count).map(|_| random_laws(random, size, equal)).collect();
    let mut updates: Vec<(u32, u32)> =
        (0..size).map(|_| (1 + random.below(2) as u32, random.below(4) as u32)).collect();
    if equal {
        let first = updates[0];
        updates.fill(first);
    }
    let plain = cases::plain(1.0, 0.9, vec![Law::constant(1); size], Law::constant(0)).with_updates(&updates);
    let far = if chance(random, 0.3) { 12 } else { 2 };
    let mut start: Vec<i64> = (0..size).map(|_| random.below(2 * far + 1) as i64 - far as i64).collect();
    start[0] = 0;
    if equal {
        start.fill(0);
    }
    Model {
        semantics: if chance(random, 0.5) { Semantics::Complete } else { Semantics::Abort },
        tie: if chance(random, 0.5) { Tie::Discards } else { Tie::Counts },
        start,
        modes: Modes {
            names: vec![String::from("mode"); count],
            transition: random_transition(random, count),
            start: random_row(random, count),
            laws,
        },
        ..plain
    }
}

/// At times all modes but the first are never left.
fn random_transition(random: &mut SplitMix, count: usize) -> Vec<Vec<f64>> {
    let stays = chance(random, 0.4);
    let own = |mode: usize| (0..count).map(|place| f64::from(u8::from(place == mode))).collect();
    (0..count).map(|mode| if stays && mode > 0 { own(mode) } else { random_row(random, count) }).collect()
}

/// Often with zeros, so that classes and periods come about.
fn random_row(random: &mut SplitMix, count: usize) -> Vec<f64> {
    let only = random.below(count);
    if chance(random, 0.5) {
        return (0..count).map(|place| f64::from(u8::from(place == only))).collect();
    }
    let weights: Vec<f64> = (0..count).map(|_| random.uniform() + 0.01).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

fn random_laws(random: &mut SplitMix, size: usize, equal: bool) -> Laws {
    let constant = chance(random, 0.25);
    let one = if constant { 1.0 } else { [0.0, 0.3, 0.55, 0.8][size - 1] };
    let longest = 1 + random.below(6);
    if equal {
        let (update, message) = (random_law(random, 1, 6, one), random_law(random, 0, longest, one));
        return Laws::with_one_network(vec![update; size], message);
    }
    let update = (0..size).map(|_| Arc::new(random_law(random, 1, 6, one))).collect();
    let mut row = |from: usize| -> Vec<Arc<Law>> {
        let law = |to: usize| if from == to { Law::constant(0) } else { random_law(random, 0, longest, one) };
        (0..size).map(law).map(Arc::new).collect()
    };
    Laws { update, message: (0..size).map(&mut row).collect() }
}

/// Ways of a phase, in the mode that has most.
fn ways(model: &Model) -> f64 {
    let of = |laws: &Laws| -> f64 {
        let updates = model.processes.iter().zip(&laws.update);
        let updates: f64 = updates
            .map(|(process, law)| {
                (law.support().len() as f64).powf(f64::from(process.alpha_updates + process.beta_updates))
            })
            .product();
        updates * laws.message.iter().flatten().map(|law| law.support().len() as f64).product::<f64>()
    };
    model.modes.laws.iter().map(of).fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn what_the_theory_promises(seed in 0_u64..1_000_000) {
        let mut random = SplitMix::new(seed, 1);
        let model = Model { semantics: Semantics::Abort, ..random_model(&mut random) };
        let chain = super::Chain::build(&model, &super::Limits::default()).expect("a small chain");
        for state in 0..chain.states.len() {
            let sum: f64 = chain.departures(state).iter().map(|departure| departure.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
        }
        for meeting in 0..chain.meetings.len() {
            let sum: f64 = chain.arrivals(meeting).iter().map(|arrival| arrival.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
        }
        let sum: f64 = chain.stationary().iter().sum();
        prop_assert!((sum - 1.0).abs() < 1e-12);
        // E[Phi] depends on neither B nor the tie.
        let mean = chain.solution(&Default::default()).phase.phase_mean;
        let other: Vec<(u32, u32)> =
            model.processes.iter().map(|process| (process.alpha_updates, random.below(4) as u32)).collect();
        let other = Model { tie: Tie::Discards, ..model.with_updates(&other) };
        prop_assert!((solved(&other).phase.phase_mean - mean).abs() < 1e-9 * mean);
        // Whoever is called process 1 measures the same E[Phi].
        prop_assert!((solved(&turned(&model)).phase.phase_mean - mean).abs() < 1e-9 * mean);
    }
}

/// The last process becomes process 1.
fn turned(model: &Model) -> Model {
    let (size, mut turned) = (model.size(), model.clone());
    turned.processes.rotate_right(1);
    turned.start.rotate_right(1);
    let first = turned.start[0];
    turned.start.iter_mut().for_each(|offset| *offset -= first);
    for laws in &mut turned.modes.laws {
        laws.update.rotate_right(1);
        laws.message.rotate_right(1);
        for row in &mut laws.message {
            row.rotate_right(1);
        }
    }
    assert_eq!(turned.size(), size);
    turned
}
