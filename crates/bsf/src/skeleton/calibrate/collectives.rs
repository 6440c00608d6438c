//! Times of the skeleton's collectives as a whole: iterations without work.

use super::sample::Sample;
use crate::cost::Collective;
use crate::skeleton::erased::{AnyJob, Opaque};
use crate::skeleton::error::RunError;
use crate::skeleton::fleet::Fleet;
use crate::skeleton::job::{Iteration, JobError, Step};
use crate::skeleton::lane::{Order, Shape};
use crate::skeleton::options::RunOptions;
use crate::skeleton::threads::with_threads;
use std::ops::Range;

/// Iterations that are not measured.
const WARM_UP: usize = 10;

/// Times \[s\] of an order to so many workers in threads and of their results, each way, without work and without folds.
pub(super) fn measure<X: Clone + Send + Sync>(
    job: &dyn AnyJob<X>,
    first: &X,
    run: &RunOptions,
    workers: &[usize],
    repeat: usize,
) -> Result<Vec<(Collective, Vec<f64>)>, RunError> {
    let jobs: [Box<dyn AnyJob<X> + '_>; 1] = [Box::new(Idle(job))];
    let of = |collective: Collective, workers: usize| {
        let shape = Shape { workers, threads: run.threads, on_grid: false };
        with_threads(&jobs, first.clone(), shape, 1..workers + 1, run.wait, |fleet| {
            let mut times = Vec::with_capacity(repeat);
            for pass in 0..repeat + WARM_UP {
                let start = std::time::Instant::now();
                fleet.iterate(&Order { iteration: pass as u64, job: 0, collective, with_cpu: false })?;
                times.push(start.elapsed().as_secs_f64());
            }
            Ok(Sample::new(times.split_off(WARM_UP)).median())
        })
    };
    let all =
        |collective| Ok((collective, workers.iter().map(|&count| of(collective, count)).collect::<Result<_, _>>()?));
    Collective::ALL.into_iter().map(all).collect()
}

/// A job that neither maps nor folds.
struct Idle<'a, X>(&'a dyn AnyJob<X>);

impl<X> AnyJob<X> for Idle<'_, X> {
    fn list_length(&self) -> u64 {
        self.0.list_length()
    }

    fn set_up(&self, _: Range<u64>) -> Result<Opaque, JobError> {
        Ok(Box::new(()))
    }

    fn identity(&self) -> Opaque {
        self.0.identity()
    }

    fn reset(&self, _: &mut Opaque) {}

    fn map_fold(&self, _: &Opaque, _: u64, range: Range<u64>, _: &X, _: &mut Opaque) -> Result<u64, JobError> {
        Ok(range.end - range.start)
    }

    fn combine(&self, _: &mut Opaque, _: &Opaque) {}

    fn compute(&self, x: &mut X, sum: &Opaque, at: &Iteration) -> Result<Step, JobError> {
        self.0.compute(x, sum, at)
    }

    fn encode(&self, partial: &Opaque, bytes: Vec<u8>) -> Result<Vec<u8>, postcard::Error> {
        self.0.encode(partial, bytes)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Opaque, postcard::Error> {
        self.0.decode(bytes)
    }

    fn decode_into(&self, bytes: &[u8], partial: &mut Opaque) -> Result<(), postcard::Error> {
        self.0.decode_into(bytes, partial)
    }
}
