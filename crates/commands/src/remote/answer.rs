//! What comes of a job: what the shell would have written, byte for byte.

use super::admit::Admitted;
use super::path::normalized;
use crate::document::Document;
use crate::failure::Failure;
use crate::output::{Content, Destination, Output};
use runcast_core::{Problem, Warning};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What comes of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The exit code that the shell would see.
    pub exit: u8,
    /// The document, as `--json` prints it.
    pub document: Option<Vec<u8>>,
    /// What stands on the standard output without `--json`.
    pub human: Vec<u8>,
    /// The table, as `-o` writes it; none for commands without one.
    pub table: Option<Vec<u8>>,
    /// The timeline, as `--timeline` writes it.
    pub timeline: Option<Vec<u8>>,
    /// Files, by their path below the folder that the command is run in.
    pub files: Vec<(String, Vec<u8>)>,
    /// Notes on the standard error.
    pub notes: Vec<String>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

/// Commands whose `-o` writes no table.
const NO_TABLES: [&str; 3] = ["sim calibrate", "sim system convert", "sim hardware add"];

impl Answer {
    /// What comes of a command.
    pub fn of(result: Result<Output, Failure>, admitted: &Admitted) -> Answer {
        match result.and_then(|output| Answer::done(output, admitted)) {
            Ok(answer) => answer,
            Err(failure) => Answer::failed(failure),
        }
    }

    /// What comes of a command that gave nothing.
    pub fn failed(failure: Failure) -> Answer {
        let error = json!({"kind": "error", "version": 1, "problems": failure.problems});
        Answer {
            exit: failure.exit,
            document: Document::new(error).pretty().ok(),
            problems: failure.problems.0,
            ..Answer::default()
        }
    }

    /// With files that were written on the way.
    #[must_use]
    pub(super) fn with_written(mut self, written: Vec<(PathBuf, Vec<u8>)>) -> Answer {
        for (path, bytes) in written {
            match normalized(&path).filter(|name| !name.is_empty()) {
                Some(name) => self.files.push((name, bytes)),
                None => return Answer::failed(outside(&path)),
            }
        }
        self
    }

    fn done(output: Output, admitted: &Admitted) -> Result<Answer, Failure> {
        let document = output.document.as_ref().map(Document::pretty).transpose()?;
        let (mut files, mut on_stdout) = (Vec::new(), None);
        for file in output.files {
            let bytes = match file.content {
                Content::Bytes(bytes) => bytes,
                Content::Table(table) => table.to_bytes(),
                Content::Document => document.clone().unwrap_or_default(),
            };
            match file.to {
                Destination::Stdout => on_stdout = Some(bytes),
                Destination::Path(path) => {
                    let name = normalized(&path).filter(|name| !name.is_empty());
                    let Some(name) = name else { return Err(outside(&path)) };
                    files.push((name, bytes));
                }
            }
        }
        let of_name = |name: &str| files.iter().find(|(file, _)| file == name).map(|(_, bytes)| bytes.clone());
        let timeline = admitted.timeline.as_deref().filter(|name| name.ends_with(".json")).and_then(of_name);
        let main = output.main.filter(|_| !NO_TABLES.contains(&admitted.name));
        let is_table = |(name, _): &&(String, Vec<u8>)| name.ends_with(".csv");
        let table = main.or_else(|| files.iter().find(is_table).map(|(_, bytes)| bytes.clone()));
        Ok(Answer {
            exit: output.exit,
            human: on_stdout
                .or_else(|| output.table.map(|table| table.to_bytes()))
                .unwrap_or_else(|| output.human.into_bytes()),
            table: table.filter(|table| !is_json(table)),
            timeline,
            document,
            files,
            notes: output.notes,
            warnings: output.warnings,
            problems: output.problems,
        })
    }
}

fn outside(path: &Path) -> Failure {
    Problem::new("path", "a job writes below its own folder only").in_file(path.display().to_string()).into()
}

fn is_json(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}
