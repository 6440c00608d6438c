//! Laws that have a name: distribution function and what lies on either side of a point.
//!
//! ```text
//! below(x)  = E[(x - X)+] = integral of F up to x          beyond(x) = E[(X - x)+] = integral of 1 - F from x on
//! ```
//!
//! Both follow from partial means: below(x) = x F(x) - E\[X; X <= x\], beyond(x) = E\[X; X > x\] - x (1 - F(x)).

use statrs::function::erf::erfc;
use statrs::function::gamma::{gamma_lr, gamma_ur, ln_gamma};
use std::f64::consts::{PI, SQRT_2};

/// Their names in a file.
pub(crate) const NAMES: [&str; 6] = ["uniform", "normal", "lognormal", "exponential", "gamma", "weibull"];

/// A law, in seconds; parameters are checked by [`Named::is_sound`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Named {
    Uniform { lower: f64, upper: f64 },
    Normal { mean: f64, sd: f64 },
    Lognormal { median: f64, sigma: f64 },
    Exponential { mean: f64 },
    Gamma { shape: f64, scale: f64 },
    Weibull { shape: f64, scale: f64 },
}

impl Named {
    /// Whether its mean is a positive number that can be computed with.
    pub(crate) fn is_sound(self) -> bool {
        let is_ok = match self {
            Named::Uniform { lower, upper } => lower < upper,
            Named::Normal { sd, .. } => sd > 0.0,
            Named::Lognormal { median, sigma } => median > 0.0 && sigma > 0.0,
            Named::Exponential { mean } => mean > 0.0,
            // Beyond, the series of the incomplete gamma function take too long; the law is a normal one by then.
            Named::Gamma { shape, scale } => (1e-3..=1e6).contains(&shape) && scale > 0.0,
            Named::Weibull { shape, scale } => (0.01..=1e4).contains(&shape) && scale > 0.0,
        };
        is_ok && self.mean().is_finite() && self.mean().abs() < 1e300
    }

    pub(crate) fn mean(self) -> f64 {
        match self {
            Named::Uniform { lower, upper } => 0.5 * (lower + upper),
            Named::Normal { mean, .. } | Named::Exponential { mean } => mean,
            Named::Lognormal { median, sigma } => median * (0.5 * sigma * sigma).exp(),
            Named::Gamma { shape, scale } => shape * scale,
            Named::Weibull { shape, scale } => scale * ln_gamma(1.0 + 1.0 / shape).exp(),
        }
    }

    /// Whether it has an upper bound of its own.
    pub(crate) fn is_bounded(self) -> bool {
        matches!(self, Named::Uniform { .. })
    }

    /// The least value it has; none of a normal law.
    pub(crate) fn least(self) -> Option<f64> {
        match self {
            Named::Uniform { lower, .. } => Some(lower),
            Named::Normal { .. } => None,
            _ => Some(0.0),
        }
    }

    /// P(X <= x).
    pub(crate) fn up_to(self, x: f64) -> f64 {
        match self {
            Named::Uniform { lower, upper } => ((x - lower) / (upper - lower)).clamp(0.0, 1.0),
            Named::Normal { mean, sd } => normal_up_to((x - mean) / sd),
            _ if x <= 0.0 => 0.0,
            Named::Lognormal { median, sigma } => normal_up_to((x / median).ln() / sigma),
            Named::Exponential { mean } => -(-x / mean).exp_m1(),
            Named::Gamma { shape, scale } => lower_gamma(shape, x / scale),
            Named::Weibull { shape, scale } => -(-(x / scale).powf(shape)).exp_m1(),
        }
    }

    /// P(X > x).
    pub(crate) fn above(self, x: f64) -> f64 {
        match self {
            Named::Uniform { lower, upper } => ((upper - x) / (upper - lower)).clamp(0.0, 1.0),
            Named::Normal { mean, sd } => normal_up_to((mean - x) / sd),
            _ if x <= 0.0 => 1.0,
            Named::Lognormal { median, sigma } => normal_up_to(-(x / median).ln() / sigma),
            Named::Exponential { mean } => (-x / mean).exp(),
            Named::Gamma { shape, scale } => upper_gamma(shape, x / scale),
            Named::Weibull { shape, scale } => (-(x / scale).powf(shape)).exp(),
        }
    }

    /// E\[(x - X)+\].
    pub(crate) fn below(self, x: f64) -> f64 {
        match self {
            Named::Uniform { lower, upper } if x >= upper => x - 0.5 * (lower + upper),
            Named::Uniform { lower, upper } => (x - lower).max(0.0).powi(2) / (2.0 * (upper - lower)),
            Named::Normal { mean, sd } => normal_below((x - mean) / sd) * sd,
            _ if x <= 0.0 => 0.0,
            Named::Lognormal { median, sigma } => {
                let z = (x / median).ln() / sigma;
                x * normal_up_to(z) - self.mean() * normal_up_to(z - sigma)
            }
            Named::Exponential { mean } => x + mean * (-x / mean).exp_m1(),
            Named::Gamma { shape, scale } => {
                x * lower_gamma(shape, x / scale) - self.mean() * lower_gamma(shape + 1.0, x / scale)
            }
            Named::Weibull { shape, scale } => {
                x * self.up_to(x) - self.mean() * lower_gamma(1.0 + 1.0 / shape, (x / scale).powf(shape))
            }
        }
        .max(0.0)
    }

    /// E\[(X - x)+\].
    pub(crate) fn beyond(self, x: f64) -> f64 {
        match self {
            Named::Uniform { lower, upper } if x <= lower => 0.5 * (lower + upper) - x,
            Named::Uniform { lower, upper } => (upper - x).max(0.0).powi(2) / (2.0 * (upper - lower)),
            Named::Normal { mean, sd } => normal_below((mean - x) / sd) * sd,
            _ if x <= 0.0 => self.mean() - x,
            Named::Lognormal { median, sigma } => {
                let z = (x / median).ln() / sigma;
                self.mean() * normal_up_to(sigma - z) - x * normal_up_to(-z)
            }
            Named::Exponential { mean } => mean * (-x / mean).exp(),
            Named::Gamma { shape, scale } => {
                self.mean() * upper_gamma(shape + 1.0, x / scale) - x * upper_gamma(shape, x / scale)
            }
            Named::Weibull { shape, scale } => {
                self.mean() * upper_gamma(1.0 + 1.0 / shape, (x / scale).powf(shape)) - x * self.above(x)
            }
        }
        .max(0.0)
    }

    /// The x with P(X > x) = `share`, by halving; infinite where it is too large.
    pub(crate) fn exceeded_by(self, share: f64) -> f64 {
        let (mut low, mut high) = match self {
            Named::Uniform { lower, upper } => (lower, upper),
            Named::Normal { mean, sd } => (mean - 40.0 * sd, mean + 40.0 * sd),
            _ => (0.0, self.mean().max(f64::MIN_POSITIVE)),
        };
        while self.above(high) > share {
            high *= 2.0;
            if !high.is_finite() || self.is_bounded() {
                return high;
            }
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if self.above(middle) > share { low = middle } else { high = middle }
        }
        high
    }
}

fn normal_up_to(z: f64) -> f64 {
    0.5 * erfc(-z / SQRT_2)
}

/// E\[(z - Z)+\] of the standard normal Z.
fn normal_below(z: f64) -> f64 {
    z * normal_up_to(z) + (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

fn lower_gamma(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if far_above(shape, x) {
        1.0
    } else {
        gamma_lr(shape, x)
    }
}

fn upper_gamma(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if far_above(shape, x) {
        0.0
    } else {
        gamma_ur(shape, x)
    }
}

/// Where nothing is left above, to all digits.
fn far_above(shape: f64, x: f64) -> bool {
    x > shape + 40.0 * shape.sqrt() + 800.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAWS: [Named; 9] = [
        Named::Uniform { lower: 0.5, upper: 2.0 },
        Named::Normal { mean: 3.0, sd: 0.7 },
        Named::Lognormal { median: 1.5, sigma: 0.8 },
        Named::Exponential { mean: 0.4 },
        Named::Gamma { shape: 2.0, scale: 0.8 },
        Named::Gamma { shape: 0.3, scale: 2.0 },
        Named::Gamma { shape: 3000.0, scale: 0.001 },
        Named::Weibull { shape: 1.7, scale: 2.0 },
        Named::Weibull { shape: 0.6, scale: 0.3 },
    ];

    /// The integral of a function by Simpson's rule.
    fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
        let (count, mut sum) = (40_000, 0.0);
        let width = (to - from) / f64::from(count);
        for index in 0..=count {
            let weight = if index == 0 || index == count {
                1.0
            } else if index % 2 == 1 {
                4.0
            } else {
                2.0
            };
            sum += weight * f(from + f64::from(index) * width);
        }
        sum * width / 3.0
    }

    #[test]
    fn both_sides_are_integrals_of_the_distribution_function() {
        for law in LAWS {
            let (low, high) = (law.exceeded_by(1.0 - 1e-4), law.exceeded_by(1e-3));
            for part in [0.1, 0.5, 0.9] {
                let x = low + part * (high - low);
                let rise = integral(x, high, |u| law.up_to(u));
                assert!((law.below(high) - law.below(x) - rise).abs() < 1e-7, "{law:?} {x}");
                let fall = integral(x, high, |u| law.above(u));
                assert!((law.beyond(x) - law.beyond(high) - fall).abs() < 1e-7, "{law:?} {x}");
                // (X - x)+ - (x - X)+ = X - x.
                assert!((law.beyond(x) - law.below(x) - law.mean() + x).abs() < 1e-12 * (1.0 + x), "{law:?} {x}");
                assert!((law.up_to(x) + law.above(x) - 1.0).abs() < 1e-13, "{law:?} {x}");
            }
        }
    }

    #[test]
    fn quantiles_of_tables() {
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-8, "{a} {b}");
        // Upper 0.1 % point of the standard normal law: 3.090232306.
        near(Named::Normal { mean: 1.0, sd: 1.0 }.exceeded_by(1e-3), 4.090_232_306_167_813);
        near(
            Named::Lognormal { median: 2.0, sigma: 0.5 }.exceeded_by(1e-3),
            2.0 * (0.5 * 3.090_232_306_167_813_f64).exp(),
        );
        near(Named::Exponential { mean: 2.0 }.exceeded_by(1e-3), 2.0 * 1000_f64.ln());
        near(Named::Weibull { shape: 2.0, scale: 3.0 }.exceeded_by(1e-3), 3.0 * 1000_f64.ln().sqrt());
        // Half the upper 0.1 % point of chi square with 4 degrees of freedom, 18.46682695.
        near(Named::Gamma { shape: 2.0, scale: 1.0 }.exceeded_by(1e-3), 0.5 * 18.466_826_952_903_15);
        near(Named::Uniform { lower: 1.0, upper: 3.0 }.exceeded_by(0.25), 2.5);
    }

    #[test]
    fn parameters_out_of_range_are_not_sound() {
        for law in [
            Named::Uniform { lower: 1.0, upper: 1.0 },
            Named::Normal { mean: 1.0, sd: 0.0 },
            Named::Lognormal { median: 1.0, sigma: 60.0 },
            Named::Exponential { mean: -1.0 },
            Named::Gamma { shape: 1e9, scale: 1.0 },
            Named::Weibull { shape: 0.001, scale: 1.0 },
        ] {
            assert!(!law.is_sound(), "{law:?}");
        }
        assert!(LAWS.iter().all(|law| law.is_sound()));
    }
}
