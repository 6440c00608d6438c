//! Trees to text: as few brackets as possible, numbers that read back to the same bits.

use std::fmt;

use crate::expr::{Expr, Factor, Term};
use crate::parser::binding;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { value, .. } => number(f, *value),
            Self::Name { name, .. } => f.write_str(name),
            Self::TextComparison { name, text, equal, .. } => {
                let operator = if *equal { "==" } else { "!=" };
                write!(f, "{name} {operator} \"{}\"", text.replace('"', "\"\""))
            }
            Self::Sum { terms, .. } => sum(f, terms),
            Self::Product { factors, .. } => product(f, factors),
            Self::Negation { operand, .. } => negation(f, operand),
            Self::Power { base, exponent, .. } => {
                bracketed(f, base, binding::ATOM)?;
                f.write_str("^")?;
                bracketed(f, exponent, binding::SIGN)
            }
            Self::Comparison { comparison, left, right, .. } => {
                bracketed(f, left, binding::SUM)?;
                write!(f, " {} ", comparison.symbol())?;
                bracketed(f, right, binding::SUM)
            }
            Self::And { operands, .. } => junction(f, operands, " and ", binding::NOT, 1.0),
            Self::Or { operands, .. } => junction(f, operands, " or ", binding::AND, 0.0),
            Self::Not { operand, .. } => {
                f.write_str("not ")?;
                bracketed(f, operand, binding::NOT)
            }
            Self::Call { function, arguments, .. } => {
                write!(f, "{}(", function.name())?;
                for (index, argument) in arguments.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    argument.fmt(f)?;
                }
                f.write_str(")")
            }
        }
    }
}

/// How tightly the text of a tree binds.
fn binding(expr: &Expr) -> u8 {
    match expr {
        Expr::Number { value, .. } if !value.is_finite() => binding::PRODUCT,
        Expr::Number { value, .. } if value.is_sign_negative() => binding::SIGN,
        Expr::Number { .. } | Expr::Name { .. } | Expr::Call { .. } => binding::ATOM,
        Expr::Sum { terms, .. } => match &**terms {
            [] => binding::ATOM,
            [Term { negative: false, value }] => binding(value),
            [Term { negative: true, value }] => negation_binding(value),
            _ => binding::SUM,
        },
        Expr::Product { factors, .. } => match &**factors {
            [] => binding::ATOM,
            [Factor { inverse: false, value }] => binding(value),
            _ => binding::PRODUCT,
        },
        Expr::Negation { operand, .. } => negation_binding(operand),
        Expr::Power { .. } => binding::POWER,
        Expr::Comparison { .. } | Expr::TextComparison { .. } => binding::COMPARISON,
        Expr::Not { .. } => binding::NOT,
        Expr::And { .. } => binding::AND,
        Expr::Or { .. } => binding::OR,
    }
}

/// Of a product, the sign goes to the first factor: the value is the same.
fn negation_binding(operand: &Expr) -> u8 {
    if binding(operand) == binding::PRODUCT && !begins_with_sign(operand) { binding::PRODUCT } else { binding::SIGN }
}

fn begins_with_sign(expr: &Expr) -> bool {
    match expr {
        Expr::Number { value, .. } => value.is_sign_negative() && !value.is_nan(),
        Expr::Negation { .. } => true,
        Expr::Sum { terms, .. } => terms.first().is_some_and(|first| first.negative || begins_with_sign(&first.value)),
        Expr::Product { factors, .. } => {
            factors.first().is_some_and(|first| !first.inverse && begins_with_sign(&first.value))
        }
        _ => false,
    }
}

fn negation(f: &mut fmt::Formatter<'_>, operand: &Expr) -> fmt::Result {
    f.write_str("-")?;
    bracketed(f, operand, if negation_binding(operand) == binding::PRODUCT { binding::PRODUCT } else { binding::POWER })
}

/// The tree, in brackets if it binds less tightly than `least`.
fn bracketed(f: &mut fmt::Formatter<'_>, expr: &Expr, least: u8) -> fmt::Result {
    if binding(expr) < least { write!(f, "({expr})") } else { fmt::Display::fmt(expr, f) }
}

fn sum(f: &mut fmt::Formatter<'_>, terms: &[Term]) -> fmt::Result {
    let Some((first, rest)) = terms.split_first() else {
        return f.write_str("0");
    };
    if first.negative {
        negation(f, &first.value)?;
    } else {
        // A sum at the beginning of a sum is added up first in any case.
        bracketed(f, &first.value, binding::SUM)?;
    }
    for term in rest {
        // Subtracting a number is adding its negative, to the bit.
        let (flip, value) = match &term.value {
            Expr::Number { value, .. } if value.is_sign_negative() && value.is_finite() => {
                (true, &Expr::number(-value))
            }
            Expr::Negation { operand, .. } => (true, &**operand),
            value => (false, value),
        };
        f.write_str(if term.negative != flip { " - " } else { " + " })?;
        bracketed(f, value, binding::PRODUCT)?;
    }
    Ok(())
}

fn product(f: &mut fmt::Formatter<'_>, factors: &[Factor]) -> fmt::Result {
    let Some((first, rest)) = factors.split_first() else {
        return f.write_str("1");
    };
    if first.inverse {
        f.write_str("1/")?;
        bracketed(f, &first.value, binding::SIGN)?;
    } else {
        bracketed(f, &first.value, binding::PRODUCT)?;
    }
    for factor in rest {
        f.write_str(if factor.inverse { "/" } else { "*" })?;
        bracketed(f, &factor.value, binding::SIGN)?;
    }
    Ok(())
}

/// `neutral` is the value of a junction of nothing; one of a single operand is that operand's truth.
fn junction(f: &mut fmt::Formatter<'_>, operands: &[Expr], word: &str, least: u8, neutral: f64) -> fmt::Result {
    for (index, operand) in operands.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { word })?;
        bracketed(f, operand, least)?;
    }
    if operands.len() < 2 {
        f.write_str(if operands.is_empty() { "" } else { word })?;
        number(f, neutral)?;
    }
    Ok(())
}

/// The shortest digits that read back to the same number, with an exponent where that is shorter to read.
fn number(f: &mut fmt::Formatter<'_>, value: f64) -> fmt::Result {
    let size = value.abs();
    if value.is_nan() {
        f.write_str("0/0")
    } else if size.is_infinite() {
        f.write_str(if value > 0.0 { "1/0" } else { "-1/0" })
    } else if size == 0.0 || (1e-4..1e16).contains(&size) {
        write!(f, "{value}")
    } else {
        write!(f, "{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Expr, Formula};

    fn shown(text: &str) -> String {
        Formula::parse(text).unwrap().tree().to_string()
    }

    #[test]
    fn brackets_are_kept_where_they_matter_and_only_there() {
        for (text, expected) in [
            ("((a)+(b))*((c))", "(a + b)*c"),
            ("(a+b)+c", "a + b + c"),
            ("a+(b+c)", "a + (b + c)"),
            ("a-(b-c)", "a - (b - c)"),
            ("a*(b/c)", "a*(b/c)"),
            ("(a*b)/c", "a*b/c"),
            ("(a^b)^c", "(a^b)^c"),
            ("a^(b^c)", "a^b^c"),
            ("(-a)^2", "(-a)^2"),
            ("(-2)^2", "(-2)^2"),
            ("-2^2", "-2^2"),
            ("2^(-3)", "2^-3"),
            ("2^-(a*b)", "2^(-a*b)"),
            ("a*(-b)", "a*-b"),
            ("a--b", "a + b"),
            ("not (a and b)", "not (a and b)"),
            ("(not a) and b or c", "not a and b or c"),
            ("a and (b or c)", "a and (b or c)"),
            ("(a < b) == (c < d)", "(a < b) == (c < d)"),
            ("r=='it''s \"x\"'", "r == \"it's \"\"x\"\"\""),
            ("if(a<b,min(a,b,c),-d)", "if(a < b, min(a, b, c), -d)"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn numbers_read_back_to_the_same_bits() {
        for value in [0.1, 1.0 / 3.0, 1e300, 5e-324, 123_456_789.0, 1e15, 1e16, 2.5e-5, f64::MAX, -0.0, -7.25] {
            let text = Expr::number(value).to_string();
            let read = Formula::parse(&text).unwrap().evaluate(|_| None).unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(Expr::number(1e16).to_string(), "1e16");
        assert_eq!(Expr::number(2.5e-5).to_string(), "2.5e-5");
    }

    #[test]
    fn numbers_that_cannot_be_written_are_computed() {
        for value in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let text = (Expr::name("a") * Expr::number(value)).to_string();
            let read = Formula::parse(&text).unwrap().evaluate_at(&[("a", 1.0)]).unwrap();
            assert!(read == value || (read.is_nan() && value.is_nan()), "{text}");
        }
    }
}
