//! Algorithms as counts of operations and numbers, and the speeds of machines.
//!
//! ```text
//! t_s = c_s tau_tr    t_r = c_r tau_tr    t_Map = c_Map tau_op    t_a = c_a tau_op    t_p = c_p tau_op
//! ```
//!
//! All operations count the same, including comparisons. [`ALGORITHMS`] lists the built-in algorithms.

mod cimmino;
mod counts;
mod gravity;
mod growth;
mod jacobi;

pub use cimmino::cimmino;
pub use counts::{Counts, Machine};
pub use gravity::gravity;
pub use growth::GrowthLaw;
pub use jacobi::jacobi;

use super::costs::MOST_ELEMENTS;
use super::error::CostError;
use growth::Amounts;

/// A built-in algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// Whether it has a number of inequalities in addition to its size.
    pub has_inequalities: bool,
    counts: fn(size: u64, inequalities: Option<u64>) -> Result<Counts, CostError>,
    amounts: fn(size: f64, inequalities: Option<f64>) -> Amounts,
}

/// Every built-in algorithm.
pub const ALGORITHMS: [Algorithm; 3] = [jacobi::JACOBI, cimmino::CIMMINO, gravity::GRAVITY];

impl Algorithm {
    pub fn find(name: &str) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|algorithm| algorithm.name == name)
    }

    /// Its counts at a size; `inequalities` is for [`cimmino`], which has a default.
    ///
    /// # Errors
    /// The list has no element, or too many.
    pub fn counts(&self, size: u64, inequalities: Option<u64>) -> Result<Counts, CostError> {
        (self.counts)(size, inequalities)
    }
}

impl Amounts {
    /// At a size that is whole.
    fn counts(self, list_length: u64) -> Counts {
        let Amounts { send, map, fold, receive, compute, .. } = self;
        Counts { list_length, send, map, fold, receive, compute }
    }
}

/// A size as a number, if it is a valid list length.
fn elements(length: u64) -> Result<f64, CostError> {
    if (1..=MOST_ELEMENTS).contains(&length) { Ok(length as f64) } else { Err(CostError::ListLength { length }) }
}
