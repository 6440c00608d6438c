//! Templates: formulas with numbered constants that are still to be found, `F[0] + F[1]*n*log2(n)`.
//!
//! ```text
//! template = [ "+" | "-" ] term { ( "+" | "-" ) term }      a term has exactly one constant, as a factor of its own
//! constant = ident "[" integer "]"                           all of one name; indices 0..k-1, each once
//! name     = ident { ( "." | "->" ) ident }                  a->b is the name a.b
//! ```
//!
//! Beside its constant a term is made of what the formula language has. Such a template is linear in its constants:
//! its factors are the columns of a regression.

use std::fmt;
use std::ops::Range;

use crate::canonical::{LinearForm, LinearTerm};
use crate::error::{ErrorKind, FormulaError};
use crate::expr::{Expr, Factor};
use crate::formula::Formula;
use crate::span::Span;

mod source;

/// A formula with constants that are still to be found.
///
/// ```
/// use runcast_formula::template::Template;
///
/// let template = Template::parse("F[0] + F[1]*m->rows/P - F[2]*log2(P)")?;
/// assert_eq!(template.constants(), "F");
/// let factors: Vec<String> = template.factors().iter().map(|factor| factor.to_string()).collect();
/// assert_eq!(factors, ["1", "m.rows/P", "-log2(P)"]);
/// assert_eq!(template.names(), ["m.rows", "P"]);
/// assert_eq!(template.to_string(), "F[0] + F[1]*m.rows/P - F[2]*log2(P)");
///
/// let error = Template::parse("F[0] + n/F[1]").unwrap_err();
/// assert_eq!((error.code(), error.column()), ("not-canonical", 10));
/// # Ok::<(), runcast_formula::template::TemplateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    constants: String,
    factors: Vec<Expr>,
    names: Vec<String>,
}

/// Two templates are equal when they multiply the same constants by the same factors, however they are written.
impl PartialEq for Template {
    fn eq(&self, other: &Self) -> bool {
        self.constants == other.constants && self.factors == other.factors
    }
}

/// What is wrong with a template, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateError {
    code: &'static str,
    message: String,
    span: Range<usize>,
    column: usize,
    hint: Option<String>,
}

impl Template {
    /// Reads a template whose constants have any one name.
    ///
    /// # Errors
    /// The first place that is wrong.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Self::read(text, None)
    }

    /// Reads a template whose constants have this name.
    ///
    /// # Errors
    /// The first place that is wrong.
    pub fn parse_of(constants: &str, text: &str) -> Result<Self, TemplateError> {
        Self::read(text, Some(constants))
    }

    fn read(text: &str, constants: Option<&str>) -> Result<Self, TemplateError> {
        let source = source::Source::read(text, constants).map_err(|error| error.located(text))?;
        let whole = Formula::parse(&source.formula)
            .map_err(|error| TemplateError::of_formula(&error, &source).located(text))?;
        let mut reader = Reader { source: &source, factors: vec![None; source.constants] };
        reader.sum(whole.tree()).map_err(|error| error.located(text))?;
        let factors: Option<Vec<Expr>> = reader.factors.into_iter().collect();
        let Some(factors) = factors else {
            // Every constant of the source is in some term, and each index occurs once.
            return Err(TemplateError::new("not-canonical", "a constant is in no term", 0..text.len()).located(text));
        };
        let mut names: Vec<String> = Vec::new();
        for name in whole.names() {
            if !source.is_constant(name) {
                names.push(name.clone());
            }
        }
        Ok(Template { text: source.text, constants: source.name, factors, names })
    }

    /// The name of the constants.
    pub fn constants(&self) -> &str {
        &self.constants
    }

    /// What each constant is multiplied by, by index; subtracted terms have their sign here.
    pub fn factors(&self) -> &[Expr] {
        &self.factors
    }

    /// The names that have values, in the order of their first use.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The formula with a value for each constant.
    ///
    /// ```
    /// # use runcast_formula::template::Template;
    /// let template = Template::parse("c[0] + c[1]*n - c[2]*log2(n)")?;
    /// assert_eq!(template.with_values(&[3.0, -0.5, 2.0]).to_string(), "3 - 0.5*n - 2*log2(n)");
    /// # Ok::<(), runcast_formula::template::TemplateError>(())
    /// ```
    pub fn with_values(&self, values: &[f64]) -> Expr {
        let (terms, values) = self
            .factors
            .iter()
            .zip(values)
            .map(|(factor, &value)| match factor {
                Expr::Negation { operand, .. } => (operand.as_ref().clone(), -value),
                factor => (factor.clone(), value),
            })
            .map(|(factor, value)| (LinearTerm { unknown: String::new(), factor }, value))
            .unzip::<_, _, Vec<_>, Vec<_>>();
        LinearForm { terms, offset: Expr::number(0.0) }.with_values(&values)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Takes terms apart.
struct Reader<'s> {
    source: &'s source::Source,
    factors: Vec<Option<Expr>>,
}

impl Reader<'_> {
    fn sum(&mut self, tree: &Expr) -> Result<(), TemplateError> {
        match tree {
            Expr::Sum { terms, .. } => terms.iter().try_for_each(|term| self.term(term.negative, &term.value)),
            Expr::Negation { operand, .. } => self.term(true, operand),
            other => self.term(false, other),
        }
    }

    fn term(&mut self, negative: bool, value: &Expr) -> Result<(), TemplateError> {
        let single;
        let factors = match value {
            Expr::Product { factors, .. } => factors.as_slice(),
            other => {
                single = [Factor { inverse: false, value: other.clone() }];
                &single
            }
        };
        let mut negative = negative;
        let mut found: Option<usize> = None;
        let mut rest: Vec<Factor> = Vec::new();
        for factor in factors {
            let (sign, bare) = match &factor.value {
                Expr::Negation { operand, .. } => (true, operand.as_ref()),
                other => (false, other),
            };
            match self.constant(bare) {
                Some(index) if factor.inverse => {
                    return Err(self.misplaced(bare.span(), index, "in a divisor"));
                }
                Some(index) if found.is_some() => {
                    return Err(self.misplaced(bare.span(), index, "beside another constant in one term"));
                }
                Some(index) => {
                    found = Some(index);
                    negative ^= sign;
                }
                None => {
                    self.without_constants(&factor.value)?;
                    rest.push(factor.clone());
                }
            }
        }
        let Some(index) = found else {
            let span = self.source.original(value.span().range());
            let message = format!("a term without a constant: each term needs one, such as {}[0]", self.source.shown());
            return Err(TemplateError::new("not-canonical", message, span));
        };
        self.factors[index] = Some(signed(negative, product(rest)));
        Ok(())
    }

    fn constant(&self, expr: &Expr) -> Option<usize> {
        match expr {
            Expr::Name { name, .. } => self.source.index(name),
            _ => None,
        }
    }

    fn without_constants(&self, expr: &Expr) -> Result<(), TemplateError> {
        let mut found = None;
        expr.walk(&mut |part| {
            if let Some(index) = self.constant(part) {
                found.get_or_insert((part.span(), index));
            }
        });
        match found {
            Some((span, index)) => Err(self.misplaced(span, index, "inside a bracket, an argument or a power")),
            None => Ok(()),
        }
    }

    fn misplaced(&self, span: Span, index: usize, place: &str) -> TemplateError {
        let name = self.source.shown();
        let message = format!("the constant {name}[{index}] is {place}");
        TemplateError::new("not-canonical", message, self.source.original(span.range()))
            .hint(format!("write a sum in which each term has one constant as a factor: {name}[0] + {name}[1]*n"))
    }
}

fn product(mut factors: Vec<Factor>) -> Expr {
    if factors.is_empty() {
        return Expr::number(1.0);
    }
    if let [one] = factors.as_slice()
        && !one.inverse
    {
        return factors.remove(0).value;
    }
    if factors[0].inverse {
        factors.insert(0, Factor { inverse: false, value: Expr::number(1.0) });
    }
    Expr::Product { factors, span: Span::default() }
}

fn signed(negative: bool, value: Expr) -> Expr {
    if negative { Expr::Negation { operand: Box::new(value), span: Span::default() } } else { value }
}

impl TemplateError {
    pub(crate) fn new(code: &'static str, message: impl Into<String>, span: Range<usize>) -> Self {
        TemplateError { code, message: message.into(), span, column: 0, hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn of_formula(error: &FormulaError, source: &source::Source) -> Self {
        let code = match error.kind() {
            ErrorKind::UnknownFunction { .. } => "unknown-function",
            _ => "not-canonical",
        };
        let mut made = Self::new(code, error.to_string(), source.original(error.span()));
        made.hint = error.hint();
        if code == "unknown-function" {
            made =
                made.hint("record its value: var(name = call) names a value that is computed before the clock starts");
        }
        made
    }

    fn located(mut self, text: &str) -> Self {
        let before = text.get(..self.span.start.min(text.len())).unwrap_or(text);
        self.column = before.chars().count() + 1;
        self
    }

    /// Short stable name: `not-canonical`, `bad-index`, `side-effect` or `unknown-function`.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The bytes of the text that are meant.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// At which character of the text, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// What to write instead, where that is known.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TemplateError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(text: &str) -> Vec<String> {
        Template::parse(text).expect(text).factors().iter().map(|factor| factor.to_string()).collect()
    }

    fn code(text: &str) -> (&'static str, usize) {
        let error = Template::parse(text).expect_err(text);
        (error.code(), error.column())
    }

    #[test]
    fn each_constant_has_its_factor() {
        assert_eq!(factors("A[0]"), ["1"]);
        assert_eq!(factors("n*A[1] + A[0]"), ["1", "n"]);
        assert_eq!(factors("-A[0]*n + 2*A[1]/P"), ["-n", "2/P"]);
        assert_eq!(factors("A[0]/P"), ["1/P"]);
        assert_eq!(factors("A[0]*2^3^n"), ["2^3^n"]);
        assert_eq!(factors("A [ 0 ] * a -> b . c"), ["a.b.c"]);
        assert_eq!(factors("A[0]*if(n > 4, n, 1)"), ["if(n > 4, n, 1)"]);
    }

    #[test]
    fn the_same_formula_may_be_written_in_several_ways() {
        let one = Template::parse("F[0]+F[1]*a->n").expect("good");
        assert_eq!(one, Template::parse(" F[0]  +  F[1]*a.n ").expect("good"));
        assert_ne!(one, Template::parse("F[0]-F[1]*a.n").expect("good"));
        assert_eq!(one.to_string(), "F[0]+F[1]*a.n");
    }

    #[test]
    fn a_constant_wins_over_a_variable_of_its_name() {
        let template = Template::parse_of("A", "A[0] + A[1]*A").expect("good");
        assert_eq!(template.names(), ["A"]);
    }

    #[test]
    fn what_is_not_a_sum_of_constants_times_factors_is_refused() {
        for (text, wanted) in [
            ("A[0] + n", ("not-canonical", 8)),
            ("A[0]*A[1]", ("not-canonical", 6)),
            ("n/A[0]", ("not-canonical", 3)),
            ("log(A[0])", ("not-canonical", 5)),
            ("(A[0] + A[1])*n", ("not-canonical", 2)),
            ("A[0]^2", ("not-canonical", 1)),
            ("2^A[0]", ("not-canonical", 3)),
            ("n", ("not-canonical", 1)),
            ("", ("not-canonical", 1)),
            ("A[0] +", ("not-canonical", 7)),
            ("A[0] + A[2]*n", ("bad-index", 8)),
            ("A[0] + A[0]*n", ("bad-index", 8)),
            ("A[1]", ("bad-index", 1)),
            ("A[n]", ("bad-index", 3)),
            ("A[-1]", ("bad-index", 3)),
            ("A[0] + B[1]", ("bad-index", 8)),
            ("A[99999999999999999999]", ("bad-index", 3)),
            ("A[0]*n++", ("side-effect", 7)),
            ("A[0]*--n", ("side-effect", 6)),
            ("A[0]*(n=3)", ("side-effect", 8)),
            ("A[0]*(n+=3)", ("side-effect", 8)),
            ("A[0]*f(n)", ("unknown-function", 6)),
        ] {
            assert_eq!(code(text), wanted, "{text}");
        }
        assert!(Template::parse("A[0]*(n == 3)").is_ok());
        assert_eq!(Template::parse_of("A", "B[0]").expect_err("another name").code(), "bad-index");
    }

    #[test]
    fn hostile_text_is_an_error() {
        for text in ["(".repeat(100_000), "A[0]+".repeat(300_000), "A[".repeat(100_000), "->".repeat(1000)] {
            assert!(Template::parse(&text).is_err());
        }
    }
}
