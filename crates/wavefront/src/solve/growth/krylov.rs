//! The spectral radius of a nonnegative linear map that is known by what it does to a vector.
//!
//! Arnoldi's method with restarts (Y. Saad, *Numerical methods for large eigenvalue problems*, 2nd ed. 2011, chapter 6).
//! The spectral radius of a nonnegative map is itself an eigenvalue, and none has a larger real part: that is the one
//! followed, so that periodic maps need nothing special.

use nalgebra::{Complex, DMatrix, DVector, Schur};

/// Numbers that the basis may hold: 256 MiB.
const MOST_NUMBERS: usize = 1 << 25;
/// Vectors of the basis.
const BASIS: (usize, usize) = (4, 100);
/// How much of the eigenvalue the residual may be.
const RESIDUAL: f64 = 1e-13;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Radius {
    pub value: f64,
    /// How far it moved between the last two restarts, relative; 0 where the residual says that it is right.
    pub unsettled: f64,
}

/// `apply` puts the image of its first argument into the second; None: `stop` said so.
pub(super) fn spectral_radius(
    size: usize,
    most_products: usize,
    mut apply: impl FnMut(&[f64], &mut [f64]),
    stop: &dyn Fn() -> bool,
) -> Option<Radius> {
    let most = (MOST_NUMBERS / size.max(1)).clamp(BASIS.0, BASIS.1).min(size.max(1));
    let mut start = DVector::from_element(size, 1.0 / (size as f64).sqrt());
    let (mut last, mut calm, mut products) = (f64::NAN, 0, 0);
    let mut unsettled = f64::INFINITY;
    loop {
        let mut basis = vec![start];
        let mut projected = DMatrix::<f64>::zeros(most + 1, most);
        let mut reached = most;
        for column in 0..most {
            if stop() {
                return None;
            }
            let mut image = DVector::zeros(size);
            apply(basis[column].as_slice(), image.as_mut_slice());
            products += 1;
            let before = image.norm();
            // Twice is enough (Kahan, Parlett) to stay orthogonal to rounding.
            for _ in 0..2 {
                for (row, vector) in basis.iter().enumerate() {
                    let share = vector.dot(&image);
                    projected[(row, column)] += share;
                    image.axpy(-share, vector, 1.0);
                }
            }
            let left = image.norm();
            projected[(column + 1, column)] = left;
            if left <= 1e-15 * before || before == 0.0 {
                reached = column + 1;
                break;
            }
            basis.push(image / left);
        }
        let square = projected.view((0, 0), (reached, reached)).into_owned();
        let value = largest_real(&square).max(0.0);
        let ritz = right_vector(&square, value);
        let rest = if reached == most { projected[(most, most - 1)] * ritz[reached - 1].abs() } else { 0.0 };
        unsettled = if last.is_finite() { (value - last).abs() / value.max(f64::MIN_POSITIVE) } else { unsettled };
        if value == 0.0 || rest <= RESIDUAL * value {
            return Some(Radius { value, unsettled: 0.0 });
        }
        // A map far from normal can leave a residual that rounding keeps up.
        calm = if unsettled <= 1e-14 && rest <= 1e-8 * value { calm + 1 } else { 0 };
        if calm >= 2 || products >= most_products {
            return Some(Radius { value, unsettled });
        }
        last = value;
        let mut next = DVector::zeros(size);
        for (vector, share) in basis.iter().zip(ritz.iter()) {
            next.axpy(*share, vector, 1.0);
        }
        // The eigenvector is nonnegative; what is not is error.
        let sign = if next.sum() < 0.0 { -1.0 } else { 1.0 };
        next.iter_mut().for_each(|value| *value = (sign * *value).max(0.0));
        let norm = next.norm();
        start = if norm > 0.0 { next / norm } else { DVector::from_element(size, 1.0 / (size as f64).sqrt()) };
    }
}

fn largest_real(matrix: &DMatrix<f64>) -> f64 {
    let values = match Schur::try_new(matrix.clone(), f64::EPSILON, 10_000) {
        Some(schur) => schur.complex_eigenvalues(),
        None => return 0.0,
    };
    values.iter().map(|value: &Complex<f64>| value.re).fold(0.0, f64::max)
}

/// By inverse iteration; of unit length.
fn right_vector(matrix: &DMatrix<f64>, value: f64) -> DVector<f64> {
    let size = matrix.nrows();
    let shift = value * (1.0 + 4.0 * f64::EPSILON) + f64::MIN_POSITIVE;
    let lu = (DMatrix::identity(size, size) * shift - matrix).lu();
    let mut vector = DVector::from_element(size, 1.0 / (size as f64).sqrt());
    for _ in 0..3 {
        let Some(next) = lu.solve(&vector) else { break };
        let norm = next.norm();
        if !norm.is_finite() || norm == 0.0 {
            break;
        }
        vector = next / norm;
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn radius(matrix: &DMatrix<f64>) -> f64 {
        let apply = |from: &[f64], to: &mut [f64]| {
            to.copy_from_slice((matrix * DVector::from_column_slice(from)).as_slice());
        };
        let found = spectral_radius(matrix.nrows(), 5_000, apply, &|| false).expect("nobody stops it");
        assert!(found.unsettled < 1e-12, "{found:?}");
        found.value
    }

    #[test]
    fn of_a_chain_of_springs() {
        // Eigenvalues 2 cos(pi k / 201); the two largest are 1e-4 apart.
        let matrix = DMatrix::from_fn(200, 200, |i: usize, j: usize| if i.abs_diff(j) == 1 { 1.0 } else { 0.0 });
        assert!((radius(&matrix) - 2.0 * (std::f64::consts::PI / 201.0).cos()).abs() < 1e-12);
    }

    #[test]
    fn of_a_cycle_and_of_nothing() {
        // Three eigenvalues of the same size: the cube roots of 24.
        let mut matrix = DMatrix::zeros(3, 3);
        (matrix[(0, 1)], matrix[(1, 2)], matrix[(2, 0)]) = (2.0, 3.0, 4.0);
        assert!((radius(&matrix) - 24.0_f64.cbrt()).abs() < 1e-12);
        let nilpotent = DMatrix::from_fn(3, 3, |i, j| if j > i { 1.0 } else { 0.0 });
        assert!(radius(&nilpotent) < 1e-4);
    }
}
