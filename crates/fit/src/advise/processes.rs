//! How many processes to request.

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
    /// The smallest number that finishes within this many seconds.
    Deadline(f64),
    /// The least core-hours.
    CoreHours,
    Energy,
    /// The least value of a formula over the parameters, `time_s` and `core_hours`.
    Cost(Formula),
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
    /// With a deadline: the smallest number whose upper bound meets it.
    #[serde(serialize_with = "json::as_optional_number")]
    pub safe_p: Option<f64>,
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
    /// Core-hours.
    #[serde(serialize_with = "json::as_optional_number")]
    pub core_hours: Option<f64>,
    /// Energy \[J\], if the power is known.
    #[serde(serialize_with = "json::as_optional_number")]
    pub energy_j: Option<f64>,
    /// Value of the user's formula.
    #[serde(serialize_with = "json::as_optional_number")]
    pub cost: Option<f64>,
    /// Whether to trust it.
    pub verdict: Verdict,
}

/// Evaluates every process count.
///
/// `efficiency` under strong scaling is `p0 T(p0) / (p T(p))`, under weak scaling `T(p0) / T(p)`, p0 the smallest
/// measured number of processes and T(p0) the time measured there.
///
/// # Errors
/// A [`Problem`] when the metric is not a time, there is no process parameter, the target is incomplete, or energy is
/// requested without a power.
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
    if matches!(question.objective, Objective::Energy) && question.watts_per_process.is_none() {
        return Err(Problem::new("no_power", "the energy needs the power of a process").hint("--watts-per-process 12"));
    }
    let name = &series.parameters[axis];
    let p0 = model.range(axis)[0];
    let strong = match question.scaling.unwrap_or(model.scaling) {
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
    let base = measured_at(model, &target(p0))?;
    let mut choices = Vec::with_capacity(question.processes.len());
    for &p in &question.processes {
        let (prediction, found) = model.predict(&target(p), question.level)?;
        told(found);
        let time = prediction.value;
        let ratio = base.zip(time).map(|(base, time)| base / time);
        let speedup = ratio.map(|ratio| if strong { ratio } else { ratio * p / p0 });
        let core_hours = time.map(|time| p * time * question.cores_per_process / 3600.0);
        let energy_j = time.zip(question.watts_per_process).map(|(time, watts)| p * time * watts);
        let cost = match (&question.objective, time, core_hours) {
            (Objective::Cost(formula), Some(time), Some(core_hours)) => {
                Some(cost_of(formula, &prediction.at, time, core_hours)?)
            }
            _ => None,
        };
        choices.push(Choice {
            p,
            at: prediction.at,
            time_s: time,
            low_s: prediction.low,
            high_s: prediction.high,
            speedup,
            speedup_against_p: p0,
            efficiency: speedup.map(|speedup| speedup * p0 / p),
            core_hours,
            energy_j,
            cost,
            verdict: prediction.verdict,
        });
    }
    let least = |key: &dyn Fn(&Choice) -> Option<f64>| -> Option<Choice> {
        let valued = choices.iter().filter_map(|choice| key(choice).filter(|v| v.is_finite()).map(|v| (v, choice)));
        valued.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.p.total_cmp(&b.1.p))).map(|(_, choice)| choice.clone())
    };
    let smallest = |keep: &dyn Fn(&Choice) -> bool| -> Option<Choice> {
        choices.iter().filter(|choice| keep(choice)).min_by(|a, b| a.p.total_cmp(&b.p)).cloned()
    };
    let mut safe_p = None;
    let recommended = match &question.objective {
        Objective::Time => least(&|choice| choice.time_s),
        Objective::CoreHours => least(&|choice| choice.core_hours),
        Objective::Energy => least(&|choice| choice.energy_j),
        Objective::Cost(_) => least(&|choice| choice.cost),
        Objective::Efficiency(wanted) => choices
            .iter()
            .filter(|choice| choice.efficiency.is_some_and(|efficiency| efficiency >= *wanted))
            .max_by(|a, b| a.p.total_cmp(&b.p))
            .cloned(),
        Objective::Deadline(seconds) => {
            safe_p = smallest(&|choice| choice.high_s.is_some_and(|high| high <= *seconds)).map(|choice| choice.p);
            smallest(&|choice| choice.time_s.is_some_and(|time| time <= *seconds))
        }
    };
    let best_time = least(&|choice| choice.time_s).and_then(|choice| choice.time_s);
    let near_best_p = best_time
        .and_then(|best| smallest(&|choice| choice.time_s.is_some_and(|time| time <= 1.05 * best)))
        .map(|choice| choice.p);
    if recommended.is_none() {
        warnings.push(Warning::new("no_choice", "no process count meets the objective"));
    }
    let objective = question.objective.text();
    Ok((Advice { objective, recommended, near_best_p, safe_p, choices }, warnings))
}

impl Objective {
    /// Its name on the command line.
    pub fn text(&self) -> String {
        match self {
            Objective::Time => "time".to_owned(),
            Objective::Efficiency(least) => format!("efficiency:{least}"),
            Objective::Deadline(seconds) => format!("deadline:{seconds}s"),
            Objective::CoreHours => "core-hours".to_owned(),
            Objective::Energy => "energy".to_owned(),
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

fn cost_of(formula: &Formula, at: &Configuration, time: f64, core_hours: f64) -> Result<f64, Problem> {
    formula
        .evaluate(|name| match name {
            "time_s" => Some(time),
            "core_hours" => Some(core_hours),
            _ => at.get(name),
        })
        .map_err(|error| {
            Problem::new("bad_formula", error.to_string()).at("--objective cost").value(formula.text().to_owned())
        })
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
