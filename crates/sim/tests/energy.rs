//! Energy, and random times, of whole programs: the same at every level of detail where their times are the same.

use runcast_sim::budget::Budget;
use runcast_sim::build::{Builder, Compute};
use runcast_sim::catalogue::Catalogue;
use runcast_sim::energy::{EnergyOptions, energy};
use runcast_sim::job::{Engine, Job};
use runcast_sim::noise::{Detour, Distribution, Noise, NoiseSpec, RunKey, Trace};
use runcast_sim::outcome::Blind;
use runcast_sim::system::{Changes, System, read};
use runcast_sim::tick::PICOSECOND;
use runcast_sim::world::{ModelOptions, SystemWorld};
use runcast_sim::{Application, Outcome, flow, label, loggops, plain};

/// Four machines of 60 W with two processors of 6 cores, idle 20 W, load 80 W.
fn system(more: &str) -> System {
    let text = format!(
        r#"format = "runcast-system/1"
        component = [
          {{ id = "cluster", kind = "group" }},
          {{ id = "node", kind = "machine", parent = "cluster", count = 4, set = {{ power_idle = "60W" }} }},
          {{ id = "cpu", kind = "cpu", parent = "node", count = 2, set = {{ cores = 6, flops_double = "6Gflop/s", power_idle = "20W", power_load = "80W"{more} }} }} ]
        [[network]]
        of = "cluster"
        set = {{ bandwidth = "10GB/s", latency = "1us" }}"#
    );
    let read = read(&text, "s.toml", Catalogue::builtin(), &Changes::default());
    read.unwrap_or_else(|problems| panic!("{problems:?}")).system
}

fn built(describe: impl FnOnce(&mut Builder)) -> Application {
    let mut builder = Builder::new("test");
    describe(&mut builder);
    builder.build().expect("a program without mistakes")
}

fn run(
    engine: Engine,
    system: &System,
    application: &Application,
    options: &ModelOptions,
    threads: usize,
) -> (Outcome, f64) {
    let mut application = application.clone();
    let world = SystemWorld::new(system, &application, &[], options).unwrap_or_else(|problems| panic!("{problems:?}"));
    let platform = system.platform(&[]).expect("a platform");
    let budget = Budget::default();
    let job = Job { tick: PICOSECOND, threads, ..Job::new(&platform, &world, &budget) };
    let outcome = engine(&job, &mut application, &mut Blind).expect("a program that ends");
    let end_s = PICOSECOND.to_seconds(outcome.end);
    let energy = energy(&world, &outcome, end_s, PICOSECOND, EnergyOptions::default()).expect("no rules");
    (outcome, energy.total_j.expect("known"))
}

const ENGINES: [(&str, Engine); 4] =
    [("label", label::engine), ("loggops", loggops::engine), ("plain", plain::engine), ("flow", flow::engine)];

fn seconds(ops: f64) -> Compute<'static> {
    Compute { ops: Some(ops * 1e9), ..Compute::default() }
}

#[test]
fn every_level_tells_the_same_energy_of_computing() {
    for (processes, machines) in [(1_u64, 1.0), (5, 1.0), (12, 1.0), (13, 2.0), (48, 4.0)] {
        let application = built(|app| app.label("a", processes, |process| process.compute(seconds(10.0))));
        // A second a Gop on one core: 10 s.
        let expected = machines * 100.0 * 10.0 + processes as f64 * 10.0 * 10.0;
        for (name, engine) in ENGINES {
            let (_, seen) = run(engine, &system(""), &application, &ModelOptions::default(), 1);
            assert!((seen / expected - 1.0).abs() < 1e-9, "{name} {processes}: {seen} {expected}");
        }
    }
}

#[test]
fn every_level_tells_the_same_energy_of_waiting() {
    // Twelve compute for 7 s, the others wait for them for 10 s: 3 s more by the last one.
    let application = built(|app| {
        app.label("boss", 1, |process| {
            process.compute(seconds(10.0));
            process.scatter_send(&["slave"], 8);
        });
        app.label("slave", 11, |process| {
            process.compute(seconds(7.0));
            process.scatter_recv("boss");
        });
    });
    for (more, activity) in [("", 0.0), (", wait_activity = 1", 1.0), (", wait_activity = 0.5", 0.5)] {
        // 10 W a busy core.
        let expected = 100.0 * 10.0 + 10.0 * (10.0 + 11.0 * 7.0 + activity * 11.0 * 3.0);
        for (name, engine) in ENGINES {
            let (_, seen) = run(engine, &system(more), &application, &ModelOptions::default(), 1);
            assert!((seen / expected - 1.0).abs() < 1e-4, "{name} {activity}: {seen} {expected}");
        }
    }
}

#[test]
fn more_processes_than_cores_take_all_of_them() {
    // 60 processes on 48 cores, 15 a machine: 8 or 7 a processor.
    let application = built(|app| app.label("a", 60, |process| process.compute(seconds(6.0))));
    for (name, engine) in ENGINES {
        let (outcome, _) = run(engine, &system(""), &application, &ModelOptions::default(), 1);
        let end = PICOSECOND.to_seconds(outcome.end);
        assert!((end - 8.0).abs() < 1e-9, "{name}: {end}");
    }
}

fn noise() -> NoiseSpec {
    let exponential = Distribution::exponential(0.01).expect("a law");
    NoiseSpec {
        run: Some(exponential.clone()),
        node: Some(exponential.clone()),
        block: Some(exponential),
        detour: Some(Detour { rate_per_s: 1.0, mean_s: 0.01 }),
        ..NoiseSpec::default()
    }
}

#[test]
fn noise_is_the_same_at_every_level_and_on_any_number_of_threads() {
    let application = built(|app| {
        app.label("a", 48, |process| {
            for _ in 0..5 {
                process.compute(seconds(1.0));
            }
        });
    });
    let options = |repetition| ModelOptions {
        noise: Some(noise()),
        key: RunKey { seed: 3, configuration: 4, repetition },
        ..ModelOptions::default()
    };
    let of =
        |engine, repetition, threads| run(engine, &system(""), &application, &options(repetition), threads).0.finish;
    let first = of(plain::engine, 0, 1);
    for (name, engine) in &ENGINES[1..] {
        assert_eq!(of(*engine, 0, 1), first, "{name}");
        assert_eq!(of(*engine, 0, 2), first, "{name} on two threads");
    }
    assert_ne!(of(loggops::engine, 1, 1), first);
    let distinct: std::collections::BTreeSet<u64> = first.iter().copied().collect();
    assert_eq!(distinct.len(), 48);
}

#[test]
fn traces_of_interruptions_are_sat_through_at_every_level() {
    let application = built(|app| {
        app.label("a", 12, |process| {
            for _ in 0..7 {
                process.compute(seconds(1.5));
            }
        });
    });
    // In 10 s, from 2 to 3 and from 8 to 10.
    let trace = Trace::parse("2e9 1e9\n8e9 2e9", "noise.txt").expect("a trace");
    let spec = NoiseSpec { trace: Some(trace.into()), ..NoiseSpec::default() };
    let key = RunKey { seed: 1, configuration: 0, repetition: 0 };
    let noise = Noise::new(spec.clone(), key);
    let options = ModelOptions { noise: Some(spec), key, ..ModelOptions::default() };
    let end = |process| (0..7).fold(0.0, |now, _| now + noise.interrupted(now, 1.5, process));
    // 10.5 s of computing, 7 s free in 10: two more times through what interrupts.
    assert!((0..12).all(|process| (13.5..=17.5).contains(&end(process))));
    for (name, engine) in &ENGINES[1..] {
        let (outcome, _) = run(*engine, &system(""), &application, &options, 1);
        for (process, finish) in outcome.finish.iter().enumerate() {
            let expected = end(process as u64);
            assert!((PICOSECOND.to_seconds(*finish) - expected).abs() < 1e-9, "{name} {process} {expected}");
        }
    }
}
