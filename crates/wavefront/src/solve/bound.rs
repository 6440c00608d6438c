//! How many states a chain can have, known before it is solved.
//!
//! With all messages between lo and hi ticks and w = hi - lo + 1, for p processes:
//!
//! ```text
//! states <= w^p - (w-1)^p + p*lo*(w^(p-1) - (w-1)^(p-1))
//! ```
//!
//! A process that is not the leader waits for the leader's message, which takes lo to hi ticks; the leader itself may be
//! ready up to lo ticks before any of its messages arrives. Under "complete" the last update may end
//! up to (largest update - 1) ticks after the wait. Modes multiply the bound; a start outside it adds to it.

use crate::model::Model;
use crate::solve::lump;
use std::f64::consts::LN_10;
use std::fmt;

/// A bound of the number of states.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// States; infinite where it overflows.
    pub states: f64,
    /// Its decimal logarithm, which does not overflow.
    pub log10: f64,
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.states < 1e15 {
            write!(f, "up to {}", self.states.round())
        } else {
            write!(f, "up to 10^{:.1}", self.log10)
        }
    }
}

impl Bound {
    /// The bound of a model.
    ///
    /// # Examples
    /// ```
    /// use runcast_wavefront::cases;
    /// use runcast_wavefront::solve::bound::Bound;
    /// assert_eq!(Bound::of(&cases::homogeneous(3, 1, 4)).states, 58.0);
    /// assert_eq!(Bound::of(&cases::constant_network(1)).states, 10.0);
    /// ```
    pub fn of(model: &Model) -> Bound {
        let (lowest, width) = range(model);
        let one = Bound::of_messages(model.size() as f64, lowest, width);
        let modes = model.modes.count() as f64;
        Bound { states: one.states * modes, log10: one.log10 + modes.log10() }
    }

    /// The same where equal processes are solved as one: they are sorted, so sets of them are counted, with repetition.
    ///
    /// # Examples
    /// ```
    /// use runcast_wavefront::cases;
    /// use runcast_wavefront::solve::bound::Bound;
    /// // 8 times for 6 processes: C(13,6) - C(12,6) + C(12,5) - C(11,5) instead of 240,261.
    /// assert_eq!(Bound::lumped(&cases::homogeneous(6, 1, 8)).states, 1122.0);
    /// ```
    pub fn lumped(model: &Model) -> Bound {
        let (lowest, width) = range(model);
        let groups: Vec<usize> = lump::groups(model).iter().map(Vec::len).collect();
        // Sorted ways to put the processes of each group on `width` ticks, with one process less in one group.
        let ways = |width: f64, without: Option<usize>| -> f64 {
            let sizes = groups.iter().enumerate().map(|(group, size)| size - usize::from(without == Some(group)));
            sizes.map(|size| repeated(width, size)).product()
        };
        let with_one_less = |group| ways(width, Some(group)) - ways(width - 1.0, Some(group));
        let leaders: f64 = (0..groups.len()).map(with_one_less).sum();
        let modes = model.modes.count() as f64;
        let states = (ways(width, None) - ways(width - 1.0, None) + lowest * leaders) * modes;
        let all = Bound::of(model);
        if states < 2_f64.powi(53) { Bound { states, log10: states.log10() } } else { all }
    }

    fn of_messages(processes: f64, lowest: f64, width: f64) -> Bound {
        if let Some(states) = whole(processes as u32, lowest as u128, width as u128) {
            return Bound { states, log10: states.log10() };
        }
        // w^p - (w-1)^p = w^p * (1 - (1 - 1/w)^p), without the difference of large numbers.
        let fallen = |power: f64| if power == 0.0 { 0.0 } else { -(power * (-1.0 / width).ln_1p()).exp_m1() };
        let exact = |power: f64| width.powf(power) - (width - 1.0).powf(power);
        let plain = exact(processes) + processes * lowest * exact(processes - 1.0);
        let log10 = if width.powf(processes) < 2_f64.powi(53) {
            plain.log10()
        } else {
            let sum = fallen(processes) + processes * lowest / width * fallen(processes - 1.0);
            (processes * width.ln() + sum.ln()) / LN_10
        };
        let states = if width.powf(processes) < 2_f64.powi(53) { plain } else { 10_f64.powf(log10) };
        Bound { states, log10 }
    }
}

/// The bound in whole numbers, where it is one that a double holds, although w^p may not be.
fn whole(processes: u32, lowest: u128, width: u128) -> Option<f64> {
    let fallen = |power: u32| Some(width.checked_pow(power)? - (width - 1).pow(power));
    let leaders = u128::from(processes).checked_mul(lowest)?.checked_mul(fallen(processes.checked_sub(1)?)?)?;
    let states = fallen(processes)?.checked_add(leaders)?;
    (states <= 1 << 53).then_some(states as f64)
}

/// lo, and w.
fn range(model: &Model) -> (f64, f64) {
    let lowest = model.messages().map(|law| law.least()).min().unwrap_or(0);
    let overrun = if model.size() > 1 { model.longest_finished().saturating_sub(1) } else { 0 };
    let highest = model.longest_message().saturating_add(overrun);
    (lowest as f64, (highest - lowest) as f64 + 1.0)
}

/// Multisets of `size` out of `width` things: C(width + size - 1, size).
fn repeated(width: f64, size: usize) -> f64 {
    let factors = (0..size).map(|index| index as f64);
    factors.fold(1.0, |product, index| product * (width + index) / (index + 1.0)).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{constant_network, homogeneous, plain};
    use crate::model::Semantics;
    use crate::model::law::Law;

    #[test]
    fn bounds_are_whole_where_powers_are_not() {
        // w = 300,000: w^3 is above 2^53; 3w^2 - 3w + 1 + 3(2w - 1)
        assert_eq!(Bound::of_messages(3.0, 1.0, 3e5).states, 270_000_899_998.0);
    }

    #[test]
    fn bounds_of_the_specification() {
        let bounds = |sizes: &[usize], width| -> Vec<f64> {
            sizes.iter().map(|size| Bound::of(&homogeneous(*size, 1, width)).states).collect()
        };
        assert_eq!(bounds(&[2, 3, 4, 5, 6], 4), [9.0, 58.0, 323.0, 1_656.0, 8_053.0]);
        assert_eq!([10, 20, 50, 100].map(|width| bounds(&[3], width)[0]), [328.0, 1_258.0, 7_648.0, 30_298.0]);
        assert_eq!([10, 20].map(|width| bounds(&[4], width)[0]), [4_523.0, 34_243.0]);
        assert_eq!(Bound::of(&plain(1.0, 0.9, vec![Law::constant(2)], Law::constant(9))).states, 1.0);
    }

    #[test]
    fn a_last_update_that_is_finished_widens_the_bound() {
        // hi - 1 + 14 = 16, so w = 14 for lo = 3: 14^3 - 13^3 + 9 * (14^2 - 13^2).
        let complete = Model { semantics: Semantics::Complete, ..constant_network(1) };
        assert_eq!(Bound::of(&complete).states, f64::from(2744 - 2197 + 9 * (196 - 169)));
        // Without an update in beta there is none to finish.
        assert_eq!(Bound::of(&Model { semantics: Semantics::Complete, ..constant_network(0) }).states, 10.0);
    }

    #[test]
    fn huge_bounds_have_a_logarithm() {
        // 10^12 and more: 1000^4 - 999^4 + 4 * (1000^3 - 999^3) in whole numbers.
        let exact = 1000_i128.pow(5) - 999_i128.pow(5) + 5 * (1000_i128.pow(4) - 999_i128.pow(4));
        let wide = homogeneous(5, 1, 1000);
        assert!((Bound::of(&wide).log10 - (exact as f64).log10()).abs() < 1e-12);
        // 10 processes past the first overflow of a double: log10(p * w^(p-1)) to leading order.
        let huge = Bound::of(&homogeneous(400, 1, 1000));
        assert!(huge.states.is_infinite());
        assert!((huge.log10 - 1199.5).abs() < 1.0 && huge.log10.is_finite());
    }
}
