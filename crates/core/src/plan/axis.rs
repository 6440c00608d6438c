//! The allowed values of a size, in ascending order and counted by an index.

use super::parse::shown;
use super::spec::{Multiple, SizeSpec};
use super::work::Function;
use crate::problem::Problem;

/// Whole numbers are exact up to here.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Allowed values by index; a search over indices can reach every one of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    kind: Kind,
    /// Index of the smallest value.
    pub first: i64,
    /// Index of the largest value.
    pub last: i64,
    /// Whether the user gave a maximum.
    pub bounded: bool,
    /// Whether there is a minimum that matters: one the user gave, or the smallest multiple.
    pub bounded_below: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// `index * numerator / denominator`: decimal fractions keep the value they are written with.
    Steps { numerator: f64, denominator: f64 },
    /// Every floating-point number; the index counts them.
    Continuous,
}

impl Axis {
    /// Every number from `least` to `most`.
    pub(super) fn continuous(least: f64, most: f64) -> Axis {
        Axis { kind: Kind::Continuous, first: rank(least), last: rank(most), bounded: true, bounded_below: true }
    }

    /// The multiples of `step` within the bounds of `size`.
    fn steps(size: &SizeSpec, step: f64) -> Axis {
        let (numerator, denominator) = as_decimal(step);
        let count = |bound: f64| bound * denominator / numerator;
        let farthest = if size.real { WHOLE } else { count(WHOLE).floor() };
        let clamp = |index: f64| index.clamp(-farthest, farthest) as i64;
        Axis {
            kind: Kind::Steps { numerator, denominator },
            first: size.min.map_or(1, |min| clamp(-snapped_floor(-count(min)))),
            last: clamp(size.max.map_or(farthest, |max| snapped_floor(count(max)))),
            bounded: size.max.is_some(),
            bounded_below: true,
        }
    }

    /// The whole numbers from `least` to `most`.
    pub(super) fn whole(least: f64, most: f64) -> Axis {
        Axis::steps(&SizeSpec { min: Some(least), max: Some(most), ..SizeSpec::default() }, 1.0)
    }

    /// The index of an allowed value.
    pub(super) fn index_of(&self, value: f64) -> i64 {
        let index = match self.kind {
            Kind::Steps { numerator, denominator } => (value * denominator / numerator).round() as i64,
            Kind::Continuous => rank(value),
        };
        index.clamp(self.first, self.last)
    }

    pub(super) fn value(&self, index: i64) -> f64 {
        match self.kind {
            Kind::Steps { numerator, denominator } => index as f64 * numerator / denominator,
            Kind::Continuous => of_rank(index),
        }
    }

    /// Whether every number is allowed.
    pub(super) fn is_continuous(&self) -> bool {
        self.kind == Kind::Continuous
    }

    /// Starting point of a search without prior knowledge.
    pub(super) fn start(&self) -> i64 {
        match self.kind {
            Kind::Steps { .. } => self.first,
            Kind::Continuous => rank(1.0).clamp(self.first, self.last),
        }
    }

    /// An index whose value is about twice as large.
    pub(super) fn grown(&self, index: i64) -> i64 {
        let far = match self.kind {
            Kind::Steps { .. } if index > 0 => index.saturating_mul(2),
            Kind::Steps { .. } => index.div_euclid(2).max(index + 1),
            Kind::Continuous => index.saturating_add(OCTAVE),
        };
        far.min(self.last)
    }

    /// An index whose value is about half as large.
    pub(super) fn shrunk(&self, index: i64) -> i64 {
        let far = match self.kind {
            Kind::Steps { .. } if index > 0 => index / 2,
            Kind::Steps { .. } => index.saturating_mul(2).min(index - 1),
            Kind::Continuous => index.saturating_sub(OCTAVE),
        };
        far.max(self.first)
    }

    /// Number of values.
    pub(super) fn count(&self) -> u64 {
        self.last.abs_diff(self.first).saturating_add(1)
    }
}

/// Builds the axis of a size at some `p`.
#[derive(Debug)]
pub(super) struct AxisMaker<'a> {
    pub name: &'a str,
    pub size: SizeSpec,
    /// The formula of the multiple, over `p`.
    pub multiple: Option<Function<'a>>,
}

impl AxisMaker<'_> {
    /// The axis, and whether the multiple had to be rounded to a whole number.
    pub(super) fn at(&self, p: f64) -> Result<(Axis, bool), Problem> {
        let name = self.name;
        let (step, is_rounded) = match (&self.multiple, &self.size.multiple) {
            (Some(formula), _) => self.whole(formula.at(&[p])?, p)?,
            (None, Some(Multiple::Number(step))) => (*step, false),
            (None, _) if self.size.real => {
                let least = self.size.min.unwrap_or(f64::MIN_POSITIVE);
                let axis = Axis::continuous(least, self.size.max.unwrap_or(f64::MAX));
                let (bounded, bounded_below) = (self.size.max.is_some(), self.size.min.is_some());
                return Ok((self.not_empty(Axis { bounded, bounded_below, ..axis }, p)?, false));
            }
            (None, _) => (1.0, false),
        };
        if !self.size.real && step.fract() != 0.0 {
            let message = format!("{name} is a whole number, and {} is not", shown(step));
            return Err(Problem::new("not_whole", message)
                .value(shown(step))
                .hint(format!("allow fractions of {name}: real = true")));
        }
        if step > WHOLE {
            return Err(Problem::new("out_of_range", format!("the multiple of {name} is {} at p = {p}", shown(step)))
                .value(shown(step))
                .allowed("at most 2^53"));
        }
        Ok((self.not_empty(Axis::steps(&self.size, step), p)?, is_rounded))
    }

    /// A multiple from a formula: a whole number unless fractions are allowed.
    fn whole(&self, step: f64, p: f64) -> Result<(f64, bool), Problem> {
        if !(step > 0.0 && step.is_finite()) {
            let message = format!("the multiple of {} is {} at p = {p}", self.name, shown(step));
            return Err(Problem::new("out_of_range", message).value(shown(step)).allowed("a positive number"));
        }
        let nearest = step.round().max(1.0);
        if (step - nearest).abs() <= 1e-9 * nearest {
            return Ok((nearest, false));
        }
        Ok(if self.size.real { (step, false) } else { (nearest, true) })
    }

    fn not_empty(&self, axis: Axis, p: f64) -> Result<Axis, Problem> {
        if axis.first <= axis.last {
            return Ok(axis);
        }
        let bound = |bound: Option<f64>| bound.map_or("(not given)".to_owned(), shown);
        let (min, max) = (bound(self.size.min), bound(self.size.max));
        let message = format!("no value of {} is allowed at p = {p}: min {min}, max {max}", self.name);
        Err(Problem::new("no_allowed_size", message).hint("min must not be above max, with a multiple in between"))
    }
}

/// Values whose index differs by this differ by a factor of two.
const OCTAVE: i64 = 1 << 52;

/// Counts the floating-point numbers: the larger number has the larger rank.
fn rank(value: f64) -> i64 {
    flip(value.to_bits().cast_signed())
}

fn of_rank(rank: i64) -> f64 {
    f64::from_bits(flip(rank).cast_unsigned())
}

/// Negative numbers are stored as sign and magnitude, so their order must be reversed.
fn flip(bits: i64) -> i64 {
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// The step as a fraction of whole numbers, if it is a short decimal: 0.1 is 1/10.
fn as_decimal(step: f64) -> (f64, f64) {
    (0..=12)
        .map(|digits| 10f64.powi(digits))
        .map(|denominator| ((step * denominator).round(), denominator))
        .find(|&(numerator, denominator)| (1.0..1e12).contains(&numerator) && numerator / denominator == step)
        .unwrap_or((step, 1.0))
}

/// The largest whole number not above `value`, where a value just below a whole number counts as that number.
fn snapped_floor(value: f64) -> f64 {
    let nearest = value.round();
    if (value - nearest).abs() <= 1e-9 * nearest.abs().max(1.0) { nearest } else { value.floor() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(min: Option<f64>, max: Option<f64>, real: bool) -> SizeSpec {
        SizeSpec { multiple: None, min, max, real }
    }

    #[test]
    fn decimal_steps_give_decimal_values() {
        let axis = Axis::steps(&size(Some(0.1), Some(0.7), true), 0.1);
        assert_eq!((axis.first, axis.last), (1, 7));
        assert_eq!((axis.value(3), axis.value(6), axis.value(7)), (0.3, 0.6, 0.7));
        assert_eq!(Axis::steps(&size(None, None, true), 0.15).value(3), 0.45);
    }

    #[test]
    fn bounds_are_rounded_inward() {
        let axis = Axis::steps(&size(Some(101.0), Some(999.0), false), 100.0);
        assert_eq!((axis.value(axis.first), axis.value(axis.last)), (200.0, 900.0));
        let axis = Axis::steps(&size(Some(-250.0), Some(0.0), false), 100.0);
        assert_eq!((axis.value(axis.first), axis.value(axis.last)), (-200.0, 0.0));
    }

    #[test]
    fn whole_sizes_stay_exact() {
        let axis = Axis::steps(&size(None, Some(1e300), false), 100.0);
        assert!(axis.value(axis.last) <= WHOLE);
        assert_eq!(axis.first, 1);
    }

    #[test]
    fn ranks_order_all_numbers() {
        let ordered = [f64::MIN, -1.0, -1e-300, 0.0, 1e-300, 1.0, 2.0, f64::MAX];
        for pair in ordered.windows(2) {
            assert!(rank(pair[0]) < rank(pair[1]));
        }
        for value in ordered {
            assert_eq!(of_rank(rank(value)), value);
        }
        assert_eq!(rank(2.0) - rank(1.0), OCTAVE);
    }

    #[test]
    fn growing_and_shrinking_always_end() {
        let wide = size(Some(-1e6), Some(1e6), true);
        for axis in [Axis::steps(&wide, 1.0), Axis::continuous(-1e6, 1e6), Axis::continuous(f64::MIN, f64::MAX)] {
            let mut index = axis.first;
            for _ in 0..5000 {
                index = axis.grown(index);
            }
            assert_eq!(index, axis.last);
            for _ in 0..5000 {
                index = axis.shrunk(index);
            }
            assert_eq!(index, axis.first);
        }
    }
}
