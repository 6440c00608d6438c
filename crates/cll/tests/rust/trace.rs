//! Traces as they are written, line by line: a reader of its own, so that two have to agree on the format.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of samples.
#[derive(Debug)]
pub struct Trace {
    pub file: PathBuf,
    /// `# key: JSON`, in order.
    pub head: Vec<(String, String)>,
    columns: Vec<String>,
    pub rows: Vec<BTreeMap<String, String>>,
}

impl Trace {
    pub fn read(file: &Path) -> Trace {
        let text = fs::read_to_string(file).expect("a trace");
        let (mut head, mut columns, mut rows) = (Vec::new(), Vec::<String>::new(), Vec::new());
        for line in text.lines() {
            if let Some(comment) = line.strip_prefix("# ") {
                let (key, value) = comment.split_once(": ").expect("key: value");
                head.push((key.to_owned(), value.to_owned()));
            } else if columns.is_empty() {
                columns = line.split(',').map(str::to_owned).collect();
            } else {
                let cells: Vec<&str> = line.split(',').collect();
                assert_eq!(cells.len(), columns.len(), "{line}");
                rows.push(columns.iter().cloned().zip(cells.into_iter().map(str::to_owned)).collect());
            }
        }
        Trace { file: file.to_owned(), head, columns, rows }
    }

    /// Whether the file's name is the number of a run between these.
    pub fn named(&self, before: &str, after: &str) -> bool {
        let name = self.file.file_name().and_then(|name| name.to_str());
        let run = name.and_then(|name| name.strip_prefix(before)?.strip_suffix(after));
        run.is_some_and(|run| run.parse::<u32>().is_ok())
    }

    /// The one line of the head with this key.
    pub fn head(&self, key: &str) -> &str {
        let values: Vec<&String> = self.head.iter().filter(|(found, _)| found == key).map(|(_, value)| value).collect();
        assert_eq!(values.len(), 1, "{key} in {:?}", self.head);
        values[0]
    }

    /// The head's line about an experiment.
    pub fn experiment(&self, name: &str) -> &str {
        let wanted = format!("\"name\":\"{name}\"");
        let found = self.head.iter().find(|(key, value)| key == "experiment" && value.contains(&wanted));
        &found.unwrap_or_else(|| panic!("{name} in {:?}", self.head)).1
    }

    pub fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(String::as_str).collect()
    }

    /// The rows of an experiment.
    pub fn of(&self, region: &str) -> Vec<&BTreeMap<String, String>> {
        self.rows.iter().filter(|row| row["region"] == region).collect()
    }

    /// A column of an experiment, in the order of the file.
    pub fn column(&self, region: &str, column: &str) -> Vec<&str> {
        self.of(region).into_iter().map(|row| row[column].as_str()).collect()
    }

    pub fn numbers(&self, region: &str, column: &str) -> Vec<f64> {
        self.column(region, column).into_iter().map(|cell| cell.parse().expect("a number")).collect()
    }
}
