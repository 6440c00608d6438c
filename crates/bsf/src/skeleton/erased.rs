//! A job without its types of blocks and partial results, so that several jobs fit in one list.

use super::job::{Elements, Iteration, Job, JobError, Step};
use serde::Deserialize;
use std::any::Any;
use std::ops::Range;

/// A block or a partial result of some job.
pub(super) type Opaque = Box<dyn Any + Send>;

/// A job without its types. Blocks and partial results given to it must be its own.
pub(super) trait AnyJob<X>: Sync {
    fn list_length(&self) -> u64;
    fn set_up(&self, elements: Range<u64>) -> Result<Opaque, JobError>;
    fn identity(&self) -> Opaque;
    fn reset(&self, partial: &mut Opaque);
    /// Maps and folds `range`; the block begins at `first`.
    fn map_fold(
        &self,
        block: &Opaque,
        first: u64,
        range: Range<u64>,
        x: &X,
        partial: &mut Opaque,
    ) -> Result<u64, JobError>;
    fn combine(&self, left: &mut Opaque, right: &Opaque);
    fn compute(&self, x: &mut X, sum: &Opaque, at: &Iteration) -> Result<Step, JobError>;
    /// Appends the bytes of a partial result.
    fn encode(&self, partial: &Opaque, bytes: Vec<u8>) -> Result<Vec<u8>, postcard::Error>;
    fn decode(&self, bytes: &[u8]) -> Result<Opaque, postcard::Error>;
    /// Decodes into existing memory: fresh pages would cost more than the copy.
    fn decode_into(&self, bytes: &[u8], partial: &mut Opaque) -> Result<(), postcard::Error>;
}

/// The message of an internal error: a mix-up of jobs in the skeleton.
const MIXED_UP: &str = "a partial result or block of another job";

impl<J: Job> AnyJob<J::Approximation> for J {
    fn list_length(&self) -> u64 {
        Job::list_length(self)
    }

    fn set_up(&self, elements: Range<u64>) -> Result<Opaque, JobError> {
        Ok(Box::new(Job::set_up(self, elements)?))
    }

    fn identity(&self) -> Opaque {
        Box::new(Job::identity(self))
    }

    fn reset(&self, partial: &mut Opaque) {
        Job::reset(self, partial.downcast_mut().expect(MIXED_UP));
    }

    fn map_fold(
        &self,
        block: &Opaque,
        first: u64,
        range: Range<u64>,
        x: &J::Approximation,
        partial: &mut Opaque,
    ) -> Result<u64, JobError> {
        let block = block.downcast_ref().expect(MIXED_UP);
        let partial = partial.downcast_mut().expect(MIXED_UP);
        let offset = (range.start - first) as usize;
        self.map_fold_range(Elements { range, offset, block }, x, partial)
    }

    fn combine(&self, left: &mut Opaque, right: &Opaque) {
        Job::combine(self, left.downcast_mut().expect(MIXED_UP), right.downcast_ref().expect(MIXED_UP));
    }

    fn compute(&self, x: &mut J::Approximation, sum: &Opaque, at: &Iteration) -> Result<Step, JobError> {
        Job::compute(self, x, sum.downcast_ref().expect(MIXED_UP), at)
    }

    fn encode(&self, partial: &Opaque, bytes: Vec<u8>) -> Result<Vec<u8>, postcard::Error> {
        postcard::to_extend(partial.downcast_ref::<J::Partial>().expect(MIXED_UP), bytes)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Opaque, postcard::Error> {
        Ok(Box::new(postcard::from_bytes::<J::Partial>(bytes)?))
    }

    fn decode_into(&self, bytes: &[u8], partial: &mut Opaque) -> Result<(), postcard::Error> {
        let partial = partial.downcast_mut::<J::Partial>().expect(MIXED_UP);
        decode_into(bytes, partial)
    }
}

/// Decodes a value into the memory of another: 1e6 numbers take 1 ms in place and 4 ms into fresh pages.
pub(super) fn decode_into<'de, T: Deserialize<'de>>(bytes: &'de [u8], place: &mut T) -> Result<(), postcard::Error> {
    T::deserialize_in_place(&mut postcard::Deserializer::from_bytes(bytes), place)
}
