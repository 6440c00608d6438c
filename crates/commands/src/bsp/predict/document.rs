//! The document of kind `bsp-predict`.

use super::draws::{LEVEL, Range};
use super::words;
use crate::answer::Answer;
use crate::context::Screen;
use crate::own_ranges::Widen;
use indexmap::IndexMap;
use runcast_call::bsp::{Outcome, Segment, Synchronization};
use runcast_core::{Configuration, Warning, json};
use serde::Serialize;

/// The document of kind `bsp-predict`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    /// What its author calls the program, or its file.
    pub program: String,
    pub file: String,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    /// One for each combination of parameters.
    pub predictions: Vec<Prediction>,
}

/// When the processors are done at given parameters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// Every parameter.
    #[serde(serialize_with = "json::numbers_by_name")]
    pub at: IndexMap<String, f64>,
    /// How many there are.
    pub processors: usize,
    /// From the earliest start to the latest finish, each waiting for those that send to it.
    #[serde(serialize_with = "json::as_number")]
    pub obsp_time_s: f64,
    /// Bounds of `obsp_time_s` by what its models are uncertain of; none for a program without models.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low_s: Option<f64>,
    /// See `low_s`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high_s: Option<f64>,
    /// Of the bounds.
    #[serde(serialize_with = "json::as_optional_number")]
    level: Option<f64>,
    /// Joint draws of the errors of all models that the bounds come from.
    draws: usize,
    /// The same with a barrier at the end of every superstep.
    #[serde(serialize_with = "json::as_number")]
    pub bsp_time_s: f64,
    /// The same with one g, L and p for everything; none where the program does not give them.
    #[serde(serialize_with = "json::as_optional_number")]
    pub raw_bsp_time_s: Option<f64>,
    /// BSP over OBSP*.
    #[serde(serialize_with = "json::as_optional_number")]
    pub gain: Option<f64>,
    #[serde(serialize_with = "json::as_numbers")]
    start_s: Vec<f64>,
    /// When each processor is done, OBSP*.
    #[serde(serialize_with = "json::as_numbers")]
    pub obsp_finish_s: Vec<f64>,
    #[serde(serialize_with = "json::as_numbers")]
    bsp_finish_s: Vec<f64>,
    #[serde(serialize_with = "json::as_numbers")]
    work_s: Vec<f64>,
    #[serde(serialize_with = "json::as_numbers")]
    wait_s: Vec<f64>,
    #[serde(serialize_with = "json::as_numbers")]
    comm_s: Vec<f64>,
    /// With `--detail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
    /// With `--detail`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_path: Option<Vec<Segment>>,
}

/// A superstep of a machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// Its number; `1:0/2` is superstep 2 of group 0 in superstep 1.
    pub path: String,
    /// What its author calls it.
    pub name: Option<String>,
    pub task: String,
    depth: u32,
    /// The first processor, in the whole.
    pub first_rank: u32,
    /// How many there are.
    pub processors: u32,
    /// How they wait for each other.
    pub sync: Synchronization,
    /// By processor.
    #[serde(serialize_with = "json::as_numbers")]
    pub obsp_finish_s: Vec<f64>,
    /// By processor.
    #[serde(serialize_with = "json::as_numbers")]
    pub bsp_finish_s: Vec<f64>,
    /// By processor.
    #[serde(serialize_with = "json::as_numbers")]
    pub wait_s: Vec<f64>,
    /// By processor.
    #[serde(serialize_with = "json::as_numbers")]
    pub h_bytes: Vec<f64>,
}

impl Document {
    pub(super) fn new(program: String, file: String, warnings: Vec<Warning>, predictions: Vec<Prediction>) -> Self {
        Document { kind: "bsp-predict", version: 1, program, file, warnings, predictions }
    }
}

/// A prediction for each reading of the program: `obsp`, `bsp`, and `raw-bsp` where the program gives it.
impl Answer for Document {
    fn predictions(&self) -> Vec<runcast_core::Prediction> {
        let of_one = |one: &Prediction| {
            let times =
                [("obsp", Some(one.obsp_time_s)), ("bsp", Some(one.bsp_time_s)), ("raw-bsp", one.raw_bsp_time_s)];
            let at = Configuration(one.at.clone());
            let given = times.into_iter().filter(|(_, time_s)| time_s.is_some());
            let told = given.map(|(model, time_s)| {
                let told = runcast_core::Prediction::new("bsp", model, "time_s", at.clone(), time_s);
                match one.level.filter(|_| model == "obsp") {
                    Some(level) => told.within(level, one.low_s, one.high_s),
                    None => told,
                }
            });
            told.collect::<Vec<_>>()
        };
        self.predictions.iter().flat_map(of_one).collect()
    }

    fn text(&self, screen: Screen) -> String {
        words::text(self, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }
}

impl Prediction {
    /// Gives it its range.
    pub(super) fn within(&mut self, range: Range) {
        (self.low_s, self.high_s) = (Some(range.low), Some(range.high));
        (self.level, self.draws) = (Some(LEVEL), range.draws);
    }

    /// With the range that scores need.
    pub(super) fn widen(&mut self, with: &Widen<'_>) {
        with.time(self.obsp_time_s, LEVEL, &mut self.low_s, &mut self.high_s);
    }

    pub(super) fn of(outcome: &Outcome<'_>, with_detail: bool) -> Self {
        Prediction {
            at: outcome.parameters.clone(),
            processors: outcome.processors(),
            obsp_time_s: outcome.obsp_time_s(),
            low_s: None,
            high_s: None,
            level: None,
            draws: 0,
            bsp_time_s: outcome.bsp_time_s(),
            raw_bsp_time_s: outcome.raw_bsp_time_s(),
            gain: outcome.gain(),
            start_s: outcome.start_s().to_vec(),
            obsp_finish_s: outcome.obsp_finish_s().to_vec(),
            bsp_finish_s: outcome.bsp_finish_s().to_vec(),
            work_s: outcome.work_s().to_vec(),
            wait_s: outcome.wait_s().to_vec(),
            comm_s: outcome.comm_s().to_vec(),
            steps: with_detail.then(|| steps(outcome)),
            critical_path: with_detail.then(|| outcome.critical_path()),
        }
    }
}

fn steps(outcome: &Outcome<'_>) -> Vec<Step> {
    let told = outcome.steps().map(|step| Step {
        path: step.path,
        name: step.name.map(str::to_owned),
        task: step.task.to_owned(),
        depth: step.depth,
        first_rank: step.first_rank,
        processors: step.processors,
        sync: step.sync,
        obsp_finish_s: step.obsp_finish_s.to_vec(),
        bsp_finish_s: step.bsp_finish_s.to_vec(),
        wait_s: step.wait_s.to_vec(),
        h_bytes: step.h_bytes.to_vec(),
    });
    told.collect()
}
