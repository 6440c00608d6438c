//! A run for people.

use super::{Done, tables};
use crate::context::Screen;
use crate::human::{self, Table};
use runcast_bsf::programs::Report;
use runcast_bsf::skeleton::{Phase, RankTimes, Status};
use serde_json::Value;

/// What became of a run, what came out, and where the time went.
pub fn text(done: &Done<'_>, screen: Screen) -> String {
    format!(
        "{}\n{}\n\n{}\n{}",
        heading(done),
        ending(done.report),
        results(done).render(screen),
        times(done).render(screen)
    )
}

/// `jacobi, size 1500, system triangular: threads, 4 workers, flat`
fn heading(done: &Done<'_>) -> String {
    let mut parts = vec![done.program.name().to_owned()];
    parts.extend(done.program.parameters().iter().map(|(name, value)| format!("{name} {}", plain(value))));
    let workers = human::count(done.workers(), "worker", "workers");
    let threads = match done.args.threads() {
        1 => String::new(),
        threads => format!(" of {threads} threads"),
    };
    let reproducible = if done.args.reproducible { ", reproducible" } else { "" };
    let backend = done.args.backend().name();
    format!("{}: {backend}, {workers}{threads}, {}{reproducible}", parts.join(", "), tables::collective(done.report))
}

/// `converged after 20 iterations in 20.1 ms`
fn ending(report: &Report) -> String {
    let how = match report.status {
        Status::Converged => "converged",
        Status::Feasible => "feasible: nothing is violated",
        Status::Finished => "finished",
        Status::Diverged => "diverged",
        Status::IterationLimit => "not finished: the most iterations allowed are done",
        Status::TimeLimit => "not finished: the time is up",
        Status::Interrupted => "interrupted",
    };
    let count = usize::try_from(report.iterations).unwrap_or(usize::MAX);
    let iterations = human::count(count, "iteration", "iterations");
    let from = report.resumed_from.map_or(String::new(), |from| format!(", resumed from iteration {from}"));
    format!("{how}, after {iterations} in {}{from}", human::quantity(report.time_s, "s"))
}

fn results(done: &Done<'_>) -> Table {
    let report = done.report;
    let mut table = Table::new().text("result").text("");
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            table.row([name.to_owned(), value]);
        }
    };
    let number = |value: Option<f64>| value.map(|value| human::significant(value, 4));
    row("norm of the last step", number(report.step_norm));
    row("growth rate of steps", number(report.growth_rate));
    row("largest error", number(report.error_max));
    row("elements present", Some(format!("{} of {}", report.counter, done.program.list_length())));
    for (name, value) in &report.checks {
        row(&name.replace('_', " "), Some(plain(value)));
    }
    if report.checks.is_empty() {
        row("first numbers", Some(head(report)));
    }
    row("digest", Some(report.result_digest.clone()));
    if done.restarts > 0 {
        row("restarts", Some(done.restarts.to_string()));
    }
    table
}

fn head(report: &Report) -> String {
    let shown = |number: &Option<f64>| number.map_or(human::DASH.to_owned(), |number| human::significant(number, 6));
    report.result_head.iter().map(shown).collect::<Vec<_>>().join("  ")
}

/// Text without quotation marks, numbers to six digits.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => human::DASH.to_owned(),
        Value::Number(number) if number.is_f64() => human::significant(number.as_f64().unwrap_or(f64::NAN), 6),
        Value::Array(values) => format!("({})", values.iter().map(plain).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The phases of the master, and of the worker that maps longest.
fn times(done: &Done<'_>) -> Table {
    let mut table = Table::new().text("times").number("an iteration").number("the first").number("CPU").number("all");
    let ranks = &done.report.times.ranks;
    let longest = |rank: &&RankTimes| rank.median_cpu_s(Phase::MapFold).or(rank.median_wall_s(Phase::MapFold));
    let worker =
        ranks.iter().skip(1).max_by(|a, b| longest(a).partial_cmp(&longest(b)).unwrap_or(std::cmp::Ordering::Equal));
    let rows = [
        ("iteration", ranks.first(), Phase::Iteration),
        ("send", ranks.first(), Phase::Send),
        ("map and fold, slowest worker", worker, Phase::MapFold),
        ("receive", ranks.first(), Phase::Receive),
        ("reduce", ranks.first(), Phase::Reduce),
        ("compute", ranks.first(), Phase::Compute),
    ];
    for (name, rank, phase) in rows {
        let Some((rank, median)) = rank.and_then(|rank| Some((rank, rank.median_wall_s(phase)?))) else { continue };
        let shown = |seconds| human::optional_quantity(seconds, "s");
        table.row([
            name.to_owned(),
            shown(Some(median)),
            shown(rank.first.wall(phase)),
            shown(rank.median_cpu_s(phase)),
            shown(Some(rank.total_wall_s[phase as usize])),
        ]);
    }
    table
}
