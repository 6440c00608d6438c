//! Any text as an application script: an application that holds together, or problems with their place; its live processes
//! end, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runcast_sim::application::{Application, Op, Programs};
use runcast_sim::job::Feedback;
use runcast_sim::script::{Limits, record};
use std::collections::BTreeMap;

/// Little, so that many texts are tried.
fn limits() -> Limits {
    Limits { steps: 200_000, memory_bytes: 16 << 20, seconds: 5.0, seed: 1, ..Limits::default() }
}

/// All numbers of an operation are those of something that is there.
fn holds(application: &Application, op: &Op, at: usize, length: usize) -> bool {
    let labels = application.labels.len() as u32;
    match *op {
        Op::Repeat { len, .. } => at + 1 + len as usize <= length,
        Op::Compute(block) => (block as usize) < application.blocks.len(),
        Op::Collective(call) | Op::Icollective { collective: call, .. } => {
            (call as usize) < application.collectives.len()
        }
        Op::Farm(farm) | Op::FarmWorker(farm) => (farm as usize) < application.farms.len(),
        Op::Phase(phase) => (phase as usize) < application.phases.len(),
        Op::P2pSend { label, .. } | Op::P2pRecv { label } | Op::ScatterSend { label, .. } => label < labels,
        Op::Sleep(bits) => f64::from_bits(bits) >= 0.0,
        _ => true,
    }
}

fuzz_target!(|text: &str| {
    match record(text, "app.luau", &BTreeMap::new(), &limits()) {
        Ok(mut recorded) => {
            let application = &mut recorded.application;
            assert!(!application.labels.is_empty());
            for program in &application.programs {
                let length = program.ops.len();
                for (at, (op, site)) in program.ops.iter().enumerate() {
                    assert!(holds(application, op, at, length), "{op:?}");
                    assert!((site.0 as usize) < application.sites.len());
                }
            }
            assert!(application.blocks.iter().all(|block| block.ops >= 0.0 && block.ops.is_finite()));
            let Some(live) = recorded.live else { return };
            for label in application.labels.clone() {
                if label.programs != Programs::Live || label.count == 0 {
                    continue;
                }
                let Ok(mut process) = live.start(label.first, application) else { continue };
                let mut feedback = Feedback::default();
                for _ in 0..1_000 {
                    match process.next(&feedback, application) {
                        Ok(Some((op, _))) => assert!(holds(application, &op, 0, usize::MAX), "{op:?}"),
                        Ok(None) | Err(_) => break,
                    }
                    feedback.now_s += 1.0;
                }
            }
        }
        Err(problems) => {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|problem| problem.file.is_some() && !problem.message.is_empty()));
        }
    }
});
