//! The law of the time from simulated runs.

use super::law::TimeLaw;
use crate::model::Model;
use crate::simulate::{Recursion, Tables};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Phases that all runs together may take.
const MOST_PHASES: u64 = 200_000_000;
/// Runs, at least and at most.
const RUNS: (u64, u64) = (100, 20_000);
/// Phases of a run; longer ones are taken to continue as they began.
pub(super) const LONGEST: u64 = MOST_PHASES / RUNS.0;

/// The empirical law; each run has a stream of its own. None: it was interrupted.
pub(super) fn law(model: &Model, phases: u64, seed: u64, stop: &(dyn Fn() -> bool + Sync)) -> Option<TimeLaw> {
    let played = phases.min(LONGEST);
    let runs = (MOST_PHASES / phases.max(1)).clamp(RUNS.0, RUNS.1);
    let tables = Tables::new(model);
    let run = |stream: u64| {
        let mut recursion = Recursion::of_tables(&tables, seed, stream);
        let mut ticks = 0_u64;
        for phase in 0..played {
            if phase % 65_536 == 0 && stop() {
                return None;
            }
            ticks = ticks.saturating_add(recursion.phase().ticks);
        }
        let drawn_out = if played < phases { (ticks as f64 * (phases as f64 / played as f64)) as u64 } else { ticks };
        Some(i64::try_from(drawn_out).unwrap_or(i64::MAX))
    };
    let times: Vec<i64> = (0..runs).into_par_iter().map(run).collect::<Option<_>>()?;
    let mut counts = BTreeMap::new();
    times.iter().for_each(|ticks| *counts.entry(*ticks).or_insert(0_u64) += 1);
    Some(TimeLaw::new(counts.into_iter().map(|(ticks, count)| (ticks, count as f64 / runs as f64)).collect()))
}
