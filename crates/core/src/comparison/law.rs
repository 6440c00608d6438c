//! A forecast as a distribution.

use crate::numeric::normal;

/// A split lognormal distribution: its median, and the standard deviations of the logarithm below and above.
///
/// ```text
/// P(T <= x) = Phi( ln(x/value) / s_side )      s_low = ln(value/low)/z,  s_high = ln(high/value)/z,  z the deviate of the level
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// The median.
    pub value: f64,
    pub low_sd: f64,
    pub high_sd: f64,
}

impl Law {
    /// That of a range of this level around a value; none unless all are positive and in order.
    ///
    /// ```
    /// use runcast_core::comparison::Law;
    /// let law = Law::of_range(100.0, 90.0, 112.0, 0.9).expect("in order");
    /// assert!((law.share_below(95.0) - 0.211631).abs() < 5e-7);
    /// ```
    pub fn of_range(value: f64, low: f64, high: f64, level: f64) -> Option<Law> {
        let z = deviate(level)?;
        let in_order = 0.0 < low && low <= value && value <= high && high.is_finite();
        in_order.then(|| Law { value, low_sd: (value / low).ln() / z, high_sd: (high / value).ln() / z })
    }

    /// The probability of a run that is not larger than this.
    pub fn share_below(&self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        let distance = (x / self.value).ln();
        let sd = if distance < 0.0 { self.low_sd } else { self.high_sd };
        match sd > 0.0 {
            true => normal::share_below(distance / sd),
            false if distance == 0.0 => 0.5,
            false => f64::from(u8::from(distance > 0.0)),
        }
    }

    /// One standard deviation for both sides: `ln(high/low)/(2 z)`.
    pub fn sd(&self) -> f64 {
        0.5 * (self.low_sd + self.high_sd)
    }

    /// What a share of the runs is below, for a share strictly between 0 and 1.
    pub fn quantile(&self, share: f64) -> f64 {
        let z = normal::quantile(share);
        self.value * (z * if z < 0.0 { self.low_sd } else { self.high_sd }).exp()
    }
}

impl Law {
    /// The mean of the runs.
    ///
    /// ```
    /// use runcast_core::comparison::Law;
    /// let law = Law { value: 100.0, low_sd: 0.1, high_sd: 0.1 };
    /// // exp(0.1^2/2) of a lognormal law, but for what lies beyond the outermost of the 64 quantiles
    /// assert!((law.mean() / 100.501252 - 1.0).abs() < 2e-4);
    /// ```
    pub fn mean(&self) -> f64 {
        mean_of(|share| self.quantile(share))
    }
}

/// The mean of a law by its quantiles: their average at `(i - 1/2)/64`, i = 1..64.
pub fn mean_of(quantile: impl Fn(f64) -> f64) -> f64 {
    (1..=SLICES).map(|i| quantile((f64::from(i) - 0.5) / f64::from(SLICES))).sum::<f64>() / f64::from(SLICES)
}

const SLICES: u32 = 64;

/// The deviate z of a level: that share of a normal distribution lies within z standard deviations. None unless 0 < level < 1.
pub fn deviate(level: f64) -> Option<f64> {
    (level > 0.0 && level < 1.0).then(|| normal::quantile(0.5 * (1.0 + level)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_range_has_no_law_unless_it_is_in_order() {
        for (value, low, high, level) in [
            (1.0, 0.0, 2.0, 0.9),
            (1.0, 1.1, 2.0, 0.9),
            (1.0, 0.9, 0.95, 0.9),
            (1.0, 0.9, f64::INFINITY, 0.9),
            (f64::NAN, 0.9, 1.1, 0.9),
            (1.0, 0.9, 1.1, f64::NAN),
        ] {
            assert_eq!(Law::of_range(value, low, high, level), None);
        }
        let point = Law::of_range(1.0, 1.0, 1.0, 0.9).expect("a point");
        assert_eq!([0.9, 1.0, 1.1].map(|x| point.share_below(x)), [0.0, 0.5, 1.0]);
    }

    proptest! {
        #[test]
        fn quantiles_are_where_the_shares_are(value in 1e-6..1e6f64, low in 0.5..0.99f64, high in 1.01..2.0f64, share in 0.01..0.99f64) {
            let law = Law::of_range(value, low * value, high * value, 0.9).expect("in order");
            prop_assert!((law.share_below(law.quantile(share)) - share).abs() < 1e-12);
            prop_assert!((law.quantile(0.05) / (low * value) - 1.0).abs() < 1e-12);
            prop_assert!((law.quantile(0.95) / (high * value) - 1.0).abs() < 1e-12);
        }
    }
}
