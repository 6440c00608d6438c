//! From texts to times, counts and sizes.

use super::given::{Given, Place, Text};
use super::keys::Kind;
use crate::cost::costs::MOST_ELEMENTS;
use crate::cost::error::shown;
use crate::cost::{CostError, Uncertain};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::table::number;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_formula::{Formula, FormulaError};

/// A time, certain or not: `29ns`; `29ns,24ns,35ns`; a table of these in a file.
pub(super) fn uncertain(given: &Given) -> Result<Uncertain, Problem> {
    let [value, low, high] = match &given.text {
        Text::Within(parts) => [time_at(&parts[0])?, time_at(&parts[1])?, time_at(&parts[2])?],
        Text::Plain(text) => match text.split(',').collect::<Vec<_>>()[..] {
            [value] => return time(value).map(Uncertain::exact).map_err(|problem| given.place.locate(problem)),
            [value, low, high] => {
                let each = |text| time(text).map_err(|problem| given.place.locate(problem));
                [each(value)?, each(low)?, each(high)?]
            }
            _ => return Err(given.place.locate(parts_problem(text))),
        },
    };
    Uncertain::new(value, low, high).map_err(|error| given.place.locate(cost_problem(&error).value(given.shown())))
}

/// A whole number of 1 or more.
pub(super) fn whole(text: &str) -> Result<u64, Problem> {
    number::parse(text).and_then(as_whole).ok_or_else(|| {
        let message = format!("\"{}\" is not a whole number above 0", shorten(text.trim(), 60));
        Problem::new("out_of_range", message).value(text).allowed(Kind::Whole.allowed())
    })
}

/// A level of intervals: `0.9`, `90%`.
pub(super) fn level(text: &str) -> Result<f64, Problem> {
    let wrong = |message: String| Problem::new("out_of_range", message).value(text).allowed(Kind::Share.allowed());
    let level = parse_quantity(text, Dimension::Share).map_err(|error| wrong(error.to_string()))?;
    if level > 0.0 && level < 1.0 { Ok(level) } else { Err(wrong(format!("the level is {}", number::to_text(level)))) }
}

pub(super) fn formula(text: &str) -> Result<Formula, Problem> {
    Formula::parse(text).map_err(|error| formula_problem(&error, text))
}

/// The value of a formula over parameters, unchecked.
pub(super) fn evaluate(formula: &Formula, parameters: &[(String, f64)]) -> Result<f64, Problem> {
    let values: Vec<(&str, f64)> = parameters.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    formula.evaluate_at(&values).map_err(|error| formula_problem(&error, formula.text()))
}

/// A count: a formula whose value is 0 or more.
pub(super) fn count(text: &str, parameters: &[(String, f64)]) -> Result<f64, Problem> {
    let value = evaluate(&formula(text)?, parameters)?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(value_problem(text, value, "a number of 0 or more")) }
}

/// The length of a list: a formula whose value is a whole number.
pub(super) fn length(text: &str, parameters: &[(String, f64)]) -> Result<u64, Problem> {
    let value = evaluate(&formula(text)?, parameters)?;
    as_whole(value).ok_or_else(|| value_problem(text, value, &Kind::Whole.allowed()))
}

/// An error of costs, as a problem of their file.
pub(super) fn cost_problem(error: &CostError) -> Problem {
    Problem::new("out_of_range", error.to_string()).allowed(error.allowed())
}

fn time_at((text, place): &(String, Place)) -> Result<f64, Problem> {
    time(text).map_err(|problem| place.locate(problem))
}

/// A time, in seconds.
fn time(text: &str) -> Result<f64, Problem> {
    let seconds = parse_quantity(text, Dimension::Time).map_err(|error| {
        let mut problem = Problem::new("not_a_time", error.to_string()).value(text).allowed(Kind::Time.allowed());
        problem.hint = error.hint();
        problem
    })?;
    if seconds < 0.0 {
        let message = format!("{} is negative", shorten(text.trim(), 60));
        return Err(Problem::new("out_of_range", message).value(text).allowed(Kind::Time.allowed()));
    }
    // No negative zero.
    Ok(seconds + 0.0)
}

fn parts_problem(text: &str) -> Problem {
    let message = format!("\"{}\" is neither one time nor three", shorten(text, 60));
    let problem = Problem::new("not_a_time", message).value(text);
    problem.allowed("TIME, or VALUE,LOW,HIGH such as 29ns,24ns,35ns").hint("use a decimal point: 1.5us")
}

fn as_whole(value: f64) -> Option<u64> {
    (value >= 1.0 && value <= MOST_ELEMENTS as f64 && value.fract() == 0.0).then_some(value as u64)
}

fn value_problem(text: &str, value: f64, allowed: &str) -> Problem {
    let message = match number::parse(text) {
        Some(_) => format!("the count is {}", shown(value)),
        None => format!("\"{}\" is {}", shorten(text.trim(), 60), shown(value)),
    };
    Problem::new("out_of_range", message).value(shown(value)).allowed(allowed)
}

/// The problem of a formula; its column is relative to the formula.
fn formula_problem(error: &FormulaError, text: &str) -> Problem {
    let message = format!("in the formula \"{}\": {error}", shorten(text, 60));
    let mut problem = Problem::new("formula", message).at_column(error.column() as u64).value(text);
    problem.hint = error.hint();
    problem
}
