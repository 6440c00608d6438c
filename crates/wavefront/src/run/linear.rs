//! x <- Mx + c, with a fixed point that is known.

use super::fixed_point::{FixedPoint, Poll, Updated};
use crate::model::operator::{Operator, Rate};
use runcast_core::random::SplitMix;

/// Rows between two checks of whether the update is still wanted.
const ROWS_A_LOOK: usize = 64;

/// x <- Mx + c, where c is chosen so that the fixed point is a given vector: then errors are known.
///
/// # Examples
/// ```
/// use runcast_wavefront::run::{FixedPoint, Linear, Poll};
/// let linear = Linear::uniform(0.9, &[2, 2]);
/// let fixed_point = linear.fixed_point().unwrap();
/// let mut new = [0.0; 2];
/// linear.update(1, &fixed_point, &mut new, &mut Poll::never());
/// assert!((new[0] - fixed_point[2]).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Linear {
    operator: Operator,
    pieces: Vec<Vec<usize>>,
    constant: Vec<f64>,
    fixed_point: Vec<f64>,
}

impl Linear {
    /// With the matrix of an operator, the owners of its rows, and a fixed point drawn from -1 to 1.
    pub fn new(operator: Operator, processes: usize, seed: u64) -> Self {
        let mut random = SplitMix::new(seed, 0);
        let fixed_point: Vec<f64> = operator.rows.iter().map(|_| 2.0 * random.uniform() - 1.0).collect();
        let through =
            |row: &[(usize, f64)]| row.iter().map(|(column, value)| value * fixed_point[*column]).sum::<f64>();
        let constant = operator.rows.iter().zip(&fixed_point).map(|(row, fixed)| fixed - through(row)).collect();
        let mut pieces = vec![Vec::new(); processes];
        for (row, owner) in operator.owner.iter().enumerate() {
            pieces[*owner].push(row);
        }
        Linear { operator, pieces, constant, fixed_point }
    }

    /// Where there is no matrix, but its spectral radius is known: all entries are `rho` over the number of rows, so
    /// that each update of all pieces takes the error to `rho` times its mean.
    pub fn uniform(rho: f64, lengths: &[usize]) -> Self {
        let dimension: usize = lengths.iter().sum();
        let row: Vec<(usize, f64)> = (0..dimension).map(|column| (column, rho / dimension as f64)).collect();
        let owners = lengths.iter().enumerate();
        let owner = owners.flat_map(|(process, length)| std::iter::repeat_n(process, *length)).collect();
        let operator = Operator { rows: vec![row; dimension], owner, gap: 1.0 - rho, rate: Rate::Auto };
        Linear::new(operator, lengths.len(), 0)
    }
}

impl FixedPoint for Linear {
    fn dimension(&self) -> usize {
        self.constant.len()
    }

    fn pieces(&self) -> Vec<Vec<usize>> {
        self.pieces.clone()
    }

    fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], poll: &mut Poll<'_>) -> Updated {
        for (place, (number, row)) in new.iter_mut().zip(&self.pieces[piece]).enumerate() {
            if place % ROWS_A_LOOK == 0 && poll.is_over() {
                return Updated::GivenUp;
            }
            let entries = self.operator.rows[*row].iter();
            *number = self.constant[*row] + entries.map(|(column, value)| value * vector[*column]).sum::<f64>();
        }
        Updated::Done
    }

    fn polls(&self) -> bool {
        true
    }

    fn fixed_point(&self) -> Option<Vec<f64>> {
        Some(self.fixed_point.clone())
    }

    fn bound(&self) -> Option<Operator> {
        Some(self.operator.clone())
    }
}
