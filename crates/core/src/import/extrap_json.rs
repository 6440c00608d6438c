//! The JSON formats of Extra-P: the new one nests regions, metrics and points, the old one has tables that refer to
//! each other by id.

use super::json::{self, Lines, Pairs, Raw, number_of, numbers_of};
use super::tidy::Tidy;
use super::{Format, Probe};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table};
use serde_json::{Map, Value};
use std::collections::HashMap;

pub(super) const FORMAT: Format =
    Format { name: "extrap-json", description: "JSON files of Extra-P, new and old", recognizes, read };

fn recognizes(probe: &Probe<'_>) -> bool {
    !probe.is_array()
        && probe.has_key("measurements")
        && (probe.has_key("parameters") || probe.has_key("callpaths") || probe.has_key("coordinates"))
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_text(text).map_err(|problem| problem.in_file(file).into())
}

fn read_text(text: &str) -> Result<Table, Problem> {
    let Pairs(entries): Pairs<'_, Raw<'_>> = json::parse(text)?;
    let document = Document { text, entries };
    if document.find("coordinates").is_some() || document.find("callpaths").is_some() {
        read_old(&document)
    } else {
        read_new(&document)
    }
}

/// The top of the file.
struct Document<'a> {
    text: &'a str,
    entries: Vec<(std::borrow::Cow<'a, str>, Raw<'a>)>,
}

impl<'a> Document<'a> {
    fn find(&self, key: &str) -> Option<Raw<'a>> {
        self.entries.iter().find(|(name, _)| name == key).map(|&(_, value)| value)
    }

    fn get(&self, key: &str) -> Result<Raw<'a>, Problem> {
        self.find(key).ok_or_else(|| missing(key))
    }

    fn line(&self, raw: Raw<'_>) -> u64 {
        Lines::new(self.text).of(raw.get())
    }

    /// A list of this key, its items still unread.
    fn list(&self, key: &str) -> Result<Vec<Raw<'a>>, Problem> {
        let raw = self.get(key)?;
        json::parse_at(raw.get(), self.line(raw)).map_err(|problem| problem.at(key.to_owned()))
    }
}

fn missing(key: &str) -> Problem {
    Problem::new("missing_field", format!("the field \"{key}\" is missing")).at(key)
}

// --- the new format ---

fn read_new(document: &Document<'_>) -> Result<Table, Problem> {
    let parameters = new_parameters(document)?;
    let measurements = document.get("measurements")?;
    let begin = document.line(measurements);
    let Pairs(regions): Pairs<'_, Pairs<'_, Vec<Raw<'_>>>> =
        json::parse_at(measurements.get(), begin).map_err(|problem| problem.at("measurements"))?;
    let mut lines = Lines::new(document.text);
    let mut table = Tidy::new(&parameters, &["region".to_owned()]);
    for (region, Pairs(metrics)) in regions {
        let region = table.label(0, region);
        for (metric, points) in metrics {
            let metric = table.metric(&metric, None);
            for raw in points {
                let line = lines.of(raw.get());
                let (at, values) = new_point(raw, line, &parameters).map_err(|problem| with_line(problem, line))?;
                let cell = table.cell(&[region], &at);
                table.add(cell, metric, &values, line);
            }
        }
    }
    table.finish()
}

fn new_parameters(document: &Document<'_>) -> Result<Vec<String>, Problem> {
    let raw = document.get("parameters")?;
    let line = document.line(raw);
    let list: Vec<Value> = json::parse_at(raw.get(), line).map_err(|problem| problem.at("parameters"))?;
    list.iter()
        .map(|name| match name {
            Value::String(name) => Some(name.clone()),
            Value::Object(object) => object.get("name").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        })
        .collect::<Option<Vec<_>>>()
        .filter(|names| !names.is_empty())
        .ok_or_else(|| {
            Problem::new("field", "a list of parameter names is required")
                .at("parameters")
                .at_line(line)
                .allowed("[\"p\"]")
        })
}

/// `{"point":[4],"values":[1.0,1.1]}`
fn new_point(raw: Raw<'_>, line: u64, parameters: &[String]) -> Result<(Vec<f64>, Vec<f64>), Problem> {
    let entry: Map<String, Value> = json::parse_at(raw.get(), line)?;
    let point = numbers_of(entry.get("point").ok_or_else(|| missing("point"))?, "point")?;
    if point.len() != parameters.len() || point.iter().any(|value| value.is_nan()) {
        let values = if point.len() == 1 { "1 value".to_owned() } else { format!("{} values", point.len()) };
        let message = format!(
            "a point has {values}, and there are {} parameters ({})",
            parameters.len(),
            shorten(&parameters.join(", "), 100)
        );
        return Err(Problem::new("dimension", message).at("point"));
    }
    let values = numbers_of(entry.get("values").ok_or_else(|| missing("values"))?, "values")?;
    Ok((point, values))
}

fn with_line(problem: Problem, line: u64) -> Problem {
    if problem.line.is_none() { problem.at_line(line) } else { problem }
}

// --- the old format ---

fn read_old(document: &Document<'_>) -> Result<Table, Problem> {
    let parameters = Names::read(document, "parameters")?;
    let callpaths = Names::read(document, "callpaths")?;
    let metrics = Names::read(document, "metrics")?;
    let coordinates = coordinates(document, &parameters)?;

    let mut table = Tidy::new(&parameters.names, &["region".to_owned()]);
    let regions: Vec<u32> = callpaths.names.iter().map(|name| table.label(0, name.clone())).collect();
    let metric_columns: Vec<u32> = metrics.names.iter().map(|name| table.metric(name, None)).collect();
    let mut lines = Lines::new(document.text);
    for raw in document.list("measurements")? {
        let line = lines.of(raw.get());
        let entry: Map<String, Value> = json::parse_at(raw.get(), line)?;
        let mut add = || -> Result<(), Problem> {
            let region = regions[callpaths.index(&entry, "callpath_id")?];
            let metric = metric_columns[metrics.index(&entry, "metric_id")?];
            let at = &coordinates.points[coordinates.index(&entry)?];
            let values = numbers_of(entry.get("value").ok_or_else(|| missing("value"))?, "value")?;
            let cell = table.cell(&[region], at);
            table.add(cell, metric, &values, line);
            Ok(())
        };
        add().map_err(|problem| with_line(problem, line))?;
    }
    table.finish()
}

/// A table of `{id, name}`.
struct Names {
    key: &'static str,
    names: Vec<String>,
    by_id: HashMap<String, usize>,
}

impl Names {
    fn read(document: &Document<'_>, key: &'static str) -> Result<Names, Problem> {
        let mut table = Names { key, names: Vec::new(), by_id: HashMap::new() };
        let mut lines = Lines::new(document.text);
        for raw in document.list(key)? {
            let line = lines.of(raw.get());
            let entry: Map<String, Value> = json::parse_at(raw.get(), line)?;
            let id = id_of(&entry, "id").map_err(|problem| with_line(problem, line))?;
            let name = entry.get("name").and_then(Value::as_str).ok_or_else(|| missing("name").at_line(line))?;
            if table.by_id.insert(id.clone(), table.names.len()).is_some() {
                return Err(duplicate(key, &id).at_line(line));
            }
            table.names.push(name.to_owned());
        }
        Ok(table)
    }

    fn index(&self, entry: &Map<String, Value>, field: &str) -> Result<usize, Problem> {
        let id = id_of(entry, field)?;
        self.by_id.get(&id).copied().ok_or_else(|| unknown(self.key, field, &id))
    }
}

struct Coordinates {
    points: Vec<Vec<f64>>,
    by_id: HashMap<String, usize>,
}

impl Coordinates {
    fn index(&self, entry: &Map<String, Value>) -> Result<usize, Problem> {
        let id = id_of(entry, "coordinate_id")?;
        self.by_id.get(&id).copied().ok_or_else(|| unknown("coordinates", "coordinate_id", &id))
    }
}

fn coordinates(document: &Document<'_>, parameters: &Names) -> Result<Coordinates, Problem> {
    let mut coordinates = Coordinates { points: Vec::new(), by_id: HashMap::new() };
    let mut lines = Lines::new(document.text);
    for raw in document.list("coordinates")? {
        let line = lines.of(raw.get());
        let entry: Map<String, Value> = json::parse_at(raw.get(), line)?;
        let (id, point) = coordinate(&entry, parameters).map_err(|problem| with_line(problem, line))?;
        if coordinates.by_id.insert(id.clone(), coordinates.points.len()).is_some() {
            return Err(duplicate("coordinates", &id).at_line(line));
        }
        coordinates.points.push(point);
    }
    Ok(coordinates)
}

fn coordinate(entry: &Map<String, Value>, parameters: &Names) -> Result<(String, Vec<f64>), Problem> {
    let id = id_of(entry, "id")?;
    let pairs =
        entry.get("parameter_value_pairs").and_then(Value::as_array).ok_or_else(|| missing("parameter_value_pairs"))?;
    let mut point = vec![f64::NAN; parameters.names.len()];
    for pair in pairs {
        let Value::Object(pair) = pair else { return Err(missing("parameter_id")) };
        let index = parameters.index(pair, "parameter_id")?;
        let value = pair.get("parameter_value").ok_or_else(|| missing("parameter_value"))?;
        point[index] = number_of(value, "parameter_value")?;
    }
    match point.iter().position(|value| value.is_nan()) {
        None => Ok((id, point)),
        Some(index) => {
            let message = format!("coordinate {id} has no value of \"{}\"", shorten(&parameters.names[index], 60));
            Err(Problem::new("dimension", message).at("parameter_value_pairs"))
        }
    }
}

/// An id as text, whether it is written as a number or as text.
fn id_of(entry: &Map<String, Value>, field: &str) -> Result<String, Problem> {
    match entry.get(field) {
        Some(Value::String(id)) => Ok(id.clone()),
        Some(Value::Number(id)) => Ok(id.to_string()),
        Some(other) => {
            Err(Problem::new("field", format!("{} is not an id", shorten(&other.to_string(), 60))).at(field))
        }
        None => Err(missing(field)),
    }
}

fn unknown(table: &str, field: &str, id: &str) -> Problem {
    Problem::new("unknown_id", format!("no entry of \"{table}\" has the id {}", shorten(id, 60))).at(field).value(id)
}

fn duplicate(table: &str, id: &str) -> Problem {
    Problem::new("duplicate_id", format!("two entries of \"{table}\" have the id {}", shorten(id, 60)))
        .at("id")
        .value(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    #[test]
    fn ids_are_resolved_whatever_the_order() {
        let text = r#"{"parameters":[{"id":7,"name":"n"},{"id":3,"name":"p"}],
            "callpaths":[{"id":5,"name":"main->f"}], "metrics":[{"id":9,"name":"time"}],
            "coordinates":[{"id":2,"parameter_value_pairs":[{"parameter_id":3,"parameter_value":8},
                {"parameter_id":7,"parameter_value":"500"}]}],
            "measurements":[{"callpath_id":5,"coordinate_id":2,"metric_id":9,"value":1.5},
                {"callpath_id":5,"coordinate_id":2,"metric_id":9,"value":1.25}]}"#;
        let table = read_text(text).expect("a table");
        assert_eq!(table.column("n"), Some(&Column::numbers("n", vec![500.0; 2])));
        assert_eq!(table.column("p"), Some(&Column::numbers("p", vec![8.0; 2])));
        assert_eq!(table.column("time"), Some(&Column::numbers("time", vec![1.5, 1.25])));
        assert_eq!(table.origins.at(1).line, 6);
        let problem =
            read_text(&text.replace("\"coordinate_id\":2,\"metric_id\":9,\"value\":1.25", "\"coordinate_id\":4"))
                .expect_err("an error");
        assert_eq!((problem.code.as_str(), problem.line), ("missing_field", Some(6)));
    }

    #[test]
    fn errors_of_the_new_format_tell_the_line() {
        let text = "{\"parameters\":[\"p\"],\n\"measurements\":{\"main\":{\"time\":[\n{\"point\":[4],\"values\":[1.0]},\n{\"point\":[8,2],\"values\":[1.0]}]}}}";
        let problem = read_text(text).expect_err("an error");
        assert_eq!((problem.code.as_str(), problem.line), ("dimension", Some(4)));
        let problem = read_text(&text.replace("[8,2]", "[8]").replace("[1.0]}]", "[\"3,5\"]}]")).expect_err("an error");
        assert_eq!((problem.line, problem.message.as_str()), (Some(4), "\"3,5\" is not a number"));
    }
}
