//! The skeleton on small problems: all backends, collectives and ways of folding give what a plain loop gives.

use super::checkpoint::Identity;
use super::link::{Link, Patience, Tag};
use super::*;
use proptest::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A sum whose bits depend on the order of additions; elements that `skip` divides are absent.
#[derive(Clone)]
struct Sum {
    length: u64,
    skip: u64,
    fail_at: Option<(u64, bool)>,
}

impl Sum {
    fn new(length: u64) -> Self {
        Sum { length, skip: 0, fail_at: None }
    }
}

impl Job for Sum {
    type Approximation = Vec<f64>;
    type Block = Vec<f64>;
    type Partial = (Vec<f64>, String);

    fn list_length(&self) -> u64 {
        self.length
    }

    fn set_up(&self, elements: Range<u64>) -> Result<Vec<f64>, JobError> {
        Ok(elements.map(|index| 1.0 / (index + 1) as f64).collect())
    }

    fn identity(&self) -> Self::Partial {
        (vec![0.0; 2], String::new())
    }

    fn map_fold(
        &self,
        element: Element<'_, Vec<f64>>,
        x: &Vec<f64>,
        partial: &mut Self::Partial,
    ) -> Result<Presence, JobError> {
        if self.skip > 0 && element.index.is_multiple_of(self.skip) {
            return Ok(Presence::Absent);
        }
        match self.fail_at {
            Some((index, true)) if index == element.index => panic!("on purpose"),
            Some((index, false)) if index == element.index => return Err(JobError::new("wrong on purpose")),
            _ => {}
        }
        partial.0[0] += element.block[element.offset] * x[0];
        partial.0[1] += x[1];
        partial.1.push_str(&format!("{} ", element.index));
        Ok(Presence::Present)
    }

    fn combine(&self, left: &mut Self::Partial, right: &Self::Partial) {
        left.0[0] += right.0[0];
        left.0[1] += right.0[1];
        left.1.push_str(&right.1);
    }

    fn compute(&self, x: &mut Vec<f64>, sum: &Self::Partial, at: &Iteration) -> Result<Step, JobError> {
        let folded: Vec<u64> = sum.1.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let expected: Vec<u64> =
            (0..self.length).filter(|index| self.skip == 0 || !index.is_multiple_of(self.skip)).collect();
        assert_eq!(folded, expected, "not in the order of the list");
        assert_eq!(at.counter, expected.len() as u64);
        x[0] = 1.0 + sum.0[0] / 7.0;
        x[1] = sum.0[1] / (at.counter.max(1)) as f64 + 0.1;
        Ok(Step::again())
    }
}

fn bits(outcome: &Outcome<Vec<f64>>) -> Vec<u64> {
    outcome.approximation.iter().map(|x| x.to_bits()).collect()
}

fn algorithm<'a>(sum: &Sum) -> Algorithm<'a, Vec<f64>> {
    Algorithm::new("sum", vec![1.0, 1.0]).parameters(&sum.length.to_string()).job(sum.clone())
}

fn options(backend: Backend, workers: usize, threads: usize) -> RunOptions {
    let limits = Limits { iterations: Some(4), ..Limits::default() };
    RunOptions { backend, workers, threads, limits, ..RunOptions::default() }
}

fn run_here(sum: &Sum, options: &RunOptions) -> Outcome<Vec<f64>> {
    run(algorithm(sum), options).expect("no error").expect("the master")
}

/// Ranks that are threads, with channels between them.
struct Channels {
    rank: usize,
    to: Vec<Vec<Sender<Vec<u8>>>>,
    from: Vec<[Mutex<Receiver<Vec<u8>>>; 2]>,
}

impl Channels {
    fn connect(size: usize) -> Vec<Channels> {
        let mut ranks: Vec<_> = (0..size).map(|rank| Channels { rank, to: Vec::new(), from: Vec::new() }).collect();
        for from in 0..size {
            for to in 0..size {
                let pairs = [channel(), channel()];
                let [order, result] = pairs;
                ranks[from].to.push(vec![order.0, result.0]);
                ranks[to].from.push([Mutex::new(order.1), Mutex::new(result.1)]);
            }
        }
        ranks
    }
}

impl Link for Channels {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&self, to: usize, tag: Tag, message: &mut [u8], _: Patience) -> Result<(), RunError> {
        let gone = |_| RunError::Stalled { rank: Some(to), iteration: 0, waited_s: 0.0 };
        self.to[to][tag as usize - 1].send(message.to_vec()).map_err(gone)
    }

    fn receive(
        &self,
        from: Option<usize>,
        tag: Tag,
        message: &mut Vec<u8>,
        patience: Patience,
    ) -> Result<usize, RunError> {
        let start = Instant::now();
        loop {
            let candidates = from.map_or(0..self.size(), |from| from..from + 1);
            for candidate in candidates {
                let receiver = self.from[candidate][tag as usize - 1].lock().expect("unpoisoned");
                match receiver.recv_timeout(Duration::from_micros(50)) {
                    Ok(bytes) => {
                        *message = bytes;
                        return Ok(candidate);
                    }
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
                }
            }
            if patience.limit.is_some_and(|limit| start.elapsed() > limit) {
                let waited_s = start.elapsed().as_secs_f64();
                return Err(RunError::Stalled { rank: from, iteration: 0, waited_s });
            }
        }
    }
}

type Ended = Result<Option<Outcome<Vec<f64>>>, RunError>;

/// All ranks of a run, each in a thread of its own; the `absent` one never starts.
fn run_ranks(sum: &Sum, options: &RunOptions, absent: Option<usize>) -> Vec<Ended> {
    let links = Channels::connect(options.workers + 1);
    std::thread::scope(|scope| {
        let ranks: Vec<_> = links
            .into_iter()
            .map(|link| {
                scope.spawn(move || {
                    if absent == Some(link.rank) {
                        return Ok(None);
                    }
                    let Algorithm { name, fingerprint, first, jobs, hooks } = algorithm(sum);
                    let identity = Identity { name: &name, fingerprint, jobs: jobs.len() };
                    ranks::on_link(&link, ranks::Start { jobs: &jobs, first, identity, hooks, options })
                })
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

fn run_distributed(sum: &Sum, options: &RunOptions) -> Outcome<Vec<f64>> {
    let mut ended = run_ranks(sum, options, None);
    assert!(ended[1..].iter().all(|rank| matches!(rank, Ok(None))), "{ended:?}");
    ended.swap_remove(0).expect("no error").expect("the master")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_backend_gives_the_same_bits(
        length in 1_u64..80,
        workers in 1_usize..10,
        threads in 1_usize..4,
        tree: bool,
        reproducible: bool,
        skip in 0_u64..4,
    ) {
        let sum = Sum { skip, ..Sum::new(length) };
        let workers = workers.min(length as usize);
        let with = |backend| {
            let collective = if tree { CollectiveChoice::Tree } else { CollectiveChoice::Flat };
            RunOptions { collective, reproducible, ..options(backend, workers, threads) }
        };
        let serial = run_here(&sum, &with(Backend::Serial));
        prop_assert_eq!(bits(&serial), bits(&run_here(&sum, &with(Backend::Threads))));
        prop_assert_eq!(bits(&serial), bits(&run_distributed(&sum, &with(Backend::Mpi))));
        if reproducible {
            let alone = RunOptions { reproducible, ..options(Backend::Serial, 1, 1) };
            prop_assert_eq!(bits(&serial), bits(&run_here(&sum, &alone)));
        }
    }
}

#[test]
fn one_worker_is_the_plain_loop() {
    let sum = Sum::new(1000);
    let mut x = [1.0, 1.0];
    for _ in 0..4 {
        let (mut first, mut second) = (0.0, 0.0);
        for index in 1..=1000 {
            first += 1.0 / f64::from(index) * x[0];
            second += x[1];
        }
        x = [1.0 + first / 7.0, second / 1000.0 + 0.1];
    }
    let outcome = run_here(&sum, &options(Backend::Serial, 1, 1));
    assert_eq!(bits(&outcome), x.map(f64::to_bits));
    assert_eq!((outcome.status, outcome.iterations, outcome.counter), (Status::Finished, 4, 1000));
}

#[test]
fn the_bits_of_plain_folding_do_depend_on_the_workers() {
    let sum = Sum::new(1000);
    let of = |workers| bits(&run_here(&sum, &options(Backend::Serial, workers, 1)));
    assert!((2..9).any(|workers| of(workers) != of(1)), "else the other tests prove nothing");
}

#[test]
fn errors_and_panics_name_worker_iteration_and_element() {
    // More than once: threads that are sent home while they are about to begin must not be waited for.
    for panics in [false, true].repeat(10) {
        let sum = Sum { fail_at: Some((17, panics)), ..Sum::new(40) };
        for tree in [CollectiveChoice::Flat, CollectiveChoice::Tree] {
            let with = |backend| RunOptions { collective: tree, ..options(backend, 5, 2) };
            let mut errors: Vec<RunError> = [Backend::Serial, Backend::Threads]
                .map(|backend| run(algorithm(&sum), &with(backend)).expect_err("an error"))
                .into();
            let mut ranks = run_ranks(&sum, &with(Backend::Mpi), None);
            errors.push(ranks.remove(0).expect_err("an error"));
            assert!(ranks.iter().all(|rank| matches!(rank, Ok(None))), "{ranks:?}");
            for error in errors {
                let RunError::User(error) = &error else { panic!("{error:?}") };
                assert_eq!(error.place, Place::MapFold);
                assert_eq!((error.worker, error.iteration, error.element), (Some(3), 1, Some(17)));
                assert_eq!((error.panicked, error.message.ends_with("on purpose")), (panics, true));
            }
        }
    }
}

#[test]
fn a_rank_that_is_gone_is_found_out() {
    let stall_timeout = Some(Duration::from_millis(200));
    let options = RunOptions { stall_timeout, ..options(Backend::Mpi, 3, 1) };
    let start = Instant::now();
    let ended = run_ranks(&Sum::new(10), &options, Some(2));
    assert!(matches!(ended[0], Err(RunError::Stalled { rank: Some(2), .. })), "{ended:?}");
    assert!(matches!(ended[1], Err(RunError::Stalled { .. })), "{ended:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_cannot_be_is_refused() {
    let code = |options: &RunOptions| run(algorithm(&Sum::new(3)), options).expect_err("refused").code();
    assert_eq!(code(&options(Backend::Serial, 0, 1)), "workers");
    assert_eq!(code(&options(Backend::Threads, 4, 1)), "workers");
    assert_eq!(code(&options(Backend::Threads, 1, 0)), "threads");
    let none: Algorithm<'_, Vec<f64>> = Algorithm::new("none", vec![]);
    assert_eq!(run(none, &options(Backend::Serial, 1, 1)).expect_err("refused").code(), "no_job");
    assert_eq!(
        run(algorithm(&Sum::new(0)), &options(Backend::Serial, 1, 1)).expect_err("refused").code(),
        "empty_list"
    );
}

#[test]
fn resuming_gives_the_bits_of_never_having_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sum.ck");
    let sum = Sum { skip: 3, ..Sum::new(50) };
    for backend in [Backend::Serial, Backend::Threads] {
        let whole =
            RunOptions { limits: Limits { iterations: Some(9), ..Limits::default() }, ..options(backend, 3, 2) };
        for stop_after in 1..9 {
            let checkpoint = Some(Checkpointing { file: file.clone(), every: Every::Iterations(2) });
            let limits = Limits { max_iterations: stop_after, ..Limits::default() };
            let part = run_here(&sum, &RunOptions { checkpoint, limits, ..whole.clone() });
            assert_eq!((part.status, part.iterations), (Status::IterationLimit, stop_after));
            let resumed = run_here(&sum, &RunOptions { resume: Some(file.clone()), ..whole.clone() });
            assert_eq!(resumed.resumed_from, Some(stop_after));
            assert_eq!(bits(&resumed), bits(&run_here(&sum, &whole)));
            assert!(resumed.time_s >= part.time_s);
        }
    }
}

#[test]
fn an_interrupt_finishes_the_iteration_and_saves() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("sum.ck");
    let interrupt = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&interrupt);
    let sum = Sum::new(10);
    let looked = algorithm(&sum).output_every(3, move |_, _| raised.store(true, Ordering::Relaxed));
    let limits = Limits { iterations: Some(1000), ..Limits::default() };
    let checkpoint = Some(Checkpointing { file: file.clone(), every: Every::Iterations(500) });
    let options = RunOptions { interrupt: Some(interrupt), checkpoint, limits, ..RunOptions::default() };
    let outcome = run(looked, &options).expect("no error").expect("the master");
    assert_eq!((outcome.status, outcome.iterations), (Status::Interrupted, 3));
    assert!(file.exists());
}

/// A chain of norms, to be told to the skeleton.
struct Chain(Vec<f64>);

impl Job for Chain {
    type Approximation = u64;
    type Block = ();
    type Partial = ();

    fn list_length(&self) -> u64 {
        1
    }

    fn set_up(&self, _: Range<u64>) -> Result<(), JobError> {
        Ok(())
    }

    fn identity(&self) {}

    fn map_fold(&self, _: Element<'_, ()>, _: &u64, _: &mut ()) -> Result<Presence, JobError> {
        Ok(Presence::Present)
    }

    fn combine(&self, _: &mut (), _: &()) {}

    fn compute(&self, x: &mut u64, _: &(), at: &Iteration) -> Result<Step, JobError> {
        *x += 1;
        let norm = self.0[at.number as usize - 1];
        Ok(Step::converged_if(norm < 1e-3).with_norm(norm))
    }
}

fn chain(norms: &[f64], limits: Limits) -> Outcome<u64> {
    let algorithm = Algorithm::new("chain", 0).job(Chain(norms.to_vec()));
    run(algorithm, &RunOptions { limits, ..RunOptions::default() }).expect("no error").expect("the master")
}

#[test]
fn convergence_divergence_and_limits() {
    let converged = chain(&[1.0, 0.1, 0.01, 0.0001], Limits::default());
    assert_eq!((converged.status, converged.iterations), (Status::Converged, 4));
    assert!((converged.growth_rate.expect("known") / 1e-4_f64.cbrt() - 1.0).abs() < 1e-12);
    let exactly = Limits { iterations: Some(5), ..Limits::default() };
    let finished = chain(&[1.0, 0.0001, 0.0001, 0.0001, 0.0001], exactly.clone());
    assert_eq!((finished.status, finished.iterations), (Status::Finished, 5));
    let diverged = chain(&[1.0, 1e3, 1e7, 0.0, 0.0], exactly);
    assert_eq!((diverged.status, diverged.iterations), (Status::Diverged, 3));
    let lost = chain(&[1.0, 2.0, f64::NAN], Limits::default());
    assert_eq!((lost.status, lost.step_norm, lost.growth_rate), (Status::Diverged, None, Some(2.0)));
    let limited = chain(&[1.0; 9], Limits { max_iterations: 7, ..Limits::default() });
    assert_eq!((limited.status, limited.iterations), (Status::IterationLimit, 7));
    let late = chain(&[1.0; 9], Limits { time: Some(Duration::ZERO), ..Limits::default() });
    assert_eq!((late.status, late.iterations), (Status::TimeLimit, 1));
}

#[test]
fn a_dispatcher_switches_jobs_and_stops() {
    let seen = AtomicU64::new(0);
    let algorithm = Algorithm::new("two", 0)
        .job(Chain(vec![1.0; 9]))
        .job(Chain(vec![5.0; 9]))
        .before_each(|_, next| {
            Ok(match next.number {
                3 => Dispatch::Job(1),
                6 => Dispatch::Stop,
                _ => Dispatch::Stay,
            })
        })
        .at_end(|x, at| seen.store(*x * 100 + at.number, Ordering::Relaxed));
    let outcome = run(algorithm, &RunOptions::default()).expect("no error").expect("the master");
    assert_eq!((outcome.status, outcome.iterations, outcome.step_norm), (Status::Finished, 5, Some(5.0)));
    assert_eq!(seen.into_inner(), 505);
    let nowhere = Algorithm::new("one", 0).job(Chain(vec![1.0; 9])).before_each(|_, _| Ok(Dispatch::Job(1)));
    assert_eq!(run(nowhere, &RunOptions::default()).expect_err("refused").code(), "no_such_job");
}

#[test]
fn phases_are_timed_by_rank() {
    let sum = Sum::new(40);
    for options in [options(Backend::Threads, 3, 2), options(Backend::Serial, 3, 2)] {
        let outcome = run_here(&sum, &RunOptions { trace: true, ..options });
        let times = &outcome.times;
        assert_eq!((times.ranks.len(), times.trace.len()), (4, 16));
        assert!(times.ranks[0].median_wall_s(Phase::Compute).is_some());
        assert!(times.ranks[0].median_wall_s(Phase::MapFold).is_none());
        for worker in &times.ranks[1..] {
            assert_eq!(worker.count, 4);
            assert!(worker.median_cpu_s(Phase::MapFold).is_some());
        }
        let iteration_s = times.iteration_s().expect("timed");
        assert!(iteration_s > 0.0 && times.map_fold_cpu_s().expect("timed") > 0.0);
        assert!(times.ranks[0].total_wall_s[Phase::Iteration as usize] <= outcome.time_s * 1.01 + 1e-3);
    }
}

#[test]
fn auto_chooses_and_says_so() {
    let sum = Sum::new(40);
    let limits = Limits { iterations: Some(10), ..Limits::default() };
    let auto = |backend, workers| RunOptions {
        collective: CollectiveChoice::Auto,
        limits: limits.clone(),
        ..options(backend, workers, 1)
    };
    let outcome = run_distributed(&sum, &auto(Backend::Mpi, 5));
    assert_eq!(outcome.warnings.len(), 1, "{:?}", outcome.warnings);
    assert_eq!(outcome.warnings[0].code, "collective_chosen");
    assert!(run_here(&sum, &auto(Backend::Threads, 5)).warnings.len() == 1);
    assert!(run_here(&sum, &auto(Backend::Threads, 2)).warnings.is_empty(), "two workers need no tree");
}

#[test]
fn costs_are_measured_with_one_worker_and_the_whole_list() {
    let quick = |backend| CalibrateOptions {
        run: RunOptions { threads: 2, ..options(backend, 1, 2) },
        repeat: 5,
        iterations: 3,
        time: Duration::ZERO,
        workers: 4,
        in_pieces: true,
    };
    let on_threads = calibrate(algorithm(&Sum::new(500)), &quick(Backend::Threads)).expect("no error").expect("here");
    let links = Channels::connect(4);
    let over_links = std::thread::scope(|scope| {
        let ranks = links.into_iter().map(|link| {
            scope.spawn(move || {
                let Algorithm { first, jobs, .. } = algorithm(&Sum::new(500));
                ranks::calibrate_on_link(&link, &jobs, first, &quick(Backend::Mpi))
            })
        });
        let ranks: Vec<_> = ranks.collect();
        ranks.into_iter().filter_map(|rank| rank.join().expect("no panic").expect("no error")).collect::<Vec<_>>()
    });
    assert_eq!(over_links.len(), 1);
    assert_eq!((over_links[0].processes, over_links[0].overhead_s.is_some()), (4, true));
    assert!(over_links[0].send_bytes > 16 && over_links[0].receive_bytes > 500);
    let nothing = Estimate { value: 0.0, low: 0.0, high: 0.0 };
    assert_eq!((on_threads.send_s, on_threads.receive_s), (nothing, nothing), "threads share their memory");
    // Blocks of 500 elements over 64 .. 1 workers, growing; what is sent has a table, what is shared has not.
    let parts = [&on_threads, &over_links[0]].map(|measured| measured.parts.as_ref().expect("asked for"));
    for parts in parts {
        assert_eq!((parts.blocks.first().map(|one| one.0), parts.blocks.last().map(|one| one.0)), (Some(8), Some(500)));
        assert!(
            parts.blocks.is_sorted_by_key(|(elements, _)| *elements) && parts.blocks.iter().all(|one| one.1.low > 0.0)
        );
    }
    assert_eq!((parts[0].messages.len(), parts[0].collectives.len(), parts[1].collectives.len()), (1, 2, 0));
    assert!(parts[1].messages.len() >= 25 && parts[1].messages.iter().all(|knot| knot.busy_s <= knot.time_s));
    for measured in [&on_threads, &over_links[0]] {
        assert_eq!((measured.list_length, measured.messages.rows.len()), (500, 25));
        assert!(measured.iteration_s.value >= measured.work_s.low);
        for estimate in [measured.latency_s, measured.work_s, measured.fold_s, measured.compute_s] {
            assert!(0.0 < estimate.low && estimate.low <= estimate.value && estimate.value <= estimate.high);
        }
    }
}

#[test]
fn measuring_tells_of_itself_and_can_be_interrupted() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let (flag, telling) = (Arc::new(AtomicBool::new(false)), Arc::clone(&told));
    let raised = Arc::clone(&flag);
    let on_iteration = OnIteration(Arc::new(move |at: &Iteration| {
        let mut told = telling.lock().expect("no panic");
        told.push(at.number);
        raised.store(told.len() == 40, Ordering::Relaxed);
    }));
    let run = RunOptions { interrupt: Some(flag), on_iteration: Some(on_iteration), ..options(Backend::Threads, 1, 1) };
    let options =
        CalibrateOptions { run, repeat: 5, iterations: 3, time: Duration::ZERO, workers: 4, in_pieces: false };
    let error = calibrate(algorithm(&Sum::new(500)), &options).expect_err("interrupted");
    assert_eq!(error, RunError::Interrupted);
    let told = told.lock().expect("no panic");
    assert_eq!(told.len(), 40, "also between messages");
    assert_eq!((told[..6].to_vec(), told[39]), (vec![0, 1, 2, 3, 4, 4], 4), "two to warm up, three that count");
}
