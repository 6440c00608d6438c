//! `show`, `help`, and the summary of a table that was just made.

use super::grammar::help as words;
use super::model::Kept;
use super::outcome::Outcome;
use super::runs::Runs;
use super::samples::{self, Rejected, rows_of};
use crate::context::Context;
use crate::failure::Failure;
use crate::human::{self, Table};
use runcast_core::problem::shorten;
use runcast_core::table::{Column, ColumnData};
use runcast_core::{Problem, json, statistics};
use serde::Serialize;
use std::collections::HashSet;

/// Columns of a row that fit on a line.
const MOST_NAMES: usize = 12;

/// What a table holds, as `load` and others report it.
#[derive(Debug, Serialize)]
struct Loaded<'a> {
    table: &'a str,
    rows: usize,
    experiments: Vec<String>,
    parameters: Vec<String>,
    metrics: Vec<String>,
    rejected: Rejected,
    files: &'a [String],
}

/// Describes a table that was just made.
///
/// # Errors
/// None that a table can cause.
pub fn loaded(name: &str, runs: &Runs) -> Result<Outcome, Failure> {
    let (parameters, metrics) = runs.names();
    let rejected = samples::rejected(runs);
    let loaded = Loaded {
        table: name,
        rows: runs.table.rows(),
        experiments: runs.experiments(),
        parameters,
        metrics,
        rejected,
        files: &runs.table.files,
    };
    let mut text = format!(
        "{name}: {} from {}",
        human::count(loaded.rows, "row", "rows"),
        human::count(loaded.files.len(), "file", "files")
    );
    for (what, names) in
        [("experiments", &loaded.experiments), ("parameters", &loaded.parameters), ("metrics", &loaded.metrics)]
    {
        if !names.is_empty() {
            text.push_str(&format!("; {what} {}", listed(names)));
        }
    }
    if !loaded.rejected.is_empty() {
        text.push_str(&format!("; rejected {}", told(&loaded.rejected)));
    }
    text.push('\n');
    Ok(Outcome::of(&loaded)?.human(text).warned(runs.table.warnings.iter().cloned()))
}

/// `a, b, c and 7 more`
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| shorten(name, 40)).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// `exit 3, log(0) 2`
pub fn told(rejected: &Rejected) -> String {
    rejected.iter().map(|(reason, count)| format!("{reason} {count}")).collect::<Vec<_>>().join(", ")
}

/// What a table holds, experiment by experiment.
#[derive(Debug, Serialize)]
struct ShownTable<'a> {
    table: &'a str,
    files: &'a [String],
    rows: usize,
    experiments: Vec<ShownExperiment>,
    parameters: Vec<ShownParameter>,
    metrics: Vec<String>,
    counters: &'a indexmap::IndexMap<String, String>,
    rejected: Rejected,
    clamped: u64,
    #[serde(serialize_with = "json::as_number")]
    spill_s: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    head: Vec<Vec<String>>,
}

/// An experiment of a table.
#[derive(Debug, Serialize)]
struct ShownExperiment {
    name: String,
    formula: Option<String>,
    seg: Vec<String>,
    /// Samples, whatever became of them.
    visits: u64,
    /// Ranks that came by; none where the table does not tell ranks.
    ranks: Option<usize>,
    /// Time in the outermost instances, in all ranks and threads \[s\].
    #[serde(serialize_with = "json::as_optional_number")]
    inclusive_s: Option<f64>,
    /// The same without the time of experiments inside \[s\].
    #[serde(serialize_with = "json::as_optional_number")]
    self_s: Option<f64>,
    /// Samples that were left early.
    exits: u64,
    /// Samples that were never closed.
    open: u64,
    /// Samples with a clock that went backwards.
    clock: u64,
    /// Median over the configurations of the robust relative spread of their repetitions.
    #[serde(serialize_with = "json::as_optional_number")]
    noise_pct: Option<f64>,
    configurations: usize,
}

/// A parameter of a table.
#[derive(Debug, Serialize)]
struct ShownParameter {
    name: String,
    /// Distinct values.
    values: usize,
    #[serde(serialize_with = "json::as_optional_number")]
    from: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    to: Option<f64>,
}

/// Reports what a table holds.
///
/// # Errors
/// None that a table can cause.
pub fn table(name: &str, runs: &Runs, rows: Option<usize>, context: &Context) -> Result<Outcome, Failure> {
    let (parameters, metrics) = runs.names();
    let tally = runs.metadata.tally();
    let experiments = match runs.experiments() {
        names if names.is_empty() => vec![experiment(runs, None)],
        names => names.iter().map(|name| experiment(runs, Some(name))).collect(),
    };
    let head = rows.map_or(0, |rows| rows.min(runs.table.rows()));
    let shown = ShownTable {
        table: name,
        files: &runs.table.files,
        rows: runs.table.rows(),
        experiments,
        parameters: parameters.iter().filter_map(|name| parameter(runs, name)).collect(),
        metrics,
        counters: &runs.metadata.counters,
        rejected: samples::rejected(runs),
        clamped: tally.clamped,
        spill_s: tally.spill_s,
        columns: match rows {
            Some(_) => runs.table.columns.iter().map(|column| column.name.clone()).collect(),
            None => Vec::new(),
        },
        head: (0..head).map(|row| runs.table.columns.iter().map(|column| column.cell(row)).collect()).collect(),
    };
    let text = table_text(&shown, context);
    Ok(Outcome::of(&shown)?.human(text).warned(runs.table.warnings.iter().cloned()))
}

fn table_text(shown: &ShownTable<'_>, context: &Context) -> String {
    let files = human::count(shown.files.len(), "file", "files");
    let mut text = format!("{}: {} from {files}\n\n", shown.table, human::count(shown.rows, "row", "rows"));
    let mut table = Table::new()
        .text("experiment")
        .text("formula")
        .number("visits")
        .number("ranks")
        .number("inclusive")
        .number("self")
        .number("exits")
        .number("open")
        .number("clock")
        .number("noise")
        .number("configurations");
    let some = |count: u64| if count == 0 { String::new() } else { count.to_string() };
    for e in &shown.experiments {
        table.row([
            e.name.clone(),
            e.formula.clone().unwrap_or_default(),
            e.visits.to_string(),
            e.ranks.map_or(String::new(), |ranks| ranks.to_string()),
            e.inclusive_s.map_or(String::new(), |time| human::quantity(time, "s")),
            e.self_s.map_or(String::new(), |time| human::quantity(time, "s")),
            some(e.exits),
            some(e.open),
            some(e.clock),
            e.noise_pct.map_or(String::new(), |noise| human::percent(Some(noise))),
            e.configurations.to_string(),
        ]);
    }
    text.push_str(&table.render(context.screen));
    let mut table = Table::new().text("parameter").number("values").number("from").number("to");
    for p in &shown.parameters {
        let value = |value: Option<f64>| value.map_or(human::DASH.to_owned(), human::parameter);
        table.row([p.name.clone(), p.values.to_string(), value(p.from), value(p.to)]);
    }
    if !table.is_empty() {
        text.push_str(&format!("\n{}", table.render(context.screen)));
    }
    text.push_str(&format!("\nmetrics: {}\n", listed(&shown.metrics)));
    for (name, reason) in shown.counters {
        text.push_str(&format!("{name}: n/a, {reason}\n"));
    }
    if !shown.rejected.is_empty() {
        text.push_str(&format!("rejected: {}\n", told(&shown.rejected)));
    }
    if shown.clamped > 0 {
        text.push_str(&format!("clamped: {} times shorter than measuring takes count as 0\n", shown.clamped));
    }
    if !shown.head.is_empty() {
        let mut table = shown.columns.iter().fold(Table::new(), |table, name| table.number(name.as_str()));
        shown.head.iter().for_each(|row| table.row(row.iter().map(String::as_str)));
        text.push_str(&format!("\n{}", table.render(context.screen)));
    }
    text
}

fn experiment(runs: &Runs, name: Option<&str>) -> ShownExperiment {
    let known = name.and_then(|name| runs.metadata.experiments.get(name));
    let rows = rows_of(runs, name).map_or_else(|_| Vec::new(), |rows| rows.rows);
    let trace = |name: &str| runs.table.column(name).filter(|_| runs.is_trace()).and_then(Column::as_numbers);
    let visits_of = |row: u32| trace("visits").map_or(1.0, |visits| visits[row as usize]).max(1.0);
    let status = |row: u32| match runs.table.column("status").map(|column| &column.data) {
        Some(ColumnData::Text { codes, names }) => names[codes.at(row as usize) as usize].as_str(),
        _ => "ok",
    };
    let count = |wanted: &dyn Fn(&str) -> bool| -> u64 {
        let sum: f64 = rows.iter().filter(|&&row| wanted(status(row))).map(|&row| visits_of(row)).sum();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates")]
        let sum = sum as u64;
        sum
    };
    // Samples that were left early took their time, too.
    let took_time = |row: &&u32| matches!(status(**row), "" | "ok" | "exit");
    let total = |column: &str, outermost: bool| {
        let (times, level) = (trace(column)?, trace("level"));
        let counts = |row: &&u32| !outermost || level.is_none_or(|level| level[**row as usize] == 0.0);
        let rows = rows.iter().filter(took_time).filter(counts);
        let mut any = false;
        let sum: f64 = rows
            .filter_map(|&row| Some((row, Some(times[row as usize]).filter(|time| !time.is_nan())?)))
            .inspect(|_| any = true)
            .map(|(row, time)| time * visits_of(row))
            .sum();
        any.then_some(sum)
    };
    let ranks = trace("rank")
        .map(|ranks| rows.iter().map(|&row| ranks[row as usize].to_bits()).collect::<HashSet<u64>>().len());
    let (configurations, noise_pct) = noise(runs, name, known.and_then(|e| e.template.as_ref()));
    ShownExperiment {
        name: name.unwrap_or_default().to_owned(),
        formula: known.and_then(|experiment| experiment.template.as_ref()).map(ToString::to_string),
        seg: known.map_or(Vec::new(), |experiment| experiment.seg.clone()),
        visits: count(&|_| true),
        ranks,
        inclusive_s: total("time_s", true),
        self_s: total("self_s", false),
        exits: count(&|status| status == "exit"),
        open: count(&|status| status == "open"),
        clock: count(&|status| status == "clock"),
        noise_pct,
        configurations,
    }
}

/// Configurations, and the median over those with at least three repetitions of `1.4826 MAD / median`.
fn noise(
    runs: &Runs,
    name: Option<&str>,
    template: Option<&runcast_formula::template::Template>,
) -> (usize, Option<f64>) {
    let any = runcast_formula::template::Template::parse("c[0]");
    let Some(template) = template.or(any.as_ref().ok()) else { return (0, None) };
    let question = samples::Question {
        experiment: name,
        template,
        segmentation: &[],
        looks_everywhere: true,
        metric: None,
        ranks: samples::Ranks::All,
    };
    let with_metric = |metric: &str| samples::samples(runs, &samples::Question { metric: Some(metric), ..question });
    let found = samples::samples(runs, &question).or_else(|failure| match runs.names().1.first() {
        Some(first) => with_metric(first),
        None => Err(failure),
    });
    let Ok(samples) = found else { return (0, None) };
    let spreads: Vec<f64> = samples
        .configurations
        .iter()
        .filter(|repeated| repeated.values.len() >= 3)
        .filter_map(|repeated| {
            let center = statistics::median(&repeated.values);
            let off: Vec<f64> = repeated.values.iter().map(|value| (value - center).abs()).collect();
            (center != 0.0).then(|| 148.26 * statistics::median(&off) / center.abs())
        })
        .collect();
    let noise = (!spreads.is_empty()).then(|| statistics::median(&spreads)).filter(|noise| noise.is_finite());
    (samples.configurations.len(), noise)
}

fn parameter(runs: &Runs, name: &str) -> Option<ShownParameter> {
    let values = runs.table.column(name)?.as_numbers()?;
    let present = || values.iter().copied().filter(|value| !value.is_nan());
    let distinct: HashSet<u64> = present().map(|value| (value + 0.0).to_bits()).collect();
    Some(ShownParameter {
        name: name.to_owned(),
        values: distinct.len(),
        from: present().reduce(f64::min),
        to: present().reduce(f64::max),
    })
}

/// Reports what a model is.
///
/// # Errors
/// None that a model can cause.
pub fn model(name: &str, kept: &Kept, context: &Context) -> Result<Outcome, Failure> {
    super::inspect::fitted(name, kept, context)
}

/// Lists the commands, or tells about one.
///
/// # Errors
/// There is no such command.
pub fn help(name: Option<&str>, context: &Context) -> Result<Outcome, Failure> {
    let text = match name {
        None => {
            let mut table = Table::new().text("command").text("does");
            for command in words::COMMANDS {
                table.row([command.name, command.summary]);
            }
            table.render(context.screen) + "\nhelp COMMAND tells more; # begins a comment, ; parts commands\n"
        }
        Some(name) => {
            let Some(command) = words::find(name) else {
                let names: Vec<&str> = words::COMMANDS.iter().map(|command| command.name).collect();
                let problem = Problem::new("unknown_command", format!("there is no command {}", shorten(name, 40)));
                let problem = problem.at("help").value(name).allowed(names.join(", "));
                return Err(problem.or_near(name, names).into());
            };
            format!(
                "{}\n\n{}\n{}",
                wrapped(command.usage, 78),
                sentence(command.summary),
                match command.details {
                    "" => String::new(),
                    details => format!("{details}\n"),
                }
            )
        }
    };
    Ok(Outcome::of(&serde_json::json!({ "text": text }))?.human(text))
}

/// A summary as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or(String::new(), |letter| letter.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}

/// Lines of at most so many columns, broken between options.
fn wrapped(text: &str, width: usize) -> String {
    let (mut out, mut column, mut depth) = (String::new(), 0, 0usize);
    let mut parts: Vec<String> = vec![String::new()];
    for letter in text.chars() {
        depth = match letter {
            '[' => depth + 1,
            ']' => depth.saturating_sub(1),
            _ => depth,
        };
        match (letter, parts.last_mut()) {
            (' ', _) if depth == 0 => parts.push(String::new()),
            (letter, Some(part)) => part.push(letter),
            _ => {}
        }
    }
    for part in parts {
        let length = part.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push_str("\n   ");
            column = 3;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&part);
        column += length;
    }
    out
}
