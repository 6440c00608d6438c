//! Laws of a random quantity X: what it may be, and draws.

use runcast_core::Problem;
use runcast_core::random::SplitMix;

/// A law of X, where factors are 1 + X: no draw is below -1.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    Exponential {
        /// Its mean, at least 0.
        mean: f64,
    },
    /// Normal; draws below -1 count as -1.
    Normal {
        mean: f64,
        /// Its standard deviation, at least 0.
        sd: f64,
    },
    Uniform {
        /// Least value, at least -1.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    Discrete {
        /// The values with the sum of the probabilities up to each, ascending to 1.
        steps: Vec<(f64, f64)>,
    },
}

impl Distribution {
    /// The names that files use.
    pub const KINDS: [&'static str; 4] = ["exp", "normal", "uniform", "discrete"];

    /// An exponential law.
    ///
    /// # Errors
    /// A mean below 0, or not finite.
    pub fn exponential(mean: f64) -> Result<Self, Problem> {
        finite("mean", mean)?;
        if mean < 0.0 {
            return Err(bad("mean", mean, "a number from 0"));
        }
        Ok(Distribution::Exponential { mean })
    }

    /// A normal law.
    ///
    /// # Errors
    /// A standard deviation below 0; numbers that are not finite.
    pub fn normal(mean: f64, sd: f64) -> Result<Self, Problem> {
        finite("mean", mean)?;
        finite("sd", sd)?;
        if sd < 0.0 {
            return Err(bad("sd", sd, "a number from 0"));
        }
        Ok(Distribution::Normal { mean, sd })
    }

    /// A uniform law.
    ///
    /// # Errors
    /// `max` below `min`; `min` below -1; numbers that are not finite.
    pub fn uniform(min: f64, max: f64) -> Result<Self, Problem> {
        finite("min", min)?;
        finite("max", max)?;
        if min < -1.0 {
            return Err(bad("min", min, "a number from -1: factors are 1 + X"));
        }
        if max < min {
            return Err(bad("max", max, &format!("a number from {min} (min)")));
        }
        Ok(Distribution::Uniform { min, max })
    }

    /// A discrete law.
    ///
    /// # Errors
    /// Lists of different lengths or none; values below -1; probabilities below 0 or whose sum is not 1.
    pub fn discrete(values: &[f64], probabilities: &[f64]) -> Result<Self, Problem> {
        if values.is_empty() || values.len() != probabilities.len() {
            let message = format!("{} values with {} probabilities", values.len(), probabilities.len());
            return Err(Problem::new("bad_distribution", message).at("prob").allowed("as many as values, at least 1"));
        }
        let mut steps = Vec::with_capacity(values.len());
        let mut sum = 0.0;
        for (value, probability) in values.iter().zip(probabilities) {
            finite("values", *value)?;
            finite("prob", *probability)?;
            if *value < -1.0 {
                return Err(bad("values", *value, "numbers from -1: factors are 1 + X"));
            }
            if *probability < 0.0 {
                return Err(bad("prob", *probability, "numbers from 0 to 1"));
            }
            sum += probability;
            steps.push((*value, sum));
        }
        if (sum - 1.0).abs() > 1e-9 {
            return Err(bad("prob", sum, "a sum of 1"));
        }
        Ok(Distribution::Discrete { steps })
    }

    #[inline]
    pub fn draw(&self, random: &mut SplitMix) -> f64 {
        match self {
            Distribution::Exponential { mean } => mean * exponential(random),
            Distribution::Normal { mean, sd } => (mean + sd * standard_normal(random)).max(-1.0),
            Distribution::Uniform { min, max } => min + (max - min) * random.uniform(),
            Distribution::Discrete { steps } => {
                let at = random.uniform();
                let found = steps.iter().find(|(_, until)| at < *until);
                found.or(steps.last()).map_or(0.0, |(value, _)| *value)
            }
        }
    }

    /// The mean of the law; of a normal law as if no draw were below -1.
    pub fn mean(&self) -> f64 {
        match self {
            Distribution::Exponential { mean } | Distribution::Normal { mean, .. } => *mean,
            Distribution::Uniform { min, max } => 0.5 * (min + max),
            Distribution::Discrete { steps } => {
                let mut before = 0.0;
                let mut mean = 0.0;
                for (value, until) in steps {
                    mean += value * (until - before);
                    before = *until;
                }
                mean
            }
        }
    }
}

/// An exponential draw of mean 1.
#[inline]
pub(crate) fn exponential(random: &mut SplitMix) -> f64 {
    // 1 - u is never 0.
    -(-random.uniform()).ln_1p()
}

/// A normal draw of mean 0 and deviation 1 (Box, Muller, Annals of Mathematical Statistics 29, 1958).
#[inline]
pub(crate) fn standard_normal(random: &mut SplitMix) -> f64 {
    let radius = (2.0 * exponential(random)).sqrt();
    radius * (std::f64::consts::TAU * random.uniform()).cos()
}

fn finite(key: &str, value: f64) -> Result<(), Problem> {
    if value.is_finite() { Ok(()) } else { Err(bad(key, value, "a finite number")) }
}

fn bad(key: &str, value: f64, allowed: &str) -> Problem {
    let message = format!("{key} of a random factor is out of range");
    Problem::new("bad_distribution", message).at(key).value(value.to_string()).allowed(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(law: &Distribution) -> (f64, f64) {
        let mut random = SplitMix::new(3, 5);
        let draws: Vec<f64> = (0..100_000).map(|_| law.draw(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        (mean, draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64)
    }

    #[test]
    fn draws_have_the_moments_of_their_law() {
        let cases = [
            (Distribution::exponential(0.5), 0.5_f64, 0.25_f64),
            (Distribution::normal(0.1, 0.2), 0.1, 0.04),
            (Distribution::uniform(-0.5, 1.0), 0.25, 1.5 * 1.5 / 12.0),
            (Distribution::discrete(&[0.0, 1.0], &[0.75, 0.25]), 0.25, 0.1875),
        ];
        for (law, mean, variance) in cases {
            let law = law.expect("a law");
            let seen = moments(&law);
            assert!((seen.0 - mean).abs() < 4.0 * (variance / 1e5).sqrt(), "{law:?} {seen:?}");
            assert!((seen.1 / variance - 1.0).abs() < 0.03, "{law:?} {seen:?}");
            assert!((law.mean() - mean).abs() < 1e-12);
        }
    }

    #[test]
    fn factors_are_never_negative() {
        let law = Distribution::normal(0.0, 5.0).expect("a law");
        let mut random = SplitMix::new(0, 0);
        assert!((0..1000).all(|_| law.draw(&mut random) >= -1.0));
    }

    #[test]
    fn what_is_no_law_is_refused() {
        for wrong in [
            Distribution::exponential(-1.0),
            Distribution::exponential(f64::NAN),
            Distribution::normal(0.0, -0.1),
            Distribution::uniform(-1.5, 0.0),
            Distribution::uniform(1.0, 0.0),
            Distribution::discrete(&[], &[]),
            Distribution::discrete(&[1.0], &[0.5, 0.5]),
            Distribution::discrete(&[1.0, 2.0], &[0.5, 0.4]),
            Distribution::discrete(&[1.0, 2.0], &[1.5, -0.5]),
            Distribution::discrete(&[-2.0], &[1.0]),
        ] {
            assert_eq!(wrong.expect_err("no law").code, "bad_distribution");
        }
    }
}
