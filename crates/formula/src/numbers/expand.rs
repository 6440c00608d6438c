//! Lists to numbers.

use super::{NumberList, NumbersError, Rule};
use crate::limits;

/// How far, as a part of a step or of the bound, a number may miss the bound and still hit it.
const TOLERANCE: f64 = 1e-9;

/// Numbers of which more are not exact integers.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn expand(list: &NumberList, least: Option<f64>, most: Option<f64>) -> Result<Vec<f64>, NumbersError> {
    let (least, most) = match (least, most) {
        (_, None) if list.is_unbounded() => {
            return Err(NumbersError::NeedsMost { list: list.to_string().replace(".0", "") });
        }
        (least, most) => (least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY)),
    };
    if least.is_nan() || most.is_nan() || (list.is_unbounded() && most == f64::INFINITY) {
        return Err(NumbersError::BadBound);
    }
    match list.rule {
        Rule::Values(ref values) => Ok(values.iter().copied().filter(|value| (least..=most).contains(value)).collect()),
        Rule::Range { start, end, step } => {
            let slack = |bound: f64| TOLERANCE * step.min(bound.abs().max(start.abs()));
            let last_bound = end.min(most);
            let first = ((least - slack(least) - start) / step).ceil().max(0.0);
            let last = ((last_bound + slack(last_bound) - start) / step).floor();
            let decimals = decimals(start).max(decimals(step));
            integers(first, last, |index| hit(rounded(start + index * step, decimals), end, 2.0 * slack(end)))
        }
        Rule::Growth { start, end, factor } => powers(start, factor, least, end.min(most)).map(|mut values| {
            if let Some(last) = values.last_mut() {
                *last = hit(*last, end, 2.0 * TOLERANCE * end);
            }
            values
        }),
        Rule::Powers { base } => powers(1.0, base, least, most),
        Rule::Multiples { step } => {
            let first = (least / step - TOLERANCE).ceil().max(1.0);
            let last = (most / step + TOLERANCE).floor();
            let decimals = decimals(step);
            integers(first, last, |index| rounded(index * step, decimals))
        }
        Rule::Squares => {
            let (first, last) = roots(least, most, |k| k * k, f64::sqrt);
            integers(first, last, |k| k * k)
        }
        Rule::Cubes => {
            let (first, last) = roots(least, most, |k| k * k * k, f64::cbrt);
            integers(first, last, |k| k * k * k)
        }
    }
}

/// The values at the integers from `first` to `last`.
fn integers(first: f64, last: f64, value: impl Fn(f64) -> f64) -> Result<Vec<f64>, NumbersError> {
    if last < first || last.is_nan() {
        return Ok(Vec::new());
    }
    let count = last - first + 1.0;
    if count > limits::VALUES as f64 || last > EXACT {
        return Err(NumbersError::TooMany);
    }
    Ok((0..count as usize).map(|offset| value(first + offset as f64)).collect())
}

/// `start`, `start` times `factor`, and so on, from `least` to `most`.
fn powers(start: f64, factor: f64, least: f64, most: f64) -> Result<Vec<f64>, NumbersError> {
    let allowed = |value: f64, bound: f64| value <= bound * (1.0 + TOLERANCE);
    // Begins a little too early, rather than to walk all the way from the start.
    let skipped = if least > start { ((least / start).ln() / factor.ln() - 2.0).floor().max(0.0) } else { 0.0 };
    let mut values = Vec::new();
    for index in 0..=limits::VALUES + 4 {
        let value = start * factor.powf(skipped + index as f64);
        if !value.is_finite() || !allowed(value, most) {
            return Ok(values);
        }
        if allowed(least, value) {
            values.push(value);
        }
        if values.len() > limits::VALUES {
            break;
        }
    }
    Err(NumbersError::TooMany)
}

/// The least and greatest k from 1 on with `least <= value(k) <= most`.
fn roots(least: f64, most: f64, value: impl Fn(f64) -> f64, root: impl Fn(f64) -> f64) -> (f64, f64) {
    let mut first = root(least.max(1.0)).floor();
    while value(first) < least && first < EXACT {
        first += 1.0;
    }
    let mut last = root(most.max(0.0)).ceil();
    while value(last) > most && last > 0.0 && last <= EXACT {
        last -= 1.0;
    }
    (first, last)
}

/// The end itself where the value misses it by rounding only.
fn hit(value: f64, end: f64, slack: f64) -> f64 {
    if (value - end).abs() <= slack { end } else { value }
}

/// How many decimals a number is written with.
fn decimals(value: f64) -> usize {
    value.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// The nearest number with this many decimals, which 3 * 0.1 is not.
fn rounded(value: f64, decimals: usize) -> f64 {
    const MOST_DECIMALS: usize = 15;
    let scale = 10f64.powi(decimals.min(MOST_DECIMALS) as i32);
    let shifted = (value * scale).round();
    if decimals > MOST_DECIMALS || shifted.abs() > EXACT { value } else { shifted / scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str, least: impl Into<Option<f64>>, most: impl Into<Option<f64>>) -> Vec<f64> {
        NumberList::parse(text).unwrap().expand(least.into(), most.into()).unwrap()
    }

    #[test]
    fn ranges_hit_their_ends() {
        assert_eq!(expanded("0..1+0.1", None, None), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]);
        assert_eq!(expanded("range:14..60:14", None, None), [14.0, 28.0, 42.0, 56.0]);
        assert_eq!(expanded("5..5", None, None), [5.0]);
        assert_eq!(expanded("1..64*2", None, None), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
        assert_eq!(expanded("0.1..0.8*2", None, None), [0.1, 0.2, 0.4, 0.8]);
        assert_eq!(expanded("0..51000+5e30", None, None), [0.0]);
        assert_eq!(expanded("-1..1+0.5", None, None), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn bounds_are_included() {
        assert_eq!(expanded("4,1,9,2", 2.0, 4.0), [4.0, 2.0]);
        assert_eq!(expanded("1..10", 3.0, 5.5), [3.0, 4.0, 5.0]);
        assert_eq!(expanded("1..100*3", 3.0, 27.0), [3.0, 9.0, 27.0]);
        assert_eq!(expanded("powers:2", 4.0, 16.0), [4.0, 8.0, 16.0]);
        assert_eq!(expanded("powers:10", None, 1000.0), [1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(expanded("multiples:14", 28.0, 56.0), [28.0, 42.0, 56.0]);
        assert_eq!(expanded("multiples:0.1", None, 0.3), [0.1, 0.2, 0.3]);
        assert_eq!(expanded("squares", 4.0, 196.0).len(), 13);
        assert_eq!(expanded("squares", 5.0, 25.0), [9.0, 16.0, 25.0]);
        assert_eq!(expanded("cubes", 1.0, 216.0), [1.0, 8.0, 27.0, 64.0, 125.0, 216.0]);
        assert_eq!(expanded("squares", -3.0, 0.5), [] as [f64; 0]);
        assert_eq!(expanded("1..4", 9.0, None), [] as [f64; 0]);
    }

    #[test]
    fn large_numbers_are_reached_at_once() {
        assert_eq!(expanded("squares", 1e12, 1e12), [1e12]);
        assert_eq!(expanded("powers:1.0000001", 1e200, 1e200), [] as [f64; 0]);
        assert_eq!(expanded("powers:2", 2f64.powi(1000), 1.7e308).len(), 24);
    }

    #[test]
    fn lists_have_limits() {
        for (text, most) in [
            ("1..1e9", None),
            ("squares", Some(1e300)),
            ("multiples:1e-300", Some(1.0)),
            ("powers:1.0000001", Some(1e9)),
        ] {
            let list = NumberList::parse(text).unwrap();
            assert_eq!(list.expand(None, most), Err(NumbersError::TooMany), "{text}");
        }
        let list = NumberList::parse("cubes").unwrap();
        assert!(matches!(list.expand(None, None), Err(NumbersError::NeedsMost { .. })));
        assert_eq!(list.expand(None, Some(f64::NAN)), Err(NumbersError::BadBound));
        assert_eq!(list.expand(None, Some(f64::INFINITY)), Err(NumbersError::BadBound));
    }
}
