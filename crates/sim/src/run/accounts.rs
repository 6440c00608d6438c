//! From the ticks of engines to the seconds of the document: means over repetitions and over the processes of labels.

use super::result::{CountsResult, LabelResult, LinkResult, PhaseResult};
use crate::application::Application;
use crate::outcome::{ACTIVITIES, Activity, Counts, LabelAccount, Outcome};
use crate::platform::Platform;
use crate::tick::{Tick, TickLength};
use runcast_core::statistics::quantile_of_sorted;
use std::collections::BTreeMap;

/// Links reported at most.
const MOST_LINKS: usize = 20;

/// Sums over repetitions, taken in their order: sums of numbers depend on it.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    repetitions: u64,
    labels: Vec<Sum>,
    phases: BTreeMap<(u32, u32), u128>,
}

#[derive(Debug, Default, Clone)]
struct Sum {
    ticks: [u128; ACTIVITIES],
    finish: u128,
    last: u128,
    first: LabelAccount,
}

impl Accounts {
    /// Adds what a repetition found out.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        let is_first = self.repetitions == 0;
        self.repetitions += 1;
        if self.labels.len() < outcome.labels.len() {
            self.labels.resize(outcome.labels.len(), Sum::default());
        }
        for (sum, account) in self.labels.iter_mut().zip(&outcome.labels) {
            for (to, ticks) in sum.ticks.iter_mut().zip(&account.ticks) {
                *to += ticks;
            }
            sum.finish += account.finish;
            sum.last += u128::from(account.last);
            if is_first {
                sum.first = account.clone();
            }
        }
        for phase in &outcome.phases {
            *self.phases.entry((phase.phase, phase.label)).or_default() += phase.ticks;
        }
    }

    pub(super) fn labels(&self, application: &Application, apps: &[String], tick: TickLength) -> Vec<LabelResult> {
        let repetitions = self.repetitions.max(1) as f64;
        let of = |label: usize, sum: &Sum| {
            let known = application.labels.get(label)?;
            let mean = |ticks: u128| tick.to_seconds_wide(ticks) / (known.count.max(1) as f64 * repetitions);
            let activity = |activity: Activity| mean(sum.ticks[activity as usize]);
            Some(LabelResult {
                app: apps.get(known.app as usize).cloned().unwrap_or_default(),
                label: known.name.clone(),
                count: known.count,
                classes: sum.first.classes,
                time_s: mean(sum.finish),
                last_s: tick.to_seconds_wide(sum.last) / repetitions,
                compute_s: activity(Activity::Compute),
                overhead_s: activity(Activity::Overhead),
                transfer_s: activity(Activity::Transfer),
                wait_s: activity(Activity::Wait),
                collective_s: activity(Activity::Collective),
                io_s: activity(Activity::Io),
                messages: sum.first.messages,
                bytes_sent: sum.first.bytes,
            })
        };
        self.labels.iter().enumerate().filter_map(|(label, sum)| of(label, sum)).collect()
    }

    /// By phase and label.
    pub(super) fn phases(&self, application: &Application, tick: TickLength) -> Vec<PhaseResult> {
        let repetitions = self.repetitions.max(1) as f64;
        let of = |(&(phase, label), &ticks): (&(u32, u32), &u128)| {
            let phase = application.phases.get(phase as usize)?;
            let label = application.labels.get(label as usize)?;
            let time_s = tick.to_seconds_wide(ticks) / (label.count.max(1) as f64 * repetitions);
            Some(PhaseResult { phase: phase.clone(), label: label.name.clone(), time_s })
        };
        self.phases.iter().filter_map(of).collect()
    }
}

/// The busiest links of a repetition: by the bytes that they carried of those that they could have, then by their number.
pub(super) fn links(outcome: &Outcome, platform: &Platform, tick: TickLength) -> Vec<LinkResult> {
    let time_s = tick.to_seconds(outcome.end);
    let used = outcome.links.iter().filter(|account| account.bytes > 0.0);
    let mut links: Vec<(u32, LinkResult)> = used
        .filter_map(|account| {
            let link = platform.links.get(account.link as usize)?;
            let could = link.bandwidth * time_s;
            let law = platform.laws.get(link.network as usize);
            Some((
                account.link,
                LinkResult {
                    network: law.map_or(String::new(), |law| law.name.clone()),
                    link: link.name.clone(),
                    bytes: account.bytes,
                    busy_s: tick.to_seconds(account.busy),
                    utilization: if could > 0.0 { account.bytes / could } else { 0.0 },
                },
            ))
        })
        .collect();
    links.sort_by(|(a_id, a), (b_id, b)| {
        b.busy_s.total_cmp(&a.busy_s).then(b.utilization.total_cmp(&a.utilization)).then(a_id.cmp(b_id))
    });
    links.truncate(MOST_LINKS);
    links.into_iter().map(|(_, link)| link).collect()
}

pub(super) fn counts(counts: &Counts) -> CountsResult {
    CountsResult {
        operations: counts.operations,
        messages: counts.messages,
        bytes: counts.bytes,
        collectives: counts.collectives,
        events: counts.events,
    }
}

/// End of each application: of the last process of its labels.
pub(super) fn ends(outcome: &Outcome, application: &Application, apps: usize) -> Vec<Tick> {
    let mut ends = vec![0; apps];
    for (label, account) in application.labels.iter().zip(&outcome.labels) {
        if let Some(end) = ends.get_mut(label.app as usize) {
            *end = (*end).max(account.last);
        }
    }
    ends
}

/// Mean, spread and quantiles of times.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    pub mean: f64,
    pub min: f64,
    pub max: f64,
    pub sd: Option<f64>,
    pub interval: Option<(f64, f64)>,
}

/// Intervals of fewer repetitions would say nothing.
const LEAST_FOR_INTERVAL: usize = 10;

pub(super) fn spread(times: &[f64], level: f64) -> Spread {
    if times.is_empty() {
        return Spread::default();
    }
    let count = times.len() as f64;
    // Shifted by the first, so that equal times have exactly their mean.
    let mean = times[0] + times.iter().map(|time| time - times[0]).sum::<f64>() / count;
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    let squares: f64 = times.iter().map(|time| (time - mean).powi(2)).sum();
    let tail = (1.0 - level) / 2.0;
    Spread {
        mean,
        min: sorted[0],
        max: sorted[sorted.len() - 1],
        sd: (times.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
        interval: (times.len() >= LEAST_FOR_INTERVAL)
            .then(|| (quantile_of_sorted(&sorted, tail), quantile_of_sorted(&sorted, 1.0 - tail))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([1..11]^2, [0.05, 0.95]); statistics.stdev.
        let times: Vec<f64> = (1..=11).rev().map(|value| f64::from(value * value)).collect();
        let spread = spread(&times, 0.9);
        let (low, high) = spread.interval.expect("enough");
        assert!((low - 2.5).abs() < 1e-12 && (high - 110.5).abs() < 1e-12, "{low} {high}");
        assert_eq!((spread.min, spread.max, spread.mean), (1.0, 121.0, 46.0));
        assert!((spread.sd.expect("several") - 40.863_186_366_214_76).abs() < 1e-6, "{spread:?}");
    }

    #[test]
    fn few_times_have_no_interval_and_one_has_no_spread() {
        let nine = spread(&[1.0; 9], 0.9);
        assert_eq!((nine.interval, nine.sd, nine.mean), (None, Some(0.0), 1.0));
        assert_eq!(spread(&[0.1], 0.9).sd, None);
        assert_eq!(spread(&[0.1, 0.1, 0.1], 0.9).mean, 0.1);
    }
}
