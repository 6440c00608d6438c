//! The document of kind `wavefront-sample`.

use super::Sampled;
use super::origin::Origin;
use runcast_core::Warning;
use runcast_wavefront::level::{Candidate, Entry, Judged, LevelNormal, Observed, Posterior};
use runcast_wavefront::sample::diagnose::{Diagnostics, spread_factor};
use runcast_wavefront::sample::modes::Modes;
use runcast_wavefront::sample::series::{Series, Subject, process_names};
use runcast_wavefront::sample::summary::Summary;
use serde::Serialize;

/// The document of kind `wavefront-sample`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Document {
    pub kind: &'static str,
    pub version: u32,
    #[serde(flatten)]
    pub origin: Origin,
    pub seed: u64,
    pub processes: Vec<ProcessEntry>,
    pub links: Vec<LinkEntry>,
    pub diagnostics: Diagnostics,
    /// The degree of the loop, where it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<String>,
    /// By how much the spread of sums of updates is larger than that of independent ones, of the worst process.
    pub spread_factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Modes>,
    /// A slowdown that the processes share; null where the samples cannot show it.
    pub level: Option<LevelEntry>,
    /// What the real loop says of the updates; null where it was not run.
    pub pilot: Option<Vec<PilotEntry>>,
    /// What the windows speak for; null where there are too few.
    pub choice: Option<Vec<Judged>>,
    /// The one that the model has.
    pub chosen: Option<Candidate>,
    pub hints: Vec<Warning>,
    pub warnings: Vec<Warning>,
}

/// By how much the updates of a process are longer in the real loop than independent ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct PilotEntry {
    pub process: String,
    pub factor: f64,
    /// The factor on all messages, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<f64>,
    /// The standard deviation of the logarithm of all factors together.
    pub log_sd: f64,
}

/// How the processes slow down together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LevelEntry {
    pub windows: usize,
    /// Probability that the level does not move.
    pub no_level_probability: f64,
    /// Mean change of its logarithm in a window.
    pub step_sd: f64,
    pub window_s: f64,
    /// Probability that it reverts to a mean.
    pub revert_probability: f64,
    /// From the middle of the last window to the end of the last sample.
    pub lag_s: f64,
    /// The factor on times later on, at a level of 0.9.
    pub forecast: Vec<ForecastEntry>,
}

/// The factor on times so long after the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct ForecastEntry {
    pub in_s: f64,
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

/// When the level is forecast \[s\].
const AHEAD_S: [f64; 4] = [0.0, 60.0, 600.0, 3600.0];

impl LevelEntry {
    fn of(observed: &Observed) -> Option<LevelEntry> {
        let posterior = Posterior::of(observed)?;
        let window_s = observed.window_s();
        let forecast = |in_s: f64| {
            let law = LevelNormal::factor_at(&posterior, observed.end_s + in_s);
            ForecastEntry { in_s, low: law.quantile(0.05), median: law.quantile(0.5), high: law.quantile(0.95) }
        };
        let weigh = |of: &dyn Fn(&Entry) -> f64| posterior.entries.iter().map(|entry| entry.weight * of(entry)).sum();
        Some(LevelEntry {
            windows: observed.times_s.len(),
            no_level_probability: posterior.no_level_probability(),
            step_sd: weigh(&|entry| (entry.q * window_s).sqrt()),
            window_s,
            revert_probability: weigh(&|entry| f64::from(u8::from(entry.kappa > 0.0))),
            lag_s: observed.end_s - observed.times_s.last()?,
            forecast: AHEAD_S.map(forecast).to_vec(),
        })
    }
}

/// Updates of a process.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ProcessEntry {
    pub name: String,
    pub host: String,
    #[serde(flatten)]
    pub summary: Summary,
}

/// Messages of a link.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct LinkEntry {
    pub from: String,
    pub to: String,
    #[serde(flatten)]
    pub summary: Summary,
}

impl Document {
    pub fn of(sampled: &Sampled<'_>) -> Document {
        let of_process = |series: &Series| match &series.subject {
            Subject::Process(name) => {
                Some(ProcessEntry { name: name.clone(), host: series.host.clone(), summary: Summary::of(series) })
            }
            Subject::Link { .. } => None,
        };
        let of_link = |series: &Series| match &series.subject {
            Subject::Link { from, to } => {
                Some(LinkEntry { from: from.clone(), to: to.clone(), summary: Summary::of(series) })
            }
            Subject::Process(_) => None,
        };
        Document {
            kind: "wavefront-sample",
            version: 1,
            origin: sampled.origin.clone(),
            seed: sampled.args.seed.seed,
            processes: sampled.series.iter().filter_map(of_process).collect(),
            links: sampled.series.iter().filter_map(of_link).collect(),
            diagnostics: sampled.diagnostics.clone(),
            degree: sampled.degree.as_ref().map(|degree| degree.name.clone()),
            spread_factor: factor(&sampled.diagnostics),
            modes: sampled.modes.clone(),
            level: sampled.level().and_then(LevelEntry::of),
            pilot: sampled.pilot.as_ref().map(|pilot| {
                let entry = |(process, factor): (&str, &f64)| PilotEntry {
                    process: process.to_owned(),
                    factor: *factor,
                    messages: Some(pilot.messages).filter(|factor| *factor != 1.0),
                    log_sd: pilot.log_sd,
                };
                process_names(&sampled.series).zip(&pilot.factors).map(entry).collect()
            }),
            choice: sampled.choice.as_ref().map(|choice| choice.judged.clone()),
            chosen: sampled.choice.as_ref().map(|_| Candidate {
                modes: sampled.modes.as_ref().map_or(1, |modes| modes.names.len()),
                level: sampled.writes_level,
            }),
            hints: sampled.hints.clone(),
            warnings: sampled.warnings.clone(),
        }
    }
}

/// sqrt((1+r)/(1-r)) of the largest r of a process; none where nothing varies.
fn factor(diagnostics: &Diagnostics) -> Option<f64> {
    let processes = diagnostics.lag1.iter().filter(|lag1| lag1.process.is_some());
    let largest = processes.filter_map(|lag1| lag1.r).max_by(f64::total_cmp)?;
    Some(spread_factor(largest)).filter(|factor| factor.is_finite())
}
