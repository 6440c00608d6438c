//! A job of the caller as a job of the skeleton.

use super::abi;
use super::lines::Lines;
use super::run::Trouble;
use crate::skeleton::{Element, Elements, Iteration, Job, JobError, Next, Presence, Step, Stop};
use std::ffi::{c_int, c_void};
use std::ops::Range;

/// `bsf_compute` returns it to end the iterations.
const STOP: c_int = 1;

/// A job of the caller.
pub(super) struct CallersJob<'a> {
    pub job: abi::Job,
    pub workers: i32,
    pub job_count: i32,
    pub trouble: &'a Trouble,
}

// SAFETY: the functions of the caller may be called at once with the same data; `bsf.h` says so.
unsafe impl Sync for CallersJob<'_> {}

/// The caller's data for a block of the list.
pub(super) struct Block {
    block: *mut c_void,
    data: *mut c_void,
    tear_down: Option<abi::OnMemory>,
}

// SAFETY: as of the job; it is used by one thread at a time.
unsafe impl Send for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(tear_down) = self.tear_down {
            // SAFETY: what `set_up` made, once.
            unsafe { tear_down(self.data, self.block) };
        }
    }
}

impl CallersJob<'_> {
    /// Writes the identity into bytes that are zero.
    fn fill(&self, partial: &mut Lines) {
        if let Some(identity) = self.job.identity {
            // SAFETY: `partial_bytes` bytes of our own.
            unsafe { identity(self.job.data, partial.address_mut()) };
        }
    }
}

impl Job for CallersJob<'_> {
    type Approximation = Lines;
    type Block = Block;
    type Partial = Lines;

    fn list_length(&self) -> u64 {
        self.job.list_length
    }

    fn set_up(&self, elements: Range<u64>) -> Result<Block, JobError> {
        let mut made = Block { block: std::ptr::null_mut(), data: self.job.data, tear_down: None };
        if let Some(set_up) = self.job.set_up {
            // SAFETY: a function of the caller, and a pointer of ours for its result.
            let code = unsafe { set_up(self.job.data, elements.start, elements.end, &raw mut made.block) };
            succeeded(code.into(), "set_up", &elements)?;
        }
        made.tear_down = self.job.tear_down;
        Ok(made)
    }

    fn identity(&self) -> Lines {
        let mut partial = Lines::zeros(self.job.partial_bytes);
        self.fill(&mut partial);
        partial
    }

    fn reset(&self, partial: &mut Lines) {
        partial.as_mut_slice().fill(0);
        self.fill(partial);
    }

    fn map_fold(&self, at: Element<'_, Block>, x: &Lines, partial: &mut Lines) -> Result<Presence, JobError> {
        let elements = Elements { range: at.index..at.index + 1, offset: at.offset, block: at.block };
        let present = self.map_fold_range(elements, x, partial)?;
        Ok(if present > 0 { Presence::Present } else { Presence::Absent })
    }

    fn map_fold_range(&self, elements: Elements<'_, Block>, x: &Lines, partial: &mut Lines) -> Result<u64, JobError> {
        let Elements { range, block, .. } = elements;
        let Some(map_fold) = self.job.map_fold else { return Ok(0) };
        // SAFETY: a function of the caller; `x` has `x_bytes` bytes and `partial` has `partial_bytes`.
        let present =
            unsafe { map_fold(self.job.data, block.block, range.start, range.end, x.address(), partial.address_mut()) };
        let present = succeeded(present, "map_fold", &range)?;
        let most = range.end - range.start;
        if present > most {
            let message = format!("map_fold returned {present} for elements {} to {}", range.start, range.end - 1);
            return Err(JobError::new(format!("{message}: at most {most} can be present")));
        }
        Ok(present)
    }

    fn combine(&self, left: &mut Lines, right: &Lines) {
        match self.job.combine {
            // SAFETY: both have `partial_bytes` bytes and are not the same.
            Some(combine) => unsafe { combine(self.job.data, left.address_mut(), right.address()) },
            None => left.add_doubles(right),
        }
    }

    fn compute(&self, x: &mut Lines, sum: &Lines, at: &Iteration) -> Result<Step, JobError> {
        let Some(compute) = self.job.compute else { return Ok(Step::stop(Stop::Finished)) };
        let (now, mut norm) = (at_of(at, self.workers), 0.0);
        let mut next = now.job;
        // SAFETY: as above; the pointers are to numbers of ours.
        let code = unsafe {
            let (norm, next) = (&raw mut norm, &raw mut next);
            compute(self.job.data, x.address_mut(), sum.address(), &raw const now, norm, next)
        };
        if code < 0 {
            return Err(JobError::new(format!("compute returned the code {code}")));
        }
        let step = match code {
            STOP => Step::stop(Stop::Converged),
            _ if next == now.job => Step::again(),
            _ => Step::job(self.trouble.job(next, self.job_count, "next_job of compute")?),
        };
        debug_assert!(!matches!(step.next, Next::Job(job) if job >= self.job_count as usize));
        Ok(step.with_norm(norm))
    }
}

/// The state of a run for the caller's functions at the master.
pub(super) fn at_of(at: &Iteration, workers: i32) -> abi::At {
    abi::At {
        iteration: at.number,
        counter: at.counter,
        elapsed_s: at.elapsed_s,
        job: i32::try_from(at.job).unwrap_or(i32::MAX),
        worker: 0,
        workers,
    }
}

/// What a function returned, unless it is an error code.
fn succeeded(code: i64, function: &str, range: &Range<u64>) -> Result<u64, JobError> {
    u64::try_from(code).map_err(|_| {
        let last = range.end.saturating_sub(1);
        JobError::new(format!("{function} of elements {} to {last} returned the code {code}", range.start))
    })
}
