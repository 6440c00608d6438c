//! Errors as data: one shape for the terminal, `--json` and the server.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An error in an input, and what to do about it.
///
/// Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file, as the user named it; absent for options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Column in the line, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// Where in a document (`/size/N/multiple`), in an option (`--at`), or which column of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Short stable name of the kind of problem, such as `not_a_number`.
    pub code: String,
    /// One sentence without a final full stop.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What is allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    /// A problem of kind `code`, described in one sentence.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Problem { code: code.into(), message: message.into(), ..Problem::default() }
    }

    /// Sets the file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets the line, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets the column in characters, counted from 1.
    #[must_use]
    pub fn at_column(mut self, column: u64) -> Self {
        self.column = Some(column);
        self
    }

    /// Sets the field, option or column.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Sets the value seen, shortened when it is long.
    #[must_use]
    pub fn value(mut self, value: impl Into<String>) -> Self {
        self.value = Some(shorten(&value.into(), 200));
        self
    }

    /// Sets what is allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Suggests the name that was probably meant, if one of `names` is close to what was seen.
    #[must_use]
    pub fn or_near<'n>(self, seen: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        match runcast_formula::nearest(seen, names) {
            Some(near) => self.hint(format!("did you mean {near}?")),
            None => self,
        }
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Lists the allowed words, and asks "did you mean" when `word` is close enough to one of them to be a typo.
    #[must_use]
    pub fn one_of<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str, IntoIter: Clone>) -> Self {
        const SHOWN: usize = 400;
        let known = known.into_iter();
        let listed = known.clone().collect::<Vec<_>>().join(", ");
        let listed = if listed.is_empty() { "none".to_owned() } else { shorten(&listed, SHOWN) };
        self.allowed(listed).or_near(word, known)
    }
}

/// `file:line:column: pointer: message`, then `hint: ...` on a line of its own.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
                if let Some(column) = self.column {
                    write!(f, "{column}:")?;
                }
            }
            f.write_str(" ")?;
        }
        if let Some(pointer) = &self.pointer {
            write!(f, "{pointer}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(allowed) = &self.allowed {
            write!(f, " (allowed: {allowed})")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

/// One problem or several that were found together; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Problems(pub Vec<Problem>);

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Problems(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Something the user should know although there is a result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable name, such as `extrapolation` or `repetition_outlier`.
    pub code: String,
    /// One sentence with the numbers that matter.
    pub message: String,
    /// The file concerned, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line concerned, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

impl Warning {
    /// A warning of kind `code`.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Warning { code: code.into(), message: message.into(), file: None, line: None }
    }

    /// Sets the file and line concerned.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>, line: u64) -> Self {
        self.file = Some(file.into());
        self.line = Some(line);
        self
    }
}

/// The first `most` characters of `text`, with `...` when something was cut.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((cut, _)) => format!("{}...", &text[..cut]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_file_line_field_message_hint() {
        let problem = Problem::new("not_a_number", "\"3,5\" is not a number")
            .in_file("runs.txt")
            .at_line(8)
            .at("DATA")
            .hint("write a decimal point: 3.5");
        assert_eq!(problem.to_string(), "runs.txt:8: DATA: \"3,5\" is not a number\nhint: write a decimal point: 3.5");
    }

    #[test]
    fn shorten_cuts_at_characters_not_bytes() {
        assert_eq!(shorten("αβγδ", 2), "αβ...");
        assert_eq!(shorten("αβ", 2), "αβ");
    }
}
