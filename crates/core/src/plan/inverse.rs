//! The inverse of a forecast: the size at which it reaches a limit.

/// Samples along the range, evenly spaced in the logarithm, that show whether the answer is the only one.
const SAMPLES: u32 = 96;
/// Width of the last interval, in the logarithm of the size.
const WIDTH: f64 = 1e-12;

/// Where a curve over sizes reaches a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Crossing {
    /// The largest size within the limit.
    At(f64),
    /// Even the smallest size of the range is above the limit.
    Below,
    /// Even the largest size of the range is within the limit.
    Above,
}

/// The curve passes the limit more than once: it falls from above the limit at the first size to within it at the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NotRising {
    pub above_at: f64,
    pub within_at: f64,
}

/// The size at which a curve reaches a limit, by bisection in the logarithm of the size.
///
/// ```text
/// f(N) = limit,   N in [from, to],   0 < from < to
/// ```
///
/// Where the curve has no value the range ends.
///
/// # Errors
/// [`NotRising`] when there are several such sizes.
///
/// # Examples
/// ```
/// use runcast_core::plan::{Crossing, crossing};
/// let cube = |size: f64| Some(2.0 + 4e-11 * size.powi(3) + 3e-9 * size.powi(2));
/// let Ok(Crossing::At(size)) = crossing(cube, 60.0, [100.0, 1e6]) else { panic!("it rises") };
/// assert!((size - 11293.567098).abs() < 1e-6);
/// ```
pub fn crossing(
    mut curve: impl FnMut(f64) -> Option<f64>,
    limit: f64,
    [from, to]: [f64; 2],
) -> Result<Crossing, NotRising> {
    let (start, width) = (from.ln(), (to / from).ln());
    let size = |place: u32| match place {
        0 => from,
        SAMPLES => to,
        _ => (start + width * f64::from(place) / f64::from(SAMPLES)).exp(),
    };
    let samples = (0..=SAMPLES).map(|place| (size(place), curve(size(place)).filter(|value| !value.is_nan())));
    let known: Vec<(f64, f64)> = samples.filter_map(|(size, value)| Some((size, value?))).collect();
    let Some(first_above) = known.iter().position(|&(_, value)| value > limit) else { return Ok(Crossing::Above) };
    if let Some(&(within_at, _)) = known[first_above..].iter().find(|&&(_, value)| value <= limit) {
        return Err(NotRising { above_at: known[first_above].0, within_at });
    }
    let Some(last_within) = first_above.checked_sub(1) else { return Ok(Crossing::Below) };
    let (mut low, mut high) = (known[last_within].0.ln(), known[first_above].0.ln());
    while high - low > WIDTH * low.abs().max(1.0) {
        let middle = 0.5 * (low + high);
        if curve(middle.exp()).is_some_and(|value| value <= limit) { low = middle } else { high = middle }
    }
    Ok(Crossing::At((0.5 * (low + high)).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(processes: f64, exponent: f64) -> f64 {
        let time =
            |size: f64| Some(2.0 + 4e-11 * size.powi(3) / processes + 3e-9 * size * size / processes.powf(exponent));
        match crossing(time, 60.0, [10.0, 1e7]) {
            Ok(Crossing::At(size)) => size,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sizes_that_keep_the_time_are_those_of_the_closed_form() {
        let expected = [(1.0, 11293.567098), (8.0, 22566.533658), (64.0, 45074.928745), (512.0, 89985.929567)];
        for (processes, size) in expected {
            assert!((at(processes, 0.5) - size).abs() < 1e-6, "p = {processes}");
        }
    }

    #[test]
    fn memory_has_the_root_of_its_formula() {
        for (processes, size) in [(1.0_f64, 15811.388301), (8.0, 44721.359550), (64.0, 126491.106407)] {
            let bytes = |size: f64| Some(8.0 * size * size / processes);
            let Ok(Crossing::At(found)) = crossing(bytes, 2e9, [1.0, 1e15]) else { panic!("it rises") };
            assert!((found - size).abs() < 1e-6 * (1.0 + size / 1e4), "{found} {size}");
        }
    }

    #[test]
    fn limits_outside_of_the_range_are_told_apart_and_two_answers_are_none() {
        assert_eq!(crossing(Some, 0.5, [1.0, 10.0]), Ok(Crossing::Below));
        assert_eq!(crossing(Some, 11.0, [1.0, 10.0]), Ok(Crossing::Above));
        assert_eq!(crossing(|_| None, 1.0, [1.0, 10.0]), Ok(Crossing::Above));
        let hill = |size: f64| Some(-(size.ln() - 1.0).powi(2));
        assert!(crossing(hill, -0.5, [1.0, 10.0]).is_err());
        let steps = crossing(|size| Some(size.floor()), 3.0, [1.0, 10.0]);
        assert!(matches!(steps, Ok(Crossing::At(size)) if (size - 4.0).abs() < 1e-9), "{steps:?}");
    }
}
