//! The document of kind `record-show`.

use super::text;
use crate::answer::Answer;
use crate::context::Screen;
use crate::failure::Failure;
use runcast_core::prediction::Prediction;
use runcast_core::{Configuration, Problem, Warning};
use runcast_record::factors::Factors;
use runcast_report::plot::{Axis, Line, Plot, Points};
use serde::Serialize;
use std::collections::BTreeMap;

/// Recordings, their factors, and how these go on.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Shown {
    pub kind: &'static str,
    pub version: u32,
    pub recordings: Vec<ShownRecording>,
    pub reference_p: u64,
    pub scaling: &'static str,
    pub forecast: Vec<ShownForecast>,
    #[serde(skip)]
    pub top: usize,
    pub warnings: Vec<Warning>,
}

/// One recording.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownRecording {
    pub path: String,
    pub p: u32,
    pub params: serde_json::Map<String, serde_json::Value>,
    pub program: String,
    pub mpi: String,
    pub partial: bool,
    pub time_s: f64,
    /// Where `time_s` comes from.
    pub basis: &'static str,
    pub useful_mean_s: f64,
    pub useful_max_s: f64,
    pub ideal_time_s: Option<f64>,
    pub off_core_share: Option<f64>,
    pub io_share: Option<f64>,
    pub polling_share: Option<f64>,
    pub events: u64,
    pub nodes: usize,
    pub factors: Factors,
    pub speedup: Option<f64>,
    pub sites: Vec<ShownSite>,
    pub calls: Vec<ShownCall>,
    pub classes: Vec<ShownClass>,
    pub matrix: Option<ShownMatrix>,
    pub limits: Option<String>,
    /// How far a replay on the recorded machine is from the measured time.
    pub replay_error_pct: Option<f64>,
}

/// A call at a site, of all ranks.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownSite {
    pub site: u32,
    #[serde(rename = "where")]
    pub place: String,
    pub call: String,
    pub calls: u64,
    pub bytes: u64,
    pub block_time_s: f64,
    pub call_time_s: f64,
    /// Of the time in MPI.
    pub share: f64,
    #[serde(skip)]
    pub is_io: bool,
}

/// A call, of all sites.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownCall {
    pub call: String,
    pub calls: u64,
    pub bytes: u64,
    pub time_s: f64,
}

/// Ranks that did the same.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownClass {
    pub class: usize,
    pub ranks: Vec<u32>,
    pub count: usize,
    /// Mean computing time of a rank.
    pub useful_s: f64,
}

/// Bytes sent from rank to rank, or from one group of consecutive ranks to another.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownMatrix {
    /// The first rank of each row.
    pub ranks: Vec<u32>,
    pub bytes: Vec<Vec<u64>>,
}

/// Factors at a target.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownForecast {
    pub p: u64,
    pub factors: BTreeMap<&'static str, ShownFactor>,
    pub time_s: f64,
    pub time_low_s: f64,
    pub time_high_s: f64,
    pub level: f64,
    #[serde(skip)]
    pub most_recorded: f64,
}

/// A factor at a target.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownFactor {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub form: &'static str,
}

impl Answer for Shown {
    fn predictions(&self) -> Vec<Prediction> {
        let one = |forecast: &ShownForecast| {
            let at = Configuration([("p".to_owned(), forecast.p as f64)].into_iter().collect());
            let prediction = Prediction::new("factors", "factors", "time_s", at, Some(forecast.time_s));
            let mut prediction =
                prediction.within(forecast.level, Some(forecast.time_low_s), Some(forecast.time_high_s));
            let distance = (forecast.p as f64 / forecast.most_recorded).max(1.0);
            prediction.extrapolates = distance > 1.0;
            prediction.distance = [("p".to_owned(), distance)].into_iter().collect();
            prediction.horizon = distance;
            prediction
        };
        self.forecast.iter().map(one).collect()
    }

    fn text(&self, screen: Screen) -> String {
        text::text(self, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }

    /// Factors against the number of processes.
    fn plot(&self) -> Result<Plot, Failure> {
        let title = self.recordings.first().map_or("", |one| one.program.rsplit('/').next().unwrap_or_default());
        let mut plot = Plot::new(title, Axis::new("processes p", ""), Axis::new("factor of efficiency", ""));
        let names = self.recordings.first().map(|one| one.factors.named()).into_iter().flatten();
        for (row, (name, _)) in names.enumerate() {
            let value = |one: &ShownRecording| Some((f64::from(one.p), one.factors.named()[row].1?));
            let known: Vec<(f64, f64)> = self.recordings.iter().filter_map(value).collect();
            if !known.is_empty() {
                let name = name.replace('_', " ");
                let ahead = self.forecast.iter().filter_map(|forecast| {
                    let (_, factor) = forecast.factors.iter().find(|(known, _)| known.replace('_', " ") == name)?;
                    Some((forecast.p as f64, factor.value))
                });
                plot = plot.with(Line::new(name.as_str(), known.iter().copied().chain(ahead)));
                plot = plot.with(Points::new(name.as_str(), known));
            }
        }
        if plot.layers.is_empty() {
            return Err(Problem::new("nothing_to_draw", "the recordings hold no times").at("--plot").into());
        }
        Ok(plot)
    }
}
