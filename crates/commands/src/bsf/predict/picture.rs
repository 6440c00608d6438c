//! Speedup over workers, with the boundary.

use super::curve::{Curve, Wanted};
use rayon::prelude::*;
use runcast_bsf::cost::Form;
use runcast_report::number::significant;
use runcast_report::plot::{Axis, Band, Ink, Line, Place, Plot, Points, Rule};

/// Places of a curve, and of a band, which takes all draws at each.
const PLACES: usize = 240;
const BAND_PLACES: usize = 80;

/// The curves with their best worker counts, and the boundary where it is in sight.
pub(super) fn plot(title: &str, wanted: &Wanted<'_>, curves: &[Curve]) -> Plot {
    let x = Axis::new("workers", "");
    let mut plot = Plot::new(title, x, Axis::new("speedup against one worker", ""));
    let last = curves.iter().map(last_of).max().unwrap_or(1);
    for curve in curves {
        plot.layers.extend(band(wanted, curve, last).map(Into::into));
        let speedup = |workers: u64| (workers as f64, wanted.costs.speedup(curve.form, curve.collective, workers));
        plot = plot.with(Line::new(curve.name(), places(last, PLACES).into_iter().map(speedup)));
        plot = plot.with(Points::new(curve.name(), [(curve.best_workers as f64, curve.best_speedup)]));
    }
    if let Some(boundary) = wanted.costs.k_max().filter(|boundary| (1.0..=last as f64).contains(boundary)) {
        let label = format!("K_max {} (flat)", significant(boundary, 3));
        plot = plot.with(Rule { place: Place::Vertical(boundary), label });
    }
    plot
}

/// How far a curve is drawn: to its last point, and to its best one.
fn last_of(curve: &Curve) -> u64 {
    curve.points.iter().map(|point| point.workers).max().unwrap_or(1).max(curve.best_workers)
}

/// The interval of the speedup, for the smooth form alone: the others would hide it.
fn band(wanted: &Wanted<'_>, curve: &Curve, last: u64) -> Option<Band> {
    let draws = wanted.draws.filter(|_| curve.form == Form::Smooth)?;
    let at = |workers: u64| {
        let interval =
            draws.interval(wanted.level, |costs| Some(costs.speedup(curve.form, curve.collective, workers)))?;
        Some((workers as f64, interval.low, interval.high))
    };
    Some(Band {
        name: curve.name(),
        label: format!("{}\u{a0}% range", significant(100.0 * wanted.level, 3)),
        ink: Ink::Auto,
        values: places(last, BAND_PLACES).into_par_iter().filter_map(at).collect(),
    })
}

/// Whole numbers from 1 to the last, all of them or evenly by their logarithm.
fn places(last: u64, most: usize) -> Vec<u64> {
    if last <= most as u64 {
        return (1..=last).collect();
    }
    let step = (last as f64).ln() / (most - 1) as f64;
    let inner = (0..most - 1).map(|index| ((index as f64 * step).exp().round() as u64).min(last));
    let mut places: Vec<u64> = inner.chain([last]).collect();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_whole_numbers_from_first_to_last() {
        assert_eq!(places(3, 10), [1, 2, 3]);
        let far = places(1_000_000_000_000_000, 240);
        assert_eq!((far.first(), far.last()), (Some(&1), Some(&1_000_000_000_000_000)));
        assert!(far.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
