//! Pictures with as few values as they need: a page has each twice, its numbers and a part of them as a table.
//!
//! As drawn, a point of a curve goes that lies on the straight line between its neighbors (Douglas and Peucker, 1973). For the
//! script of a page all values stay, or, where they are very many, the lowest and the highest of each column of pixels.

use crate::plot::{Layer, Plot};
use crate::scene::Scene;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Part of the height of a picture that nobody sees: a tenth of a pixel.
const TOLERANCE: f64 = 0.0003;
/// A curve with more points after that is noise, of which neighbors lie in one column.
const MOST_DRAWN: usize = 400;
/// A picture with more values than this does not have all of them in the page.
const MOST_VALUES: usize = 2_000;
/// As wide as a picture is on a screen, in pixels.
const MOST_COLUMNS: usize = 720;
const FEWEST_COLUMNS: usize = 40;

/// The same picture, with what it needs as it is drawn.
pub(crate) fn as_drawn(plot: &Plot) -> Plot {
    let scene = Scene::new(plot);
    let place = |x: f64, y: f64| {
        let at = (scene.x.fraction(x)?, scene.y.clamped(y)?);
        (at.0.is_finite() && at.1.is_finite()).then_some(at)
    };
    let places = |edge: &[(f64, f64)]| edge.iter().map(|&(x, y)| place(x, y)).collect::<Vec<_>>();
    let thin = thinned(plot, |edge| needed(&places(edge), TOLERANCE));
    let (lines, count) = thin.layers.iter().fold((0, 0), |(lines, count), layer| match layer {
        Layer::Line(line) => (lines + 1, count + line.points.len()),
        _ => (lines, count),
    });
    if count <= MOST_DRAWN {
        return thin;
    }
    let columns = columns(MOST_DRAWN, lines);
    thinned(&thin, |edge| extremes(&scene, edge, columns))
}

/// The same picture, with what the script of a page has, and how many values that are of how many where it has not all.
pub(crate) fn for_script(plot: &Plot) -> (Plot, Option<(usize, usize)>) {
    let count = values(plot);
    if count <= MOST_VALUES {
        return (plot.clone(), None);
    }
    let scene = Scene::whole(plot);
    let layers = plot.layers.iter().filter(|layer| matches!(layer, Layer::Points(_) | Layer::Line(_))).count();
    let columns = columns(MOST_VALUES, layers);
    let mut thin = thinned(plot, |edge| extremes(&scene, edge, columns));
    for layer in &mut thin.layers {
        if let Layer::Points(points) = layer {
            let edge: Vec<(f64, f64)> = points.values.iter().map(|point| (point.x, point.y)).collect();
            let kept: HashSet<usize> = extremes(&scene, &edge, columns).into_iter().collect();
            let mut index = 0..;
            points.values.retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
        }
    }
    let kept = values(&thin);
    (thin, Some((kept, count)))
}

/// Points and places on curves.
fn values(plot: &Plot) -> usize {
    let count = |layer: &Layer| match layer {
        Layer::Points(points) => points.values.len(),
        Layer::Line(line) => line.points.len(),
        _ => 0,
    };
    plot.layers.iter().map(count).sum()
}

/// Columns of which each layer keeps two values, so that all together keep about `most`.
fn columns(most: usize, layers: usize) -> f64 {
    (most / (2 * layers.max(1))).clamp(FEWEST_COLUMNS, MOST_COLUMNS) as f64
}

/// The ends, and the lowest and the highest of each column; what cannot be drawn stays: it is a gap.
fn extremes(scene: &Scene, edge: &[(f64, f64)], columns: f64) -> Vec<usize> {
    let mut kept = BTreeSet::from([0, edge.len().saturating_sub(1)]);
    let mut found: BTreeMap<i64, (usize, usize)> = BTreeMap::new();
    for (index, &(x, y)) in edge.iter().enumerate() {
        match scene.x.fraction(x).filter(|fraction| fraction.is_finite() && y.is_finite()) {
            Some(fraction) => {
                let (low, high) = found.entry((fraction * columns) as i64).or_insert((index, index));
                *low = if y < edge[*low].1 { index } else { *low };
                *high = if y > edge[*high].1 { index } else { *high };
            }
            None => drop(kept.insert(index)),
        }
    }
    kept.extend(found.into_values().flat_map(|(low, high)| [low, high]));
    kept.into_iter().collect()
}

/// The same with those places of curves and ranges that `needed` finds.
fn thinned(plot: &Plot, needed: impl Fn(&[(f64, f64)]) -> Vec<usize>) -> Plot {
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
        for edge in &edges {
            kept.extend(needed(edge).into_iter().filter_map(|index| edge.get(index)).map(|place| place.0.to_bits()));
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
        // The script draws it on linear axes, too, and has all of it.
        assert_eq!(for_script(&plot), (plot, None));
    }

    #[test]
    fn of_very_many_values_the_lowest_and_the_highest_stay() {
        let wave =
            (0..50_000).map(|k| (f64::from(k), if k == 31_234 { 7.0 } else { f64::from(k * 7919 % 1000) / 999.0 }));
        let plot = Plot::new("t", Axis::new("i", ""), Axis::new("t", "s")).with(Points::new("measured", wave));
        let (thin, left) = for_script(&plot);
        let Layer::Points(points) = &thin.layers[0] else { panic!("points") };
        let count = points.values.len();
        assert!((1_300..=1_444).contains(&count) && left == Some((count, 50_000)), "{left:?}");
        assert!(points.values.iter().any(|point| (point.x, point.y) == (31_234.0, 7.0)));
        // Two of each column: the whole height is there everywhere.
        let column = |point: &crate::plot::DataPoint| (point.x / 50_000.0 * 100.0) as usize;
        for at in 0..100 {
            let ys: Vec<f64> = points.values.iter().filter(|point| column(point) == at).map(|point| point.y).collect();
            assert!(ys.iter().any(|y| *y < 0.02) && ys.iter().any(|y| *y > 0.98), "{at}");
        }
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
