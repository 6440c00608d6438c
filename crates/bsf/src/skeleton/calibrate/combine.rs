//! The time of one fold: a combination of two partial results.

use super::CalibrateOptions;
use super::sample::Sample;
use crate::skeleton::erased::{AnyJob, Opaque};
use crate::skeleton::error::{Place, RunError};
use crate::skeleton::fleet::Fleet;
use crate::skeleton::lane::guarded_at_master;
use std::time::Instant;

/// Small partial results are combined repeatedly between two clock readings until this many bytes are processed.
const PASS_BYTES: usize = 64 << 10;
const PASS_MOST: usize = 1024;
/// Sizes above this exceed every cache.
const HELD_MOST: usize = 256 << 20;

/// Times of one combination. The operands are as many as the master of the run will hold, so that they are in the
/// same caches, or in none.
pub(super) fn measure<X>(
    job: &dyn AnyJob<X>,
    options: &CalibrateOptions,
    fleet: &mut dyn Fleet<X>,
) -> Result<Sample, RunError> {
    let mut bytes = Vec::new();
    fleet.with(0, &mut |_, folded| {
        if let Some((partial, _)) = folded.whole() {
            bytes = job.encode(partial, std::mem::take(&mut bytes)).unwrap_or_default();
        }
    });
    let count = operands(bytes.len(), options.workers);
    let copy = || job.decode(&bytes).map_err(|error| RunError::Message(error.to_string()));
    let held = (0..count).map(|_| copy()).collect::<Result<Vec<Opaque>, _>>()?;
    let mut left = copy()?;
    let passes = (0..options.repeat.max(1)).map(|_| {
        // Reset: a partial result may grow with every combination.
        job.decode_into(&bytes, &mut left).map_err(|error| RunError::Message(error.to_string()))?;
        let start = Instant::now();
        let pass = guarded_at_master(Place::Combine, 0, || {
            held.iter().for_each(|right| job.combine(&mut left, right));
            Ok(())
        });
        pass.map_err(RunError::User)?;
        Ok(start.elapsed().as_secs_f64() / count as f64)
    });
    passes.collect::<Result<Vec<_>, RunError>>().map(Sample::new)
}

/// Number of partial results processed.
fn operands(bytes: usize, workers: usize) -> usize {
    let bytes = bytes.max(1);
    let held = workers.saturating_sub(1).min(HELD_MOST.div_ceil(bytes));
    (PASS_BYTES / bytes).clamp(1, PASS_MOST).max(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_as_many_as_the_master_holds_until_no_cache_holds_them() {
        assert_eq!(operands(8, 4), 1024, "so short that the clock needs many");
        assert_eq!((operands(40_000, 4), operands(40_000, 65)), (3, 64));
        assert_eq!((operands(1 << 20, 1), operands(1 << 20, 1 << 40), operands(0, 2)), (1, 256, 1024));
    }
}
