//! A formula: its text and its tree.

use std::fmt;
use std::str::FromStr;

use crate::error::FormulaError;
use crate::expr::Expr;
use crate::lexer::name_length;
use crate::parser;
use crate::program::Program;

/// A formula that was read from a text.
///
/// ```
/// use runcast_formula::Formula;
///
/// let formula = Formula::parse("if(p <= 4, 1, log2(p))*N")?;
/// assert_eq!(formula.names(), ["p", "N"]);
/// assert_eq!(formula.evaluate_at(&[("p", 8.0), ("N", 10.0)])?, 30.0);
/// # Ok::<(), runcast_formula::FormulaError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: String,
    tree: Expr,
    names: Vec<String>,
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// The first place that the language does not allow, or a limit of [`limits`](crate::limits) that is passed.
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let tree = parser::parse(text).map_err(|error| error.located(text))?;
        let names = tree.names();
        Ok(Self { text: text.to_owned(), tree, names })
    }

    /// The distinct names, numbers and labels alike, in the order of their first use.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn tree(&self) -> &Expr {
        &self.tree
    }

    /// The value with each name looked up.
    ///
    /// # Errors
    /// A name without a value, or one that is compared with a text. All parts are evaluated, also those that `if` does
    /// not choose, so that an unknown name is found whatever the values are.
    /// [`FormulaError::with_known_names`] adds the alternatives to the hint.
    ///
    /// ```
    /// # use runcast_formula::Formula;
    /// let twice = Formula::parse("2*p")?;
    /// assert_eq!(twice.evaluate(|name| (name == "p").then_some(4.0))?, 8.0);
    /// assert_eq!(twice.evaluate(|_| None).unwrap_err().to_string(), "unknown name `p`");
    /// # Ok::<(), runcast_formula::FormulaError>(())
    /// ```
    pub fn evaluate(&self, lookup: impl Fn(&str) -> Option<f64>) -> Result<f64, FormulaError> {
        self.tree.evaluate(lookup).map_err(|error| error.located(&self.text))
    }

    /// The value at the given names.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); the error knows the alternatives.
    pub fn evaluate_at(&self, values: &[(&str, f64)]) -> Result<f64, FormulaError> {
        self.evaluate(|wanted| values.iter().find(|(name, _)| *name == wanted).map(|&(_, value)| value))
            .map_err(|error| error.with_known_names(values.iter().map(|&(name, _)| name)))
    }

    /// Prepares the formula for evaluation over many rows, whose columns have the given names.
    ///
    /// # Errors
    /// A name that is not among them.
    pub fn compile(&self, names: &[&str]) -> Result<Program, FormulaError> {
        let mut program = Program::new(&self.tree, names).map_err(|error| error.located(&self.text))?;
        program.locate(&self.text);
        Ok(program)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        Self::parse(text)
    }
}

/// Whether a text can be used as a name in a formula.
///
/// ```
/// use runcast_formula::is_name;
/// assert!(is_name("cpu.cores") && is_name("N_2") && is_name("größe"));
/// assert!(!is_name("2n") && !is_name("a b") && !is_name("a.") && !is_name("and") && !is_name(""));
/// ```
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && name_length(text) == text.len() && !matches!(text, "and" | "or" | "not")
}

/// The parts of a list of formulas: those between commas that are not inside brackets.
///
/// ```
/// use runcast_formula::split_at_commas;
/// assert_eq!(split_at_commas("N=2, P=max(4,8)"), ["N=2", " P=max(4,8)"]);
/// ```
pub fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0usize);
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
