//! Rankings in a terminal.

use super::flow;
use super::pen::{Pen, columns};
use crate::number;
use crate::scale::{Kind, drawable};
use crate::scene::Scene;

/// Rankings as bars; several of them as marks on a line.
pub(super) fn draw(out: &mut String, scene: &Scene, pen: &Pen) {
    let labels = scene.row_labels();
    let unit = scene.plot.x.unit.as_str();
    let single = scene.rankings.len() == 1;
    if !single {
        let entries: Vec<(String, String)> = scene
            .rankings
            .iter()
            .map(|(ranking, look)| {
                (pen.paint(&pen.mark(*look).to_string(), Some(*look)), pen.line(&ranking.name, pen.width / 2))
            })
            .collect();
        flow(out, &entries, pen);
    }
    let label_width = labels.iter().map(|label| columns(&pen.line(label, pen.width / 3))).max().unwrap_or(0);
    let value_width = 14;
    let space = pen.width.saturating_sub(label_width + value_width + 3).max(5);
    for label in labels {
        let shown = pen.line(label, pen.width / 3);
        let mut cells = vec![(' ', None); space];
        let mut value_text = String::new();
        for (ranking, look) in &scene.rankings {
            let Some(row) = ranking.rows.iter().find(|row| row.label == label) else { continue };
            value_text = match (drawable(row.value), unit) {
                (false, _) => number::DASH.to_owned(),
                (true, "%") => number::percent(row.value),
                (true, _) => number::quantity(row.value, unit, 3),
            };
            let Some(fraction) = scene.x.fraction(row.value) else { continue };
            let place = |fraction: f64| ((fraction.clamp(0.0, 1.0) * space as f64) as usize).min(space - 1);
            let end = place(fraction);
            if single && scene.x.kind() == Kind::Linear && row.interval.is_none() {
                let zero = place(scene.x.fraction(0.0).unwrap_or(0.0));
                let bar = if pen.ascii { '#' } else { '█' };
                (zero.min(end)..=zero.max(end)).for_each(|at| cells[at] = (bar, Some(*look)));
                continue;
            }
            if let Some((low, high)) = row.interval.filter(|(low, high)| !low.is_nan() && !high.is_nan()) {
                let ends = [low, high].map(|value| place(scene.x.clamped(value).unwrap_or(fraction)));
                let rule = if pen.ascii { '-' } else { '─' };
                (ends[0].min(ends[1])..=ends[0].max(ends[1])).for_each(|at| cells[at] = (rule, Some(*look)));
            }
            cells[end] = (pen.mark(*look), Some(*look));
        }
        let pad = " ".repeat(label_width - columns(&shown));
        let cells: String = cells.iter().map(|(mark, look)| pen.paint(&mark.to_string(), *look)).collect();
        let value = if single { pen.line(&value_text, value_width) } else { String::new() };
        out.push_str(format!("{pad}{shown} {}{cells} {value}", if pen.ascii { '|' } else { '│' }).trim_end());
        out.push('\n');
    }
    let title = pen.line(&scene.x.title(&scene.plot.x), pen.width);
    if single || title.is_empty() {
        return;
    }
    let ticks =
        scene.x.ticks((space / 10).max(2), |left, right| (right.fraction - left.fraction) * (space as f64) < 9.0);
    let mut labels = " ".repeat(label_width + 2);
    for tick in &ticks {
        let label = pen.line(&tick.label, space);
        let start = label_width + 2 + (tick.fraction.clamp(0.0, 1.0) * space as f64) as usize;
        let start = start.saturating_sub(columns(&label) / 2);
        if start > columns(&labels) || columns(&labels) == label_width + 2 {
            labels.push_str(&" ".repeat(start.saturating_sub(columns(&labels))));
            labels.push_str(&label);
        }
    }
    out.push_str(&format!(
        "{labels}\n{}{title}\n",
        " ".repeat((label_width + 2 + space / 2).saturating_sub(columns(&title) / 2))
    ));
}
