//! The NAS kernels against their published counts: operations, and what an inner process sends.

#![cfg(feature = "luau")]

use runcast_core::Problem;
use runcast_sim::application::{Application, Collective, CollectiveKind, Op, templates};
use runcast_sim::experiment::{self, Value};
use runcast_sim::run::{self, Inputs, RunControl, Settings, Variation};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn prepared(name: &str, class: &str, p: f64) -> Result<run::Prepared, runcast_core::Problems> {
    let template = templates::find(name).expect("a template");
    let experiment = experiment::read(template.experiment, "experiment.toml").expect("reads");
    let mut read = |path: &Path| -> Result<String, Problem> {
        Ok(if path == Path::new("system.toml") { template.system } else { template.app }.to_owned())
    };
    let inputs = Arc::new(Inputs::read(experiment, Settings::default(), &mut read).expect("complete"));
    let mut variation = Variation::default();
    variation.set("class", Value::Text(class.to_owned())).expect("a text");
    variation.set("p", Value::Number(p)).expect("a number");
    run::prepare(&inputs, &variation)
}

/// What a process does: operations of its blocks, messages and bytes sent, collectives.
#[derive(Debug, Default)]
struct Sent {
    ops: f64,
    messages: f64,
    bytes: f64,
    collectives: Vec<(CollectiveKind, u64, f64)>,
}

fn sent(application: &Application, rank: u64) -> Sent {
    let mut sent = Sent::default();
    let program = application.program_of(rank).expect("recorded");
    application.programs[program as usize].each(|op, times| match *op {
        Op::Compute(block) => sent.ops += times * application.blocks[block as usize].ops,
        Op::Send { size, .. } | Op::Isend { size, .. } => {
            sent.messages += times;
            sent.bytes += times * size as f64;
        }
        Op::Collective(number) => {
            let Collective { kind, size, .. } = application.collectives[number as usize];
            sent.collectives.push((kind, size, times));
        }
        _ => {}
    });
    sent
}

/// Operations of all processes: what the programs divide by their time.
#[test]
fn operations_are_those_that_the_programs_count() {
    let published = [
        ("nas-ep", 5.368709e8, 8.589935e9),
        ("nas-cg", 1.496460e9, 1.433475e11),
        ("nas-ft", 7.136444e9, 3.963882e11),
        ("nas-mg", 3.892314e9, 1.556926e11),
        ("nas-is", 8.388608e7, 1.342177e9),
        ("nas-lu", 1.192968e11, 2.038997e12),
        ("nas-bt", 1.682845e11, 2.866280e12),
        ("nas-sp", 8.500997e10, 1.450101e12),
    ];
    for (name, a, c) in published {
        for (class, expected) in [("A", a), ("C", c)] {
            for p in [1_u64, 16] {
                let prepared = prepared(name, class, p as f64).expect(name);
                let application = &prepared.recorded.application;
                let seen: f64 = (0..p).map(|rank| sent(application, rank).ops).sum();
                assert!((seen / expected - 1.0).abs() < 5e-7, "{name} {class} on {p}: {seen}, expected {expected}");
            }
        }
    }
}

/// Messages and bytes of an inner process, class A.
#[test]
fn messages_are_those_of_the_programs() {
    // Of CG rank 1: it is not its own transposed one.
    let published = [
        ("nas-cg", 4, 1, 1575.0, 43_686_480.0),
        ("nas-cg", 16, 1, 2760.0, 32_772_960.0),
        ("nas-mg", 8, 0, 558.0, 13_680_576.0),
        ("nas-lu", 16, 5, 63_000.0, 121_600_000.0),
        ("nas-bt", 16, 5, 4800.0, 219_384_000.0),
        ("nas-sp", 16, 5, 9600.0, 383_385_600.0),
    ];
    for (name, p, rank, messages, bytes) in published {
        let prepared = prepared(name, "A", f64::from(p)).expect(name);
        let seen = sent(&prepared.recorded.application, rank);
        assert_eq!((seen.messages, seen.bytes), (messages, bytes), "{name} on {p}");
    }
    let prepared = prepared("nas-ft", "A", 16.0).expect("nas-ft");
    let seen = sent(&prepared.recorded.application, 3);
    let alltoalls = seen.collectives.iter().filter(|(kind, ..)| *kind == CollectiveKind::Alltoall);
    let (count, bytes) =
        alltoalls.fold((0.0, 0.0), |(count, bytes), (_, size, times)| (count + times, bytes + times * *size as f64));
    // A process keeps a sixteenth of its data.
    assert_eq!((count, bytes * 15.0 / 16.0), (7.0, 55_050_240.0));
}

#[test]
fn they_run_in_every_class_and_refuse_what_they_cannot() {
    let kernels = ["ep", "cg", "ft", "mg", "is", "lu", "bt", "sp"];
    for kernel in kernels {
        let name = format!("nas-{kernel}");
        for (class, p) in [("S", 1.0), ("S", 4.0), ("W", 16.0)] {
            let prepared =
                prepared(&name, class, p).unwrap_or_else(|problems| panic!("{name} {class} {p}: {problems}"));
            let result = run::simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).expect("runs").result;
            assert!(result.time_s > 0.0 && result.time_s.is_finite(), "{name} {class} {p}");
        }
        assert!(prepared(&name, "Q", 4.0).is_err(), "{name}: there is no class Q");
        assert!(kernel == "ep" || prepared(&name, "S", 0.0).is_err(), "{name}: on no process");
        if kernel != "ep" {
            assert!(prepared(&name, "A", 6.0).is_err(), "{name}: 6 is neither a square nor a power of two");
        }
    }
}
