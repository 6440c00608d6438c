//! How an algorithm is run.

use super::job::Iteration;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How an algorithm is run.
///
/// ```
/// use runcast_bsf::skeleton::{Backend, RunOptions};
/// let options = RunOptions { backend: Backend::Threads, workers: 4, ..RunOptions::default() };
/// assert_eq!(options.threads, 1);
/// ```
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Where the workers are.
    pub backend: Backend,
    /// Number of workers. Under MPI it must be the number of ranks minus one; 0 means that number.
    pub workers: usize,
    /// Threads of each worker.
    pub threads: usize,
    /// How orders and partial results travel.
    pub collective: CollectiveChoice,
    /// Behavior of idle workers.
    pub wait: Waiting,
    /// Same bits for any number of workers and threads and any collective.
    pub reproducible: bool,
    pub limits: Limits,
    /// Where and when to save.
    pub checkpoint: Option<Checkpointing>,
    /// The checkpoint to resume from.
    pub resume: Option<PathBuf>,
    /// Keep the times of every iteration, not only their medians and sums.
    pub trace: bool,
    /// Set from outside: finish the iteration, save, stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// A rank gives up after this long without a sign of life from another; default: ten times the longest
    /// iteration, at least a minute, and ten minutes until the first one has ended.
    pub stall_timeout: Option<Duration>,
    /// Called at the master after every iteration, for any problem: for progress bars and heartbeats.
    pub on_iteration: Option<OnIteration>,
}

/// A callback for every iteration.
#[derive(Clone)]
pub struct OnIteration(pub Arc<dyn Fn(&Iteration) + Send + Sync>);

impl fmt::Debug for OnIteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnIteration")
    }
}

/// Where the workers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// One after another, in the thread of the caller.
    Serial,
    /// In threads of this process.
    Threads,
    /// In the other ranks of an MPI program (feature `mpi`).
    Mpi,
}

runcast_core::words!(Backend::name: Serial = "serial", Threads = "threads", Mpi = "mpi");

/// How orders and partial results travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CollectiveChoice {
    /// Between the master and each worker.
    Flat,
    /// Along a binomial tree with the master at its root.
    Tree,
    /// What the cost model recommends after a few timed iterations.
    Auto,
}

runcast_core::words!(CollectiveChoice::name: Flat = "flat", Tree = "tree", Auto = "auto");

/// What those do who have nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Busy-wait: lowest latency, and a busy core.
    Spin,
    /// Yield the core to others.
    Sleep,
}

runcast_core::words!(Waiting::name: Spin = "spin", Sleep = "sleep");

/// When to stop, beside what the algorithm says.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Exactly this many iterations, regardless of convergence; those before a resumed run count.
    pub iterations: Option<u64>,
    /// At most this many iterations.
    pub max_iterations: u64,
    /// At most about this long, not counting the time before a resumed run.
    pub time: Option<Duration>,
    /// A norm above this many times the first one counts as divergence.
    pub divergence_factor: f64,
}

/// Where and when to save.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpointing {
    /// The file; the one before it gets `.previous` at the end of its name.
    pub file: PathBuf,
    pub every: Every,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Every {
    /// Every this many iterations.
    Iterations(u64),
    /// Whenever this much time has passed.
    Time(Duration),
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            backend: Backend::Serial,
            workers: 1,
            threads: 1,
            collective: CollectiveChoice::Flat,
            wait: Waiting::Sleep,
            reproducible: false,
            limits: Limits::default(),
            checkpoint: None,
            resume: None,
            trace: false,
            interrupt: None,
            stall_timeout: None,
            on_iteration: None,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { iterations: None, max_iterations: 1_000_000, time: None, divergence_factor: 1e6 }
    }
}
