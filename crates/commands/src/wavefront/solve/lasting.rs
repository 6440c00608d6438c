//! The law of the time of a run: what was asked of it, and what pictures and tables need of it.

use super::document::{CdfEntry, LevelEntry, QuantileEntry, TimeEntry};
use super::shared;
use super::table::Run;
use super::{AskedArgs, Phases};
use runcast_core::{Problem, Warning};
use runcast_wavefront::solve::chain::Chain;
use runcast_wavefront::solve::time::{self, TimeEstimate, TimeOptions};
use runcast_wavefront::{Model, Solution};

/// Told where no other quantiles are asked for.
const QUANTILES: [f64; 4] = [0.05, 0.5, 0.95, 0.99];
/// Points of the distribution function in a picture.
const POINTS: usize = 99;
/// A run of more phases than this is not a realistic one.
const MOST_PHASES: f64 = 1e9;

/// What is wanted.
pub(super) struct Wanted<'a> {
    pub model: &'a Model,
    pub solution: &'a Solution,
    pub chain: Option<&'a Chain>,
    pub phases: u64,
    pub level: f64,
    pub seed: u64,
}

/// What was found.
pub(super) struct Lasting {
    /// For the document.
    pub entry: TimeEntry,
    /// For the table.
    pub run: Run,
    /// What should be known.
    pub warnings: Vec<Warning>,
}

/// How many phases a run has: as asked for, else as many as the accuracy needs (`needed`); none where that is unknown.
///
/// # Errors
/// `auto` was asked for and there is no rate.
pub(super) fn phases(asked: &AskedArgs, needed: Option<f64>) -> Result<Option<u64>, Problem> {
    let auto = needed.filter(|needed| *needed <= MOST_PHASES).map(|needed| (needed - 1e-9).ceil().max(1.0) as u64);
    match asked.phases {
        Some(Phases::Count(count)) => Ok(Some(count)),
        Some(Phases::Auto) | None if auto.is_some() => Ok(auto),
        None if asked.quantiles.is_empty() && asked.tail.is_empty() => Ok(None),
        _ => {
            let why = match needed {
                Some(needed) => format!("{needed:.3e} phases are needed, more than {MOST_PHASES:e}"),
                None => "how many phases are needed is not known without a rate".to_owned(),
            };
            let problem = Problem::new("phases_unknown", why).at("--phases");
            Err(problem.hint("give a number of phases: --phases 100, or rho or an operator in the model"))
        }
    }
}

/// The law of the time; none: it was interrupted.
///
/// # Errors
/// A simulation was asked for that would take too long.
pub(super) fn found(wanted: &Wanted, asked: &AskedArgs) -> Result<Option<Lasting>, Problem> {
    let shown = if asked.quantiles.is_empty() { QUANTILES.to_vec() } else { asked.quantiles.clone() };
    let tails = [0.5 - 0.5 * wanted.level, 0.5 + 0.5 * wanted.level];
    let grid = [1e-4, 1e-3].into_iter().chain((1..=POINTS).map(|point| point as f64 / (POINTS + 1) as f64));
    let grid: Vec<f64> = grid.chain([0.999, 0.9999]).collect();
    let options = TimeOptions {
        phases: wanted.phases,
        quantiles: [shown.as_slice(), &tails, &grid].concat(),
        thresholds: asked.tail.clone(),
        seed: wanted.seed,
        interrupt: None,
    };
    let Some(base) = time::estimate(wanted.model, wanted.chain, wanted.solution, &options) else { return Ok(None) };
    let how = shared::Asked {
        law: asked.law,
        start_in_s: asked.start_in.unwrap_or(0.0),
        draws: asked.draws,
        seed: wanted.seed,
    };
    let shared::Found { time: found, closed } = shared::with_level(wanted.model, &base, how)?;
    let (told, rest) = found.quantiles.split_at(shown.len().min(found.quantiles.len()));
    let (ends, points) = rest.split_at(2.min(rest.len()));
    let range_s = match ends {
        [(_, low), (_, high)] => Some(shared::range_s(wanted.model, found.mean_s, (*low, *high), wanted.level)),
        _ => None,
    };
    let entry = TimeEntry {
        base: closed.as_ref().map(|_| shared::base(&base, shown.len())),
        level: closed.as_ref().map(|law| LevelEntry { mean: law.level_mean, sd: law.level_sd }),
        level_normal: closed.as_ref().map(|law| shared::closed(law, &base, shown.len())),
        ..entry(&found, told, points)
    };
    let run = Run { phases: found.phases, mean_s: found.mean_s, range_s };
    Ok(Some(Lasting { entry, run, warnings: found.warnings }))
}

fn entry(found: &TimeEstimate, told: &[(f64, f64)], points: &[(f64, f64)]) -> TimeEntry {
    TimeEntry {
        method: found.method,
        phases: found.phases,
        mean_s: found.mean_s,
        sd_s: Some(found.sd_s),
        quantiles: told.iter().map(|&(q, time_s)| QuantileEntry { q, time_s }).collect(),
        tails: found.tails.clone(),
        cdf: distribution(points),
        base: None,
        level: None,
        level_normal: None,
    }
}

/// Each time once, with the highest level that it was the quantile of.
fn distribution(points: &[(f64, f64)]) -> Vec<CdfEntry> {
    let mut distribution: Vec<CdfEntry> = Vec::new();
    for &(probability, time_s) in points {
        match distribution.last_mut() {
            Some(last) if last.time_s == time_s => last.probability = probability,
            _ => distribution.push(CdfEntry { time_s, probability }),
        }
    }
    distribution
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_wavefront::solve::time::RunLaw;

    fn asked(phases: Option<Phases>, quantiles: &[f64]) -> AskedArgs {
        AskedArgs {
            degrees: None,
            start_in: None,
            law: RunLaw::Auto,
            draws: 4000,
            initial_error: None,
            sensitivity: false,
            phases,
            quantiles: quantiles.to_vec(),
            tail: Vec::new(),
            wavefront: None,
            pmf: false,
        }
    }

    #[test]
    fn phases_are_those_told_or_those_needed() {
        assert_eq!(phases(&asked(Some(Phases::Count(7)), &[]), Some(61.9)), Ok(Some(7)));
        assert_eq!(phases(&asked(Some(Phases::Auto), &[]), Some(61.9)), Ok(Some(62)));
        assert_eq!(phases(&asked(None, &[]), Some(62.000_000_000_1)), Ok(Some(62)));
        assert_eq!(phases(&asked(None, &[]), None), Ok(None));
        assert_eq!(phases(&asked(None, &[0.5]), None).expect_err("no rate").code, "phases_unknown");
        assert_eq!(phases(&asked(Some(Phases::Auto), &[]), Some(1e12)).expect_err("too many").code, "phases_unknown");
    }

    #[test]
    fn a_time_is_once_in_the_distribution() {
        let found = distribution(&[(0.1, 1.0), (0.2, 1.0), (0.9, 3.0)]);
        let pairs: Vec<(f64, f64)> = found.iter().map(|at| (at.time_s, at.probability)).collect();
        assert_eq!(pairs, [(1.0, 0.2), (3.0, 0.9)]);
    }
}
