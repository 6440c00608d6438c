//! A named law, moved and clipped, and its weights on the lattice.

use super::Bounds;
use super::named::Named;
use crate::model::binning::{Binning, EXACT, on_tick};

/// So little of the mass at the lower end is not looked at.
const UNSEEN: f64 = 1e-9;

/// A named law with `shift_s` added, and what is outside the clip points on these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Smooth {
    law: Named,
    shift_s: f64,
    /// Where it is clipped below, or where it begins.
    pub lowest_s: f64,
    /// Where it is clipped above, or where it ends.
    pub highest_s: f64,
}

impl Smooth {
    /// The law within bounds, and by how much these move the mean at the lower end and at the upper one; none where
    /// nothing lies between the clip points.
    ///
    /// Times are not negative: a law without a least value is clipped at 0 if `bounds` say nothing else.
    pub(crate) fn new(law: Named, bounds: &Bounds) -> Option<(Smooth, [f64; 2])> {
        let quantile_s = || law.exceeded_by(1.0 - bounds.clip) + bounds.shift_s;
        let highest_s = match (bounds.upper_s, law) {
            (Some(upper_s), _) => upper_s,
            (None, Named::Uniform { upper, .. }) if bounds.clip >= 1.0 => upper + bounds.shift_s,
            (None, _) => quantile_s(),
        };
        let least_s = law.least().map_or(0.0, |least| least + bounds.shift_s).max(0.0);
        let lowest_s = bounds.lower_s.unwrap_or(0.0).max(least_s);
        let smooth = Smooth { law, shift_s: bounds.shift_s, lowest_s, highest_s };
        let is_sound = highest_s.is_finite() && highest_s > lowest_s;
        is_sound.then(|| (smooth, [law.below(lowest_s - bounds.shift_s), law.beyond(highest_s - bounds.shift_s)]))
    }

    /// The mean in seconds.
    pub(crate) fn mean_s(&self) -> f64 {
        self.lowest_s + self.beyond(self.lowest_s)
    }

    /// Below lies no more than 1e-9 of the mass.
    pub(crate) fn visible_from_s(&self) -> f64 {
        (self.law.exceeded_by(1.0 - UNSEEN) + self.shift_s).clamp(self.lowest_s, self.highest_s)
    }

    /// Ticks with their weights.
    pub(crate) fn weights(&self, step_s: f64, binning: Binning) -> Vec<(u64, f64)> {
        let snapped = |seconds: f64| on_tick(seconds / step_s).map_or(seconds, |tick| tick * step_s);
        let first = (snapped(self.visible_from_s()) / step_s + EXACT).floor();
        let lowest_s = snapped(self.lowest_s).max(first * step_s);
        let clipped = Smooth { lowest_s, highest_s: snapped(self.highest_s), ..*self };
        let last = (clipped.highest_s / step_s - EXACT).ceil().max(first);
        let (first, last) = (first as u64, last as u64);
        let mut weights = match binning {
            Binning::Split => clipped.split(first, last, step_s),
            // From half a tick below, which is in, to half a tick above, which is not.
            Binning::Nearest => clipped.cells(first, last, |tick| (tick as f64 - 0.5) * step_s, false),
            // From a tick below, which is not in, to the tick, which is.
            Binning::Up => clipped.cells(first, last, |tick| (tick as f64 - 1.0) * step_s, true),
        };
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        (first..=last).zip(weights).collect()
    }

    /// E\[hat\] of each tick: the second difference of below(x), or of beyond(x) where that is the smaller.
    fn split(&self, first: u64, last: u64, step_s: f64) -> Vec<f64> {
        let sides = |tick: i64| {
            let x = tick as f64 * step_s;
            (self.below(x), self.beyond(x))
        };
        let mut three = [sides(first as i64 - 1), sides(first as i64), sides(first as i64)];
        let mut weights = Vec::with_capacity((last - first + 1) as usize);
        for tick in first..=last {
            three[2] = sides(tick as i64 + 1);
            let [a, b, c] = three;
            let second = if b.0 < b.1 { a.0 - 2.0 * b.0 + c.0 } else { a.1 - 2.0 * b.1 + c.1 };
            weights.push((second / step_s).max(0.0));
            three = [b, c, c];
        }
        weights
    }

    /// P(X in the cell of each tick); a cell begins at `from`, and holds its end where `holds_end`, else its beginning.
    fn cells(&self, first: u64, last: u64, from: impl Fn(u64) -> f64, holds_end: bool) -> Vec<f64> {
        let mut before = 0.0;
        let mut weights = Vec::with_capacity((last - first + 1) as usize);
        for tick in first..=last {
            let until = if tick == last { 1.0 } else { self.share(from(tick + 1), holds_end) };
            weights.push((until - before).max(0.0));
            before = until.max(before);
        }
        weights
    }

    /// P(X <= x), or P(X < x) where the point itself is out.
    fn share(&self, x: f64, with_point: bool) -> f64 {
        let tolerance = 1e-12 * x.abs();
        if x < self.lowest_s - tolerance || (!with_point && x <= self.lowest_s + tolerance) {
            0.0
        } else if x > self.highest_s + tolerance || (with_point && x >= self.highest_s - tolerance) {
            1.0
        } else {
            self.law.up_to(x - self.shift_s)
        }
    }

    /// E\[(x - X)+\].
    fn below(&self, x: f64) -> f64 {
        if x <= self.lowest_s {
            return 0.0;
        }
        let inside = x.min(self.highest_s) - self.shift_s;
        self.law.below(inside) - self.law.below(self.lowest_s - self.shift_s) + (x - self.highest_s).max(0.0)
    }

    /// E\[(X - x)+\].
    fn beyond(&self, x: f64) -> f64 {
        if x >= self.highest_s {
            return 0.0;
        }
        let inside = x.max(self.lowest_s) - self.shift_s;
        self.law.beyond(inside) - self.law.beyond(self.highest_s - self.shift_s) + (self.lowest_s - x).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use runcast_core::random::SplitMix;

    const BOUNDS: Bounds = Bounds { shift_s: 0.0, lower_s: None, upper_s: None, clip: 0.999 };

    fn smooth(law: Named, bounds: Bounds) -> Smooth {
        Smooth::new(law, &bounds).expect("a law").0
    }

    fn mean(weights: &[(u64, f64)]) -> f64 {
        weights.iter().map(|(ticks, weight)| *ticks as f64 * weight).sum()
    }

    #[test]
    fn splitting_keeps_the_mean_of_what_is_clipped() {
        let laws = [
            (Named::Uniform { lower: 0.5, upper: 2.0 }, BOUNDS),
            (Named::Normal { mean: 3.0, sd: 0.7 }, BOUNDS),
            (Named::Lognormal { median: 1.5, sigma: 0.8 }, Bounds { shift_s: 0.3, ..BOUNDS }),
            (Named::Exponential { mean: 0.5 }, Bounds { shift_s: 1.0, upper_s: Some(3.0), ..BOUNDS }),
            (Named::Gamma { shape: 2.0, scale: 0.8 }, Bounds { shift_s: 4.0, upper_s: Some(9.0), ..BOUNDS }),
            (Named::Gamma { shape: 4000.0, scale: 0.01 }, Bounds { lower_s: Some(39.0), ..BOUNDS }),
            (Named::Weibull { shape: 0.6, scale: 0.3 }, Bounds { lower_s: Some(0.2), clip: 0.99, ..BOUNDS }),
        ];
        for (law, bounds) in laws {
            let smooth = smooth(law, bounds);
            for step in [1.0, 0.25, 0.1, 0.013] {
                let weights = smooth.weights(step, Binning::Split);
                assert!((mean(&weights) * step - smooth.mean_s()).abs() < 1e-8 * smooth.mean_s(), "{law:?} {step}");
            }
        }
    }

    /// Drawn times, rounded one by one: every rule within 5 standard errors.
    #[test]
    fn weights_are_those_of_drawn_times() {
        let (shift, top, step) = (0.13, 1.4, 0.1);
        let law = smooth(Named::Exponential { mean: 0.4 }, Bounds { shift_s: shift, upper_s: Some(top), ..BOUNDS });
        let draws = 400_000;
        for binning in [Binning::Split, Binning::Nearest, Binning::Up] {
            let mut random = SplitMix::new(7, 1);
            let mut counts = [0.0; 20];
            for _ in 0..draws {
                let at = ((-0.4 * (1.0 - random.uniform()).ln() + shift).min(top)) / step;
                match binning {
                    Binning::Split => {
                        let at = if (at - at.round()).abs() < 1e-9 { at.round() } else { at };
                        counts[at.floor() as usize] += 1.0 - at.fract();
                        counts[at.floor() as usize + 1] += at.fract();
                    }
                    Binning::Nearest => counts[(at + 0.5).floor() as usize] += 1.0,
                    Binning::Up => counts[(at - 1e-9).ceil() as usize] += 1.0,
                }
            }
            let weights = law.weights(step, binning);
            assert!((weights.iter().map(|w| w.1).sum::<f64>() - 1.0).abs() < 1e-12);
            for (tick, count) in counts.iter().enumerate() {
                let exact = weights.iter().find(|w| w.0 == tick as u64).map_or(0.0, |w| w.1);
                let error = (exact.max(1e-6) / f64::from(draws)).sqrt();
                assert!((count / f64::from(draws) - exact).abs() < 5.0 * error, "{binning:?} {tick} {count} {exact}");
            }
        }
    }

    #[test]
    fn the_mean_lost_at_the_top_is_told() {
        // E[(X - q)+] = mean*exp(-q/mean) = mean/1000 at the 99.9 % point.
        let (law, [raised, lost]) = Smooth::new(Named::Exponential { mean: 2.0 }, &BOUNDS).expect("a law");
        assert!((lost - 0.002).abs() < 1e-12 && raised == 0.0, "{lost}");
        assert!((law.mean_s() - 1.998).abs() < 1e-12);
        // Half of a centered normal law is moved to 0: E[X+] = sd/sqrt(2 pi), which is also what the mean rises by.
        let (law, [raised, _]) = Smooth::new(Named::Normal { mean: 0.0, sd: 1.0 }, &BOUNDS).expect("a law");
        let expected = 1.0 / (2.0 * std::f64::consts::PI).sqrt();
        assert!((raised - expected).abs() < 1e-12 && (law.mean_s() - expected).abs() < 1e-3);
    }

    fn any_law() -> impl Strategy<Value = Named> {
        let (size, shape) = (0.05_f64..5.0, 0.2_f64..20.0);
        prop_oneof![
            (size.clone(), size.clone()).prop_map(|(lower, width)| Named::Uniform { lower, upper: lower + width }),
            (size.clone(), size.clone()).prop_map(|(mean, sd)| Named::Normal { mean, sd }),
            (size.clone(), 0.05_f64..1.5).prop_map(|(median, sigma)| Named::Lognormal { median, sigma }),
            size.clone().prop_map(|mean| Named::Exponential { mean }),
            (shape.clone(), size.clone()).prop_map(|(shape, scale)| Named::Gamma { shape, scale }),
            (shape, size).prop_map(|(shape, scale)| Named::Weibull { shape: shape.max(0.5), scale }),
        ]
    }

    proptest! {
        #[test]
        fn weights_are_a_law_of_the_right_mean(
            law in any_law(),
            shift_s in -0.5_f64..2.0,
            lower in 0.0_f64..3.0,
            width in 0.01_f64..10.0,
            clip in 0.9_f64..0.9999,
            step in 0.01_f64..2.0,
            choice in 0_u8..4,
        ) {
            let lower_s = (choice & 1 == 1).then_some(lower);
            let upper_s = (choice & 2 == 2).then_some(lower + width);
            let bounds = Bounds { shift_s, lower_s, upper_s, clip };
            let Some((smooth, _)) = Smooth::new(law, &bounds) else { return Ok(()) };
            let exact = smooth.mean_s() / step;
            let scale = (smooth.highest_s / step).max(1.0);
            for (binning, low, high) in
                [(Binning::Split, 0.0, 0.0), (Binning::Nearest, -0.5, 0.5), (Binning::Up, 0.0, 1.0)]
            {
                let weights = smooth.weights(step, binning);
                let sum: f64 = weights.iter().map(|weight| weight.1).sum();
                prop_assert!((sum - 1.0).abs() < 1e-12);
                prop_assert!(weights.iter().all(|weight| weight.1 >= 0.0));
                let moved = mean(&weights) - exact;
                let slack = 1e-8 * scale;
                prop_assert!(moved >= low - slack && moved <= high + slack, "{:?} moved by {}", binning, moved);
                let last = weights.last().map_or(0, |weight| weight.0) as f64;
                prop_assert!(last <= (smooth.highest_s / step).ceil());
            }
        }
    }
}
