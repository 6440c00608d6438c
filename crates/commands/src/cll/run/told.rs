//! The text of `cll run` for people.

use super::RunEntry;
use super::overhead::Overhead;
use crate::context::Screen;
use crate::human::{Table, optional_quantity, parameter, quantity, signed_percent};

/// Runs, then what recording costs.
pub(super) fn text(runs: &[RunEntry], overhead: Option<&Overhead>, screen: Screen) -> String {
    let mut table = Table::new().number("run").text("status").number("wall").number("CPU").text("traces");
    for run in runs {
        let (wall, cpu) = (optional_quantity(run.wall_s, "s"), optional_quantity(run.cpu_s, "s"));
        let traces = match run.traces.as_slice() {
            [] => "none".to_owned(),
            [only] => only.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        };
        table.row([run.run.to_string(), run.status.clone(), wall, cpu, traces]);
    }
    let mut text = table.render(screen);
    let Some(overhead) = overhead else { return text };
    text += &format!(
        "\nRecording lengthens the program by {}, outer regions alone by {} (medians of {} rounds).\n",
        signed_percent(overhead.wall_pct, 1),
        signed_percent(overhead.depth1_pct, 1),
        overhead.rounds,
    );
    if overhead.regions.is_empty() {
        return text;
    }
    let names = ["region", "at"].into_iter().fold(Table::new(), |table, name| table.text(name));
    let numbers = ["time", "outer alone", "ratio", "visits inside"];
    let mut table = numbers.into_iter().fold(names, |table, name| table.number(name)).text("verdict");
    for region in &overhead.regions {
        let at: Vec<String> = region.at.iter().map(|(name, value)| format!("{name}={}", parameter(*value))).collect();
        table.row([
            region.name.clone(),
            at.join(", "),
            quantity(region.full_s, "s"),
            quantity(region.depth1_s, "s"),
            signed_percent(Some(region.ratio_pct), 1),
            parameter(region.visits_inside),
            region.verdict.to_owned(),
        ]);
    }
    text.push('\n');
    text + &table.render(screen)
}
