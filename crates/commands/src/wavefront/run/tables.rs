//! The tables of `-o`, written run by run: what was measured is on the disk before the next run starts.

use crate::failure::Failure;
use runcast_core::table::number::to_text;
use runcast_wavefront::run::{self, Names, Recording};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The header of `runs.csv`, a table that `evaluate` joins to predictions.
const RUNS_HEADER: &str = "processes,phases,rep,time_s,status\n";

/// The tables of some runs.
pub struct Tables {
    phases: Table,
    updates: Table,
    messages: Table,
    runs: Table,
}

struct Table {
    path: PathBuf,
    file: File,
}

impl Tables {
    /// New tables in a folder, which is made where it is missing.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn create(folder: &Path) -> Result<Tables, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
        let table = |name: &str, header: &str| Table::create(folder.join(name), header);
        Ok(Tables {
            phases: table("phases.csv", run::PHASES_HEADER)?,
            updates: table("updates.csv", run::UPDATES_HEADER)?,
            messages: table("messages.csv", run::MESSAGES_HEADER)?,
            runs: table("runs.csv", RUNS_HEADER)?,
        })
    }

    /// Adds a run.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, recording: &Recording, names: Names<'_>) -> Result<(), Failure> {
        self.phases.write(&run::phases(recording, names))?;
        self.updates.write(&run::updates(recording, names))?;
        self.messages.write(&run::messages(recording, names))?;
        let reference = &recording.processes[0].phases;
        if let (Some(first), Some(last)) = (reference.first(), reference.last()) {
            let time_s = to_text((last.end - first.start) as f64 / 1e9);
            let status = if recording.is_interrupted { "interrupted" } else { "ok" };
            let (processes, phases) = (names.processes.len(), reference.len());
            self.runs.write(&format!("{processes},{phases},{},{time_s},{status}\n", names.run))?;
        }
        Ok(())
    }

    /// What was written.
    pub fn files(&self) -> Vec<String> {
        [&self.phases, &self.updates, &self.messages, &self.runs].map(|table| table.path.display().to_string()).into()
    }
}

impl Table {
    fn create(path: PathBuf, header: &str) -> Result<Table, Failure> {
        let file = File::create(&path).map_err(|error| Failure::writing(&path, &error))?;
        let mut table = Table { path, file };
        table.write(header)?;
        Ok(table)
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.file.write_all(text.as_bytes()).map_err(|error| Failure::writing(&self.path, &error))
    }
}
