//! The rows of the built-in problem, and how a worker keeps rows.
//!
//! ```text
//! row, from 1     n times           once                      once                   n times             m = 2n+2
//!                 x_j <= S          sum x <= S(n-1/2)         -sum x <= -S/2         -x_j <= 0
//! ```

use super::super::memory::room;
use crate::kernels;
use crate::skeleton::JobError;

/// `m`, the number of rows for this many unknowns.
pub(super) fn count(size: u64) -> u64 {
    2 * size + 2
}

/// Writes the coefficients of a row, counted from 0, over zeros; returns its bound.
pub(super) fn write(row: u64, scale: f64, coefficients: &mut [f64]) -> f64 {
    let size = coefficients.len();
    let row = row as usize;
    if row < size {
        coefficients[row] = 1.0;
        scale
    } else if row == size {
        coefficients.fill(1.0);
        scale * (size as f64 - 0.5)
    } else if row == size + 1 {
        coefficients.fill(-1.0);
        -scale / 2.0
    } else {
        coefficients[row - size - 2] = -1.0;
        0.0
    }
}

/// The largest violation of a row at `x`, 0 if there is none.
pub(super) fn violation(x: &[f64], scale: f64) -> f64 {
    let sum: f64 = x.iter().sum();
    let of_sum = [sum - scale * (x.len() as f64 - 0.5), scale / 2.0 - sum];
    super::super::largest(x.iter().flat_map(|x| [x - scale, -x]).chain(of_sum))
}

/// Rows, one after the other, each with its bound and its squared norm.
#[derive(Debug)]
pub struct RowBlock {
    size: usize,
    coefficients: Vec<f64>,
    /// `b_i`
    pub(super) bounds: Vec<f64>,
    /// `|a_i|^2`
    pub(super) squares: Vec<f64>,
}

impl RowBlock {
    /// Allocates room for this many rows.
    pub(super) fn with_room(size: u64, rows: u64) -> Result<Self, JobError> {
        Ok(RowBlock {
            size: size as usize,
            coefficients: room(size.saturating_mul(rows))?,
            bounds: room(rows)?,
            squares: room(rows)?,
        })
    }

    /// Adds a row, which is written over zeros by a function that returns its bound.
    pub(super) fn push(&mut self, write: impl FnOnce(&mut [f64]) -> f64) -> Result<(), JobError> {
        let start = self.coefficients.len();
        self.coefficients.resize(start + self.size, 0.0);
        let row = &mut self.coefficients[start..];
        let bound = write(row);
        let square = kernels::dot(row, row);
        if square == 0.0 {
            return Err(JobError::new("the row is all zeros, so it defines no hyperplane"));
        }
        self.bounds.push(bound);
        self.squares.push(square);
        Ok(())
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        self.rows(row..row + 1)
    }

    /// Consecutive rows.
    pub(super) fn rows(&self, rows: std::ops::Range<usize>) -> &[f64] {
        &self.coefficients[rows.start * self.size..rows.end * self.size]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_those_of_the_problem() {
        let mut block = RowBlock::with_room(2, count(2)).expect("room");
        for row in 0..count(2) {
            block.push(|coefficients| write(row, 200.0, coefficients)).expect("not zero");
        }
        let rows: Vec<&[f64]> = (0..6).map(|row| block.row(row)).collect();
        assert_eq!(rows, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [-1.0, 0.0], [0.0, -1.0]]);
        assert_eq!(block.bounds, [200.0, 200.0, 300.0, -100.0, 0.0, 0.0]);
        assert_eq!(block.squares, [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]);
    }

    #[test]
    fn a_row_of_zeros_is_refused() {
        let mut block = RowBlock::with_room(3, 1).expect("room");
        let error = block.push(|_| 1.0).expect_err("zeros");
        assert!(error.message.contains("all zeros"), "{error}");
    }

    #[test]
    fn the_largest_violation_is_found() {
        assert_eq!(violation(&[400.0, 400.0], 200.0), 500.0);
        assert_eq!(violation(&[-7.0, 150.0], 200.0), 7.0);
        assert_eq!(violation(&[100.0, 100.0], 200.0), 0.0);
        assert!(violation(&[f64::NAN, 1.0], 200.0).is_nan());
    }
}
