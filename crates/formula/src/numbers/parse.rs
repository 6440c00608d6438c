//! Text to lists.

use super::{NumbersError, Rule};
use crate::lexer::number_length;
use crate::limits;

const RANGE: &str = "range:A..B:STEP";

pub(super) fn parse(text: &str) -> Result<Rule, NumbersError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(NumbersError::Empty);
    }
    let (rule, argument) = match text.split_once(':') {
        Some((rule, argument)) => (rule.trim(), Some(argument.trim())),
        None => (text, None),
    };
    let wrong = |usage| NumbersError::WrongRule { found: text.to_owned(), usage };
    match (rule, argument) {
        ("list", Some(items)) => list(items),
        ("range", Some(range)) => {
            let (ends, step) = range.split_once(':').unwrap_or((range, "1"));
            let (start, end) = ends.split_once("..").ok_or_else(|| wrong(RANGE))?;
            steps(number(start)?, number(end)?, number(step)?)
        }
        ("powers", Some(base)) => {
            let base = growing(number(base)?)?;
            Ok(Rule::Powers { base })
        }
        ("multiples", Some(step)) => {
            let step = positive("step", number(step)?)?;
            Ok(Rule::Multiples { step })
        }
        ("squares", None) => Ok(Rule::Squares),
        ("cubes", None) => Ok(Rule::Cubes),
        ("list", None) => Err(wrong("list:1,2,4")),
        ("range", None) => Err(wrong(RANGE)),
        ("powers", None) => Err(wrong("powers:2")),
        ("multiples", None) => Err(wrong("multiples:14")),
        ("squares", Some(_)) => Err(wrong("squares")),
        ("cubes", Some(_)) => Err(wrong("cubes")),
        (_, None) => match text.split_once("..") {
            Some((start, rest)) => dots(start, rest),
            None => list(text),
        },
        (rule, Some(_)) => Err(NumbersError::UnknownRule { found: rule.to_owned() }),
    }
}

/// Checks values that were given one by one.
pub(super) fn values(values: Vec<f64>) -> Result<Rule, NumbersError> {
    if values.is_empty() {
        return Err(NumbersError::Empty);
    }
    if values.len() > limits::VALUES {
        return Err(NumbersError::TooMany);
    }
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(NumbersError::NotANumber { found: value.to_string() }),
        None => Ok(Rule::Values(values)),
    }
}

fn list(items: &str) -> Result<Rule, NumbersError> {
    // Checked before anything is stored.
    if items.bytes().filter(|&byte| byte == b',').count() >= limits::VALUES {
        return Err(NumbersError::TooMany);
    }
    let is_word = !items.contains(',') && items.starts_with(char::is_alphabetic);
    if is_word {
        return Err(NumbersError::UnknownRule { found: items.to_owned() });
    }
    values(items.split(',').map(number).collect::<Result<_, _>>()?)
}

/// `a..b`, `a..b+step` or `a..b*factor`, split at the dots.
fn dots(start: &str, rest: &str) -> Result<Rule, NumbersError> {
    let start = number(start)?;
    let rest = rest.trim();
    // The end is taken as a number first: `1..1e+3` has no step.
    let sign = usize::from(rest.starts_with(['+', '-']));
    let (end, tail) = rest.split_at(sign + number_length(&rest[sign..]));
    let end = number(if end.len() > sign { end } else { rest })?;
    let tail = tail.trim();
    if tail.is_empty() {
        return steps(start, end, 1.0);
    }
    if let Some(step) = tail.strip_prefix('+') {
        return steps(start, end, number(step)?);
    }
    if let Some(factor) = tail.strip_prefix('*') {
        let factor = growing(number(factor)?)?;
        let start = positive("start", start)?;
        return ascending(start, end).map(|()| Rule::Growth { start, end, factor });
    }
    Err(NumbersError::NotANumber { found: rest.to_owned() })
}

fn steps(start: f64, end: f64, step: f64) -> Result<Rule, NumbersError> {
    let step = positive("step", step)?;
    ascending(start, end)?;
    Ok(Rule::Range { start, end, step })
}

fn ascending(start: f64, end: f64) -> Result<(), NumbersError> {
    if end < start { Err(NumbersError::Descending { start, end }) } else { Ok(()) }
}

fn positive(what: &'static str, value: f64) -> Result<f64, NumbersError> {
    if value > 0.0 { Ok(value) } else { Err(NumbersError::NotPositive { what, value }) }
}

fn growing(factor: f64) -> Result<f64, NumbersError> {
    if factor > 1.0 { Ok(factor) } else { Err(NumbersError::NotGrowing { factor }) }
}

fn number(text: &str) -> Result<f64, NumbersError> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let whole = !digits.is_empty() && number_length(digits) == digits.len();
    match text.parse::<f64>() {
        Ok(value) if whole && value.is_finite() => Ok(value),
        _ => Err(NumbersError::NotANumber { found: text.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::NumberList;

    #[test]
    fn every_form_is_read() {
        for (text, rule) in [
            ("1,2,4", Rule::Values(vec![1.0, 2.0, 4.0])),
            (" list: 4 , 8,1e3 ", Rule::Values(vec![4.0, 8.0, 1000.0])),
            ("8", Rule::Values(vec![8.0])),
            ("range:14..210:14", Rule::Range { start: 14.0, end: 210.0, step: 14.0 }),
            ("range:1..64", Rule::Range { start: 1.0, end: 64.0, step: 1.0 }),
            ("1..8", Rule::Range { start: 1.0, end: 8.0, step: 1.0 }),
            ("-1..1e+1+0.5", Rule::Range { start: -1.0, end: 10.0, step: 0.5 }),
            ("1 .. 64 * 2", Rule::Growth { start: 1.0, end: 64.0, factor: 2.0 }),
            ("powers:2", Rule::Powers { base: 2.0 }),
            ("multiples:14", Rule::Multiples { step: 14.0 }),
            ("squares", Rule::Squares),
            ("cubes", Rule::Cubes),
        ] {
            let list = NumberList::parse(text).unwrap();
            assert_eq!(list.rule, rule, "{text}");
            assert_eq!(NumberList::parse(&list.to_string()).unwrap(), list, "{text}");
        }
    }

    #[test]
    fn slips_are_errors() {
        for text in [
            "",
            ",",
            "1,,2",
            "1,2,",
            "nan",
            "inf,1",
            "1;2",
            "a",
            "1..",
            "..8",
            "8..1",
            "1..8+0",
            "1..8*1",
            "0..8*2",
            "1..8-1",
            "1..8:2",
            "range:8",
            "range:1..8:0",
            "range:1..8:-1",
            "powers",
            "powers:1",
            "powers:",
            "multiples:0",
            "squares:2",
            "cube",
            "primes:3",
            "list:",
            "1 2",
            "0x10",
            "1e999",
        ] {
            assert!(NumberList::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn errors_give_hints() {
        let hint = |text: &str| NumberList::parse(text).unwrap_err().hint().unwrap();
        assert_eq!(hint("square"), "did you mean `squares`?");
        assert_eq!(hint("8..1"), "write `1..8`");
        assert_eq!(hint("powers"), "write `powers:2`");
    }

    #[test]
    fn values_are_checked() {
        assert!(NumberList::from_values(vec![]).is_err());
        assert!(NumberList::from_values(vec![f64::NAN]).is_err());
        assert!(NumberList::from_values(vec![1.0; limits::VALUES + 1]).is_err());
        assert_eq!(NumberList::from_values(vec![4.0, 1.0]).unwrap().to_string(), "4.0,1.0");
    }
}
