//! The document of `cll translate`.

use super::paths::Written;
use runcast_call::translate::{Experiment, File, Input};
use runcast_core::{Problem, Warning};
use serde::Serialize;

/// The document of `cll translate`.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    /// What became of each source.
    pub files: Vec<FileEntry>,
    /// Files of the run-time library that were written beside.
    pub runtime: Vec<String>,
    /// What concerns no single source.
    pub warnings: Vec<Warning>,
    /// What is wrong; nothing is written then.
    pub errors: Vec<ErrorEntry>,
}

/// What became of a source.
#[derive(Debug, Clone, Serialize)]
pub struct FileEntry {
    /// The source as the user named it.
    pub input: String,
    /// What was written; empty with an error, and with `--check`.
    pub outputs: Vec<String>,
    /// The kind of parallel program.
    pub parallel: Option<&'static str>,
    /// What it records.
    pub experiments: Vec<Experiment>,
    /// What the user should know.
    pub warnings: Vec<Warning>,
}

/// Something wrong; all fields are always there.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorEntry {
    file: Option<String>,
    line: Option<u64>,
    column: Option<u64>,
    code: String,
    message: String,
    hint: Option<String>,
}

impl Document {
    /// The document, before anything is written.
    pub fn new(inputs: &[Input], files: &[File], problems: &[Problem]) -> Self {
        let entry = |(input, file): (&Input, &File)| FileEntry {
            input: input.name.clone(),
            outputs: Vec::new(),
            parallel: file.parallel,
            experiments: file.experiments.clone(),
            warnings: file.warnings.clone(),
        };
        let error = |problem: &Problem| ErrorEntry {
            file: problem.file.clone(),
            line: problem.line,
            column: problem.column,
            code: problem.code.clone(),
            message: problem.message.clone(),
            hint: problem.hint.clone(),
        };
        Document {
            kind: "cll-translate",
            version: 1,
            files: inputs.iter().zip(files).map(entry).collect(),
            runtime: Vec::new(),
            warnings: Vec::new(),
            errors: problems.iter().map(error).collect(),
        }
    }

    /// Reports what is written.
    pub fn wrote(&mut self, files: &[Written]) {
        for file in files {
            let path = file.path.display().to_string();
            match file.of {
                Some(input) => self.files[input].outputs.push(path),
                None => self.runtime.push(path),
            }
        }
    }
}
