//! Means, intervals and laws from what replications have counted.

use super::batches::{self, Asymptotic};
use super::monte_carlo::{MonteCarloOptions, Plan, Simulated};
use super::tally::{Batch, Frequencies, Tally};
use super::trace::Traced;
use crate::model::{Model, Semantics};
use crate::solve::bound::Bound;
use crate::solve::solution::{Extremes, HalfWidths, Method, Moments, Solution, States, Ties, Wavefront};
use runcast_core::numeric::student::two_sided;
use runcast_core::statistics::sample_variance;

/// The level of the intervals.
const LEVEL: f64 = 0.95;

/// Intervals come from at most this many tallies; the replications beyond are added to them evenly.
const TALLIES: u64 = 1000;

/// What replications have counted, in their order.
#[derive(Default)]
pub(super) struct Parts {
    /// A tally a piece, or of several replications.
    tallies: Vec<Tally>,
    /// Batches of phases in a row, apart for each piece of the first replications.
    batches: Vec<Vec<Batch>>,
    /// Phi summed up over each complete replication, in ticks.
    pub totals: Vec<u64>,
    /// Replications that were taken.
    taken: u64,
    pub frequencies: Option<Frequencies>,
    /// What was written down, of each replication.
    pub traces: Vec<Vec<Traced>>,
}

impl Parts {
    /// Takes the tallies of the pieces of the next replication, of this many in total.
    pub fn take(&mut self, pieces: Vec<Tally>, replications: u64) {
        let group = replications.div_ceil(TALLIES);
        let is_first = self.taken.is_multiple_of(group);
        self.taken += 1;
        for mut piece in pieces {
            let batches = std::mem::take(&mut piece.batches);
            if self.batches.len() < TALLIES as usize {
                self.batches.push(batches);
            }
            match self.tallies.last_mut() {
                Some(last) if !is_first => last.add(&piece),
                _ => self.tallies.push(piece),
            }
        }
    }
}

/// Bounds of N that need no simulation: max A_i and max (A_i + B_i).
pub(super) fn extremes(model: &Model) -> (u64, u64) {
    let alpha = model.processes.iter().map(|process| u64::from(process.alpha_updates));
    let both = model.processes.iter().map(|process| {
        let waits = model.size() > 1;
        u64::from(process.alpha_updates) + if waits { u64::from(process.beta_updates) } else { 0 }
    });
    (alpha.max().unwrap_or(0), both.max().unwrap_or(0))
}

/// The answers; none where nothing was complete.
pub(super) fn simulated(
    model: &Model,
    options: &MonteCarloOptions,
    plan: &Plan<'_>,
    parts: Parts,
) -> Option<Simulated> {
    let frequencies = parts.frequencies?;
    let mut sum = Tally::new(model.size());
    for tally in &parts.tallies {
        sum.add(tally);
    }
    let phase = moments(&sum, &means(&sum));
    let asymptotic =
        (plan.long_run.classes.len() == 1).then(|| batches::asymptotic(&parts.batches, plan.batch, &phase)).flatten();
    let half_widths = half_widths(&parts.tallies, &phase, asymptotic.as_ref(), &sum);
    let errors = half_widths.as_ref().map(|half| {
        let quantile = student(parts.tallies.len());
        (half.phase.phase_mean / quantile, half.phase.iterations_mean / quantile)
    });
    let (iterations_min, iterations_max) = extremes(model);
    let bound = Bound::of(model);
    let other = sum.iterations_other as f64 / sum.phases as f64;
    let solution = Solution {
        method: Method::MonteCarlo,
        extremes: Extremes::Analytic,
        states: States { bound: bound.states, bound_log10: bound.log10, ..States::default() },
        classes: Vec::new(),
        phase,
        iterations_min,
        iterations_max,
        ties: (model.semantics == Semantics::Abort).then_some(Ties::of(model.tie, phase.iterations_mean, other)),
        updates_mean: updates_mean(&sum),
        asymptotic: asymptotic.as_ref().map(|asymptotic| asymptotic.whole),
        wavefront: wavefront(&frequencies),
        iterations_pmf: frequencies.iterations_law(sum.phases),
        phase_pmf: frequencies.ticks_law(sum.phases),
        half_widths,
    };
    Some(Simulated {
        solution,
        errors,
        phases: sum.phases,
        replications: parts.taken,
        warm_up: plan.warm_up,
        is_interrupted: (parts.totals.len() as u64) < options.replications.max(1),
        totals: parts.totals,
        traces: parts.traces,
        dropped: frequencies.wavefronts.dropped,
        is_short: asymptotic.is_some_and(|asymptotic| asymptotic.is_short),
    })
}

fn means(tally: &Tally) -> (f64, f64) {
    let mean = |sum: i128| sum as f64 / tally.phases as f64;
    (mean(tally.ticks), mean(tally.iterations))
}

/// Moments about these means. Sums are whole numbers, so that a constant has no variance at all.
fn moments(tally: &Tally, about: &(f64, f64)) -> Moments {
    let phases = i128::from(tally.phases);
    let count = tally.phases as f64;
    let (phase_mean, iterations_mean) = means(tally);
    // Whole numbers near the means keep the squares small; what is left of the means is small too.
    let (ticks, iterations) = (about.0.round() as i128, about.1.round() as i128);
    let (rest_ticks, rest_iterations) = (about.0 - ticks as f64, about.1 - iterations as f64);
    let ticks_sum = tally.ticks - phases * ticks;
    let iterations_sum = tally.iterations - phases * iterations;
    let square = |squares: i128, sum: i128, near: i128| squares - 2 * near * sum + phases * near * near;
    let ticks_squares = square(tally.ticks_squared, tally.ticks, ticks);
    let iterations_squares = square(tally.iterations_squared, tally.iterations, iterations);
    let products = tally.product - ticks * tally.iterations - iterations * tally.ticks + phases * ticks * iterations;
    let centered = |squares: i128, one: (i128, f64), two: (i128, f64)| {
        squares as f64 / count - one.1 * (two.0 as f64 / count) - two.1 * (one.0 as f64 / count) + one.1 * two.1
    };
    let (one, two) = ((ticks_sum, rest_ticks), (iterations_sum, rest_iterations));
    Moments {
        phase_mean,
        phase_var: not_negative(centered(ticks_squares, one, one)),
        iterations_mean,
        iterations_var: not_negative(centered(iterations_squares, two, two)),
        cov: if iterations_squares == 0 || ticks_squares == 0 { 0.0 } else { centered(products, one, two) },
    }
}

/// Rounding must not make a variance of what is none.
fn not_negative(variance: f64) -> f64 {
    if variance < 1e-15 { 0.0 } else { variance }
}

fn updates_mean(tally: &Tally) -> Vec<f64> {
    tally.updates.iter().map(|sum| *sum as f64 / tally.phases as f64).collect()
}

fn wavefront(frequencies: &Frequencies) -> Vec<Wavefront> {
    let probability = |count: u64| count as f64 / frequencies.wavefronts.looks as f64;
    let seen = frequencies.wavefronts.all().into_iter();
    let mut all: Vec<Wavefront> =
        seen.map(|(mode, offsets, count)| Wavefront { mode, offsets, probability: probability(count) }).collect();
    Wavefront::sort(&mut all);
    all
}

/// From what the pieces say apart; none where there is one only.
fn half_widths(tallies: &[Tally], whole: &Moments, asymptotic: Option<&Asymptotic>, sum: &Tally) -> Option<HalfWidths> {
    if tallies.len() < 2 {
        return None;
    }
    let factor = student(tallies.len()) / (tallies.len() as f64).sqrt();
    let about = (whole.phase_mean, whole.iterations_mean);
    let pieces: Vec<Moments> = tallies.iter().map(|tally| moments(tally, &about)).collect();
    let half = |values: Vec<f64>| sample_variance(&values).map_or(0.0, |variance| factor * variance.sqrt());
    let of = |pieces: &[Moments]| {
        let part = |part: fn(&Moments) -> f64| half(pieces.iter().map(part).collect());
        Moments {
            phase_mean: part(|moments| moments.phase_mean),
            phase_var: part(|moments| moments.phase_var),
            iterations_mean: part(|moments| moments.iterations_mean),
            iterations_var: part(|moments| moments.iterations_var),
            cov: part(|moments| moments.cov),
        }
    };
    let nothing = Moments { phase_mean: 0.0, phase_var: 0.0, iterations_mean: 0.0, iterations_var: 0.0, cov: 0.0 };
    let updates: Vec<Vec<f64>> = tallies.iter().map(updates_mean).collect();
    Some(HalfWidths {
        phase: of(&pieces),
        asymptotic: asymptotic.map_or(nothing, |asymptotic| of(&asymptotic.pieces)),
        updates_mean: (0..sum.updates.len())
            .map(|process| half(updates.iter().map(|all| all[process]).collect()))
            .collect(),
        phases: sum.phases,
    })
}

/// The quantile of Student's t that half-widths of this many values are multiplied by.
fn student(values: usize) -> f64 {
    if values < 2 { f64::INFINITY } else { two_sided(LEVEL, values - 1) }
}
