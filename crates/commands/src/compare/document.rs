//! The document of `runcast compare`.

use runcast_core::configuration::Group;
use runcast_core::evaluation::ModelSummary;
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::{Configuration, Warning, json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The document of `runcast compare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// `compare`.
    pub kind: String,
    /// Version of this shape.
    pub version: u32,
    /// What is forecast.
    pub metric: String,
    /// Its SI unit.
    pub unit: String,
    /// Probability of the ranges.
    pub level: f64,
    /// Parameters of the configurations.
    pub parameters: Vec<String>,
    /// What was measured and what is forecast, a configuration each.
    pub configurations: Vec<Compared>,
    /// Who forecasts.
    pub inputs: Vec<Asked>,
    /// Who is better, on runs that none of those ranked has seen.
    pub ranking: Ranking,
    /// Each two forecasts of a configuration.
    pub agreement: Vec<Agreement>,
    /// Where two inputs differ most.
    pub differences: Vec<Difference>,
    /// What all say together; null unless it is asked for.
    pub combined: Option<Combined>,
    /// What should be known.
    pub warnings: Vec<Warning>,
}

/// A configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// Its parameters.
    pub at: Configuration,
    /// Its labels.
    pub group: Group,
    /// The runs; null where there is none.
    pub measured: Option<Measured>,
    /// What each input says.
    pub forecasts: Vec<Forecast>,
}

/// Runs of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The median.
    pub value: f64,
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// How many.
    pub runs: usize,
}

/// What an input says of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// Name of the input.
    pub input: String,
    pub method: String,
    pub model: String,
    /// The value; null where it is refused.
    #[serde(serialize_with = "json::as_optional_number")]
    pub value: Option<f64>,
    /// Lower bound.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Relative error.
    pub error_pct: Option<f64>,
    /// Whether the median of the runs lies in the range.
    pub covered: Option<bool>,
    /// Runs in the range.
    pub covered_runs: Option<usize>,
    /// Whether the input learned from these runs.
    pub seen: bool,
    /// Whether it lies outside the range that the input knows.
    pub extrapolates: bool,
    /// How many times outside.
    #[serde(serialize_with = "json::as_number", deserialize_with = "json::number_or_nan")]
    pub horizon: f64,
    /// Whether to trust it.
    pub verdict: Verdict,
    /// Codes of its warnings.
    pub warnings: Vec<String>,
}

/// An input, a model of it each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Its name.
    pub input: String,
    pub file: String,
    /// Method, model, errors and coverage on the runs that it has not seen, as `evaluate` tells them.
    #[serde(flatten)]
    pub summary: ModelSummary,
    /// Configurations that it was asked about.
    pub asked: usize,
    /// Those that it says something about.
    pub answered: usize,
    /// The others.
    pub refused: usize,
    /// Why.
    pub reasons: Vec<String>,
    /// Measured configurations that judge it.
    pub held_out: usize,
    /// Share of single runs in the ranges.
    pub covered_runs_pct: Option<f64>,
    /// What it took.
    pub needs: Needs,
    /// Least and greatest value of each parameter that it has seen.
    pub range: Map<String, Value>,
    /// What it models: `modeled`, `absent` or `in_data`.
    pub assumptions: Map<String, Value>,
    /// What should be known.
    pub warnings: Vec<String>,
}

/// What an input took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Needs {
    /// Runs that it learned from; null where unknown.
    pub runs: Option<usize>,
    /// What these have cost.
    pub core_hours: Option<f64>,
    pub files: Vec<String>,
    /// Whether the machine was measured; null where unknown.
    pub machine_measured: Option<bool>,
}

/// Who is better.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// Inputs, the best first.
    pub order: Vec<String>,
    /// Those that cannot be distinguished.
    pub tied: Vec<Vec<String>>,
    /// Configurations that judge all of them.
    pub points: usize,
    /// Inputs that cannot be ranked with these.
    pub not_comparable: Vec<String>,
    /// Median error of each in the order, on these points.
    pub median_error_pct: Vec<f64>,
}

/// Two forecasts of a configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// One input.
    pub a: String,
    /// The other.
    pub b: String,
    /// The configuration.
    pub at: Configuration,
    /// Standard deviations between them.
    #[serde(serialize_with = "json::as_number", deserialize_with = "json::number_or_nan")]
    pub z: f64,
    /// Whether they agree within their ranges.
    pub agree: bool,
    /// Whether they share no runs; null where unknown.
    pub independent: Option<bool>,
    /// Whether a range was assumed for one that has none.
    pub assumed_range: bool,
}

/// Where two inputs differ most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// One input.
    pub a: String,
    /// The other.
    pub b: String,
    /// The configuration.
    pub at: Configuration,
    /// a over b.
    pub ratio: f64,
    /// What only one of them models.
    pub assumptions: Vec<Assumption>,
    /// The run that would distinguish them; null: none that can be paid does.
    pub run: Option<Decider>,
}

/// What only one of two inputs models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assumption {
    /// What it is.
    pub code: String,
    /// Who models it.
    pub modeled_by: String,
    /// Its share of the gap; null where it cannot be switched off.
    pub effect_pct: Option<f64>,
}

/// A run that distinguishes two inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decider {
    /// Where.
    pub at: Configuration,
    /// Standard deviations between the two there, noise of a run included.
    pub separation: f64,
    /// What it may cost at most; null where the metric is no time.
    pub core_hours: Option<f64>,
}

/// What all say together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Combined {
    /// Who counts how much.
    pub members: Vec<Member>,
    /// What they say.
    pub predictions: Vec<Prediction>,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub input: String,
    /// Its weight; 0: left out.
    pub weight: f64,
    /// Mean logarithmic error on runs that it has not seen.
    pub error: Option<f64>,
}

/// Every forecast with the name of its input as that of the model; the combined one behind them.
pub(super) fn predictions(document: &Document) -> Vec<Prediction> {
    let mut all = Vec::new();
    for one in &document.configurations {
        for forecast in &one.forecasts {
            let method = &forecast.method;
            let mut prediction =
                Prediction::new(method, &forecast.input, &document.metric, one.at.clone(), forecast.value)
                    .of_group(one.group.clone())
                    .within(document.level, forecast.low, forecast.high);
            prediction.unit.clone_from(&document.unit);
            (prediction.horizon, prediction.extrapolates) = (forecast.horizon, forecast.extrapolates);
            prediction.verdict = forecast.verdict;
            all.push(prediction);
        }
    }
    all.extend(document.combined.iter().flat_map(|combined| combined.predictions.clone()));
    all
}
