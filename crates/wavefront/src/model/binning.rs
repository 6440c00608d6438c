//! From times in seconds to ticks.
//!
//! `split` shares a value between its two neighboring ticks so that the mean stays: the weight of tick k is
//! E\[hat(T/h - k)\] with hat(u) = max(0, 1 - |u|). Such a spread can only raise E\[Phi\] under abort, since Phi is a
//! maximum of sums, which is convex: the error has a known sign.

use crate::model::law::{Law, NoLaw};

/// The largest number of ticks of a law.
pub(crate) const MOST_TICKS: u64 = 10_000_000;
/// Where no step is given, the widest law spans about this many ticks.
pub(crate) const TICKS: f64 = 25.0;
/// Samples beyond this quantile are replaced by it: rare late ones make many states.
pub(crate) const CLIP: f64 = 0.999;
/// Values so close to a tick, in ticks, are on it.
pub(super) const EXACT: f64 = 1e-9;

/// The tick that a value, in ticks, is on; none where it is between two. Far out the rounding of the division counts,
/// which is more than [`EXACT`] from some millions of ticks on.
pub(super) fn on_tick(at: f64) -> Option<f64> {
    let nearest = at.round();
    ((at - nearest).abs() <= EXACT.max(4.0 * f64::EPSILON * at.abs())).then_some(nearest)
}

/// How values go to ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Binning {
    /// To both neighbors, the mean is kept.
    #[default]
    Split,
    /// To the nearest, halves up.
    Nearest,
    /// To the next, for comparison: every time becomes longer.
    Up,
}

/// The law of values in seconds with their probabilities; none of them negative.
pub(crate) fn binned(
    values: impl IntoIterator<Item = (f64, f64)>,
    step_s: f64,
    binning: Binning,
) -> Result<Law, NoLaw> {
    let mut pairs = Vec::new();
    for (value, probability) in values {
        let at = value / step_s;
        let (below, share_above) = place(at, binning);
        if share_above > 0.0 {
            pairs.push((below + 1, probability * share_above));
        }
        if share_above < 1.0 {
            pairs.push((below, probability * (1.0 - share_above)));
        }
    }
    Law::new(pairs)
}

/// A step for people: downwards to two digits.
pub(crate) fn rounded(step_s: f64) -> f64 {
    let exponent = (step_s.log10().floor() as i32).saturating_sub(1);
    let digits = (step_s / 10_f64.powi(exponent) + 1e-6).floor();
    // By way of text: 0.028 and not 0.027999999999999997.
    format!("{digits}e{exponent}").parse().unwrap_or(step_s)
}

/// The tick at or below, and the share that goes to the one above.
fn place(at: f64, binning: Binning) -> (u64, f64) {
    if let Some(tick) = on_tick(at) {
        return (tick as u64, 0.0);
    }
    match binning {
        Binning::Split => (at.floor() as u64, at - at.floor()),
        Binning::Nearest => ((at + 0.5 + EXACT).floor() as u64, 0.0),
        Binning::Up => (at.ceil() as u64, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(value: f64, binning: Binning) -> Vec<(u64, f64)> {
        binned([(value, 1.0)], 0.1, binning).expect("a law").support().to_vec()
    }

    #[test]
    fn two_digits_downwards() {
        assert_eq!(rounded(0.028), 0.028);
        assert_eq!(rounded(0.02899), 0.028);
        assert_eq!(rounded(1.0), 1.0);
        assert_eq!(rounded(123.0), 120.0);
        assert_eq!(rounded(9.99e-7), 9.9e-7);
        assert_eq!(rounded(0.002), 0.002);
        assert_eq!(rounded(1.2999e-7), 1.2e-7);
        assert_eq!(rounded(0.0), 0.0);
    }

    #[test]
    fn a_value_goes_where_the_rule_says() {
        assert_eq!(law(0.25, Binning::Nearest), [(3, 1.0)]);
        // 3.4999999999999996 ticks in doubles.
        assert_eq!(law(0.35, Binning::Nearest), [(4, 1.0)]);
        assert_eq!(law(0.24, Binning::Nearest), [(2, 1.0)]);
        assert_eq!(law(0.21, Binning::Up), [(3, 1.0)]);
        let split = law(0.23, Binning::Split);
        assert!((split[0].1 - 0.7).abs() < 1e-12 && (split[1].1 - 0.3).abs() < 1e-12, "{split:?}");
        for binning in [Binning::Split, Binning::Nearest, Binning::Up] {
            assert_eq!(law(0.3, binning), [(3, 1.0)]);
            assert_eq!(law(0.3 + 0.9e-10, binning), [(3, 1.0)]);
            assert_eq!(law(0.0, binning), [(0, 1.0)]);
            for ticks in (0..10_000_000_u64).step_by(9973) {
                let value = format!("{ticks}e-1").parse().expect("a number");
                assert_eq!(law(value, binning), [(ticks, 1.0)]);
            }
        }
    }
}
