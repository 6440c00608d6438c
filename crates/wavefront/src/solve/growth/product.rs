//! The growth of long random products: what a run meets almost surely.

use crate::markov::LongRun;
use crate::model::Model;
use crate::model::operator::pieces::{Errors, Pieces};
use crate::simulate::{Recursion, Tables};
use rayon::prelude::*;
use runcast_core::random::SplitMix;

/// Independent replications, and Student's 97.5 % quantile with one degree of freedom less.
const RUNS: u64 = 32;
const STUDENT: f64 = 2.0395;
/// Phases of a run that are ignored at first, and evaluated next.
const SETTLING: u64 = 2_000;
/// How much of the rate the half-width of the interval should be.
const WANTED: f64 = 0.002;
/// Multiplications in total.
const MOST_WORK: f64 = 1e10;
/// Multiplications of one phase: with more, no run is long enough for an estimate.
const MOST_PHASE_WORK: f64 = 3e7;
/// Phases of a run at most.
const MOST_PHASES: u64 = 4_000_000;
/// Updates between two checks of the size of the error, so that it neither overflows nor becomes 0.
const LOOK: f64 = 64.0;

/// A rate per phase, in digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sampled {
    pub rate: f64,
    /// Of its 95 % interval.
    pub half_width: f64,
}

/// Why there is no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The error became 0.
    Vanishes,
    /// A phase is too much work.
    TooLarge,
    Interrupted,
}

/// Independent runs that become longer until the interval is small. They begin at the start of the model, or, where
/// `spread` says so, evenly spread over the modes of the long run: those can last longer than a run. `updates` are the
/// mean counts of the processes.
pub(super) fn growth(
    model: &Model,
    pieces: &Pieces,
    updates: &[f64],
    spread: bool,
    seed: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Sampled, Failure> {
    let tables = Tables::new(model);
    let alpha: Vec<u32> = model.processes.iter().map(|process| process.alpha_updates).collect();
    let phase_work = pieces.work_of(updates.iter().copied());
    if phase_work > MOST_PHASE_WORK {
        return Err(Failure::TooLarge);
    }
    // To play a phase is work, too: some draws for each link.
    let played = 40.0 * (model.size() * (model.size() + 1)) as f64;
    let longest = (MOST_WORK / (RUNS as f64 * (phase_work + played))).clamp(100.0, MOST_PHASES as f64) as u64;
    let settling = SETTLING.min(longest / 2);
    let look = (LOOK / updates.iter().copied().fold(1.0, f64::max)).clamp(1.0, 8.0) as u64;
    let mut runs: Vec<Run> = (0..RUNS).map(|stream| Run::new(&tables, pieces, (seed, stream), look)).collect();
    if spread && model.modes.count() > 1 {
        let long_run = LongRun::of(&model.modes.transition, &model.modes.start);
        let begin = |(stream, run): (usize, Run)| {
            let mode = long_run.state_at((stream as f64 + 0.5) / RUNS as f64);
            Run { recursion: run.recursion.starting_in(mode), ..run }
        };
        runs = runs.into_iter().enumerate().map(begin).collect();
    }
    advance(&mut runs, pieces, &alpha, settling, stop)?;
    runs.iter_mut().for_each(|run| run.log_size = 0.0);
    let (mut phases, mut more) = (0, settling);
    loop {
        advance(&mut runs, pieces, &alpha, more, stop)?;
        phases += more;
        let rates: Vec<f64> =
            runs.iter().map(|run| -run.log_size / (phases as f64 * std::f64::consts::LN_10)).collect();
        let rate = runcast_core::statistics::mean(&rates);
        let variance = runcast_core::statistics::sample_variance(&rates).unwrap_or(0.0);
        let half_width = STUDENT * (variance / RUNS as f64).sqrt();
        more = phases;
        if half_width <= WANTED * rate.abs() || phases + more > longest {
            return Ok(Sampled { rate, half_width });
        }
    }
}

struct Run {
    recursion: Recursion,
    errors: Errors,
    log_size: f64,
    /// Phases between two checks of the size of the error.
    look: u64,
}

impl Run {
    fn new(tables: &std::sync::Arc<Tables>, pieces: &Pieces, (seed, stream): (u64, u64), look: u64) -> Run {
        // Streams of the phases and of the first errors do not meet.
        let mut random = SplitMix::new(seed, (1 << 40) + stream);
        let errors = (0..pieces.dimension()).map(|_| 2.0 * random.uniform() - 1.0).collect();
        Run { recursion: Recursion::of_tables(tables, seed, stream), errors: Errors::new(errors), log_size: 0.0, look }
    }

    fn advance(&mut self, pieces: &Pieces, alpha: &[u32], phases: u64) -> Result<(), Failure> {
        let (errors, log_size) = (&mut self.errors, &mut self.log_size);
        let mut look = |errors: &mut Errors| {
            let size = errors.largest();
            *log_size += size.ln();
            errors.scale(1.0 / size);
        };
        // In steps, since a closure cannot leave early.
        look(errors);
        let mut left = phases;
        while left > 0 {
            let steps = left.min(self.look);
            self.recursion.run(steps, |_, updates, _, _| errors.phase(pieces, alpha, updates));
            left -= steps;
            match errors.largest() {
                0.0 => return Err(Failure::Vanishes),
                size if !size.is_finite() => return Err(Failure::TooLarge),
                _ => {}
            }
            look(errors);
        }
        Ok(())
    }
}

fn advance(
    runs: &mut [Run],
    pieces: &Pieces,
    alpha: &[u32],
    phases: u64,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), Failure> {
    runs.par_iter_mut().try_for_each(|run| {
        let mut left = phases;
        while left > 0 {
            if stop() {
                return Err(Failure::Interrupted);
            }
            let steps = left.min(4_096);
            run.advance(pieces, alpha, steps)?;
            left -= steps;
        }
        Ok(())
    })
}
