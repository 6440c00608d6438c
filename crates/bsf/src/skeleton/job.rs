//! The user's code: the job.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::ops::Range;

/// A Map and Reduce over a list, and the Compute that derives the next approximation.
///
/// ```text
/// s  = F_x(a_1) + .. + F_x(a_l)         map_fold, element by element; combine, block by block
/// x' = Compute(x, s) compute; then continue, stop, or another job
/// ```
///
/// No list of mapped elements ever exists: an element is folded as it is mapped. Every worker, and every thread of a
/// worker, has a block of the list and a partial result of its own; a job is shared by reference, so that the
/// compiler refuses code that races.
///
/// `+` must be associative; it need not be commutative, since everything is folded in the order of the list.
pub trait Job: Sync {
    /// The approximation `x` that the iterations improve.
    type Approximation;
    /// A worker's data for its block of the list, built in place by [`Job::set_up`]; `()` for nothing.
    type Block: Send + 'static;
    /// A partial result: what the mapped elements are folded into.
    type Partial: Serialize + DeserializeOwned + Send + 'static;

    fn list_length(&self) -> u64;

    /// Builds what the elements of this range need. It runs once, where the range will be mapped.
    ///
    /// It must write its memory, so that the page faults do not happen in the first iteration.
    ///
    /// # Errors
    /// Errors of the user's code.
    fn set_up(&self, elements: Range<u64>) -> Result<Self::Block, JobError>;

    /// A partial result of no element: `identity + s = s`.
    fn identity(&self) -> Self::Partial;

    /// Resets a used partial result to the identity; better than a new one if it holds memory.
    fn reset(&self, partial: &mut Self::Partial) {
        *partial = self.identity();
    }

    /// Maps an element at `x` and folds the result into `partial`, from the right.
    ///
    /// # Errors
    /// Errors of the user's code.
    fn map_fold(
        &self,
        element: Element<'_, Self::Block>,
        x: &Self::Approximation,
        partial: &mut Self::Partial,
    ) -> Result<Presence, JobError>;

    /// Maps and folds a range of elements in their order; returns how many were present.
    ///
    /// Worth overriding if several elements at once are faster than one by one.
    ///
    /// # Errors
    /// Errors of the user's code.
    fn map_fold_range(
        &self,
        elements: Elements<'_, Self::Block>,
        x: &Self::Approximation,
        partial: &mut Self::Partial,
    ) -> Result<u64, JobError> {
        let mut present = 0;
        for element in elements {
            let watch = element.watch();
            let presence = self.map_fold(element, x, partial).map_err(|error| error.at_element(element.index))?;
            present += u64::from(presence == Presence::Present);
            watch.passed();
        }
        Ok(present)
    }

    /// Folds `right` into `left`: `left + right`.
    fn combine(&self, left: &mut Self::Partial, right: &Self::Partial);

    /// Computes the next approximation in place, and decides what comes next.
    ///
    /// When no element was present, `sum` is the identity and `at.counter` is 0.
    ///
    /// # Errors
    /// Errors of the user's code.
    fn compute(&self, x: &mut Self::Approximation, sum: &Self::Partial, at: &Iteration) -> Result<Step, JobError>;
}

/// An element of the list, as a worker sees it.
#[derive(Debug)]
pub struct Element<'a, B> {
    /// Its index in the whole list, from 0.
    pub index: u64,
    /// Its index in the block, from 0.
    pub offset: usize,
    /// The data set up for the block.
    pub block: &'a B,
}

impl<B> Clone for Element<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Element<'_, B> {}

impl<B> Element<'_, B> {
    /// Remembers the element in case its map panics.
    fn watch(&self) -> Watch {
        Watch(self.index)
    }
}

/// Consecutive elements of the list, as a worker sees them: an iterator.
#[derive(Debug)]
pub struct Elements<'a, B> {
    /// Their indices in the whole list.
    pub range: Range<u64>,
    /// The index in the block of the first of them.
    pub offset: usize,
    /// The data set up for the block.
    pub block: &'a B,
}

impl<'a, B> Iterator for Elements<'a, B> {
    type Item = Element<'a, B>;

    fn next(&mut self) -> Option<Element<'a, B>> {
        let index = self.range.next()?;
        let offset = self.offset;
        self.offset += 1;
        Some(Element { index, offset, block: self.block })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.range.size_hint()
    }
}

/// Whether an element takes part in this iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It was folded, and counts.
    Present,
    /// It was skipped; the partial result is unchanged.
    Absent,
}

/// State of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// From 1; a resumed run continues counting.
    pub number: u64,
    /// The current job, in the order in which jobs were added.
    pub job: usize,
    /// How many elements were present; before the first map and fold 0.
    pub counter: u64,
    /// Seconds since the start, those of the runs before included when it was resumed \[s\].
    pub elapsed_s: f64,
}

/// The decision after an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Continue or stop.
    pub next: Next,
    /// A norm of `x' - x`, from which divergence and the growth rate are found; optional.
    pub norm: Option<f64>,
}

/// Continue or stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Another iteration.
    Continue,
    /// Another iteration, with this job.
    Job(usize),
    /// That was the last iteration.
    Stop(Stop),
}

/// Why an algorithm stops by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The approximation has converged.
    Converged,
    /// The approximation satisfies all conditions; there is nothing to improve.
    Feasible,
    /// All work is done.
    Finished,
}

impl Step {
    /// Another iteration.
    pub fn again() -> Self {
        Step { next: Next::Continue, norm: None }
    }

    /// Another iteration, with this job.
    pub fn job(job: usize) -> Self {
        Step { next: Next::Job(job), norm: None }
    }

    /// That was the last iteration.
    pub fn stop(stop: Stop) -> Self {
        Step { next: Next::Stop(stop), norm: None }
    }

    /// The last iteration if it has converged, another one if not.
    pub fn converged_if(good_enough: bool) -> Self {
        if good_enough { Step::stop(Stop::Converged) } else { Step::again() }
    }

    /// Sets the norm of `x' - x`.
    #[must_use]
    pub fn with_norm(mut self, norm: f64) -> Self {
        self.norm = Some(norm);
        self
    }
}

/// An error reported by a job's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobError {
    /// One sentence without a final full stop.
    pub message: String,
    /// The element, if known.
    pub element: Option<u64>,
}

impl JobError {
    /// An error, described in one sentence.
    pub fn new(message: impl Into<String>) -> Self {
        JobError { message: message.into(), element: None }
    }

    /// Sets the element, unless it is known.
    #[must_use]
    pub fn at_element(mut self, index: u64) -> Self {
        self.element = self.element.or(Some(index));
        self
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JobError {}

std::thread_local! {
    /// The element whose map panicked last on this thread.
    static PANICKED_AT: std::cell::Cell<Option<u64>> = const { std::cell::Cell::new(None) };
}

/// The element whose map panicked on this thread, once.
pub(super) fn panicked_at() -> Option<u64> {
    PANICKED_AT.take()
}

/// Dropped by a panic, it records the element.
struct Watch(u64);

impl Watch {
    fn passed(self) {
        std::mem::forget(self);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            PANICKED_AT.set(Some(self.0));
        }
    }
}
