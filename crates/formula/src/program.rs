//! Formulas compiled for many rows.
//!
//! A program is a list of steps over registers. For columns each step runs over a block of rows in one plain loop,
//! which the compiler of Rust turns into vector instructions; a block of every register fits into the fast cache.

use crate::arithmetic::{BinaryOp, UnaryOp};
use crate::error::FormulaError;
use crate::expr::Expr;
use crate::span::Span;

mod columns;
mod lower;
mod row;

/// A formula prepared for evaluation over rows.
///
/// ```
/// use runcast_formula::{Column, Formula};
///
/// let program = Formula::parse("a*p + N/p")?.compile(&["p", "N", "a"])?;
/// assert_eq!(program.row(&[4.0, 100.0, 2.0]), 33.0);
///
/// let (p, n, a) = ([1.0, 2.0], [100.0, 100.0], [0.5, 0.5]);
/// let mut out = [0.0; 2];
/// program.columns(&[Column::Number(&p), Column::Number(&n), Column::Number(&a)], &mut out)?;
/// assert_eq!(out, [100.5, 51.0]);
/// # Ok::<(), runcast_formula::FormulaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    inputs: Vec<String>,
    uses: Vec<Use>,
    steps: Vec<Step>,
    result: Source,
    registers: usize,
}

/// The values of one name, a row each.
#[derive(Clone, Copy, Debug)]
pub enum Column<'a> {
    Number(&'a [f64]),
    /// Texts: each row has the position of its text in `names`. A position outside `names` equals no text.
    Text {
        /// The position of each row's text.
        codes: &'a [u32],
        /// The distinct texts.
        names: &'a [String],
    },
}

impl Program {
    /// Compiles a tree for rows whose columns have the given names.
    ///
    /// # Errors
    /// A name of the tree that is not among them.
    pub fn new(tree: &Expr, names: &[&str]) -> Result<Self, FormulaError> {
        lower::lower(tree, names)
    }

    /// Counts the columns of later errors in the text of the formula.
    pub(crate) fn locate(&mut self, source: &str) {
        // The uses are in order of their places, so one pass is enough.
        let mut before = (0, 1);
        for used in &mut self.uses {
            let start = used.span.range().start;
            let passed = source.get(before.0..start).map_or(0, |text| text.chars().count());
            before = (start, before.1 + passed);
            used.column = before.1;
        }
    }

    /// Whether a label is compared with a text, so that [`columns`](Self::columns) alone can evaluate it.
    pub fn compares_texts(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, Action::CompareText { .. }))
    }
}

impl Column<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Number(values) => values.len(),
            Self::Text { codes, .. } => codes.len(),
        }
    }
}

/// The first use of an input, as a number or as a text.
#[derive(Clone, Copy, Debug)]
struct Use {
    input: usize,
    as_text: bool,
    span: Span,
    /// Where the span begins, in characters from 1.
    column: usize,
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Register(usize),
    Input(usize),
    Constant(f64),
}

/// Computes one register from operands; never from itself.
#[derive(Clone, Debug)]
struct Step {
    action: Action,
    target: usize,
}

#[derive(Clone, Debug)]
enum Action {
    Unary(UnaryOp, Source),
    Binary(BinaryOp, Source, Source),
    Select(Source, Source, Source),
    CompareText { input: usize, text: String, equal: bool },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Formula;
    use crate::error::ErrorKind;

    fn program(text: &str, names: &[&str]) -> Program {
        Formula::parse(text).unwrap().compile(names).unwrap()
    }

    #[test]
    fn labels_are_compared_by_their_codes() {
        let filter = program("region == 'main' and p <= 2 or region != \"main\" and 'x' != region", &["region", "p"]);
        let names = ["main".to_owned(), "x".to_owned(), "y".to_owned()];
        let region = Column::Text { codes: &[0, 0, 1, 2, u32::MAX], names: &names };
        let mut out = [f64::NAN; 5];
        filter.columns(&[region, Column::Number(&[1.0, 4.0, 1.0, 4.0, 4.0])], &mut out).unwrap();
        assert_eq!(out, [1.0, 0.0, 0.0, 1.0, 1.0]);
        assert!(filter.compares_texts() && filter.row(&[0.0, 1.0]).is_nan());
    }

    #[test]
    fn a_text_that_no_row_has_is_simply_not_equal() {
        let names = ["main".to_owned()];
        let mut out = [f64::NAN; 2];
        let region = Column::Text { codes: &[0, 0], names: &names };
        program("region == 'other'", &["region"]).columns(&[region], &mut out).unwrap();
        assert_eq!(out, [0.0, 0.0]);
    }

    #[test]
    fn columns_must_fit() {
        let sum = program("ä + p", &["p", "ä", "unused"]);
        let (long, short) = ([1.0; 3], [1.0; 2]);
        let names = ["x".to_owned()];
        let text = Column::Text { codes: &[0; 3], names: &names };
        let run = |columns: &[Column<'_>]| {
            sum.columns(columns, &mut [0.0; 3]).map_err(|error| (error.column(), error.kind().clone()))
        };
        let long = Column::Number(&long);
        let short = Column::Number(&short);
        assert_eq!(run(&[long, long, short]), Ok(()));
        assert_eq!(run(&[long]), Err((1, ErrorKind::WrongColumns { found: 1, wanted: 3 })));
        assert_eq!(
            run(&[short, long, long]),
            Err((5, ErrorKind::WrongRows { name: "p".to_owned(), found: 2, wanted: 3 }))
        );
        assert_eq!(run(&[text, long, long]), Err((5, ErrorKind::TextAsNumber { name: "p".to_owned() })));
        let error = program("p == '4'", &["p"]).columns(&[long], &mut [0.0; 3]).unwrap_err();
        assert_eq!(error.hint().unwrap(), "drop the quotes to compare with a number");
    }

    #[test]
    fn constants_and_names_alone_are_programs() {
        let mut out = [0.0; 2];
        program("2^10", &[]).columns(&[], &mut out).unwrap();
        assert_eq!(out, [1024.0; 2]);
        program("b", &["a", "b"]).columns(&[Column::Number(&[1.0; 2]), Column::Number(&[7.0; 2])], &mut out).unwrap();
        assert_eq!(out, [7.0; 2]);
        program("b", &["b"]).columns(&[Column::Number(&[])], &mut []).unwrap();
        assert!(program("a + b", &["a", "b"]).row(&[1.0]).is_nan());
    }
}
