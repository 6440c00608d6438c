//! Curves with as few points as they need: a page has each picture twice, its numbers and a table of them.
//!
//! A point goes that lies on the straight line between its neighbors, as the picture draws them (Douglas and Peucker, 1973).
//! Points of measurements stay, and so does everything else.

use crate::plot::{Layer, Plot};
use crate::scene::Scene;
use std::collections::{BTreeMap, BTreeSet};

/// Part of the height of a picture that nobody sees: a tenth of a pixel.
const TOLERANCE: f64 = 0.0003;
/// The same where a script draws it on other axes: half a pixel.
const COARSE: f64 = 0.0015;

/// A place on the picture, from 0 to 1; none: it cannot be drawn.
type Placing<'a> = Box<dyn Fn(f64, f64) -> Option<(f64, f64)> + 'a>;

/// The same picture, with what it needs as it is drawn.
pub(crate) fn as_drawn(plot: &Plot) -> Plot {
    let scene = Scene::new(plot);
    let place = |x: f64, y: f64| {
        let at = (scene.x.fraction(x)?, scene.y.clamped(y)?);
        (at.0.is_finite() && at.1.is_finite()).then_some(at)
    };
    thinned(plot, &[(Box::new(place), TOLERANCE)])
}

/// The same picture, with what it needs on linear and logarithmic axes.
pub(crate) fn for_all_axes(plot: &Plot) -> Plot {
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for layer in &plot.layers {
        match layer {
            Layer::Line(line) => line.points.iter().for_each(|&(x, y)| (xs.push(x), ys.push(y)).1),
            Layer::Band(band) => band.values.iter().for_each(|&(x, low, high)| (xs.push(x), ys.extend([low, high])).1),
            _ => {}
        }
    }
    let axes: Vec<(Placing<'_>, f64)> = [(false, false), (false, true), (true, false), (true, true)]
        .into_iter()
        .map(|(log_x, log_y)| {
            let (along, up) = (part(&xs, log_x), part(&ys, log_y));
            let place: Placing<'_> = Box::new(move |x, y| Some((along(x)?, up(y)?)));
            (place, COARSE)
        })
        .collect();
    thinned(plot, &axes)
}

/// Where a value is between the least and the largest.
fn part(values: &[f64], is_log: bool) -> impl Fn(f64) -> Option<f64> + use<> {
    let scaled = move |value: f64| Some(if is_log { value.ln() } else { value }).filter(|value| value.is_finite());
    let ends = values.iter().filter_map(|value| scaled(*value));
    let (low, high) =
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    let span = if high > low { high - low } else { 1.0 };
    move |value| scaled(value).map(|value| (value - low) / span)
}

fn thinned(plot: &Plot, axes: &[(Placing<'_>, f64)]) -> Plot {
    // A curve and its range have one name, and keep the same places.
    let mut kept: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for layer in &plot.layers {
        let (name, edges): (&str, Vec<Vec<(f64, f64)>>) = match layer {
            Layer::Line(line) => (&line.name, vec![line.points.clone()]),
            Layer::Band(band) => {
                let edge =
                    |end: fn(&(f64, f64, f64)) -> f64| band.values.iter().map(|value| (value.0, end(value))).collect();
                (&band.name, vec![edge(|value| value.1), edge(|value| value.2)])
            }
            _ => continue,
        };
        let kept = kept.entry(name.to_owned()).or_default();
        for (place, tolerance) in axes {
            for edge in &edges {
                let places: Vec<_> = edge.iter().map(|&(x, y)| place(x, y)).collect();
                kept.extend(needed(&places, *tolerance).into_iter().map(|index| edge[index].0.to_bits()));
            }
        }
    }
    let mut thin = plot.clone();
    for layer in &mut thin.layers {
        match layer {
            Layer::Line(line) => retain(&mut line.points, kept.get(&line.name), |point| point.0),
            Layer::Band(band) => retain(&mut band.values, kept.get(&band.name), |value| value.0),
            _ => {}
        }
    }
    thin
}

fn retain<T>(values: &mut Vec<T>, kept: Option<&BTreeSet<u64>>, x: impl Fn(&T) -> f64) {
    if let Some(kept) = kept {
        values.retain(|value| kept.contains(&x(value).to_bits()));
    }
}

/// The points that a curve needs; where one cannot be drawn, its neighbors are ends.
fn needed(points: &[Option<(f64, f64)>], tolerance: f64) -> Vec<usize> {
    let mut needed = Vec::new();
    let mut start = 0;
    for end in 0..=points.len() {
        if points.get(end).copied().flatten().is_some() {
            continue;
        }
        let stretch: Vec<(f64, f64)> = points[start..end].iter().copied().flatten().collect();
        needed.extend(corners(&stretch, tolerance).into_iter().map(|index| start + index));
        needed.extend((end < points.len()).then_some(end));
        start = end + 1;
    }
    needed
}

fn corners(points: &[(f64, f64)], tolerance: f64) -> Vec<usize> {
    let Some(last) = points.len().checked_sub(1) else { return Vec::new() };
    let mut found = vec![0];
    let mut spans = vec![(0, last)];
    while let Some((from, to)) = spans.pop() {
        let farthest = (from + 1..to)
            .map(|index| (index, distance(points[index], points[from], points[to])))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        match farthest {
            Some((index, distance)) if distance > tolerance => spans.extend([(index, to), (from, index)]),
            _ => found.push(to),
        }
    }
    found.dedup();
    found
}

/// How far a point is from the straight line between two others; where they are one, from that.
fn distance((x, y): (f64, f64), (x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = dx.hypot(dy);
    if length == 0.0 { (x - x0).hypot(y - y0) } else { ((x - x0) * dy - (y - y0) * dx).abs() / length }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Band, Line, Points};

    #[test]
    fn a_power_law_on_logarithmic_axes_needs_its_ends() {
        let curve: Vec<(f64, f64)> =
            (0..=60).map(|step| (2f64.powf(f64::from(step) / 10.0), step)).map(|(x, _)| (x, 100.0 / x)).collect();
        let band = curve.iter().map(|&(x, y)| (x, 0.9 * y, 1.1 * y)).collect();
        let plot = Plot::new("t", Axis::new("p", ""), Axis::new("t", "s"))
            .with(Points::new("measured", [(1.0, 100.0), (4.0, 25.0), (64.0, 1.6)]))
            .with(Line::new("auto", curve.clone()))
            .with(Band { name: "auto".into(), values: band, ..Band::default() });
        let thin = as_drawn(&plot);
        let counts: Vec<usize> = thin
            .layers
            .iter()
            .map(|layer| match layer {
                Layer::Points(points) => points.values.len(),
                Layer::Line(line) => line.points.len(),
                Layer::Band(band) => band.values.len(),
                _ => 0,
            })
            .collect();
        assert_eq!((counts[0], counts[1], counts[2]), (3, 2, 2));
        // On linear axes it is a curve.
        let all = for_all_axes(&plot);
        let count = all.layers.iter().find_map(|layer| match layer {
            Layer::Line(line) => Some(line.points.len()),
            _ => None,
        });
        assert!(count.is_some_and(|count| count > 8 && count < 50), "{count:?}");
    }

    #[test]
    fn what_is_left_out_lies_on_what_stays() {
        let points: Vec<(f64, f64)> =
            (0..=200).map(|step| f64::from(step) / 200.0).map(|x| (x, (6.0 * x).sin() / 2.0 + 0.5)).collect();
        let kept = corners(&points, TOLERANCE);
        // Chords of a curve with |y''| <= 18 stay within the tolerance t if they span sqrt(8 t / 18) = 0.0115: 87 of them.
        assert!(kept.len() < 88 && kept[0] == 0 && kept[kept.len() - 1] == 200, "{}", kept.len());
        for pair in kept.windows(2) {
            for index in pair[0]..pair[1] {
                assert!(distance(points[index], points[pair[0]], points[pair[1]]) <= TOLERANCE);
            }
        }
    }

    #[test]
    fn gaps_stay_gaps() {
        let points = [
            Some((0.0, 0.0)),
            Some((0.1, 0.1)),
            Some((0.2, 0.2)),
            None,
            Some((0.4, 0.4)),
            Some((0.5, 0.5)),
            Some((0.6, 0.6)),
        ];
        assert_eq!(needed(&points, TOLERANCE), [0, 2, 3, 4, 6]);
        assert!(needed(&[], TOLERANCE).is_empty() && needed(&[None], TOLERANCE) == [0]);
    }
}
