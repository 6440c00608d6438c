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
    pub modes: Option<Modes>,
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
            modes: sampled.modes.clone(),
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
