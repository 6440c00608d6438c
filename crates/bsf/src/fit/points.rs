//! Measured times, one for each number of workers.

use super::error::FitError;
use super::shape::Shape;
use runcast_core::ranges::{Noise, noise};
use runcast_core::statistics::median;

/// Noise of a point of which nothing is known.
const USUAL: PointNoise = PointNoise { of_run: None, sd: 0.01, degrees_of_freedom: 2 };

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Number of workers; the master is one more process.
    pub workers: u64,
    /// Time of an iteration, or of all \[s\].
    pub time_s: f64,
}

/// The median of the repetitions at each number of workers, in ascending order.
///
/// # Errors
/// [`FitError::Time`], [`FitError::Workers`], [`FitError::TooFewWorkerCounts`].
pub(super) fn medians(runs: &[Measured], shape: Shape) -> Result<Vec<Measured>, FitError> {
    for run in runs {
        shape.check_workers(run.workers)?;
        if !(run.time_s > 0.0 && run.time_s.is_finite()) {
            return Err(FitError::Time { workers: run.workers, time_s: run.time_s });
        }
    }
    let mut sorted = runs.to_vec();
    sorted.sort_by_key(|run| run.workers);
    let points: Vec<Measured> = sorted.chunk_by(|a, b| a.workers == b.workers).map(median_of).collect();
    if points.len() < 3 { Err(FitError::TooFewWorkerCounts { found: points.len() }) } else { Ok(points) }
}

/// The median of repetitions, of which there is at least one.
fn median_of(repetitions: &[Measured]) -> Measured {
    let times: Vec<f64> = repetitions.iter().map(|run| run.time_s).collect();
    Measured { workers: repetitions[0].workers, time_s: median(&times) }
}

/// How well a median is known, from the repetitions themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointNoise {
    /// Standard deviation of ln of a run; none without repetitions.
    pub of_run: Option<f64>,
    /// That of a point; a usual one where nothing shows it.
    pub sd: f64,
    pub degrees_of_freedom: usize,
}

impl PointNoise {
    pub(super) fn of(runs: &[Measured], points: &[Measured]) -> PointNoise {
        let times = |point: &Measured| -> Vec<f64> {
            runs.iter().filter(|run| run.workers == point.workers).map(|run| run.time_s).collect()
        };
        let repeated: Vec<Vec<f64>> = points.iter().map(times).collect();
        let of = |noise: Noise| PointNoise {
            of_run: Some(noise.sd),
            sd: noise.of_median(runs.len() / points.len().max(1)),
            degrees_of_freedom: noise.degrees_of_freedom,
        };
        noise(repeated.iter().map(Vec::as_slice)).map_or(USUAL, of)
    }
}
