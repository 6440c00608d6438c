//! The costs of an algorithm, measured on this machine.

mod blocks;
mod collectives;
mod combine;
mod messages;
mod parts;
mod protocols;
mod pulse;
mod sample;

pub use messages::MessageTable;
pub use parts::{Knot, Parts};
pub use protocols::switches;
pub use sample::Estimate;

use self::pulse::Pulse;
use self::sample::Sample;
use super::algorithm::Algorithm;
use super::error::{Place, RunError};
use super::fleet::Fleet;
use super::job::{Iteration, Next};
use super::lane::{Jobs, Order, guarded_at_master};
use super::master::shape_of;
use super::options::{Backend, RunOptions};
use super::ranks;
use super::threads::with_threads;
use super::times::{Phase, Stopwatch};
use crate::cost::Collective;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::{Duration, Instant};

/// How costs are measured.
#[derive(Debug, Clone)]
pub struct CalibrateOptions {
    /// Backend `threads` or `mpi`, threads of the worker, waiting, interrupt; the rest is ignored. The callback after
    /// every iteration is also called between other measurements, with the number of the last iteration.
    pub run: RunOptions,
    /// Round trips for every size of a message, and passes over buffers.
    pub repeat: usize,
    /// Iterations at least.
    pub iterations: u64,
    /// Time of the iterations at least.
    pub time: Duration,
    /// Workers of the run to be predicted: this many partial results will be held.
    pub workers: usize,
    /// Also what costs in pieces consist of: blocks of all sizes, protocols of messages, collectives.
    pub in_pieces: bool,
}

/// The measurements, with one worker. Every value is a median, with a 90 % interval of single measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    pub list_length: u64,
    /// Processes, or threads, that took part.
    pub processes: usize,
    /// `L`: half the round trip of one byte \[s\].
    pub latency_s: Estimate,
    /// `o`: the additional time for which the master is busy per message in a row, without `t_s` \[s\]; with two
    /// workers or more.
    pub overhead_s: Option<Estimate>,
    /// `t_s` \[s\].
    pub send_s: Estimate,
    /// `t_r` \[s\].
    pub receive_s: Estimate,
    /// `W`: CPU time of map and fold of the whole list \[s\].
    pub work_s: Estimate,
    /// `t_a` \[s\].
    pub fold_s: Estimate,
    /// `t_p` \[s\].
    pub compute_s: Estimate,
    /// Wall time of an iteration with the one worker \[s\]: more than its costs where waiting threads wake slowly, or
    /// where others use the cores.
    pub iteration_s: Estimate,
    /// Bytes of an order, with the approximation.
    pub send_bytes: u64,
    /// Bytes of a partial result.
    pub receive_bytes: u64,
    /// Iterations that were measured.
    pub iterations: u64,
    /// One way, over the size.
    pub messages: MessageTable,
    /// What costs in pieces consist of, where it was asked for.
    pub parts: Option<Parts>,
}

impl Default for CalibrateOptions {
    fn default() -> Self {
        let run = RunOptions { backend: Backend::Threads, ..RunOptions::default() };
        CalibrateOptions { run, repeat: 30, iterations: 20, time: Duration::from_secs(1), workers: 4, in_pieces: false }
    }
}

/// Iterations that are not measured: pages are faulted in, buffers grow.
const WARM_UP: u64 = 2;

/// Measures the costs of the first job of an algorithm with one worker, in a thread or in rank 1 of MPI; further
/// ranks of MPI serve to measure what the master is busy with. Ranks other than the master return nothing.
///
/// # Errors
/// [`RunError`]; `interrupted` when the interrupt of the options was raised.
pub fn calibrate<X: Clone + Serialize + DeserializeOwned + Send + Sync>(
    algorithm: Algorithm<'_, X>,
    options: &CalibrateOptions,
) -> Result<Option<Calibration>, RunError> {
    let Algorithm { first, jobs, .. } = algorithm;
    match options.run.backend {
        Backend::Mpi => ranks::calibrate(&jobs, first, options),
        Backend::Serial | Backend::Threads => {
            let shape = shape_of(&jobs, &options.run, 1)?;
            let start = first.clone();
            let mut measured = with_threads(&jobs, first.clone(), shape, 1..2, options.run.wait, |fleet| {
                measure(&jobs, start, options, fleet, 1)
            })?;
            if let Some(parts) = &mut measured.parts {
                let workers = doubled(jobs[0].list_length(), options.run.threads);
                let all = collectives::measure(jobs[0].as_ref(), &first, &options.run, &workers, options.repeat)?;
                let counts: Vec<u64> = workers.iter().map(|&count| count as u64).collect();
                parts.collectives = all.into_iter().map(|(how, times)| (how, counts.clone(), times)).collect();
            }
            Ok(Some(measured))
        }
    }
}

/// Numbers of workers, doubled up to the cores of this machine.
fn doubled(list_length: u64, threads: usize) -> Vec<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) / threads.max(1);
    let most = cores.max(1).min(usize::try_from(list_length).unwrap_or(usize::MAX));
    (0..usize::BITS).map(|power| 1 << power).take_while(|&workers| workers <= most).collect()
}

/// Measures with a fleet of which the first worker has the whole list.
pub(super) fn measure<X: Clone>(
    jobs: &Jobs<'_, X>,
    first: X,
    options: &CalibrateOptions,
    fleet: &mut dyn Fleet<X>,
    workers: usize,
) -> Result<Calibration, RunError> {
    let mut pulse = Pulse::new(&options.run, workers);
    let Iterations { work, compute, all } = iterate(jobs, &first, options, fleet, &mut pulse)?;
    let fold = combine::measure(jobs[0].as_ref(), options, fleet)?;
    let (send_bytes, receive_bytes) = fleet.message_bytes();
    let latency = messages::one_way(fleet, 1, options.repeat, &mut pulse)?;
    let latency_s = latency.median();
    let mut transfer = |bytes| match bytes {
        // Threads share their memory: nothing is transferred, and a measurement would be noise.
        0 => Ok(Sample::new(vec![0.0])),
        _ => messages::one_way(fleet, bytes, options.repeat, &mut pulse).map(|sample| sample.less(latency_s)),
    };
    let (send, receive) = (transfer(send_bytes)?, transfer(receive_bytes)?);
    let overhead = match workers {
        0 | 1 => None,
        _ => {
            let busy = busy(fleet, workers, send_bytes, options.repeat, &mut pulse)?;
            Some(busy.less(send.median()).at_most(latency_s))
        }
    };
    let messages = MessageTable::measure(fleet, options.repeat, &mut pulse)?;
    let parts = match options.in_pieces {
        true => {
            let blocks = blocks::measure(jobs, &first, options.run.threads, fleet, &mut pulse)?;
            let (messages, switches) = match send_bytes + receive_bytes {
                // Threads: nothing is transferred, whatever the size.
                0 => (vec![Knot { size: 0, time_s: latency_s, busy_s: latency_s }], Vec::new()),
                _ => parts::messages(&messages, fleet, workers, options.repeat, &mut pulse)?,
            };
            Some(Parts { blocks, messages, switches, collectives: Vec::new() })
        }
        false => None,
    };
    Ok(Calibration {
        list_length: jobs[0].list_length(),
        processes: workers + 1,
        latency_s: latency.estimate(),
        overhead_s: overhead.map(|overhead| overhead.estimate()),
        send_s: send.estimate(),
        receive_s: receive.estimate(),
        work_s: work.estimate(),
        fold_s: fold.estimate(),
        compute_s: compute.estimate(),
        iteration_s: all.estimate(),
        send_bytes: send_bytes as u64,
        receive_bytes: receive_bytes as u64,
        iterations: work.count() as u64,
        messages,
        parts,
    })
}

/// The additional time for which the master is busy per worker, when it sends to several in a row.
fn busy<X>(
    fleet: &mut dyn Fleet<X>,
    workers: usize,
    bytes: usize,
    repeat: usize,
    pulse: &mut Pulse<'_>,
) -> Result<Sample, RunError> {
    let growth = (0..repeat).map(|_| {
        pulse.beat(fleet)?;
        let (one_s, all_s) = (fleet.scatter(1, bytes)?, fleet.scatter(workers, bytes)?);
        Ok((all_s - one_s) / (workers - 1) as f64)
    });
    growth.collect::<Result<Vec<_>, _>>().map(Sample::new)
}

/// Times of iterations.
struct Iterations {
    /// CPU times of the work.
    work: Sample,
    compute: Sample,
    /// Wall times of all of it.
    all: Sample,
}

/// Iterates until there are enough iterations.
fn iterate<X: Clone>(
    jobs: &Jobs<'_, X>,
    first: &X,
    options: &CalibrateOptions,
    fleet: &mut dyn Fleet<X>,
    pulse: &mut Pulse<'_>,
) -> Result<Iterations, RunError> {
    let (mut work, mut compute, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let (mut start, mut iteration) = (Instant::now(), 0);
    while work.len() < options.iterations as usize || start.elapsed() < options.time {
        pulse.iterated(iteration, fleet)?;
        iteration += 1;
        let order = Order { iteration, job: 0, collective: Collective::Flat, with_cpu: true };
        let begun = Instant::now();
        fleet.iterate(&order)?;
        let spent = compute_once(jobs, first, &order, fleet)?;
        let iteration_s = begun.elapsed().as_secs_f64();
        if iteration == WARM_UP {
            start = Instant::now();
        }
        if iteration > WARM_UP {
            work.extend(fleet.times()[1].cpu(Phase::MapFold));
            compute.push(spent);
            all.push(iteration_s);
        }
    }
    Ok(Iterations { work: Sample::new(work), compute: Sample::new(compute), all: Sample::new(all) })
}

/// Below this, reading the CPU clock would dominate the measurement.
const SHORT_S: f64 = 10e-6;

/// Computes the next approximation; restarts if the algorithm would stop.
fn compute_once<X: Clone>(
    jobs: &Jobs<'_, X>,
    first: &X,
    order: &Order,
    fleet: &mut dyn Fleet<X>,
) -> Result<f64, RunError> {
    let mut computed = Err(RunError::Message("the parts of the list are incomplete".to_owned()));
    fleet.with(order.job, &mut |x, folded| {
        let Some((sum, counter)) = folded.whole() else { return };
        let at = Iteration { number: order.iteration, job: order.job, counter, elapsed_s: 0.0 };
        let mut watch = Stopwatch::start(true);
        let step = guarded_at_master(Place::Compute, order.iteration, || jobs[order.job].compute(x, sum, &at));
        let spent = watch.lap();
        computed = step.map_err(RunError::User).map(|step| {
            if step.next != Next::Continue || step.norm.is_some_and(|norm| !norm.is_finite()) {
                x.clone_from(first);
            }
            if spent.wall_s < SHORT_S { spent.wall_s } else { spent.cpu_s }
        });
    });
    computed
}
