//! JSON of Google Benchmark.
//!
//! `BM_sort/8/512` is the region `BM_sort` with the parameters `arg0` and `arg1`, `BM_sort/n:8` with the parameter `n`.
//! Times become seconds (`real_time_s`, `cpu_time_s`), other numbers are counters and metrics. Aggregates are skipped;
//! runs that report an error are skipped and counted. `threads` is a parameter where it varies.

use super::json::{self, Lines, Pairs, Raw, number_of};
use super::tidy::{Tidy, check_size};
use super::{Format, Probe};
use crate::metric::Metric;
use crate::problem::{Problem, Problems, Warning};
use crate::table::{ReadOptions, Table, number};
use indexmap::IndexSet;
use serde_json::{Map, Value};

pub(super) const FORMAT: Format = Format { name: "gbench", description: "JSON of Google Benchmark", recognizes, read };

/// Fields that are not counters.
const NO_COUNTERS: [&str; 13] = [
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "real_time",
    "cpu_time",
    "cpu_coefficient",
    "real_coefficient",
    "rms",
    "index",
    "complexity_n",
];

/// Parts of a name that say how it was measured: `/real_time`, `/repeats:3`.
const IGNORED_WORDS: [&str; 4] = ["real_time", "manual_time", "process_time", "cpu_time"];
const IGNORED_KEYS: [&str; 6] = ["repeats", "min_time", "min_warmup_time", "iterations", "threads", "min_rel_accuracy"];

fn recognizes(probe: &Probe<'_>) -> bool {
    !probe.is_array() && probe.has_key("benchmarks")
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_text(text).map_err(|problem| problem.in_file(file).into())
}

fn read_text(text: &str) -> Result<Table, Problem> {
    let Pairs(entries): Pairs<'_, Raw<'_>> = json::parse(text)?;
    let Some((_, benchmarks)) = entries.iter().find(|(key, _)| key == "benchmarks") else {
        return Err(Problem::new("missing_field", "the field \"benchmarks\" is missing").at("benchmarks"));
    };
    let mut lines = Lines::new(text);
    let list: Vec<Raw<'_>> = json::parse_at(benchmarks.get(), lines.of(benchmarks.get()))?;
    let mut runs = Vec::with_capacity(list.len());
    let mut failed = 0usize;
    for raw in list {
        let line = lines.of(raw.get());
        let fields: Map<String, Value> = json::parse_at(raw.get(), line)?;
        if is_aggregate(&fields) {
            continue;
        }
        if fields.get("error_occurred").and_then(Value::as_bool) == Some(true) {
            failed += 1;
            continue;
        }
        let run = Run::read(&fields, line);
        runs.push(run.map_err(|problem| if problem.line.is_none() { problem.at_line(line) } else { problem })?);
    }
    table_of(&runs, failed)
}

fn is_aggregate(fields: &Map<String, Value>) -> bool {
    match fields.get("run_type").and_then(Value::as_str) {
        Some(kind) => kind != "iteration",
        // Before version 1.5 there was no such field, and aggregates were recognizable only by name.
        None => {
            let name = fields.get("name").and_then(Value::as_str).unwrap_or("");
            ["_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"].iter().any(|end| name.ends_with(end))
        }
    }
}

struct Run {
    name: Name,
    threads: f64,
    metrics: Vec<(String, Option<&'static str>, f64)>,
    line: u64,
}

impl Run {
    fn read(fields: &Map<String, Value>, line: u64) -> Result<Run, Problem> {
        let name = ["run_name", "name"].iter().find_map(|key| fields.get(*key)?.as_str());
        let name = name.ok_or_else(|| Problem::new("missing_field", "a benchmark has no name").at("run_name"))?;
        let unit = fields.get("time_unit").and_then(Value::as_str).unwrap_or("ns");
        let time = Metric::named("time", Some(unit)).map_err(|problem| problem.at("time_unit"))?;
        if time.unit != "s" {
            return Err(Problem::new("unknown_unit", format!("\"{unit}\" is not a unit of time"))
                .at("time_unit")
                .value(unit));
        }
        let mut metrics = Vec::new();
        for (field, column) in [("real_time", "real_time_s"), ("cpu_time", "cpu_time_s")] {
            if let Some(value) = fields.get(field) {
                metrics.push((column.to_owned(), Some("s"), number_of(value, field)? * time.scale));
            }
        }
        if metrics.is_empty() {
            return Err(Problem::new("missing_field", "a benchmark has no time").at("real_time"));
        }
        for (field, value) in fields.iter().filter(|(field, _)| !NO_COUNTERS.contains(&field.as_str())) {
            if let Some(value) = value.as_f64() {
                let column = match field.strip_suffix("_per_second") {
                    Some(what) => format!("{what}_per_s"),
                    None => field.clone(),
                };
                metrics.push((column, None, value));
            }
        }
        let threads = fields.get("threads").map_or(Ok(1.0), |value| number_of(value, "threads"))?;
        Ok(Run { name: Name::parse(name), threads, metrics, line })
    }
}

/// `BM_sort/8/n:512/real_time`
#[derive(Debug, PartialEq)]
struct Name {
    region: String,
    arguments: Vec<(String, f64)>,
}

impl Name {
    fn parse(name: &str) -> Name {
        let mut parts = parts(name).into_iter();
        let mut region = parts.next().unwrap_or("").to_owned();
        let mut arguments: Vec<(String, f64)> = Vec::new();
        for part in parts {
            if let Some(value) = number::parse(part) {
                arguments.push((format!("arg{}", arguments.len()), value));
                continue;
            }
            if IGNORED_WORDS.contains(&part) {
                continue;
            }
            match part.split_once(':') {
                Some((key, _)) if IGNORED_KEYS.contains(&key) => {}
                Some((key, value)) if !key.is_empty() && number::parse(value).is_some() => {
                    arguments.push((key.to_owned(), number::parse(value).unwrap_or(f64::NAN)));
                }
                _ => {
                    region.push('/');
                    region.push_str(part);
                }
            }
        }
        Name { region, arguments }
    }
}

/// The parts between slashes; those inside brackets and quotes belong to the name.
fn parts(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    for (index, c) in name.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth -= 1,
            '/' if depth <= 0 && !quoted => {
                parts.push(&name[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&name[start..]);
    parts
}

fn table_of(runs: &[Run], failed: usize) -> Result<Table, Problem> {
    let mut names: IndexSet<&str> =
        runs.iter().flat_map(|run| &run.name.arguments).map(|(name, _)| name.as_str()).collect();
    names.insert("threads");
    let names: Vec<&str> = names.into_iter().collect();
    check_size(names.len(), runs.len())?;
    let mut table = Tidy::new(&names, &["region"]);
    for run in runs {
        let value = |wanted: &&str| match *wanted {
            "threads" => run.threads,
            wanted => run.name.arguments.iter().find(|(name, _)| name == wanted).map_or(f64::NAN, |&(_, value)| value),
        };
        let at: Vec<f64> = names.iter().map(value).collect();
        let region = table.label(0, run.name.region.clone());
        let cell = table.cell(&[region], &at);
        for (name, unit, value) in &run.metrics {
            let metric = table.metric(name, *unit);
            table.add(cell, metric, &[*value], run.line);
        }
    }
    let mut table = table.finish()?;
    let varies = runs.windows(2).any(|pair| pair[0].threads != pair[1].threads);
    if let Some(roles) = &mut table.roles
        && !varies
        && roles.parameters.len() > 1
    {
        roles.parameters.retain(|name| name != "threads");
    }
    if failed > 0 {
        let benchmarks = if failed == 1 { "run is" } else { "runs are" };
        let message = format!("{failed} {benchmarks} left out because of an error");
        if table.rows() == 0 {
            return Err(Problem::new("empty_table", format!("no run is left: {message}")));
        }
        table.warnings.push(Warning::new("failed_runs", message));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(region: &str, arguments: &[(&str, f64)]) -> Name {
        let arguments = arguments.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        Name { region: region.to_owned(), arguments }
    }

    #[test]
    fn names_fall_apart_into_region_and_arguments() {
        assert_eq!(Name::parse("BM_x/8/512"), name("BM_x", &[("arg0", 8.0), ("arg1", 512.0)]));
        assert_eq!(Name::parse("BM_x/n:8/repeats:3/real_time/threads:4"), name("BM_x", &[("n", 8.0)]));
        assert_eq!(Name::parse("Fix/Method<a/b>/16"), name("Fix/Method<a/b>", &[("arg0", 16.0)]));
        assert_eq!(Name::parse("BM_x/-1/min_time:0.500"), name("BM_x", &[("arg0", -1.0)]));
        assert_eq!(Name::parse(""), name("", &[]));
    }
}
