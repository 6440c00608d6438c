//! Flat or tree: what the cost model recommends after a few timed iterations.

use super::checkpoint::State;
use super::error::RunError;
use super::fleet::Fleet;
use super::options::{CollectiveChoice, RunOptions};
use super::times::{Phase, Times};
use crate::cost::{Collective, Costs, Form, Times as Seconds, Work};
use runcast_core::Warning;

/// Iterations of a run that are timed before the choice.
const TIMED: u64 = 4;
/// Number of round trips for a median.
const TRIPS: usize = 9;

/// The collective for the next order.
pub(super) fn collective<X>(
    state: &mut State,
    options: &RunOptions,
    fleet: &mut dyn Fleet<X>,
    times: &Times,
    warnings: &mut Vec<Warning>,
) -> Result<Collective, RunError> {
    let workers = fleet.times().len() as u64 - 1;
    let chosen = match options.collective {
        CollectiveChoice::Flat => Collective::Flat,
        CollectiveChoice::Tree => Collective::Tree,
        // The choice of a resumed run; a tree of two workers is flat.
        CollectiveChoice::Auto if state.collective.is_some() => state.collective.unwrap_or(Collective::Flat),
        CollectiveChoice::Auto if workers <= 2 => Collective::Flat,
        CollectiveChoice::Auto if times.count() < TIMED => return Ok(Collective::Flat),
        CollectiveChoice::Auto => choose(fleet, times, workers, warnings)?,
    };
    state.collective = Some(chosen);
    Ok(chosen)
}

fn choose<X>(
    fleet: &mut dyn Fleet<X>,
    times: &Times,
    workers: u64,
    warnings: &mut Vec<Warning>,
) -> Result<Collective, RunError> {
    let (order, result) = fleet.message_bytes();
    let round_trip_s = median(|| fleet.round_trip(0, 1, 1))?;
    let send_s = median(|| fleet.round_trip(0, order, 1))? - round_trip_s;
    let receive_s = median(|| fleet.round_trip(0, 1, result))? - round_trip_s;
    let busy_s = median(|| fleet.scatter(workers as usize, 1))? / workers as f64;
    let latency_s = round_trip_s / 2.0;
    let reduce_s = times.ranks.first().and_then(|master| master.median_wall_s(Phase::Reduce)).unwrap_or(0.0);
    let costs = Costs::new(Seconds {
        list_length: workers,
        latency_s,
        overhead_s: Some(busy_s.min(latency_s)),
        send_s: send_s.max(0.0),
        receive_s: receive_s.max(0.0),
        work: Work::Fused(0.0),
        fold_s: reduce_s / (workers - 1) as f64,
        compute_s: 0.0,
    })
    .map_err(|error| RunError::Message(format!("message times are not plausible: {error}")))?;
    let of = |collective| costs.time_s(Form::Smooth, collective, workers);
    let (flat_s, tree_s) = (of(Collective::Flat), of(Collective::Tree));
    let chosen = if tree_s < flat_s { Collective::Tree } else { Collective::Flat };
    warnings.push(Warning::new(
        "collective_chosen",
        format!(
            "the model chose the {} collective from iteration {} on: messages and folds take {:.3} us per iteration flat, {:.3} us in a tree",
            chosen.name(),
            times.count() + 1,
            flat_s * 1e6,
            tree_s * 1e6
        ),
    ));
    Ok(chosen)
}

fn median(mut measure: impl FnMut() -> Result<f64, RunError>) -> Result<f64, RunError> {
    let mut values = (0..TRIPS).map(|_| measure()).collect::<Result<Vec<_>, _>>()?;
    values.sort_by(f64::total_cmp);
    Ok(values[TRIPS / 2])
}
