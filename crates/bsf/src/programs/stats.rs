//! Mean and variance of the numbers 1..l without the multiples of one number: two jobs with different partial results,
//! and elements that are absent.
//!
//! ```text
//! first job     s = sum a_i                          mean = s/count
//! second job    s = (sum e_i^2, sum e_i)             variance = (s_1 - s_2^2/count)/count        e_i = a_i - mean
//! ```
//!
//! The count is the counter that travels with every partial result. `s_2` would be 0 without rounding; with it the
//! error of the mean does not matter
//! (the corrected two-pass algorithm: T. F. Chan, G. H. Golub, R. J. LeVeque, *Algorithms for
//! computing the sample variance*, The American Statistician 37 (1983)).

use super::{Judgement, Kind, OptionInfo, Problem, Program, ProgramInfo, Settings};
use crate::skeleton::{Algorithm, Element, Iteration, Job, JobError, Presence, Step, Stop};
use runcast_core::{Problems, Warning};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::ops::Range;

/// Its entry in the list of programs.
pub(super) const INFO: ProgramInfo = ProgramInfo {
    name: "stats",
    summary: "Mean and variance of numbers, some of them absent",
    options: &[SIZE, SKIP],
    cost_model: None,
    build,
};

const SIZE: OptionInfo = OptionInfo { name: "size", help: "numbers", default: None, kind: Kind::Count };
const SKIP: OptionInfo =
    OptionInfo { name: "skip", help: "multiples of this are absent", default: Some("3"), kind: Kind::Count };

/// The numbers 1..l without some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats {
    /// The last number.
    pub size: u64,
    /// Multiples of this are absent.
    pub skip: u64,
}

/// The results; none before they are known, and if no number is present.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Moments {
    pub mean: Option<f64>,
    /// The mean square of the distance from the mean.
    pub variance: Option<f64>,
}

fn build(settings: &Settings) -> Result<Program, Problems> {
    Ok(Program::Stats(Stats { size: settings.count(&SIZE)?, skip: settings.count(&SKIP)? }))
}

impl Stats {
    /// An element of the list, if it is present.
    fn number(&self, index: u64) -> Option<f64> {
        let number = index + 1;
        (!number.is_multiple_of(self.skip)).then_some(number as f64)
    }
}

/// Index of the second job.
const VARIANCE: usize = 1;

struct MeanJob(Stats);

impl Job for MeanJob {
    type Approximation = Moments;
    type Block = ();
    type Partial = f64;

    fn list_length(&self) -> u64 {
        self.0.size
    }

    fn set_up(&self, _: Range<u64>) -> Result<(), JobError> {
        Ok(())
    }

    fn identity(&self) -> f64 {
        0.0
    }

    fn map_fold(&self, at: Element<'_, ()>, _: &Moments, sum: &mut f64) -> Result<Presence, JobError> {
        let Some(number) = self.0.number(at.index) else { return Ok(Presence::Absent) };
        *sum += number;
        Ok(Presence::Present)
    }

    fn combine(&self, left: &mut f64, right: &f64) {
        *left += right;
    }

    fn compute(&self, x: &mut Moments, sum: &f64, at: &Iteration) -> Result<Step, JobError> {
        if at.counter == 0 {
            return Ok(Step::stop(Stop::Finished));
        }
        x.mean = Some(sum / at.counter as f64);
        Ok(Step::job(VARIANCE))
    }
}

struct VarianceJob(Stats);

/// Sums over the deviations from the mean.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Distances {
    squares: f64,
    sum: f64,
}

impl Job for VarianceJob {
    type Approximation = Moments;
    type Block = ();
    type Partial = Distances;

    fn list_length(&self) -> u64 {
        self.0.size
    }

    fn set_up(&self, _: Range<u64>) -> Result<(), JobError> {
        Ok(())
    }

    fn identity(&self) -> Distances {
        Distances::default()
    }

    fn map_fold(&self, at: Element<'_, ()>, x: &Moments, partial: &mut Distances) -> Result<Presence, JobError> {
        let Some(number) = self.0.number(at.index) else { return Ok(Presence::Absent) };
        let distance = number - x.mean.unwrap_or_default();
        partial.squares += distance * distance;
        partial.sum += distance;
        Ok(Presence::Present)
    }

    fn combine(&self, left: &mut Distances, right: &Distances) {
        left.squares += right.squares;
        left.sum += right.sum;
    }

    fn compute(&self, x: &mut Moments, sums: &Distances, at: &Iteration) -> Result<Step, JobError> {
        let count = at.counter as f64;
        x.variance = Some((sums.squares - sums.sum * sums.sum / count) / count);
        Ok(Step::stop(Stop::Finished))
    }
}

impl Problem for Stats {
    type Approximation = Moments;

    fn parameters(&self) -> Map<String, Value> {
        let parameters = [("size", json!(self.size)), ("skip", json!(self.skip))];
        parameters.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn memory_bytes(&self) -> f64 {
        0.0
    }

    fn algorithm(&self) -> Algorithm<'_, Moments> {
        Algorithm::new(INFO.name, Moments::default())
            .parameters(&Value::Object(self.parameters()).to_string())
            .job(MeanJob(*self))
            .job(VarianceJob(*self))
    }

    fn numbers<'x>(&self, x: &'x Moments) -> Cow<'x, [f64]> {
        Cow::Owned([x.mean, x.variance].map(|moment| moment.unwrap_or(f64::NAN)).to_vec())
    }

    fn judge(&self, x: &Moments) -> Judgement {
        let mut judgement = Judgement::default();
        judgement.checks.insert("mean".to_owned(), json!(x.mean));
        judgement.checks.insert("variance".to_owned(), json!(x.variance));
        if x.mean.is_none() {
            judgement.warnings.push(Warning::new("all_absent", "no number is present, so there is no mean"));
        }
        judgement
    }
}
