//! Cholesky's factors of a covariance.
//!
//! For matrices that are covariances from the start: least squares go through [`qr`](super::qr), whose condition is not squared.

/// The lower triangle L of S = L L'.
#[derive(Debug, Clone)]
pub struct Factor(Vec<Vec<f64>>);

impl Factor {
    /// Factors a symmetric matrix, given as its lower triangle; none where it is not positive.
    pub fn of(mut matrix: Vec<Vec<f64>>) -> Option<Factor> {
        for row in 0..matrix.len() {
            for column in 0..=row {
                let known: f64 = (0..column).map(|k| matrix[row][k] * matrix[column][k]).sum();
                let rest = matrix[row][column] - known;
                if row == column && (rest <= 0.0 || rest.is_nan()) {
                    return None;
                }
                matrix[row][column] = if row == column { rest.sqrt() } else { rest / matrix[column][column] };
            }
        }
        Some(Factor(matrix))
    }

    /// ln |S|
    pub fn ln_determinant(&self) -> f64 {
        2.0 * self.0.iter().enumerate().map(|(row, entries)| entries[row].ln()).sum::<f64>()
    }

    /// L z: of independent normal numbers, numbers with this covariance.
    pub fn times(&self, right: &[f64]) -> Vec<f64> {
        self.0.iter().map(|row| row.iter().zip(right).map(|(cell, right)| cell * right).sum()).collect()
    }

    /// S^-1 b
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = right.to_vec();
        for row in 0..solution.len() {
            let known: f64 = (0..row).map(|k| self.0[row][k] * solution[k]).sum();
            solution[row] = (solution[row] - known) / self.0[row][row];
        }
        for row in (0..solution.len()).rev() {
            let known: f64 = (row + 1..solution.len()).map(|k| self.0[k][row] * solution[k]).sum();
            solution[row] = (solution[row] - known) / self.0[row][row];
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::Factor;

    #[test]
    fn three_by_three_by_hand() {
        // L = [[2], [6, 1], [-8, 5, 3]]
        let factor = Factor::of(vec![vec![4.0], vec![12.0, 37.0], vec![-16.0, -43.0, 98.0]]).expect("positive");
        assert!((factor.ln_determinant() - 36f64.ln()).abs() < 1e-14);
        assert_eq!(factor.times(&[1.0, 2.0, -1.0]), [2.0, 8.0, -1.0]);
        let solution = factor.solve(&[4.0, 13.0, -11.0]);
        let back = |row: [f64; 3]| row.iter().zip(&solution).map(|(a, b)| a * b).sum::<f64>();
        for (row, right) in [([4.0, 12.0, -16.0], 4.0), ([12.0, 37.0, -43.0], 13.0), ([-16.0, -43.0, 98.0], -11.0)] {
            assert!((back(row) - right).abs() < 1e-9);
        }
        assert!(Factor::of(vec![vec![1.0], vec![2.0, 1.0]]).is_none(), "not positive");
    }
}
