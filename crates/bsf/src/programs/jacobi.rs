//! A system of linear equations by the method of Jacobi, `A x = b`, with all ones as its exact solution.
//!
//! ```text
//! x' = C x + d      c_ij = -a_ij/a_ii (j != i), c_ii = 0, d_i = b_i/a_ii      x(0) = d                    [S, section 5]
//! ```
//!
//! The list are the columns of C, and `F_x(c_j) = x_j c_j`. C is stored dense, by columns, and built where it is used.
//! It ends when `|x' - x| < epsilon`, or `|x' - x|^2 < epsilon`. It converges where the spectral radius `rho(C)` is
//! less than 1; the growth rate of the steps is an estimate of it.
//!
//! Erratum \[S\], section 4: weak diagonal dominance with one strict row is not sufficient for convergence
//! (`[[1,1,0],[1,1,0],[0,0,1]]` satisfies it and is singular); irreducibility is needed, too.
//!
//! Erratum \[S\], section 5: StopCond is printed with the square of the norm, the published program uses the norm.
//! Epsilon is not given; it is 1e-9 in the program.

mod system;

pub use system::System;

use super::memory::room;
use super::{Judgement, Kind, OptionInfo, Problem, Program, ProgramInfo, Settings};
use crate::kernels;
use crate::skeleton::{Algorithm, Element, Elements, Iteration, Job, JobError, Presence, Step};
use runcast_core::Problems;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::ops::Range;

/// Its entry in the list of programs.
pub(super) const INFO: ProgramInfo = ProgramInfo {
    name: "jacobi",
    summary: "Linear equations by the method of Jacobi",
    options: &[SIZE, SYSTEM, EPSILON, NORM],
    cost_model: Some("jacobi"),
    build,
};

const SIZE: OptionInfo = OptionInfo { name: "size", help: "unknowns", default: None, kind: Kind::Count };
const SYSTEM: OptionInfo =
    OptionInfo { name: "system", help: "which system", default: Some("dominant"), kind: Kind::Choice(&System::NAMES) };
const EPSILON: OptionInfo =
    OptionInfo { name: "epsilon", help: "stop at steps below this", default: Some("1e-9"), kind: Kind::Number };
const NORM: OptionInfo = OptionInfo {
    name: "norm",
    help: "norm of a step that is compared with epsilon",
    default: Some("l2"),
    kind: Kind::Choice(&StepNorm::NAMES),
};

/// A system of linear equations.
#[derive(Debug, Clone, PartialEq)]
pub struct Jacobi {
    /// Number of unknowns.
    pub size: u64,
    pub system: System,
    /// It has converged when the norm of a step is below this.
    pub epsilon: f64,
    pub norm: StepNorm,
}

/// The norm of a step that is compared with epsilon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepNorm {
    L2,
    L2Squared,
}

impl StepNorm {
    const ALL: [StepNorm; 2] = [StepNorm::L2, StepNorm::L2Squared];
    const NAMES: [&str; 2] = ["l2", "l2-squared"];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

fn build(settings: &Settings) -> Result<Program, Problems> {
    Ok(Program::Jacobi(Jacobi {
        size: settings.count(&SIZE)?,
        system: settings.choice(&SYSTEM, &System::ALL)?,
        epsilon: settings.number(&EPSILON, "a number from 0 on", |epsilon| epsilon >= 0.0)?,
        norm: settings.choice(&NORM, &StepNorm::ALL)?,
    }))
}

impl Jacobi {
    /// `d`, where the iteration begins.
    fn first(&self) -> Vec<f64> {
        (0..self.size).map(|row| self.system.d(row, self.size)).collect()
    }
}

impl Job for Jacobi {
    type Approximation = Vec<f64>;
    type Block = Vec<f64>;
    type Partial = Vec<f64>;

    fn list_length(&self) -> u64 {
        self.size
    }

    fn set_up(&self, columns: Range<u64>) -> Result<Vec<f64>, JobError> {
        let mut block = room(self.size.saturating_mul(columns.end - columns.start))?;
        for column in columns {
            block.extend((0..self.size as usize).map(|row| self.system.c(row as u64, column, self.size)));
        }
        Ok(block)
    }

    fn identity(&self) -> Vec<f64> {
        vec![0.0; self.size as usize]
    }

    fn reset(&self, sum: &mut Vec<f64>) {
        sum.fill(0.0);
    }

    fn map_fold(&self, at: Element<'_, Vec<f64>>, x: &Vec<f64>, sum: &mut Vec<f64>) -> Result<Presence, JobError> {
        let rows = sum.len();
        kernels::add_columns(sum, &at.block[at.offset * rows..][..rows], &[x[at.index as usize]]);
        Ok(Presence::Present)
    }

    fn map_fold_range(&self, of: Elements<'_, Vec<f64>>, x: &Vec<f64>, sum: &mut Vec<f64>) -> Result<u64, JobError> {
        let x = &x[of.range.start as usize..of.range.end as usize];
        let rows = sum.len();
        kernels::add_columns(sum, &of.block[of.offset * rows..][..x.len() * rows], x);
        Ok(x.len() as u64)
    }

    fn combine(&self, left: &mut Vec<f64>, right: &Vec<f64>) {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    }

    fn compute(&self, x: &mut Vec<f64>, sum: &Vec<f64>, _: &Iteration) -> Result<Step, JobError> {
        let mut squares = 0.0;
        for (row, (x, sum)) in x.iter_mut().zip(sum).enumerate() {
            let next = sum + self.system.d(row as u64, self.size);
            squares += (next - *x) * (next - *x);
            *x = next;
        }
        let compared = if self.norm == StepNorm::L2 { f64::sqrt(squares) } else { squares };
        Ok(Step::converged_if(compared < self.epsilon).with_norm(squares.sqrt()))
    }
}

impl Problem for Jacobi {
    type Approximation = Vec<f64>;

    fn parameters(&self) -> Map<String, Value> {
        let parameters = [
            ("size", json!(self.size)),
            ("system", json!(self.system.name())),
            ("epsilon", json!(self.epsilon)),
            ("norm", json!(self.norm.name())),
        ];
        parameters.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn memory_bytes(&self) -> f64 {
        8.0 * (self.size as f64).powi(2)
    }

    fn algorithm(&self) -> Algorithm<'_, Vec<f64>> {
        Algorithm::new(INFO.name, self.first())
            .parameters(&Value::Object(self.parameters()).to_string())
            .job(self.clone())
    }

    fn numbers<'x>(&self, x: &'x Vec<f64>) -> Cow<'x, [f64]> {
        Cow::Borrowed(x)
    }

    fn judge(&self, x: &Vec<f64>) -> Judgement {
        Judgement { error_max: Some(super::largest(x.iter().map(|x| (x - 1.0).abs()))), ..Judgement::default() }
    }
}
