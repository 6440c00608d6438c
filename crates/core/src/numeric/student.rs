//! Student's t distribution, as needed for intervals.
//!
//! Not taken from a crate: the degrees of freedom are whole numbers here, for which the distribution is a finite sum
//! of positive terms, and a user of the BSF skeleton alone should not have to build a library of distributions.

use super::normal;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// From this many degrees of freedom on, two terms beyond the normal quantile are exact to 12 digits.
const NEARLY_NORMAL: usize = 10_000;

/// The `t` for which Student's t lies in `-t..t` with probability `level`.
///
/// With `theta = atan(t/sqrt(df))`, the probability is
///
/// ```text
/// df odd    2/pi (theta + sin(theta) (cos(theta) + 2/3 cos^3(theta) + 2/3 4/5 cos^5(theta) + ..))     to cos^(df-2)
/// df even   sin(theta) (1 + 1/2 cos^2(theta) + 1/2 3/4 cos^4(theta) + ..)                            to cos^(df-2)
/// ```
///
/// Source: M. Abramowitz, I. A. Stegun, *Handbook of Mathematical Functions* (1964), 26.7.3 and 26.7.4. It is solved
/// for theta by bisection, to the last bit.
///
/// | argument | is |
/// |---|---|
/// | `level` | probability, 0 to 1; 0 gives 0, 1 a very large number |
/// | `degrees_of_freedom` | at least 1 |
pub fn two_sided(level: f64, degrees_of_freedom: usize) -> f64 {
    let degrees = degrees_of_freedom.max(1);
    if degrees >= NEARLY_NORMAL && level < 1.0 {
        return beyond_normal(normal::quantile(0.5 + 0.5 * level), degrees as f64);
    }
    let (mut below, mut above) = (0.0, FRAC_PI_2);
    loop {
        let middle = 0.5 * (below + above);
        if middle <= below || middle >= above {
            return (degrees as f64).sqrt() * below.tan();
        }
        if probability_within(middle, degrees) < level {
            below = middle;
        } else {
            above = middle;
        }
    }
}

/// Cornish and Fisher's expansion around the normal quantile `z`: Abramowitz and Stegun, 26.7.5.
fn beyond_normal(z: f64, degrees: f64) -> f64 {
    let square = z * z;
    let first = (square + 1.0) / 4.0;
    let second = ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    z * (1.0 + first / degrees + second / (degrees * degrees))
}

/// The probability that `|t| <= sqrt(df) tan(theta)`.
fn probability_within(theta: f64, degrees: usize) -> f64 {
    let (sine, cosine) = theta.sin_cos();
    if degrees % 2 == 1 {
        return FRAC_2_PI * (theta + sine * sum(cosine, cosine, 3, degrees));
    }
    sine * sum(1.0, cosine, 2, degrees)
}

/// `first (1 + cos^2 (k-1)/k + ..)` over `k = from, from + 2, ..` up to the degrees of freedom.
fn sum(first: f64, cosine: f64, from: usize, degrees: usize) -> f64 {
    let (mut total, mut term) = (0.0, first);
    for k in (from..=degrees).step_by(2) {
        total += term;
        term *= cosine * cosine * (k - 1) as f64 / k as f64;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::two_sided;

    /// Published tables: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, to three decimals.
    #[test]
    fn quantiles_are_those_of_printed_tables() {
        let table = [
            (0.9, 1, 6.314),
            (0.9, 2, 2.920),
            (0.9, 3, 2.353),
            (0.9, 12, 1.782),
            (0.9, 100, 1.660),
            (0.95, 2, 4.303),
            (0.95, 7, 2.365),
            (0.95, 30, 2.042),
            (0.98, 5, 3.365),
            (0.99, 1, 63.657),
            (0.99, 10, 3.169),
            (0.998, 4, 7.173),
        ];
        for (level, degrees, expected) in table {
            let t = two_sided(level, degrees);
            assert!((t - expected).abs() <= 5e-4, "level {level}, df {degrees}: {t}, expected {expected}");
        }
    }

    /// With one and two degrees of freedom the quantile has a closed form.
    #[test]
    fn quantiles_agree_with_closed_forms() {
        for level in [0.001, 0.1, 0.5, 0.9, 0.99, 0.9999] {
            let one = (std::f64::consts::FRAC_PI_2 * level).tan();
            let two = level * (2.0 / (1.0 - level * level)).sqrt();
            assert!((two_sided(level, 1) / one - 1.0).abs() < 1e-10, "{level}");
            assert!((two_sided(level, 2) / two - 1.0).abs() < 1e-10, "{level}");
        }
    }

    #[test]
    fn many_degrees_are_a_normal_distribution() {
        // 1.6448536 and 2.5758293 are the quantiles of the normal distribution.
        assert!((two_sided(0.9, 100_000) - 1.644_853_6).abs() < 3e-5);
        assert!((two_sided(0.99, 100_001) - 2.575_829_3).abs() < 6e-5);
    }

    #[test]
    fn the_expansion_joins_the_sum() {
        for level in [0.5, 0.9, 0.95, 0.999] {
            let z = super::normal::quantile(0.5 + 0.5 * level);
            let expanded = super::beyond_normal(z, 9_999.0);
            assert!((two_sided(level, 9_999) / expanded - 1.0).abs() < 1e-10, "{level}");
        }
    }

    #[test]
    fn the_ends_do_not_break_it() {
        assert_eq!(two_sided(0.0, 5), 0.0);
        assert!(two_sided(1.0, 5) > 1e3 && two_sided(1.0, 5).is_finite());
        assert_eq!(two_sided(0.9, 0), two_sided(0.9, 1));
    }
}
