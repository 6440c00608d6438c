//! The layers of a chart: bands, curves, bars, markers.

use crate::canvas::{Area, Measures, fill_class, line_style, straight, stroke_class, text};
use crate::number;
use crate::palette::{coordinate, marker};
use crate::plot::{Bar, DataPoint, Place};
use crate::scene::{Drawn, Look, Scene};
use crate::text::{escape, fit};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Draws all layers, clipped at the edges of the area.
pub(crate) fn draw(out: &mut String, scene: &Scene, measures: &Measures, area: &Area) {
    // A nested picture clips its content, without the ids that clip paths need.
    let (w, h) = (area.right - area.left, area.bottom - area.top);
    let _ = write!(
        out,
        "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"{} {} {} {}\">",
        coordinate(area.left),
        coordinate(area.top),
        coordinate(w),
        coordinate(h),
        coordinate(area.left),
        coordinate(area.top),
        coordinate(w),
        coordinate(h)
    );
    let mut above = String::new();
    for layer in &scene.layers {
        match layer {
            Drawn::Band { look, pieces, .. } => draw_band(out, scene, area, *look, pieces),
            Drawn::Line { look, pieces, .. } => {
                let path: String = pieces.iter().map(|piece| line_path(scene, area, piece, measures.sparing)).collect();
                if !path.is_empty() {
                    let _ = write!(out, "<path class=\"{}\"{} d=\"{path}\"/>", stroke_class(*look), line_style(*look));
                }
            }
            Drawn::Bars { look, bars, slot, slots, .. } => {
                draw_bars(out, scene, area, (*look, bars), (*slot, *slots));
            }
            Drawn::Rule { place: Place::Horizontal(y), label } => {
                draw_horizontal_rule(out, scene, measures, area, (*y, label));
            }
            Drawn::Rule { .. } => {}
            // Markers at the edge of the picture stay whole.
            Drawn::Points { look, values, .. } if measures.sparing && is_dense(scene, values) => {
                draw_strokes(&mut above, scene, area, *look, values);
            }
            Drawn::Points { name, look, values } => {
                draw_points(&mut above, scene, area, (*name, *look, values), measures.sparing);
            }
        }
    }
    out.push_str("</svg>");
    out.push_str(&above);
}

/// More points of one name in a picture that has [`MANY`] are not drawn one by one in a page.
const SEVERAL: usize = 40;
const MANY: usize = 200;
/// Width of a stroke, a little more than that of a small mark.
const STROKE: f64 = 6.0;

fn is_dense(scene: &Scene, values: &[DataPoint]) -> bool {
    let count = |layer: &Drawn| match layer {
        Drawn::Points { values, .. } => values.len(),
        _ => 0,
    };
    values.len() > SEVERAL && scene.layers.iter().map(count).sum::<usize>() > MANY
}

/// Whether any points of a picture in a page are strokes.
pub(crate) fn has_strokes(scene: &Scene) -> bool {
    scene.layers.iter().any(|layer| matches!(layer, Drawn::Points { values, .. } if is_dense(scene, values)))
}

/// Points that lie close, as one stroke from the lowest to the highest in each column as wide as a mark.
fn draw_strokes(out: &mut String, scene: &Scene, area: &Area, look: Look, values: &[DataPoint]) {
    let mut columns: BTreeMap<i64, (f64, f64, f64)> = BTreeMap::new();
    for point in values {
        let x = area.x(scene.x.fraction(point.x).unwrap_or(0.0)).round();
        let y = area.y(scene.y.clamped(point.y).unwrap_or(0.0).clamp(-0.02, 1.02)).round();
        let (_, low, high) = columns.entry((x / STROKE).floor() as i64).or_insert((x, y, y));
        (*low, *high) = (low.min(y), high.max(y));
    }
    let path: String = columns.values().map(|(x, low, high)| format!("M{x},{low}v{}", high - low)).collect();
    let opacity = if look == Look::Faint { ".4" } else { ".75" };
    let _ = write!(
        out,
        "<path class=\"{}\" fill=\"none\" stroke-width=\"{STROKE}\" stroke-linecap=\"round\" stroke-opacity=\"{opacity}\" d=\"{path}\"/>",
        stroke_class(look)
    );
}

fn draw_band(out: &mut String, scene: &Scene, area: &Area, look: Look, pieces: &[Vec<(f64, f64, f64)>]) {
    for piece in pieces {
        let corner = |x: f64, y: f64| {
            let (x, y) = (scene.x.fraction(x).unwrap_or(0.0), scene.y.clamped(y).unwrap_or(0.0));
            format!("{},{}", coordinate(area.x(x)), coordinate(area.y(y)))
        };
        let upper = piece.iter().map(|&(x, _, high)| corner(x, high));
        let lower = piece.iter().rev().map(|&(x, low, _)| corner(x, low));
        let corners: Vec<String> = upper.chain(lower).collect();
        let _ =
            write!(out, "<path class=\"{}\" fill-opacity=\".17\" d=\"M{}Z\"/>", fill_class(look), corners.join("L"));
    }
}

/// A curve; `sparing`: as steps of tenths of a pixel, which take half as many bytes.
fn line_path(scene: &Scene, area: &Area, piece: &[(f64, f64)], sparing: bool) -> String {
    let mut path = String::new();
    let mut last = (0.0, 0.0);
    for (index, &(x, y)) in piece.iter().enumerate() {
        let (x, y) = (scene.x.fraction(x).unwrap_or(0.0), scene.y.clamped(y).unwrap_or(0.0));
        let at = (area.x(x), area.y(y));
        let tenths = |value: f64| (10.0 * value).round();
        let (command, x, y) = match (index, sparing) {
            (0, _) => ('M', at.0, at.1),
            (_, false) => ('L', at.0, at.1),
            (_, true) => ('l', (tenths(at.0) - tenths(last.0)) / 10.0, (tenths(at.1) - tenths(last.1)) / 10.0),
        };
        let y = coordinate(y);
        let comma = if sparing && y.starts_with('-') { "" } else { "," };
        let _ = write!(path, "{command}{}{comma}{y}", coordinate(x));
        last = at;
    }
    if piece.len() == 1 {
        path.push_str("h.01");
    }
    path
}

fn draw_points(
    out: &mut String,
    scene: &Scene,
    area: &Area,
    (name, look, values): (&str, Look, &[DataPoint]),
    sparing: bool,
) {
    let radius = if look == Look::Faint { 2.4 } else { 4.0 };
    let radius = if values.len() > 400 { 0.6 * radius } else { radius };
    let place = |x: f64, y: f64| {
        (area.x(scene.x.fraction(x).unwrap_or(0.0)), area.y(scene.y.clamped(y).unwrap_or(0.0).clamp(-0.02, 1.02)))
    };
    let mut bars = String::new();
    for (point, (low, high)) in values.iter().filter_map(|point| Some((point, point.bar?))) {
        if low.is_nan() || high.is_nan() {
            continue;
        }
        let ((x, from), (_, to)) = (place(point.x, low), place(point.x, high));
        let (x, from, to, cap) = (coordinate(x), coordinate(from), coordinate(to), coordinate(x - 3.5));
        let _ = write!(bars, "M{x},{from}V{to}M{cap},{from}h7M{cap},{to}h7");
    }
    if !bars.is_empty() {
        let _ = write!(out, "<path class=\"{}\" fill=\"none\" stroke-width=\"1.3\" d=\"{bars}\"/>", stroke_class(look));
    }
    let outline = |point: &DataPoint| {
        let (x, y) = place(point.x, point.y);
        marker(look.marker(), x, y, radius)
    };
    let class = fill_class(look);
    // A tooltip for every marker, unless there are too many to aim at one, or a page says the values.
    if look == Look::Faint || values.len() > 200 || sparing {
        let path: String = values.iter().map(outline).collect();
        let opacity = match look {
            Look::Faint => " fill-opacity=\".55\"",
            _ if values.len() > 200 => " fill-opacity=\".75\"",
            _ => "",
        };
        if !path.is_empty() {
            let _ = write!(out, "<path class=\"{class}\"{opacity} d=\"{path}\"/>");
        }
        return;
    }
    let plot = scene.plot;
    let _ = write!(out, "<g class=\"{class}\">");
    for point in values {
        let name = if name.is_empty() { String::new() } else { format!("{}: ", fit(name, 1.0, 60.0)) };
        let tip = format!(
            "{name}{} at {}",
            number::quantity(point.y, &plot.y.unit, 4),
            number::with_unit(&number::parameter(point.x), &plot.x.unit)
        );
        let _ = write!(out, "<path d=\"{}\"><title>{}</title></path>", outline(point), escape(&tip));
    }
    out.push_str("</g>");
}

fn draw_bars(
    out: &mut String,
    scene: &Scene,
    area: &Area,
    (look, bars): (Look, &[Bar]),
    (slot, slots): (usize, usize),
) {
    let base = area.y(scene.y.clamped(0.0).unwrap_or(0.0).clamp(0.0, 1.0));
    let mut path = String::new();
    let mut tops = String::new();
    for bar in bars {
        let (Some(from), Some(value)) = (scene.x.fraction(bar.from), scene.y.clamped(bar.value)) else { continue };
        let to = if bar.to == f64::INFINITY { 1.0 } else { scene.x.clamped(bar.to).unwrap_or(1.0).clamp(0.0, 1.0) };
        let (left, right) = (area.x(from) + 1.5, area.x(to) - 1.5);
        let each = (right - left) / slots.max(1) as f64;
        if each <= 0.0 || value == scene.y.clamped(0.0).unwrap_or(0.0) {
            continue;
        }
        let left = left + each * slot as f64;
        let gap = if slots > 1 { 0.08 * each } else { 0.0 };
        let top = area.y(value.clamp(0.0, 1.0));
        let _ = write!(
            path,
            "M{},{}V{}H{}V{}Z",
            coordinate(left + gap),
            coordinate(base),
            coordinate(top),
            coordinate(left + each - gap),
            coordinate(base)
        );
        if slots > 1 && each > 5.0 {
            tops.push_str(&marker(look.marker(), left + 0.5 * each, top - 7.0, (0.3 * each).min(3.5)));
        }
    }
    let _ = write!(out, "<path class=\"{}\" d=\"{path}\"/>", fill_class(look));
    if !tops.is_empty() {
        let _ = write!(out, "<path class=\"{}\" d=\"{tops}\"/>", fill_class(look));
    }
}

fn draw_horizontal_rule(out: &mut String, scene: &Scene, measures: &Measures, area: &Area, (y, label): (f64, &str)) {
    let Some(y) = scene.y.fraction(y).map(|fraction| area.y(fraction)) else { return };
    straight(out, "a", (area.left, y), (area.right, y), " fill=\"none\" stroke-width=\"1.5\"");
    if !label.is_empty() {
        text(out, "u", area.right - 4.0, y - 5.0, "end", measures.font - 1.0, label);
    }
}
