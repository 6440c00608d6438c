//! The space-time diagram: OBSP* above, BSP below.

use super::words::seconds;
use crate::human::parameter;
use runcast_call::bsp::{Kind, Outcome, Reading};
use runcast_report::spacetime::{Activity, Bracket, Lane, LaneSpan, Panel, SpaceTime, Stretch};
use std::collections::{BTreeSet, HashMap};

/// Of more ranks a sample is drawn.
const MOST_LANES: usize = 64;
/// So many of them may be there because the critical path goes through them.
const MOST_CRITICAL: usize = 16;

/// The diagram of a calculation that kept its picture.
pub(super) fn diagram(title: &str, outcome: &Outcome<'_>) -> SpaceTime {
    let ranks = sample(outcome);
    let parameters = outcome.parameters.iter().map(|(name, value)| format!("{name} = {}", parameter(*value)));
    let mut notes = Vec::new();
    if ranks.len() < outcome.processors() {
        notes.push(format!(
            "A sample: {} of {} ranks, evenly chosen, and some that the critical path goes through; between them it is \
             not drawn.",
            ranks.len(),
            outcome.processors()
        ));
    }
    SpaceTime {
        title: title.to_owned(),
        subtitle: parameters.collect::<Vec<_>>().join(", "),
        panels: vec![
            panel("OBSP*, oblivious", Reading::Obsp, outcome.obsp_time_s(), outcome, &ranks),
            panel("BSP, with barriers", Reading::Bsp, outcome.bsp_time_s(), outcome, &ranks),
        ],
        notes,
    }
}

/// All ranks; of many, some evenly chosen with first and last, and some of the critical path.
fn sample(outcome: &Outcome<'_>) -> Vec<u32> {
    let count = outcome.processors();
    if count <= MOST_LANES {
        return (0..count as u32).collect();
    }
    let mut chosen: BTreeSet<u32> = BTreeSet::from([0, count as u32 - 1]);
    // The end of the path says most.
    let critical = outcome.critical_stretches(Reading::Obsp).into_iter().rev().map(|(rank, _, _)| rank);
    for rank in critical {
        if chosen.len() >= MOST_CRITICAL {
            break;
        }
        chosen.insert(rank);
    }
    let even = MOST_LANES - chosen.len();
    chosen.extend((0..even).map(|index| (index as f64 * (count - 1) as f64 / (even - 1) as f64).round() as u32));
    chosen.into_iter().collect()
}

fn panel(name: &str, reading: Reading, time_s: f64, outcome: &Outcome<'_>, ranks: &[u32]) -> Panel {
    let lane_of: HashMap<u32, usize> = ranks.iter().enumerate().map(|(lane, rank)| (*rank, lane)).collect();
    let activity = outcome.activity(reading, ranks);
    let lanes = ranks.iter().zip(&activity).map(|(&rank, spans)| {
        let start = outcome.start_s().get(rank as usize).copied().unwrap_or(0.0);
        let finish = outcome.finish_s(reading).get(rank as usize).copied().unwrap_or(start);
        Lane { label: rank.to_string(), spans: with_waits(spans, start, finish) }
    });
    let stretches = outcome.critical_stretches(reading).into_iter();
    let critical =
        stretches.map(|(rank, from_s, to_s)| Stretch { lane: lane_of.get(&rank).copied(), from_s, to_s }).collect();
    let groups = outcome.groups(reading).into_iter().filter_map(|group| {
        // The lanes of a sample that fall into the group; a group of one processor needs no line around it.
        let first = ranks.partition_point(|rank| *rank < group.first_rank);
        let end = ranks.partition_point(|rank| *rank < group.first_rank + group.processors);
        let is_seen = group.processors > 1 && end > first && group.to_s > group.from_s;
        is_seen.then(|| Bracket { first, last: end - 1, depth: group.depth, from_s: group.from_s, to_s: group.to_s })
    });
    Panel { name: format!("{name}: {}", seconds(time_s)), lanes: lanes.collect(), groups: groups.collect(), critical }
}

/// What is neither work nor communication is waiting.
fn with_waits(spans: &[(Kind, f64, f64)], start: f64, finish: f64) -> Vec<LaneSpan> {
    let mut all = Vec::with_capacity(2 * spans.len() + 1);
    let mut at = start;
    let mut add = |activity: Activity, from_s: f64, to_s: f64| {
        if to_s > from_s {
            all.push(LaneSpan { activity, from_s, to_s });
        }
    };
    for &(kind, from, to) in spans {
        add(Activity::Wait, at, from);
        add(if kind == Kind::Work { Activity::Work } else { Activity::Comm }, from, to);
        at = to;
    }
    add(Activity::Wait, at, finish);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_waiting() {
        let spans = with_waits(&[(Kind::Work, 1.0, 2.0), (Kind::Comm, 3.0, 4.0)], 0.0, 5.0);
        let told: Vec<_> = spans.iter().map(|span| (span.activity, span.from_s, span.to_s)).collect();
        let (wait, work, comm) = (Activity::Wait, Activity::Work, Activity::Comm);
        assert_eq!(told, [(wait, 0.0, 1.0), (work, 1.0, 2.0), (wait, 2.0, 3.0), (comm, 3.0, 4.0), (wait, 4.0, 5.0)]);
    }
}
