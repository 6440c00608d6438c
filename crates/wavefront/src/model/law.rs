//! The law of a time on the lattice.

use std::convert::Infallible;
use std::fmt;

/// Tolerance of a sum of probabilities.
pub const SUM_TOLERANCE: f64 = 1e-9;

/// A discrete law: ticks with their probabilities, ascending, each positive, their sum 1.
///
/// # Examples
/// ```
/// use runcast_wavefront::Law;
/// let law = Law::new([(4, 0.5), (5, 0.3), (8, 0.2)]).unwrap();
/// assert!((law.mean() - 5.1).abs() < 1e-12);
/// assert!((law.convolved(2).mean() - 10.2).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    support: Vec<(u64, f64)>,
}

/// Why numbers are not a law.
#[derive(Debug, Clone, PartialEq)]
pub enum NoLaw {
    /// There is no value with a positive probability.
    Empty,
    /// A probability is not in \[0, 1\].
    Probability(f64),
    /// The probabilities do not sum to 1.
    Sum(f64),
}

impl fmt::Display for NoLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoLaw::Empty => write!(f, "there is no value with a positive probability"),
            NoLaw::Probability(value) => write!(f, "{value} is not a probability"),
            NoLaw::Sum(sum) => write!(f, "the probabilities sum to {sum}, not to 1"),
        }
    }
}

impl std::error::Error for NoLaw {}

impl Law {
    /// Zeros are dropped, equal ticks are added up, what is missing to 1 within [`SUM_TOLERANCE`] is evened out.
    ///
    /// # Errors
    /// A probability is outside \[0, 1\], or their sum is not 1.
    pub fn new(pairs: impl IntoIterator<Item = (u64, f64)>) -> Result<Law, NoLaw> {
        let mut pairs: Vec<(u64, f64)> = pairs.into_iter().collect();
        if let Some((_, wrong)) = pairs.iter().find(|(_, probability)| !(0.0..=1.0).contains(probability)) {
            return Err(NoLaw::Probability(*wrong));
        }
        pairs.sort_by_key(|(ticks, _)| *ticks);
        let mut support: Vec<(u64, f64)> = Vec::with_capacity(pairs.len());
        for (ticks, probability) in pairs {
            match support.last_mut() {
                Some((last, sum)) if *last == ticks => *sum += probability,
                _ => support.push((ticks, probability)),
            }
        }
        support.retain(|(_, probability)| *probability > 0.0);
        let sum: f64 = support.iter().map(|(_, probability)| probability).sum();
        if support.is_empty() {
            return Err(NoLaw::Empty);
        }
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(NoLaw::Sum(sum));
        }
        for (_, probability) in &mut support {
            *probability /= sum;
        }
        Ok(Law { support })
    }

    /// The same time always.
    pub fn constant(ticks: u64) -> Law {
        Law { support: vec![(ticks, 1.0)] }
    }

    /// Ticks and probabilities, ascending.
    pub fn support(&self) -> &[(u64, f64)] {
        &self.support
    }

    /// The smallest number of ticks.
    pub fn least(&self) -> u64 {
        self.support[0].0
    }

    /// The largest number of ticks.
    pub fn most(&self) -> u64 {
        self.support[self.support.len() - 1].0
    }

    /// The mean, in ticks.
    pub fn mean(&self) -> f64 {
        self.support.iter().map(|(ticks, probability)| *ticks as f64 * probability).sum()
    }

    /// P(time = `ticks`).
    pub fn at(&self, ticks: u64) -> f64 {
        self.support.binary_search_by_key(&ticks, |(place, _)| *place).map_or(0.0, |index| self.support[index].1)
    }

    /// P(time <= `ticks`).
    pub fn up_to(&self, ticks: u64) -> f64 {
        let count = self.support.partition_point(|(place, _)| *place <= ticks);
        if count == self.support.len() { 1.0 } else { self.support[..count].iter().map(|(_, p)| p).sum() }
    }

    /// The law of the sum of two independent times.
    #[must_use]
    pub fn plus(&self, other: &Law) -> Law {
        let width = (self.most() - self.least() + other.most() - other.least() + 1) as usize;
        let first = self.least() + other.least();
        if width <= 4 * self.support.len() * other.support.len() {
            let mut dense = vec![0.0; width];
            for (a, pa) in &self.support {
                for (b, pb) in &other.support {
                    dense[(a + b - first) as usize] += pa * pb;
                }
            }
            let support = (first..).zip(dense).filter(|(_, probability)| *probability > 0.0).collect();
            return Law { support };
        }
        let mut sums = std::collections::BTreeMap::new();
        for (a, pa) in &self.support {
            for (b, pb) in &other.support {
                *sums.entry(a + b).or_insert(0.0) += pa * pb;
            }
        }
        Law { support: sums.into_iter().filter(|(_, probability)| *probability > 0.0).collect() }
    }

    /// The law of the sum of `count` independent times; of 0 of them it is 0.
    #[must_use]
    pub fn convolved(&self, count: u32) -> Law {
        let Ok(law) = self.convolved_by(count, |a, b| Ok::<Law, Infallible>(a.plus(b)));
        law
    }

    /// The same, with sums of two made by `plus`.
    pub(crate) fn convolved_by<E>(&self, count: u32, plus: impl Fn(&Law, &Law) -> Result<Law, E>) -> Result<Law, E> {
        let mut sum = Law::constant(0);
        let mut power = self.clone();
        let mut left = count;
        while left > 0 {
            if left & 1 == 1 {
                sum = plus(&sum, &power)?;
            }
            left >>= 1;
            if left > 0 {
                power = plus(&power, &power)?;
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_law_are_told() {
        assert_eq!(Law::new([]), Err(NoLaw::Empty));
        assert_eq!(Law::new([(1, 0.0)]), Err(NoLaw::Empty));
        assert_eq!(Law::new([(1, -0.5), (2, 1.5)]), Err(NoLaw::Probability(-0.5)));
        assert!(matches!(Law::new([(1, f64::NAN)]), Err(NoLaw::Probability(_))));
        assert_eq!(Law::new([(1, 0.5), (2, 0.25)]), Err(NoLaw::Sum(0.75)));
    }

    #[test]
    fn zeros_are_dropped_and_equal_ticks_added_up() {
        let law = Law::new([(3, 0.25), (1, 0.5), (3, 0.25), (2, 0.0)]).expect("a law");
        assert_eq!(law.support(), [(1, 0.5), (3, 0.5)]);
        assert_eq!((law.least(), law.most(), law.at(3), law.at(2), law.up_to(2)), (1, 3, 0.5, 0.0, 0.5));
    }

    #[test]
    fn sums_of_dice() {
        let die = Law::new((1..=6).map(|face| (face, 1.0 / 6.0))).expect("a law");
        let sum = die.convolved(3);
        assert_eq!((sum.least(), sum.most()), (3, 18));
        // 27 of the 216 throws show 10.
        assert!((sum.at(10) - 27.0 / 216.0).abs() < 1e-15);
        // A sum with gaps, by the sparse way.
        let far = Law::new([(1, 0.5), (1_000_000_000, 0.5)]).expect("a law");
        assert_eq!(far.convolved(2).support(), [(2, 0.25), (1_000_000_001, 0.5), (2_000_000_000, 0.25)]);
        assert_eq!(die.convolved(0), Law::constant(0));
    }
}
