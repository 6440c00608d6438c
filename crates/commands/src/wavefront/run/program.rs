//! What is iterated: the operator of the model, or one that has its spectral radius.

use crate::failure::Failure;
use runcast_core::Problem;
use runcast_wavefront::model::{Contraction, Read};
use runcast_wavefront::run::{FixedPoint, Gradient, Linear};
use std::sync::Arc;

/// Rows of each process where the model has no matrix.
const ROWS: usize = 10;
/// Contraction where the model tells none: some.
const RHO: f64 = 0.9;

/// What is iterated.
pub struct Program {
    pub operator: Box<dyn FixedPoint>,
    /// How it is called: `polynomial`, `linear`, or `uniform` where the model has no matrix.
    pub kind: &'static str,
}

impl Program {
    /// The operator of the model. Where the model knows its spectral radius only, all entries of the matrix are equal;
    /// the model then gets this matrix, so that rates are predicted for what runs.
    ///
    /// # Errors
    /// A process owns no row.
    pub fn of(read: &mut Read, seed: u64) -> Result<Program, Failure> {
        let processes = read.model.size();
        let (operator, kind): (Box<dyn FixedPoint>, _) = match (&read.model.contraction, read.polynomial.take()) {
            (Contraction::Operator(bound), Some(polynomial)) => {
                (Box::new(Gradient::new(polynomial, (**bound).clone(), processes)), "polynomial")
            }
            (Contraction::Operator(operator), None) => {
                (Box::new(Linear::new((**operator).clone(), processes, seed)), "linear")
            }
            (Contraction::Rho(rho), _) => (Box::new(Linear::uniform(*rho, &vec![ROWS; processes])), "uniform"),
            (Contraction::Unknown, _) => (Box::new(Linear::uniform(RHO, &vec![ROWS; processes])), "uniform"),
        };
        if let Some(idle) = operator.pieces().iter().position(Vec::is_empty) {
            let message = format!("process {} owns no row of the operator", read.model.processes[idle].name);
            return Err(Problem::new("empty_piece", message).at("/operator").into());
        }
        if matches!(read.model.contraction, Contraction::Rho(_))
            && let Some(operator) = operator.bound()
        {
            read.model.contraction = Contraction::Operator(Arc::new(operator));
        }
        Ok(Program { operator, kind })
    }
}
