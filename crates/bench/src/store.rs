//! The table of runs and its journal, kept together.

use crate::error::BenchError;
use crate::journal::{self, Array, Entry, Journal, Record, Session};
use crate::roles;
use indexmap::IndexMap;
use runcast_core::Warning;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The columns that every table has beside parameters and figures.
pub(crate) const OWN_COLUMNS: [&str; 6] = ["rep", "time_s", "cpu_s", "peak_bytes", "status", "key"];

/// All runs so far.
#[derive(Debug)]
pub(crate) struct Store {
    table: PathBuf,
    /// Open for appending once the table is as the journal says.
    table_file: Option<File>,
    journal: Journal,
    /// The comments before the header: those of the file, once it is there.
    head: String,
    parameters: Vec<String>,
    figures: Vec<String>,
    records: IndexMap<String, Record>,
    arrays: IndexMap<String, OpenArray>,
    machines: Vec<Option<String>>,
    /// What was noticed on opening.
    pub warnings: Vec<Warning>,
}

/// An array from which results are still expected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OpenArray {
    pub array: Array,
    /// The number that Slurm gave it, if it was noted.
    pub job: Option<String>,
    /// Keys of the runs whose end was noted since.
    pub noted: HashSet<String>,
}

pub fn journal_path(table: &Path) -> PathBuf {
    beside(table, ".bench.jsonl")
}

/// A file named after the table.
pub(crate) fn beside(table: &Path, ending: &str) -> PathBuf {
    let mut name = table.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    table.with_file_name(name)
}

impl Store {
    /// Opens the table of this session, or begins it.
    pub(crate) fn open(table: &Path, session: &Session, restart: bool) -> Result<Store, BenchError> {
        let path = journal_path(table);
        let (mut journal, mut entries, torn) = match Journal::open(&path, table) {
            Err(BenchError::DamagedJournal { .. }) if restart => {
                // Nothing of it is used, so its damage does not matter.
                rename_to_backup(&path)?;
                Journal::open(&path, table)?
            }
            opened => opened?,
        };
        let mut warnings = Vec::new();
        if torn {
            warnings
                .push(Warning::new("torn_line", format!("{}: the last line was torn and was cut off", path.display())));
        }
        if restart {
            back_up(&path, !entries.is_empty())?;
            journal.clear()?;
            entries.clear();
            if table.exists() {
                rename_to_backup(table)?;
            }
        }
        let figures = session.command.figures.iter().map(|figure| figure.name.clone()).collect();
        let first = entries.iter().find_map(|entry| match entry {
            Entry::Session(session) => Some(session.as_ref()),
            _ => None,
        });
        match first {
            Some(first) => check_same(first, session, &path, &mut warnings)?,
            None if fs::metadata(table).is_ok_and(|data| data.len() > 0) => {
                return Err(BenchError::ForeignTable { table: table.to_owned() });
            }
            None => {}
        }
        let machines = vec![session.machine.host.clone()];
        let mut store = Store {
            table: table.to_owned(),
            table_file: None,
            journal,
            head: roles::line(session),
            parameters: session.parameters.clone(),
            figures,
            records: IndexMap::new(),
            arrays: IndexMap::new(),
            machines,
            warnings,
        };
        entries.into_iter().for_each(|entry| store.take_in(entry));
        store.mend_table()?;
        store.journal.append(&Entry::Session(Box::new(session.clone())))?;
        Ok(store)
    }

    /// The latest record of a run.
    pub(crate) fn record_of(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// All runs, each with its latest record.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> + Clone {
        self.records.values()
    }

    /// Arrays from which results are still expected.
    pub(crate) fn open_arrays(&self) -> Vec<OpenArray> {
        self.arrays.values().cloned().collect()
    }

    /// Notes a run; it is on disk when this returns.
    pub(crate) fn record(&mut self, record: Record) -> Result<(), BenchError> {
        let replaces = self.records.contains_key(&record.run.key);
        let row = self.row(&record);
        let entry = Entry::Run(Box::new(record));
        self.journal.append(&entry)?;
        self.take_in(entry);
        if replaces {
            return self.rewrite_table();
        }
        let Some(file) = &mut self.table_file else { return self.rewrite_table() };
        file.write_all(row.as_bytes()).and_then(|()| file.sync_data()).map_err(BenchError::io("write", &self.table))
    }

    /// Notes something about arrays or machines.
    pub(crate) fn note(&mut self, entry: Entry) -> Result<(), BenchError> {
        if let Entry::Machine(machine) = &entry
            && self.machines.contains(&machine.host)
        {
            return Ok(());
        }
        self.journal.append(&entry)?;
        self.take_in(entry);
        Ok(())
    }

    fn take_in(&mut self, entry: Entry) {
        match entry {
            Entry::Session(_) => {}
            Entry::Run(record) => {
                for open in self.arrays.values_mut() {
                    open.noted.insert(record.run.key.clone());
                }
                self.records.insert(record.run.key.clone(), *record);
            }
            Entry::Array(array) => {
                self.arrays.insert(array.name.clone(), OpenArray { array, job: None, noted: HashSet::new() });
            }
            Entry::Submitted { name, job } => {
                if let Some(array) = self.arrays.get_mut(&name) {
                    array.job = Some(job);
                }
            }
            Entry::Closed { name } => {
                self.arrays.shift_remove(&name);
            }
            Entry::Machine(machine) => self.machines.push(machine.host),
        }
    }

    /// Makes the table again unless it is what the journal says.
    fn mend_table(&mut self) -> Result<(), BenchError> {
        let found = match fs::read(&self.table) {
            Ok(found) => found,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(BenchError::io("read", &self.table)(error)),
        };
        // Roles that someone changed, or a table from before they were written, stay as they are.
        if found.contains(&b'\n') {
            self.head = roles::head_of(&found);
        }
        let expected = self.content();
        if found != expected.as_bytes() {
            // A table that stops early was interrupted; any other difference is a user's work, and is kept.
            let whole = found.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
            if !expected.as_bytes().starts_with(found.get(..whole).unwrap_or_default()) {
                let backup = back_up(&self.table, true)?;
                self.warnings.push(Warning::new(
                    "table_changed",
                    format!(
                        "{} differed from the journal: it was rebuilt, the changed one is kept as {}",
                        self.table.display(),
                        backup.display()
                    ),
                ));
            }
            return self.rewrite_table();
        }
        self.open_table()
    }

    fn rewrite_table(&mut self) -> Result<(), BenchError> {
        journal::write_whole(&self.table, self.content().as_bytes())?;
        self.open_table()
    }

    fn open_table(&mut self) -> Result<(), BenchError> {
        let file = OpenOptions::new().append(true).open(&self.table).map_err(BenchError::io("open", &self.table))?;
        self.table_file = Some(file);
        Ok(())
    }

    fn content(&self) -> String {
        let [rep, time, cpu, peak, status, key] = OWN_COLUMNS.map(str::to_owned);
        let names = self.parameters.iter().cloned().chain([rep, time, cpu, peak]);
        let names = names.chain(self.figures.iter().cloned()).chain([status, key]);
        let mut content = self.head.clone();
        content.push_str(&line(names));
        content.extend(self.records.values().map(|record| self.row(record)));
        content
    }

    fn row(&self, record: &Record) -> String {
        let number =
            |value: Option<f64>| value.filter(|value| value.is_finite()).map_or_else(String::new, |v| v.to_string());
        let parameters = self.parameters.iter().map(|name| number(record.run.at.get(name)));
        let own = [
            record.run.rep.to_string(),
            number(record.measured.time_s),
            number(record.measured.cpu_s),
            record.measured.peak_bytes.map_or_else(String::new, |bytes| bytes.to_string()),
        ];
        let figures = self.figures.iter().map(|name| number(record.measured.figures.get(name).copied()));
        let end = [record.measured.status.clone(), record.run.key.clone()];
        line(parameters.chain(own).chain(figures).chain(end))
    }
}

/// A line of CSV.
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| {
        if cell.contains([',', '"', '\n', '\r']) || cell.starts_with('#') {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    };
    let mut line = cells.map(quoted).collect::<Vec<_>>().join(",");
    line.push('\n');
    line
}

/// Copies a file to `NAME.bak` if there is something in it.
fn back_up(path: &Path, content: bool) -> Result<PathBuf, BenchError> {
    let backup = beside(path, ".bak");
    if content {
        fs::copy(path, &backup).map_err(BenchError::io("copy", path))?;
    }
    Ok(backup)
}

fn rename_to_backup(path: &Path) -> Result<(), BenchError> {
    fs::rename(path, beside(path, ".bak")).map_err(BenchError::io("rename", path))
}

/// Refuses to mix runs of different commands; warns if the machine is a different one.
fn check_same(first: &Session, now: &Session, path: &Path, warnings: &mut Vec<Warning>) -> Result<(), BenchError> {
    let (then_command, now_command) = (serde_json::to_value(&first.command), serde_json::to_value(&now.command));
    let differs = |name: &str, then: String, now: String| BenchError::OtherCommand {
        journal: path.to_owned(),
        difference: format!("{name} was {then}, now it is {now}"),
    };
    if first.version != now.version {
        return Err(differs("the version of the journal", first.version.to_string(), now.version.to_string()));
    }
    if first.parameters != now.parameters {
        return Err(differs("the list of parameters", first.parameters.join(","), now.parameters.join(",")));
    }
    if let (Ok(then), Ok(now)) = (then_command, now_command) {
        for (name, text) in [
            ("argv", "the command"),
            ("env", "the environment"),
            ("workdir", "the folder"),
            ("stdin", "the input"),
            ("launcher", "the launcher"),
            ("figures", "the list of figures"),
            ("seed", "the seed"),
        ] {
            if then.get(name) != now.get(name) {
                let show =
                    |value: &serde_json::Value| value.get(name).map_or_else(|| "not set".to_owned(), |v| v.to_string());
                return Err(differs(text, show(&then), show(&now)));
            }
        }
    }
    if (&first.machine.host, &first.machine.cpu) != (&now.machine.host, &now.machine.cpu) {
        let name = |machine: &crate::Machine| {
            [&machine.host, &machine.cpu].map(|part| part.as_deref().unwrap_or("unknown")).join(", ")
        };
        warnings.push(Warning::new(
            "other_machine",
            format!(
                "begun on {}, resumed on {}: the runs may not be comparable",
                name(&first.machine),
                name(&now.machine)
            ),
        ));
    }
    Ok(())
}
