//! The beta distribution.

/// Terms of the continued fraction; it takes about `sqrt(max(a, b))` of them.
const MOST_TERMS: usize = 20_000;
/// Bisections of an interval of length 1, to the last digit.
const ROUNDS: usize = 80;

/// The share of a beta distribution with the parameters `a` and `b` that lies below `x`: the regularized incomplete beta
/// function, for a, b > 0.
///
/// Source: NIST Digital Library of Mathematical Functions, 8.17.22 (continued fraction) and 8.17.4 (symmetry).
pub fn share_below(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges quickly on this side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - share_below(1.0 - x, b, a);
    }
    let ln_front = a * x.ln() + b * (-x).ln_1p() - a.ln() + libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    (ln_front.exp() * fraction(x, a, b)).clamp(0.0, 1.0)
}

/// What a share of a beta distribution lies below.
///
/// # Examples
/// ```
/// use runcast_core::numeric::beta::quantile;
/// // Beta(1, 1) is uniform.
/// assert!((quantile(0.3, 1.0, 1.0) - 0.3).abs() < 1e-12);
/// ```
pub fn quantile(share: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..ROUNDS {
        let middle = 0.5 * (low + high);
        if share_below(middle, a, b) < share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// `1/(1 + d1/(1 + d2/(1 + ..)))`, from the front by the ratios of its convergents.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    let coefficient = |term: usize| {
        let m = (term / 2) as f64;
        match term % 2 {
            0 => m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            _ => -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        }
    };
    let (mut value, mut above, mut below) = (1.0f64, 1.0f64, 0.0f64);
    for term in 1..MOST_TERMS {
        let next = coefficient(term);
        below = 1.0 / away(1.0 + next * below);
        above = away(1.0 + next / above);
        let change = above * below;
        value *= change;
        if (change - 1.0f64).abs() < 1e-15 {
            break;
        }
    }
    1.0 / value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_are_met() {
        for x in [0.01, 0.2, 0.5, 0.77, 0.999] {
            // I(x; a, 1) = x^a, I(x; 1, b) = 1 - (1-x)^b, I(x; 1/2, 1/2) = 2/pi asin(sqrt x).
            assert!((share_below(x, 3.5, 1.0) - f64::powf(x, 3.5)).abs() < 1e-13, "{x}");
            assert!((share_below(x, 1.0, 4.5) - (1.0 - f64::powf(1.0 - x, 4.5))).abs() < 1e-13, "{x}");
            let arc = std::f64::consts::FRAC_2_PI * f64::sqrt(x).asin();
            assert!((share_below(x, 0.5, 0.5) - arc).abs() < 1e-13, "{x}");
        }
    }

    #[test]
    fn quantiles_are_where_the_shares_are() {
        for (a, b) in [(0.3, 2.0), (2.5, 1.1), (90_000.0, 10_001.0)] {
            for share in [0.025, 0.5, 0.975] {
                assert!((share_below(quantile(share, a, b), a, b) - share).abs() < 1e-9, "{a} {b} {share}");
            }
        }
    }
}
