//! The run, and what may go wrong beside the skeleton's own errors.

use super::abi::{self, Outcome, Status};
use super::given::{Failure, Given, usage};
use super::job::{CallersJob, at_of};
use super::lines::Lines;
use crate::skeleton::mpi::under_launcher;
use crate::skeleton::{
    self, Algorithm, Backend, Checkpointing, CollectiveChoice, Dispatch, Every, Iteration, JobError, Limits, RunError,
    RunLabels, RunOptions, Waiting, timings_table, trace_table,
};
use std::ffi::c_void;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often a run is saved when nothing is said.
const SAVED_EVERY: Duration = Duration::from_secs(30);

/// `MPI_Comm_c2f(MPI_COMM_WORLD)` of MPICH and its relatives; that of Open MPI is 0.
const MPICH_WORLD: i32 = 0x4400_0000;

/// The first thing that the skeleton cannot report as what it is.
#[derive(Debug, Default)]
pub(super) struct Trouble(Mutex<Option<(Status, String)>>);

impl Trouble {
    fn note(&self, status: Status, message: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert((status, message));
    }

    /// A job that a function of the caller chose.
    pub fn job(&self, chosen: i32, count: i32, whose: &str) -> Result<usize, JobError> {
        if let Some(job) = usize::try_from(chosen).ok().filter(|_| chosen < count) {
            return Ok(job);
        }
        let message = format!("{whose} is {chosen}; allowed are 0 to {}", count - 1);
        self.note(Status::Usage, message.clone());
        Err(JobError::new(message))
    }
}

/// The caller's data, for hooks that the master calls.
struct Data(*mut c_void);

// SAFETY: hooks run at the master alone, in the thread of the caller.
unsafe impl Send for Data {}

impl Data {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

/// Runs the algorithm; writes the result into the caller's approximation.
pub(super) fn run(given: &Given) -> Result<Outcome, Failure> {
    let (trouble, stop) = (Trouble::default(), Arc::new(AtomicBool::new(false)));
    let options = run_options(given, &stop)?;
    let done = skeleton::run(algorithm(given, &options, &trouble, &stop), &options);
    if let Some((status, message)) = trouble.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Failure { status, message });
    }
    match done.map_err(failure)? {
        None => Ok(Outcome::of_worker()),
        Some(outcome) => {
            let labels = RunLabels {
                program: &given.name,
                backend: options.backend,
                collective: outcome.collective,
                workers: outcome.times.ranks.len().saturating_sub(1),
                threads: options.threads,
                size: given.jobs[0].list_length,
                list_length: given.jobs[0].list_length,
            };
            save(given.files.timings.as_deref(), || timings_table(&outcome.times, &labels))?;
            save(given.files.trace.as_deref(), || trace_table(&outcome.times, &labels))?;
            let bytes = outcome.approximation.as_slice();
            // SAFETY: the caller's `x_bytes` bytes.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), given.x.cast::<u8>(), bytes.len()) };
            Ok(Outcome::of_master(&outcome))
        }
    }
}

fn save(file: Option<&Path>, text: impl Fn() -> String) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    std::fs::write(file, text()).map_err(|error| Failure {
        status: Status::Failed,
        message: format!("{} cannot be written: {error}", file.display()),
    })
}

fn failure(error: RunError) -> Failure {
    let status = match &error {
        RunError::Interrupted => Status::Interrupted,
        // The set-up of the caller failed, which is no matter of usage here.
        RunError::User(_) => Status::Failed,
        error if error.is_usage() => Status::Usage,
        _ => Status::Failed,
    };
    let allowed = match &error {
        RunError::Usage { allowed: Some(allowed), .. } => format!("; allowed: {allowed}"),
        _ => String::new(),
    };
    Failure { status, message: format!("{error}{allowed}") }
}

/// The caller's jobs and hooks.
fn algorithm<'a>(
    given: &'a Given,
    options: &RunOptions,
    trouble: &'a Trouble,
    stop: &Arc<AtomicBool>,
) -> Algorithm<'a, Lines> {
    let count = given.algorithm.job_count;
    let workers = i32::try_from(options.workers).unwrap_or(i32::MAX);
    // The size belongs to the problem: a checkpoint of another one would not fit into the caller's memory.
    let parameters = format!("{}; {} bytes", given.parameters, given.algorithm.x_bytes);
    let mut algorithm = Algorithm::new(&given.name, given.first.clone()).parameters(&parameters);
    for &job in &given.jobs {
        algorithm = algorithm.job(CallersJob { job, workers, job_count: count, trouble });
    }
    if let Some(dispatch) = given.algorithm.dispatch {
        let data = Data(given.algorithm.data);
        algorithm = algorithm.before_each(move |x, next| {
            let now = at_of(next, workers);
            // SAFETY: a function of the caller; `x` has `x_bytes` bytes.
            let chosen = unsafe { dispatch(data.get(), x.address(), &raw const now) };
            match chosen {
                -1 => Ok(Dispatch::Stop),
                code if code < -1 => Err(JobError::new(format!("dispatch returned the code {code}"))),
                job => trouble.job(job, count, "the job of dispatch").map(Dispatch::Job),
            }
        });
    }
    if let Some(output) = given.algorithm.output {
        let (data, stop) = (Data(given.algorithm.data), Arc::clone(stop));
        algorithm = algorithm.output_every(given.options.output_every.max(1), move |x, at| {
            look(output, &data, x, (at, workers), trouble, &stop);
        });
    }
    algorithm
}

/// Shows an approximation; an error code of the caller ends the run.
fn look(
    output: abi::Look,
    data: &Data,
    x: &Lines,
    (at, workers): (&Iteration, i32),
    trouble: &Trouble,
    stop: &AtomicBool,
) {
    let now = at_of(at, workers);
    // SAFETY: a function of the caller; `x` has `x_bytes` bytes.
    let code = unsafe { output(data.get(), x.address(), &raw const now) };
    if code < 0 {
        trouble.note(Status::Failed, format!("iteration {}: output returned the code {code}", at.number));
        stop.store(true, Ordering::Relaxed);
    }
}

/// The options, with what is automatic chosen.
fn run_options(given: &Given, stop: &Arc<AtomicBool>) -> Result<RunOptions, Failure> {
    let told = &given.options;
    let backend = match told.backend {
        0 if cfg!(feature = "mpi") && under_launcher().is_some() => Backend::Mpi,
        0 if told.workers == 1 => Backend::Serial,
        0 | 2 => Backend::Threads,
        1 => Backend::Serial,
        3 => Backend::Mpi,
        other => return Err(unknown("backend", other, "0 automatic, 1 serial, 2 threads, 3 mpi")),
    };
    let collective = match told.collective {
        0 | 3 => CollectiveChoice::Auto,
        1 => CollectiveChoice::Flat,
        2 => CollectiveChoice::Tree,
        other => return Err(unknown("collective", other, "0 automatic, 1 flat, 2 tree, 3 automatic")),
    };
    let wait = match told.wait {
        1 => Waiting::Spin,
        0 | 2 => Waiting::Sleep,
        other => return Err(unknown("wait", other, "0 automatic, 1 spin, 2 sleep")),
    };
    if ![0, MPICH_WORLD].contains(&told.mpi_comm) {
        return Err(unknown("mpi_comm", told.mpi_comm, "0 and MPI_Comm_c2f(MPI_COMM_WORLD)"));
    }
    let default = Limits::default();
    let limits = Limits {
        iterations: Some(told.iterations).filter(|&most| most > 0),
        max_iterations: Some(told.max_iterations).filter(|&most| most > 0).unwrap_or(default.max_iterations),
        time: seconds("time_limit_s", told.time_limit_s)?,
        divergence_factor: positive("divergence_factor", told.divergence_factor)?.unwrap_or(default.divergence_factor),
    };
    let every = match (told.checkpoint_every, seconds("checkpoint_every_s", told.checkpoint_every_s)?) {
        (0, time) => Every::Time(time.unwrap_or(SAVED_EVERY)),
        (iterations, _) => Every::Iterations(iterations),
    };
    Ok(RunOptions {
        backend,
        workers: workers(given, backend)?,
        threads: count("threads", told.threads)?.unwrap_or(1),
        collective,
        wait,
        reproducible: told.reproducible != 0,
        limits,
        checkpoint: given.files.checkpoint.clone().map(|file| Checkpointing { file, every }),
        resume: given.files.resume.clone(),
        trace: given.files.trace.is_some(),
        interrupt: Some(Arc::clone(stop)),
        ..RunOptions::default()
    })
}

/// As many as there are cores, or ranks, when nothing is said; never more than elements.
fn workers(given: &Given, backend: Backend) -> Result<usize, Failure> {
    if let Some(workers) = count("workers", given.options.workers)? {
        return Ok(workers);
    }
    let shortest = given.jobs.iter().map(|job| job.list_length).min().unwrap_or(1);
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    Ok(match backend {
        Backend::Serial => 1,
        Backend::Threads => cores().min(usize::try_from(shortest).unwrap_or(usize::MAX)),
        Backend::Mpi => 0,
    })
}

fn unknown(field: &str, value: i32, allowed: &str) -> Failure {
    usage(format!("options.{field} is {value}; allowed are {allowed}"))
}

fn count(field: &str, value: i32) -> Result<Option<usize>, Failure> {
    let count = usize::try_from(value).map_err(|_| unknown(field, value, "0 for automatic, or 1 and more"))?;
    Ok(Some(count).filter(|&count| count > 0))
}

/// 0 is automatic.
fn positive(field: &str, value: f64) -> Result<Option<f64>, Failure> {
    if !(value >= 0.0 && value.is_finite()) {
        return Err(usage(format!("options.{field} is {value}; allowed are 0 for automatic, or more")));
    }
    Ok(Some(value).filter(|&value| value > 0.0))
}

fn seconds(field: &str, value: f64) -> Result<Option<Duration>, Failure> {
    let long = |_| usage(format!("options.{field} is {value}, which is too long"));
    positive(field, value)?.map(|value| Duration::try_from_secs_f64(value).map_err(long)).transpose()
}
