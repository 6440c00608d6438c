//! Real iterations on threads. Bounds on times are generous: the machine may be busy. Counts and order are exact.

use super::*;
use crate::cases;
use crate::model::Semantics;
use crate::model::law::Law;
use crate::model::operator::{Operator, Rate};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Six rows, two a process; |rows| sum to 0.8 at most.
pub(super) fn signed(processes: usize) -> Linear {
    let dimension = 2 * processes;
    let value = |row: usize, column: usize| {
        let size = 0.8 * (1.0 + ((3 * row + 5 * column) % 4) as f64) / (4.0 * dimension as f64);
        if (row + 2 * column).is_multiple_of(3) { -size } else { size }
    };
    let rows = (0..dimension).map(|row| (0..dimension).map(|column| (column, value(row, column))).collect()).collect();
    // Pieces that are not contiguous.
    let owner = (0..dimension).map(|row| row % processes).collect();
    Linear::new(Operator { rows, owner, gap: 0.2, rate: Rate::Auto }, processes, 4)
}

pub(super) fn settings(processes: usize, (alpha, beta): (u32, u32), semantics: Semantics, phases: u64) -> Settings {
    Settings { updates: vec![(alpha, beta); processes], phases, semantics, ..Settings::default() }
}

/// What must hold in every run, whatever the times are.
pub(super) fn check(recording: &Recording, settings: &Settings) {
    let phases = recording.phases();
    for (me, rows) in recording.processes.iter().enumerate() {
        let (alpha, beta) = settings.updates[me];
        assert_eq!(rows.phases.len(), phases);
        let mut last_end = None;
        for (at, row) in rows.phases.iter().enumerate() {
            let number = at as u64 + 1;
            assert!((alpha..=alpha + beta).contains(&row.updates), "{row:?}");
            assert!(row.start <= row.beta_start && row.beta_start <= row.end, "{row:?}");
            assert!(last_end.is_none_or(|end| end == row.start), "phases follow each other: {row:?}");
            last_end = Some(row.end);
            let own = || rows.updates.iter().filter(|update| update.phase == number);
            assert_eq!(own().filter(|update| !update.is_discarded).count(), row.updates as usize);
            assert_eq!(own().filter(|update| update.is_discarded).count(), row.discarded as usize);
            assert_eq!(own().filter(|update| !update.is_beta).count(), alpha as usize);
            assert!(own().filter(|update| !update.is_beta).all(|update| update.end <= row.beta_start));
            assert!(row.discarded <= u32::from(recording.held == Semantics::Abort));
            for (other, peer) in recording.processes.iter().enumerate().filter(|(other, _)| *other != me) {
                let sent = peer.phases[at].beta_start;
                assert!(sent <= row.end, "a phase ends with the pieces of all");
                let message = rows.messages.iter().find(|it| it.phase == number && it.from == other).expect("received");
                assert_eq!(message.sent, sent);
                assert!(sent <= message.arrived && message.arrived <= row.end, "{message:?} {row:?}");
            }
        }
        assert_eq!(rows.left_out, 0);
        assert_eq!(rows.messages.len(), phases * (recording.processes.len() - 1));
    }
}

/// The errors that the counts of a run imply: y are the pieces as broadcast, z the newest ones of their owners.
pub(super) fn replayed(linear: &Linear, recording: &Recording, alpha: u32) -> Vec<f64> {
    let fixed = linear.fixed_point().expect("known");
    let (mut y, mut z) = (linear.start(), linear.start());
    let pieces = linear.pieces();
    let mut errors = Vec::new();
    for phase in 0..recording.phases() {
        let mut sent = y.clone();
        for (me, piece) in pieces.iter().enumerate() {
            for number in 1..=recording.processes[me].phases[phase].updates {
                let seen: Vec<f64> = (0..y.len()).map(|at| if piece.contains(&at) { z[at] } else { y[at] }).collect();
                let mut new = vec![0.0; piece.len()];
                linear.update(me, &seen, &mut new, &mut Poll::never());
                piece.iter().zip(&new).for_each(|(at, number)| z[*at] = *number);
                if number == alpha {
                    piece.iter().for_each(|at| sent[*at] = z[*at]);
                }
            }
        }
        y = sent;
        errors.push(z.iter().zip(&fixed).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt());
    }
    errors
}

#[test]
fn every_schedule_converges_and_does_what_its_counts_say() {
    for processes in [1, 2, 3] {
        let linear = signed(processes);
        for semantics in [Semantics::Abort, Semantics::Complete] {
            for updates in [(1, 0), (1, 1), (1, 3), (2, 2)] {
                let settings = settings(processes, updates, semantics, 200);
                let recording = threads(&linear, &settings).expect("it runs");
                check(&recording, &settings);
                assert_eq!(recording.held, semantics);
                let errors: Vec<f64> = recording.errors().into_iter().map(|error| error.expect("known")).collect();
                assert!(errors[199] < 1e-12 * errors[0].max(1.0), "{processes} {updates:?}: {}", errors[199]);
                for (error, expected) in errors.iter().zip(replayed(&linear, &recording, updates.0)) {
                    assert!((error - expected).abs() <= 1e-12 * expected + 1e-15, "{error} {expected}");
                }
            }
        }
    }
}

#[test]
fn synchronous_phases_gain_what_rho_says() {
    // All entries are equal: after the first phase the error is a multiple of (1, .., 1), and falls by 0.7 a phase.
    let linear = Linear::uniform(0.7, &[3, 2, 2]);
    let settings = settings(3, (1, 0), Semantics::Abort, 60);
    let errors = threads(&linear, &settings).expect("it runs").errors();
    for pair in errors[1..].windows(2) {
        assert!((pair[1].expect("known") / pair[0].expect("known") - 0.7).abs() < 1e-6);
    }
    let mut adding = Measured::adding(3, Span::All, 1e-6);
    adding.add(&threads(&linear, &settings).expect("it runs"));
    let rate = adding.end().expect("phases").rate_per_phase.expect("known");
    assert!((rate + 0.7_f64.log10()).abs() < 1e-6, "{rate}");
}

#[test]
fn the_gradient_of_30_variables_converges_under_every_schedule() {
    use crate::model::operator::polynomial::{Choice, Polynomial, Signs};
    for signs in [Signs::Negative, Signs::Mixed] {
        let polynomial = Polynomial::new(Choice { signs, ..Choice::new(30, 1) });
        let (bound, gap) = polynomial.operator((0..30).map(|row| row / 10).collect(), Rate::Auto);
        let gradient = Gradient::new(polynomial, bound, 3);
        for updates in [(1, 0), (1, 2), (2, 1)] {
            let settings = settings(3, updates, Semantics::Abort, 80);
            let recording = threads(&gradient, &settings).expect("it runs");
            check(&recording, &settings);
            let errors: Vec<f64> = recording.errors().into_iter().map(|error| error.expect("known")).collect();
            // No phase does less than one application of the operator, whose bound contracts by 1 - gap.
            let bound = (1.0 - gap.low).powi(60);
            assert!(errors[79] < bound * errors[0], "{updates:?}: {} of {}, bound {bound}", errors[79], errors[0]);
        }
    }
}

/// Updates take 10 ms and messages 25 ms on every link: there is time for two updates, and 5 ms of a third.
pub(super) fn slow_network(beta: u32, semantics: Semantics) -> Arc<crate::Model> {
    let mut model = cases::plain(5e-3, 0.9, vec![Law::constant(2); 3], Law::constant(5)).with_updates(&[(1, beta); 3]);
    model.semantics = semantics;
    Arc::new(model)
}

fn emulated(model: &Arc<crate::Model>, phases: u64) -> Recording {
    let settings = Settings { phases, ..Settings::emulating(model, 1, 0) };
    let recording = threads(&signed(model.size()), &settings).expect("it runs");
    check(&recording, &settings);
    recording
}

fn counts(recording: &Recording) -> Vec<(u32, u32)> {
    let mut counts: Vec<(u32, u32)> = recording
        .processes
        .iter()
        .flat_map(|rows| rows.phases.iter().map(|row| (row.updates, row.discarded)))
        .collect();
    counts.sort_unstable();
    counts.dedup_by_key(|count| *count);
    counts
}

/// The update in progress when the last message comes: abort throws it away, complete finishes it. How many updates there
/// are before depends on how busy the machine is: phases as the model says (`expected`) are among them.
pub(super) fn check_overrun(recording: &Recording, expected: (u32, u32)) {
    let (mut thrown, mut finished) = (0, 0);
    for rows in &recording.processes {
        for (at, row) in rows.phases.iter().enumerate() {
            let number = at as u64 + 1;
            let arrivals = rows.messages.iter().filter(|message| message.phase == number);
            let last = arrivals.map(|message| message.arrived).max().expect("messages");
            for update in rows.updates.iter().filter(|update| update.phase == number && update.is_beta) {
                assert!(!update.is_discarded || update.end >= last, "{update:?} is not over at {last}");
                thrown += u32::from(update.is_discarded);
                finished += u32::from(!update.is_discarded && update.start < last && last < update.end);
            }
            assert!(row.discarded <= u32::from(recording.held == Semantics::Abort));
        }
    }
    assert!(if recording.held == Semantics::Abort { thrown > 0 } else { finished > 0 }, "{thrown} {finished}");
    assert!(counts(recording).contains(&expected), "{:?}", counts(recording));
}

#[test]
fn abort_throws_the_update_in_progress_away_and_complete_finishes_it() {
    for (beta, expected) in [(0, (1, 0)), (1, (2, 0)), (2, (3, 0))] {
        let counts = counts(&emulated(&slow_network(beta, Semantics::Abort), 8));
        assert!(counts.contains(&expected), "{beta}: {counts:?}");
    }
    let abort = emulated(&slow_network(9, Semantics::Abort), 8);
    check_overrun(&abort, (3, 1));
    let complete = emulated(&slow_network(9, Semantics::Complete), 8);
    check_overrun(&complete, (4, 0));
    // 10 + 25 ms; 10 + 3 * 10 ms. After one that is late a phase may be shorter, but no process is ever earlier than the
    // messages allow.
    for (recording, usual) in [(abort, 35_000_000), (complete, 40_000_000)] {
        for rows in &recording.processes {
            assert!(rows.phases[7].end >= 8 * 35_000_000, "{:?}", rows.phases);
        }
        let phases = recording.processes.iter().flat_map(|rows| &rows.phases[1..]);
        let mut times: Vec<u64> = phases.map(|row| row.end - row.start).collect();
        times.sort_unstable();
        let median = times[times.len() / 2];
        assert!((usual - 5_000_000..4 * usual).contains(&median), "{times:?}");
    }
}

#[test]
fn emulated_times_and_counts_are_never_below_those_of_the_model() {
    let mut model = cases::constant_network(1);
    model.step_s = 1e-3;
    let recording = emulated(&Arc::new(model), 120);
    let mut adding = Measured::adding(3, Span::All, 1e-3);
    adding.add(&recording);
    let measured = adding.end().expect("phases");
    // Golden case p3-const-net-async1: E[Phi] is 11.0848192944 ticks; sleeps can only be longer. 120 phases have a
    // standard error of 0.3 ticks. A busy machine makes them longer, and leaves less room for updates.
    assert!(measured.phase_mean_s > 10.0e-3 && measured.phase_mean_s < 60e-3, "{}", measured.phase_mean_s);
    assert!(measured.iterations_mean > 1.0 && measured.iterations_mean <= 2.0, "{}", measured.iterations_mean);
    assert!(recording.overshoot().count > 360 && recording.overshoot().mean_s() > 0.0);
}

#[test]
fn processes_start_at_their_offsets() {
    let mut model = (*slow_network(0, Semantics::Abort)).clone();
    model.start = vec![0, 8, -2];
    let model = Arc::new(model);
    // Nobody is early; of several runs one is not late, even on a busy machine.
    let is_in_time = (0..20).any(|_| {
        let recording = emulated(&model, 2);
        let starts: Vec<u64> = recording.processes.iter().map(|rows| rows.phases[0].start / 1_000_000).collect();
        assert!(starts[0] >= 10 && starts[1] >= 50, "{starts:?}");
        starts[0] < 30 && starts[1] < 70 && starts[2] < 10
    });
    assert!(is_in_time);
}

/// Updates that take a while, and do not ask.
struct Deaf(u64);

impl FixedPoint for Deaf {
    fn dimension(&self) -> usize {
        2
    }
    fn pieces(&self) -> Vec<Vec<usize>> {
        vec![vec![0], vec![1]]
    }
    fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], _: &mut Poll<'_>) -> Updated {
        std::thread::sleep(Duration::from_millis(if piece == 0 { self.0 } else { 1 }));
        new[0] = vector[piece] / 2.0;
        Updated::Done
    }
}

#[test]
fn who_does_not_ask_completes() {
    let settings = settings(2, (1, 5), Semantics::Abort, 10);
    let recording = threads(&Deaf(3), &settings).expect("it runs");
    check(&recording, &settings);
    assert_eq!(recording.held, Semantics::Complete);
    assert_eq!(recording.errors(), [None; 10], "there is no fixed point to tell");
    assert!(recording.processes[1].phases.iter().any(|row| row.updates > 1));
}

#[test]
fn work_is_padded() {
    let operations = crate::sample::work::Busy::calibrate(2e-3);
    let padded = Settings { pace: Pace::Work(operations), ..settings(2, (1, 1), Semantics::Abort, 5) };
    let recording = threads(&signed(2), &padded).expect("it runs");
    check(&recording, &padded);
    let updates = recording.processes.iter().flat_map(|rows| &rows.updates).filter(|update| !update.is_discarded);
    // The fastest of several trials is 2 ms; a core that was disturbed in all of them counts too few operations.
    assert!(updates.into_iter().all(|update| update.end - update.start >= 200_000));
}

#[test]
fn all_processes_stop_with_the_same_phase() {
    let interrupt = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&interrupt);
    let last = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&last);
    let settings = Settings {
        interrupt: Some(interrupt),
        on_phase: Some(Arc::new(move |phase| {
            told.store(phase, Ordering::SeqCst);
            raised.store(phase >= 30, Ordering::SeqCst);
        })),
        ..settings(3, (1, 1), Semantics::Abort, 1_000_000_000)
    };
    let recording = threads(&signed(3), &settings).expect("it runs");
    assert!(recording.is_interrupted);
    assert_eq!((recording.phases(), last.load(Ordering::SeqCst)), (31, 31));
    check(&recording, &settings);
}

#[test]
fn nobody_sleeps_through_the_wish_to_stop() {
    let mut model = (*slow_network(1, Semantics::Abort)).clone();
    model.step_s = 3600.0;
    let interrupt = Arc::new(AtomicBool::new(false));
    let settings = Settings { interrupt: Some(Arc::clone(&interrupt)), ..Settings::emulating(&Arc::new(model), 0, 0) };
    let recording = std::thread::scope(|scope| {
        let run = scope.spawn(|| threads(&signed(3), &settings).expect("it runs"));
        std::thread::sleep(Duration::from_millis(50));
        interrupt.store(true, Ordering::SeqCst);
        run.join().expect("no panic")
    });
    assert!(recording.is_interrupted);
    assert_eq!(recording.phases(), 0, "none has passed as the model says");
}

#[test]
fn nobody_works_on_against_the_wish_to_stop() {
    let interrupt = Arc::new(AtomicBool::new(false));
    // Some months of operations.
    let pace = Pace::Work(1 << 52);
    let settings =
        Settings { pace, interrupt: Some(Arc::clone(&interrupt)), ..settings(2, (1, 1), Semantics::Abort, 3) };
    let recording = std::thread::scope(|scope| {
        let run = scope.spawn(|| threads(&signed(2), &settings).expect("it runs"));
        std::thread::sleep(Duration::from_millis(50));
        interrupt.store(true, Ordering::SeqCst);
        run.join().expect("no panic")
    });
    assert!(recording.is_interrupted);
    assert_eq!(recording.phases(), 0, "no update was made to its end");
}

/// The second piece panics in its fifth update.
struct Panicking(AtomicU64);

impl FixedPoint for Panicking {
    fn dimension(&self) -> usize {
        2
    }
    fn pieces(&self) -> Vec<Vec<usize>> {
        vec![vec![0], vec![1]]
    }
    fn update(&self, piece: usize, _: &[f64], _: &mut [f64], _: &mut Poll<'_>) -> Updated {
        let count = if piece == 1 { self.0.fetch_add(1, Ordering::SeqCst) } else { 0 };
        assert!(count < 4, "no more");
        Updated::Done
    }
}

#[test]
fn a_panic_ends_the_run_and_is_told() {
    let error =
        threads(&Panicking(AtomicU64::new(0)), &settings(2, (1, 0), Semantics::Complete, 10)).expect_err("panics");
    assert_eq!(error, RunError::Panicked { process: 2, message: "no more".to_owned() });
}

struct Pieces(Vec<Vec<usize>>);

impl FixedPoint for Pieces {
    fn dimension(&self) -> usize {
        3
    }
    fn pieces(&self) -> Vec<Vec<usize>> {
        self.0.clone()
    }
    fn update(&self, _: usize, _: &[f64], _: &mut [f64], _: &mut Poll<'_>) -> Updated {
        Updated::Done
    }
}

#[test]
fn pieces_must_cover_the_vector_once() {
    for (pieces, said) in [
        (vec![vec![0, 1]], "1 pieces for 2"),
        (vec![vec![0, 1], vec![1, 2]], "index 1 is in two"),
        (vec![vec![0, 1], vec![3]], "index 3 is beyond"),
        (vec![vec![0], vec![1]], "index 2 is in no"),
    ] {
        let error = threads(&Pieces(pieces), &settings(2, (1, 0), Semantics::Abort, 1)).expect_err("wrong");
        assert!(error.to_string().contains(said), "{error}");
    }
}

#[test]
fn rows_beyond_the_most_are_counted() {
    let settings = Settings { rows_most: 10, ..settings(2, (1, 0), Semantics::Abort, 25) };
    let recording = threads(&signed(2), &settings).expect("it runs");
    let rows = &recording.processes[0];
    assert_eq!((rows.phases.len(), rows.updates.len(), rows.messages.len(), rows.left_out), (25, 10, 10, 30));
}

#[test]
fn tables_have_a_row_for_each_phase_update_and_message() {
    let settings = settings(2, (1, 1), Semantics::Abort, 7);
    let recording = threads(&signed(2), &settings).expect("it runs");
    let processes = ["a".to_owned(), "b,c".to_owned()];
    let names = Names { run: 3, processes: &processes };
    let table = phases(&recording, names);
    assert_eq!(table.lines().count(), 14);
    assert!(table.lines().nth(7).expect("a row").starts_with("3,\"b,c\",1,0."), "{table}");
    let columns = |header: &str| header.matches(',').count();
    assert!(table.lines().take(7).all(|line| line.matches(',').count() == columns(PHASES_HEADER)));
    assert_eq!(messages(&recording, names).lines().count(), 14);
    assert!(updates(&recording, names).lines().all(|line| line.ends_with(",ok") || line.ends_with(",discarded")));
}
