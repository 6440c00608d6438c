//! Which regions will dominate at scale.

use crate::fitted::Fitted;
use crate::predict::Model;
use runcast_core::json;
use runcast_core::{Configuration, Group, Problem};
use serde::Serialize;

/// How regions are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By value at the target over value at the smallest measured configuration.
    Growth,
    /// By value at the target.
    Value,
    /// By the exponents of the leading term: the power, then the logarithm.
    Class,
}

runcast_core::words!(Order::word: Growth = "growth", Value = "value", Class = "class");

/// A region, in the shape of the document.
#[derive(Debug, Clone, Serialize)]
pub struct Region {
    /// Rank, from 1.
    pub rank: usize,
    pub group: Group,
    /// Growth class.
    pub class: String,
    /// Predicted value at the target.
    #[serde(serialize_with = "json::as_optional_number")]
    pub value: Option<f64>,
    /// Lower bound.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Value at the target over measured value at the smallest configuration.
    #[serde(serialize_with = "json::as_optional_number")]
    pub growth: Option<f64>,
    /// Share of the sum of all regions at the target.
    #[serde(serialize_with = "json::as_optional_number")]
    pub share_pct: Option<f64>,
    /// Share of the sum of all regions at the largest measured configuration.
    #[serde(serialize_with = "json::as_optional_number")]
    pub share_measured_pct: Option<f64>,
    pub formula: String,
    /// Whether it is below the minimum share; such regions are listed last.
    pub minor: bool,
    #[serde(skip)]
    leading: (f64, f64),
}

/// Ranks the models of several regions at one target.
///
/// # Errors
/// A [`Problem`] when the target is incomplete.
pub fn rank(
    models: &[Model],
    target: &Configuration,
    order: Order,
    least_share: f64,
    level: f64,
) -> Result<Vec<Region>, Problem> {
    let mut regions = Vec::with_capacity(models.len());
    for model in models {
        let (prediction, _) = model.predict(target, level)?;
        let measured = model.series.aggregated(model.aggregate);
        let growth = prediction.value.zip(measured.first().copied()).map(|(value, first)| value / first);
        regions.push(Region {
            rank: 0,
            group: model.series.group.clone(),
            class: model.fitted.class.clone(),
            value: prediction.value,
            low: prediction.low,
            high: prediction.high,
            growth: growth.filter(|growth| growth.is_finite()),
            share_pct: None,
            share_measured_pct: measured.last().copied(),
            formula: model.fitted.formula.clone(),
            minor: false,
            leading: leading(model, &prediction.at),
        });
    }
    let total: f64 = regions.iter().filter_map(|region| region.value).sum();
    let total_measured: f64 = regions.iter().filter_map(|region| region.share_measured_pct).sum();
    for region in &mut regions {
        region.share_pct = region.value.map(|value| 100.0 * value / total).filter(|share| share.is_finite());
        region.share_measured_pct =
            region.share_measured_pct.map(|value| 100.0 * value / total_measured).filter(|share| share.is_finite());
        region.minor = region.share_pct.is_none_or(|share| share < 100.0 * least_share);
    }
    let or_least = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
    regions.sort_by(|a, b| {
        let by_order = match order {
            Order::Growth => or_least(b.growth).total_cmp(&or_least(a.growth)),
            Order::Value => or_least(b.value).total_cmp(&or_least(a.value)),
            Order::Class => b.leading.0.total_cmp(&a.leading.0).then(b.leading.1.total_cmp(&a.leading.1)),
        };
        a.minor.cmp(&b.minor).then(by_order).then(or_least(b.value).total_cmp(&or_least(a.value)))
    });
    for (index, region) in regions.iter_mut().enumerate() {
        region.rank = index + 1;
    }
    Ok(regions)
}

/// Exponents of the leading term along the axis: of its terms, or the local slope where the model is not a sum of terms.
fn leading(model: &Model, at: &Configuration) -> (f64, f64) {
    let parameter = &model.series.parameters[model.axis()];
    let of_terms = |fitted: &Fitted| {
        fitted
            .terms
            .iter()
            .filter(|term| term.coefficient != 0.0)
            .map(|term| {
                term.factors
                    .iter()
                    .find(|factor| &factor.parameter == parameter)
                    .map_or((0.0, 0.0), |factor| (factor.power, factor.log_power))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))
    };
    if let Some(exponents) = of_terms(&model.fitted) {
        return exponents;
    }
    if model.fitted.class == "constant" {
        return (0.0, 0.0);
    }
    let x: Vec<f64> = model.series.parameters.iter().filter_map(|name| at.get(name)).collect();
    let mut twice = x.clone();
    if let Some(value) = twice.get_mut(model.axis()) {
        *value *= 2.0;
    }
    let slope = (model.fitted.predictor.value(&twice) / model.fitted.predictor.value(&x)).log2();
    (if slope.is_finite() { slope } else { 0.0 }, 0.0)
}
