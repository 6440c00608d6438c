//! The document of kind `wavefront-sample`.

use super::Sampled;
use super::origin::Origin;
use runcast_core::Warning;
use runcast_wavefront::sample::diagnose::{Diagnostics, spread_factor};
use runcast_wavefront::sample::modes::Modes;
use runcast_wavefront::sample::series::{Series, Subject};
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
    /// By how much the spread of sums of updates is larger than that of independent ones, of the worst process.
    pub spread_factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<ModesEntry>,
    pub hints: Vec<Warning>,
    pub warnings: Vec<Warning>,
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

/// Modes that were found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ModesEntry {
    pub states: Vec<String>,
    /// From phase to phase.
    #[serde(rename = "Q")]
    pub transition: Vec<Vec<f64>>,
    /// From window to window.
    pub window_transition: Vec<Vec<f64>>,
    pub window_s: f64,
    pub windows: usize,
    /// Windows in each mode.
    pub shares: Vec<f64>,
    /// Phases in each mode, in the long run.
    pub stationary: Vec<f64>,
    pub phase_mean_s: Vec<f64>,
    /// Of each process (inner) in each mode (outer).
    pub update_mean_s: Vec<Vec<f64>>,
    /// Fall of the Bayesian information criterion against one law.
    pub bic_gain: f64,
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
            spread_factor: factor(&sampled.diagnostics),
            modes: sampled.modes.as_ref().map(ModesEntry::of),
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

impl ModesEntry {
    fn of(modes: &Modes) -> ModesEntry {
        ModesEntry {
            states: modes.names.clone(),
            transition: modes.transition.clone(),
            window_transition: modes.window_transition.clone(),
            window_s: modes.windows.width_s,
            windows: modes.windows.count,
            shares: modes.shares.clone(),
            stationary: modes.stationary.clone(),
            phase_mean_s: modes.phase_mean_s.clone(),
            update_mean_s: modes.update_mean_s.clone(),
            bic_gain: modes.bic_gain,
        }
    }
}
