//! How fast one core reads memory: the sum of a large array, as a job of the skeleton, so that both have the same clock.

use runcast_bsf::kernels;
use runcast_bsf::skeleton::run;
use runcast_bsf::skeleton::{
    Algorithm, Element, Elements, Iteration, Job, JobError, Phase, Presence, RunOptions, Step,
};
use std::ops::Range;

/// Numbers of the array: 768 MiB.
const NUMBERS: u64 = 96 << 20;
/// How often it is read; the fastest counts.
const TIMES: u64 = 10;

/// Bytes per second of CPU time, at best.
pub fn bandwidth() -> Result<f64, String> {
    let mut options = RunOptions { trace: true, ..RunOptions::default() };
    options.limits.iterations = Some(TIMES);
    let algorithm = Algorithm::new("reader", 0.0).job(Reader);
    let outcome = run(algorithm, &options).map_err(|error| error.to_string())?.ok_or("this is not the master")?;
    let times = outcome.times.trace.iter().filter_map(|(_, _, times)| times.cpu(Phase::MapFold));
    let least_s = times.reduce(f64::min).ok_or("no time was taken")?;
    Ok(8.0 * NUMBERS as f64 / least_s)
}

struct Reader;

impl Job for Reader {
    type Approximation = f64;
    type Block = Vec<f64>;
    type Partial = f64;

    fn list_length(&self) -> u64 {
        NUMBERS
    }

    fn set_up(&self, elements: Range<u64>) -> Result<Vec<f64>, JobError> {
        Ok(elements.map(|element| element as f64).collect())
    }

    fn identity(&self) -> f64 {
        0.0
    }

    fn map_fold(&self, at: Element<'_, Vec<f64>>, _: &f64, sum: &mut f64) -> Result<Presence, JobError> {
        *sum += at.block[at.offset];
        Ok(Presence::Present)
    }

    fn map_fold_range(&self, of: Elements<'_, Vec<f64>>, _: &f64, sum: &mut f64) -> Result<u64, JobError> {
        *sum += kernels::sum(&of.block[of.offset..][..(of.range.end - of.range.start) as usize]);
        Ok(of.range.end - of.range.start)
    }

    fn combine(&self, left: &mut f64, right: &f64) {
        *left += right;
    }

    fn compute(&self, x: &mut f64, sum: &f64, _: &Iteration) -> Result<Step, JobError> {
        *x = *sum;
        Ok(Step::again())
    }
}
