//! A plot prepared for drawing: undrawable values are removed, dense data thinned, colors assigned and axes fixed. The
//! picture and the terminal draw from the same scene.

use crate::plot::{Bar, DataPoint, Ink, Layer, Place, Plot, Ranking, Rule};
use crate::scale::{Extent, Kind, Ruler, Threshold, choose_kind, drawable};
use std::collections::HashSet;

/// A plot made ready for drawing.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub plot: &'a Plot,
    pub x: Ruler,
    pub y: Ruler,
    /// In drawing order.
    pub layers: Vec<Drawn<'a>>,
    /// Rankings, if the plot has any; then there are no layers.
    pub rankings: Vec<(&'a Ranking, Look)>,
    /// Notes for the reader about what is missing.
    pub notes: Vec<String>,
}

/// A layer with its look.
#[derive(Debug)]
pub(crate) enum Drawn<'a> {
    Points { name: &'a str, look: Look, values: Vec<DataPoint> },
    Line { name: &'a str, look: Look, pieces: Vec<Vec<(f64, f64)>> },
    Band { label: &'a str, look: Look, pieces: Vec<Vec<(f64, f64, f64)>> },
    Rule { place: Place, label: &'a str },
    Bars { name: &'a str, look: Look, bars: Vec<Bar>, slot: usize, slots: usize },
}

/// Color, marker and dash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Measured,
    Faint,
    /// The index of a named thing.
    Series(usize),
}

/// More points than this are thinned.
const MOST_POINTS: usize = 4_000;
/// A curve with more points keeps only its turning points.
const MOST_LINE_POINTS: usize = 1_500;
const MOST_BARS: usize = 400;
const MOST_ROWS: usize = 40;
const MOST_LAYERS: usize = 200;

impl<'a> Scene<'a> {
    pub fn new(plot: &'a Plot) -> Scene<'a> {
        Scene::of(plot, true)
    }

    /// With every value, however dense they are.
    pub fn whole(plot: &'a Plot) -> Scene<'a> {
        Scene::of(plot, false)
    }

    fn of(plot: &'a Plot, thins: bool) -> Scene<'a> {
        let mut notes = Vec::new();
        let looks = Looks::of(plot);
        let rankings: Vec<(&Ranking, Look)> = plot
            .layers
            .iter()
            .filter_map(|layer| match layer {
                Layer::Ranking(ranking) => Some((ranking, looks.find(&ranking.name, Ink::Auto))),
                _ => None,
            })
            .collect();
        if !rankings.is_empty() {
            return Scene::of_rankings(plot, rankings);
        }
        let (x, y) = rulers(plot);
        let mut layers = Vec::new();
        if plot.layers.len() > MOST_LAYERS {
            notes.push(format!("The first {MOST_LAYERS} of {} layers are drawn.", plot.layers.len()));
        }
        let slots = plot.layers.iter().filter(|layer| matches!(layer, Layer::Bars(_))).count();
        let (mut slot, mut unplaced, mut thinned) = (0, 0usize, None);
        for layer in plot.layers.iter().take(MOST_LAYERS) {
            match layer {
                Layer::Points(points) => {
                    let placed: Vec<DataPoint> =
                        points.values.iter().copied().filter(|p| placed(&x, &y, p.x, p.y)).collect();
                    let finite = points.values.iter().filter(|p| drawable(p.x) && drawable(p.y)).count();
                    unplaced += finite - placed.len();
                    let values = if thins { thin_points(placed.as_slice(), &x, &y) } else { placed.clone() };
                    if values.len() < placed.len() {
                        let (drawn, of) = thinned.unwrap_or((0, 0));
                        thinned = Some((drawn + values.len(), of + placed.len()));
                    }
                    let look = looks.find(&points.name, points.ink);
                    layers.push(Drawn::Points { name: &points.name, look, values });
                }
                Layer::Line(line) => {
                    let is_placed = |&(px, py): &(f64, f64)| placed(&x, &y, px, py);
                    let whole = pieces(&line.points, is_placed);
                    let pieces = if thins { whole.into_iter().map(thin_line).collect() } else { whole };
                    let look = looks.find(&line.name, line.ink);
                    layers.push(Drawn::Line { name: &line.name, look, pieces });
                }
                Layer::Band(band) => {
                    let is_placed = |&(px, low, high): &(f64, f64, f64)| {
                        x.fraction(px).is_some() && y.clamped(low).is_some() && y.clamped(high).is_some()
                    };
                    let whole = pieces(&band.values, is_placed);
                    let pieces = if thins { whole.into_iter().map(thin_band).collect() } else { whole };
                    let look = looks.find(&band.name, band.ink);
                    layers.push(Drawn::Band { label: &band.label, look, pieces });
                }
                Layer::Rule(rule) => layers.push(Drawn::Rule { place: rule.place, label: &rule.label }),
                Layer::Bars(bars) => {
                    let usable = |bar: &&Bar| drawable(bar.from) && drawable(bar.value) && bar.to > bar.from;
                    let kept: Vec<Bar> = bars.bars.iter().filter(usable).take(MOST_BARS).cloned().collect();
                    let look = looks.find(&bars.name, Ink::Auto);
                    layers.push(Drawn::Bars { name: &bars.name, look, bars: kept, slot, slots });
                    slot += 1;
                }
                Layer::Ranking(_) => {}
            }
        }
        // The background is drawn first.
        layers.sort_by_key(|layer| match layer {
            Drawn::Rule { place: Place::EndOfData(_), .. } => 0,
            Drawn::Band { .. } => 1,
            Drawn::Bars { .. } => 2,
            Drawn::Rule { .. } => 3,
            Drawn::Points { look: Look::Faint, .. } | Drawn::Line { look: Look::Faint, .. } => 4,
            Drawn::Line { .. } => 5,
            Drawn::Points { look: Look::Series(_), .. } => 6,
            Drawn::Points { .. } => 7,
        });
        if unplaced > 0 {
            notes.push(format!("{unplaced} values at or below zero have no place on a logarithmic axis."));
        }
        if let Some((drawn, of)) = thinned {
            notes.push(format!("{drawn} of {of} points are drawn: those that would cover one another are left out."));
        }
        Scene { plot, x, y, layers, rankings: Vec::new(), notes }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        let rows_with_a_value = self.rankings.iter().flat_map(|(ranking, _)| &ranking.rows).any(|r| drawable(r.value));
        let drawn = self.layers.iter().any(|layer| match layer {
            Drawn::Points { values, .. } => !values.is_empty(),
            Drawn::Line { pieces, .. } => !pieces.is_empty(),
            Drawn::Band { pieces, .. } => !pieces.is_empty(),
            Drawn::Bars { bars, .. } => !bars.is_empty(),
            Drawn::Rule { .. } => false,
        });
        !rows_with_a_value && !drawn
    }

    /// The labels of the rows of all rankings, in the order of the first.
    pub fn row_labels(&self) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        let labels = self.rankings.iter().flat_map(|(ranking, _)| ranking.rows.iter());
        labels.map(|row| row.label.as_str()).filter(|label| seen.insert(*label)).take(MOST_ROWS).collect()
    }

    fn of_rankings(plot: &'a Plot, rankings: Vec<(&'a Ranking, Look)>) -> Scene<'a> {
        let mut extent = Extent::default();
        for row in rankings.iter().flat_map(|(ranking, _)| &ranking.rows) {
            extent.add(row.value);
            if let Some((low, high)) = row.interval {
                extent.add(low);
                extent.add(high);
            }
        }
        let kind = choose_kind(plot.x.scale, &extent, Threshold::Values);
        if kind == Kind::Linear {
            extent.add(0.0);
        }
        let x = Ruler::new(kind, &extent, &plot.x, false);
        let y = Ruler::new(Kind::Linear, &Extent::default(), &plot.y, true);
        let mut scene = Scene { plot, x, y, layers: Vec::new(), rankings, notes: Vec::new() };
        let all: HashSet<&str> =
            scene.rankings.iter().flat_map(|(ranking, _)| ranking.rows.iter().map(|row| row.label.as_str())).collect();
        if all.len() > MOST_ROWS {
            scene.notes.push(format!("The first {MOST_ROWS} of {} rows are drawn.", all.len()));
        }
        scene
    }
}

impl Look {
    /// Index of its marker among the markers.
    pub fn marker(self) -> usize {
        match self {
            Look::Measured | Look::Faint => 0,
            Look::Series(index) => index + 1,
        }
    }
}

/// Index in the palette of each name.
struct Looks<'a> {
    names: Vec<&'a str>,
}

impl<'a> Looks<'a> {
    fn of(plot: &'a Plot) -> Self {
        let mut names: Vec<&str> = Vec::new();
        for layer in &plot.layers {
            let (name, ink) = match layer {
                Layer::Points(points) => (points.name.as_str(), points.ink),
                Layer::Line(line) => (line.name.as_str(), line.ink),
                Layer::Band(band) => (band.name.as_str(), band.ink),
                Layer::Bars(bars) => (bars.name.as_str(), Ink::Auto),
                Layer::Ranking(ranking) => (ranking.name.as_str(), Ink::Auto),
                Layer::Rule(_) => continue,
            };
            if ink == Ink::Auto && names.len() < MOST_LAYERS && !names.contains(&name) {
                names.push(name);
            }
        }
        Looks { names }
    }

    fn find(&self, name: &str, ink: Ink) -> Look {
        match ink {
            Ink::Measured => Look::Measured,
            Ink::Faint => Look::Faint,
            Ink::Auto => Look::Series(self.names.iter().position(|known| *known == name).unwrap_or(0)),
        }
    }
}

/// Axes that show all measured points, and as much of curves and bands as keeps the points readable.
fn rulers(plot: &Plot) -> (Ruler, Ruler) {
    let (mut xs, mut points, mut curves, mut bands) =
        (Extent::default(), Extent::default(), Extent::default(), Extent::default());
    let mut zero_based = false;
    let mut at_points: Option<bool> = None;
    let mut widest = 0.0f64;
    for layer in plot.layers.iter().take(MOST_LAYERS) {
        match layer {
            Layer::Points(layer) => {
                for point in layer.values.iter().filter(|point| drawable(point.x) && drawable(point.y)) {
                    xs.add(point.x);
                    points.add(point.y);
                    at_points = Some(at_points.unwrap_or(false) || point.x.fract() != 0.0);
                    if let Some((low, high)) = point.bar {
                        bands.add(low);
                        bands.add(high);
                    }
                }
            }
            Layer::Line(layer) => {
                for &(x, y) in layer.points.iter().filter(|(x, y)| drawable(*x) && drawable(*y)) {
                    xs.add(x);
                    curves.add(y);
                }
            }
            Layer::Band(layer) => {
                for &(x, low, high) in layer.values.iter().filter(|(x, ..)| drawable(*x)) {
                    xs.add(x);
                    bands.add(low);
                    bands.add(high);
                }
            }
            Layer::Rule(rule) => match rule.place {
                Place::Horizontal(y) => curves.add(y),
                Place::Vertical(x) => xs.add(x),
                Place::EndOfData(_) => {}
            },
            Layer::Bars(layer) => {
                zero_based = true;
                for bar in layer.bars.iter().take(MOST_BARS) {
                    xs.add(bar.from);
                    points.add(bar.value);
                    if drawable(bar.to) {
                        xs.add(bar.to);
                        widest = widest.max(bar.to - bar.from);
                    }
                }
                // The last bar may be open to the right; it is drawn as wide as the others.
                if let Some(open) = layer.bars.iter().find(|bar| bar.to == f64::INFINITY) {
                    xs.add(open.from + if widest > 0.0 { widest } else { 1.0 });
                }
            }
            Layer::Ranking(_) => {}
        }
    }
    // Curves run over fractions of processes, so the points decide whether an axis counts.
    xs.fractional = at_points.unwrap_or(xs.fractional);
    let counts = plot.x.unit.is_empty() && !zero_based;
    let x_kind = choose_kind(plot.x.scale, &xs, if counts { Threshold::Counts } else { Threshold::Values });
    // Bands never decide whether an axis is logarithmic: one that reaches below zero is cut.
    let mut deciding = points;
    if let Some((low, high)) = curves.all {
        deciding.add(low);
        deciding.add(high);
    }
    let threshold = if x_kind == Kind::Linear { Threshold::Values } else { Threshold::Beside };
    let y_kind = if zero_based { Kind::Linear } else { choose_kind(plot.y.scale, &deciding, threshold) };
    let mut ys = points.widened_by(curves, y_kind).widened_by(bands, y_kind);
    if zero_based {
        ys.add(0.0);
    }
    // A line at zero has room on both sides: what is there lies above or below it.
    let rule = plot.layers.iter().find_map(|layer| match layer {
        Layer::Rule(Rule { place: Place::Horizontal(y), .. }) if drawable(*y) && y_kind == Kind::Linear => Some(*y),
        _ => None,
    });
    if let Some((y, (low, high))) = rule.zip(ys.all) {
        ys.add(y - 0.08 * (high - low));
        ys.add(y + 0.08 * (high - low));
    }
    let x = Ruler::new(x_kind, &xs, &plot.x, zero_based);
    let y = Ruler::new(y_kind, &ys, &plot.y, false);
    let y = if zero_based && !points.fractional && plot.y.unit.is_empty() { y.of_whole_numbers() } else { y };
    (if counts && !xs.fractional { x.of_whole_numbers() } else { x }, y)
}

fn placed(x: &Ruler, y: &Ruler, px: f64, py: f64) -> bool {
    x.fraction(px).is_some() && y.fraction(py).is_some()
}

/// The runs of neighbors that have a position.
fn pieces<T: Copy>(values: &[T], placed: impl Fn(&T) -> bool) -> Vec<Vec<T>> {
    values.split(|value| !placed(value)).filter(|piece| !piece.is_empty()).map(<[T]>::to_vec).collect()
}

/// The first point of each cell of a grid, where there are too many points.
fn thin_points(points: &[DataPoint], x: &Ruler, y: &Ruler) -> Vec<DataPoint> {
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let cell = |fraction: Option<f64>, cells: f64| (fraction.unwrap_or(0.0) * cells) as i32;
    let mut seen = HashSet::new();
    points.iter().copied().filter(|p| seen.insert((cell(x.fraction(p.x), 79.0), cell(y.fraction(p.y), 49.0)))).collect()
}

/// First, lowest, highest and last of each bucket of neighbors: the curve looks the same.
fn thin_line(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    thin_by(points, |point| point.1)
}

fn thin_band(points: Vec<(f64, f64, f64)>) -> Vec<(f64, f64, f64)> {
    thin_by(points, |point| point.2)
}

fn thin_by<T: Copy>(points: Vec<T>, height: impl Fn(&T) -> f64) -> Vec<T> {
    if points.len() <= MOST_LINE_POINTS {
        return points;
    }
    let bucket = points.len().div_ceil(MOST_LINE_POINTS / 4);
    points
        .chunks(bucket)
        .flat_map(|chunk| {
            let by_height = |&a: &usize, &b: &usize| height(&chunk[a]).total_cmp(&height(&chunk[b]));
            let lowest = (0..chunk.len()).min_by(by_height).unwrap_or(0);
            let highest = (0..chunk.len()).max_by(by_height).unwrap_or(0);
            let mut kept = [0, lowest, highest, chunk.len() - 1];
            kept.sort_unstable();
            let mut kept: Vec<usize> = kept.to_vec();
            kept.dedup();
            kept.into_iter().map(|index| chunk[index]).collect::<Vec<T>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Line, Points, Scale};

    #[test]
    fn a_hundred_thousand_points_are_thinned_and_the_reader_is_told() {
        let many =
            (0..100_000u32).map(|index| (f64::from(index), f64::from(index.wrapping_mul(2_654_435_761) % 1_000)));
        let plot = Plot::new("many", Axis::default(), Axis::default()).with(Points::new("a", many));
        let scene = Scene::new(&plot);
        let Drawn::Points { values, .. } = &scene.layers[0] else { panic!("points") };
        assert!(values.len() <= MOST_POINTS, "{}", values.len());
        assert!(scene.notes[0].contains("of 100000 points"), "{:?}", scene.notes);
    }

    #[test]
    fn a_long_curve_keeps_its_peak() {
        let curve = (0..100_000).map(|index| (f64::from(index), if index == 54_321 { 9.0 } else { 1.0 }));
        let plot = Plot::new("long", Axis::default(), Axis::default()).with(Line::new("a", curve));
        let scene = Scene::new(&plot);
        let Drawn::Line { pieces, .. } = &scene.layers[0] else { panic!("line") };
        assert!(pieces[0].len() <= MOST_LINE_POINTS);
        assert!(pieces[0].contains(&(54_321.0, 9.0)));
    }

    #[test]
    fn gaps_interrupt_a_curve() {
        let points = [(1.0, 1.0), (2.0, f64::NAN), (3.0, 1.0), (4.0, 2.0)];
        let plot = Plot::new("gap", Axis::default(), Axis::default()).with(Line::new("a", points));
        let scene = Scene::new(&plot);
        let Drawn::Line { pieces, .. } = &scene.layers[0] else { panic!("line") };
        assert_eq!(pieces.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_wild_band_does_not_shrink_the_data() {
        let band = crate::plot::Band { name: "a".into(), values: vec![(1.0, 1e-9, 1e9)], ..Default::default() };
        let plot = Plot::new("wild", Axis::default(), Axis::default().scaled(Scale::Log10))
            .with(Points::new("a", [(1.0, 1.0), (2.0, 10.0)]))
            .with(band);
        let scene = Scene::new(&plot);
        let (low, high) = (scene.y.fraction(1.0), scene.y.fraction(10.0));
        assert!(high.zip(low).is_some_and(|(high, low)| high - low > 0.25), "{low:?} {high:?}");
    }
}
