//! How many processes to request.

mod choose;

pub use choose::{Basis, Forecast, choose};

use crate::predict::Model;
use crate::sample::Scaling;
use runcast_core::json;
use runcast_core::prediction::Verdict;
use runcast_core::{Configuration, Problem, Warning};
use runcast_formula::Formula;
use serde::Serialize;

/// Objective of the choice.
#[derive(Debug, Clone)]
pub enum Objective {
    Time,
    /// The largest number with at least this efficiency.
    Efficiency(f64),
    /// The smallest number that finishes in time.
    Deadline(Deadline),
    /// The least core-hours.
    CoreHours,
    Energy,
    /// The least price: core-hours at their price, and what is paid for a run whatever it takes.
    Money,
    /// None in particular: all that are on the front.
    Front,
    /// The least value of a formula over the parameters, `time_s` and `core_hours`.
    Cost(Formula),
}

/// When a run must be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deadline {
    /// \[s\]
    pub time_s: f64,
    /// With which it must be met; none: the forecast itself must meet it.
    pub probability: Option<f64>,
}

/// What a run costs in money, in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// Of a core-hour; none: money is not asked for.
    pub core_hour: Option<f64>,
    /// Of a run, whatever it takes.
    pub run: f64,
}

#[derive(Debug, Clone)]
pub struct Question {
    /// The process counts to choose from.
    pub processes: Vec<f64>,
    /// Values of the other parameters; those that follow the processes may be omitted.
    pub fixed: Configuration,
    pub objective: Objective,
    /// Cores per process.
    pub cores_per_process: f64,
    /// Power of a process in watts, if energy is requested.
    pub watts_per_process: Option<f64>,
    pub prices: Prices,
    /// Whether the problem is constant (`Strong`) or grows with the processes (`Weak`); none: as in the runs.
    pub scaling: Option<Scaling>,
    /// Level of the intervals.
    pub level: f64,
}

/// The answer, in the shape of the document.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    /// The objective, as requested.
    pub objective: String,
    /// The best choice; none if no choice meets the objective.
    pub recommended: Option<Choice>,
    /// The smallest number within 5 % of the best time.
    #[serde(serialize_with = "json::as_optional_number")]
    pub near_best_p: Option<f64>,
    /// With a deadline: the smallest number that meets it by its upper bound, or with the probability.
    #[serde(serialize_with = "json::as_optional_number")]
    pub safe_p: Option<f64>,
    /// Numbers that no other beats in all of time, core-hours, energy and money.
    #[serde(serialize_with = "json::as_numbers")]
    pub front: Vec<f64>,
    /// All candidates.
    pub choices: Vec<Choice>,
}

/// A process count with its predictions.
#[derive(Debug, Clone, Serialize)]
pub struct Choice {
    /// Number of processes.
    #[serde(serialize_with = "json::as_number")]
    pub p: f64,
    pub at: Configuration,
    /// Predicted time \[s\].
    #[serde(serialize_with = "json::as_optional_number")]
    pub time_s: Option<f64>,
    /// Its lower bound \[s\].
    #[serde(serialize_with = "json::as_optional_number")]
    pub low_s: Option<f64>,
    /// Its upper bound \[s\].
    #[serde(serialize_with = "json::as_optional_number")]
    pub high_s: Option<f64>,
    /// Speedup over the smallest measured number of processes; scaled speedup under weak scaling.
    #[serde(serialize_with = "json::as_optional_number")]
    pub speedup: Option<f64>,
    #[serde(serialize_with = "json::as_number")]
    pub speedup_against_p: f64,
    /// Speedup per process, 1 at that smallest number.
    #[serde(serialize_with = "json::as_optional_number")]
    pub efficiency: Option<f64>,
    /// With a deadline: how likely a run meets it; null for a forecast without a range.
    #[serde(serialize_with = "json::as_optional_number")]
    pub probability: Option<f64>,
    /// Core-hours, of the mean of the law of run times.
    #[serde(serialize_with = "json::as_optional_number")]
    pub core_hours: Option<f64>,
    /// Energy \[J\], as the method forecasts it or by the power of a process.
    #[serde(serialize_with = "json::as_optional_number")]
    pub energy_j: Option<f64>,
    /// Price, if that of a core-hour is known.
    #[serde(serialize_with = "json::as_optional_number")]
    pub money: Option<f64>,
    /// Whether no other number is better in all.
    pub on_front: bool,
    /// Value of the user's formula.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost: Option<f64>,
    /// What forecasts, where several inputs were asked.
    pub input: Option<String>,
    /// Whether to trust it.
    pub verdict: Verdict,
}

/// Evaluates every process count.
///
/// `efficiency` under strong scaling is `p0 T(p0) / (p T(p))`, under weak scaling `T(p0) / T(p)`, p0 the smallest
/// measured number of processes and T(p0) the time measured there.
///
/// # Errors
/// A [`Problem`] when the metric is not a time, there is no process parameter, the target is incomplete, or energy or
/// money is requested without a power or a price.
pub fn advise(model: &Model, question: &Question) -> Result<(Advice, Vec<Warning>), Problem> {
    let series = &model.series;
    if !series.metric.is_time() {
        return Err(Problem::new(
            "not_a_time",
            format!("advice on processes needs a time, and {} is not one", series.metric.name),
        )
        .hint("choose one: --metric time_s"));
    }
    let axis = series.process_parameter.ok_or_else(|| {
        Problem::new("no_processes", "no parameter counts processes").hint("name it: --process-param NAME")
    })?;
    let name = &series.parameters[axis];
    let p0 = model.range(axis)[0];
    let is_strong = match question.scaling.unwrap_or(model.scaling) {
        Scaling::Strong => true,
        Scaling::Weak => false,
        Scaling::Single => falls(model),
        Scaling::Wide | Scaling::Grid => question.fixed.0.keys().any(|key| key != name) || series.parameters.len() == 1,
    };
    let mut warnings: Vec<Warning> = Vec::new();
    let mut told = |found: Vec<Warning>| {
        for warning in found {
            if !warnings.iter().any(|other| other.code == warning.code) {
                warnings.push(warning);
            }
        }
    };
    let target = |p: f64| {
        let mut target = question.fixed.clone();
        target.0.insert(name.clone(), p);
        target
    };
    let base = Basis { p: p0, time_s: measured_at(model, &target(p0))?, is_strong };
    let mut forecasts = Vec::with_capacity(question.processes.len());
    for &p in &question.processes {
        let (prediction, found) = model.predict(&target(p), question.level)?;
        told(found);
        forecasts.push(Forecast::of(p, &prediction, &question.objective));
    }
    let (advice, more) = choose(forecasts, base, question)?;
    warnings.extend(more);
    Ok((advice, warnings))
}

impl Objective {
    /// Its name on the command line.
    pub fn text(&self) -> String {
        match self {
            Objective::Time => "time".to_owned(),
            Objective::Efficiency(least) => format!("efficiency:{least}"),
            Objective::Deadline(Deadline { time_s, probability: None }) => format!("deadline:{time_s}s"),
            Objective::Deadline(Deadline { time_s, probability: Some(share) }) => format!("deadline:{time_s}s@{share}"),
            Objective::CoreHours => "core-hours".to_owned(),
            Objective::Energy => "energy".to_owned(),
            Objective::Money => "money".to_owned(),
            Objective::Front => "front".to_owned(),
            Objective::Cost(formula) => format!("cost:{}", formula.text()),
        }
    }
}

/// The measured value at a target, or the model's prediction if that configuration was not run.
fn measured_at(model: &Model, target: &Configuration) -> Result<Option<f64>, Problem> {
    let at = model.complete(target)?;
    let series = &model.series;
    let run = series.points.iter().find(|point| point.at == at);
    Ok(match run {
        Some(point) => Some(model.aggregate.of(&point.values, &series.metric)),
        None => model.predict(target, 0.9)?.0.value,
    })
}

fn falls(model: &Model) -> bool {
    let values = model.series.aggregated(model.aggregate);
    matches!((values.first(), values.last()), (Some(first), Some(last)) if last < first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::usl::Usl;
    use crate::options::FitOptions;
    use crate::testing::series;
    use std::sync::Arc;

    #[test]
    fn the_universal_law_is_fastest_on_44() {
        let law = |p: f64| 100.0 * (1.0 + 0.02 * (p - 1.0) + 0.0005 * p * (p - 1.0)) / p;
        let runs = Arc::new(series(&[1.0, 2.0, 4.0, 8.0, 16.0].map(|p| (p, law(p)))));
        let model = Model::fit(&runs, &Usl, &FitOptions::default()).expect("fits");
        let question = Question {
            processes: (1..=128).map(f64::from).collect(),
            fixed: Configuration::default(),
            objective: Objective::Time,
            cores_per_process: 1.0,
            watts_per_process: None,
            prices: Prices::default(),
            scaling: None,
            level: 0.9,
        };
        let (advice, _) = advise(&model, &question).expect("advises");
        let best = advice.recommended.expect("a choice");
        // sqrt((1 - 0.02)/0.0005) = 44.27; T(44) = 6.377273
        assert_eq!(best.p, 44.0);
        assert!((best.time_s.expect("a time") - 6.377273).abs() < 1e-6);
        assert!((advice.choices[0].speedup.expect("a speedup") - 1.0).abs() < 1e-12, "1 on one process");
        let near = advice.near_best_p.expect("one is near");
        assert!(law(near) <= 1.05 * law(44.0) && law(near - 1.0) > 1.05 * law(44.0));
    }
}
