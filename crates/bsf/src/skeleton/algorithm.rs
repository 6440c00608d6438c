//! An algorithm: jobs, a first approximation, and hooks.

use super::erased::AnyJob;
use super::job::{Iteration, Job, JobError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::xxh3_64;

/// Jobs with a first approximation, a name, and hooks; the input of [`run`](super::run).
///
/// Under MPI every rank builds the same algorithm. Hooks run at the master alone.
pub struct Algorithm<'a, X> {
    pub(super) name: String,
    pub(super) fingerprint: u64,
    pub(super) first: X,
    pub(super) jobs: Vec<Box<dyn AnyJob<X> + 'a>>,
    pub(super) hooks: Hooks<'a, X>,
}

/// What to do in the next iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dispatch {
    /// The job that the last Compute chose.
    Stay,
    Job(usize),
    /// None: stop as finished.
    Stop,
}

type Before<'a, X> = Box<dyn FnMut(&X, &Iteration) -> Result<Dispatch, JobError> + Send + 'a>;
type Look<'a, X> = Box<dyn FnMut(&X, &Iteration) + Send + 'a>;

/// Callbacks at the master.
pub(super) struct Hooks<'a, X> {
    pub before: Option<Before<'a, X>>,
    pub output: Option<(u64, Look<'a, X>)>,
    pub end: Option<Look<'a, X>>,
}

impl<'a, X: Clone + Serialize + DeserializeOwned + Send + Sync> Algorithm<'a, X> {
    /// An algorithm without jobs. The name, with the [parameters](Algorithm::parameters), distinguishes checkpoints of
    /// different problems.
    pub fn new(name: impl Into<String>, first_approximation: X) -> Self {
        Algorithm {
            name: name.into(),
            fingerprint: 0,
            first: first_approximation,
            jobs: Vec::new(),
            hooks: Hooks { before: None, output: None, end: None },
        }
    }

    /// Sets the parameters of the problem, such as its size: a checkpoint with other parameters is refused.
    #[must_use]
    pub fn parameters(mut self, parameters: &str) -> Self {
        self.fingerprint = xxh3_64(parameters.as_bytes());
        self
    }

    /// Adds a job; the first one added is the one to begin with.
    #[must_use]
    pub fn job(mut self, job: impl Job<Approximation = X> + 'a) -> Self {
        self.jobs.push(Box::new(job));
        self
    }

    /// Called before each iteration: may switch to another job, or stop.
    #[must_use]
    pub fn before_each(mut self, hook: impl FnMut(&X, &Iteration) -> Result<Dispatch, JobError> + Send + 'a) -> Self {
        self.hooks.before = Some(Box::new(hook));
        self
    }

    /// Called after every n-th iteration, with its number and the time so far; 0 means never.
    #[must_use]
    pub fn output_every(mut self, n: u64, hook: impl FnMut(&X, &Iteration) + Send + 'a) -> Self {
        self.hooks.output = Some((n, Box::new(hook)));
        self
    }

    /// Called after the last iteration.
    #[must_use]
    pub fn at_end(mut self, hook: impl FnMut(&X, &Iteration) + Send + 'a) -> Self {
        self.hooks.end = Some(Box::new(hook));
        self
    }
}
