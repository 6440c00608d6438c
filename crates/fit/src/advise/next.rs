//! What to run next: which run narrows the interval at the target most per core-hour.

use super::interval_factor;
use crate::fitted::Regression;
use crate::predict::Model;
use runcast_core::json;
use runcast_core::{Configuration, Point, Problem, Series};
use serde::Serialize;

#[derive(Debug, Clone)]
pub struct Question {
    /// The target of the forecast.
    pub target: Configuration,
    /// The candidate configurations.
    pub candidates: Vec<Configuration>,
    /// The budget.
    pub budget_core_hours: Option<f64>,
    /// Repetitions of each new configuration.
    pub repetitions: u32,
    /// Cores per process.
    pub cores_per_process: f64,
    /// Level of the interval.
    pub level: f64,
}

/// The answer, in the shape of the document.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    /// The target of the forecast.
    pub target: Configuration,
    /// `sqrt(high/low)` at the target at present.
    #[serde(serialize_with = "json::as_optional_number")]
    pub factor_now: Option<f64>,
    /// Every candidate on its own, best first.
    pub candidates: Vec<Candidate>,
    /// The runs to make, in this order, within the budget.
    pub chosen: Vec<Candidate>,
    /// The interval's factor after all chosen runs.
    #[serde(serialize_with = "json::as_optional_number")]
    pub factor_after_chosen: Option<f64>,
}

/// A candidate configuration.
#[derive(Debug, Clone, Serialize)]
pub struct Candidate {
    pub at: Configuration,
    /// Cost with all repetitions.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost_core_hours: Option<f64>,
    /// `sqrt(high/low)` at the target if it is run and matches the prediction.
    #[serde(serialize_with = "json::as_optional_number")]
    pub factor_after: Option<f64>,
    /// `(ln factor_now - ln factor_after) / cost`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub gain_per_core_hour: Option<f64>,
}

/// Evaluates every candidate by refitting with a run at its predicted value, and chooses greedily within the budget.
///
/// # Errors
/// A [`Problem`] when a configuration is incomplete or nothing can be predicted at the target.
pub fn advise(model: &Model, regression: &dyn Regression, question: &Question) -> Result<Advice, Problem> {
    let (now, _) = model.predict(&question.target, question.level)?;
    let factor_now = interval_factor(&now).ok_or_else(|| {
        Problem::new("no_interval", format!("{} has no interval at {}", model.fitted.model, question.target))
            .hint("at least three configurations are needed")
    })?;
    let mut candidates = Vec::new();
    for at in &question.candidates {
        candidates.push(weigh(model, regression, question, factor_now, at)?.0);
    }
    candidates.sort_by(|a, b| gain(b).total_cmp(&gain(a)));

    let mut chosen: Vec<Candidate> = Vec::new();
    let mut left = question.budget_core_hours.unwrap_or(f64::INFINITY);
    let mut open: Vec<Configuration> = candidates.iter().map(|candidate| candidate.at.clone()).collect();
    let mut factor = factor_now;
    let mut extended: Option<Model> = None;
    while !open.is_empty() && question.budget_core_hours.is_some() {
        let current = extended.as_ref().unwrap_or(model);
        let mut best: Option<(usize, Candidate, Option<Model>)> = None;
        for (index, at) in open.iter().enumerate() {
            let (candidate, after) = weigh(current, regression, question, factor, at)?;
            let affordable = candidate.cost_core_hours.is_some_and(|cost| cost <= left);
            if affordable && gain(&candidate) > 0.0 && best.as_ref().is_none_or(|(_, b, _)| gain(&candidate) > gain(b))
            {
                best = Some((index, candidate, after));
            }
        }
        let Some((index, candidate, after)) = best else { break };
        open.remove(index);
        left -= candidate.cost_core_hours.unwrap_or(0.0);
        factor = candidate.factor_after.unwrap_or(factor);
        chosen.push(candidate);
        extended = after;
        if extended.is_none() {
            break;
        }
    }
    let factor_after_chosen = (!chosen.is_empty()).then_some(factor);
    Ok(Advice { target: now.at, factor_now: Some(factor_now), candidates, chosen, factor_after_chosen })
}

fn gain(candidate: &Candidate) -> f64 {
    candidate.gain_per_core_hour.unwrap_or(f64::NEG_INFINITY)
}

/// A candidate's value, and the model refitted with it.
fn weigh(
    model: &Model,
    regression: &dyn Regression,
    question: &Question,
    factor_now: f64,
    at: &Configuration,
) -> Result<(Candidate, Option<Model>), Problem> {
    let (there, _) = model.predict(at, question.level)?;
    let series = &model.series;
    let processes = series.process_parameter.and_then(|p| there.at.get(&series.parameters[p])).unwrap_or(1.0);
    let seconds = there.value.filter(|_| series.metric.is_time());
    let cost = seconds
        .map(|seconds| processes * seconds * question.cores_per_process * f64::from(question.repetitions) / 3600.0);
    let after = there.value.and_then(|value| {
        let expected = measured_at(model, &there.at).unwrap_or(value);
        let extended = with_run(series, &there.at, expected, question.repetitions)?;
        model.refitted(extended, regression)
    });
    let factor_after = match &after {
        Some(after) => interval_factor(&after.predict(&question.target, question.level)?.0),
        None => None,
    };
    let gain_per_core_hour = match (factor_after, cost) {
        (Some(factor), Some(cost)) if cost > 0.0 => Some((factor_now.ln() - factor.ln()) / cost),
        _ => None,
    };
    let candidate = Candidate { at: there.at, cost_core_hours: cost, factor_after, gain_per_core_hour };
    Ok((candidate, after))
}

/// The measured value at a configuration: the best guess for the result of running it again.
fn measured_at(model: &Model, at: &Configuration) -> Option<f64> {
    let series = &model.series;
    let point = series.points.iter().find(|point| &series.configuration(point) == at)?;
    Some(model.aggregate.of(&point.values, &series.metric))
}

/// The series with one more run (or more repetitions of an existing one), inserted in order.
fn with_run(series: &Series, at: &Configuration, value: f64, repetitions: u32) -> Option<Series> {
    let at: Vec<f64> = series.parameters.iter().map(|name| at.get(name)).collect::<Option<_>>()?;
    let mut extended = series.clone();
    let values = vec![value; repetitions.clamp(1, 1000) as usize];
    match extended.points.iter_mut().find(|point| point.at == at) {
        Some(point) => {
            point.lines.extend(values.iter().map(|_| 0));
            point.values.extend(values);
        }
        None => {
            let order = |point: &[f64]| -> Vec<f64> {
                let first = series.process_parameter.map(|p| point[p]);
                first.into_iter().chain(point.iter().copied()).collect()
            };
            let key = order(&at);
            let place = extended
                .points
                .partition_point(|point| order(&point.at).partial_cmp(&key).is_some_and(std::cmp::Ordering::is_lt));
            let lines = vec![0; values.len()];
            extended.points.insert(place, Point { at, values, lines });
        }
    }
    Some(extended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::barnes::Barnes;
    use crate::options::FitOptions;
    use crate::testing::series;
    use std::sync::Arc;

    /// For a straight line through logs the arithmetic is by hand: at 256 the factor `1 + x'(X'X)^-1 x` is 3.7, with a
    /// run at 128 it is 2.1; the run adds a degree of freedom and no residual.
    #[test]
    fn a_run_at_twice_the_largest_narrows_as_by_hand() {
        let runs = Arc::new(series(&[(8.0, 10.0), (16.0, 9.0), (32.0, 8.5), (64.0, 8.4)]));
        let barnes = Barnes { quadratic: false };
        let model = Model::fit(&runs, &barnes, &FitOptions::default()).expect("fits");
        let at = |p: f64| Configuration([("p".to_owned(), p)].into_iter().collect());
        let question = Question {
            target: at(256.0),
            candidates: vec![at(96.0), at(128.0)],
            budget_core_hours: Some(1.0),
            repetitions: 1,
            cores_per_process: 1.0,
            level: 0.9,
        };
        let advice = advise(&model, &barnes, &question).expect("advises");
        let now = advice.factor_now.expect("an interval").ln();
        let after = |p: f64| {
            let found = advice.candidates.iter().find(|c| c.at.get("p") == Some(p)).expect("listed");
            found.factor_after.expect("an interval").ln()
        };
        let t = |df| crate::predict::student_t(0.9, df).expect("a quantile");
        for (p, factor) in [(128.0, 2.1), (96.0, 2.321175)] {
            let expected = now * t(3) / t(2) * f64::sqrt(2.0 / 3.0 * factor / 3.7);
            assert!((after(p) / expected - 1.0).abs() < 1e-6, "{} instead of {expected}", after(p));
        }
        assert!(!advice.chosen.is_empty());
    }
}
