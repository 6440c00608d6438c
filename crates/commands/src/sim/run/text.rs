//! The result for people: the answer first, then why, then the parts.

use super::Document;
use crate::context::Screen;
use crate::human::{DASH, Table, optional_quantity, parameter, percent, plain, quantity, significant};
use runcast_report::number;
use runcast_sim::run::RunResult;
use serde_json::Value;

/// Rows of the table of labels, components, links, path and phases.
const MOST_ROWS: usize = 12;

/// Everything, in parts with an empty line between them.
pub(crate) fn text(document: &Document, screen: Screen) -> String {
    let result = &document.result;
    let parts = [
        heading(result),
        answer(result, screen),
        applications(result, screen),
        bottleneck(result, screen),
        labels(result, screen),
        phases(result, screen),
        components(result, screen),
        links(result, screen),
        check(result, screen),
        caveats(result),
        cost(result, screen),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(result: &RunResult) -> String {
    let app = |app: &runcast_sim::run::AppResult| {
        let value = |value: &Value| match value {
            Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), parameter),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let params: Vec<String> = app.params.iter().map(|(name, given)| format!("{name}={}", value(given))).collect();
        let params = if params.is_empty() { String::new() } else { format!(" ({})", params.join(", ")) };
        format!("{}{params}", app.app)
    };
    let apps: Vec<String> = result.apps.iter().map(app).collect();
    let processes = significant(result.processes as f64, 15);
    let mut text = format!(
        "{} on {}: {processes} {}, fidelity {}",
        apps.join(" and "),
        result.system,
        if result.processes == 1 { "process" } else { "processes" },
        result.fidelity
    );
    if result.repetitions > 1 {
        text += &format!(", {} repetitions, seed {}", result.repetitions, result.seed);
    }
    text.push('\n');
    match &result.stopped {
        Some(stopped) if stopped.repetitions > 0 => {
            text += "Stopped before the end: this is the result of the repetitions that are done.\n";
        }
        Some(_) => {
            let reached = quantity(result.time_s, "s");
            text += &format!("Stopped before the end: this is the account up to {reached} of simulated time.\n");
        }
        None => {}
    }
    text
}

/// A time to five digits.
fn precise(seconds: f64) -> String {
    plain(&number::quantity(seconds, "s", 5))
}

fn answer(result: &RunResult, screen: Screen) -> String {
    let mut table = Table::new().text("").text("");
    let mut row = |name: &str, value: String| table.row([name.to_owned(), value]);
    let mut time = precise(result.time_s);
    if let (Some(low), Some(high), Some(level)) = (result.time_low_s, result.time_high_s, result.level) {
        time += &format!(" ({} of the runs: {} to {})", percent(Some(level * 100.0)), precise(low), precise(high));
    } else if let Some(sd) = result.time_sd_s.filter(|sd| *sd > 0.0) {
        time +=
            &format!(" ({} to {}, sd {})", precise(result.time_min_s), precise(result.time_max_s), quantity(sd, "s"));
    }
    row("time", time);
    if result.apps.len() > 1 {
        for app in &result.apps {
            row(&format!("  {}", app.app), format!("{} from {}", precise(app.time_s), quantity(app.start_s, "s")));
        }
    }
    if let (Some(energy), Some(power)) = (result.energy_j, result.power_mean_w) {
        row("energy", format!("{} ({} on average)", quantity(energy, "J"), quantity(power, "W")));
    } else {
        row("energy", "not known".to_owned());
    }
    if let Some(cost) = result.cost {
        row("cost", significant(cost, 4));
    }
    if let Some(price) = result.price {
        row("price of what is used", significant(price, 6));
    }
    let reliability = &result.reliability;
    if let Some(probability) = reliability.failure_probability {
        row("chance of a failure", share(probability));
        row("expected time with restarts", reliability.expected_time_s.map_or("does not finish".to_owned(), precise));
    }
    if let Some(plan) = &reliability.checkpoint {
        let told = match (plan.segments, plan.expected_time_s) {
            (Some(segments), Some(expected)) => {
                let every = optional_quantity(plan.interval_s, "s");
                format!(
                    "{} (best: {}, a checkpoint every {every})",
                    precise(expected),
                    if segments == 1.0 {
                        "1 segment".to_owned()
                    } else {
                        format!("{} segments", significant(segments, 12))
                    }
                )
            }
            (Some(_), None) => "does not finish".to_owned(),
            _ => "not known".to_owned(),
        };
        row("expected time with checkpoints", told);
    }
    if let Some(faults) = &result.faults {
        let told = match (faults.time_s, faults.count_mean, faults.lost_s_mean) {
            (Some(time_s), Some(count), Some(lost_s)) => {
                let within = faults.time_low_s.zip(faults.time_high_s).map_or(String::new(), |(low, high)| {
                    format!(" ({} to {})", quantity(low, "s"), quantity(high, "s"))
                });
                let count = significant(count, 3);
                format!("{}{within}: {count} faults, {} of work lost", precise(time_s), quantity(lost_s, "s"))
            }
            _ => "does not finish".to_owned(),
        };
        row("time with faults", told);
    }
    if let Some(done) = &result.volunteers {
        let count = |count: f64| significant(count, 6);
        let mut told = format!(
            "{} jobs in {} copies, {} each",
            count(done.jobs),
            count(done.copies),
            significant(done.copies_per_job, 5)
        );
        for (number, what) in [(done.wrong, "wrong"), (done.late, "late")] {
            if number > 0.0 {
                told += &format!(", {} {what}", count(number));
            }
        }
        row("volunteers", told);
    }
    // The heading has no words.
    table.render(screen).split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
}

fn share(share: f64) -> String {
    if share > 0.0 && share < 1e-3 { format!("{share:.2e}") } else { percent(Some(share * 100.0)) }
}

fn bottleneck(result: &RunResult, screen: Screen) -> String {
    let Some(found) = &result.bottleneck else { return String::new() };
    let mut table = Table::new().text("on the path from start to end").text("kind").number("time").number("share");
    for step in found.path.iter().take(MOST_ROWS) {
        table.row([step.what.clone(), step.kind.word().to_owned(), quantity(step.time_s, "s"), share(step.share)]);
    }
    format!("{}\n\n{}", found.text, table.render(screen))
}

fn labels(result: &RunResult, screen: Screen) -> String {
    let mut table = Table::new()
        .text("label")
        .number("processes")
        .number("classes")
        .number("time")
        .number("compute")
        .number("overhead")
        .number("transfer")
        .number("wait")
        .number("collective")
        .number("I/O")
        .number("messages")
        .number("sent");
    let several = result.apps.len() > 1;
    let has_io = result.labels.iter().any(|label| label.io_s > 0.0);
    let has_collectives = result.labels.iter().any(|label| label.collective_s > 0.0);
    for label in result.labels.iter().take(MOST_ROWS) {
        let name = if several { format!("{}: {}", label.app, label.label) } else { label.label.clone() };
        let part = |seconds: f64| if seconds == 0.0 { DASH.to_owned() } else { quantity(seconds, "s") };
        let classes = if result.fidelity == "label" { label.classes.to_string() } else { String::new() };
        table.row([
            name,
            significant(label.count as f64, 15),
            classes,
            quantity(label.time_s, "s"),
            part(label.compute_s),
            part(label.overhead_s),
            part(label.transfer_s),
            part(label.wait_s),
            if has_collectives { part(label.collective_s) } else { String::new() },
            if has_io { part(label.io_s) } else { String::new() },
            significant(label.messages as f64, 15),
            quantity(label.bytes_sent as f64, "B"),
        ]);
    }
    table.render(screen) + &more(result.labels.len(), "labels")
}

fn more(count: usize, what: &str) -> String {
    if count > MOST_ROWS {
        format!("and {} more {what}; all are in --json\n", count - MOST_ROWS)
    } else {
        String::new()
    }
}

fn phases(result: &RunResult, screen: Screen) -> String {
    if result.phases.is_empty() {
        return String::new();
    }
    let mut table = Table::new().text("phase").text("label").number("time");
    for phase in result.phases.iter().take(MOST_ROWS) {
        table.row([phase.phase.clone(), phase.label.clone(), quantity(phase.time_s, "s")]);
    }
    table.render(screen) + &more(result.phases.len(), "phases")
}

/// What each of several applications uses, and what nobody does.
fn applications(result: &RunResult, screen: Screen) -> String {
    if result.apps.len() < 2 || result.components.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .text("application")
        .number("core-hours")
        .number("energy at rest")
        .number("of load")
        .number("cost")
        .number("chance of a failure");
    let joules = |energy: Option<f64>| optional_quantity(energy, "J");
    let number = |value: Option<f64>| value.map_or_else(|| DASH.to_owned(), |value| significant(value, 4));
    for app in result.apps.iter().take(MOST_ROWS) {
        table.row([
            app.app.clone(),
            number(app.core_s.map(|seconds| seconds / 3600.0)),
            joules(app.energy_idle_j),
            joules(app.energy_load_j),
            number(app.cost),
            number(app.failure_probability),
        ]);
    }
    if result.unallocated.energy_j.is_some_and(|energy| energy > 0.0) {
        let dash = || DASH.to_owned();
        let nobody = result.unallocated;
        table.row(["(nobody)".to_owned(), dash(), joules(nobody.energy_j), dash(), number(nobody.cost), dash()]);
    }
    table.render(screen) + &more(result.apps.len(), "applications")
}

fn components(result: &RunResult, screen: Screen) -> String {
    if result.components.is_empty() {
        return String::new();
    }
    let mut table = Table::new()
        .text("component")
        .text("kind")
        .number("used")
        .number("of")
        .number("busy")
        .number("energy at rest")
        .number("of load");
    for component in result.components.iter().take(MOST_ROWS) {
        table.row([
            component.id.clone(),
            component.kind.clone(),
            significant(component.used as f64, 15),
            significant(component.count as f64, 15),
            component.utilization.map_or(String::new(), share),
            component.energy_idle_j.map_or(String::new(), |energy| quantity(energy, "J")),
            component.energy_load_j.map_or(String::new(), |energy| quantity(energy, "J")),
        ]);
    }
    table.render(screen) + &more(result.components.len(), "components")
}

fn links(result: &RunResult, screen: Screen) -> String {
    if result.links.is_empty() {
        return String::new();
    }
    let mut table = Table::new().text("busiest links").text("network").number("bytes").number("busy").number("use");
    for link in result.links.iter().take(5) {
        table.row([
            link.link.clone(),
            link.network.clone(),
            quantity(link.bytes, "B"),
            quantity(link.busy_s, "s"),
            share(link.utilization),
        ]);
    }
    table.render(screen)
}

fn check(result: &RunResult, screen: Screen) -> String {
    let Some(check) = &result.check else { return String::new() };
    let mut table = Table::new().text("fidelity").number("processes").number("time").number("difference").text("");
    for one in check {
        table.row([
            one.fidelity.to_owned(),
            significant(one.processes as f64, 15),
            one.time_s.map_or(DASH.to_owned(), precise),
            crate::human::signed_percent(one.difference_pct, 2),
            one.note.clone().unwrap_or_default(),
        ]);
    }
    table.render(screen)
}

fn caveats(result: &RunResult) -> String {
    let list = |heading: &str, texts: &[String]| {
        if texts.is_empty() {
            return String::new();
        }
        let lines: Vec<String> = texts.iter().take(MOST_ROWS).map(|text| format!("- {text}\n")).collect();
        format!("{heading}\n{}{}", lines.concat(), more(texts.len(), "of these"))
    };
    list("not modelled:", &result.not_modelled) + &list("assumed:", &result.assumed)
}

/// What the simulation itself took. Its times differ from run to run: a file or a pipe gets what is the same.
fn cost(result: &RunResult, screen: Screen) -> String {
    let Some(cost) = &result.cost_of_simulation else { return String::new() };
    let events = significant(result.counts.events as f64, 15);
    let messages = significant(result.counts.messages as f64, 15);
    let times = match screen.width {
        Some(_) => {
            let cpu = optional_quantity(cost.cpu_s, "s");
            format!(": {} on the clock, {cpu} of processor", quantity(cost.wall_s, "s"))
        }
        None => String::new(),
    };
    format!("simulated {messages} messages in {events} events{times}\n")
}
