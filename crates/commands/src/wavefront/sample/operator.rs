//! The operator whose sweeps are measured.

use super::SampleArgs;
use crate::context::Context;
use crate::failure::Failure;
use runcast_core::Problem;
use runcast_wavefront::model::operator::polynomial::{Choice, MOST_VARIABLES, Polynomial};
use runcast_wavefront::model::operator::{Operator, Rate, matrix};
use runcast_wavefront::run::{FixedPoint, Linear, Poll, Updated};
use std::ops::Range;
use std::path::Path;

/// An operator with its pieces.
pub(super) enum Loaded {
    Linear(Linear),
    Polynomial(Sweeps),
}

/// The polynomial by pieces: gradient steps from the corner of its box.
pub(super) struct Sweeps {
    polynomial: Polynomial,
    pieces: Vec<Range<usize>>,
}

impl Loaded {
    /// The operator that the options name, if they name one.
    ///
    /// # Errors
    /// The file cannot be read, or the pieces do not fit.
    pub fn of(args: &SampleArgs, processes: usize, context: &mut Context) -> Result<Option<Loaded>, Failure> {
        let Some(path) = &args.operator else { return Ok(None) };
        if is_polynomial(path) {
            return Ok(Some(Loaded::Polynomial(polynomial(args, processes)?)));
        }
        let text = context.read_text(path)?;
        let known = args.pieces.as_ref().map(|pieces| pieces.iter().sum());
        let name = path.display().to_string();
        let rows = matrix::read(&text, &name, known)?;
        let pieces = pieces(args, rows.len(), processes)?;
        let owners = pieces.iter().enumerate();
        let owner = owners.flat_map(|(process, rows)| std::iter::repeat_n(process, *rows)).collect();
        // Its contraction plays no part here.
        let operator = Operator { rows, owner, gap: 0.0, rate: Rate::Auto };
        Ok(Some(Loaded::Linear(Linear::new(operator, processes, args.seed.seed))))
    }

    /// What is swept.
    pub fn fixed_point(&self) -> &dyn FixedPoint {
        match self {
            Loaded::Linear(linear) => linear,
            Loaded::Polynomial(sweeps) => sweeps,
        }
    }

    /// Rows of each process.
    pub fn pieces(&self) -> Vec<usize> {
        self.fixed_point().pieces().iter().map(Vec::len).collect()
    }
}

/// Whether the option names the polynomial, not a file.
pub(super) fn is_polynomial(path: &Path) -> bool {
    path.as_os_str() == "polynomial"
}

fn polynomial(args: &SampleArgs, processes: usize) -> Result<Sweeps, Failure> {
    if !(3..=MOST_VARIABLES).contains(&args.variables) {
        let problem = Problem::new("out_of_range", format!("a polynomial of {} variables", args.variables));
        return Err(problem.at("--variables").allowed(format!("3 to {MOST_VARIABLES}")).into());
    }
    let mut first = 0;
    let lengths = pieces(args, args.variables, processes)?;
    let range = |length: &usize| {
        first += length;
        first - length..first
    };
    let pieces = lengths.iter().map(range).collect();
    Ok(Sweeps { polynomial: Polynomial::new(Choice::new(args.variables, args.seed.seed)), pieces })
}

/// Rows of each process: as given, or as even as can be.
fn pieces(args: &SampleArgs, rows: usize, processes: usize) -> Result<Vec<usize>, Failure> {
    let wrong = |message: String, allowed: String| {
        let problem =
            Problem::new("pieces", message).at(if args.pieces.is_some() { "--pieces" } else { "--processes" });
        Err(problem.allowed(allowed).into())
    };
    let Some(pieces) = &args.pieces else {
        return match rows < processes {
            true => wrong(format!("{rows} rows for {processes} processes"), "a row or more a process".to_owned()),
            false => Ok(even(rows, processes)),
        };
    };
    let sum: usize = pieces.iter().fold(0, |sum, piece| sum.saturating_add(*piece));
    if pieces.len() != processes {
        return wrong(format!("{} pieces for {processes} processes", pieces.len()), format!("{processes} pieces"));
    }
    if sum != rows || pieces.contains(&0) {
        let message = format!("the pieces have {sum} rows, the operator has {rows}");
        return wrong(message, format!("pieces above 0 that sum to {rows}"));
    }
    Ok(pieces.clone())
}

/// Rows of each process, as even as can be: as `[operator]` without pieces shares them.
pub(super) fn even(rows: usize, processes: usize) -> Vec<usize> {
    (0..processes).map(|i| (i + 1) * rows / processes - i * rows / processes).collect()
}

impl FixedPoint for Sweeps {
    fn dimension(&self) -> usize {
        self.polynomial.solution.len()
    }

    fn pieces(&self) -> Vec<Vec<usize>> {
        self.pieces.iter().map(|piece| piece.clone().collect()).collect()
    }

    fn start(&self) -> Vec<f64> {
        let corner = self.polynomial.choice.half_width;
        self.polynomial.solution.iter().map(|solution| solution + corner).collect()
    }

    fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], _: &mut Poll<'_>) -> Updated {
        self.polynomial.step(vector, self.pieces[piece].clone(), new);
        Updated::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_shared_evenly() {
        assert_eq!(even(10, 3), [3, 3, 4]);
        assert_eq!(even(30, 3), [10, 10, 10]);
        assert_eq!(even(3, 3), [1, 1, 1]);
    }
}
