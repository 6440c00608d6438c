//! The law of a time before it is on the lattice.

mod merge;
mod named;
mod smooth;

pub(crate) use named::{NAMES, Named};
pub(crate) use smooth::Smooth;

use super::binning::{Binning, MOST_TICKS, binned};
use crate::model::law::{Law, NoLaw};

/// The law of a time, clipped; in seconds unless it is in ticks.
#[derive(Debug, Clone)]
pub(crate) struct Distribution {
    pub shape: Shape,
    pub binning: Binning,
    /// Whether probabilities below 1e-6 go to their neighbors: of samples and named laws.
    pub merges: bool,
    /// The mean of what lies beyond the clip point, in seconds: by so much the mean has fallen.
    pub lost_s: f64,
    /// By so much it has risen at the lower end.
    pub raised_s: f64,
}

/// What kind of law it is.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// On the lattice already.
    Ticks(Vec<(u64, f64)>),
    /// Values in seconds with probabilities, ascending.
    Values(Vec<(f64, f64)>),
    /// One that has a name.
    Smooth(Smooth),
}

/// Why there is no law on a lattice.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Trouble {
    NoLaw(NoLaw),
    /// It would need this many ticks.
    TooLong(f64),
}

impl Distribution {
    /// What is neither binned in a special way nor clipped.
    pub(crate) fn plain(shape: Shape) -> Self {
        Distribution { shape, binning: Binning::Split, merges: false, lost_s: 0.0, raised_s: 0.0 }
    }

    /// From the least to the largest time in seconds, but for 1e-9 of the mass at the lower end; none of ticks.
    pub(crate) fn range_s(&self) -> Option<(f64, f64)> {
        match &self.shape {
            Shape::Ticks(_) => None,
            Shape::Values(values) => Some((values.first()?.0, values.last()?.0)),
            Shape::Smooth(smooth) => Some((smooth.visible_from_s(), smooth.highest_s)),
        }
    }

    /// The mean in seconds, after clipping.
    pub(crate) fn mean_s(&self, step_s: f64) -> f64 {
        match &self.shape {
            Shape::Ticks(pairs) => pairs.iter().map(|(ticks, probability)| *ticks as f64 * step_s * probability).sum(),
            Shape::Values(values) => values.iter().map(|(value, probability)| value * probability).sum(),
            Shape::Smooth(smooth) => smooth.mean_s(),
        }
    }

    /// How many ticks have to be looked at.
    pub(crate) fn effort(&self, step_s: f64) -> f64 {
        match (&self.shape, self.range_s()) {
            (Shape::Smooth(_), Some((low, high))) => (high - low) / step_s,
            _ => 0.0,
        }
    }

    /// The law on the lattice.
    pub(crate) fn law(&self, step_s: f64) -> Result<Law, Trouble> {
        let most = match (&self.shape, self.range_s()) {
            (Shape::Ticks(pairs), _) => {
                pairs.iter().filter(|pair| pair.1 > 0.0).map(|pair| pair.0).max().unwrap_or(0) as f64
            }
            (_, Some((_, high))) => high / step_s,
            (_, None) => return Err(Trouble::NoLaw(NoLaw::Empty)),
        };
        if most > MOST_TICKS as f64 + super::binning::EXACT {
            return Err(Trouble::TooLong(most));
        }
        let law = match &self.shape {
            Shape::Ticks(pairs) => Law::new(pairs.iter().copied()),
            Shape::Values(values) => binned(values.iter().copied(), step_s, self.binning),
            Shape::Smooth(smooth) => Law::new(smooth.weights(step_s, self.binning)),
        };
        let law = law.map_err(Trouble::NoLaw)?;
        Ok(if self.merges { merge::merged(&law) } else { law })
    }
}

/// Values moved by `shift`, what is below `lower` or above the clip point on these, and by how much that moves the mean
/// at either end. The clip point is `upper`, or the smallest value up to which there is a share `clip`.
pub(crate) fn clipped(mut values: Vec<(f64, f64)>, bounds: &Bounds) -> (Vec<(f64, f64)>, [f64; 2]) {
    values.retain(|(_, probability)| *probability > 0.0);
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut raised_s, mut lost_s) = (0.0, 0.0);
    for (value, probability) in &mut values {
        let moved = *value + bounds.shift_s;
        *value = moved.max(bounds.lower_s.unwrap_or(f64::NEG_INFINITY));
        raised_s += (*value - moved) * *probability;
    }
    let mut sum = 0.0;
    let at_quantile = values.iter().find(|(_, probability)| {
        sum += probability;
        sum >= bounds.clip - 1e-12
    });
    let at_quantile = at_quantile.map_or(f64::INFINITY, |(value, _)| *value);
    let top = bounds.upper_s.unwrap_or(if bounds.clip < 1.0 { at_quantile } else { f64::INFINITY });
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for (value, probability) in values {
        lost_s += (value - top).max(0.0) * probability;
        let value = value.min(top);
        match kept.last_mut() {
            Some((last, sum)) if *last == value => *sum += probability,
            _ => kept.push((value, probability)),
        }
    }
    (kept, [raised_s, lost_s])
}

/// What is done to values before they continue the lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    /// Added first.
    pub shift_s: f64,
    pub lower_s: Option<f64>,
    pub upper_s: Option<f64>,
    /// The share of the mass that stays where it is; 1 is all of it.
    pub clip: f64,
}
