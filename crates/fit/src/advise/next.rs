//! What to run next: the set of runs within a budget that is expected to reduce the error at the target most.

use super::interval_factor;
use super::scenarios::Scenarios;
use crate::fitted::Regression;
use crate::predict::Model;
use runcast_core::json;
use runcast_core::{Configuration, Prediction, Problem, Series};
use serde::Serialize;

/// What may be run, for which forecast, and at what cost.
#[derive(Debug, Clone)]
pub struct Question {
    /// The target of the forecast.
    pub target: Configuration,
    /// The candidate configurations.
    pub candidates: Vec<Configuration>,
    /// What may be spent; without it nothing is chosen.
    pub budget_core_hours: Option<f64>,
    /// Repetitions of each new configuration.
    pub repetitions: u32,
    /// Cores per process.
    pub cores_per_process: f64,
    /// Level of the range at the target.
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
    /// The same.
    #[serde(serialize_with = "json::as_optional_number")]
    pub now_factor: Option<f64>,
    /// Every candidate on its own, the largest gain per core-hour first.
    pub candidates: Vec<Candidate>,
    /// The runs to make within the budget, the cheapest first.
    pub chosen: Vec<Candidate>,
    /// The interval's factor after all chosen runs.
    #[serde(serialize_with = "json::as_optional_number")]
    pub factor_after_chosen: Option<f64>,
    /// What the chosen runs cost as predicted, all together.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost_chosen_core_hours: Option<f64>,
    /// The sum of their prices: at most the budget.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost_chosen_high_core_hours: Option<f64>,
    /// The forecasts that were asked, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Member>,
}

/// One of several forecasts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// What its input is called.
    pub input: String,
    pub method: String,
    pub model: String,
    /// What it counts; all weights sum to 1.
    pub weight: f64,
    /// Mean absolute logarithmic error on runs that it has not seen; null where there are none.
    pub error: Option<f64>,
}

/// A candidate configuration.
#[derive(Debug, Clone, Serialize)]
pub struct Candidate {
    pub at: Configuration,
    /// Cost with all repetitions.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost_core_hours: Option<f64>,
    /// The same at the upper end of the range that holds half of all runs: its price where a budget must hold.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost_high_core_hours: Option<f64>,
    /// The same.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost_core_hours_high: Option<f64>,
    /// `sqrt(high/low)` at the target if it is run and matches the prediction.
    #[serde(serialize_with = "json::as_optional_number")]
    pub factor_after: Option<f64>,
    /// The same.
    #[serde(serialize_with = "json::as_optional_number")]
    pub after_factor: Option<f64>,
    /// Two forecasts that it would tell apart, where several were asked.
    pub would_tell_apart: Option<[String; 2]>,
    /// `(ln factor_now - ln factor_after) / cost`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub gain_per_core_hour: Option<f64>,
}

/// Evaluates every candidate by refitting with a run at its predicted value, and chooses a set within the budget.
///
/// The set is that with the least expected error at the target over the forms of the forecast, each taken as the truth
/// in turn; its price is at most the budget.
///
/// # Errors
/// A [`Problem`] when a configuration is incomplete or nothing can be predicted at the target.
pub fn advise(model: &Model, regression: &dyn Regression, question: &Question) -> Result<Advice, Problem> {
    let Question { target, level, repetitions, .. } = question;
    let (now, _) = model.predict(target, *level)?;
    let there = |at: &Configuration| model.predict(at, PRICE_LEVEL).map(|(prediction, _)| prediction);
    let there: Vec<Prediction> = question.candidates.iter().map(there).collect::<Result<_, _>>()?;
    let runs: Vec<Run> = there.iter().map(|there| Run::of(there, &model.series, question)).collect();
    let places: Vec<Configuration> = there.iter().map(|there| there.at.clone()).collect();
    let scenarios = Scenarios::of(model, regression, &now.at, &there, *repetitions)?;
    let factor_now = interval_factor(&now).unwrap_or(f64::NAN);
    let factor_after = |set: &[usize]| -> Option<f64> {
        let extended = scenarios.with_runs(set.iter().map(|k| (&places[*k], runs[*k].value)))?;
        interval_factor(&model.refitted(extended, regression)?.predict(&now.at, *level).ok()?.0)
    };
    let all: Vec<Candidate> = (0..runs.len())
        .map(|k| {
            let Run { cost, price, .. } = &runs[k];
            let factor_after = factor_after(&[k]);
            let gain = factor_after.zip(*cost).filter(|(_, cost)| *cost > 0.0);
            Candidate {
                at: places[k].clone(),
                cost_core_hours: *cost,
                cost_high_core_hours: *price,
                cost_core_hours_high: *price,
                factor_after,
                after_factor: factor_after,
                would_tell_apart: None,
                gain_per_core_hour: gain.map(|(factor, cost)| (factor_now / factor).ln() / cost),
            }
        })
        .collect();
    let mut set = match question.budget_core_hours {
        Some(budget) => choose(&runs, budget, &|set| scenarios.error_after(&places, set)),
        None => Vec::new(),
    };
    set.sort_by(|a, b| runs[*a].price.unwrap_or(0.0).total_cmp(&runs[*b].price.unwrap_or(0.0)));
    let sum = |of: fn(&Run) -> Option<f64>| {
        set.iter().map(|k| of(&runs[*k])).sum::<Option<f64>>().filter(|_| !set.is_empty())
    };
    let factor_after_chosen = if set.is_empty() { None } else { factor_after(&set) };
    let chosen = set.iter().map(|k| all[*k].clone()).collect();
    let mut candidates = all;
    let gain = |candidate: &Candidate| candidate.gain_per_core_hour.unwrap_or(f64::NEG_INFINITY);
    candidates.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    Ok(Advice {
        target: now.at,
        factor_now: Some(factor_now),
        now_factor: Some(factor_now),
        candidates,
        chosen,
        factor_after_chosen,
        cost_chosen_core_hours: sum(|run| run.cost),
        cost_chosen_high_core_hours: sum(|run| run.price),
        members: Vec::new(),
    })
}

/// A run that could be made.
struct Run {
    /// What is predicted, or was measured, there.
    value: f64,
    /// Core-hours as predicted; none where the metric is not a time.
    cost: Option<f64>,
    /// Core-hours at the upper end of the range.
    price: Option<f64>,
}

impl Run {
    /// The run at a prediction of [`PRICE_LEVEL`].
    fn of(there: &Prediction, series: &Series, question: &Question) -> Run {
        let processes = series.process_parameter.and_then(|p| there.at.get(&series.parameters[p])).unwrap_or(1.0);
        let core_hours =
            |seconds: f64| processes * seconds * question.cores_per_process * f64::from(question.repetitions) / 3600.0;
        let of_time = |seconds: Option<f64>| seconds.filter(|_| series.metric.is_time()).map(core_hours);
        Run {
            value: there.value.unwrap_or(f64::NAN),
            cost: of_time(there.value),
            price: of_time(there.high.or(there.value)),
        }
    }
}

/// Each run must divide the expected error by at least this: on real runs (docs/accuracy.md) a second run that promises
/// less makes a forecast worse as often as better.
const WORTH: f64 = 1.2;

/// Level of the range whose upper end is the price of a run: three of four runs cost less. The largest run that a budget
/// pays for is hard to beat, so a higher price costs more accuracy than it saves core-hours.
const PRICE_LEVEL: f64 = 0.5;

/// So many of the candidates, the best on their own first, are tried together.
const TOGETHER: usize = 12;

/// The set with the least expected error, each of its runs worth its while: from each affordable candidate on, the best
/// further one as long as it helps. Of many candidates the best on their own are tried.
fn choose(runs: &[Run], budget: f64, error: &dyn Fn(&[usize]) -> Option<f64>) -> Vec<usize> {
    let price = |set: &[usize]| set.iter().map(|k| runs[*k].price.unwrap_or(f64::INFINITY)).sum::<f64>();
    let score = |set: Vec<usize>| {
        let error = if price(&set) <= budget { error(&set)? } else { return None };
        Some((error * f64::powi(WORTH, set.len() as i32), set))
    };
    let best_of = |sets: &mut dyn Iterator<Item = (f64, Vec<usize>)>| sets.min_by(|a, b| a.0.total_cmp(&b.0));
    let mut singles: Vec<(f64, Vec<usize>)> = (0..runs.len()).filter_map(|k| score(vec![k])).collect();
    singles.sort_by(|a, b| a.0.total_cmp(&b.0));
    singles.truncate(TOGETHER);
    let grown = |single: &(f64, Vec<usize>)| {
        let mut reached = single.clone();
        loop {
            let others = singles.iter().filter(|(_, other)| !reached.1.contains(&other[0]));
            let mut longer = others.filter_map(|(_, other)| score([reached.1.as_slice(), other].concat()));
            match best_of(&mut longer) {
                Some(better) if better.0 < reached.0 => reached = better,
                _ => return reached,
            }
        }
    };
    let nothing = (error(&[]).unwrap_or(f64::INFINITY), Vec::new());
    let found = best_of(&mut std::iter::once(nothing).chain(singles.iter().map(grown)));
    found.map_or_else(Vec::new, |(_, set)| set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auto::Auto;
    use crate::models::barnes::Barnes;
    use crate::options::FitOptions;
    use crate::testing::series;
    use std::sync::Arc;

    fn at(p: f64) -> Configuration {
        Configuration([("p".to_owned(), p)].into_iter().collect())
    }

    /// For a straight line through logs the arithmetic is by hand: at 256 the factor `1 + x'(X'X)^-1 x` is 3.7, with a
    /// run at 128 it is 2.1; the run adds a degree of freedom and no residual.
    #[test]
    fn a_run_at_twice_the_largest_narrows_as_by_hand() {
        let runs = Arc::new(series(&[(8.0, 10.0), (16.0, 9.0), (32.0, 8.5), (64.0, 8.4)]));
        let barnes = Barnes { quadratic: false };
        let model = Model::fit(&runs, &barnes, &FitOptions::default()).expect("fits");
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

    #[test]
    fn no_budget_is_exceeded() {
        let noise = |k: usize| 1.0 + 0.04 * (5.0 * k as f64).sin();
        let laws: [fn(f64) -> f64; 3] = [|p| 1.0 + 80.0 / p, |p| 30.0 + p.sqrt(), |p| 5.0 + 60.0 / p + 0.2 * p];
        for law in laws {
            let runs: Vec<(f64, f64)> =
                (0..6).map(|k| (f64::from(1 << k), law(f64::from(1 << k)) * noise(k))).collect();
            let model = Model::fit(&Arc::new(series(&runs)), &Auto, &FitOptions::default()).expect("fits");
            let mut bought = 0;
            for budget in [1e-6, 0.2, 0.6, 1.0, 2.0, 5.0, 20.0] {
                let question = Question {
                    target: at(1024.0),
                    candidates: [8.0, 32.0, 64.0, 128.0, 256.0, 512.0].map(at).to_vec(),
                    budget_core_hours: Some(budget),
                    repetitions: 1,
                    cores_per_process: 1.0,
                    level: 0.9,
                };
                let advice = advise(&model, &Auto, &question).expect("advises");
                let price: f64 = advice.chosen.iter().filter_map(|run| run.cost_high_core_hours).sum();
                assert!(price <= budget, "{price} of {budget}");
                assert_eq!(advice.cost_chosen_high_core_hours.unwrap_or(0.0), price);
                let after = advice.factor_after_chosen;
                assert!(after.is_none_or(|after| after < advice.factor_now.expect("a range")));
                bought += usize::from(after.is_some());
            }
            assert!(bought >= 2);
        }
    }

    #[test]
    fn what_is_bought_does_not_depend_on_the_level_that_is_shown() {
        let runs: Vec<(f64, f64)> =
            [1.0, 2.0, 4.0, 8.0, 16.0].iter().map(|p| (*p, 3.0 + 100.0 / p + 0.3 * f64::sin(9.0 * p))).collect();
        let model = Model::fit(&Arc::new(series(&runs)), &Auto, &FitOptions::default()).expect("fits");
        let bought = |level: f64, budget: f64| {
            let question = Question {
                target: at(512.0),
                candidates: [32.0, 64.0, 128.0, 256.0].map(at).to_vec(),
                budget_core_hours: Some(budget),
                repetitions: 1,
                cores_per_process: 1.0,
                level,
            };
            let advice = advise(&model, &Auto, &question).expect("advises");
            advice.chosen.iter().map(|run| (run.at.to_string(), run.cost_high_core_hours)).collect::<Vec<_>>()
        };
        for budget in [0.1, 0.2, 0.4, 1.0] {
            assert_eq!(bought(0.5, budget), bought(0.95, budget), "{budget}");
        }
        assert!(!bought(0.9, 1.0).is_empty());
    }

    fn run(price: f64) -> Run {
        Run { value: 1.0, cost: Some(price), price: Some(price) }
    }

    #[test]
    fn where_only_the_best_run_counts_it_is_bought_alone() {
        let gains = [0.3, 0.9, 0.5, 0.7];
        let runs: Vec<Run> = [1.0, 9.0, 2.0, 4.0].iter().map(|price| run(*price)).collect();
        let error = |set: &[usize]| Some(1.0 - set.iter().map(|k| gains[*k]).fold(0.0, f64::max));
        for (budget, expected) in [(0.5, vec![]), (1.0, vec![0]), (3.0, vec![2]), (8.9, vec![3]), (100.0, vec![1])] {
            assert_eq!(choose(&runs, budget, &error), expected, "{budget}");
        }
    }

    #[test]
    fn two_runs_that_help_only_together_are_bought_together() {
        let runs: Vec<Run> = [1.0, 2.0, 3.0].iter().map(|price| run(*price)).collect();
        let error = |set: &[usize]| Some(if set.contains(&0) && set.contains(&2) { 0.2 } else { 0.9 });
        let mut set = choose(&runs, 4.0, &error);
        set.sort_unstable();
        assert_eq!(set, [0, 2]);
        assert!(choose(&runs, 3.9, &|set| error(set).filter(|_| !set.contains(&1))).is_empty());
    }
}
