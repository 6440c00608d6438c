//! Ranges of the time of a program: what the errors of its models make of it, in joint draws.
//!
//! In a draw each model is off by as many standard deviations everywhere, so that a region that takes longer than its model
//! says takes longer in all supersteps and on all processors. What machines and formulas say is exact.

use runcast_core::numeric::{normal, statistics};
use runcast_core::prediction::Prediction;
use runcast_core::random::SplitMix;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Of the intervals.
pub(super) const LEVEL: f64 = 0.9;
/// Draws for a range.
const DRAWS: usize = 200;
/// Fewer draws give no range.
const FEWEST: usize = 20;
/// Processors times draws that are calculated at most.
const MOST_PROCESSORS: usize = 400_000;
/// Points of a model that are kept.
const MOST_POINTS: usize = 1_000_000;

/// Which draw is calculated; 0: what the models say.
#[derive(Debug, Clone, Default)]
pub(super) struct Draw(Arc<AtomicUsize>);

impl Draw {
    pub fn number(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// A range of a time: `time` calculates it again in each draw. None for machines that are too large.
    ///
    /// # Errors
    /// That of `time`.
    pub fn range<E>(
        &self,
        value: f64,
        processors: usize,
        time: &mut dyn FnMut() -> Result<f64, E>,
    ) -> Result<Option<Range>, E> {
        let draws = DRAWS.min(MOST_PROCESSORS / processors.max(1));
        if draws < FEWEST {
            return Ok(None);
        }
        let mut times = Vec::with_capacity(draws);
        for number in 1..=draws {
            self.0.store(number, Ordering::Relaxed);
            let drawn = time();
            self.0.store(0, Ordering::Relaxed);
            times.push(drawn?);
        }
        let quantile = |share: f64| statistics::quantile(&times, share);
        let tail = (1.0 - LEVEL) / 2.0;
        Ok(Some(Range { low: quantile(tail).min(value), high: quantile(1.0 - tail).max(value), draws }))
    }
}

/// A range, and from how many draws.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub low: f64,
    pub high: f64,
    pub draws: usize,
}

/// The errors of a model in all draws, and what it has said already.
pub(super) struct Errors {
    draw: Draw,
    deviates: Vec<f64>,
    known: Mutex<HashMap<Vec<u64>, Spread>>,
}

/// A value with its interval.
#[derive(Debug, Clone, Copy)]
struct Spread {
    value: f64,
    low: f64,
    high: f64,
}

impl Errors {
    /// Those of the model of this number in its program.
    pub fn new(draw: &Draw, model: u64) -> Self {
        let mut random = SplitMix::new(0, model);
        let deviates = (0..DRAWS).map(|_| normal::quantile(random.uniform().max(f64::EPSILON))).collect();
        Errors { draw: draw.clone(), deviates, known: Mutex::default() }
    }

    /// What the model is in this draw at a point that it was asked for before; none if that is what it says itself.
    pub fn drawn(&self, at: &[f64]) -> Option<f64> {
        let deviate = self.deviates.get(self.draw.number().checked_sub(1)?)?;
        let known = self.known.lock().ok()?;
        known.get(&bits(at)).map(|spread| spread.drawn(*deviate))
    }

    /// Keeps a prediction; what it is in this draw.
    pub fn keep(&self, at: &[f64], value: f64, prediction: &Prediction) -> f64 {
        let spread = Spread { value, low: prediction.low.unwrap_or(value), high: prediction.high.unwrap_or(value) };
        if let Ok(mut known) = self.known.lock()
            && known.len() < MOST_POINTS
        {
            known.insert(bits(at), spread);
        }
        let deviate = self.draw.number().checked_sub(1).and_then(|draw| self.deviates.get(draw));
        deviate.map_or(value, |deviate| spread.drawn(*deviate))
    }
}

fn bits(at: &[f64]) -> Vec<u64> {
    at.iter().map(|value| value.to_bits()).collect()
}

impl Spread {
    /// As far off as a normal number says, on the scale of logarithms where that is possible; never below 0.
    fn drawn(self, deviate: f64) -> f64 {
        let bound = if deviate > 0.0 { self.high } else { self.low };
        let share = deviate.abs() / normal::quantile((1.0 + LEVEL) / 2.0);
        if self.value > 0.0 && bound > 0.0 {
            self.value * (bound / self.value).powf(share)
        } else {
            (self.value + share * (bound - self.value)).max(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::Configuration;

    /// Of a model alone the range is that of the model.
    #[test]
    fn one_model_keeps_its_range() {
        let draw = Draw::default();
        let errors = Errors::new(&draw, 3);
        let prediction = Prediction::new("llac", "m", "time_s", Configuration::default(), Some(10.0)).within(
            LEVEL,
            Some(8.0),
            Some(15.0),
        );
        assert_eq!(errors.keep(&[4.0], 10.0, &prediction), 10.0);
        let range = draw.range(10.0, 4, &mut || errors.drawn(&[4.0]).ok_or(())).expect("known").expect("small");
        assert!((range.low / 8.0 - 1.0).abs() < 0.05 && (range.high / 15.0 - 1.0).abs() < 0.08, "{range:?}");
        assert_eq!((range.draws, errors.drawn(&[4.0])), (200, None));
        // Two with errors of their own are off less often together.
        let other = Errors::new(&draw, 4);
        other.keep(&[], 10.0, &prediction);
        let both = || Ok::<f64, ()>(errors.drawn(&[4.0]).unwrap_or(10.0) + other.drawn(&[]).unwrap_or(10.0));
        let sum = draw.range(20.0, 4, &mut { both }).expect("known").expect("small");
        assert!(sum.low > 16.4 && sum.high < 29.0, "{sum:?}");
        assert_eq!(draw.range(1.0, 1 << 20, &mut || Ok::<f64, ()>(1.0)), Ok(None));
    }
}
