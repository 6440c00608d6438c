//! From a value of TOML to a number or a formula.

use super::super::program::Given;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use runcast_core::table::number;
use runcast_formula::units::{Dimension, Quantity, QuantityError, parse_quantity};
use runcast_formula::{ErrorKind, Formula};
use toml::de::DeValue;

/// What a value measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// Seconds.
    Time,
    /// Seconds per byte.
    TimePerByte,
    /// Bytes per second.
    Bandwidth,
    Bytes,
    Count,
    /// Seconds of an instruction.
    Instruction,
    /// A number without a unit.
    Plain,
    /// A parameter of any dimension.
    Any,
}

impl Kind {
    pub(in super::super) fn allowed(self) -> &'static str {
        match self {
            Kind::Time => "a time such as \"1.5 us\", or a formula in seconds",
            Kind::TimePerByte => "a time per byte such as \"0.8 ns/B\", or a formula in seconds per byte",
            Kind::Bandwidth => "a bandwidth such as \"10 Gbit/s\", or a formula in bytes per second",
            Kind::Bytes => "a size such as \"64 KiB\", or a formula in bytes",
            Kind::Count => "a number, or a formula",
            Kind::Instruction => "a time such as \"1 ns\", or a formula in seconds",
            Kind::Plain => "a number, or a formula in quotes",
            Kind::Any => "a number, a quantity such as \"1.5 us\", or a formula over earlier parameters",
        }
    }

    fn dimensions(self) -> &'static [Dimension] {
        match self {
            Kind::Time => &[Dimension::Time],
            Kind::TimePerByte => &[Dimension::TimePerByte],
            Kind::Bandwidth => &[Dimension::BytesPerTime],
            Kind::Bytes => &[Dimension::Bytes],
            Kind::Count => &[Dimension::Operations],
            Kind::Instruction => &[Dimension::Time, Dimension::TimePerOperation],
            Kind::Plain => &[Dimension::Dimensionless],
            Kind::Any => &[],
        }
    }
}

/// The number or formula in a TOML value; none if it is something else.
pub(super) fn value_of(value: &DeValue<'_>, kind: Kind) -> Result<Option<Given>, Problem> {
    let number = match value {
        DeValue::String(text) => return number_or_formula(text, kind).map(Some),
        DeValue::Integer(number) => {
            i128::from_str_radix(number.as_str(), number.radix()).ok().map(|number| number as f64)
        }
        DeValue::Float(number) => number.as_str().replace('_', "").parse().ok(),
        _ => return Ok(None),
    };
    match number.filter(|number: &f64| number.is_finite()) {
        Some(number) => Ok(Some(Given::Number(number))),
        None => Err(Problem::new("not_a_number", "not a finite number").allowed(kind.allowed())),
    }
}

/// The quantity or formula in a text.
pub(in super::super) fn number_or_formula(text: &str, kind: Kind) -> Result<Given, Problem> {
    match quantity(text, kind) {
        Ok(number) => Ok(Given::Number(number)),
        Err(Some(problem)) => Err(problem),
        Err(None) => formula(text).map(Given::Formula),
    }
}

/// The number in SI base units; no problem if it is not a quantity but may be a formula.
fn quantity(text: &str, kind: Kind) -> Result<f64, Option<Problem>> {
    let wrong = |error: &QuantityError| {
        let mut problem = Problem::new("wrong_unit", error.to_string()).value(text).allowed(kind.allowed());
        // `2/h` is a rate per hour, even if the user has a name h.
        let in_brackets = || Some("to mean a formula, put the name in brackets".to_owned());
        problem.hint = error.hint().or_else(|| Formula::parse(text).ok().and_then(|_| in_brackets()));
        Some(problem)
    };
    match Quantity::parse(text) {
        Ok(quantity) => {
            let fits = |dimension: &&Dimension| dimension.powers() == quantity.powers;
            if !quantity.has_unit || kind == Kind::Any || kind.dimensions().iter().any(|d| fits(&d)) {
                // No negative zero.
                return Ok(quantity.value + 0.0);
            }
            let wanted = kind.dimensions().first().copied().unwrap_or(Dimension::Dimensionless);
            Err(parse_quantity(text, wanted).err().as_ref().and_then(wrong))
        }
        // `5 N` is neither: "unknown unit" is a better message than "missing operator".
        Err(error @ QuantityError::UnknownUnit { .. }) if is_no_formula(text) => Err(wrong(&error)),
        Err(_) => Err(None),
    }
}

fn is_no_formula(text: &str) -> bool {
    Formula::parse(text).is_err_and(|error| {
        matches!(error.kind(), ErrorKind::MissingOperator { .. } | ErrorKind::UnexpectedCharacter { .. })
    })
}

fn formula(text: &str) -> Result<Formula, Problem> {
    Formula::parse(text).map_err(|error| {
        let message = format!("in the formula \"{}\": {error}", shorten(text, 60));
        let mut problem = Problem::new("formula", message).at_column(error.column() as u64).value(text);
        problem.hint = error.hint();
        problem
    })
}

/// A number in readable form.
pub(in super::super) fn shown(value: f64) -> String {
    if value.is_nan() {
        "not a number".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "infinite".to_owned() } else { "minus infinite".to_owned() }
    } else {
        number::to_text(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str, kind: Kind) -> f64 {
        match number_or_formula(text, kind) {
            Ok(Given::Number(number)) => number,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn texts_are_quantities_before_they_are_formulas() {
        assert_eq!(number("1.5 us", Kind::Time), 1.5e-6);
        assert_eq!(number("0.8ns/B", Kind::TimePerByte), 0.8e-9);
        assert_eq!(number("10 Gbit/s", Kind::Bandwidth), 1.25e9);
        assert_eq!(number("64 KiB", Kind::Bytes), 65536.0);
        assert_eq!(number("2 ns/flop", Kind::Instruction), 2e-9);
        assert_eq!(number("7", Kind::Plain), 7.0);
        assert!(matches!(number_or_formula("2*s", Kind::Time), Ok(Given::Formula(_))));
    }

    #[test]
    fn a_unit_of_something_else_and_an_unknown_one_are_told() {
        let problem = number_or_formula("1 s", Kind::Bytes).expect_err("a time");
        assert!(problem.message.contains("is a time, expected a number of bytes"), "{problem}");
        let problem = number_or_formula("5 N", Kind::Time).expect_err("no unit");
        assert!(problem.message.contains("unknown unit `N`"), "{problem}");
        let problem = number_or_formula("2/h", Kind::Time).expect_err("a rate");
        assert!(problem.hint.is_some_and(|hint| hint.contains("brackets")));
        assert!(matches!(number_or_formula("2/(h)", Kind::Time), Ok(Given::Formula(_))));
        let problem = number_or_formula("me +", Kind::Time).expect_err("no formula");
        assert_eq!((problem.code.as_str(), problem.column), ("formula", Some(5)));
    }
}
