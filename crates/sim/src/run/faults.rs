//! Faults in a run: what fails and what that stops, and replays of what was simulated once.

use super::inputs::look;
use super::stage::Stage;
use crate::energy::used_by;
use crate::faults::{Expected, Faults, FaultsResult, Played, Segments, Source, replay};
use crate::noise::{Purpose, RunKey};
use crate::reliability::rates;
use crate::world::SystemWorld;
use runcast_core::statistics::quantile_of_sorted;
use runcast_core::{Problem, Problems, Warning};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Replays by default.
pub const REPLAYS: u64 = 1000;
/// Means beyond this, in seconds, are none.
const FOREVER_S: f64 = 1e9;
/// Faults of all replays: fewer replays are made where there would be more.
const MOST_FAULTS: f64 = 2e8;
/// Intervals of fewer replays would say nothing.
const LEAST_FOR_INTERVAL: u64 = 10;
/// Replays between two looks at whether an end was requested.
const LOOKED: u64 = 256;

/// When an application begins and ends in a repetition, in seconds.
pub(super) type Spans = Vec<(f64, f64)>;

impl Stage<'_> {
    /// Replays repetitions with faults; none: no faults were asked for, or nothing fails.
    ///
    /// # Errors
    /// Those of rules on rates of failure; an interrupt.
    pub(super) fn replay(
        &self,
        repetitions: &[Spans],
        wanted: u64,
        level: f64,
        interrupt: &AtomicBool,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<FaultsResult>, Problems> {
        let Some(faults) = self.prepared().faults() else { return Ok(None) };
        let fails = self.system_world().map(|world| sources(world, self)).transpose()?;
        let Some((sources, own)) = fails.filter(|(sources, _)| !sources.is_empty()) else {
            let text = "no component has a failure rate: nothing fails; give it mtbf";
            warnings.push(Warning::new("no_failure_rate", text.to_owned()));
            return Ok(None);
        };
        let played: Vec<Vec<Played>> = repetitions.iter().map(|spans| play(spans, &own, &faults)).collect();
        let experiment = &self.prepared().inputs.experiment;
        let mut worst = Expected::default();
        for apps in &played {
            let of = |(app, rate): (&Played, &f64)| {
                let expected = app.segments.expected(*rate, &faults.checkpoint);
                Expected { time_s: app.start_s + expected.time_s, ..expected }
            };
            for expected in apps.iter().zip(&own).map(of) {
                worst.time_s = worst.time_s.max(expected.time_s);
                worst.count += expected.count / played.len() as f64;
            }
        }
        if worst.time_s.is_nan() || worst.time_s > FOREVER_S {
            let text =
                "with faults it does not finish: the mean is beyond 1e9 s; save more often, or use fewer components";
            warnings.push(Warning::new("does_not_finish", text.to_owned()));
            return Ok(Some(FaultsResult::default()));
        }
        let replays = (wanted as f64).min(MOST_FAULTS / worst.count.max(1.0)).floor() as u64;
        if replays < wanted {
            let text =
                format!("{replays} replays with faults, not {wanted}: each has about {:.2e} faults", worst.count);
            warnings.push(Warning::new("fewer_replays", text));
        }
        if replays == 0 {
            return Ok(Some(FaultsResult::default()));
        }
        let mut ends = Vec::with_capacity(replays as usize);
        let (mut count, mut lost_s) = (0.0, 0.0);
        for repetition in 0..replays {
            if repetition % LOOKED == 0 {
                look(interrupt)?;
            }
            let key = RunKey { seed: experiment.seed, configuration: self.prepared().configuration, repetition };
            let apps = &played[(repetition % played.len() as u64) as usize];
            let one = replay(apps, &sources, &faults.checkpoint, &mut key.stream(Purpose::Fault, 0, 0));
            count += one.count as f64;
            lost_s += one.lost_s;
            ends.push(one.end_s);
        }
        ends.sort_by(f64::total_cmp);
        let mean = |sum: f64| sum / replays as f64;
        let tail = (1.0 - level) / 2.0;
        let bound = |share: f64| (replays >= LEAST_FOR_INTERVAL).then(|| quantile_of_sorted(&ends, share));
        Ok(Some(FaultsResult {
            count_mean: Some(mean(count)),
            lost_s_mean: Some(mean(lost_s)),
            time_s: Some(mean(ends.iter().sum())),
            time_low_s: bound(tail),
            time_high_s: bound(1.0 - tail),
            replays,
        }))
    }
}

/// Applications of a repetition as replays take them; `own` are the rates of all that each uses.
fn play(spans: &Spans, own: &[f64], faults: &Faults) -> Vec<Played> {
    let one = |((start_s, end_s), rate): (&(f64, f64), &f64)| Played {
        start_s: *start_s,
        segments: Segments::of((end_s - start_s).max(0.0), *rate, faults),
    };
    spans.iter().zip(own).map(one).collect()
}

/// What fails, and the rate of all that each application uses. What is in a machine stops all who have processes there; groups
/// and their storages stop each application that uses them by itself.
fn sources(world: &SystemWorld, stage: &Stage<'_>) -> Result<(Vec<Source>, Vec<f64>), Problem> {
    let application = &stage.prepared().recorded.application;
    let apps = stage.prepared().recorded.apps.len();
    let app_of = |label: u32| application.labels[label as usize].app as usize;
    let components = &world.system().components;
    let mut own = Vec::with_capacity(apps);
    for app in 0..apps {
        let used = used_by(world, &|label| app_of(label) == app);
        own.push(rates(world, &used)?.total_per_s.unwrap_or(0.0));
    }
    // By who uses them: machines, with all that is in these.
    let mut together: BTreeMap<Vec<usize>, Vec<u64>> = BTreeMap::new();
    for zone in world.placement().zones().iter().filter(|_| apps > 1) {
        let mut users: Vec<usize> =
            zone.parts.iter().filter(|part| part.count > 0).map(|part| app_of(part.label)).collect();
        users.sort_unstable();
        users.dedup();
        if users.len() < 2 {
            continue;
        }
        let used = together.entry(users).or_insert_with(|| vec![0; components.len()]);
        used[zone.component] += u64::from(zone.count);
        for child in world.system().children(zone.component) {
            used[child] += u64::from(zone.count).saturating_mul(components[child].count);
        }
    }
    let mut sources = Vec::new();
    let mut alone = own.clone();
    for (users, used) in together {
        let rate_per_s = rates(world, &used)?.total_per_s.unwrap_or(0.0);
        users.iter().for_each(|app| alone[*app] -= rate_per_s);
        sources.push(Source { rate_per_s, apps: users });
    }
    sources.extend(alone.iter().enumerate().map(|(app, rate)| Source { rate_per_s: *rate, apps: vec![app] }));
    // What is left of a difference of like rates is rounding.
    let all: f64 = own.iter().sum();
    sources.retain(|source| source.rate_per_s > 1e-12 * all);
    Ok((sources, own))
}
