//! Parses the texts of options into the values of keys.

use super::PROCESSES;
use super::key::{SIZE_KEYS, unknown};
use super::price::Measured;
use super::spec::{Constant, Multiple, PlanSpec, Rounding, Scaling, SizeSpec};
use crate::problem::{Problem, shorten};
use crate::{Configuration, table};
use indexmap::IndexMap;
use runcast_formula::numbers::NumberList;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_formula::{Formula, FormulaError, is_name};

pub(super) use runcast_formula::nearest;

pub(super) fn scaling(text: &str) -> Result<Scaling, Problem> {
    choice("kind of scaling", text, &[Scaling::Weak, Scaling::Strong, Scaling::Wide, Scaling::Grid], Scaling::name)
}

pub(super) fn rounding(text: &str) -> Result<Rounding, Problem> {
    choice("rounding", text, &[Rounding::Nearest, Rounding::Down, Rounding::Up], Rounding::name)
}

fn choice<T: Copy>(what: &str, text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, Problem> {
    let wanted = text.trim();
    all.iter()
        .copied()
        .find(|&one| name(one) == wanted)
        .ok_or_else(|| unknown(what, wanted, all.iter().map(|&one| name(one)), str::to_owned))
}

pub(super) fn formula(text: &str) -> Result<Formula, Problem> {
    Formula::parse(text).map_err(|error| formula_problem(&error, text))
}

/// The problem of a formula; its column is relative to the formula.
pub(super) fn formula_problem(error: &FormulaError, text: &str) -> Problem {
    let column = error.column() as u64;
    let mut problem = Problem::new("formula", format!("in the formula \"{}\": {error}", shorten(text, 60)))
        .at_column(column)
        .value(text);
    problem.hint = error.hint();
    problem
}

pub(super) fn number(text: &str) -> Result<f64, Problem> {
    table::number::parse(text).ok_or_else(|| {
        let message = format!("\"{}\" is not a number", shorten(text.trim(), 60));
        Problem::new("not_a_number", message).value(text).allowed("a finite number")
    })
}

/// A number in a message: short, whatever its size.
pub(super) fn shown(value: f64) -> String {
    if value.is_nan() { "not a number".to_owned() } else { table::number::to_text(value) }
}

pub(super) fn ratio(text: &str) -> Result<f64, Problem> {
    let ratio = number(text)?;
    if ratio > 0.0 && ratio != 1.0 {
        return Ok(ratio);
    }
    Err(Problem::new("out_of_range", "the ratio must make the work grow or shrink")
        .value(text)
        .allowed("a positive number other than 1"))
}

pub(super) fn count(text: &str, most: u64) -> Result<u64, Problem> {
    let count = number(text)?;
    if count >= 1.0 && count.fract() == 0.0 && count <= most as f64 {
        return Ok(count as u64);
    }
    let allowed = format!("a whole number from 1 to {most}");
    Err(Problem::new("out_of_range", format!("{} is not a count", shorten(text.trim(), 60)))
        .value(text)
        .allowed(allowed))
}

/// A share: `5%` or `0.05`.
pub(super) fn share(text: &str) -> Result<f64, Problem> {
    let problem = |message: String| {
        Problem::new("not_a_share", message).value(text).allowed("a share such as 5% or 0.05, at least 0")
    };
    let quantity = parse_quantity(text, Dimension::Share).map_err(|error| problem(error.to_string()))?;
    if quantity.is_finite() && quantity >= 0.0 {
        Ok(quantity)
    } else {
        Err(problem("the share is negative".to_owned()))
    }
}

pub(super) fn list(text: &str) -> Result<NumberList, Problem> {
    NumberList::parse(text).map_err(|error| {
        let mut problem = Problem::new("list", error.to_string()).value(text);
        problem.hint = error.hint();
        problem
    })
}

pub(super) fn constant(text: &str) -> Result<Constant, Problem> {
    if text.contains('=') {
        let mut at = IndexMap::new();
        assign(&mut at, text)?;
        return Ok(Constant::At(Configuration(at)));
    }
    number(text)
        .and_then(positive)
        .map(Constant::Number)
        .map_err(|problem| problem.allowed("a positive number, or a configuration such as p=8,N=20000"))
}

fn positive(value: f64) -> Result<f64, Problem> {
    if value > 0.0 {
        return Ok(value);
    }
    Err(Problem::new("out_of_range", format!("{} is not positive", shown(value))).value(shown(value)))
}

/// Reads `p=8,N=20000` into `values`; returns the names.
pub(super) fn assign(values: &mut IndexMap<String, f64>, text: &str) -> Result<Vec<String>, Problem> {
    let mut names = Vec::new();
    for part in split(text) {
        let Some((name, value)) = part.split_once('=') else {
            return Err(Problem::new(
                "not_an_assignment",
                format!("\"{}\" does not assign a value to a parameter", shorten(part, 60)),
            )
            .value(part)
            .allowed("NAME=NUMBER, separated by commas, such as p=8,N=20000"));
        };
        let name = parameter(name)?;
        let value = number(value)?;
        if names.contains(&name) {
            return Err(Problem::new("duplicate", format!("{name} is given twice")).value(text));
        }
        values.insert(name.clone(), value);
        names.push(name);
    }
    Ok(names)
}

/// Reads `p=2,4,8; N=1000,2000` into `axes`; returns the names. A part without `=` goes on with the list before it.
pub(super) fn grid(axes: &mut IndexMap<String, Vec<NumberList>>, text: &str) -> Result<Vec<String>, Problem> {
    let mut read: IndexMap<String, Vec<NumberList>> = IndexMap::new();
    for part in text.split(';').flat_map(split).filter(|part| !part.is_empty()) {
        let values = match part.split_once('=') {
            Some((name, values)) => {
                let name = parameter(name)?;
                if read.insert(name.clone(), Vec::new()).is_some() {
                    return Err(Problem::new("duplicate", format!("{name} is given twice"))
                        .value(text)
                        .hint(format!("list its values: {name}=1,2,4")));
                }
                values
            }
            None => part,
        };
        let Some((_, lists)) = read.last_mut() else {
            let message = format!("\"{}\" has no name before it", shorten(part, 60));
            return Err(Problem::new("not_an_assignment", message).value(text).allowed(GRID));
        };
        lists.push(values_of(values)?);
    }
    if read.is_empty() {
        return Err(Problem::new("empty", "the grid is empty").value(text).allowed(GRID));
    }
    let names = read.keys().cloned().collect();
    axes.extend(read);
    Ok(names)
}

/// What a grid looks like.
const GRID: &str = "NAME=LIST; NAME=LIST, such as p=2,4,8,16; N=1000,2000,4000";

/// A list, or a formula without names such as `2^20`.
pub(super) fn values_of(text: &str) -> Result<NumberList, Problem> {
    list(text).or_else(|problem| {
        let computed = Formula::parse(text).ok().filter(|formula| formula.names().is_empty());
        let value = computed.and_then(|formula| formula.evaluate_at(&[]).ok());
        value.and_then(|value| NumberList::from_values(vec![value]).ok()).ok_or(problem)
    })
}

/// Reads targets: a list, or values for each of several parameters.
pub(super) fn targets(spec: &mut PlanSpec, text: &str) -> Result<Vec<String>, Problem> {
    if text.contains('=') {
        let mut axes = IndexMap::new();
        let names = grid(&mut axes, text)?;
        (spec.targets, spec.target_grid) = (None, axes);
        return Ok(names);
    }
    (spec.targets, spec.target_grid) = (Some(list(text)?), IndexMap::new());
    Ok(Vec::new())
}

/// Reads `p=4,N=1000:12s`.
pub(super) fn measured(text: &str) -> Result<Measured, Problem> {
    let allowed = "a configuration, a colon and a time, such as p=4,N=1000:12s";
    let Some((at, time)) = text.rsplit_once(':') else {
        let message = format!("\"{}\" says no time", shorten(text.trim(), 60));
        return Err(Problem::new("missing", message).value(text).allowed(allowed));
    };
    let mut values = IndexMap::new();
    assign(&mut values, at)?;
    let time_s = parse_quantity(time, Dimension::Time)
        .map_err(|error| Problem::new("not_a_time", error.to_string()).value(time).allowed(allowed))?;
    if time_s <= 0.0 {
        let problem = Problem::new("out_of_range", format!("a time of {} s prices nothing", shown(time_s)));
        return Err(problem.value(time).allowed("a positive time"));
    }
    Ok(Measured { at: Configuration(values), time_s })
}

/// Reads a budget.
pub(super) fn core_hours(text: &str) -> Result<f64, Problem> {
    number(text).and_then(positive).map_err(|problem| problem.allowed("a positive number of core-hours"))
}

/// Reads `N` or `N:multiple=100,min=100` into the sizes.
pub(super) fn size(spec: &mut PlanSpec, text: &str) -> Result<Vec<String>, Problem> {
    let (name, fields) = text.split_once(':').unwrap_or((text, ""));
    let name = size_name(name)?;
    let mut allowed = spec.sizes.get(&name).cloned().unwrap_or_default();
    let mut parts = vec![name.clone()];
    if text.contains(':') {
        for field in split(fields) {
            let (key, value) = field.split_once('=').unwrap_or((field, "true"));
            let key = key.trim();
            size_key(&mut allowed, key, value)?;
            parts.push(format!("{name}/{key}"));
        }
    }
    spec.sizes.insert(name, allowed);
    Ok(parts)
}

/// The name of a size: any parameter but `p`.
pub(super) fn size_name(text: &str) -> Result<String, Problem> {
    let name = parameter(text)?;
    if name == PROCESSES {
        return Err(Problem::new("not_a_size", "p counts processes and cannot be a size")
            .value(text)
            .hint("--processes sets the values of p"));
    }
    Ok(name)
}

/// Sets one key of a size.
pub(super) fn size_key(size: &mut SizeSpec, key: &str, text: &str) -> Result<(), Problem> {
    match key {
        "multiple" => size.multiple = Some(multiple(text)?),
        "min" => size.min = Some(number(text)?),
        "max" => size.max = Some(number(text)?),
        "real" => {
            size.real = match text.trim() {
                "true" => true,
                "false" => false,
                other => return Err(unknown("truth value", other, ["true", "false"].into_iter(), str::to_owned)),
            }
        }
        other => return Err(unknown("key of a size", other, SIZE_KEYS.into_iter(), str::to_owned)),
    }
    Ok(())
}

fn multiple(text: &str) -> Result<Multiple, Problem> {
    match table::number::parse(text) {
        Some(value) if value > 0.0 => Ok(Multiple::Number(value)),
        Some(value) => Err(Problem::new("out_of_range", format!("{} has no positive multiples", shown(value)))
            .value(text)
            .allowed("a positive number or a formula of p")),
        None => formula(text).map(Multiple::Formula),
    }
}

fn parameter(text: &str) -> Result<String, Problem> {
    let name = text.trim();
    if is_name(name) && name.len() <= 256 {
        return Ok(name.to_owned());
    }
    Err(Problem::new("not_a_name", format!("\"{}\" cannot be the name of a parameter", shorten(name, 60)))
        .value(name)
        .allowed("letters, digits and _, beginning with a letter"))
}

/// The parts between the commas outside brackets.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0i64;
    text.split(move |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth <= 0
    })
    .map(str::trim)
}

impl Rounding {
    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Rounding::Nearest => "nearest",
            Rounding::Down => "down",
            Rounding::Up => "up",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_takes_formulas_with_commas() {
        let mut spec = PlanSpec::default();
        spec.set("size", "N:multiple=max(10, p),min=100").expect("a size");
        let size = &spec.sizes["N"];
        assert_eq!(size.min, Some(100.0));
        assert!(matches!(&size.multiple, Some(Multiple::Formula(formula)) if formula.text() == "max(10, p)"));
    }

    #[test]
    fn later_options_add_to_a_size() {
        let mut spec = PlanSpec::default();
        spec.set("--size", "N:multiple=100").expect("a size");
        spec.set("--size", "N:real,max=1e6").expect("a size");
        let expected = SizeSpec { multiple: Some(Multiple::Number(100.0)), min: None, max: Some(1e6), real: true };
        assert_eq!(spec.sizes["N"], expected);
    }

    #[test]
    fn what_is_wrong_with_an_option_is_told() {
        let problem = |key, text| PlanSpec::default().set(key, text).expect_err("a problem").to_string();
        assert!(problem("--proceses", "4").contains("did you mean --processes?"));
        assert!(problem("scaling", "week").contains("hint: did you mean weak?"));
        assert!(problem("size", "N:multipel=3").contains("hint: did you mean multiple?"));
        assert!(problem("size", "p:min=3").starts_with("--size: p counts processes"));
        assert!(problem("size", "N:multiple=0").contains("no positive multiples"));
        assert!(problem("size", "N:").contains("key of a size"));
        assert!(problem("count", "0").contains("allowed: a whole number from 1"));
        assert!(problem("count", "2.5").contains("allowed: a whole number from 1"));
        assert!(problem("constant", "nan").contains("not a number"));
        assert!(problem("constant", "-3").contains("is not positive"));
        assert!(problem("constant", "p=8,N").contains("does not assign a value"));
        assert!(problem("constant", "p=8,p=9").contains("given twice"));
        assert!(problem("fixed", "2n=5").contains("cannot be the name"));
        assert!(problem("complexity", "N^^3").starts_with("--complexity: in the formula"));
        assert!(problem("max-deviation", "-5%").contains("allowed: a share"));
        assert!(problem("max-deviation", "5 s").contains("allowed: a share"));
        assert!(problem("ratio", "1").contains("other than 1"));
    }

    #[test]
    fn shares_are_percentages_or_fractions_of_one() {
        assert_eq!(share("5%").ok(), Some(0.05));
        assert_eq!(share("0.05").ok(), Some(0.05));
    }
}
