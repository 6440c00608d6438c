//! The JSON Lines format of Extra-P: one line per measurement, or per measurement with all its repetitions.

use super::json::{self, Lines, Raw, number_of, numbers_of};
use super::tidy::Tidy;
use super::{Format, Probe};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table};
use serde_json::{Map, Value};

pub(super) const FORMAT: Format = Format {
    name: "extrap-jsonl",
    description: "JSON Lines of Extra-P, {\"params\":{..},\"value\":..} per line",
    recognizes,
    read,
};

fn recognizes(probe: &Probe<'_>) -> bool {
    probe.has_key("params") && probe.has_key("value")
}

fn read(file: &str, text: &str, _: &ReadOptions) -> Result<Table, Problems> {
    read_measurements(text, "params").map_err(|problem| problem.in_file(file).into())
}

/// Lines with an object that has the parameters under `key`, a `value`, and optionally `callpath` and `metric`.
pub(super) fn read_measurements(text: &str, key: &str) -> Result<Table, Problem> {
    let mut reader = Reader { key, parameters: Vec::new(), first_line: 0, table: None };
    if text.trim_ascii_start().starts_with('[') {
        let mut lines = Lines::new(text);
        let list: Vec<Raw<'_>> = json::parse(text)?;
        for raw in list {
            reader.take(raw.get(), lines.of(raw.get()))?;
        }
    } else {
        for (index, line) in text.lines().enumerate() {
            if !line.trim_ascii().is_empty() {
                reader.take(line, index as u64 + 1)?;
            }
        }
    }
    match reader.table {
        Some(table) => table.finish(),
        None => Err(Problem::new("empty_table", "the file has no measurements")),
    }
}

struct Reader<'k> {
    key: &'k str,
    parameters: Vec<String>,
    first_line: u64,
    table: Option<Tidy>,
}

impl Reader<'_> {
    fn take(&mut self, text: &str, line: u64) -> Result<(), Problem> {
        let entry: Map<String, Value> = json::parse_at(text, line)?;
        self.add(&entry, line).map_err(|problem| if problem.line.is_none() { problem.at_line(line) } else { problem })
    }

    fn add(&mut self, entry: &Map<String, Value>, line: u64) -> Result<(), Problem> {
        let at = self.point(entry, line)?;
        let values = match entry.get("value") {
            Some(value) => numbers_of(value, "value")?,
            None => return Err(Problem::new("missing_field", "the field \"value\" is missing").at("value")),
        };
        let region = text_of(entry, "callpath")?;
        let metric = text_of(entry, "metric")?;
        let table = self.table.get_or_insert_with(|| Tidy::new(&self.parameters, &["region".to_owned()]));
        let region = table.label(0, region);
        let metric = table.metric(metric, None);
        let cell = table.cell(&[region], &at);
        table.add(cell, metric, &values, line);
        Ok(())
    }

    /// The values of the parameters, in the order of the first line.
    fn point(&mut self, entry: &Map<String, Value>, line: u64) -> Result<Vec<f64>, Problem> {
        let Some(Value::Object(params)) = entry.get(self.key) else {
            let message = format!("the field \"{}\" with the parameters is missing", self.key);
            return Err(Problem::new("missing_field", message).at(self.key).allowed("{\"p\":8}"));
        };
        if self.table.is_none() && self.parameters.is_empty() {
            self.parameters = params.keys().cloned().collect();
            self.first_line = line;
        }
        if params.is_empty() {
            return Err(Problem::new("missing_name", "no parameter is named").at(self.key));
        }
        let same =
            params.len() == self.parameters.len() && self.parameters.iter().all(|name| params.contains_key(name));
        if !same {
            let found: Vec<&str> = params.keys().map(String::as_str).collect();
            let message = format!(
                "the parameters are {}, and {} in line {}",
                shorten(&found.join(", "), 100),
                shorten(&self.parameters.join(", "), 100),
                self.first_line
            );
            return Err(Problem::new("dimension", message).at(self.key).hint("name the same parameters in every line"));
        }
        self.parameters.iter().map(|name| number_of(&params[name.as_str()], name)).collect()
    }
}

fn text_of<'v>(entry: &'v Map<String, Value>, field: &str) -> Result<&'v str, Problem> {
    match entry.get(field) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(other) => {
            let seen = shorten(&other.to_string(), 60);
            Err(Problem::new("field", format!("{seen} is not a name")).at(field).value(seen))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    #[test]
    fn a_value_may_be_a_list() {
        let text = "{\"params\":{\"x\":1,\"y\":2},\"value\":3.5}\n\n{\"params\":{\"y\":2,\"x\":2},\"value\":[4,5]}\n";
        let table = read_measurements(text, "params").expect("a table");
        assert_eq!(table.column("x"), Some(&Column::numbers("x", vec![1.0, 2.0, 2.0])));
        assert_eq!(table.column("value"), Some(&Column::numbers("value", vec![3.5, 4.0, 5.0])));
        assert_eq!(table.origins.at(2).line, 3);
    }

    #[test]
    fn every_line_has_the_same_parameters() {
        let text = "{\"params\":{\"x\":1},\"value\":3.5}\n{\"params\":{\"x\":1,\"z\":2},\"value\":3.5}\n";
        let problem = read_measurements(text, "params").expect_err("an error");
        assert_eq!((problem.code.as_str(), problem.line), ("dimension", Some(2)));
    }
}
