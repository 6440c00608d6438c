//! Several curves at once: which forms remain possible, and what they say together.
//!
//! ```text
//! hypotheses   smooth, granular, granular with a step of the cache;   flat, tree
//! score        mean over prefixes of the mean |ln(predicted/measured)| over later points, K <= 4 times the prefix's most
//! kept         score <= 2 max(best, 0.005), with weights exp(-score/max(best, 0.01))
//! T(K)         exp of the weighted mean of ln T
//! flat         fixed + per_worker K + max(work g(K), hidden per_worker K)
//! ```
//!
//! A flat master sends while the first workers compute; once they are done before the last order is out, it has all orders
//! and all results on its hands, one after the other. Runs that show no such number of workers leave it open how much
//! longer that takes: `hidden` is then 0.8, else what fits best.
//!
//! Each hypothesis is fitted by least relative squares, coefficients >= 0. A prefix is fitted from scratch, the size of
//! the step included, so that no score has seen the point that it judges.

mod boundary;
mod hypothesis;
mod member;
mod scores;

pub use boundary::{BOUNDARY_DRAWS, BoundaryRange};
pub use hypothesis::Step;
pub use member::Member;

use super::error::FitError;
use super::points::{Measured, PointNoise, medians};
use super::shape::Shape;
use crate::cost::{Collective, Form};
use hypothesis::Hypothesis;
use runcast_core::ranges::{Parts, Range};

/// Fewer points than this are not enough to tell forms apart.
const LEAST_TO_CHOOSE: usize = 4;
/// Fewer points than this show no step.
const LEAST_FOR_STEP: usize = 6;
/// What every prediction of the class misses, and what more for each unit of ln(K/trained).
const FLOOR: f64 = 0.005;
const RATE: f64 = 0.02;

/// The curves that remain possible.
#[derive(Debug, Clone)]
pub struct Auto {
    members: Vec<Member>,
    list_length: Option<u64>,
    runs: Vec<Measured>,
    points: Vec<Measured>,
    noise: PointNoise,
}

/// Fits all hypotheses to measured times, repetitions by their median, and keeps those that predict well.
///
/// Without the length of the list there is only the smooth form. With fewer than 4 numbers of workers nothing can be
/// scored, and all hypotheses have the same weight; a step needs 6.
///
/// # Errors
/// As [`fit`](super::fit).
///
/// # Examples
/// ```
/// use runcast_bsf::fit::{Measured, fit_auto};
/// // A list of 12 elements of 2 s each: whoever has most of them decides.
/// let runs = [(1, 24.0), (2, 12.0), (3, 8.0), (4, 6.0), (5, 6.0)].map(|(workers, time_s)| Measured { workers, time_s });
/// let auto = fit_auto(&runs, Some(12))?;
/// assert!((auto.time_s(8) - 4.0).abs() < 0.05, "{}", auto.time_s(8));
/// # Ok::<(), runcast_bsf::fit::FitError>(())
/// ```
pub fn fit_auto(runs: &[Measured], list_length: Option<u64>) -> Result<Auto, FitError> {
    let points = medians(runs, Shape::new(Form::Smooth, Collective::Flat, list_length)?)?;
    let noise = PointNoise::of(runs, &points);
    let hypotheses = Hypothesis::all(list_length, points.len() >= LEAST_FOR_STEP)?;
    let mut members = Vec::with_capacity(hypotheses.len());
    for hypothesis in hypotheses {
        let folds = scores::Folds::of(&points, hypothesis);
        let solved = hypothesis.solve(&points).ok_or(FitError::OutOfRange)?;
        members.push(Member::new(solved, &points, &folds, noise));
    }
    weigh(&mut members, points.len(), noise);
    Ok(Auto { members, list_length, runs: runs.to_vec(), points, noise })
}

/// Sets the weights and drops what predicts badly. Repetitions that hardly differ, each median with this noise, tell
/// scores apart that are closer than usual.
fn weigh(members: &mut Vec<Member>, points: usize, noise: PointNoise) {
    let best = members.iter().filter_map(|member| member.score).fold(f64::INFINITY, f64::min);
    let same = noise.of_run.map_or(0.005, |_| noise.sd.clamp(1e-4, 0.005));
    if points >= LEAST_TO_CHOOSE && best.is_finite() {
        members.retain(|member| member.score.is_some_and(|score| score <= 2.0 * best.max(same)));
        let scale = best.max(2.0 * same);
        members.iter_mut().for_each(|member| member.weight = (-member.score.unwrap_or(best) / scale).exp());
    }
    let sum: f64 = members.iter().map(|member| member.weight).sum();
    members.iter_mut().for_each(|member| member.weight /= sum);
}

impl Auto {
    /// The curves with their weights, which add up to 1.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Length of the list, where it is known.
    pub fn list_length(&self) -> Option<u64> {
        self.list_length
    }

    /// The runs that it was fitted to.
    pub fn runs(&self) -> &[Measured] {
        &self.runs
    }

    /// The points that it was fitted to: the median of each number of workers, ascending.
    pub fn points(&self) -> &[Measured] {
        &self.points
    }

    /// The time with this many workers \[s\].
    pub fn time_s(&self, workers: u64) -> f64 {
        self.mean(|member| member.time_s(workers).ln()).exp()
    }

    /// How many times beyond the fitted numbers of workers: 1 within.
    pub fn distance(&self, workers: u64) -> f64 {
        let workers = workers as f64;
        let ends = self.points.first().zip(self.points.last());
        ends.map_or(1.0, |(least, most)| (workers / most.workers as f64).max(least.workers as f64 / workers).max(1.0))
    }

    /// What contributes to the uncertainty at this many workers.
    pub fn parts(&self, workers: u64) -> Parts {
        let mean = self.mean(|member| member.time_s(workers).ln());
        let spread = self.mean(|member| (member.time_s(workers).ln() - mean).powi(2));
        let form = (spread + self.mean(|member| member.overlap_square(workers))).sqrt();
        Parts {
            parameter: self.mean(|member| member.parameter_square(workers)).sqrt(),
            form,
            noise: self.mean(Member::noise_square).sqrt().max(self.noise.of_run.unwrap_or(0.0)),
            fold: self.mean(|member| member.fold_square).sqrt(),
            floor: FLOOR,
            rate: RATE,
            h: self.distance(workers).ln(),
        }
    }

    /// Where a run with this many workers is expected; none where the points do not determine it.
    pub fn range(&self, workers: u64, level: f64) -> Option<Range> {
        Range::of(self.time_s(workers), self.parts(workers).scale(1.0), level, None, false)
    }

    fn mean(&self, of: impl Fn(&Member) -> f64) -> f64 {
        self.members.iter().map(|member| member.weight * of(member)).sum()
    }
}

#[cfg(test)]
mod tests;
