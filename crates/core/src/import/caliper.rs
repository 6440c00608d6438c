//! JSON of Caliper's `cali-query`: `json`, an array of flat records, and `json-split`, rows that refer to a tree of
//! nodes. A file is one run.
//!
//! `--params p=mpi.world.size` takes a parameter from an attribute of the run or of the record, `--metric
//! 'time=avg#inclusive#sum#time.duration:s'` a metric. Without it, `p` is `mpi.world.size`; without
//! `--metric`, every value is a metric.

use super::json::{self, Lines, Pairs, Raw, number_of};
use super::tidy::{Tidy, with_unit};
use super::{Format, Probe};
use crate::metric::Metric;
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table, number};
use serde_json::{Map, Value};

pub(super) const FORMAT: Format =
    Format { name: "caliper", description: "cali-query json and json-split (--params, --metric)", recognizes, read };

/// Attributes that name the location in the program; the first one present in a file becomes the region.
const PLACES: [&str; 4] = ["path", "region", "function", "annotation"];

/// Deeper trees would make names longer than the file.
const DEEPEST: usize = 1000;

fn recognizes(probe: &Probe<'_>) -> bool {
    if probe.is_array() {
        let typical = |key: &str| key.contains('#') || key.starts_with("cali.") || key.contains("time.duration");
        return (probe.has_key("path") || probe.any_key(typical)) && !probe.has_key("params");
    }
    let split = probe.has_key("columns") && probe.has_key("data");
    split && (probe.has_key("nodes") || probe.has_key("column_metadata"))
        || probe.has_key("records") && probe.has_key("globals")
}

fn read(file: &str, text: &str, options: &ReadOptions) -> Result<Table, Problems> {
    read_text(text, options).map_err(|problem| problem.in_file(file).into())
}

fn read_text(text: &str, options: &ReadOptions) -> Result<Table, Problem> {
    let profile = if text.trim_ascii_start().starts_with('[') {
        Profile::of_records(text, text, 1, Map::new())?
    } else {
        let Pairs(entries): Pairs<'_, Raw<'_>> = json::parse(text)?;
        let find = |key: &str| entries.iter().find(|(name, _)| name == key).map(|&(_, raw)| raw);
        match find("records") {
            Some(records) => {
                let line = Lines::new(text).of(records.get());
                let globals = find("globals").map(|raw| json::parse(raw.get())).transpose()?.unwrap_or_default();
                Profile::of_records(text, records.get(), line, globals)?
            }
            None => Profile::of_split(text, &entries)?,
        }
    };
    profile.table(options)
}

/// A file as records, whatever its format.
struct Profile {
    /// Attributes of the whole run.
    run: Map<String, Value>,
    records: Vec<Record>,
    /// Attributes that are measured values, in the order of the file, with their units where the file states them.
    values: Vec<(String, Option<String>)>,
}

struct Record {
    region: String,
    fields: Map<String, Value>,
    line: u64,
}

/// The parameters and metrics of a record, in the order of those selected.
struct Run {
    at: Vec<f64>,
    values: Vec<f64>,
}

impl Profile {
    /// `[{"path":"main/solve","time":1.5}, ..]`
    fn of_records(text: &str, records: &str, line: u64, run: Map<String, Value>) -> Result<Profile, Problem> {
        let mut lines = Lines::new(text);
        let list: Vec<Raw<'_>> = json::parse_at(records, line)?;
        let mut profile = Profile { run, records: Vec::with_capacity(list.len()), values: Vec::new() };
        for raw in list {
            let line = lines.of(raw.get());
            let fields: Map<String, Value> = json::parse_at(raw.get(), line)?;
            for (name, value) in &fields {
                let is_value = as_number(value).is_some() && !PLACES.contains(&name.as_str());
                if is_value && !profile.values.iter().any(|(known, _)| known == name) {
                    profile.values.push((name.clone(), None));
                }
            }
            let region = PLACES.iter().find_map(|place| place_of(fields.get(*place)?)).unwrap_or_default();
            profile.records.push(Record { region, fields, line });
        }
        Ok(profile)
    }

    /// `{"columns":["path","time"],"column_metadata":[..],"nodes":[..],"data":[[0,1.5], ..]}`
    fn of_split(text: &str, entries: &[(std::borrow::Cow<'_, str>, Raw<'_>)]) -> Result<Profile, Problem> {
        let mut split = Split::default();
        let mut rows: Vec<Raw<'_>> = Vec::new();
        let mut run = Map::new();
        for (key, raw) in entries {
            let line = Lines::new(text).of(raw.get());
            let at = |problem: Problem| problem.at(key.to_string());
            match &**key {
                "columns" => split.columns = json::parse_at(raw.get(), line).map_err(at)?,
                "column_metadata" => split.metadata = json::parse_at(raw.get(), line).map_err(at)?,
                "nodes" => split.nodes = json::parse_at(raw.get(), line).map_err(at)?,
                "data" => rows = json::parse_at(raw.get(), line).map_err(at)?,
                _ => {
                    run.insert(key.to_string(), json::parse_at(raw.get(), line)?);
                }
            }
        }
        if split.columns.is_empty() {
            return Err(Problem::new("missing_field", "the field \"columns\" is missing or empty").at("columns"));
        }
        let values = (0..split.columns.len())
            .filter(|&index| split.is_value(index))
            .map(|index| (split.columns[index].clone(), split.unit(index)))
            .collect();
        let mut lines = Lines::new(text);
        let mut records = Vec::with_capacity(rows.len());
        for raw in rows {
            let line = lines.of(raw.get());
            let row: Vec<Value> = json::parse_at(raw.get(), line)?;
            records.push(split.record(row, line).map_err(|problem| problem.at_line(line))?);
        }
        Ok(Profile { run, records, values })
    }

    fn table(&self, options: &ReadOptions) -> Result<Table, Problem> {
        let parameters = self.parameters(options)?;
        let metrics = self.metrics(options, &parameters)?;
        let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        let mut table = Tidy::new(&names, &["region"]);
        for metric in &metrics {
            table.metric(&metric.name, metric.unit.as_deref());
        }
        for record in &self.records {
            let run = self.run_of(record, &parameters, &metrics);
            let run =
                run.map_err(|problem| if problem.line.is_none() { problem.at_line(record.line) } else { problem })?;
            let Some(Run { at, values }) = run else { continue };
            let region = table.label(0, record.region.clone());
            let cell = table.cell(&[region], &at);
            for (index, &value) in (0u32..).zip(&values) {
                table.add(cell, index, &[value], record.line);
            }
        }
        table.finish()
    }

    /// The measurement of a record, if it has one.
    fn run_of(&self, record: &Record, parameters: &[Chosen], metrics: &[Chosen]) -> Result<Option<Run>, Problem> {
        let mut values = Vec::with_capacity(metrics.len());
        for metric in metrics {
            values.push(match record.fields.get(&metric.attribute).filter(|value| !value.is_null()) {
                None => f64::NAN,
                Some(value) => number_of(value, &metric.attribute)? * metric.scale,
            });
        }
        if values.iter().all(|value| value.is_nan()) {
            return Ok(None);
        }
        let at: Result<Vec<f64>, Problem> =
            parameters.iter().map(|parameter| self.parameter(record, parameter)).collect();
        Ok(Some(Run { at: at?, values }))
    }

    fn parameter(&self, record: &Record, parameter: &Chosen) -> Result<f64, Problem> {
        let attribute = &parameter.attribute;
        let value = record.fields.get(attribute).or_else(|| self.run.get(attribute)).filter(|value| !value.is_null());
        match value {
            Some(value) => number_of(value, attribute),
            None => Err(Problem::new("missing_parameter", format!("the record has no \"{}\"", shorten(attribute, 60)))
                .at("--param")
                .value(attribute.as_str())),
        }
    }

    fn has(&self, attribute: &str) -> bool {
        self.run.contains_key(attribute) || self.records.iter().any(|record| record.fields.contains_key(attribute))
    }

    /// Attributes with a number in them.
    fn numeric_attributes(&self) -> Vec<&str> {
        let of_run = self.run.iter().filter(|(_, value)| as_number(value).is_some()).map(|(name, _)| name.as_str());
        let first = self.records.first().map(|record| &record.fields);
        let of_record =
            first.into_iter().flatten().filter(|(_, value)| as_number(value).is_some()).map(|(name, _)| name.as_str());
        of_run.chain(of_record).collect()
    }

    fn parameters(&self, options: &ReadOptions) -> Result<Vec<Chosen>, Problem> {
        const PROCESSES: &str = "mpi.world.size";
        if options.params.is_empty() {
            if self.has(PROCESSES) {
                return Ok(vec![Chosen::new("p", PROCESSES)]);
            }
            return Err(Problem::new("no_parameter", "the file does not say which attribute is a parameter")
                .at("--param")
                .allowed(shorten(&self.numeric_attributes().join(", "), 400))
                .hint("name one: --param p=ATTRIBUTE"));
        }
        options
            .params
            .iter()
            .map(|option| {
                let (name, attribute) = option.split_once('=').unwrap_or((option, option));
                let chosen = Chosen::new(name.trim(), attribute.trim());
                if self.has(&chosen.attribute) { Ok(chosen) } else { Err(self.unknown("--param", &chosen.attribute)) }
            })
            .collect()
    }

    fn metrics(&self, options: &ReadOptions, parameters: &[Chosen]) -> Result<Vec<Chosen>, Problem> {
        if options.metrics.is_empty() {
            let is_parameter = |name: &str| parameters.iter().any(|parameter| parameter.attribute == name);
            let metrics: Vec<Chosen> = self
                .values
                .iter()
                .filter(|(name, _)| !is_parameter(name))
                .map(|(name, unit)| Chosen::new(name, name).measured_in(unit.as_deref().or_else(|| usual_unit(name))))
                .collect::<Result<_, _>>()?;
            if metrics.is_empty() {
                return Err(Problem::new("no_metric", "the file has no measured values").at("--metric"));
            }
            return Ok(metrics);
        }
        options.metrics.iter().map(|option| self.metric(option)).collect()
    }

    /// `NAME=ATTRIBUTE[:UNIT]`
    fn metric(&self, option: &str) -> Result<Chosen, Problem> {
        let (name, rest) = match option.split_once('=') {
            Some((name, rest)) => (Some(name.trim()), rest.trim()),
            None => (None, option.trim()),
        };
        let chosen = |attribute: &str| Chosen::new(name.unwrap_or(attribute), attribute);
        if self.has(rest) {
            let unit = self.values.iter().find(|(known, _)| known == rest).and_then(|(_, unit)| unit.as_deref());
            return chosen(rest).measured_in(unit.or_else(|| usual_unit(rest)));
        }
        match rest.rsplit_once(':') {
            Some((attribute, unit)) if self.has(attribute) => {
                chosen(attribute).measured_in(Some(unit)).map_err(|problem| problem.at("--metric"))
            }
            Some((attribute, _)) => Err(self.unknown("--metric", attribute)),
            None => Err(self.unknown("--metric", rest)),
        }
    }

    fn unknown(&self, option: &str, attribute: &str) -> Problem {
        let known = self.numeric_attributes();
        Problem::new("unknown_column", format!("there is no attribute \"{}\"", shorten(attribute, 60)))
            .at(option)
            .value(attribute)
            .one_of(attribute, known)
    }
}

/// An attribute that was chosen as parameter or metric.
struct Chosen {
    name: String,
    attribute: String,
    unit: Option<String>,
    scale: f64,
}

impl Chosen {
    fn new(name: &str, attribute: &str) -> Self {
        Chosen { name: name.to_owned(), attribute: attribute.to_owned(), unit: None, scale: 1.0 }
    }

    /// Values are turned into the SI unit, so that the table needs no unit beside it.
    fn measured_in(mut self, unit: Option<&str>) -> Result<Self, Problem> {
        let Some(unit) = unit else { return Ok(self) };
        let metric = Metric::named(&self.name, Some(unit))?;
        // If the name states another unit, the values would be converted twice.
        if let Some(named) = Metric::from_name(&self.name)
            && !named.unit_assumed
            && named.unit == metric.unit
        {
            self.scale = metric.scale / named.scale;
            return Ok(self);
        }
        self.scale = metric.scale;
        if self.name == self.attribute && metric.unit == "s" {
            self.name = with_unit(&self.name, "s");
        }
        self.unit = Some(metric.unit);
        Ok(self)
    }
}

/// Caliper measures durations in seconds unless the name says otherwise.
fn usual_unit(attribute: &str) -> Option<&'static str> {
    if attribute.ends_with("time.duration.ns") {
        Some("ns")
    } else {
        attribute.ends_with("time.duration").then_some("s")
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => number::parse(text),
        _ => None,
    }
}

/// `main/solve` or `["main","solve"]` as `main->solve`.
fn place_of(value: &Value) -> Option<String> {
    match value {
        Value::String(path) => Some(path.trim_matches('/').replace('/', "->")),
        Value::Array(parts) => {
            let parts: Option<Vec<&str>> = parts.iter().map(Value::as_str).collect();
            parts.map(|parts| parts.join("->"))
        }
        _ => None,
    }
}

/// The parts of `json-split`.
#[derive(Default)]
struct Split {
    columns: Vec<String>,
    metadata: Vec<Map<String, Value>>,
    nodes: Vec<Map<String, Value>>,
}

impl Split {
    fn is_value(&self, column: usize) -> bool {
        self.metadata.get(column).and_then(|about| about.get("is_value")).and_then(Value::as_bool).unwrap_or(false)
    }

    fn unit(&self, column: usize) -> Option<String> {
        let about = self.metadata.get(column)?;
        let unit = ["attribute.unit", "unit"].iter().find_map(|key| about.get(*key)?.as_str())?;
        Metric::named("x", Some(unit)).is_ok().then(|| unit.to_owned())
    }

    fn record(&self, row: Vec<Value>, line: u64) -> Result<Record, Problem> {
        if row.len() != self.columns.len() {
            let message = format!("a row has {} values, and there are {} columns", row.len(), self.columns.len());
            return Err(Problem::new("field_count", message)
                .at("data")
                .allowed(format!("{} values", self.columns.len())));
        }
        let mut fields = Map::new();
        let mut region = None;
        for (index, (name, value)) in self.columns.iter().zip(row).enumerate() {
            if self.is_value(index) || value.is_null() {
                fields.insert(name.clone(), value);
                continue;
            }
            // Cells that are not values refer to nodes of the tree.
            let path = match value.as_u64() {
                Some(node) if !self.nodes.is_empty() => self.path(node)?,
                _ => vec![value.as_str().map_or_else(|| value.to_string(), str::to_owned)],
            };
            let rank = PLACES.iter().position(|place| place == name);
            if let Some(rank) = rank
                && region.as_ref().is_none_or(|&(best, _)| rank < best)
            {
                region = Some((rank, path.join("->")));
            }
            fields.insert(name.clone(), Value::from(path.last().cloned().unwrap_or_default()));
        }
        Ok(Record { region: region.map(|(_, path)| path).unwrap_or_default(), fields, line })
    }

    /// The labels from the root to a node.
    fn path(&self, node: u64) -> Result<Vec<String>, Problem> {
        let mut labels = Vec::new();
        let mut next = Some(node);
        while let Some(index) = next {
            let node = usize::try_from(index).ok().and_then(|index| self.nodes.get(index)).ok_or_else(|| {
                let message = format!("there is no node {index}; the file has {}", self.nodes.len());
                Problem::new("unknown_id", message).at("nodes").value(index.to_string())
            })?;
            if labels.len() > self.nodes.len() {
                return Err(Problem::new("cycle", format!("node {index} is its own ancestor")).at("nodes"));
            }
            if labels.len() >= DEEPEST {
                return Err(
                    Problem::new("too_deep", format!("node {index} has over {DEEPEST} nodes below it")).at("nodes")
                );
            }
            labels.push(node.get("label").and_then(Value::as_str).unwrap_or("").to_owned());
            next = node.get("parent").and_then(Value::as_u64);
        }
        labels.reverse();
        Ok(labels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    const SPLIT: &str = r#"{"data":[[1,2.5,10],[0,4.0,null],[null,0.5,1]],
        "columns":["path","avg#inclusive#sum#time.duration","count"],
        "column_metadata":[{"is_value":false},{"is_value":true},{"is_value":true}],
        "nodes":[{"label":"main","column":"path"},{"label":"solve","column":"path","parent":0}],
        "mpi.world.size":"8"}"#;

    #[test]
    fn a_split_profile_is_put_together() {
        let table = read_text(SPLIT, &ReadOptions::default()).expect("a table");
        assert_eq!(table.column("p"), Some(&Column::numbers("p", vec![8.0; 3])));
        assert_eq!(table.column("region"), Some(&Column::text("region", ["main->solve", "main", ""])));
        let options = ReadOptions {
            params: vec!["ranks=mpi.world.size".to_owned()],
            metrics: vec!["time=avg#inclusive#sum#time.duration:ms".to_owned()],
            ..ReadOptions::default()
        };
        let table = read_text(SPLIT, &options).expect("a table");
        assert_eq!(table.column("time"), Some(&Column::numbers("time", vec![2.5e-3, 4e-3, 5e-4])));
        assert_eq!(table.column("ranks").map(Column::len), Some(3));
    }

    #[test]
    fn cycles_and_lost_nodes_are_errors() {
        let cycle = SPLIT.replace("\"column\":\"path\"},{", "\"column\":\"path\",\"parent\":1},{");
        assert_eq!(read_text(&cycle, &ReadOptions::default()).expect_err("an error").code, "cycle");
        let lost = SPLIT.replace("[[1,", "[[7,");
        assert_eq!(read_text(&lost, &ReadOptions::default()).expect_err("an error").code, "unknown_id");
        let options = ReadOptions { params: vec!["p=mpi.world.sise".to_owned()], ..ReadOptions::default() };
        assert_eq!(
            read_text(SPLIT, &options).expect_err("an error").hint.as_deref(),
            Some("did you mean mpi.world.size?")
        );
    }
}
