//! Orthogonal factors of a few columns: least squares, and the variance of quantities computed from it.

use super::{dot, norm};

/// Columns of length one whose remainder is shorter than this count as dependent on the others.
const DEPENDENT: f64 = 1e-10;

/// `A P = Q R` by Householder reflections, the longest remaining column first, and `Q' y`.
///
/// Never the normal equations: these would square the condition, which reaches 1e5 when worker counts lie close
/// together.
#[derive(Debug, Clone)]
pub struct Qr {
    /// The order of the columns in `triangle`.
    order: Vec<usize>,
    /// The columns of `R`, in this order.
    triangle: Vec<Vec<f64>>,
    /// `Q' y`.
    rotated: Vec<f64>,
    /// Number of independent columns.
    rank: usize,
}

impl Qr {
    /// Factors columns of length one (or 0) and applies the reflections to the right-hand side.
    pub fn of(columns: Vec<Vec<f64>>, y: Vec<f64>) -> Self {
        let mut qr = Qr { order: (0..columns.len()).collect(), triangle: columns, rotated: y, rank: 0 };
        for step in 0..qr.order.len().min(qr.rotated.len()) {
            if !qr.eliminate(step) {
                break;
            }
            qr.rank = step + 1;
        }
        qr
    }

    /// Whether no column is a combination of the others.
    pub fn is_full_rank(&self) -> bool {
        self.rank == self.order.len()
    }

    /// The coefficients of least squares, in the order of the columns; `None` when columns are dependent.
    pub fn solve(&self) -> Option<Vec<f64>> {
        if !self.is_full_rank() {
            return None;
        }
        let mut solution = vec![0.0; self.rank];
        for row in (0..self.rank).rev() {
            let known: f64 =
                (row + 1..self.rank).map(|column| self.triangle[column][row] * solution[self.order[column]]).sum();
            solution[self.order[row]] = (self.rotated[row] - known) / self.triangle[row][row];
        }
        Some(solution)
    }

    /// `sqrt(x' (A'A)^-1 x)`: how much noise of one unit moves `x . c`. Infinite where the rows do not determine `x . c`.
    pub fn noise_gain(&self, x: &[f64]) -> f64 {
        let mut solved = Vec::with_capacity(self.rank);
        for place in 0..self.order.len() {
            let known: f64 = solved.iter().zip(&self.triangle[place]).map(|(z, r)| z * r).sum();
            let rest = x[self.order[place]] - known;
            if place < self.rank {
                solved.push(rest / self.triangle[place][place]);
            } else if rest.abs() > 1e-8 * norm(x) {
                return f64::INFINITY;
            }
        }
        norm(&solved)
    }

    /// Brings the longest remaining column to `step` and reflects it onto the axis; false when its remainder is zero.
    fn eliminate(&mut self, step: usize) -> bool {
        let remainder = |column: &Vec<f64>| norm(&column[step..]);
        let longest = (step..self.order.len())
            .max_by(|&a, &b| remainder(&self.triangle[a]).total_cmp(&remainder(&self.triangle[b])).then(b.cmp(&a)));
        let Some(longest) = longest else { return false };
        self.triangle.swap(step, longest);
        self.order.swap(step, longest);
        let length = remainder(&self.triangle[step]);
        if length.is_nan() || length <= DEPENDENT {
            return false;
        }
        let mirror = Mirror::onto_axis(&self.triangle[step][step..], length);
        for column in &mut self.triangle[step..] {
            mirror.reflect(&mut column[step..]);
        }
        mirror.reflect(&mut self.rotated[step..]);
        true
    }
}

/// A Householder reflection: `v - 2 n (n . v)`.
struct Mirror {
    normal: Vec<f64>,
}

impl Mirror {
    /// The reflection that takes `vector`, of this length, onto the first axis; with the sign that avoids cancellation.
    fn onto_axis(vector: &[f64], length: f64) -> Self {
        let mut normal = vector.to_vec();
        normal[0] += length.copysign(vector[0]);
        let scale = norm(&normal).recip();
        normal.iter_mut().for_each(|value| *value *= scale);
        Mirror { normal }
    }

    fn reflect(&self, vector: &mut [f64]) {
        let twice = 2.0 * dot(&self.normal, vector);
        vector.iter_mut().zip(&self.normal).for_each(|(value, normal)| *value -= twice * normal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of length one of a small matrix.
    fn columns() -> Vec<Vec<f64>> {
        vec![vec![0.5, 0.5, 0.5, 0.5], vec![0.5, 0.5, -0.5, -0.5], vec![0.6, 0.0, 0.8, 0.0]]
    }

    #[test]
    fn an_exact_solution_is_found() {
        let expected = [2.0, -1.0, 0.25];
        let y: Vec<f64> =
            (0..4).map(|row| columns().iter().zip(expected).map(|(column, c)| c * column[row]).sum()).collect();
        let solution = Qr::of(columns(), y).solve().expect("independent columns");
        solution.iter().zip(expected).for_each(|(found, c)| assert!((found - c).abs() < 1e-14, "{found} for {c}"));
    }

    #[test]
    fn noise_gain_is_the_root_of_the_quadratic_form() {
        // A'A = [[1, r], [r, 1]] with r = 0.6; its inverse is [[1, -r], [-r, 1]]/(1 - r^2).
        let qr = Qr::of(vec![vec![1.0, 0.0], vec![0.6, 0.8]], vec![0.0, 0.0]);
        let x = [2.0, 3.0];
        let expected = ((4.0 + 9.0 - 2.0 * 0.6 * 6.0) / 0.64f64).sqrt();
        assert!((qr.noise_gain(&x) - expected).abs() < 1e-14);
    }

    #[test]
    fn dependent_columns_have_no_solution_but_tell_their_sum() {
        let one = vec![0.6, 0.8, 0.0];
        let other = vec![0.0, 0.0, 1.0];
        let qr = Qr::of(vec![one.clone(), other, one], vec![1.0, 1.0, 1.0]);
        assert!(!qr.is_full_rank() && qr.solve().is_none());
        assert_eq!(qr.noise_gain(&[1.0, 0.0, 0.0]), f64::INFINITY);
        assert!((qr.noise_gain(&[1.0, 0.0, 1.0]) - 1.0).abs() < 1e-14);
        assert!((qr.noise_gain(&[0.0, 1.0, 0.0]) - 1.0).abs() < 1e-14);
    }
}
