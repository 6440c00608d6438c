//! The table of a sweep: rows are appended as they come, and put in order at the end.

use crate::context::Context;
use crate::failure::Failure;
use crate::sim::run::document::metrics;
use runcast_core::prediction::{self, Verdict};
use runcast_core::table::{ReadOptions, number};
use runcast_core::{Problem, Table};
use runcast_sim::experiment::Value;
use runcast_sim::sweep::{Axis, Point, Row};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Metrics of every sweep, and those of `--speedup`.
const METRICS: [&str; 5] = ["time_s", "energy_j", "expected_time_s", "failure_probability", "cost"];
pub(super) const SPEEDUP: [&str; 2] = ["speedup", "efficiency"];
/// Columns behind those of every table of predictions.
const TAIL: [&str; 3] = ["rep", "status", "key"];

/// Rows by key, on disk as they come.
pub(super) struct SweepTable {
    pub header: Vec<String>,
    /// Names of the axes, as they stand in the header.
    axes: Vec<String>,
    /// Cells by column, without the key.
    rows: HashMap<String, Vec<String>>,
    /// Keys in the order in which they were there or came.
    order: Vec<String>,
    file: Option<(PathBuf, File)>,
}

/// The columns of a sweep: those of a table of predictions, texts that vary as labels, numbers as parameters.
pub(super) fn header(axes: &[Axis], with_speedup: bool) -> Vec<String> {
    let is_number = |axis: &&Axis| axis.values.iter().all(|value| matches!(value, Value::Number(_)));
    let (parameters, labels): (Vec<&Axis>, Vec<&Axis>) = axes.iter().partition(is_number);
    let names = |axes: &[&Axis]| axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>();
    let speedup = SPEEDUP.iter().take(if with_speedup { SPEEDUP.len() } else { 0 });
    let metrics: Vec<&str> = METRICS.iter().chain(speedup).copied().collect();
    let mut header = prediction::header(&names(&labels), &names(&parameters), &metrics);
    header.extend(TAIL.map(str::to_owned));
    header
}

/// Cells of a row, in the order of the header.
pub(super) fn cells(header: &[String], fidelity: &str, axes: &[Axis], point: &Point, row: &Row) -> Vec<String> {
    let values =
        axes.iter().zip(&point.values).map(|(axis, value)| (prediction::column(&axis.name), value.to_string()));
    let mut cells: HashMap<String, String> = values.collect();
    let mut set = |name: &str, cell: String| cells.insert(name.to_owned(), cell);
    set("method", "sim".to_owned());
    set("rep", (point.repetition + 1).to_string());
    set("key", row.key.clone());
    match &row.result {
        Ok(result) => {
            set("model", result.fidelity.to_owned());
            for (name, value) in metrics(result) {
                set(name, value.map(number::to_text).unwrap_or_default());
            }
            set("verdict", Verdict::Ok.name().to_owned());
            set("status", "ok".to_owned());
        }
        Err(problem) => {
            set("model", fidelity.to_owned());
            set("verdict", Verdict::Refused.name().to_owned());
            set("status", format!("failed: {}", problem.message.replace(['\n', '\r'], " ")));
        }
    }
    header.iter().map(|name| cells.remove(name).unwrap_or_default()).collect()
}

/// Whether the cells of a row say that it could not be simulated.
pub(crate) fn is_failed(cells: &[String]) -> bool {
    cells.iter().rev().nth(1).is_some_and(|status| status != "ok")
}

impl SweepTable {
    pub fn new(axes: &[Axis], with_speedup: bool) -> Self {
        let (header, names) = (header(axes, with_speedup), axes.iter().map(|axis| prediction::column(&axis.name)));
        SweepTable { header, axes: names.collect(), rows: HashMap::new(), order: Vec::new(), file: None }
    }

    /// Takes over the rows of a file that is there, and gets ready to append.
    pub fn open(&mut self, path: &Path, context: &mut Context) -> Result<(), Failure> {
        if path.exists() {
            let bytes = context.read(path)?;
            self.take_over(path, &bytes)?;
        }
        // Rewritten at once: what a killed run left half written is gone, and what follows is appended to whole lines.
        let bytes = self.bytes(&self.order.clone());
        write_whole(path, &bytes)?;
        let file = OpenOptions::new().append(true).open(path).map_err(|error| Failure::writing(path, &error))?;
        self.file = Some((path.to_owned(), file));
        Ok(())
    }

    fn take_over(&mut self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let name = path.display().to_string();
        // A last line without an end was cut off by a kill.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole == 0 {
            return Ok(());
        }
        let with_bounds = SPEEDUP.map(|name| ["low", "high"].map(|word| prediction::bound_name(name, word)));
        let speedups =
            |column: &&str| SPEEDUP.contains(column) || with_bounds.iter().flatten().any(|bound| bound == column);
        let own: Vec<&str> = self.header.iter().map(String::as_str).filter(|column| !speedups(column)).collect();
        // Killed before the first row: a header alone is no table to a reader.
        let header = String::from_utf8_lossy(&bytes[..whole]);
        if header.lines().count() == 1
            && header.trim_end().split(',').filter(|column| !speedups(column)).eq(own.iter().copied())
        {
            return Ok(());
        }
        let table = Table::read(&name, &bytes[..whole], &ReadOptions::default())?;
        let there: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let there: Vec<&str> = there.into_iter().filter(|column| !speedups(column)).collect();
        if own != there {
            return Err(Problem::new("another_table", "the table is of another sweep")
                .in_file(name)
                .value(there.join(","))
                .allowed(own.join(","))
                .hint("another file: -o FILE")
                .into());
        }
        // What failed may succeed now, when a file was mended or a limit raised: such rows have another key then.
        let row = |row: usize| -> (String, Vec<String>) {
            let cell = |column: &str| table.column(column).map(|column| column.cell(row)).unwrap_or_default();
            let own =
                self.header.iter().map(|column| if speedups(&column.as_str()) { String::new() } else { cell(column) });
            (cell("key"), own.collect())
        };
        let rows: Vec<(String, Vec<String>)> = (0..table.rows()).map(row).collect();
        for (key, cells) in rows {
            self.keep(key, cells);
        }
        Ok(())
    }

    pub fn has(&self, key: &str) -> bool {
        self.rows.contains_key(key)
    }

    /// A row that was simulated: on disk before the next.
    pub fn add(&mut self, key: String, cells: Vec<String>) -> Result<(), Failure> {
        self.keep(key.clone(), cells);
        let line = self.file.is_some().then(|| self.lines(std::slice::from_ref(&key)));
        if let (Some((path, file)), Some(line)) = (&mut self.file, line) {
            file.write_all(&line).map_err(|error| Failure::writing(path, &error))?;
        }
        Ok(())
    }

    fn keep(&mut self, key: String, cells: Vec<String>) {
        if self.rows.insert(key.clone(), cells).is_none() {
            self.order.push(key);
        }
    }

    pub fn row(&self, key: &str) -> Option<&Vec<String>> {
        self.rows.get(key)
    }

    pub fn cell(&self, key: &str, column: &str) -> &str {
        let at = self.header.iter().position(|name| name == column);
        at.and_then(|at| self.rows.get(key)?.get(at)).map_or("", String::as_str)
    }

    pub fn set(&mut self, key: &str, column: &str, value: String) {
        let at = self.header.iter().position(|name| name == column);
        if let Some(cell) = at.and_then(|at| self.rows.get_mut(key)?.get_mut(at)) {
            *cell = value;
        }
    }

    /// Why the first row that failed did.
    pub fn first_failure(&self, keys: &[String]) -> Option<String> {
        let failed = |key: &&String| self.cell(key, "status").starts_with("failed");
        let key = keys.iter().find(failed)?;
        let at: Vec<String> = self.axes.iter().map(|name| format!("{name}={}", self.cell(key, name))).collect();
        Some(format!("{}: {}", at.join(", "), self.cell(key, "status").trim_start_matches("failed: ")))
    }

    /// All rows in the order of the sweep, those of other sweeps behind them; also onto disk.
    pub fn finish(&mut self, keys: &[String]) -> Result<Vec<u8>, Failure> {
        let own: std::collections::HashSet<&String> = keys.iter().collect();
        let mut order: Vec<String> = keys.iter().filter(|key| self.rows.contains_key(*key)).cloned().collect();
        order.extend(self.order.iter().filter(|key| !own.contains(key)).cloned());
        let bytes = self.bytes(&order);
        if let Some((path, _)) = self.file.take() {
            write_whole(&path, &bytes)?;
        }
        Ok(bytes)
    }

    fn bytes(&self, keys: &[String]) -> Vec<u8> {
        let mut bytes = csv(std::slice::from_ref(&self.header));
        bytes.extend(self.lines(keys));
        bytes
    }

    fn lines(&self, keys: &[String]) -> Vec<u8> {
        let rows: Vec<Vec<String>> = keys.iter().filter_map(|key| self.rows.get(key).cloned()).collect();
        csv(&rows)
    }
}

/// Lines of CSV; what is null is an empty cell.
fn csv(rows: &[Vec<String>]) -> Vec<u8> {
    let field = |cell: &String| match cell.contains([',', '"', '\n', '\r', '#', ' ', ';', '\t']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",") + "\n";
    rows.iter().map(line).collect::<String>().into_bytes()
}

/// Writes beside, then puts it in place: at any moment the file is the old one or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let beside = path.with_extension("partial");
    let written = std::fs::write(&beside, bytes).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| Failure::writing(path, &error))
}
