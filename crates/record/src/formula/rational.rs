//! Fractions of small denominators.

use std::fmt;

/// The greatest denominator.
const MOST: i64 = 64;

/// A fraction in lowest terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rational {
    above: i64,
    below: i64,
}

impl Rational {
    /// A whole number.
    pub(super) fn whole(value: i64) -> Self {
        Rational { above: value, below: 1 }
    }

    /// Divided by a whole number.
    pub(super) fn over(self, by: i64) -> Self {
        reduced(self.above, self.below * by)
    }

    /// The fraction that a number is, if its denominator is small.
    pub(super) fn near(value: f64) -> Option<Self> {
        let is_near = |below: i64| {
            let above = value * below as f64;
            above.abs() < 9e15 && (above - above.round()).abs() <= 1e-9 * above.abs().max(1.0)
        };
        let below = (1..=MOST).find(|below| is_near(*below))?;
        Some(reduced((value * below as f64).round() as i64, below))
    }

    /// As a floating-point number.
    pub fn value(self) -> f64 {
        self.above as f64 / self.below as f64
    }

    pub(super) fn is_zero(self) -> bool {
        self.above == 0
    }

    /// Binary lengths of numerator and denominator.
    pub(super) fn bits(self) -> u32 {
        length(self.above) + length(self.below)
    }
}

/// Digits in binary.
pub(super) fn length(value: i64) -> u32 {
    64 - value.unsigned_abs().leading_zeros()
}

/// The fraction of least denominator in an interval whose ends may belong to it; then of least numerator.
pub(super) fn simplest_within(low: f64, high: f64) -> Option<Rational> {
    let inside = |below: i64| {
        let above = (low * below as f64 - 1e-9).ceil();
        (above > 0.0 && above < 9e15 && above <= high * below as f64 + 1e-9).then(|| reduced(above as i64, below))
    };
    (low <= high * (1.0 + 1e-12)).then(|| (1..=MOST).find_map(inside)).flatten()
}

fn reduced(above: i64, below: i64) -> Rational {
    let (mut a, mut b) = (above.unsigned_abs(), below.unsigned_abs());
    while b > 0 {
        (a, b) = (b, a % b);
    }
    let divisor = i64::try_from(a.max(1)).unwrap_or(1);
    Rational { above: above / divisor, below: below / divisor }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.below {
            1 => write!(f, "{}", self.above),
            below => write!(f, "{}/{below}", self.above),
        }
    }
}
