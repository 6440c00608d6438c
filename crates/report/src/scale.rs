//! Axes fitted to their data: range, positions of values, ticks and their labels.

use crate::number;
use crate::plot::{Axis, Scale};

/// An axis with fixed scale and range.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ruler {
    kind: Kind,
    low: f64,
    high: f64,
    unit: String,
    /// Whether only whole numbers make sense, as for processes.
    whole: bool,
}

/// The resolved scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Linear,
    Log2,
    Log10,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    /// Position along the axis, between 0 and 1.
    pub fraction: f64,
    pub label: String,
}

/// The values that an axis must show.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Extent {
    /// Least and largest of all drawable values.
    pub all: Option<(f64, f64)>,
    /// Least and largest of the positive ones.
    pub positive: Option<(f64, f64)>,
    /// Whether a value is zero or less.
    pub nonpositive: bool,
    /// Whether a value is not a whole number.
    pub fractional: bool,
}

/// Whether a value can be drawn: finite, and so that the ratio of any two is finite too.
pub(crate) fn drawable(value: f64) -> bool {
    value.is_finite() && value.abs() < 1e140
}

impl Extent {
    pub fn add(&mut self, value: f64) {
        if !drawable(value) {
            return;
        }
        let widen = |range: Option<(f64, f64)>| match range {
            Some((low, high)) => Some((low.min(value), high.max(value))),
            None => Some((value, value)),
        };
        self.all = widen(self.all);
        // Values below this are indistinguishable from zero, and their logarithm would squeeze everything else.
        if value > 1e-140 {
            self.positive = widen(self.positive);
        } else {
            self.nonpositive = true;
        }
        self.fractional |= value.fract() != 0.0;
    }

    #[cfg(test)]
    pub fn of(values: impl IntoIterator<Item = f64>) -> Extent {
        let mut extent = Extent::default();
        values.into_iter().for_each(|value| extent.add(value));
        extent
    }

    /// Lets a companion (a curve, a band) widen the range, but not so far that the data becomes a speck.
    pub fn widened_by(self, other: Extent, kind: Kind) -> Extent {
        let Some((low, high)) = self.range(kind) else { return other };
        let Some((other_low, other_high)) = other.range(kind) else { return self };
        let (least, most) = if kind == Kind::Linear {
            let room = (high - low).max(0.5 * high.abs().max(low.abs()));
            (low - room, high + room)
        } else {
            let room = (high / low).max(10.0);
            (low / room, high * room)
        };
        let mut wide = self;
        wide.add(other_low.max(least));
        wide.add(other_high.min(most));
        wide.nonpositive |= other.nonpositive;
        wide
    }

    fn range(&self, kind: Kind) -> Option<(f64, f64)> {
        if kind == Kind::Linear { self.all } else { self.positive }
    }
}

/// How many decades an automatic axis spans before it is logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Threshold {
    /// Of whole numbers: ticks at powers of two.
    Counts,
    /// Of any values.
    Values,
    /// Beside an axis that is logarithmic already, which shows power laws as straight lines if both are.
    Beside,
}

/// Settles a scale by the data.
pub(crate) fn choose_kind(scale: Scale, extent: &Extent, threshold: Threshold) -> Kind {
    let spans =
        |decades: f64| extent.positive.is_some_and(|(low, high)| !extent.nonpositive && (high / low).log10() > decades);
    match scale {
        Scale::Linear => Kind::Linear,
        _ if extent.positive.is_none() => Kind::Linear,
        Scale::Log2 => Kind::Log2,
        Scale::Log10 => Kind::Log10,
        Scale::Auto if threshold == Threshold::Counts && spans(1.0) && !extent.fractional => Kind::Log2,
        Scale::Auto if threshold == Threshold::Beside && spans(0.8) => Kind::Log10,
        Scale::Auto if spans(1.5) => Kind::Log10,
        Scale::Auto => Kind::Linear,
    }
}

impl Ruler {
    /// A ruler over the extent with a margin; `tight` axes end at the data.
    pub fn new(kind: Kind, extent: &Extent, axis: &Axis, tight: bool) -> Ruler {
        let (low, high) = extent.range(kind).unwrap_or(if kind == Kind::Linear { (0.0, 1.0) } else { (1.0, 10.0) });
        let (low, high) =
            if kind == Kind::Linear { linear_range(low, high, tight) } else { log_range(low, high, tight) };
        Ruler { kind, low, high, unit: axis.unit.clone(), whole: false }
    }

    /// With ticks at whole numbers only.
    pub fn of_whole_numbers(mut self) -> Ruler {
        self.whole = true;
        self
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Where a value lies: 0 at the low end, 1 at the high end, beyond outside; none if it has no place.
    pub fn fraction(&self, value: f64) -> Option<f64> {
        if !drawable(value) {
            return None;
        }
        let fraction = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            _ if value <= 1e-140 => return None,
            _ => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        fraction.is_finite().then_some(fraction)
    }

    /// As [`fraction`](Self::fraction), where what lies at or below zero on a logarithmic axis is at its very low end.
    pub fn clamped(&self, value: f64) -> Option<f64> {
        match self.fraction(value) {
            Some(fraction) => Some(fraction.clamp(-3.0, 4.0)),
            None if value == f64::INFINITY => Some(4.0),
            None if value.is_finite() && self.kind != Kind::Linear => Some(-3.0),
            None if value == f64::NEG_INFINITY => Some(-3.0),
            None if value.is_nan() => None,
            None => Some(if value > 0.0 { 4.0 } else { -3.0 }),
        }
    }

    /// The name of the axis with the unit of its tick labels: `time (ms)`.
    pub fn title(&self, axis: &Axis) -> String {
        let (_, unit) = self.shared_unit();
        let mut text = axis.label.clone();
        if !unit.is_empty() {
            text = if text.is_empty() { unit } else { format!("{text} ({unit})") };
        }
        text
    }

    /// At most `most` ticks whose labels do not touch: `overlaps` judges two neighbors.
    pub fn ticks(&self, most: usize, overlaps: impl Fn(&Tick, &Tick) -> bool) -> Vec<Tick> {
        let mut ticks = Vec::new();
        for most in (2..=most.max(2)).rev() {
            ticks = self.candidates(most);
            if ticks.len() <= most && !ticks.windows(2).any(|pair| overlaps(&pair[0], &pair[1])) {
                return ticks;
            }
        }
        ticks.dedup_by(|next, kept| overlaps(kept, next));
        ticks
    }

    /// Places of unlabelled lines between the ticks of a logarithmic axis.
    pub fn minor(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        if self.kind != Kind::Log10 || decades > 5.0 {
            return Vec::new();
        }
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        (first..=last)
            .flat_map(|power| (1..10).map(move |digit| f64::from(digit) * 10f64.powi(power)))
            .filter_map(|value| self.inside(value))
            .collect()
    }

    fn candidates(&self, most: usize) -> Vec<Tick> {
        let values = match self.kind {
            Kind::Linear => linear_ticks(self.low, self.high, most),
            Kind::Log2 => power_ticks(self.low, self.high, most, 2.0),
            Kind::Log10 => decimal_ticks(self.low, self.high, most),
        };
        // A span of less than two powers has none of their ticks: the round numbers of a linear axis serve.
        let mut values = if values.len() < 2 { linear_ticks(self.low, self.high, most) } else { values };
        if self.whole {
            values.retain(|value| value.fract() == 0.0);
        }
        let step = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        values
            .into_iter()
            .filter_map(|value| Some(Tick { fraction: self.inside(value)?, label: self.tick_label(value, step) }))
            .collect()
    }

    fn inside(&self, value: f64) -> Option<f64> {
        self.fraction(value).filter(|fraction| (-1e-9..=1.0 + 1e-9).contains(fraction))
    }

    fn tick_label(&self, value: f64, step: f64) -> String {
        let (factor, _) = self.shared_unit();
        if self.kind == Kind::Linear {
            return linear_label(value / factor, step / factor);
        }
        if self.unit.is_empty() || self.unit == "%" {
            let text = bare_log_label(value, self.kind);
            return if self.unit == "%" { number::with_unit(&text, "%") } else { text };
        }
        let (factor, unit) = if self.kind == Kind::Log2 && self.unit == "B" {
            number::prefixed_binary(value, &self.unit)
        } else {
            number::prefixed_si(value, &self.unit)
        };
        number::with_unit(&number::significant(value / factor, 3), &unit)
    }

    /// On a linear axis all labels share a unit, shown once; on a logarithmic one each label has its own.
    fn shared_unit(&self) -> (f64, String) {
        if self.kind == Kind::Linear {
            let (factor, unit) = number::prefixed(self.low.abs().max(self.high.abs()), &self.unit);
            return (factor, unit);
        }
        (1.0, String::new())
    }
}

fn linear_range(low: f64, high: f64, tight: bool) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    if high - low <= 1e-12 * largest || high - low < 1e-140 {
        let room = if largest < 1e-140 { 1.0 } else { 0.5 * largest };
        return (low - room, high + room);
    }
    let margin = if tight { 0.0 } else { 0.035 * (high - low) };
    let from_zero = low >= 0.0 && low <= 0.45 * high;
    let up_to_zero = high <= 0.0 && high >= 0.45 * low;
    (if from_zero { 0.0 } else { low - margin }, if up_to_zero { 0.0 } else { high + margin })
}

fn log_range(low: f64, high: f64, tight: bool) -> (f64, f64) {
    let ratio = high / low;
    if ratio < 1.0 + 1e-9 {
        return (low / 2.0, high * 2.0);
    }
    let margin = if tight { 1.0 } else { ratio.powf(0.03) };
    (low / margin, high * margin)
}

/// Multiples of 1, 2, 2.5 or 5 times a power of ten, at most `most`.
fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let span = high - low;
    let rough = span / most as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0, 20.0]
        .into_iter()
        .map(|digit| digit * power)
        .find(|step| (high / step).floor() - (low / step).ceil() < most as f64)
        .unwrap_or(span);
    if !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    if !(first.is_finite() && last - first < 200.0) {
        return Vec::new();
    }
    let count = (last - first).max(-1.0) as usize + 1;
    (0..count).map(|index| (first + index as f64) * step).map(|value| if value == 0.0 { 0.0 } else { value }).collect()
}

/// Powers of a base, every second, third, .. where there are too many.
fn power_ticks(low: f64, high: f64, most: usize, base: f64) -> Vec<f64> {
    let power = |value: f64| value.ln() / base.ln();
    let (first, last) = ((power(low) - 1e-9).ceil() as i32, (power(high) + 1e-9).floor() as i32);
    if last < first {
        return Vec::new();
    }
    let stride = ((last - first) as usize / most.max(1) + 1) as i32;
    (first..=last).filter(|exponent| exponent.rem_euclid(stride) == 0).map(|exponent| base.powi(exponent)).collect()
}

/// The finest of 1, 1-3, 1-2-5 and 1-2-3-5-7 per decade with at most `most` ticks, else every second, third, .. decade.
fn decimal_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
    let steps: [&[f64]; 4] = [&[1.0, 2.0, 3.0, 5.0, 7.0], &[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
    for digits in steps {
        let values: Vec<f64> = decades
            .clone()
            .flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
            .filter(|value| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(value))
            .collect();
        if values.len() <= most {
            return values;
        }
    }
    power_ticks(low, high, most, 10.0)
}

fn linear_label(value: f64, step: f64) -> String {
    if value != 0.0 && !(1e-5..1e9).contains(&value.abs()) {
        return number::significant(value, 4).replace('-', "\u{2212}");
    }
    let decimals = (0..9).find(|&decimals| {
        let scaled = step * 10f64.powi(decimals);
        (scaled - scaled.round()).abs() < 1e-6 * scaled.abs().max(1.0) && scaled.round() != 0.0
    });
    let decimals = decimals.unwrap_or(9) as usize;
    let text = format!("{value:.decimals$}");
    let (sign, rest) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("\u{2212}", rest));
    match rest.split_once('.') {
        None if rest.len() > 4 => format!("{sign}{}", number::significant(rest.parse().unwrap_or(0.0), 12)),
        _ => format!("{sign}{rest}"),
    }
}

/// Plain up to a million, then as a power: `2²⁰`, `10⁶`.
fn bare_log_label(value: f64, kind: Kind) -> String {
    let base = if kind == Kind::Log2 { 2.0f64 } else { 10.0 };
    let exponent = (value.ln() / base.ln()).round();
    let is_power = (base.powf(exponent) / value - 1.0).abs() < 1e-9;
    if (1e-3..1e6).contains(&value) || !is_power {
        return number::parameter(value);
    }
    format!("{base}{}", superscript(exponent as i32))
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number
        .to_string()
        .chars()
        .map(|character| character.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ruler(scale: Scale, values: &[f64], unit: &str) -> Ruler {
        let extent = Extent::of(values.iter().copied());
        let kind = choose_kind(scale, &extent, Threshold::Counts);
        Ruler::new(kind, &extent, &Axis::new("x", unit), false)
    }

    fn labels(ruler: &Ruler, most: usize) -> Vec<String> {
        ruler.ticks(most, |_, _| false).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn process_counts_get_powers_of_two() {
        let ruler = ruler(Scale::Auto, &[1.0, 4.0, 64.0], "");
        assert_eq!(ruler.kind(), Kind::Log2);
        assert_eq!(labels(&ruler, 8), ["1", "2", "4", "8", "16", "32", "64"]);
        assert_eq!(labels(&ruler, 4), ["1", "4", "16", "64"]);
    }

    #[test]
    fn a_short_span_is_linear_and_shares_a_prefix() {
        let ruler = ruler(Scale::Auto, &[0.011, 0.02, 0.029], "s");
        assert_eq!(ruler.kind(), Kind::Linear);
        assert_eq!(ruler.title(&Axis::new("time", "s")), "time (ms)");
        assert_eq!(labels(&ruler, 4), ["0", "10", "20"]);
    }

    #[test]
    fn logarithmic_times_carry_their_own_unit() {
        let ruler = ruler(Scale::Auto, &[0.002, 0.5], "s");
        assert_eq!(ruler.kind(), Kind::Log10);
        assert_eq!(labels(&ruler, 4), ["10\u{a0}ms", "100\u{a0}ms"]);
        assert_eq!(labels(&ruler, 8).len(), 8);
    }

    #[test]
    fn great_numbers_become_powers() {
        let ruler = ruler(Scale::Log2, &[1.0, 1e9], "");
        assert!(labels(&ruler, 6).contains(&"2²⁴".to_owned()), "{:?}", labels(&ruler, 6));
    }

    #[test]
    fn zero_makes_auto_linear_and_has_no_place_under_logs() {
        assert_eq!(ruler(Scale::Auto, &[0.0, 1.0, 1e6], "").kind(), Kind::Linear);
        let log = ruler(Scale::Log10, &[0.0, 1.0, 1e6], "");
        assert_eq!(log.fraction(0.0), None);
        assert!(log.clamped(0.0).is_some_and(|fraction| fraction < 0.0));
    }

    proptest! {
        #[test]
        fn any_data_gives_a_ruler_with_few_ticks_in_order(
            values in prop::collection::vec(prop::num::f64::ANY, 0..20),
            scale in prop::sample::select(vec![Scale::Auto, Scale::Linear, Scale::Log2, Scale::Log10]),
            most in 2usize..12,
        ) {
            let ruler = ruler(scale, &values, "s");
            let ticks = ruler.ticks(most, |left, right| right.fraction - left.fraction < 0.02);
            prop_assert!(ticks.len() <= most + 1, "{ticks:?}");
            prop_assert!(ticks.windows(2).all(|pair| pair[0].fraction < pair[1].fraction), "{ticks:?}");
            prop_assert!(ticks.iter().all(|tick| tick.label.chars().count() < 24), "{ticks:?}");
            for value in values {
                if let Some(fraction) = ruler.fraction(value) {
                    prop_assert!((-0.001..=1.001).contains(&fraction), "{value} at {fraction} of {ruler:?}");
                }
                let _ = ruler.clamped(value);
            }
            prop_assert!(ruler.minor().len() < 100);
        }
    }
}
