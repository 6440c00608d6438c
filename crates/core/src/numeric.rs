//! The numerics that methods share: least squares, quantiles of samples and of distributions.
//!
//! | module | holds | source |
//! |---|---|---|
//! | [`linear`] (feature `linear`) | weighted least squares by singular values, ridge, robust losses, coefficients >= 0 | Lawson and Hanson, *Solving Least Squares Problems* (1974) |
//! | [`qr`] | least squares for a few columns by Householder reflections, without a library | Golub and Van Loan, *Matrix Computations*, 5.4 |
//! | [`cholesky`] | factors of a covariance, for levels and processes of Gauss | Golub and Van Loan, 4.2 |
//! | [`beta`], [`binomial`] | the beta distribution; the exact interval of a counted share | DLMF 8.17; Clopper and Pearson (1934) |
//! | [`normal`], [`student`] | quantiles of the normal distribution and of Student's t | Wichura, AS 241 (1988); Abramowitz and Stegun, 26.7 |
//! | [`statistics`] | medians, quantiles, means, deviations | type 7 of Hyndman and Fan (1996) |
//!
//! Normal equations appear nowhere: they square the condition.

pub mod beta;
pub mod binomial;
pub mod cholesky;
#[cfg(feature = "linear")]
pub mod linear;
pub mod normal;
pub mod qr;
pub mod statistics;
pub mod student;

/// The scalar product.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The length of a vector, without overflow.
pub fn norm(vector: &[f64]) -> f64 {
    let largest = vector.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * vector.iter().map(|value| (value / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::norm;

    #[test]
    fn lengths_do_not_overflow() {
        assert!((norm(&[3e200, 4e200]) / 5e200 - 1.0).abs() < 1e-15);
        assert_eq!(norm(&[0.0, 0.0]), 0.0);
    }
}
