//! Exports of hyperfine, of versions 1 and 2.
//!
//! Parameters whose values are all numbers are parameters, others are labels. `region` is the command with the values
//! of the parameters replaced by their names, so that the runs of one command line are one series. Runs that ended
//! with a non-zero exit code are skipped and counted.

use super::json::{self, Lines, Pairs, Raw, number_of};
use super::tidy::{Tidy, check_size};
use super::{Format, Probe};
use crate::metric::Metric;
use crate::problem::{Problem, Problems, Warning, shorten};
use crate::table::{ReadOptions, Table, number};
use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value};
use std::cmp::Reverse;

pub(super) const FORMAT: Format =
    Format { name: "hyperfine", description: "JSON exports of hyperfine 1.x and 2.x", recognizes, read };

fn recognizes(probe: &Probe<'_>) -> bool {
    !probe.is_array() && probe.has_key("results")
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_text(text).map_err(|problem| problem.in_file(file).into())
}

fn read_text(text: &str) -> Result<Table, Problem> {
    let Pairs(entries): Pairs<'_, Raw<'_>> = json::parse(text)?;
    let Some((_, results)) = entries.iter().find(|(key, _)| key == "results") else {
        return Err(Problem::new("missing_field", "the field \"results\" is missing").at("results"));
    };
    let mut lines = Lines::new(text);
    let list: Vec<Raw<'_>> = json::parse_at(results.get(), lines.of(results.get()))?;
    let mut benchmarks = Vec::with_capacity(list.len());
    for raw in list {
        let line = lines.of(raw.get());
        let result: Map<String, Value> = json::parse_at(raw.get(), line)?;
        let benchmark = Benchmark::read(&result, line);
        benchmarks
            .push(benchmark.map_err(|problem| if problem.line.is_none() { problem.at_line(line) } else { problem })?);
    }
    table_of(&benchmarks)
}

/// One command line with its runs.
struct Benchmark {
    command: String,
    parameters: IndexMap<String, String>,
    runs: Vec<Run>,
    failed: usize,
    line: u64,
}

struct Run {
    time_s: f64,
    memory_bytes: f64,
}

impl Benchmark {
    /// Whether the command contains the parameters; not checked where that would take long.
    fn is_parametrized(&self) -> bool {
        (1..=32).contains(&self.parameters.len()) && self.command.len() <= 100_000
    }

    fn read(result: &Map<String, Value>, line: u64) -> Result<Benchmark, Problem> {
        let command = result.get("command").and_then(Value::as_str).unwrap_or("").to_owned();
        let parameters = parameters(result)?;
        let (runs, failed) = match (result.get("measurements"), result.get("times")) {
            (Some(measurements), _) => runs_of_version_2(measurements)?,
            (None, Some(times)) => runs_of_version_1(times, result)?,
            (None, None) => {
                return Err(Problem::new("missing_field", "a result has neither \"times\" nor \"measurements\"")
                    .at("times")
                    .hint("export the single runs: hyperfine --export-json"));
            }
        };
        Ok(Benchmark { command, parameters, runs, failed, line })
    }
}

/// `{"name":"4"}`, in version 2 `{"name":{"value":"4"}}`.
fn parameters(result: &Map<String, Value>) -> Result<IndexMap<String, String>, Problem> {
    let list = match result.get("parameters") {
        None | Some(Value::Null) => return Ok(IndexMap::new()),
        Some(Value::Object(list)) => list,
        Some(_) => return Err(Problem::new("field", "the parameters are not an object").at("parameters")),
    };
    list.iter()
        .map(|(name, value)| {
            let value = match value {
                Value::Object(object) => object.get("value").unwrap_or(&Value::Null),
                value => value,
            };
            match value {
                Value::String(text) => Ok((name.clone(), text.clone())),
                Value::Number(number) => Ok((name.clone(), number.to_string())),
                other => {
                    let seen = shorten(&other.to_string(), 60);
                    Err(Problem::new("field", format!("{seen} is neither a number nor a text")).at(name).value(seen))
                }
            }
        })
        .collect()
}

fn runs_of_version_1(times: &Value, result: &Map<String, Value>) -> Result<(Vec<Run>, usize), Problem> {
    let list = |value: &Value, field: &str| match value {
        Value::Array(list) => Ok(list.clone()),
        _ => Err(Problem::new("field", format!("\"{field}\" is not a list")).at(field)),
    };
    let times = list(times, "times")?;
    let codes = result.get("exit_codes").filter(|codes| !codes.is_null());
    let codes = codes.map(|codes| list(codes, "exit_codes")).transpose()?;
    if let Some(codes) = &codes
        && codes.len() != times.len()
    {
        let message = format!("there are {} times and {} exit codes", times.len(), codes.len());
        return Err(Problem::new("data_count", message).at("exit_codes"));
    }
    let memory = result.get("memory_usage_byte").and_then(Value::as_array);
    let mut runs = Vec::with_capacity(times.len());
    let mut failed = 0;
    for (index, time) in times.iter().enumerate() {
        if codes.as_ref().is_some_and(|codes| codes[index].as_i64() != Some(0)) {
            failed += 1;
            continue;
        }
        let memory_bytes = memory.and_then(|list| list.get(index)?.as_f64()).unwrap_or(f64::NAN);
        runs.push(Run { time_s: number_of(time, "times")?, memory_bytes });
    }
    Ok((runs, failed))
}

fn runs_of_version_2(measurements: &Value) -> Result<(Vec<Run>, usize), Problem> {
    let Value::Array(list) = measurements else {
        return Err(Problem::new("field", "\"measurements\" is not a list").at("measurements"));
    };
    let mut runs = Vec::with_capacity(list.len());
    let mut failed = 0;
    for measurement in list {
        if measurement.get("exit_code").is_some_and(|code| code.as_i64() != Some(0)) {
            failed += 1;
            continue;
        }
        let time_s = quantity(measurement, "time_wall_clock", "s")?;
        if time_s.is_nan() {
            return Err(Problem::new("missing_field", "a run has no \"time_wall_clock\"").at("measurements"));
        }
        runs.push(Run { time_s, memory_bytes: quantity(measurement, "memory_peak_resident", "B")? });
    }
    Ok((runs, failed))
}

/// `{"value":1.5,"unit":"second"}` in SI units; NaN when it is not there.
fn quantity(measurement: &Value, field: &str, si: &str) -> Result<f64, Problem> {
    let (value, unit) = match measurement.get(field) {
        None | Some(Value::Null) => return Ok(f64::NAN),
        Some(Value::Object(object)) => {
            (object.get("value").unwrap_or(&Value::Null), object.get("unit").and_then(Value::as_str).unwrap_or(si))
        }
        Some(value) => (value, si),
    };
    let metric = Metric::named(field, Some(unit)).map_err(|problem| problem.at(field))?;
    if metric.unit != si {
        let message = format!("{field} is in {}, not in {si}", shorten(unit, 40));
        return Err(Problem::new("unknown_unit", message).at(field).value(unit));
    }
    Ok(number_of(value, field)? * metric.scale)
}

fn table_of(benchmarks: &[Benchmark]) -> Result<Table, Problem> {
    let mut names: IndexMap<&str, bool> = IndexMap::new();
    for (name, value) in benchmarks.iter().flat_map(|benchmark| &benchmark.parameters) {
        *names.entry(name).or_insert(true) &= number::parse(value).is_some();
    }
    let numeric: Vec<&str> = names.iter().filter(|&(_, &numeric)| numeric).map(|(&name, _)| name).collect();
    let mut labels = vec!["region"];
    labels.extend(names.iter().filter(|&(_, &numeric)| !numeric).map(|(&name, _)| name));

    check_size(names.len(), benchmarks.len())?;
    let mut table = Tidy::new(&numeric, &labels);
    let time = table.metric("time_s", Some("s"));
    let regions = templates(benchmarks);
    let memory = benchmarks
        .iter()
        .flat_map(|benchmark| &benchmark.runs)
        .any(|run| !run.memory_bytes.is_nan())
        .then(|| table.metric("memory_bytes", Some("B")));
    for (benchmark, region) in benchmarks.iter().zip(regions) {
        let value = |name: &str| benchmark.parameters.get(name).map_or("", String::as_str);
        let at: Vec<f64> = numeric.iter().map(|name| number::parse(value(name)).unwrap_or(f64::NAN)).collect();
        let mut codes = vec![table.label(0, region)];
        for (index, &label) in labels.iter().enumerate().skip(1) {
            codes.push(table.label(index, value(label)));
        }
        let cell = table.cell(&codes, &at);
        for run in &benchmark.runs {
            table.add(cell, time, &[run.time_s], benchmark.line);
            if let Some(memory) = memory {
                table.add(cell, memory, &[run.memory_bytes], benchmark.line);
            }
        }
    }
    let mut table = table.finish()?;
    let failed: usize = benchmarks.iter().map(|benchmark| benchmark.failed).sum();
    if failed > 0 {
        let runs = if failed == 1 { "run is" } else { "runs are" };
        let message = format!("{failed} {runs} left out because of the exit code");
        if table.rows() == 0 {
            return Err(Problem::new("empty_table", format!("no run is left: {message}")));
        }
        table.warnings.push(Warning::new("failed_runs", message));
    }
    Ok(table)
}

/// For every benchmark, its command with the parameter values replaced by `{name}`.
///
/// A value may also occur in the command for another reason (`--levels 4 -n 4`). So some benchmarks propose templates,
/// and those that explain the most commands win.
fn templates(benchmarks: &[Benchmark]) -> Vec<String> {
    const MOST_PROPOSALS: usize = 32;
    let mut proposals: IndexSet<String> = IndexSet::new();
    for benchmark in benchmarks.iter().filter(|benchmark| benchmark.is_parametrized()).take(MOST_PROPOSALS / 2) {
        proposals.extend([true, false].map(|whole_words| template(benchmark, whole_words)));
    }
    let mut explained: Vec<(String, Vec<usize>)> = proposals
        .into_iter()
        .map(|proposal| {
            let explains = |benchmark: &Benchmark| {
                benchmark.is_parametrized() && filled(&proposal, benchmark) == benchmark.command
            };
            let commands = (0..benchmarks.len()).filter(|&index| explains(&benchmarks[index])).collect();
            (proposal, commands)
        })
        .collect();
    let mut regions: Vec<Option<String>> = vec![None; benchmarks.len()];
    // Of two equally good templates, the shorter one has more values replaced.
    while let Some(best) =
        (0..explained.len()).max_by_key(|&at| (explained[at].1.len(), Reverse(explained[at].0.len())))
    {
        let (proposal, commands) = explained.swap_remove(best);
        commands.iter().for_each(|&index| regions[index] = Some(proposal.clone()));
        explained.iter_mut().for_each(|(_, commands)| commands.retain(|&index| regions[index].is_none()));
    }
    regions
        .into_iter()
        .zip(benchmarks)
        .map(|(region, benchmark)| match region {
            Some(region) => region,
            None if benchmark.is_parametrized() => template(benchmark, true),
            None => benchmark.command.clone(),
        })
        .collect()
}

/// The command with the parameter values replaced by their names, longest values first.
fn template(benchmark: &Benchmark, whole_words: bool) -> String {
    let mut parameters: Vec<(&str, &str)> = benchmark
        .parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    parameters.sort_by_key(|(_, value)| Reverse(value.len()));
    let command = benchmark.command.as_str();
    let mut result = String::with_capacity(command.len());
    let mut rest = command;
    'text: while let Some(first) = rest.chars().next() {
        let before = command[..command.len() - rest.len()].chars().next_back();
        for (name, value) in &parameters {
            let Some(after) = rest.strip_prefix(value) else { continue };
            let is_edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || c == '.');
            if !whole_words || (is_edge(before) && is_edge(after.chars().next())) {
                result.push('{');
                result.push_str(name);
                result.push('}');
                rest = after;
                continue 'text;
            }
        }
        result.push(first);
        rest = &rest[first.len_utf8()..];
    }
    result
}

/// The command of a template with the values of this benchmark.
fn filled(template: &str, benchmark: &Benchmark) -> String {
    benchmark
        .parameters
        .iter()
        .fold(template.to_owned(), |command, (name, value)| command.replace(&format!("{{{name}}}"), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    fn benchmark(command: &str, parameters: &[(&str, &str)]) -> Benchmark {
        let parameters = parameters.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Benchmark { command: command.to_owned(), parameters, runs: Vec::new(), failed: 0, line: 1 }
    }

    #[test]
    fn commands_of_a_scan_become_one_region() {
        let list = [
            benchmark("run --levels 4 -n 4 8", &[("p", "4"), ("n", "8")]),
            benchmark("run --levels 4 -n 8 8", &[("p", "8"), ("n", "8")]),
            benchmark("run --levels 4 -n 16 64", &[("p", "16"), ("n", "64")]),
            benchmark("other", &[]),
        ];
        let regions = templates(&list);
        assert_eq!(regions[0], "run --levels 4 -n {p} {n}");
        assert!(regions[..3].iter().all(|region| *region == regions[0]), "{regions:?}");
        assert_eq!(regions[3], "other");
        assert_eq!(templates(&[benchmark("./a4", &[("v", "4")]), benchmark("./a5", &[("v", "5")])]), ["./a{v}"; 2]);
    }

    #[test]
    fn failed_runs_are_left_out_and_counted() {
        let text =
            r#"{"results":[{"command":"a 2","times":[1.5,9.0,1.25],"exit_codes":[0,1,0],"parameters":{"p":"2"}}]}"#;
        let table = read_text(text).expect("a table");
        assert_eq!(table.column("time_s"), Some(&Column::numbers("time_s", vec![1.5, 1.25])));
        assert_eq!(table.warnings[0].code, "failed_runs");
    }
}
