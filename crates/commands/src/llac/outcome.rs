//! The result of a command.

use crate::failure::Failure;
use runcast_core::{Prediction, Problem, Warning};
use serde::Serialize;
use serde_json::{Map, Value};

/// What comes of a command.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The fields of `result`.
    pub result: Value,
    /// The result for people, with all its line ends.
    pub human: String,
    /// What people may want to know beside it.
    pub notes: Vec<String>,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    /// What was predicted.
    pub predictions: Vec<Prediction>,
    /// The session is to end.
    pub quits: bool,
}

/// A command that was run, as it stands in the document.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The word that the command begins with; empty for what is none.
    pub command: String,
    /// The command as it stands in the script.
    pub text: String,
    /// The line of the script.
    pub line: u64,
    /// Whether it was done.
    pub ok: bool,
    /// Its result; an empty object where there is none.
    pub result: Value,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    /// Why it was not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// All reasons, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

impl Outcome {
    /// An outcome with these fields.
    ///
    /// # Errors
    /// They cannot be JSON, which is a bug of runcast.
    pub fn of(result: &impl Serialize) -> Result<Self, Failure> {
        Ok(Outcome { result: crate::document::value_of(result)?, ..Outcome::default() })
    }

    /// With a result for people.
    #[must_use]
    pub fn human(mut self, text: impl Into<String>) -> Self {
        self.human = text.into();
        self
    }

    /// With warnings.
    #[must_use]
    pub fn warned(mut self, warnings: impl IntoIterator<Item = Warning>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    /// With a note.
    #[must_use]
    pub fn noted(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

impl Entry {
    /// A command that was done.
    pub fn done(command: &str, text: &str, line: u64, outcome: &Outcome) -> Entry {
        let result = if outcome.result.is_null() { Value::Object(Map::new()) } else { outcome.result.clone() };
        let warnings = outcome.warnings.clone();
        let (command, text) = (command.to_owned(), text.to_owned());
        Entry { command, text, line, ok: true, result, warnings, problem: None, problems: Vec::new() }
    }

    /// A command that was not done.
    pub fn failed(command: &str, text: &str, line: u64, failure: &Failure, result: Value) -> Entry {
        let problems = &failure.problems.0;
        Entry {
            command: command.to_owned(),
            text: text.to_owned(),
            line,
            ok: false,
            result: if result.is_null() { Value::Object(Map::new()) } else { result },
            warnings: Vec::new(),
            problem: problems.first().cloned(),
            problems: if problems.len() > 1 { problems.clone() } else { Vec::new() },
        }
    }
}
