//! What runs that `advise next` chose are worth, replayed on real runs: its set beside the largest run it could have had.

use crate::real_runs::{Set, lines};
use runcast_core::accuracy::relative_error;
use runcast_core::series::Aggregate;
use runcast_core::statistics::median;
use runcast_core::{Configuration, Series};
use runcast_fit::advise::next::{Question, advise};
use runcast_fit::{FitOptions, Model, registry};
use std::fmt::Write as _;
use std::sync::Arc;

/// One replay: the smaller runs of a series known, its largest asked for, those between for sale.
#[derive(Debug, Clone)]
pub struct Replay {
    /// Relative error at the target without further runs.
    pub before: f64,
    /// With the chosen set.
    pub set: f64,
    /// With the largest run alone.
    pub largest: f64,
    /// With the largest run that really costs no more than the chosen set.
    pub equal: f64,
    /// With the best set of runs that the budget pays for, known afterwards.
    pub oracle: f64,
    /// What the chosen set really cost, as a share of the budget.
    pub spent: f64,
}

/// Every replay of every series of at least six configurations: `budget` times the real cost of the largest run for
/// sale may be spent.
pub fn replays(sets: &[Set], budget: f64) -> Vec<Replay> {
    let mut found = Vec::new();
    for set in sets {
        for series in set.whole.iter().flat_map(lines).filter(|series| series.metric.is_time()) {
            for known in 3..series.points.len().saturating_sub(2) {
                found.extend(replay(&series, known, budget));
            }
        }
    }
    found
}

fn replay(series: &Series, known: usize, budget: f64) -> Option<Replay> {
    let auto = registry::find("auto")?;
    let axis = series.process_parameter?;
    let truth = series.aggregated(Aggregate::Median);
    let last = series.points.len() - 1;
    let at = |k: usize| series.configuration(&series.points[k]);
    let with = |chosen: &[usize]| -> Series {
        let points = series.points.iter().enumerate();
        let points = points.filter(|(k, _)| *k < known || chosen.contains(k)).map(|(_, point)| point.clone());
        Series { points: points.collect(), ..series.clone() }
    };
    let model = |chosen: &[usize]| Model::fit(&Arc::new(with(chosen)), auto, &FitOptions::default()).ok();
    let error = |chosen: &[usize]| -> Option<f64> {
        let value = model(chosen)?.predict(&at(last), 0.9).ok()?.0.value?;
        Some(relative_error(value, truth[last]))
    };
    let cost = |k: usize| series.points[k].at[axis] * truth[k] / 3600.0;
    let budget = budget * cost(last - 1);
    let candidates: Vec<usize> = (known..last).collect();
    let question = Question {
        target: at(last),
        candidates: candidates.iter().map(|k| at(*k)).collect(),
        budget_core_hours: Some(budget),
        repetitions: 1,
        cores_per_process: 1.0,
        level: 0.9,
    };
    let advice = advise(&model(&[])?, auto, &question).ok()?;
    let index = |at_: &Configuration| candidates.iter().copied().find(|k| &at(*k) == at_);
    let chosen: Vec<usize> = advice.chosen.iter().filter_map(|run| index(&run.at)).collect();
    let subsets = (0_u32..1 << candidates.len().min(10)).map(|bits| {
        candidates.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1).map(|(_, c)| *c).collect::<Vec<usize>>()
    });
    let affordable = subsets.filter(|set| set.iter().map(|k| cost(*k)).sum::<f64>() <= budget * (1.0 + ROUNDING));
    let oracle = affordable.filter_map(|set| error(&set)).fold(f64::INFINITY, f64::min);
    let spent: f64 = chosen.iter().map(|k| cost(*k)).sum();
    let equal: Vec<usize> =
        candidates.iter().rev().find(|k| cost(**k) <= spent * (1.0 + ROUNDING)).copied().into_iter().collect();
    Some(Replay {
        equal: error(equal.as_slice())?,
        before: error(&[])?,
        set: error(&chosen)?,
        largest: error(&[last - 1])?,
        oracle,
        spent: spent / budget,
    })
}

/// Budgets of the table, in units of the cost of the largest run for sale.
const BUDGETS: [f64; 4] = [1.0, 1.5, 2.0, 4.0];

/// The section of docs/accuracy.md.
pub fn section(sets: &[Set]) -> String {
    let mut text = String::from(
        "\n## What advised runs are worth\n\n\
         `advise next --budget` on the same series: the three and more smallest runs known, the largest asked for, those between\n\
         for sale at what they really cost, the budget a multiple of what the largest of them costs. Beside its set: the largest\n\
         run alone, the largest that really costs no more than the set, and the best set that the budget pays for, known only\n\
         afterwards. Median errors at the target.\n\n\
         | budget | replays | no further run | advised set | largest run | at equal cost | best set | set no worse than the largest | than at equal cost | spent | over budget |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for budget in BUDGETS {
        let replays = replays(sets, budget);
        let error = |of: fn(&Replay) -> f64| 100.0 * median(&replays.iter().map(of).collect::<Vec<f64>>());
        let _ = writeln!(
            text,
            "| {budget} | {} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:.0} % | {:.0} % | {:.0} % | {:.0} % |",
            replays.len(),
            error(|replay| replay.before),
            error(|replay| replay.set),
            error(|replay| replay.largest),
            error(|replay| replay.equal),
            error(|replay| replay.oracle),
            share(&replays, |replay| no_worse(replay.set, replay.largest)),
            share(&replays, |replay| no_worse(replay.set, replay.equal)),
            error(|replay| replay.spent),
            share(&replays, |replay| replay.spent > 1.0 + ROUNDING),
        );
    }
    text.push_str(
        "\nThe largest run that a budget pays for is hard to beat: a second run must promise a good part of the error before it is\n\
         bought. Prices are upper ends of ranges, so a budget that just pays for the largest run often buys a smaller one.\n",
    );
    text
}

/// How far sums of the same numbers may be apart.
const ROUNDING: f64 = 1e-9;

/// Whether an error is no larger than another.
pub fn no_worse(error: f64, other: f64) -> bool {
    error <= other * (1.0 + ROUNDING)
}

/// The share of the replays for which something holds, in percent.
pub fn share(replays: &[Replay], holds: impl Fn(&Replay) -> bool) -> f64 {
    100.0 * replays.iter().filter(|replay| holds(replay)).count() as f64 / replays.len() as f64
}
