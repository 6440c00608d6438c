//! Predictions: a value, an interval with its level, and the distance from the measured range.
//!
//! Every method returns its predictions as [`Prediction`]s. [`table`] writes them as the one table of predictions, and
//! [`Predictions`] reads this table, tables of others, and documents of `runcast predict`.

mod read;
mod table;

pub use read::{Predicted, Predictions, Rename};
pub use table::{base_name, bound_name, column, header, table};
pub(crate) use table::{is_of_predictions, special_columns};

use crate::configuration::{Configuration, Group};
use crate::json;
use crate::metric::Metric;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// What a model predicts for one configuration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The method that the model belongs to: `fit`, `llac`, `bsf`, `bsp`, `wavefront`, `sim`; empty where unknown.
    #[serde(default)]
    pub method: String,
    /// The labels of the series.
    pub group: Group,
    /// Name of the metric's column.
    pub metric: String,
    /// SI unit of the numbers; empty for a bare number.
    pub unit: String,
    /// Name of the model.
    pub model: String,
    pub at: Configuration,
    /// The predicted value; none when it was refused.
    #[serde(serialize_with = "json::as_optional_number")]
    pub value: Option<f64>,
    /// Lower bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound of the interval.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Nominal coverage of the interval; NaN, null in JSON, where no interval was asked for.
    #[serde(serialize_with = "json::as_number", deserialize_with = "json::number_or_nan")]
    pub level: f64,
    /// The entry of `intervals` that `low` and `high` come from: `conformal`, `normal` or `parametric`; none if
    /// there is none.
    pub interval: Option<String>,
    /// Every available interval, by name.
    pub intervals: IndexMap<String, Option<Interval>>,
    /// Whether the target lies outside the measured range.
    pub extrapolates: bool,
    /// For each parameter, how many times beyond the measured range (1 within).
    #[serde(serialize_with = "json::numbers_by_name")]
    pub distance: IndexMap<String, f64>,
    /// The largest of the distances; NaN, null in JSON, for a method without a measured range.
    #[serde(serialize_with = "json::as_number", deserialize_with = "json::number_or_nan")]
    pub horizon: f64,
    /// Whether to trust it.
    pub verdict: Verdict,
    /// The predictions of the members of a combined model.
    pub members: Vec<MemberValue>,
    /// Codes of the warnings, explained at the top of the document.
    pub warnings: Vec<String>,
}

impl Prediction {
    /// A prediction without an interval and without a measured range, in the SI unit of the metric. Without a finite
    /// value it is refused.
    ///
    /// # Examples
    /// ```
    /// use runcast_core::prediction::{Prediction, Verdict};
    /// use runcast_core::Configuration;
    /// let at = Configuration([("workers".to_owned(), 8.0)].into_iter().collect());
    /// let prediction = Prediction::new("bsf", "smooth-flat", "time_s", at, Some(1.5)).within(0.9, Some(1.2), Some(2.0));
    /// assert_eq!((prediction.unit.as_str(), prediction.verdict), ("s", Verdict::Ok));
    /// assert_eq!((prediction.low, prediction.high), (Some(1.2), Some(2.0)));
    /// ```
    pub fn new(method: &str, model: impl Into<String>, metric: &str, at: Configuration, value: Option<f64>) -> Self {
        let value = value.filter(|value| value.is_finite());
        Prediction {
            method: method.to_owned(),
            group: Group::new(),
            metric: metric.to_owned(),
            unit: Metric::from_name(metric).map(|metric| metric.unit).unwrap_or_default(),
            model: model.into(),
            at,
            value,
            low: None,
            high: None,
            level: f64::NAN,
            interval: None,
            intervals: IndexMap::new(),
            extrapolates: false,
            distance: IndexMap::new(),
            horizon: f64::NAN,
            verdict: if value.is_some() { Verdict::Ok } else { Verdict::Refused },
            members: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// With an interval of this level; a bound that is not finite is dropped.
    #[must_use]
    pub fn within(mut self, level: f64, low: Option<f64>, high: Option<f64>) -> Self {
        self.low = low.filter(|low| low.is_finite());
        self.high = high.filter(|high| high.is_finite());
        if self.has_interval() {
            self.level = level;
        }
        self
    }

    /// With the labels of its series.
    #[must_use]
    pub fn of_group(mut self, group: Group) -> Self {
        self.group = group;
        self
    }

    /// Sets how many times beyond the measured range the target is; 1 within.
    #[must_use]
    pub fn beyond(mut self, horizon: f64) -> Self {
        (self.horizon, self.extrapolates) = (horizon, horizon > 1.0);
        self
    }

    /// Whether there is a bound.
    pub fn has_interval(&self) -> bool {
        self.low.is_some() || self.high.is_some()
    }
}

impl Verdict {
    const ALL: [Verdict; 5] = [Verdict::Refused, Verdict::Disagree, Verdict::Far, Verdict::FewPoints, Verdict::Ok];

    /// Its name in documents and tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Refused => "refused",
            Verdict::Disagree => "disagree",
            Verdict::Far => "far",
            Verdict::FewPoints => "few_points",
            Verdict::Ok => "ok",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// Bounds, both positive for a positive metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// The prediction of one member of a combined model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberValue {
    /// Name of the member.
    pub model: String,
    /// Its prediction, if any.
    #[serde(serialize_with = "json::as_optional_number")]
    pub value: Option<f64>,
}

/// Whether a prediction can be trusted; the first that applies is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No value can be predicted.
    Refused,
    /// The members of the model are more than a factor of two apart.
    Disagree,
    /// So far beyond the measured range that the form itself may change.
    Far,
    /// Only two or three configurations were measured.
    FewPoints,
    /// There is no objection.
    Ok,
}
