//! Samples for people.

use super::Sampled;
use super::document::{Document, LevelEntry};
use super::origin::Measuring;
use crate::context::Screen;
use crate::human::{Table, count, optional_quantity, percent, quantity, significant};
use runcast_wavefront::sample::modes::Modes;
use runcast_wavefront::sample::summary::Summary;

/// Links that are shown.
const LINKS_MOST: usize = 20;

/// What was measured, the times, and whether they suit the model.
pub(super) fn text(sampled: &Sampled<'_>, document: &Document, screen: Screen) -> String {
    let mut parts = vec![heading(document), times(document, screen)];
    if let Some(measuring) = &document.origin.measuring {
        parts.extend(clocks(measuring));
    }
    parts.push(independence(sampled, document));
    parts.extend(document.modes.as_ref().map(|modes| of_modes(modes, document, screen)));
    parts.join("\n")
}

/// `3 processes on threads: 2,000 updates each, 2,000 messages of 800 bytes on each link, the others computing`
fn heading(document: &Document) -> String {
    let measured = document.origin.measuring.as_ref().map_or(0, |measuring| measuring.clocks.len());
    let processes = count(document.processes.len().max(measured), "process", "processes");
    let Some(measuring) = &document.origin.measuring else {
        let table = document.origin.table.as_deref().unwrap_or("the table");
        let links = count(document.links.len(), "link", "links");
        return format!("{table}: {processes}, {links}\n");
    };
    let place = measuring.mpi.clone().unwrap_or_else(|| measuring.backend.to_owned());
    if measuring.how == "loop" {
        return format!(
            "{processes} on {place}: {} phases of the real loop, messages of {} bytes\n",
            measuring.updates, measuring.size_bytes
        );
    }
    let others = if measuring.others == "compute" { "the others computing" } else { "the others waiting" };
    format!(
        "{processes} on {place}: {} updates each, {} messages of {} bytes on each link, {others}\n",
        measuring.updates, measuring.messages, measuring.size_bytes
    )
}

fn times(document: &Document, screen: Screen) -> String {
    let mut table = Table::new().text("times of").number("samples");
    for column in ["mean", "sd", "min", "median", "95 %", "99 %", "max"] {
        table = table.number(column);
    }
    for process in &document.processes {
        row(&mut table, &process.name, &process.summary);
    }
    for link in document.links.iter().take(LINKS_MOST) {
        row(&mut table, &format!("{} -> {}", link.from, link.to), &link.summary);
    }
    let mut text = table.render(screen);
    if document.links.len() > LINKS_MOST {
        text.push_str(&format!("and {} more links\n", document.links.len() - LINKS_MOST));
    }
    text
}

fn row(table: &mut Table, name: &str, summary: &Summary) {
    let of = |value: f64| quantity(value, "s");
    let Summary { count, mean_s, sd_s, min_s, p50_s, p95_s, p99_s, max_s } = *summary;
    let cells = [of(min_s), of(p50_s), of(p95_s), of(p99_s), of(max_s)];
    let first = [name.to_owned(), count.to_string(), of(mean_s), optional_quantity(sd_s, "s")];
    table.row(first.into_iter().chain(cells));
}

/// How well the clocks of different processes are known; threads share one.
fn clocks(measuring: &Measuring) -> Option<String> {
    let widest = measuring.clocks.iter().map(|clock| clock.half_width_s).fold(0.0, f64::max);
    let drift = measuring.clocks.iter().map(|clock| clock.drift.abs()).fold(0.0, f64::max);
    (widest > 0.0).then(|| {
        let drift = significant(1e6 * drift, 2);
        format!("clocks: known to {}, drift up to {drift} us/s\n", quantity(widest, "s"))
    })
}

/// The largest of each kind of diagnostics, with its limit.
fn independence(sampled: &Sampled<'_>, document: &Document) -> String {
    let diagnostics = &sampled.diagnostics;
    let mut lines = Vec::new();
    let says = |is_beyond: bool| if is_beyond { "beyond" } else { "within" };
    let lag1 = diagnostics.lag1.iter().filter_map(|lag1| Some((lag1, lag1.r?)));
    if let Some((worst, r)) = lag1.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
        let what = format!("{} with its last time: {r:.3}", worst.name());
        lines.push(format!("correlation of {what}, {} {:.3}", says(worst.is_beyond()), worst.limit));
    }
    let cross = diagnostics.cross.iter().filter_map(|cross| Some((cross, cross.r?, cross.limit?)));
    if let Some((worst, r, limit)) = cross.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
        lines.push(format!(
            "correlation of {} with {}: {r:.3}, {} {limit:.3}",
            worst.a,
            worst.b,
            says(worst.is_beyond())
        ));
    }
    let windows = diagnostics.windows.iter().filter_map(|window| Some((window, window.ratio?, window.limit?)));
    if let Some((worst, ratio, limit)) = windows.max_by(|a, b| a.1.total_cmp(&b.1)) {
        let what = format!("largest over smallest mean of tenths of {}: {ratio:.3}", worst.process);
        lines.push(format!("{what}, {} {limit:.3}", says(worst.is_beyond())));
    }
    lines.extend(document.level.as_ref().map(|level| of_level(level, sampled.modes.is_some())));
    let is_fine = diagnostics.warnings().is_empty();
    lines.push(match (is_fine, sampled.modes.is_some()) {
        (true, _) => "the samples look independent, and of one law: what the model takes them for".to_owned(),
        (false, true) => "the samples are not independent, or not of one law: the modes are for that".to_owned(),
        (false, false) => "the samples are not independent, or not of one law: see the warnings".to_owned(),
    });
    lines.join("\n") + "\n"
}

/// `machines slow down together: by 9.7 % per 10 s; modes: none`
fn of_level(level: &LevelEntry, has_modes: bool) -> String {
    let modes = if has_modes { "as below" } else { "none" };
    if level.no_level_probability > 0.5 {
        return format!("no slowdown in common is seen in {} windows; modes: {modes}", level.windows);
    }
    let (step, window) = (percent(Some(100.0 * level.step_sd)), quantity(level.window_s, "s"));
    format!("machines slow down together: by {step} per {window}; modes: {modes}")
}

fn of_modes(modes: &Modes, document: &Document, screen: Screen) -> String {
    let mut table = Table::new().text("mode").number("of the time").number("stays, phases").number("phase");
    for process in &document.processes {
        table = table.number(format!("update {}", process.name));
    }
    for (mode, name) in modes.names.iter().enumerate() {
        let leaves = 1.0 - modes.transition[mode][mode];
        let stay = if leaves > 0.0 { significant(1.0 / leaves, 3) } else { "always".to_owned() };
        let cells =
            [name.clone(), percent(Some(100.0 * modes.shares[mode])), stay, quantity(modes.phase_mean_s[mode], "s")];
        let updates = modes.update_mean_s[mode].iter().map(|mean_s| quantity(*mean_s, "s"));
        table.row(cells.into_iter().chain(updates));
    }
    table.render(screen)
}
