//! `eval`: expressions over names, columns of a table, and models.

use super::model::Kept;
use super::outcome::Outcome;
use super::runs::Runs;
use crate::context::Context;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::targets::Targets;
use indexmap::IndexMap;
use runcast_core::problem::shorten;
use runcast_core::table::{Column, Origins};
use runcast_core::{Configuration, Problem, json};
use runcast_formula::Formula;
use serde_json::json;

/// Rows of a table that are shown.
const MOST_ROWS: usize = 10;

/// Calculates, at targets or in the first rows of a table.
///
/// # Errors
/// What cannot be read; a name that means nothing here; a model that refuses.
pub fn eval(
    expression: &str,
    at: &[Targets],
    table: Option<&Runs>,
    models: &IndexMap<String, Kept>,
    context: &Context,
) -> Result<Outcome, Failure> {
    let problem = |error: runcast_formula::FormulaError| {
        let problem = Problem::new("formula", error.to_string()).at("eval").value(shorten(expression, 200));
        match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    };
    let formula = Formula::parse(expression).map_err(problem)?;
    let scopes = scopes(at, table);
    let used: Vec<(&String, &Kept)> = models.iter().filter(|(name, _)| formula.names().contains(name)).collect();
    let mut values = Vec::with_capacity(scopes.len());
    for scope in &scopes {
        if context.is_interrupted() {
            return Err(Failure::interrupted());
        }
        let mut names = scope.numbers.clone();
        for (name, kept) in &used {
            // A name that is given, or a column, wins over a model.
            if names.get(name).is_none() {
                names.0.insert((*name).clone(), of_model(name, kept, &scope.numbers)?);
            }
        }
        values.push(value(&formula, expression, scope, &names)?);
    }
    let mut text = Table::new().text(if table.is_some() { "row" } else { "at" }).number("value");
    for (scope, value) in scopes.iter().zip(&values) {
        text.row([scope.name.clone(), human::significant(*value, 7)]);
    }
    let text = match scopes.as_slice() {
        [only] if only.name.is_empty() => format!("{}\n", human::significant(values[0], 7)),
        _ => text.render(context.screen),
    };
    let list: Vec<serde_json::Value> = scopes
        .iter()
        .zip(&values)
        .map(|(scope, value)| match scope.row {
            Some(row) => json!({ "row": row, "value": json::number(*value) }),
            None => json!({ "at": scope.numbers, "value": json::number(*value) }),
        })
        .collect();
    let result = json!({ "expression": expression, "rows": table.map(|runs| runs.table.rows()), "values": list });
    Ok(Outcome::of(&result)?.human(text))
}

/// The names that have values somewhere.
struct Scope {
    name: String,
    row: Option<usize>,
    numbers: Configuration,
    /// The row itself, with its labels.
    runs: Option<Runs>,
}

fn scopes(at: &[Targets], table: Option<&Runs>) -> Vec<Scope> {
    let mut given: Vec<Configuration> = at.iter().flat_map(Targets::configurations).collect();
    if given.is_empty() {
        given.push(Configuration::default());
    }
    let Some(runs) = table else {
        let scope = |numbers: Configuration| Scope { name: numbers.to_string(), row: None, numbers, runs: None };
        return given.into_iter().map(scope).collect();
    };
    let first = runs.first(MOST_ROWS);
    let mut scopes = Vec::new();
    for row in 0..first.table.rows() {
        let only = first.only(row);
        for given in &given {
            let mut numbers = Configuration::default();
            for column in &only.table.columns {
                if let Some(value) = column.as_numbers().map(|values| values[0]).filter(|value| !value.is_nan()) {
                    numbers.0.insert(column.name.clone(), value);
                }
            }
            numbers.0.extend(given.0.clone());
            scopes.push(Scope { name: (row + 1).to_string(), row: Some(row + 1), numbers, runs: Some(only.clone()) });
        }
    }
    scopes
}

/// The prediction of a model at the names that it uses.
fn of_model(name: &str, kept: &Kept, scope: &Configuration) -> Result<f64, Failure> {
    let own = |known: &&String| scope.get(known).is_some();
    let pairs = kept.model.names().iter().filter(own).filter_map(|known| Some((known.clone(), scope.get(known)?)));
    let target = Configuration(pairs.collect());
    let (prediction, warnings) =
        kept.model.predict(&target, kept.model.settings().level).map_err(|problem| problem.at(name))?;
    prediction.value.ok_or_else(|| {
        let why = warnings.first().map_or_else(String::new, |warning| format!(": {}", warning.message));
        Failure::undone(Problem::new("refused", format!("{name} has no value at {target}{why}")).at("eval"))
    })
}

fn value(formula: &Formula, expression: &str, scope: &Scope, names: &Configuration) -> Result<f64, Failure> {
    let mut runs = scope.runs.clone().unwrap_or_default();
    for (name, value) in &names.0 {
        let column = Column::numbers(name.as_str(), vec![*value]);
        match runs.table.columns.iter_mut().find(|known| known.name == *name) {
            Some(known) => *known = column,
            None => runs.table.columns.push(column),
        }
    }
    runs.table.origins = Origins::unknown(1);
    if runs.table.columns.is_empty() {
        // Without any name in scope there is no row to calculate in.
        runs.table.columns.push(Column::numbers("", vec![0.0]));
    }
    if let Some(name) = formula.names().iter().find(|name| runs.table.column(name).is_none()) {
        let known: Vec<&str> = runs.table.columns.iter().map(|column| column.name.as_str()).collect();
        let problem = Problem::new("unknown_name", format!("{} has no value here", shorten(name, 60)));
        let problem = problem.at("eval").value(name.as_str()).or_near(name, known);
        return Err(problem.hint(format!("give it one: at {name}=VALUE")).into());
    }
    let value = runs.evaluate(expression, "eval")?.first().copied().unwrap_or(f64::NAN);
    if value.is_finite() {
        return Ok(value);
    }
    Err(Failure::undone(Problem::new("not_finite", "the expression has no finite value").at("eval").value(expression)))
}
