//! Named values from top to bottom: rankings of models, shares of regions.

use crate::canvas::{Area, Measures, fill_class, straight, stroke_class, text};
use crate::legend;
use crate::number;
use crate::palette::{coordinate, marker};
use crate::plot::RankedRow;
use crate::scale::{Kind, drawable};
use crate::scene::{Look, Scene};
use crate::text::{escape, fit, width};
use std::fmt::Write;

const ROW: f64 = 27.0;

/// Draws the rankings of a scene and returns where they end.
pub(crate) fn draw(out: &mut String, scene: &Scene, measures: &Measures, top: f64) -> f64 {
    let top = legend::draw(out, &legend::entries(scene, |_| false, |_, _| false), measures, top);
    let labels = scene.row_labels();
    let font = measures.font;
    let widest = labels.iter().map(|label| width(label, font)).fold(0.0, f64::max);
    // One ranking shows its values as text to the right; with several, the markers and the axis must suffice.
    let single = scene.rankings.len() == 1;
    let value_text = |row: &RankedRow| value_text(row, &scene.plot.x.unit);
    let value_width = if single {
        scene
            .rankings
            .iter()
            .flat_map(|(ranking, _)| &ranking.rows)
            .map(|row| width(&value_text(row), font))
            .fold(0.0, f64::max)
            + 10.0
    } else {
        8.0
    };
    let area = Area {
        left: measures.pad + widest.min(0.4 * measures.width) + 10.0,
        top: top + 4.0,
        right: measures.width - measures.pad - value_width.min(0.3 * measures.width),
        bottom: top + 4.0 + ROW * labels.len() as f64,
    };
    let span = area.right - area.left;
    let ticks = scene.x.ticks(if measures.narrow { 4 } else { 7 }, |left, right| {
        (right.fraction - left.fraction) * span < 0.5 * (width(&left.label, font) + width(&right.label, font)) + 10.0
    });
    for tick in &ticks {
        let x = area.x(tick.fraction);
        straight(out, "r", (x, area.top), (x, area.bottom), " fill=\"none\"");
    }
    for (index, label) in labels.iter().enumerate() {
        let y = area.top + (index as f64 + 0.5) * ROW;
        let shown = fit(label, font, 0.4 * measures.width);
        text(out, "t", area.left - 10.0, y + 0.35 * font, "end", font, &shown);
        for (ranking, look) in &scene.rankings {
            if let Some(row) = ranking.rows.iter().find(|row| row.label == *label) {
                draw_value(out, scene, &area, y, *look, (row, single));
                if single {
                    text(
                        out,
                        "u",
                        area.right + 10.0,
                        y + 0.35 * font,
                        "start",
                        font,
                        &fit(&value_text(row), font, 0.3 * measures.width),
                    );
                }
            }
        }
    }
    if let Some(zero) = scene.x.fraction(0.0).filter(|zero| (0.0..=1.0).contains(zero)) {
        straight(out, "a", (area.x(zero), area.top), (area.x(zero), area.bottom), " fill=\"none\"");
    }
    let label_y = area.bottom + font * 1.35;
    for tick in &ticks {
        text(out, "u", area.x(tick.fraction), label_y, "middle", font, &tick.label);
    }
    let title = fit(&scene.x.title(&scene.plot.x), font, measures.width - 2.0 * measures.pad);
    let title_y = label_y + font * 1.5;
    let half = 0.5 * width(&title, font);
    let middle = (0.5 * (area.left + area.right))
        .clamp(half.min(0.5 * measures.width), measures.width - half.min(0.5 * measures.width));
    text(out, "u", middle, title_y, "middle", font, &title);
    title_y
}

fn draw_value(out: &mut String, scene: &Scene, area: &Area, y: f64, look: Look, (row, single): (&RankedRow, bool)) {
    if let Some((low, high)) = row.interval.filter(|(low, high)| !low.is_nan() && !high.is_nan()) {
        let place = |value: f64| area.x(scene.x.clamped(value).unwrap_or(0.0).clamp(0.0, 1.0));
        let (from, to) = (place(low), place(high));
        let _ = write!(
            out,
            "<path class=\"{}\" fill=\"none\" stroke-width=\"1.5\" d=\"M{},{}H{}M{from},{}v8M{to},{}v8\"/>",
            stroke_class(look),
            coordinate(from),
            coordinate(y),
            coordinate(to),
            coordinate(y - 4.0),
            coordinate(y - 4.0),
            from = coordinate(from),
            to = coordinate(to)
        );
    }
    let Some(fraction) = scene.x.fraction(row.value) else { return };
    let x = area.x(fraction.clamp(0.0, 1.0));
    let tip = format!("{}: {}", fit(&row.label, 1.0, 60.0), value_text(row, &scene.plot.x.unit));
    // The length of a bar is meaningless on a logarithmic axis, which has no zero.
    if single && scene.x.kind() == Kind::Linear && row.interval.is_none() {
        let zero = area.x(scene.x.fraction(0.0).unwrap_or(0.0).clamp(0.0, 1.0));
        let _ = write!(
            out,
            "<rect class=\"{}\" fill-opacity=\".85\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"13\" rx=\"1.5\"><title>{}</title></rect>",
            fill_class(look),
            coordinate(zero.min(x)),
            coordinate(y - 6.5),
            coordinate((x - zero).abs().max(1.0)),
            escape(&tip)
        );
        return;
    }
    let _ = write!(
        out,
        "<path class=\"{}\" d=\"{}\"><title>{}</title></path>",
        fill_class(look),
        marker(look.marker(), x, y, 4.6),
        escape(&tip)
    );
}

fn value_text(row: &RankedRow, unit: &str) -> String {
    if !drawable(row.value) {
        number::DASH.to_owned()
    } else if unit == "%" {
        number::percent(row.value)
    } else {
        number::quantity(row.value, unit, 3)
    }
}
