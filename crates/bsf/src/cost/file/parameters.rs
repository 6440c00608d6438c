//! Parameters of counts: names with numbers, or with formulas over other names.

use super::amount;
use super::given::Given;
use crate::cost::error::shown;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_formula::{Formula, is_name};

/// Maximum number of names in a file.
pub(super) const MOST: usize = 64;

/// Splits `N=2000,M=max(N, 5)` into names and texts.
pub(super) fn split(text: &str) -> Result<Vec<(String, String)>, Problem> {
    runcast_formula::split_at_commas(text).into_iter().map(|part| assignment(part, text)).collect()
}

/// Whether a text can be the name of a parameter.
pub(super) fn check_name(name: &str) -> Result<(), Problem> {
    if is_name(name) && name.len() <= 256 {
        return Ok(());
    }
    let message = format!("\"{}\" cannot be the name of a parameter", shorten(name, 60));
    Err(Problem::new("not_a_name", message).value(name).allowed("letters, digits, _ and inner dots, a letter first"))
}

/// The values of all parameters, independent of their order.
pub(super) fn evaluate(given: &[(String, Given)]) -> Result<Vec<(String, f64)>, Problem> {
    let formulas = given.iter().map(read).collect::<Result<Vec<Formula>, Problem>>()?;
    let mut values: Vec<(String, f64)> = Vec::new();
    let mut waiting: Vec<usize> = (0..given.len()).collect();
    while !waiting.is_empty() {
        let is_known = |name: &String| values.iter().any(|(known, _)| known == name);
        let ready = waiting.iter().position(|&index| formulas[index].names().iter().all(is_known));
        let Some(ready) = ready else { return Err(unsolvable(given, &formulas, &waiting, &values)) };
        let index = waiting.remove(ready);
        let (name, given) = &given[index];
        values.push((name.clone(), value(&formulas[index], &values).map_err(|problem| given.place.locate(problem))?));
    }
    // In the order in which they were given.
    let place = |name: &String| given.iter().position(|(known, _)| known == name);
    values.sort_by_key(|(name, _)| place(name));
    Ok(values)
}

fn read((_, given): &(String, Given)) -> Result<Formula, Problem> {
    amount::formula(given.plain()).map_err(|problem| given.place.locate(problem))
}

fn value(formula: &Formula, values: &[(String, f64)]) -> Result<f64, Problem> {
    let value = amount::evaluate(formula, values)?;
    if value.is_finite() {
        return Ok(value);
    }
    let message = format!("\"{}\" is {}", shorten(formula.text(), 60), shown(value));
    Err(Problem::new("out_of_range", message).value(shown(value)).allowed("a finite number"))
}

/// None of the remaining ones can be computed: a name is unknown, or they depend on each other.
fn unsolvable(given: &[(String, Given)], formulas: &[Formula], waiting: &[usize], values: &[(String, f64)]) -> Problem {
    let is_given = |name: &String| given.iter().any(|(known, _)| known == name);
    let unknown = waiting.iter().find(|&&index| !formulas[index].names().iter().all(is_given));
    let index = *unknown.or(waiting.first()).unwrap_or(&0);
    let (name, at) = &given[index];
    let problem = match unknown {
        Some(_) => amount::evaluate(&formulas[index], values).err(),
        None => None,
    };
    at.place.locate(problem.unwrap_or_else(|| {
        Problem::new("circular", format!("the value of {name} depends on itself"))
            .value(formulas[index].text())
            .allowed("a number, or a formula over parameters that do not depend on it")
    }))
}

fn assignment(part: &str, text: &str) -> Result<(String, String), Problem> {
    let assigned = part.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    let Some((name, value)) = assigned else {
        let message = format!("\"{}\" does not assign a value to a parameter", shorten(part, 60));
        return Err(Problem::new("not_an_assignment", message).value(text).allowed("NAME=NUMBER,.. such as N=2000"));
    };
    check_name(name)?;
    Ok((name.to_owned(), value.to_owned()))
}
