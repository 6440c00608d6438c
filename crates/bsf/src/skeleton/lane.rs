//! A lane: a thread of a worker, with its part of every list and a partial result of its own.

use super::erased::{AnyJob, Opaque};
use super::error::{Place, UserError};
use super::fold::{Folded, Node, block, chunk, chunks_of};
use super::job::{JobError, panicked_at};
use super::times::{Phase, PhaseTimes, Stopwatch};
use crate::cost::Collective;
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The jobs of an algorithm.
pub(super) type Jobs<'a, X> = [Box<dyn AnyJob<X> + 'a>];

/// The division of lists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub workers: usize,
    /// Of each worker.
    pub threads: usize,
    /// Along the fixed grid of chunks.
    pub on_grid: bool,
}

/// The order of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Order {
    pub iteration: u64,
    pub job: usize,
    pub collective: Collective,
    /// Whether the CPU time is to be taken.
    pub with_cpu: bool,
}

/// A thread of a worker.
pub(super) struct Lane {
    /// From 1 on.
    pub worker: usize,
    /// The result of the last order, for each job.
    pub folded: Vec<Folded>,
    /// Of the last order.
    pub times: PhaseTimes,
    parts: Vec<Part>,
    on_grid: bool,
}

/// A part of the list of a job, and the data set up for it.
struct Part {
    length: u64,
    /// Chunks of the grid; the elements themselves without one.
    pieces: Range<u64>,
    elements: Range<u64>,
    block: Opaque,
}

impl Lane {
    /// Sets up a thread (from 0) of a worker (from 1), on the thread where it will run.
    pub fn set_up<X>(jobs: &Jobs<'_, X>, shape: Shape, worker: usize, thread: usize) -> Result<Lane, UserError> {
        let parts = jobs.iter().map(|job| {
            let length = job.list_length();
            let pieces = pieces(length, shape, worker, thread);
            let elements = if shape.on_grid { elements(length, &pieces) } else { pieces.clone() };
            let block = guarded(Place::SetUp, worker, 0, || job.set_up(elements.clone()))?;
            Ok(Part { length, pieces, elements, block })
        });
        let parts = parts.collect::<Result<_, UserError>>()?;
        let folded = jobs.iter().map(|job| {
            let make = || Ok(if shape.on_grid { Folded::default() } else { Folded::identity(job.as_ref()) });
            guarded(Place::SetUp, worker, 0, make)
        });
        let folded = folded.collect::<Result<_, UserError>>()?;
        Ok(Lane { worker, folded, times: PhaseTimes::default(), parts, on_grid: shape.on_grid })
    }

    /// Maps and folds its part of the list.
    pub fn map_fold<X>(&mut self, jobs: &Jobs<'_, X>, order: &Order, x: &X) -> Result<(), UserError> {
        let mut watch = Stopwatch::start(order.with_cpu);
        self.times = PhaseTimes::default();
        let (job, part) = (jobs[order.job].as_ref(), &self.parts[order.job]);
        let (folded, on_grid) = (&mut self.folded[order.job], self.on_grid);
        guarded(Place::MapFold, self.worker, order.iteration, || {
            if on_grid { part.fold_chunks(job, x, folded) } else { part.fold_elements(job, x, folded) }
        })?;
        self.times.add(Phase::MapFold, watch.lap());
        Ok(())
    }

    /// Appends the result of another lane, whose part follows.
    pub fn append<X>(&mut self, jobs: &Jobs<'_, X>, order: &Order, right: &mut Folded) -> Result<(), UserError> {
        let (folded, on_grid) = (&mut self.folded[order.job], self.on_grid);
        guarded(Place::Combine, self.worker, order.iteration, || {
            folded.append(jobs[order.job].as_ref(), right, on_grid);
            Ok(())
        })
    }
}

impl Part {
    fn fold_elements<X>(&self, job: &dyn AnyJob<X>, x: &X, folded: &mut Folded) -> Result<(), JobError> {
        for node in &mut folded.nodes {
            job.reset(&mut node.partial);
            node.counter = self.fold(job, self.elements.clone(), x, &mut node.partial)?;
        }
        Ok(())
    }

    fn fold_chunks<X>(&self, job: &dyn AnyJob<X>, x: &X, folded: &mut Folded) -> Result<(), JobError> {
        folded.nodes.clear();
        for index in self.pieces.clone() {
            let mut partial = job.identity();
            let counter = self.fold(job, chunk(self.length, index), x, &mut partial)?;
            folded.push(job, Node { level: 0, index, counter, partial });
        }
        Ok(())
    }

    fn fold<X>(&self, job: &dyn AnyJob<X>, range: Range<u64>, x: &X, into: &mut Opaque) -> Result<u64, JobError> {
        if range.is_empty() {
            return Ok(0);
        }
        job.map_fold(&self.block, self.elements.start, range, x, into)
    }
}

/// The pieces (chunks of the grid, or elements) of a thread of a worker.
fn pieces(length: u64, shape: Shape, worker: usize, thread: usize) -> Range<u64> {
    let pieces = if shape.on_grid { chunks_of(length) } else { length };
    let of_worker = block(pieces, shape.workers as u64, worker as u64 - 1);
    let of_thread = block(of_worker.end - of_worker.start, shape.threads as u64, thread as u64);
    of_worker.start + of_thread.start..of_worker.start + of_thread.end
}

/// The elements of a row of chunks.
fn elements(length: u64, chunks: &Range<u64>) -> Range<u64> {
    if chunks.is_empty() {
        return 0..0;
    }
    chunk(length, chunks.start).start..chunk(length, chunks.end - 1).end
}

/// Runs user code in a worker; a panic becomes an ordinary error.
fn guarded<T>(
    place: Place,
    worker: usize,
    iteration: u64,
    code: impl FnOnce() -> Result<T, JobError>,
) -> Result<T, UserError> {
    caught(code).map_err(|(error, panicked)| UserError {
        place,
        worker: Some(worker as u64),
        iteration,
        element: error.element,
        panicked,
        message: error.message,
    })
}

/// Runs code of a user at the master.
pub(super) fn guarded_at_master<T>(
    place: Place,
    iteration: u64,
    code: impl FnOnce() -> Result<T, JobError>,
) -> Result<T, UserError> {
    caught(code).map_err(|(error, panicked)| UserError {
        place,
        worker: None,
        iteration,
        element: error.element,
        panicked,
        message: error.message,
    })
}

/// The error, and whether it was a panic.
fn caught<T>(code: impl FnOnce() -> Result<T, JobError>) -> Result<T, (JobError, bool)> {
    match catch_unwind(AssertUnwindSafe(code)) {
        Ok(result) => result.map_err(|error| (error, false)),
        Err(payload) => Err((JobError { message: said(payload.as_ref()), element: panicked_at() }, true)),
    }
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}
