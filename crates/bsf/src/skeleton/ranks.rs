//! A run over ranks, one of which is the master; they communicate over a [`Link`].
#![cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "without MPI there is no link"))]

mod master;
mod stall;
mod wire;
mod worker;

use self::master::Ranks;
use self::worker::WorkerRank;
use super::algorithm::Hooks;
use super::calibrate::{CalibrateOptions, Calibration, measure};
use super::checkpoint::Identity;
use super::error::RunError;
use super::fleet::Fleet;
use super::lane::{Jobs, Shape};
use super::link::Link;
use super::master::{Master, begin, shape_of};
use super::options::RunOptions;
use super::outcome::Outcome;
use super::serial::Serial;
use super::threads::with_threads;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A run as every rank begins it.
pub(super) struct Start<'a, X> {
    pub jobs: &'a Jobs<'a, X>,
    pub first: X,
    pub identity: Identity<'a>,
    pub hooks: Hooks<'a, X>,
    pub options: &'a RunOptions,
}

/// Runs this rank's part of an MPI program.
pub(super) fn run<X: Clone + Serialize + DeserializeOwned + Send + Sync>(
    start: Start<'_, X>,
) -> Result<Option<Outcome<X>>, RunError> {
    #[cfg(feature = "mpi")]
    return on_link(&super::mpi::MpiLink::start()?, start);
    #[cfg(not(feature = "mpi"))]
    return without_mpi(start);
}

/// Measures in this rank.
pub(super) fn calibrate<X: Clone + Serialize + DeserializeOwned + Send + Sync>(
    jobs: &Jobs<'_, X>,
    first: X,
    options: &CalibrateOptions,
) -> Result<Option<Calibration>, RunError> {
    #[cfg(feature = "mpi")]
    return calibrate_on_link(&super::mpi::MpiLink::start()?, jobs, first, options);
    #[cfg(not(feature = "mpi"))]
    return without_mpi((jobs, first, options));
}

/// There is no MPI in this build.
#[cfg(not(feature = "mpi"))]
fn without_mpi<S, T>(_start: S) -> Result<T, RunError> {
    let message = "this program was built without MPI";
    Err(RunError::usage("without_mpi", message, "serial, threads; mpi when built with --features mpi".to_owned()))
}

/// Runs this rank's part over a link.
pub(super) fn on_link<X: Clone + Serialize + DeserializeOwned + Send + Sync, L: Link>(
    link: &L,
    Start { jobs, first, identity, hooks, options }: Start<'_, X>,
) -> Result<Option<Outcome<X>>, RunError> {
    let workers = check_workers(link, options.workers)?;
    let shape = shape_of(jobs, options, workers)?;
    if link.rank() != 0 {
        return work(link, jobs, first, shape, options).map(|()| None);
    }
    // An unusable checkpoint is reported to the workers, too: they wait for the first order.
    let begun = begin(first, identity, options);
    let (state, x) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            Ranks::<X, L>::dismiss_all(link, options)?;
            return Err(error);
        }
    };
    let mut ranks = Ranks::set_up(jobs, x, shape, link, options)?;
    let mut master = Master::new(jobs, identity, hooks, options, state);
    match master.drive(&mut ranks) {
        Ok(ended) => {
            ranks.leave()?;
            Ok(Some(master.outcome(ended)))
        }
        Err(error) => {
            ranks.dismiss(&error);
            Err(error)
        }
    }
}

/// The number of workers.
fn check_workers(link: &impl Link, asked: usize) -> Result<usize, RunError> {
    let workers = link.size().saturating_sub(1);
    if workers == 0 {
        let message = "an MPI run needs a master and a worker, but there is only one process";
        return Err(RunError::usage("one_process", message, "2 processes or more".to_owned()));
    }
    if asked != 0 && asked != workers {
        let message = format!("{asked} workers were requested, but {workers} were started");
        return Err(RunError::usage("workers", message, format!("{workers}, or none given")));
    }
    Ok(workers)
}

/// Measures over a link: rank 1 works, the others only answer.
pub(super) fn calibrate_on_link<X: Clone + Serialize + DeserializeOwned + Send + Sync, L: Link>(
    link: &L,
    jobs: &Jobs<'_, X>,
    first: X,
    options: &CalibrateOptions,
) -> Result<Option<Calibration>, RunError> {
    let workers = check_workers(link, 0)?;
    let shape = shape_of(jobs, &options.run, 1)?;
    match link.rank() {
        0 => {
            let mut ranks = Ranks::set_up(jobs, first.clone(), shape, link, &options.run)?;
            let measured = measure(jobs, first, options, &mut ranks, workers);
            match &measured {
                Ok(_) => ranks.leave()?,
                Err(error) => ranks.dismiss(error),
            }
            measured.map(Some)
        }
        1 => work(link, jobs, first, shape, &options.run).map(|()| None),
        _ => {
            let mut rank = WorkerRank::new(jobs, shape, link, &options.run);
            rank.report(None)?;
            rank.wait_to_leave().map(|()| None)
        }
    }
}

/// A worker's rank: with one thread in the thread that also takes the messages, with more in threads beside it.
fn work<X: Serialize + DeserializeOwned + Send + Sync, L: Link>(
    link: &L,
    jobs: &Jobs<'_, X>,
    first: X,
    shape: Shape,
    options: &RunOptions,
) -> Result<(), RunError> {
    let mut rank = WorkerRank::new(jobs, shape, link, options);
    let workers = link.rank()..link.rank() + 1;
    let mut served = false;
    let mut serve = |fleet: &mut dyn Fleet<X>| {
        served = true;
        rank.report(None)?;
        rank.serve(fleet)
    };
    let done = if shape.threads == 1 {
        Serial::set_up(jobs, first, shape, workers).and_then(|mut fleet| serve(&mut fleet))
    } else {
        with_threads(jobs, first, shape, workers, options.wait, |fleet| serve(fleet))
    };
    match done {
        Err(RunError::User(error)) if !served => {
            rank.report(Some(error))?;
            rank.wait_to_leave()
        }
        done => done,
    }
}
