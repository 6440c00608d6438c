//! The effect of a change: two tables of the same regions side by side.

use super::residual_interval;
use crate::predict::Model;
use runcast_core::json;
use runcast_core::{Configuration, Direction, Group, Prediction, Problem};
use serde::Serialize;

/// A region before and after, in the shape of the document.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    pub group: Group,
    pub metric: String,
    /// Predicted value at the target before.
    #[serde(serialize_with = "json::as_optional_number")]
    pub before: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub after: Option<f64>,
    /// After over before.
    #[serde(serialize_with = "json::as_optional_number")]
    pub ratio: Option<f64>,
    /// Lower bound of the ratio.
    #[serde(serialize_with = "json::as_optional_number")]
    pub low: Option<f64>,
    /// Upper bound of the ratio.
    #[serde(serialize_with = "json::as_optional_number")]
    pub high: Option<f64>,
    /// Growth class before.
    pub class_before: Option<String>,
    /// Growth class after.
    pub class_after: Option<String>,
    pub change: Change,
    /// The process count where the two models meet, within the measured or requested range.
    #[serde(serialize_with = "json::as_optional_number")]
    pub crosses_at: Option<f64>,
}

/// What happened to a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Worse at the target.
    Regressed,
    /// Better at the target.
    Improved,
    /// The interval of the ratio contains 1.
    Same,
    /// Only in the second table.
    New,
    /// Only in the first.
    Gone,
    /// One of the two could not be predicted, or has no interval.
    Unknown,
}

/// Pairs models by group and metric and compares them at the target.
///
/// The interval of the ratio treats the two predictions as independent: on the logarithmic scale the squares of their
/// half-widths add.
///
/// # Errors
/// A [`Problem`] when the target is incomplete.
pub fn compare(
    before: &[Model],
    after: &[Model],
    target: &Configuration,
    level: f64,
) -> Result<Vec<Comparison>, Problem> {
    let same = |a: &Model, b: &Model| a.series.group == b.series.group && a.series.metric.name == b.series.metric.name;
    let mut found = Vec::new();
    for old in before {
        match after.iter().find(|new| same(old, new)) {
            Some(new) => found.push(pair(old, new, target, level)?),
            None => found.push(single(old, target, level, Change::Gone)?),
        }
    }
    for new in after.iter().filter(|new| !before.iter().any(|old| same(old, new))) {
        found.push(single(new, target, level, Change::New)?);
    }
    Ok(found)
}

fn single(model: &Model, target: &Configuration, level: f64, change: Change) -> Result<Comparison, Problem> {
    let value = model.predict(target, level)?.0.value;
    let class = Some(model.fitted.class.clone());
    let is_new = change == Change::New;
    Ok(Comparison {
        group: model.series.group.clone(),
        metric: model.series.metric.name.clone(),
        before: value.filter(|_| !is_new),
        after: value.filter(|_| is_new),
        ratio: None,
        low: None,
        high: None,
        class_before: class.clone().filter(|_| !is_new),
        class_after: class.filter(|_| is_new),
        change,
        crosses_at: None,
    })
}

fn pair(old: &Model, new: &Model, target: &Configuration, level: f64) -> Result<Comparison, Problem> {
    let (before, _) = old.predict(target, level)?;
    let (after, _) = new.predict(target, level)?;
    let ratio = before.value.zip(after.value).map(|(before, after)| after / before);
    let half = |prediction: &Prediction| Some((residual_interval(prediction)?.high / prediction.value?).ln());
    let bounds = ratio.zip(half(&before)).zip(half(&after)).map(|((ratio, a), b)| {
        let factor = a.hypot(b).exp();
        (ratio / factor, ratio * factor)
    });
    let lower_is_better = old.series.metric.direction == Direction::Lower;
    let change = match (ratio, bounds) {
        (None, _) | (_, None) => Change::Unknown,
        (Some(_), Some((low, high))) if low <= 1.0 && high >= 1.0 => Change::Same,
        (Some(ratio), _) if (ratio > 1.0) == lower_is_better => Change::Regressed,
        (Some(_), _) => Change::Improved,
    };
    Ok(Comparison {
        group: old.series.group.clone(),
        metric: old.series.metric.name.clone(),
        before: before.value,
        after: after.value,
        ratio,
        low: bounds.map(|(low, _)| low),
        high: bounds.map(|(_, high)| high),
        class_before: Some(old.fitted.class.clone()),
        class_after: Some(new.fitted.class.clone()),
        change,
        crosses_at: crossing(old, new, target),
    })
}

/// Where the difference of the two models changes its sign between the smallest measured value and the target.
fn crossing(old: &Model, new: &Model, target: &Configuration) -> Option<f64> {
    let axis = old.axis();
    let name = &old.series.parameters[axis];
    let from = old.range(axis)[0].min(new.range(new.axis())[0]);
    let to = target.get(name)?.max(old.range(axis)[1]);
    if !(from > 0.0 && to > from) {
        return None;
    }
    let difference = |x: f64| -> Option<f64> {
        let mut at = target.clone();
        at.0.insert(name.clone(), x);
        let value = |model: &Model| model.complete(&at).ok().map(|at| model.fitted.predictor.value(&at));
        let difference = value(new)?.ln() - value(old)?.ln();
        difference.is_finite().then_some(difference)
    };
    let steps = 200;
    let at = |k: usize| from * (to / from).powf(k as f64 / f64::from(steps));
    let mut previous: Option<(f64, f64)> = None;
    for k in 0..=steps as usize {
        let x = at(k);
        let Some(here) = difference(x) else { continue };
        if let Some((x0, before)) = previous
            && before * here < 0.0
        {
            let (mut low, mut high) = (x0, x);
            for _ in 0..60 {
                let middle = (low * high).sqrt();
                match difference(middle) {
                    Some(value) if value * before > 0.0 => low = middle,
                    _ => high = middle,
                }
            }
            return Some((low * high).sqrt());
        }
        if here != 0.0 {
            previous = Some((x, here));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::power::Power;
    use crate::options::FitOptions;
    use crate::testing::series;
    use std::sync::Arc;

    #[test]
    fn two_power_laws_meet_where_algebra_says() {
        let fit = |law: fn(f64) -> f64| {
            let runs = Arc::new(series(&[2.0, 4.0, 8.0, 16.0].map(|p| (p, law(p)))));
            Model::fit(&runs, &Power, &FitOptions::default()).expect("fits")
        };
        // 10 p^0.5 = 2.5 p at p = 16... and beyond it the second is slower.
        let (before, after) = (fit(|p| 10.0 * p.sqrt()), fit(|p| 2.5 * p));
        let target = Configuration([("p".to_owned(), 64.0)].into_iter().collect());
        let found = compare(&[before], &[after], &target, 0.9).expect("compares");
        assert!((found[0].crosses_at.expect("they meet") - 16.0).abs() < 1e-6);
        assert!((found[0].ratio.expect("a ratio") - 2.0).abs() < 1e-6);
        assert_eq!(found[0].change, Change::Regressed);
    }
}
