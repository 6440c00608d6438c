//! Both engines and their intervals against reference values that are not ours (testdata/wavefront/golden.json).

use super::{Beginning, EngineKind, MonteCarloOptions, Simulated, simulate};
use crate::model::{Laws, Modes, Semantics, Tie};
use crate::{Law, Model, cases};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

struct Golden {
    name: String,
    model: Model,
    expected: Value,
}

fn golden() -> Vec<Golden> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/wavefront/golden.json");
    let text = std::fs::read_to_string(path).expect("the golden cases");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let case = |case: &Value| Golden {
        name: case["name"].as_str().expect("a name").to_owned(),
        model: model(&case["input"]),
        expected: case["expected"].clone(),
    };
    value["cases"].as_array().expect("cases").iter().map(case).collect()
}

fn law(value: &Value) -> Law {
    let Some(ticks) = value.as_object() else { return Law::constant(0) };
    Law::new(ticks.iter().map(|(ticks, share)| (ticks.parse().expect("ticks"), share.as_f64().expect("a share"))))
        .expect("a law")
}

fn model(input: &Value) -> Model {
    let laws = |value: &Value| value.as_array().expect("a list").iter().map(|one| Arc::new(law(one))).collect();
    let counts =
        |name: &str| input[name].as_array().expect("a list").iter().map(|one| one.as_u64().expect("a count") as u32);
    let updates: Vec<(u32, u32)> = counts("A").zip(counts("B")).collect();
    let message = input["msg"].as_array().expect("a list").iter().map(laws).collect();
    let mut model = cases::plain(
        input["step"].as_f64().expect("a step"),
        input["rho"].as_f64().expect("a number"),
        vec![Law::constant(1); updates.len()],
        Law::constant(0),
    )
    .with_updates(&updates);
    model.modes = Modes::single(Laws { update: laws(&input["update"]), message });
    if input["semantics"] == "complete" {
        model.semantics = Semantics::Complete;
    }
    if let Some(start) = input["x0"].as_array() {
        model.start = start.iter().map(|offset| offset.as_i64().expect("ticks")).collect();
    }
    model
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn played(model: &Model, engine: EngineKind, phases: u64, seed: u64) -> Simulated {
    let options = MonteCarloOptions { phases, engine, phase_pmf: true, ..MonteCarloOptions::new(seed) };
    simulate(model, &options).expect("nobody stops it")
}

#[test]
fn both_engines_agree_with_the_golden_cases() {
    for case in golden() {
        for engine in [EngineKind::Recursion, EngineKind::Events] {
            let (name, step) = (format!("{} by {engine:?}", case.name), case.model.step_s);
            let simulated = played(&case.model, engine, 100_000, 1);
            let solution = &simulated.solution;
            // Standard errors from the exact asymptotic variances.
            let error = |field: &str| (number(&case.expected["asym"][field]).max(0.0) / 1e5).sqrt() + 1e-12;
            let off = solution.phase.phase_mean * step - number(&case.expected["E_phi"]);
            assert!(off.abs() < 4.0 * error("var_phi"), "{name}: E[Phi] off by {off}");
            let off = solution.phase.iterations_mean - number(&case.expected["E_N"]);
            assert!(off.abs() < 4.0 * error("var_N"), "{name}: E[N] off by {off}");
            let close = |field: &str, seen: f64, relative: f64| {
                let expected = number(&case.expected[field]);
                assert!((seen - expected).abs() <= relative * expected, "{name}: {field} {seen} instead of {expected}");
            };
            close("var_phi", solution.phase.phase_var * step * step, 0.03);
            close("var_N", solution.phase.iterations_var, 0.03);
            close("cov_N_phi", solution.phase.cov * step, 0.1);
            let asymptotic = solution.asymptotic.expect("one class");
            let expected = number(&case.expected["asym"]["var_phi"]);
            let seen = asymptotic.phase_var * step * step;
            assert!((seen - expected).abs() <= 0.15 * expected, "{name}: {seen} instead of {expected}");
            for (process, mean) in case.expected["E_N_per_proc"].as_array().expect("a list").iter().enumerate() {
                let seen = solution.updates_mean[process];
                assert!((seen - number(mean)).abs() < 0.01, "{name}: process {process} makes {seen}");
            }
            let pi = case.expected["pi"].as_object().expect("wavefronts");
            let mut sum = 0.0;
            for wavefront in &solution.wavefront {
                let key: Vec<String> = wavefront.offsets.iter().map(i64::to_string).collect();
                let expected = number(pi.get(&key.join(",")).expect("a wavefront of the chain"));
                assert!((wavefront.probability - expected).abs() < 0.004, "{name}: {key:?} {}", wavefront.probability);
                sum += expected;
            }
            assert!((sum - 1.0).abs() < 1e-9, "{name}: every wavefront was seen");
            let laws = [("pmf_N", Some(&solution.iterations_pmf)), ("pmf_phi_ticks", solution.phase_pmf.as_ref())];
            for (field, seen) in laws.into_iter().filter_map(|(field, seen)| Some((field, seen?))) {
                for (value, probability) in seen {
                    let expected = number(&case.expected[field][value.to_string()]);
                    assert!((probability - expected).abs() < 0.008, "{name}: {field} {value}: {probability}");
                }
            }
        }
    }
}

#[test]
fn intervals_hold_as_often_as_they_say() {
    // 300 intervals of 95 %: fewer than 270 hold with a probability of 5e-4.
    let seeds = 300;
    let mut phase = 0;
    let mut held = [0; 4];
    for case in golden().iter().filter(|case| ["p2-two-point", "p3-const-net-async1"].contains(&case.name.as_str())) {
        let step = case.model.step_s;
        let fields = ["E_phi", "E_N", "var_phi", "cov_N_phi"];
        let exact = fields.map(|field| number(&case.expected[field]));
        for seed in 0..seeds / 2 {
            let solution = played(&case.model, EngineKind::Recursion, 20_000, seed).solution;
            let half = solution.half_widths.expect("several replications").phase;
            let seen = solution.phase;
            let pairs = [
                (seen.phase_mean * step, half.phase_mean * step),
                (seen.iterations_mean, half.iterations_mean),
                (seen.phase_var * step * step, half.phase_var * step * step),
                (seen.cov * step, half.cov * step),
            ];
            for (held, ((seen, half), exact)) in held.iter_mut().zip(pairs.into_iter().zip(exact)) {
                *held += u32::from((seen - exact).abs() <= half + 1e-9);
            }
            phase += 1;
        }
    }
    assert_eq!(phase, seeds);
    assert!(held.iter().all(|held| *held >= 270), "{held:?} of {seeds}");
}

#[test]
fn threads_change_nothing() {
    let mut model = cases::homogeneous(4, 1, 3).with_updates(&[(1, 2); 4]);
    model.modes = with_busy(&model);
    let options = MonteCarloOptions { phases: 4000, phase_pmf: true, ..MonteCarloOptions::new(7) };
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
    let one = alone.install(|| simulate(&model, &options));
    assert_eq!(one, three.install(|| simulate(&model, &options)));
    assert!(one != simulate(&model, &MonteCarloOptions { seed: 8, ..options }));
}

/// A second mode in which process 1 takes three times as long.
fn with_busy(model: &Model) -> Modes {
    let calm = model.modes.laws[0].clone();
    let mut busy = calm.clone();
    busy.update[0] = Arc::new(calm.update[0].convolved(3));
    Modes {
        names: vec!["calm".to_owned(), "busy".to_owned()],
        transition: vec![vec![0.99, 0.01], vec![0.03, 0.97]],
        start: vec![1.0, 0.0],
        laws: vec![calm, busy],
    }
}

/// p = 2, messages 0, U = 2 s on both; busy: process 1 takes 6 s.
fn bursts() -> Model {
    let mut model = cases::plain(1.0, 0.9, vec![Law::constant(2); 2], Law::constant(0));
    model.modes = with_busy(&model);
    model
}

#[test]
fn bursts_spread_a_sum_beyond_its_phases() {
    // Closed form: mean 3, variance 3, asymptotic 147.
    let simulated = played(&bursts(), EngineKind::Recursion, 2_000_000, 0);
    let (solution, asymptotic) = (&simulated.solution, simulated.solution.asymptotic.expect("one class"));
    let half = solution.half_widths.as_ref().expect("several replications");
    assert!((solution.phase.phase_mean - 3.0).abs() < 4.0 * (147.0_f64 / 2e6).sqrt());
    assert!((solution.phase.phase_var - 3.0).abs() < 0.1);
    assert!((asymptotic.phase_var - 147.0).abs() < 2.0 * half.asymptotic.phase_var, "{asymptotic:?} {half:?}");
    assert!(half.asymptotic.phase_var < 25.0, "{half:?}");
    assert!(!simulated.is_short);
}

#[test]
fn modes_that_last_longer_than_replications_are_told() {
    let mut model = bursts();
    model.modes.transition = vec![vec![1.0 - 1e-7, 1e-7], vec![1e-7, 1.0 - 1e-7]];
    let simulated = played(&model, EngineKind::Recursion, 100_000, 0);
    // Replications begin in both modes, half of them in each: the mean is 4 nevertheless, its interval is wide.
    assert!((simulated.solution.phase.phase_mean - 4.0).abs() < 0.2);
    assert!(simulated.solution.half_widths.expect("several").phase.phase_mean > 0.5);
    assert!(simulated.is_short);
}

#[test]
fn modes_that_are_left_for_good_are_weighed() {
    // Weights 0.75 and 0.25, means 6 and 2: 5.
    let mut model = bursts();
    let (calm, busy) = (model.modes.laws[0].clone(), model.modes.laws[1].clone());
    model.modes = Modes {
        names: ["first", "calm", "busy"].map(str::to_owned).to_vec(),
        transition: vec![vec![0.0, 0.25, 0.75], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]],
        start: vec![1.0, 0.0, 0.0],
        laws: vec![calm.clone(), calm, busy],
    };
    let solution = played(&model, EngineKind::Events, 40_000, 0).solution;
    assert!((solution.phase.phase_mean - 5.0).abs() < 1e-12);
    assert_eq!(solution.asymptotic, None);
}

#[test]
fn a_hundred_processes_and_more_states_than_memory_holds() {
    let model = cases::homogeneous(100, 1, 50).with_updates(&[(2, 1); 100]);
    let options = MonteCarloOptions { phases: 2000, replications: 4, ..MonteCarloOptions::new(0) };
    let options = MonteCarloOptions { memory_bytes: 100_000, ..options };
    let simulated = simulate(&model, &options).expect("nobody stops it");
    assert!(simulated.dropped > 1000 && simulated.solution.wavefront.len() < 120);
    let phase = simulated.solution.phase;
    // Two updates of 4 to 8, and among this many messages the longest ones.
    assert!(phase.phase_mean > 58.0 && phase.phase_mean < 66.0, "{phase:?}");
    assert_eq!((simulated.phases, simulated.replications), (2000, 4));
}

#[test]
fn both_engines_agree_where_everything_is_different() {
    let update = [vec![(2, 0.5), (7, 0.5)], vec![(3, 0.9), (11, 0.1)], vec![(1, 0.3), (4, 0.7)], vec![(5, 1.0)]];
    let update = update.map(|pairs| Law::new(pairs).expect("a law")).to_vec();
    let mut model = cases::plain(1.0, 0.9, update, Law::constant(2)).with_updates(&[(1, 3), (2, 0), (3, 7), (1, 1)]);
    for (from, row) in model.modes.laws[0].message.iter_mut().enumerate() {
        for (to, law) in row.iter_mut().enumerate() {
            let least = (3 * from + 5 * to) as u64 % 7;
            *law = Arc::new(Law::new([(least, 0.25), (least + 4, 0.75)]).expect("a law"));
        }
    }
    model.modes = with_busy(&model);
    for (semantics, tie) in
        [(Semantics::Abort, Tie::Counts), (Semantics::Abort, Tie::Discards), (Semantics::Complete, Tie::Counts)]
    {
        (model.semantics, model.tie) = (semantics, tie);
        let one = played(&model, EngineKind::Recursion, 400_000, 1).solution;
        let two = played(&model, EngineKind::Events, 100_000, 2).solution;
        let (half_one, half_two) = (one.half_widths.expect("intervals"), two.half_widths.expect("intervals"));
        let parts: [fn(&crate::solve::solution::Moments) -> f64; 5] = [
            |moments| moments.phase_mean,
            |moments| moments.phase_var,
            |moments| moments.iterations_mean,
            |moments| moments.iterations_var,
            |moments| moments.cov,
        ];
        for (number, part) in parts.iter().enumerate() {
            let half = part(&half_one.phase).hypot(part(&half_two.phase));
            let off = part(&one.phase) - part(&two.phase);
            assert!(off.abs() < 2.0 * half, "{semantics:?}, {tie:?}: moment {number} off by {off}, {half}");
        }
        if let (Some(one), Some(two)) = (one.ties, two.ties) {
            let half = 2.0 * half_one.phase.iterations_mean.hypot(half_two.phase.iterations_mean);
            assert!((one.counts - two.counts).abs() < half && (one.discards - two.discards).abs() < half);
            assert!(one.counts > one.discards);
        }
        for (process, (one, two)) in one.updates_mean.iter().zip(&two.updates_mean).enumerate() {
            let half = half_one.updates_mean[process].hypot(half_two.updates_mean[process]);
            assert!((one - two).abs() <= 2.0 * half + 1e-12, "{semantics:?}: {process}: {one} and {two}");
        }
    }
}

#[test]
fn runs_from_the_start_keep_their_times() {
    // Phi = 1 + 2 Bernoulli(3/4): 62 phases take 155 on average, with a deviation of 6.819.
    let options = MonteCarloOptions {
        phases: 62 * 4000,
        replications: 4000,
        beginning: Beginning::Start,
        ..MonteCarloOptions::new(0)
    };
    let simulated = simulate(&cases::barrier(), &options).expect("nobody stops it");
    assert_eq!((simulated.totals.len(), simulated.warm_up), (4000, 0));
    let mean = simulated.totals.iter().sum::<u64>() as f64 / 4000.0;
    assert!((mean - 155.0).abs() < 4.0 * 6.819 / 4000.0_f64.sqrt());
    // One run has an interval too, from its parts.
    let options = MonteCarloOptions { phases: 10_000, replications: 1, ..options };
    let simulated = simulate(&cases::barrier(), &options).expect("nobody stops it");
    let half = simulated.solution.half_widths.expect("an interval").phase.phase_mean;
    assert!((half / (2.04 * 0.866 / 100.0) - 1.0).abs() < 0.5, "{half}");
}

#[test]
fn what_is_stopped_ends() {
    let stopped = Some(Arc::new(AtomicBool::new(true)));
    let options = MonteCarloOptions { interrupt: stopped, ..MonteCarloOptions::new(0) };
    assert_eq!(simulate(&cases::barrier(), &options), None);
}

#[test]
fn what_was_played_before_a_stop_counts() {
    let interrupt = Arc::new(AtomicBool::new(false));
    let (stop, played) = (Arc::clone(&interrupt), AtomicU64::new(0));
    let progress = move |phases| {
        if played.fetch_add(phases, Ordering::Relaxed) + phases > 50_000 {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options = MonteCarloOptions {
        interrupt: Some(interrupt),
        progress: Some(Arc::new(progress)),
        ..MonteCarloOptions::new(0)
    };
    let simulated = simulate(&cases::barrier(), &options).expect("something was played");
    assert!(simulated.is_interrupted && simulated.phases > 20_000 && simulated.phases < 1_000_000);
    assert!((simulated.solution.phase.phase_mean - 2.5).abs() < 0.05);
}

#[test]
fn without_chance_there_are_no_intervals_to_speak_of() {
    for start in [[0, 0], [0, 1]] {
        let mut model = cases::periodic();
        model.start = start.to_vec();
        let simulated = played(&model, EngineKind::Events, 100_000, 0);
        let phase = simulated.solution.phase;
        // From (0, 1) phases take 6 and 4 in turn on process 1.
        assert_eq!((phase.phase_mean, simulated.errors), (5.0, Some((0.0, 0.0))));
        assert_eq!(phase.phase_var, if start[1] == 0 { 0.0 } else { 1.0 });
        assert_eq!(simulated.solution.asymptotic.expect("one class").phase_var, 0.0);
    }
}

#[test]
fn long_waits_of_many_updates_shorten_the_simulation() {
    // 1,000 updates fit into the longest message: about 2,000 random numbers a phase, where 2 would be without them.
    let model = cases::plain(1.0, 0.9, vec![Law::constant(1); 2], Law::new([(1, 0.5), (1_000, 0.5)]).expect("a law"));
    let phases = |beta| {
        let model = model.clone().with_updates(&[(1, beta); 2]);
        MonteCarloOptions::new(0).within_seconds(&model, 2.0).phases as f64
    };
    let ratio = phases(0) / phases(5_000);
    assert!((200.0..300.0).contains(&ratio), "{ratio}");
}
