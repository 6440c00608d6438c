//! The choice among forecasts, whatever method they come from.

use super::{Advice, Choice, Objective, Question};
use runcast_core::comparison::Law;
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::{Configuration, Problem, Warning};
use runcast_formula::Formula;

/// What is forecast for a number of processes.
#[derive(Debug, Clone)]
pub struct Forecast {
    pub p: f64,
    pub at: Configuration,
    pub time_s: Option<f64>,
    pub low_s: Option<f64>,
    pub high_s: Option<f64>,
    /// Mean of the law of run times \[s\]; none without a range: then the value stands for it.
    pub mean_s: Option<f64>,
    /// How likely a run meets the deadline.
    pub probability: Option<f64>,
    /// Energy that the method itself forecasts \[J\].
    pub energy_j: Option<f64>,
    pub verdict: Verdict,
    /// What forecasts, where several inputs were asked.
    pub input: Option<String>,
}

/// What speedups are against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Basis {
    /// Processes.
    pub p: f64,
    /// Run time with them \[s\].
    pub time_s: Option<f64>,
    /// Whether the problem is constant; else it grows with the processes.
    pub is_strong: bool,
}

impl Forecast {
    /// That of a prediction; its range is read as a split lognormal law.
    pub fn of(p: f64, prediction: &Prediction, objective: &Objective) -> Forecast {
        let Prediction { value, low, high, level, .. } = prediction;
        let law = value.zip(*low).zip(*high).and_then(|((value, low), high)| Law::of_range(value, low, high, *level));
        Forecast {
            p,
            at: prediction.at.clone(),
            time_s: *value,
            low_s: *low,
            high_s: *high,
            mean_s: law.map(|law| law.mean()),
            probability: objective.deadline().and_then(|due| Some(law?.share_below(due.time_s))),
            energy_j: None,
            verdict: prediction.verdict,
            input: None,
        }
    }
}

/// Values every forecast by the objective, and chooses.
///
/// ```text
/// core-hours = p cores T/3600     energy = the method's own, else watts p T     money = price * core-hours + that of a run
/// ```
///
/// with T the mean of the law of run times. A number is on the front unless another is no worse in any of time, core-hours,
/// energy and money and better in one; of equal ones the smallest is.
///
/// # Errors
/// A [`Problem`] when energy or money is requested without a power or a price, or the formula cannot be evaluated.
pub fn choose(forecasts: Vec<Forecast>, base: Basis, question: &Question) -> Result<(Advice, Vec<Warning>), Problem> {
    let mut choices = Vec::with_capacity(forecasts.len());
    for forecast in forecasts {
        choices.push(choice(forecast, base, question)?);
    }
    let lacks = |value: fn(&Choice) -> Option<f64>| choices.iter().all(|choice| value(choice).is_none());
    if matches!(question.objective, Objective::Energy) && question.watts_per_process.is_none() && lacks(|c| c.energy_j)
    {
        return Err(Problem::new("no_power", "the energy needs the power of a process").hint("--watts-per-process 12"));
    }
    if matches!(question.objective, Objective::Money) && question.prices.core_hour.is_none() {
        let problem = Problem::new("no_price", "money needs the price of a core-hour");
        return Err(problem.hint("--price-per-core-hour 0.05"));
    }
    mark_front(&mut choices);
    let least = |key: fn(&Choice) -> Option<f64>| -> Option<Choice> {
        let valued = choices.iter().filter_map(|choice| key(choice).filter(|v| v.is_finite()).map(|v| (v, choice)));
        valued.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.p.total_cmp(&b.1.p))).map(|(_, choice)| choice.clone())
    };
    let smallest = |keep: &dyn Fn(&Choice) -> bool| -> Option<Choice> {
        choices.iter().filter(|choice| keep(choice)).min_by(|a, b| a.p.total_cmp(&b.p)).cloned()
    };
    let mut safe_p = None;
    let recommended = match &question.objective {
        Objective::Time => least(|choice| choice.time_s),
        Objective::CoreHours => least(|choice| choice.core_hours),
        Objective::Energy => least(|choice| choice.energy_j),
        Objective::Money => least(|choice| choice.money),
        Objective::Cost(_) => least(|choice| choice.cost),
        Objective::Front => None,
        Objective::Efficiency(wanted) => choices
            .iter()
            .filter(|choice| choice.efficiency.is_some_and(|efficiency| efficiency >= *wanted))
            .max_by(|a, b| a.p.total_cmp(&b.p))
            .cloned(),
        Objective::Deadline(due) => {
            let in_time = |choice: &Choice| choice.time_s.is_some_and(|time| time <= due.time_s);
            let is_safe = |choice: &Choice| match due.probability {
                Some(wanted) => choice.probability.is_some_and(|share| share >= wanted),
                None => choice.high_s.is_some_and(|high| high <= due.time_s),
            };
            let safe = smallest(&is_safe);
            safe_p = safe.as_ref().map(|choice| choice.p);
            if due.probability.is_some() { safe } else { smallest(&in_time) }
        }
    };
    let best_time = least(|choice| choice.time_s).and_then(|choice| choice.time_s);
    let near_best_p = best_time
        .and_then(|best| smallest(&|choice| choice.time_s.is_some_and(|time| time <= 1.05 * best)))
        .map(|choice| choice.p);
    let is_none = recommended.is_none() && !matches!(question.objective, Objective::Front);
    let warnings = is_none.then(|| Warning::new("no_choice", "no process count meets the objective"));
    let front = choices.iter().filter(|choice| choice.on_front).map(|choice| choice.p).collect();
    let objective = question.objective.text();
    Ok((Advice { objective, recommended, near_best_p, safe_p, front, choices }, warnings.into_iter().collect()))
}

fn choice(forecast: Forecast, base: Basis, question: &Question) -> Result<Choice, Problem> {
    let Forecast { p, at, time_s, low_s, high_s, mean_s, probability, energy_j, verdict, input } = forecast;
    let ratio = base.time_s.zip(time_s).map(|(base, time)| base / time);
    let speedup = ratio.map(|ratio| if base.is_strong { ratio } else { ratio * p / base.p });
    let mean_s = mean_s.or(time_s);
    let core_hours = mean_s.map(|time| p * time * question.cores_per_process / 3600.0);
    let by_power = mean_s.zip(question.watts_per_process).map(|(time, watts)| p * time * watts);
    let money = core_hours.zip(question.prices.core_hour).map(|(hours, price)| price * hours + question.prices.run);
    let cost = match (&question.objective, time_s, core_hours) {
        (Objective::Cost(formula), Some(time), Some(core_hours)) => Some(cost_of(formula, &at, time, core_hours)?),
        _ => None,
    };
    Ok(Choice {
        p,
        at,
        time_s,
        low_s,
        high_s,
        speedup,
        speedup_against_p: base.p,
        efficiency: speedup.map(|speedup| speedup * base.p / p),
        probability,
        core_hours,
        energy_j: energy_j.or(by_power),
        money,
        on_front: false,
        cost,
        input,
        verdict,
    })
}

fn mark_front(choices: &mut [Choice]) {
    let criteria = |choice: &Choice| [choice.time_s, choice.core_hours, choice.energy_j, choice.money];
    let beats = |a: &Choice, b: &Choice| {
        let pairs = || criteria(a).into_iter().zip(criteria(b)).filter_map(|(a, b)| Some((a?, b?)));
        let no_worse = pairs().all(|(a, b)| a <= b);
        no_worse && (pairs().any(|(a, b)| a < b) || a.p < b.p)
    };
    let on_front: Vec<bool> = choices
        .iter()
        .map(|one| one.time_s.is_some() && !choices.iter().any(|other| other.time_s.is_some() && beats(other, one)))
        .collect();
    for (choice, on_front) in choices.iter_mut().zip(on_front) {
        choice.on_front = on_front;
    }
}

impl Objective {
    pub(super) fn deadline(&self) -> Option<super::Deadline> {
        if let Objective::Deadline(due) = self { Some(*due) } else { None }
    }
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
    use super::super::{Deadline, Prices};
    use super::*;

    fn forecast(p: f64, value: f64, range: Option<[f64; 2]>, objective: &Objective) -> Forecast {
        let at = Configuration([("p".to_owned(), p)].into_iter().collect());
        let prediction = Prediction::new("bsf", "flat", "time_s", at, Some(value));
        let [low, high] = [range.map(|range| range[0]), range.map(|range| range[1])];
        Forecast::of(p, &prediction.within(0.9, low, high), objective)
    }

    fn question(objective: Objective) -> Question {
        Question {
            processes: Vec::new(),
            fixed: Configuration::default(),
            objective,
            cores_per_process: 2.0,
            watts_per_process: Some(10.0),
            prices: Prices { core_hour: Some(0.5), run: 1.0 },
            scaling: None,
            level: 0.9,
        }
    }

    const BASE: Basis = Basis { p: 1.0, time_s: Some(400.0), is_strong: true };

    /// By hand, for forecasts without ranges: 4 * 2 * 100/3600 core-hours and so on.
    #[test]
    fn amounts_are_as_by_hand() {
        let objective = Objective::Money;
        let (advice, _) =
            choose(vec![forecast(4.0, 100.0, None, &objective)], BASE, &question(objective)).expect("chooses");
        let choice = advice.recommended.expect("the only one");
        assert!((choice.core_hours.expect("a number") - 800.0 / 3600.0).abs() < 1e-12);
        assert_eq!((choice.energy_j, choice.speedup, choice.efficiency), (Some(4000.0), Some(4.0), Some(1.0)));
        assert!((choice.money.expect("a price") - (1.0 + 0.5 * 800.0 / 3600.0)).abs() < 1e-12);
        assert_eq!(choice.probability, None);
    }

    /// `P(T <= 105)` of 100 within 90 to 112 is 0.760571 (computed with scipy).
    #[test]
    fn a_deadline_with_a_probability_asks_the_law() {
        let due = |probability| Objective::Deadline(Deadline { time_s: 105.0, probability });
        let list = |objective: &Objective| {
            [(1.0, 400.0, None), (2.0, 100.0, Some([90.0, 112.0])), (4.0, 60.0, Some([50.0, 80.0]))]
                .map(|(p, value, range)| forecast(p, value, range, objective))
                .to_vec()
        };
        let asked = |probability| {
            let objective = due(probability);
            choose(list(&objective), BASE, &question(objective.clone())).expect("chooses").0
        };
        let plain = asked(None);
        assert_eq!((plain.recommended.map(|best| best.p), plain.safe_p), (Some(2.0), Some(4.0)));
        assert!((plain.choices[1].probability.expect("a law") - 0.760571).abs() < 5e-7);
        assert_eq!(asked(Some(0.7)).recommended.map(|best| best.p), Some(2.0));
        assert_eq!(asked(Some(0.9)).recommended.map(|best| best.p), Some(4.0));
        assert_eq!(asked(Some(0.9)).safe_p, Some(4.0));
    }

    #[test]
    fn the_front_leaves_out_what_is_worse_in_all() {
        let objective = Objective::Front;
        // 4 is slower and dearer than 3, and 5 as fast but dearer.
        let list = [(1.0, 100.0), (2.0, 60.0), (3.0, 45.0), (4.0, 50.0), (5.0, 45.0)];
        let list = list.map(|(p, time)| forecast(p, time, None, &objective)).to_vec();
        let (advice, warnings) = choose(list, BASE, &question(objective)).expect("chooses");
        assert_eq!(advice.front, [1.0, 2.0, 3.0]);
        assert!(advice.recommended.is_none() && warnings.is_empty());
    }
}
