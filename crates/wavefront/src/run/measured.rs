//! Estimates of a phase in the long run from real runs.

use super::record::Recording;
use serde::Serialize;
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of distinct wavefronts; further ones are counted together.
const WAVEFRONTS_MOST: usize = 100_000;
/// Errors that are so much smaller than the first one are those of rounding.
const FLOOR: f64 = 1e-12;
/// A rate from fewer phases says nothing.
const RATE_LEAST: usize = 8;

/// The phases of each run that are evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    All,
    SecondHalf,
}

/// Estimates from the phases of some runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Number of runs evaluated.
    #[serde(skip)]
    pub runs: usize,
    /// Number of phases evaluated, over all runs.
    #[serde(skip)]
    pub phases: u64,
    /// Mean of Phi \[s\], the duration of a phase on process 1.
    pub phase_mean_s: f64,
    /// Variance of Phi \[s^2\].
    pub phase_var_s2: f64,
    /// Mean of N = max over the processes of A_i + N_i.
    pub iterations_mean: f64,
    /// Variance of N.
    pub iterations_var: f64,
    /// Means of A_i + N_i.
    pub updates_mean: Vec<f64>,
    /// Means of updates thrown away a phase.
    pub discarded_mean: Vec<f64>,
    /// Decimal digits that the error loses a phase: least squares over the phases before rounding shows (where that is
    /// before the phases that are looked at, over earlier ones); none where the fixed point is not known, or the run is
    /// too short.
    pub rate_per_phase: Option<f64>,
    /// Mean over the runs of their time on process 1 \[s\].
    pub time_s: f64,
    /// Its standard deviation over the runs \[s\]; none of a single one.
    pub time_sd_s: Option<f64>,
    /// The time of each run \[s\].
    #[serde(skip)]
    pub times_s: Vec<f64>,
    /// How often each wavefront was seen at the start of a phase, in ticks against process 1.
    #[serde(skip)]
    pub wavefronts: HashMap<Vec<i64>, u64>,
    /// Phases with wavefronts that are not in the list, which is full.
    #[serde(skip)]
    pub wavefronts_left_out: u64,
}

impl Span {
    fn of(&self, phases: usize) -> Range<usize> {
        match self {
            Span::All => 0..phases,
            Span::SecondHalf => phases / 2..phases,
        }
    }
}

/// Sums over runs, which need not stay in memory.
#[derive(Debug, Clone)]
pub struct Adding {
    span: Span,
    step_s: f64,
    phase: Sums,
    iterations: Sums,
    time: Sums,
    times_s: Vec<f64>,
    rate: Sums,
    updates: Vec<Sums>,
    discarded: Vec<Sums>,
    wavefronts: HashMap<Vec<i64>, u64>,
    left_out: u64,
}

/// Mean and variance, centered (Welford).
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, value: f64) {
        self.count += 1;
        let off = value - self.mean;
        self.mean += off / self.count as f64;
        self.squares += off * (value - self.mean);
    }

    fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.squares / (self.count - 1) as f64)
    }
}

impl Measured {
    /// Looks at runs; wavefronts are rounded to ticks of `step_s`.
    pub fn adding(processes: usize, span: Span, step_s: f64) -> Adding {
        Adding {
            span,
            step_s,
            phase: Sums::default(),
            iterations: Sums::default(),
            time: Sums::default(),
            times_s: Vec::new(),
            rate: Sums::default(),
            updates: vec![Sums::default(); processes],
            discarded: vec![Sums::default(); processes],
            wavefronts: HashMap::new(),
            left_out: 0,
        }
    }

    /// Half the sum of the absolute differences between the shares of wavefronts and these probabilities.
    pub fn wavefront_tv<'a>(&self, expected: impl IntoIterator<Item = (&'a [i64], f64)>) -> f64 {
        let total = (self.wavefronts.values().sum::<u64>() + self.wavefronts_left_out) as f64;
        let mut probabilities: HashMap<&[i64], f64> = HashMap::new();
        for (offsets, probability) in expected {
            *probabilities.entry(offsets).or_insert(0.0) += probability;
        }
        let share = |offsets: &[i64]| self.wavefronts.get(offsets).map_or(0.0, |count| *count as f64 / total);
        let expected: f64 = probabilities.iter().map(|(offsets, p)| (share(offsets) - p).abs()).sum();
        let others = self.wavefronts.iter().filter(|(offsets, _)| !probabilities.contains_key(offsets.as_slice()));
        let surprising = others.map(|(_, count)| *count as f64 / total).sum::<f64>();
        (0.5 * (expected + surprising + self.wavefronts_left_out as f64 / total)).clamp(0.0, 1.0)
    }
}

impl Adding {
    /// Looks at a run.
    pub fn add(&mut self, recording: &Recording) {
        let span = self.span.of(recording.phases());
        let (Some(first), Some(reference)) = (span.clone().next(), recording.processes.first()) else { return };
        for phase in span.clone() {
            let row = &reference.phases[phase];
            self.phase.add((row.end - row.start) as f64 / 1e9);
            let counts = recording.processes.iter().map(|rows| rows.phases[phase].updates);
            self.iterations.add(f64::from(counts.max().unwrap_or(0)));
            for (process, rows) in recording.processes.iter().enumerate() {
                self.updates[process].add(f64::from(rows.phases[phase].updates));
                self.discarded[process].add(f64::from(rows.phases[phase].discarded));
            }
            self.wavefront(recording, phase);
        }
        let time_s = (reference.phases[span.end - 1].end - reference.phases[first].start) as f64 / 1e9;
        self.time.add(time_s);
        self.times_s.push(time_s);
        if let Some(rate) = rate(&recording.errors(), span) {
            self.rate.add(rate);
        }
    }

    fn wavefront(&mut self, recording: &Recording, phase: usize) {
        let start = |process: usize| recording.processes[process].phases[phase].start as f64 / 1e9;
        let ticks = |process: usize| ((start(process) - start(0)) / self.step_s).round() as i64;
        let offsets: Vec<i64> = (0..recording.processes.len()).map(ticks).collect();
        if self.wavefronts.len() < WAVEFRONTS_MOST || self.wavefronts.contains_key(&offsets) {
            *self.wavefronts.entry(offsets).or_insert(0) += 1;
        } else {
            self.left_out += 1;
        }
    }

    /// The estimates from all of them; none if there was no phase.
    pub fn end(self) -> Option<Measured> {
        let means = |sums: &[Sums]| sums.iter().map(|sums| sums.mean).collect();
        (self.phase.count > 0).then(|| Measured {
            runs: self.time.count as usize,
            phases: self.phase.count,
            phase_mean_s: self.phase.mean,
            phase_var_s2: self.phase.variance().unwrap_or(0.0),
            iterations_mean: self.iterations.mean,
            iterations_var: self.iterations.variance().unwrap_or(0.0),
            updates_mean: means(&self.updates),
            discarded_mean: means(&self.discarded),
            rate_per_phase: (self.rate.count > 0).then_some(self.rate.mean),
            time_s: self.time.mean,
            time_sd_s: self.time.variance().map(f64::sqrt),
            times_s: self.times_s,
            wavefronts: self.wavefronts,
            wavefronts_left_out: self.left_out,
        })
    }
}

/// The slope of -log10 of the error over the phases of a span before rounding shows; where it shows earlier, over the
/// later half of those before it.
fn rate(errors: &[Option<f64>], span: Range<usize>) -> Option<f64> {
    let scale = errors.iter().copied().flatten().fold(0.0, f64::max);
    let shows = |error: &f64| *error > FLOOR * scale && *error > 0.0;
    let digits = |error: &Option<f64>| error.filter(shows).map(|error| -error.log10());
    let before: Vec<f64> = errors.iter().map_while(digits).collect();
    let within = span.start.min(before.len())..span.end.min(before.len());
    if within.len() >= RATE_LEAST {
        return Some(slope(&before[within]));
    }
    let later = &before[before.len() / 2..];
    (later.len() >= RATE_LEAST).then(|| slope(later))
}

/// Least squares over equidistant points.
fn slope(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let (x, y) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count);
    let off = |(place, value): (usize, &f64)| (place as f64 - x, value - y);
    let sums = values.iter().enumerate().map(off).fold((0.0, 0.0), |(xy, xx), (a, b)| (xy + a * b, xx + a * a));
    sums.0 / sums.1
}

#[cfg(test)]
mod tests {
    use super::super::record::{Phase, Rows};
    use super::*;
    use crate::model::Semantics;

    fn recording() -> Recording {
        // Two processes: phases of 10 and 30 ns in turn, the second one 5 ns later; errors fall by half.
        let process = |late: u64, updates: [u32; 2]| {
            let mut rows = Rows::default();
            let mut start = late;
            for phase in 0..40 {
                let end = start + if phase % 2 == 0 { 10 } else { 30 };
                let error_squared = 0.5 * 0.25_f64.powi(phase);
                let updates = updates[phase as usize % 2];
                rows.phases.push(Phase { start, beta_start: start, end, updates, discarded: 1, error_squared });
                start = end;
            }
            rows
        };
        let processes = vec![process(0, [1, 1]), process(5, [1, 3])];
        Recording { processes, held: Semantics::Abort, is_interrupted: false }
    }

    #[test]
    fn moments_times_and_rates_are_those_of_the_rows() {
        let mut adding = Measured::adding(2, Span::SecondHalf, 5e-9);
        (0..3).for_each(|_| adding.add(&recording()));
        let measured = adding.end().expect("phases");
        assert_eq!((measured.runs, measured.phases), (3, 60));
        assert!((measured.phase_mean_s - 20e-9).abs() < 1e-18);
        assert!((measured.iterations_mean - 2.0).abs() < 1e-12);
        assert_eq!(measured.updates_mean, [1.0, 2.0]);
        assert!((measured.time_s - 400e-9).abs() < 1e-18 && measured.time_sd_s == Some(0.0));
        let rate = measured.rate_per_phase.expect("errors are known");
        assert!((rate - 2.0_f64.log10()).abs() < 1e-12, "{rate}");
        assert_eq!(measured.wavefronts, HashMap::from([(vec![0, 1], 60)]));
        assert!((measured.wavefront_tv([([0, 1].as_slice(), 0.75), (&[0, 0], 0.25)]) - 0.25).abs() < 1e-12);
        assert!((measured.wavefront_tv([([0, 0].as_slice(), 1.0)]) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn rounding_and_unknown_errors_are_no_rate() {
        let mut errors: Vec<Option<f64>> = (0..30).map(|phase| Some(0.1_f64.powi(phase).max(3e-16))).collect();
        assert!((rate(&errors, 0..30).expect("a rate") - 1.0).abs() < 1e-9);
        // Rounding shows from phase 12 on.
        assert_eq!(rate(&errors, 20..30), None, "6 phases before it are too few");
        let slower: Vec<Option<f64>> = (0..90).map(|phase| Some(0.5_f64.powi(phase).max(3e-16))).collect();
        assert!((rate(&slower, 60..90).expect("of phases 20 to 40") - 2.0_f64.log10()).abs() < 1e-9);
        errors[3] = None;
        assert_eq!(rate(&errors, 0..30), None);
    }
}
