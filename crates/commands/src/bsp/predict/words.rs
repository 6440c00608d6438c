//! The answer for people.

use super::document::{Document, Prediction, Step};
use crate::context::Screen;
use crate::human::{self, DASH, Table, count, quantity, significant};
use runcast_call::bsp::{Kind, Segment};
use runcast_report::number;

/// Supersteps and pieces of a path shown at most; the document has all.
const MOST_LINES: usize = 60;

/// The times of each combination, and with `--detail` supersteps and the critical path.
pub(super) fn text(document: &Document, screen: Screen) -> String {
    let mut text = format!("{}\n\n{}", document.program, times(&document.predictions, screen));
    text.push_str("\nOBSP*: each processor waits for those that send to it; BSP: for all, in every superstep\n");
    let several = document.predictions.len() > 1;
    for prediction in &document.predictions {
        let Some(steps) = &prediction.steps else { continue };
        let at = told_at(prediction, &varying(&document.predictions));
        let of = if several && !at.is_empty() { format!(" at {at}") } else { String::new() };
        text.push_str(&format!("\nSupersteps{of}\n{}", supersteps(steps, screen)));
        let path = prediction.critical_path.as_deref().unwrap_or_default();
        text.push_str(&format!("\nCritical path{of}\n{}", critical_path(path, screen)));
    }
    text
}

fn times(predictions: &[Prediction], screen: Screen) -> String {
    let names = varying(predictions);
    let table = Table::new().text("at").number("processors").number("OBSP*");
    let has_range = predictions.iter().any(|prediction| prediction.low_s.is_some());
    let table = if has_range { table.number("90 % range") } else { table };
    let table = table.number("BSP");
    let has_raw = predictions.iter().any(|prediction| prediction.raw_bsp_time_s.is_some());
    let table = if has_raw { table.number("raw BSP") } else { table };
    let mut table = table.number("BSP/OBSP*");
    for prediction in predictions {
        let mut row =
            vec![told_at(prediction, &names), prediction.processors.to_string(), seconds(prediction.obsp_time_s)];
        if has_range {
            let range = prediction.low_s.zip(prediction.high_s);
            row.push(
                range.map_or_else(|| DASH.to_owned(), |(low, high)| format!("{} to {}", seconds(low), seconds(high))),
            );
        }
        row.push(seconds(prediction.bsp_time_s));
        if has_raw {
            row.push(prediction.raw_bsp_time_s.map_or_else(|| DASH.to_owned(), seconds));
        }
        row.push(prediction.gain.map_or_else(|| DASH.to_owned(), |gain| significant(gain, 4)));
        table.row(row);
    }
    table.render(screen)
}

/// The parameters that differ; of one prediction all.
fn varying(predictions: &[Prediction]) -> Vec<String> {
    let Some(first) = predictions.first() else { return Vec::new() };
    let differs = |name: &&String| predictions.iter().any(|other| other.at.get(*name) != first.at.get(*name));
    let names: Vec<String> = first.at.keys().filter(differs).cloned().collect();
    if predictions.len() == 1 { first.at.keys().cloned().collect() } else { names }
}

fn told_at(prediction: &Prediction, names: &[String]) -> String {
    let told = names.iter().filter_map(|name| Some(format!("{name}={}", human::parameter(*prediction.at.get(name)?))));
    told.collect::<Vec<_>>().join(", ")
}

fn supersteps(steps: &[Step], screen: Screen) -> String {
    let table = Table::new().text("superstep").text("name").text("task").text("ranks").text("sync");
    let mut table = table.number("largest h").number("longest wait").number("OBSP* until").number("BSP until");
    for step in steps.iter().take(MOST_LINES) {
        let last = step.first_rank + step.processors.saturating_sub(1);
        let ranks = if last == step.first_rank { last.to_string() } else { format!("{}..{last}", step.first_rank) };
        let communicates = step.sync != runcast_call::bsp::Synchronization::None;
        table.row([
            step.path.clone(),
            step.name.clone().unwrap_or_default(),
            step.task.clone(),
            ranks,
            step.sync.name().to_owned(),
            if communicates { quantity(most(&step.h_bytes), "B") } else { String::new() },
            if communicates { seconds(most(&step.wait_s)) } else { String::new() },
            seconds(most(&step.obsp_finish_s)),
            seconds(most(&step.bsp_finish_s)),
        ]);
    }
    format!("{}{}", table.render(screen), rest(steps.len(), "superstep", "supersteps"))
}

fn critical_path(path: &[Segment], screen: Screen) -> String {
    if path.is_empty() {
        return "nothing takes any time\n".to_owned();
    }
    let mut table = Table::new().number("from").number("to").text("rank").text("does").text("superstep");
    for segment in path.iter().take(MOST_LINES) {
        let does = match segment.kind {
            Kind::Comm if segment.to_s == segment.from_s => "receives",
            Kind::Work if segment.to_s == segment.from_s => "starts",
            Kind::Work => "works",
            Kind::Comm => "communicates",
        };
        table.row([
            seconds(segment.from_s),
            seconds(segment.to_s),
            segment.rank.to_string(),
            does.to_owned(),
            segment.path.clone(),
        ]);
    }
    let share = |kind: Kind| {
        let of_kind = path.iter().filter(|segment| segment.kind == kind);
        of_kind.map(|segment| segment.to_s - segment.from_s).sum::<f64>()
    };
    let (work, comm) = (share(Kind::Work), share(Kind::Comm));
    let ranks: std::collections::HashSet<u32> = path.iter().map(|segment| segment.rank).collect();
    let told = format!(
        "{} of work and {} of communication on {}\n",
        seconds(work),
        seconds(comm),
        count(ranks.len(), "processor", "processors")
    );
    format!("{}{}{told}", table.render(screen), rest(path.len(), "piece", "pieces"))
}

fn rest(length: usize, one: &str, many: &str) -> String {
    match length.saturating_sub(MOST_LINES) {
        0 => String::new(),
        more => format!("and {} more; --json has all\n", count(more, one, many)),
    }
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// Five digits, for the two readings often differ by little; long times in seconds, as formulas give them.
pub(super) fn seconds(value: f64) -> String {
    if (1.0..1e9).contains(&value) {
        return format!("{} s", significant(value, 5));
    }
    number::quantity(value, "s", 5).replace('\u{a0}', " ")
}
