//! Scores as a distribution.

use crate::numeric::normal;

/// The distribution of the score of a new run: linear between the scores seen, with normal tails beyond.
///
/// ```text
/// F(d_(i)) = (C_i - w_i/2 + w_new/2) / (W + w_new)      C: cumulated weights
/// ```
///
/// A tail has mean 0 and the standard deviation that meets the outermost score, 1 where that lies on the wrong side of 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreLaw {
    /// `(score, share below)`, ascending.
    points: Vec<(f64, f64)>,
    low_sd: f64,
    high_sd: f64,
}

impl ScoreLaw {
    pub(super) fn new(sorted: &[(f64, f64)], total: f64, of_new: f64) -> Option<ScoreLaw> {
        let mut passed = 0.0;
        let points: Vec<(f64, f64)> = sorted
            .iter()
            .map(|(score, weight)| {
                passed += weight;
                (*score, (passed - 0.5 * weight + 0.5 * of_new) / (total + of_new))
            })
            .collect();
        let sd = |(score, share): (f64, f64), is_low: bool| {
            let is_outside = if is_low { score < 0.0 && share < 0.5 } else { score > 0.0 && share > 0.5 };
            if is_outside { score / normal::quantile(share) } else { 1.0 }
        };
        let (first, last) = (*points.first()?, *points.last()?);
        Some(ScoreLaw { low_sd: sd(first, true), high_sd: sd(last, false), points })
    }

    /// The probability of a score that is not larger.
    pub fn share_below(&self, score: f64) -> f64 {
        let after = self.points.partition_point(|(at, _)| *at <= score);
        let at = |index: usize| self.points[index];
        match after {
            0 => normal::share_below(score / self.low_sd).min(at(0).1),
            _ if after == self.points.len() => normal::share_below(score / self.high_sd).max(at(after - 1).1),
            _ => {
                let ((a, low), (b, high)) = (at(after - 1), at(after));
                low + (high - low) * (score - a) / (b - a)
            }
        }
    }

    /// What a share of the scores, strictly between 0 and 1, is below.
    pub fn quantile(&self, share: f64) -> f64 {
        let after = self.points.partition_point(|(_, below)| *below <= share);
        let at = |index: usize| self.points[index];
        match after {
            0 => (normal::quantile(share) * self.low_sd).min(at(0).0),
            _ if after == self.points.len() => (normal::quantile(share) * self.high_sd).max(at(after - 1).0),
            _ => {
                let ((a, low), (b, high)) = (at(after - 1), at(after));
                a + (b - a) * (share - low) / (high - low)
            }
        }
    }
}
