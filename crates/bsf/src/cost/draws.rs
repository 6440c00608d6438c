//! What uncertain times could be: seeded draws, and the quantiles of what follows from them.

use super::costs::Costs;
use super::form::{Collective, Form};
use super::model::CostModel;
use super::uncertain::{Uncertain, level_deviate};
use runcast_core::numeric::normal;
use runcast_core::statistics::quantile_of_sorted;
use serde::Serialize;

/// A range with its level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    pub level: f64,
}

/// Draws of costs from independent uncertain times.
///
/// The same seed gives the same draws. Made by [`CostModel::draws`].
#[derive(Debug, Clone, PartialEq)]
pub struct Draws {
    costs: Vec<Costs>,
}

impl Draws {
    /// Number of draws.
    pub(super) fn of(model: &CostModel, count: usize, seed: u64) -> Self {
        let ends = level_deviate(model.input_level());
        let draw = |index: u64| {
            let mut input = 0;
            model.costs_by(|uncertain: &Uncertain| {
                input += 1;
                uncertain.at(normal::quantile(uniform(seed, index, input)), ends)
            })
        };
        Draws { costs: (0..count as u64).map(draw).collect() }
    }

    /// Number of draws.
    pub fn count(&self) -> usize {
        self.costs.len()
    }

    /// The interval of the scalability boundary; none if there is no boundary.
    pub fn k_max(&self, level: f64) -> Option<Interval> {
        self.interval(level, Costs::k_max)
    }

    /// The interval of the time with this many workers \[s\].
    pub fn time_s(&self, form: Form, collective: Collective, workers: u64, level: f64) -> Option<Interval> {
        self.interval(level, |costs| Some(costs.time_s(form, collective, workers)))
    }

    /// The interval of anything that follows from costs: its quantiles over the draws. None if a draw has no value.
    pub fn interval(&self, level: f64, of: impl Fn(&Costs) -> Option<f64>) -> Option<Interval> {
        let mut values = self.costs.iter().map(of).collect::<Option<Vec<f64>>>()?;
        values.sort_unstable_by(f64::total_cmp);
        let (low, high) =
            (quantile_of_sorted(&values, 0.5 - 0.5 * level), quantile_of_sorted(&values, 0.5 + 0.5 * level));
        (low.is_finite() && high.is_finite()).then_some(Interval { low, high, level })
    }
}

/// A number in (0, 1) for each input of each draw, independent of the order of the calls.
fn uniform(seed: u64, draw: u64, input: u64) -> f64 {
    let bits = mix(mix(mix(seed).wrapping_add(draw)).wrapping_add(input));
    ((bits >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// The finalizer of SplitMix64 (Steele, Lea, Flood: *Fast splittable pseudorandom number generators*, 2014).
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
