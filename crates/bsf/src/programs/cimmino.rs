//! A system of linear inequalities by the method of Cimmino: a step towards all rows at once.
//!
//! ```text
//! <a_i, x> <= b_i, i = 1..m      x' = x + lambda/D * sum_i r_i a_i/|a_i|^2
//!
//! projection   equality      r_i = b_i - <a_i, x>, every row
//!              inequality    r_i = min(0, b_i - <a_i, x>); satisfied rows are absent
//! divisor      all           D = m
//!              violated      D = number of rows that are present
//! ```
//!
//! The list are the rows, dense, with their squared norms. With `inequality` it is over (feasible) when no row is
//! violated. An element takes `3n+2` operations, Compute and StopCond `5n+1`, derived as \[S\], section 4 does it for
//! Jacobi.
//!
//! Erratum, the published Cimmino: it projects on *all* hyperplanes, also of inequalities that are satisfied
//! (`equality` here), and so solves the equalities in the sense of least squares: it ends in the middle of the set,
//! not at its boundary.

mod rows;

use super::{Judgement, Kind, OptionInfo, Problem, Program, ProgramInfo, Settings};
use crate::kernels;
use crate::skeleton::{Algorithm, Element, Elements, Iteration, Job, JobError, Presence, Step, Stop};
use rows::RowBlock;
use runcast_core::Problems;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::ops::Range;

/// Its entry in the list of programs.
pub(super) const INFO: ProgramInfo = ProgramInfo {
    name: "cimmino",
    summary: "Linear inequalities by the method of Cimmino",
    options: &[SIZE, PROJECTION, DIVISOR, LAMBDA, SCALE, EPSILON],
    cost_model: Some("cimmino"),
    build,
};

const SIZE: OptionInfo = OptionInfo { name: "size", help: "unknowns", default: None, kind: Kind::Count };
const PROJECTION: OptionInfo = OptionInfo {
    name: "projection",
    help: "on violated rows, or on all hyperplanes",
    default: Some("inequality"),
    kind: Kind::Choice(&Projection::NAMES),
};
const DIVISOR: OptionInfo = OptionInfo {
    name: "divisor",
    help: "number of rows that a step is divided by",
    default: Some("all"),
    kind: Kind::Choice(&Divisor::NAMES),
};
const LAMBDA: OptionInfo = OptionInfo { name: "lambda", help: "relaxation", default: Some("1.9"), kind: Kind::Number };
const SCALE: OptionInfo =
    OptionInfo { name: "scale", help: "bound S of the unknowns", default: Some("200"), kind: Kind::Number };
const EPSILON: OptionInfo =
    OptionInfo { name: "epsilon", help: "stop at steps below this", default: Some("0"), kind: Kind::Number };

/// Iterations when neither their number nor epsilon is given.
const ITERATIONS: u64 = 100;
/// Number of rows whose weights are computed before they are added: they are still in cache when read again.
const BATCH: usize = 16;

/// A system of linear inequalities.
#[derive(Debug, Clone, PartialEq)]
pub struct Cimmino {
    /// Number of unknowns.
    pub size: u64,
    pub projection: Projection,
    /// The divisor of a step.
    pub divisor: Divisor,
    /// Relaxation; between 0 and 2 it converges.
    pub lambda: f64,
    /// Bound of the unknowns.
    pub scale: f64,
    /// It has converged when the norm of a step is below this.
    pub epsilon: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// The violated ones.
    Inequality,
    /// All of them, to their hyperplanes.
    Equality,
}

/// The divisor of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divisor {
    /// The number of rows.
    All,
    /// The number of active rows.
    Violated,
}

impl Projection {
    const ALL: [Projection; 2] = [Projection::Inequality, Projection::Equality];
    const NAMES: [&str; 2] = ["inequality", "equality"];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl Divisor {
    const ALL: [Divisor; 2] = [Divisor::All, Divisor::Violated];
    const NAMES: [&str; 2] = ["all", "violated"];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

fn build(settings: &Settings) -> Result<Program, Problems> {
    Ok(Program::Cimmino(Cimmino {
        size: settings.count(&SIZE)?,
        projection: settings.choice(&PROJECTION, &Projection::ALL)?,
        divisor: settings.choice(&DIVISOR, &Divisor::ALL)?,
        lambda: settings.number(&LAMBDA, "a number above 0", |lambda| lambda > 0.0)?,
        scale: settings.number(&SCALE, "a number above 0", |scale| scale > 0.0)?,
        epsilon: settings.number(&EPSILON, "a number from 0 on", |epsilon| epsilon >= 0.0)?,
    }))
}

impl Cimmino {
    /// Number of rows, `m`.
    pub fn inequalities(&self) -> u64 {
        rows::count(self.size)
    }

    /// `r_i/|a_i|^2`, if the row is active. NaN counts as active, so that it becomes visible.
    fn weight(&self, block: &RowBlock, row: usize, x: &[f64]) -> Option<f64> {
        let residual = block.bounds[row] - kernels::dot(block.row(row), x);
        let is_satisfied = self.projection == Projection::Inequality && residual >= 0.0;
        (!is_satisfied).then(|| residual / block.squares[row])
    }

    /// Folds consecutive rows; returns how many are active.
    fn fold_batch(&self, block: &RowBlock, rows: Range<usize>, x: &[f64], sum: &mut [f64]) -> u64 {
        let mut weights = [0.0; BATCH];
        let mut present = [0; BATCH];
        let mut count = 0;
        for row in rows.clone() {
            if let Some(weight) = self.weight(block, row, x) {
                (weights[count], present[count]) = (weight, row);
                count += 1;
            }
        }
        if count == rows.len() {
            kernels::add_columns(sum, block.rows(rows), &weights[..count]);
        } else {
            for (weight, row) in weights.iter().zip(present).take(count) {
                kernels::add_columns(sum, block.row(row), std::slice::from_ref(weight));
            }
        }
        count as u64
    }
}

impl Job for Cimmino {
    type Approximation = Vec<f64>;
    type Block = RowBlock;
    type Partial = Vec<f64>;

    fn list_length(&self) -> u64 {
        self.inequalities()
    }

    fn set_up(&self, rows: Range<u64>) -> Result<RowBlock, JobError> {
        let mut block = RowBlock::with_room(self.size, rows.end - rows.start)?;
        for row in rows {
            block
                .push(|coefficients| rows::write(row, self.scale, coefficients))
                .map_err(|error| error.at_element(row))?;
        }
        Ok(block)
    }

    fn identity(&self) -> Vec<f64> {
        vec![0.0; self.size as usize]
    }

    fn reset(&self, sum: &mut Vec<f64>) {
        sum.fill(0.0);
    }

    fn map_fold(&self, at: Element<'_, RowBlock>, x: &Vec<f64>, sum: &mut Vec<f64>) -> Result<Presence, JobError> {
        let present = self.fold_batch(at.block, at.offset..at.offset + 1, x, sum);
        Ok(if present == 1 { Presence::Present } else { Presence::Absent })
    }

    fn map_fold_range(&self, of: Elements<'_, RowBlock>, x: &Vec<f64>, sum: &mut Vec<f64>) -> Result<u64, JobError> {
        let end = of.offset + (of.range.end - of.range.start) as usize;
        let starts = (of.offset..end).step_by(BATCH);
        Ok(starts.map(|start| self.fold_batch(of.block, start..end.min(start + BATCH), x, sum)).sum())
    }

    fn combine(&self, left: &mut Vec<f64>, right: &Vec<f64>) {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    }

    fn compute(&self, x: &mut Vec<f64>, sum: &Vec<f64>, at: &Iteration) -> Result<Step, JobError> {
        if at.counter == 0 {
            // The norm of the last real step is kept.
            return Ok(Step::stop(Stop::Feasible));
        }
        let divisor = if self.divisor == Divisor::All { self.inequalities() } else { at.counter };
        let factor = self.lambda / divisor as f64;
        let mut squares = 0.0;
        for (x, sum) in x.iter_mut().zip(sum) {
            let step = factor * sum;
            squares += step * step;
            *x += step;
        }
        let norm = f64::sqrt(squares);
        Ok(Step::converged_if(norm < self.epsilon).with_norm(norm))
    }
}

impl Problem for Cimmino {
    type Approximation = Vec<f64>;

    fn parameters(&self) -> Map<String, Value> {
        let parameters = [
            ("size", json!(self.size)),
            ("projection", json!(self.projection.name())),
            ("divisor", json!(self.divisor.name())),
            ("lambda", json!(self.lambda)),
            ("scale", json!(self.scale)),
            ("epsilon", json!(self.epsilon)),
        ];
        parameters.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn list_length(&self) -> u64 {
        self.inequalities()
    }

    fn default_iterations(&self) -> Option<u64> {
        (self.epsilon == 0.0).then_some(ITERATIONS)
    }

    fn memory_bytes(&self) -> f64 {
        8.0 * self.inequalities() as f64 * (self.size as f64 + 2.0)
    }

    fn algorithm(&self) -> Algorithm<'_, Vec<f64>> {
        Algorithm::new(INFO.name, vec![2.0 * self.scale; self.size as usize])
            .parameters(&Value::Object(self.parameters()).to_string())
            .job(self.clone())
    }

    fn numbers<'x>(&self, x: &'x Vec<f64>) -> Cow<'x, [f64]> {
        Cow::Borrowed(x)
    }

    /// The error is the largest violation.
    fn judge(&self, x: &Vec<f64>) -> Judgement {
        Judgement { error_max: Some(rows::violation(x, self.scale)), ..Judgement::default() }
    }
}
