//! The walk over the tree that collects the factor of each unknown.

use std::collections::{BTreeMap, HashMap};

use super::{CanonicalError, CanonicalErrorKind, LinearForm, LinearTerm};
use crate::Function;
use crate::expr::{Expr, Factor, Term};
use crate::limits;
use crate::span::Span;

pub(super) fn linear_terms(expr: &Expr, unknowns: &[&str]) -> Result<LinearForm, CanonicalError> {
    let overall = |kind| CanonicalError { kind, span: Span::default() };
    if unknowns.is_empty() {
        return Err(overall(CanonicalErrorKind::NoUnknowns));
    }
    let mut indices = HashMap::new();
    for (index, &unknown) in unknowns.iter().enumerate() {
        if indices.insert(unknown, index).is_some() {
            return Err(overall(CanonicalErrorKind::Repeated { unknown: unknown.to_owned() }));
        }
    }
    let mut walk = Walk { unknowns, indices, copied: 0 };
    let (mut factors, offset) = match walk.split(expr)? {
        Some(linear) => (linear.factors, linear.offset),
        None => (BTreeMap::new(), Some(expr.clone())),
    };
    let mut terms = Vec::with_capacity(unknowns.len());
    for (index, &unknown) in unknowns.iter().enumerate() {
        let unknown = unknown.to_owned();
        match factors.remove(&index) {
            None => return Err(overall(CanonicalErrorKind::Unused { unknown })),
            Some(factor) if factor.as_number() == Some(0.0) => {
                return Err(overall(CanonicalErrorKind::Cancels { unknown }));
            }
            Some(factor) => terms.push(LinearTerm { unknown, factor }),
        }
    }
    Ok(LinearForm { terms, offset: offset.unwrap_or_else(|| Expr::number(0.0)) })
}

/// A part of the formula that has unknowns.
struct Linear {
    /// By the position of the unknown; never empty.
    factors: BTreeMap<usize, Expr>,
    offset: Option<Expr>,
}

impl Linear {
    fn unknown(position: usize) -> Self {
        Self { factors: BTreeMap::from([(position, Expr::number(1.0))]), offset: None }
    }

    fn map(self, mut change: impl FnMut(Expr) -> Result<Expr, CanonicalError>) -> Result<Self, CanonicalError> {
        let mut factors = BTreeMap::new();
        for (unknown, factor) in self.factors {
            factors.insert(unknown, change(factor)?);
        }
        Ok(Self { factors, offset: self.offset.map(change).transpose()? })
    }
}

struct Walk<'a> {
    unknowns: &'a [&'a str],
    indices: HashMap<&'a str, usize>,
    /// Parts of known factors that were copied: distributing must not blow the formula up.
    copied: usize,
}

impl Walk<'_> {
    /// The part as a sum over its unknowns; nothing if it has none.
    fn split(&mut self, expr: &Expr) -> Result<Option<Linear>, CanonicalError> {
        // Only hands over: the less it holds, the less of the stack each level takes.
        match expr {
            Expr::Number { .. } | Expr::TextComparison { .. } => Ok(None),
            Expr::Name { name, .. } => Ok(self.indices.get(name.as_str()).copied().map(Linear::unknown)),
            Expr::Sum { terms, .. } => self.sum(terms),
            Expr::Product { factors, .. } => self.product(factors),
            Expr::Negation { operand, .. } => self.negation(operand),
            Expr::Power { base, exponent, .. } => self.power(base, exponent),
            Expr::Call { function: Function::If, arguments, .. } => self.choice(arguments),
            Expr::Call { function, .. } => self.call(*function, expr),
            Expr::Comparison { .. } | Expr::And { .. } | Expr::Or { .. } | Expr::Not { .. } => {
                self.all_known(expr, "a condition")
            }
        }
    }

    fn negation(&mut self, operand: &Expr) -> Result<Option<Linear>, CanonicalError> {
        let linear = self.split(operand)?;
        linear.map(|linear| linear.map(|part| Ok(part.negated(Span::default())))).transpose()
    }

    fn power(&mut self, base: &Expr, exponent: &Expr) -> Result<Option<Linear>, CanonicalError> {
        self.known(exponent, "an exponent")?;
        match exponent.as_number() {
            Some(1.0) => self.split(base),
            _ => self.known(base, "the base of a power"),
        }
    }

    fn call(&mut self, function: Function, expr: &Expr) -> Result<Option<Linear>, CanonicalError> {
        self.all_known(expr, &format!("an argument of `{}`", function.name()))
    }

    fn all_known(&mut self, expr: &Expr, place: &str) -> Result<Option<Linear>, CanonicalError> {
        for child in expr.children() {
            self.known(child, place)?;
        }
        Ok(None)
    }

    /// Makes sure that a part has no unknown.
    fn known(&mut self, expr: &Expr, place: &str) -> Result<Option<Linear>, CanonicalError> {
        match self.split(expr)? {
            None => Ok(None),
            Some(linear) => {
                let kind = CanonicalErrorKind::NotLinear { unknown: self.name(&linear), place: place.to_owned() };
                Err(CanonicalError { kind, span: expr.span() })
            }
        }
    }

    fn sum(&mut self, terms: &[Term]) -> Result<Option<Linear>, CanonicalError> {
        let mut factors: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
        let mut offset = Vec::new();
        let mut known = Vec::new();
        for (position, term) in terms.iter().enumerate() {
            let Some(linear) = self.split(&term.value)? else {
                known.push(position);
                continue;
            };
            let signed = |value| Term { negative: term.negative, value };
            for (unknown, factor) in linear.factors {
                factors.entry(unknown).or_default().push(signed(factor));
            }
            offset.extend(linear.offset.map(signed));
        }
        if factors.is_empty() {
            return Ok(None);
        }
        for position in known {
            let value = self.copy(&terms[position].value)?;
            offset.push(Term { negative: terms[position].negative, value });
        }
        let factors = factors.into_iter().map(|(unknown, terms)| (unknown, join_terms(terms))).collect();
        Ok(Some(Linear { factors, offset: (!offset.is_empty()).then(|| join_terms(offset)) }))
    }

    fn product(&mut self, factors: &[Factor]) -> Result<Option<Linear>, CanonicalError> {
        let mut found: Option<(usize, Linear)> = None;
        for (position, factor) in factors.iter().enumerate() {
            if factor.inverse {
                self.known(&factor.value, "a divisor")?;
                continue;
            }
            match (self.split(&factor.value)?, &found) {
                (None, _) => {}
                (Some(linear), None) => found = Some((position, linear)),
                (Some(right), Some((_, left))) => {
                    let kind = CanonicalErrorKind::Product { left: self.name(left), right: self.name(&right) };
                    return Err(CanonicalError { kind, span: factor.value.span() });
                }
            }
        }
        let Some((position, linear)) = found else {
            return Ok(None);
        };
        linear
            .map(|part| {
                let (negative, part) = unsigned(part);
                let mut joined = Vec::with_capacity(factors.len());
                for (index, factor) in factors.iter().enumerate() {
                    if index != position {
                        joined.push(Factor { inverse: factor.inverse, value: self.copy(&factor.value)? });
                    }
                }
                let tail = joined.split_off(position.min(joined.len()));
                let product = join_factors(joined, part, tail);
                Ok(if negative { product.negated(Span::default()) } else { product })
            })
            .map(Some)
    }

    /// `if` with unknowns in its branches: each factor chooses between its two.
    fn choice(&mut self, arguments: &[Expr]) -> Result<Option<Linear>, CanonicalError> {
        let [condition, yes, no] = arguments else {
            return Ok(None);
        };
        self.known(condition, "the condition of `if`")?;
        let (yes_part, no_part) = match (self.split(yes)?, self.split(no)?) {
            (None, None) => return Ok(None),
            (yes_part, no_part) => (self.or_known(yes_part, yes)?, self.or_known(no_part, no)?),
        };
        let zero = || Expr::number(0.0);
        let mut branches: BTreeMap<usize, [Expr; 2]> = BTreeMap::new();
        for (side, part) in [yes_part.factors, no_part.factors].into_iter().enumerate() {
            for (unknown, factor) in part {
                branches.entry(unknown).or_insert_with(|| [zero(), zero()])[side] = factor;
            }
        }
        let mut factors = BTreeMap::new();
        for (unknown, [yes, no]) in branches {
            factors.insert(unknown, Expr::choose(self.copy(condition)?, yes, no));
        }
        let offset = match (yes_part.offset, no_part.offset) {
            (None, None) => None,
            (yes, no) => {
                let (yes, no) = (yes.unwrap_or_else(zero), no.unwrap_or_else(zero));
                Some(Expr::choose(self.copy(condition)?, yes, no))
            }
        };
        Ok(Some(Linear { factors, offset }))
    }

    /// A branch without unknowns is all offset.
    fn or_known(&mut self, part: Option<Linear>, expr: &Expr) -> Result<Linear, CanonicalError> {
        match part {
            Some(linear) => Ok(linear),
            None => Ok(Linear { factors: BTreeMap::new(), offset: Some(self.copy(expr)?) }),
        }
    }

    fn name(&self, linear: &Linear) -> String {
        let first = linear.factors.keys().next();
        first.and_then(|&unknown| self.unknowns.get(unknown)).map_or_else(String::new, |name| (*name).to_owned())
    }

    fn copy(&mut self, expr: &Expr) -> Result<Expr, CanonicalError> {
        expr.walk(&mut |_| self.copied += 1);
        if self.copied > limits::NODES {
            return Err(CanonicalError { kind: CanonicalErrorKind::TooManyParts, span: expr.span() });
        }
        Ok(expr.clone())
    }
}

/// The sign taken off, to be before the whole product.
fn unsigned(expr: Expr) -> (bool, Expr) {
    match expr {
        Expr::Negation { operand, .. } => (true, *operand),
        Expr::Number { value, span } if value < 0.0 => (true, Expr::Number { value: -value, span }),
        expr => (false, expr),
    }
}

fn join_terms(terms: Vec<Term>) -> Expr {
    let numbers: Option<Vec<f64>> = terms
        .iter()
        .map(|term| term.value.as_number().map(|value| if term.negative { -value } else { value }))
        .collect();
    if let Some(numbers) = numbers {
        return Expr::number(numbers.iter().sum());
    }
    let mut joined: Option<Expr> = None;
    for Term { negative, value } in terms {
        joined = Some(match joined {
            None if negative => value.negated(Span::default()),
            None => value,
            Some(sum) => sum.with_term(negative, value),
        });
    }
    joined.unwrap_or_else(|| Expr::number(0.0))
}

/// The product of `before`, `middle` and `after`, without a factor 1 and without nested products.
fn join_factors(before: Vec<Factor>, middle: Expr, after: Vec<Factor>) -> Expr {
    let middle = match middle {
        Expr::Number { value: 1.0, .. } => Vec::new(),
        Expr::Product { factors, .. } => factors,
        other => vec![Factor { inverse: false, value: other }],
    };
    let mut joined: Option<Expr> = None;
    for Factor { inverse, value } in before.into_iter().chain(middle).chain(after) {
        joined = Some(match (joined, inverse) {
            (None, false) => value,
            (None, true) => Expr::number(1.0).with_factor(true, value),
            (Some(product), inverse) => match (product.as_number(), value.as_number()) {
                (Some(left), Some(right)) => Expr::number(if inverse { left / right } else { left * right }),
                (Some(1.0), None) if !inverse => value,
                _ => product.with_factor(inverse, value),
            },
        });
    }
    joined.unwrap_or_else(|| Expr::number(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Formula;

    fn form(text: &str, unknowns: &[&str]) -> Result<(Vec<String>, String), CanonicalErrorKind> {
        let form = linear_terms(Formula::parse(text).unwrap().tree(), unknowns).map_err(|error| error.kind)?;
        Ok((form.terms.iter().map(|term| term.factor.to_string()).collect(), form.offset.to_string()))
    }

    #[test]
    fn formulas_are_split_by_their_unknowns() {
        for (text, factors, offset) in [
            ("a*p + b*N^3/p", ["p", "N^3/p"], "0"),
            ("a*(p + N) + b", ["p + N", "1"], "0"),
            ("(a*p + b)/N", ["p/N", "1/N"], "0"),
            ("-(a - b*p)", ["-1", "p"], "0"),
            ("a + b*p + a*N", ["1 + N", "p"], "0"),
            ("2*3*a + p*(2 - b)*N", ["6", "-p*N"], "p*2*N"),
            ("p + a - N + b^1 - 1", ["1", "1"], "p - N - 1"),
            ("1/p*(N/2*(a + b))", ["1/p*N/2", "1/p*N/2"], "0"),
            ("if(p < 4, a*p, b)", ["if(p < 4, p, 0)", "if(p < 4, 0, 1)"], "0"),
            ("if(p < 4, a + 1, N) + b", ["if(p < 4, 1, 0)", "1"], "if(p < 4, 1, N)"),
            ("b - a*-p", ["p", "1"], "0"),
        ] {
            assert_eq!(form(text, &["a", "b"]), Ok((factors.map(str::to_owned).to_vec(), offset.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_not_linear_is_named() {
        let not_linear = |unknown: &str, place: &str| CanonicalErrorKind::NotLinear {
            unknown: unknown.to_owned(),
            place: place.to_owned(),
        };
        let product = |left: &str, right: &str| CanonicalErrorKind::Product { left: left.into(), right: right.into() };
        for (text, kind) in [
            ("a*b", product("a", "b")),
            ("(a + p)*(p - b*N)", product("a", "b")),
            ("a*a + b", product("a", "a")),
            ("a + 1/b", not_linear("b", "a divisor")),
            ("a + p^b", not_linear("b", "an exponent")),
            ("a^2 + b", not_linear("a", "the base of a power")),
            ("a + log(b*p)", not_linear("b", "an argument of `log`")),
            ("a + (b < p)", not_linear("b", "a condition")),
            ("a + if(b, 1, 2)", not_linear("b", "the condition of `if`")),
            ("a + p", CanonicalErrorKind::Unused { unknown: "b".to_owned() }),
            ("a + b*p - a", CanonicalErrorKind::Cancels { unknown: "a".to_owned() }),
            ("0*a + b", CanonicalErrorKind::Cancels { unknown: "a".to_owned() }),
        ] {
            assert_eq!(form(text, &["a", "b"]), Err(kind), "{text}");
        }
        assert_eq!(form("a", &[]), Err(CanonicalErrorKind::NoUnknowns));
        assert_eq!(form("a", &["a", "a"]), Err(CanonicalErrorKind::Repeated { unknown: "a".to_owned() }));
    }

    #[test]
    fn errors_point_at_the_place() {
        let text = "a*p + 1/(b + N)";
        let error = linear_terms(Formula::parse(text).unwrap().tree(), &["a", "b"]).unwrap_err();
        assert_eq!(&text[error.span.range()], "b + N");
    }
}
