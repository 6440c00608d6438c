//! Cholesky's factors of a covariance.

/// The lower triangle L of S = L L'.
#[derive(Debug, Clone)]
pub(super) struct Factor(Vec<Vec<f64>>);

impl Factor {
    /// Factors a symmetric matrix, given as its lower triangle; none where it is not positive.
    pub(super) fn of(mut matrix: Vec<Vec<f64>>) -> Option<Factor> {
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
    pub(super) fn ln_determinant(&self) -> f64 {
        2.0 * self.0.iter().enumerate().map(|(row, entries)| entries[row].ln()).sum::<f64>()
    }

    /// S^-1 b
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
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
