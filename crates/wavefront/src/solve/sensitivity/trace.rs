//! The critical path of simulated runs.

use super::Critical;
use crate::markov::LongRun;
use crate::model::Model;
use crate::simulate::{Recursion, Tables};
use rayon::prelude::*;

/// Independent runs.
const RUNS: u64 = 64;
/// Phases of a run that are looked at, and those at its begin and end that are not: there the path has not yet forgotten
/// where it started.
const PHASES: usize = 8_000;
const MARGIN: usize = 1_000;
/// Numbers that a run may keep.
const MOST_NUMBERS: usize = 20_000_000;

/// Shares and times, in ticks; the same for any number of threads. None: it was interrupted.
pub(super) fn critical(model: &Model, seed: u64, stop: &(dyn Fn() -> bool + Sync)) -> Option<Critical> {
    let tables = Tables::new(model);
    let size = model.size();
    let kept = (MOST_NUMBERS / (size * (size + 3))).clamp(200, PHASES + 2 * MARGIN);
    let margin = MARGIN.min(kept / 4);
    // Modes can last longer than a run: the runs are spread over those of the long run.
    let long_run = LongRun::of(&model.modes.transition, &model.modes.start);
    let begin = |stream: u64| {
        let recursion = Recursion::of_tables(&tables, seed, stream);
        let mode = long_run.state_at((stream as f64 + 0.5) / RUNS as f64);
        if long_run.law.len() > 1 { recursion.starting_in(mode) } else { recursion }
    };
    let runs: Vec<Critical> = (0..RUNS)
        .into_par_iter()
        .map(|stream| if stop() { None } else { Some(trace(begin(stream), size, kept, margin)) })
        .collect::<Option<_>>()?;
    let mut mean = Critical::zero(size);
    runs.iter().for_each(|run| mean.add(run));
    mean.scale(1.0 / RUNS as f64);
    Some(mean)
}

/// What a phase leaves for its trace, in ticks after its start on process 1.
struct Kept {
    starts: Vec<i64>,
    alpha_ends: Vec<i64>,
    /// By receiver, then sender.
    arrivals: Vec<i64>,
    ends: Vec<i64>,
}

fn trace(mut recursion: Recursion, size: usize, phases: usize, margin: usize) -> Critical {
    let keep = |_: usize| {
        let starts = recursion.offsets().to_vec();
        let ticks = recursion.phase_with_arrivals().ticks as i64;
        Kept {
            starts,
            alpha_ends: recursion.alpha_ends().to_vec(),
            arrivals: recursion.arrivals().to_vec(),
            ends: recursion.offsets().iter().map(|offset| offset + ticks).collect(),
        }
    };
    let kept: Vec<Kept> = (0..phases).map(keep).collect();
    let mut critical = Critical::zero(size);
    let mut through = vec![0.0; size];
    through[0] = 1.0;
    for (phase, kept) in kept.iter().enumerate().rev() {
        let counted = phase >= margin && phase < phases - margin;
        let mut before = vec![0.0; size];
        for (to, through) in through.iter().enumerate().filter(|(_, through)| **through > 0.0) {
            let came = |from: usize| if from == to { kept.alpha_ends[to] } else { kept.arrivals[to * size + from] };
            let last = (0..size).map(came).max().unwrap_or(0);
            let senders: Vec<usize> = (0..size).filter(|from| came(*from) == last).collect();
            let share = through / senders.len() as f64;
            for from in senders {
                before[from] += share;
                if counted {
                    critical.process_share[from] += share;
                    critical.process_time[from] += share * (kept.alpha_ends[from] - kept.starts[from]) as f64;
                    critical.link_share[from * size + to] += share;
                    critical.link_time[from * size + to] += share * (last - kept.alpha_ends[from]) as f64;
                }
            }
            if counted {
                critical.overrun_time += through * (kept.ends[to] - last) as f64;
            }
        }
        through = before;
    }
    critical.scale(1.0 / (phases - 2 * margin) as f64);
    critical
}
