//! Before the first superstep: parameters, processors, start times, and the costs of raw BSP.

use super::super::Assignment;
use super::super::prepare::{self, Cell, ME, Prepared, RANK, StartCode, trouble};
use super::super::program::{Start, Value};
use super::scope::{Evaluator, Once};
use super::{Limits, RawCosts};
use indexmap::IndexMap;
use runcast_core::Problem;
use runcast_core::problem::shorten;

/// More processors than this would not fit into the memory of small machines.
const MOST_PROCESSORS: f64 = 4_194_304.0;

impl Prepared {
    /// The value of every parameter, in the order of the program.
    pub(super) fn parameters(&self, set: &[Assignment]) -> Result<IndexMap<String, f64>, Problem> {
        for assignment in set {
            if !self.program.parameters.contains_key(&assignment.name) {
                return Err(self.unknown_parameter(&assignment.name));
            }
        }
        let mut values = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for ((name, value), cell) in self.program.parameters.iter().zip(&self.parameters) {
            let located = |(problem, value): (Problem, &Value)| {
                let problem = value.place.locate(&self.program.source, problem);
                Problem { message: format!("{name}: {}", problem.message), ..problem }
            };
            let other = match set.iter().find(|assignment| assignment.name == *name) {
                Some(assignment) => Some(prepare::parameter(&names, &assignment.value).map_err(located)?),
                None => None,
            };
            let cell = other.as_ref().unwrap_or(cell);
            let number = cell.evaluate(&values);
            if !number.is_finite() {
                let problem = trouble(cell, number, &values, "a finite number");
                let value = if other.is_some() { &cell.value } else { value };
                return Err(located((problem, value)));
            }
            values.push(number);
            names.push(name);
        }
        Ok(names.into_iter().map(str::to_owned).zip(values).collect())
    }

    fn unknown_parameter(&self, name: &str) -> Problem {
        let known = || self.program.parameters.keys().map(String::as_str);
        let message = format!("the program has no parameter \"{}\"", shorten(name, 60));
        Problem::new("unknown_parameter", message).at("--set").value(name).one_of(name, known())
    }

    pub(super) fn processors(&self, parameters: &[f64], limits: &Limits<'_>) -> Result<usize, Problem> {
        let cell = &self.processors;
        let count = cell.evaluate(parameters);
        let wrong = |problem: Problem| {
            let problem = Problem { message: format!("machine: processors: {}", problem.message), ..problem };
            cell.value.place.locate(&self.program.source, problem)
        };
        if !(count >= 1.0 && count.fract() == 0.0) {
            return Err(wrong(trouble(cell, count, parameters, "a whole number above 0")));
        }
        let most = MOST_PROCESSORS.min(limits.steps as f64);
        if count > most {
            let problem = trouble(cell, count, parameters, &format!("at most {most} processors"));
            return Err(wrong(Problem { code: "too_many".to_owned(), ..problem }));
        }
        Ok(count as usize)
    }
}

/// The scope of the machine's own formulas.
pub(super) fn top_values(prepared: &Prepared, parameters: &[f64], processors: usize) -> Vec<f64> {
    let mut values = vec![0.0, processors as f64, 0.0, 0.0, 0.0, 0.0, 1.0];
    values.extend_from_slice(parameters);
    values.resize(values.len() + prepared.program.models.len(), 0.0);
    values
}

/// When each processor starts.
pub(super) fn starts(
    prepared: &Prepared,
    evaluator: &Evaluator<'_>,
    parameters: &[f64],
    processors: usize,
) -> Result<Vec<f64>, Problem> {
    let mut values = top_values(prepared, parameters, processors);
    let mut one = |cell: &Cell, rank: usize| {
        let mut once = Once::new(cell);
        let mut start = |values: &mut Vec<f64>| {
            (values[ME], values[RANK]) = (rank as f64, rank as f64);
            evaluator.at_least_zero(&prepared.top, &mut once, values, "a time of 0 or more")
        };
        start(&mut values)
            .map_err(|problem| Problem { message: format!("machine: start: {}", problem.message), ..*problem })
    };
    match &prepared.start {
        StartCode::Zero => Ok(vec![0.0; processors]),
        StartCode::Each(cell) => (0..processors).map(|rank| one(cell, rank)).collect(),
        StartCode::List(cells) if cells.len() == processors => {
            cells.iter().enumerate().map(|(rank, cell)| one(cell, rank)).collect()
        }
        StartCode::List(cells) => {
            let message = format!("machine: start: {} times for {processors} processors", cells.len());
            let problem = Problem::new("wrong_count", message).value(cells.len().to_string());
            let problem = problem.allowed(format!("a list of {processors}, or a formula over rank"));
            Err(match &prepared.program.machine.start {
                Start::List(_, place) => place.locate(&prepared.program.source, problem),
                _ => problem,
            })
        }
    }
}

/// One g, L and p for everything, if the program gives them.
pub(super) fn raw_costs(prepared: &Prepared, parameters: &[f64]) -> Result<Option<RawCosts>, Problem> {
    let Some(raw) = &prepared.raw else { return Ok(None) };
    let number = |cell: &Cell, least: f64, allowed: &str| {
        let value = cell.evaluate(parameters);
        if value.is_finite() && value >= 0.0 && value >= least {
            return Ok(value);
        }
        let problem = trouble(cell, value, parameters, allowed);
        let problem = Problem { message: format!("bsp: {}", problem.message), ..problem };
        Err(cell.value.place.locate(&prepared.program.source, problem))
    };
    let gap = match raw.is_bandwidth {
        true => 1.0 / number(&raw.gap, f64::MIN_POSITIVE, "a bandwidth above 0")?,
        false => number(&raw.gap, 0.0, "0 or more")?,
    };
    let prices = raw.prices.iter().map(|price| match price {
        Some(cell) => number(cell, 0.0, "0 or more").map(Some),
        None => Ok(None),
    });
    let prices = prices.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(RawCosts { gap, latency: number(&raw.latency, 0.0, "0 or more")?, prices }))
}
