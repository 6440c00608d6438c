//! The document of `runcast sim run`, and its predictions.

use super::{ExperimentArgs, text};
use crate::answer::Answer;
use crate::context::Screen;
use runcast_core::{Configuration, Group, Prediction, Warning};
use runcast_sim::run::RunResult;
use serde::Serialize;
use serde_json::Value;

/// The document of `runcast sim run`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// `sim-run`.
    pub kind: &'static str,
    /// Version of this shape.
    pub version: u32,
    /// What a run gives.
    #[serde(flatten)]
    pub result: RunResult,
    /// Hardware and networks that options chose.
    #[serde(skip)]
    labels: Group,
}

impl Document {
    /// With kind and version.
    pub fn new(result: RunResult, args: &ExperimentArgs) -> Document {
        let named = |prefix: &'static str, pairs: &[(String, String)]| {
            pairs.iter().map(|(id, entry)| (format!("{prefix}.{id}"), entry.clone())).collect::<Vec<_>>()
        };
        let labels = named("hardware", &args.hardware).into_iter().chain(named("use", &args.networks)).collect();
        Document { kind: "sim-run", version: 1, result, labels }
    }
}

/// The metrics of a result, in SI units; none where it is unknown.
pub(crate) fn metrics(result: &RunResult) -> [(&'static str, Option<f64>); 5] {
    let reliability = &result.reliability;
    [
        ("time_s", Some(result.time_s)),
        ("energy_j", result.energy_j),
        ("expected_time_s", result.faults.map_or(reliability.expected_time_s, |faults| faults.time_s)),
        ("failure_probability", reliability.failure_probability),
        ("cost", result.cost),
    ]
}

impl Answer for Document {
    fn predictions(&self) -> Vec<Prediction> {
        let result = &self.result;
        let mut at = Configuration([("processes".to_owned(), result.processes as f64)].into_iter().collect());
        let mut labels = self.labels.clone();
        for app in &result.apps {
            for (name, value) in &app.params {
                let name = if result.apps.len() > 1 { format!("{}.{name}", app.app) } else { name.clone() };
                match value {
                    Value::Number(number) => drop(at.0.insert(name, number.as_f64().unwrap_or(f64::NAN))),
                    Value::String(text) => drop(labels.insert(name, text.clone())),
                    _ => {}
                }
            }
        }
        let given = metrics(result).into_iter().filter(|(_, value)| value.is_some());
        given
            .map(|(metric, value)| {
                let bare = Prediction::new("sim", result.fidelity, metric, at.clone(), value).of_group(labels.clone());
                match (metric, result.level) {
                    ("time_s", Some(level)) => bare.within(level, result.time_low_s, result.time_high_s),
                    _ => bare,
                }
            })
            .collect()
    }

    fn text(&self, screen: Screen) -> String {
        text::text(self, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.result.warnings.clone()
    }
}
