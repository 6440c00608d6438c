//! Runs between real ranks: each test starts this test program again, under the launcher of the MPI that it is linked
//! with.

use super::{Ran, Session};
use crate::model::Semantics;
use crate::run::record::Recording;
use crate::run::settings::{Pace, Settings};
use crate::run::tests::{check, check_overrun, replayed, settings, signed, slow_network};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Runs the test `name` once more as this many ranks, each of which comes to `body`.
fn across(ranks: usize, name: &str, body: impl FnOnce(&Session)) {
    if ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().any(|name| std::env::var_os(name).is_some()) {
        let session = Session::open().expect("MPI works");
        assert_eq!(session.size(), ranks);
        return body(&session);
    }
    let library = mpi::environment::library_version().expect("MPI tells its version");
    let is_open_mpi = library.contains("Open MPI");
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "100", if is_open_mpi { "mpirun.openmpi" } else { "mpirun.mpich" }]);
    command.args(["-n", &ranks.to_string()]);
    if is_open_mpi {
        command.arg("--oversubscribe");
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
    command.arg(std::env::current_exe().expect("a test program"));
    command.args(["--exact", &format!("run::mpi::tests::{name}"), "--nocapture", "--test-threads=1"]);
    let output = command.output().expect("timeout and the launcher are installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{ranks} ranks: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.matches("1 passed").count(), ranks, "{text}");
}

/// Every schedule on this many ranks, one run after the other.
fn schedules(session: &Session, ranks: usize) {
    let linear = signed(ranks);
    for semantics in [Semantics::Abort, Semantics::Complete] {
        for updates in [(1, 0), (1, 2), (2, 1)] {
            let settings = settings(ranks, updates, semantics, 120);
            let Some(recording) = session.run(&linear, &settings).expect("it runs").recording else { continue };
            assert_eq!(session.rank(), 0);
            check_across(&recording, &settings);
            assert_eq!(recording.held, semantics);
            let errors: Vec<f64> = recording.errors().into_iter().map(|error| error.expect("known")).collect();
            assert!(errors[119] < 1e-9 * errors[0].max(1.0), "{updates:?}: {}", errors[119]);
            for (error, expected) in errors.iter().zip(replayed(&linear, &recording, updates.0)) {
                assert!((error - expected).abs() <= 1e-12 * expected + 1e-15, "{error} {expected}");
            }
        }
    }
}

/// Clocks of ranks agree to some microseconds, and no better: each rank is looked at alone.
fn check_across(recording: &Recording, settings: &Settings) {
    let Recording { processes, held, is_interrupted } = recording.clone();
    for (mut rows, updates) in processes.into_iter().zip(&settings.updates) {
        assert_eq!(rows.messages.len(), rows.phases.len() * (settings.updates.len() - 1));
        assert!(rows.messages.iter().all(|message| message.sent <= message.arrived));
        rows.messages.clear();
        let own = Settings { updates: vec![*updates], ..settings.clone() };
        check(&Recording { processes: vec![rows], held, is_interrupted }, &own);
    }
}

#[test]
fn one_rank_iterates_alone() {
    across(1, "one_rank_iterates_alone", |session| schedules(session, 1));
}

#[test]
fn two_ranks_iterate() {
    across(2, "two_ranks_iterate", |session| schedules(session, 2));
}

#[test]
fn four_ranks_iterate() {
    across(4, "four_ranks_iterate", |session| schedules(session, 4));
}

#[test]
fn emulated_phases_abort_and_complete() {
    across(3, "emulated_phases_abort_and_complete", |session| {
        for (semantics, expected) in [(Semantics::Abort, (3, 1)), (Semantics::Complete, (4, 0))] {
            let model = slow_network(9, semantics);
            let settings = Settings { phases: 8, ..Settings::emulating(&model, 1, 0) };
            let Some(recording) = session.run(&signed(3), &settings).expect("it runs").recording else { continue };
            check_across(&recording, &settings);
            check_overrun(&recording, expected);
        }
    });
}

#[test]
fn all_ranks_stop_with_the_same_phase() {
    across(3, "all_ranks_stop_with_the_same_phase", |session| {
        let interrupt = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&interrupt);
        let settings = Settings {
            interrupt: Some(interrupt),
            on_phase: Some(Arc::new(move |phase| raised.store(phase >= 30, Ordering::SeqCst))),
            ..settings(3, (1, 1), Semantics::Abort, 1_000_000_000)
        };
        let Ran { recording, is_interrupted } = session.run(&signed(3), &settings).expect("it runs");
        assert_eq!((recording.is_some(), is_interrupted), (session.rank() == 0, true));
        if let Some(recording) = recording {
            assert!(recording.is_interrupted && recording.phases() == 31);
        }
    });
}

#[test]
fn ranks_hear_of_the_wish_to_stop_in_the_middle_of_an_update() {
    across(3, "ranks_hear_of_the_wish_to_stop_in_the_middle_of_an_update", |session| {
        // Rank 0 has no work of its own: it waits for the others when it is asked to stop.
        let pace = Pace::Work(if session.rank() == 0 { 1 } else { u64::MAX });
        let interrupt = Arc::new(AtomicBool::new(false));
        let settings =
            Settings { pace, interrupt: Some(Arc::clone(&interrupt)), ..settings(3, (1, 1), Semantics::Abort, 1000) };
        let raised = std::thread::spawn({
            let (interrupt, is_first) = (Arc::clone(&interrupt), session.rank() == 0);
            move || {
                std::thread::sleep(Duration::from_millis(300));
                interrupt.store(is_first, Ordering::SeqCst);
            }
        });
        let start = Instant::now();
        let ran = session.run(&signed(3), &settings).expect("it runs");
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        assert!(ran.is_interrupted);
        raised.join().expect("no panic");
    });
}

#[test]
fn pieces_of_a_megabyte_arrive() {
    across(2, "pieces_of_a_megabyte_arrive", |session| {
        let length = 200_000;
        let rows = (0..2 * length).map(|row| vec![((row + 1) % (2 * length), 0.5)]).collect();
        let owner = (0..2 * length).map(|row| usize::from(row >= length)).collect();
        let operator = crate::Operator { rows, owner, gap: 0.5, rate: crate::model::operator::Rate::Auto };
        let linear = crate::run::Linear::new(operator, 2, 1);
        let settings = settings(2, (1, 2), Semantics::Abort, 30);
        if let Some(recording) = session.run(&linear, &settings).expect("it runs").recording {
            let errors = recording.errors();
            assert!(errors[29].expect("known") < 1e-6 * errors[0].expect("known"), "{errors:?}");
        }
    });
}
