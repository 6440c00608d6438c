//! The master: iteration after iteration, for any kind of workers.

use super::algorithm::{Algorithm, Dispatch, Hooks};
use super::checkpoint::{self, Identity, State};
use super::choice;
use super::error::{Place, RunError};
use super::fleet::Fleet;
use super::job::{Iteration, Next, Step, Stop};
use super::lane::{Jobs, Order, Shape, guarded_at_master};
use super::norms::Norms;
use super::options::{Backend, Every, RunOptions};
use super::outcome::{Outcome, Status};
use super::ranks::Start;
use super::serial::Serial;
use super::threads::with_threads;
use super::times::{Phase, Stopwatch, Times, takes_cpu};
use crate::cost::Collective;
use runcast_core::Warning;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Runs an algorithm on the backend that the options name.
pub(super) fn run<X: Clone + Serialize + DeserializeOwned + Send + Sync>(
    algorithm: Algorithm<'_, X>,
    options: &RunOptions,
) -> Result<Option<Outcome<X>>, RunError> {
    let Algorithm { name, fingerprint, first, jobs, hooks } = algorithm;
    let identity = Identity { name: &name, fingerprint, jobs: jobs.len() };
    if options.backend == Backend::Mpi {
        return super::ranks::run(Start { jobs: &jobs, first, identity, hooks, options });
    }
    let shape = shape_of(&jobs, options, options.workers)?;
    let (state, x) = begin(first, identity, options)?;
    let mut master = Master::new(&jobs, identity, hooks, options, state);
    let workers = 1..shape.workers + 1;
    let ended = if options.backend == Backend::Serial {
        master.drive(&mut Serial::set_up(&jobs, x, shape, workers)?)
    } else {
        with_threads(&jobs, x, shape, workers, options.wait, |fleet| master.drive(fleet))
    };
    ended.map(|ended| Some(master.outcome(ended)))
}

/// The division of the lists, if possible.
pub(super) fn shape_of<X>(jobs: &Jobs<'_, X>, options: &RunOptions, workers: usize) -> Result<Shape, RunError> {
    let shortest = jobs.iter().map(|job| job.list_length()).min();
    let Some(shortest) = shortest else {
        return Err(RunError::usage("no_job", "the algorithm has no job", "at least one".to_owned()));
    };
    if shortest == 0 {
        return Err(RunError::usage("empty_list", "the list of a job is empty", "at least one element".to_owned()));
    }
    if workers == 0 || workers as u64 > shortest {
        let message = match workers {
            0 => "there is no worker".to_owned(),
            _ => format!("{workers} workers are more than the {shortest} elements of the list"),
        };
        return Err(RunError::usage("workers", message, format!("1 to {shortest}")));
    }
    if !(1..=THREADS_MOST).contains(&options.threads) {
        let message = format!("{} threads for each worker are impossible", options.threads);
        return Err(RunError::usage("threads", message, format!("1 to {THREADS_MOST}")));
    }
    if options.backend == Backend::Threads && workers.saturating_mul(options.threads) > THREADS_MOST {
        let message = format!("{workers} workers with {} threads each are too many threads", options.threads);
        return Err(RunError::usage("workers", message, format!("{THREADS_MOST} threads in all")));
    }
    Ok(Shape { workers, threads: options.threads, on_grid: options.reproducible })
}

/// Threads of a process, at most.
const THREADS_MOST: usize = 4096;

/// The initial state: a new one, or that of a checkpoint.
pub(super) fn begin<X: DeserializeOwned>(
    first: X,
    identity: Identity<'_>,
    options: &RunOptions,
) -> Result<(State, X), RunError> {
    match &options.resume {
        Some(file) => checkpoint::load(file, identity),
        None => {
            let state =
                State { iteration: 0, job: 0, counter: 0, elapsed_s: 0.0, norms: Norms::default(), collective: None };
            Ok((state, first))
        }
    }
}

/// A run at the master.
pub(super) struct Master<'a, 'h, X> {
    jobs: &'a Jobs<'a, X>,
    identity: Identity<'a>,
    hooks: Hooks<'h, X>,
    options: &'a RunOptions,
    state: State,
    resumed_from: Option<u64>,
    start: Instant,
    elapsed_before_s: f64,
    saved: Saved,
    times: Times,
    warnings: Vec<Warning>,
}

/// When the last checkpoint was made.
struct Saved {
    iteration: u64,
    at: Instant,
}

/// How a run ended.
pub(super) struct Ended<X> {
    status: Status,
    approximation: X,
}

impl<'a, 'h, X: Clone + Serialize> Master<'a, 'h, X> {
    pub fn new(
        jobs: &'a Jobs<'a, X>,
        identity: Identity<'a>,
        hooks: Hooks<'h, X>,
        options: &'a RunOptions,
        state: State,
    ) -> Self {
        let start = Instant::now();
        let resumed_from = options.resume.is_some().then_some(state.iteration);
        let saved = Saved { iteration: state.iteration, at: start };
        let elapsed_before_s = state.elapsed_s;
        Master {
            jobs,
            identity,
            hooks,
            options,
            state,
            resumed_from,
            start,
            elapsed_before_s,
            saved,
            times: Times::default(),
            warnings: Vec::new(),
        }
    }

    /// Iterates to the end.
    pub fn drive(&mut self, fleet: &mut dyn Fleet<X>) -> Result<Ended<X>, RunError> {
        self.times = Times::new(fleet.times().len(), self.options.trace);
        self.start = Instant::now();
        self.saved.at = self.start;
        let status = loop {
            if let Some(status) = self.before(fleet)? {
                break status;
            }
            let step = self.iterate(fleet)?;
            self.look(fleet);
            let status = self.status_after(step)?;
            self.save_if_due(fleet, status)?;
            if let Some(status) = status {
                break status;
            }
        };
        let iteration = self.at();
        let mut approximation = None;
        fleet.with(0, &mut |x, _| {
            if let Some(end) = &mut self.hooks.end {
                end(x, &iteration);
            }
            approximation = Some(x.clone());
        });
        let approximation = approximation.ok_or_else(|| RunError::Message("the result is lost".to_owned()))?;
        Ok(Ended { status, approximation })
    }

    pub fn outcome(self, ended: Ended<X>) -> Outcome<X> {
        Outcome {
            approximation: ended.approximation,
            status: ended.status,
            iterations: self.state.iteration,
            counter: self.state.counter,
            step_norm: self.state.norms.last(),
            growth_rate: self.state.norms.growth_rate(),
            time_s: self.state.elapsed_s,
            collective: self.state.collective.unwrap_or(Collective::Flat),
            resumed_from: self.resumed_from,
            times: self.times,
            warnings: self.warnings,
        }
    }

    /// The last iteration, as hooks see it.
    fn at(&self) -> Iteration {
        Iteration {
            number: self.state.iteration,
            job: self.state.job,
            counter: self.state.counter,
            elapsed_s: self.state.elapsed_s,
        }
    }

    /// The dispatcher, and the limits that may be reached before any work.
    fn before(&mut self, fleet: &mut dyn Fleet<X>) -> Result<Option<Status>, RunError> {
        let done = self.state.iteration;
        if self.options.limits.iterations.is_some_and(|most| done >= most) {
            return Ok(Some(Status::Finished));
        }
        if done >= self.options.limits.max_iterations {
            return Ok(Some(Status::IterationLimit));
        }
        let next = Iteration { number: done.saturating_add(1), counter: 0, ..self.at() };
        let Some(before) = &mut self.hooks.before else { return Ok(None) };
        let mut chosen = Ok(Dispatch::Stay);
        fleet.with(self.state.job, &mut |x, _| {
            chosen = guarded_at_master(Place::Hook, next.number, || before(x, &next));
        });
        match chosen.map_err(RunError::User)? {
            Dispatch::Stay => Ok(None),
            Dispatch::Stop => Ok(Some(Status::Finished)),
            Dispatch::Job(job) => self.switch(job).map(|()| None),
        }
    }

    fn switch(&mut self, job: usize) -> Result<(), RunError> {
        if job >= self.jobs.len() {
            let message = format!("the algorithm chose job {job}, counted from 0");
            return Err(RunError::usage("no_such_job", message, format!("0 to {}", self.jobs.len() - 1)));
        }
        self.state.job = job;
        Ok(())
    }

    fn iterate(&mut self, fleet: &mut dyn Fleet<X>) -> Result<Step, RunError> {
        let collective = choice::collective(&mut self.state, self.options, fleet, &self.times, &mut self.warnings)?;
        let start = Instant::now();
        let number = self.state.iteration.saturating_add(1);
        let with_cpu = takes_cpu(number, self.times.last_iteration_s(), self.options.trace);
        let order = Order { iteration: number, job: self.state.job, collective, with_cpu };
        let mut whole = Stopwatch::start(with_cpu);
        fleet.iterate(&order)?;
        let mut watch = Stopwatch::start(with_cpu);
        let step = self.compute(fleet, &order)?;
        let (computed, whole) = (watch.lap(), whole.lap());
        self.state.iteration = number;
        self.state.elapsed_s = self.elapsed_before_s + start.duration_since(self.start).as_secs_f64() + whole.wall_s;
        let times = fleet.times();
        times[0].add(Phase::Compute, computed);
        times[0].add(Phase::Iteration, whole);
        for (rank, times) in times.iter().enumerate() {
            self.times.record(number, rank, times);
        }
        Ok(step)
    }

    fn compute(&mut self, fleet: &mut dyn Fleet<X>, order: &Order) -> Result<Step, RunError> {
        let job = self.jobs[order.job].as_ref();
        let mut at = Iteration { number: order.iteration, ..self.at() };
        let mut step = None;
        fleet.with(order.job, &mut |x, folded| {
            let Some((sum, counter)) = folded.whole() else { return };
            at.counter = counter;
            step = Some(guarded_at_master(Place::Compute, order.iteration, || job.compute(x, sum, &at)));
        });
        self.state.counter = at.counter;
        let step = step.ok_or_else(|| RunError::Message("the parts of the list are incomplete".to_owned()))?;
        step.map_err(RunError::User)
    }

    /// Hooks that see the new approximation.
    fn look(&mut self, fleet: &mut dyn Fleet<X>) {
        let at = self.at();
        if let Some(told) = &self.options.on_iteration {
            told.0(&at);
        }
        if let Some((every, look)) = &mut self.hooks.output
            && *every > 0
            && at.number.is_multiple_of(*every)
        {
            fleet.with(at.job, &mut |x, _| look(x, &at));
        }
    }

    /// Whether that was the last iteration; divergence comes first.
    fn status_after(&mut self, step: Step) -> Result<Option<Status>, RunError> {
        let limits = &self.options.limits;
        if let Some(norm) = step.norm {
            self.state.norms.push(norm);
            if self.state.norms.diverges(limits.divergence_factor) {
                return Ok(Some(Status::Diverged));
            }
        }
        match step.next {
            Next::Stop(Stop::Feasible) => return Ok(Some(Status::Feasible)),
            Next::Stop(Stop::Finished) => return Ok(Some(Status::Finished)),
            Next::Stop(Stop::Converged) if limits.iterations.is_none() => return Ok(Some(Status::Converged)),
            Next::Job(job) => self.switch(job)?,
            Next::Stop(Stop::Converged) | Next::Continue => {}
        }
        let done = self.state.iteration;
        let interrupted = self.options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        let late = limits.time.is_some_and(|limit| self.start.elapsed() >= limit);
        Ok(match limits.iterations {
            Some(most) if done >= most => Some(Status::Finished),
            _ if done >= limits.max_iterations => Some(Status::IterationLimit),
            _ if interrupted => Some(Status::Interrupted),
            _ if late => Some(Status::TimeLimit),
            _ => None,
        })
    }

    /// Saves when it is due, and before a stop from which a run may resume.
    fn save_if_due(&mut self, fleet: &mut dyn Fleet<X>, status: Option<Status>) -> Result<(), RunError> {
        let Some(checkpointing) = &self.options.checkpoint else { return Ok(()) };
        let due = match status {
            Some(Status::Diverged) => false,
            Some(status) => !status.is_done() || self.options.limits.iterations.is_some(),
            None => match checkpointing.every {
                Every::Iterations(n) => self.state.iteration - self.saved.iteration >= n,
                Every::Time(time) => self.saved.at.elapsed() >= time,
            },
        };
        if !due {
            return Ok(());
        }
        let mut saved = Ok(());
        fleet.with(self.state.job, &mut |x, _| {
            saved = checkpoint::save(&checkpointing.file, self.identity, &self.state, x);
        });
        self.saved = Saved { iteration: self.state.iteration, at: Instant::now() };
        saved
    }
}
