//! A problem, as it goes over the wire.

use runcast_commands::kinds::is_remark;
use runcast_core::{Problem, Warning};
use serde::Serialize;

/// What is wrong, where. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Trouble {
    /// The file.
    pub file: Option<String>,
    /// Line in the file.
    pub line: Option<u64>,
    /// Column in the line.
    pub column: Option<u64>,
    /// Line of the end.
    pub end_line: Option<u64>,
    /// Column of the end.
    pub end_column: Option<u64>,
    /// Where in a document (`/argv/3`), or which field.
    pub pointer: Option<String>,
    /// Short stable name.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// The value seen.
    pub value: Option<String>,
    /// What would be allowed.
    pub allowed: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// `error` or `warning`.
    pub severity: String,
}

impl Trouble {
    /// Several.
    pub fn all(problems: &[Problem]) -> Vec<Self> {
        problems.iter().map(Self::from).collect()
    }
}

impl From<&Problem> for Trouble {
    fn from(problem: &Problem) -> Self {
        let problem = problem.clone();
        let severity = if is_remark(&problem.code) { "warning" } else { "error" };
        Trouble {
            file: problem.file,
            line: problem.line,
            column: problem.column,
            end_line: problem.column.and(problem.line),
            end_column: problem.column.map(|column| column + 1),
            pointer: problem.pointer,
            code: problem.code,
            message: problem.message,
            value: problem.value,
            allowed: problem.allowed,
            hint: problem.hint,
            severity: severity.to_owned(),
        }
    }
}

impl From<&Warning> for Trouble {
    fn from(warning: &Warning) -> Self {
        let mut problem = Problem::new(&warning.code, &warning.message);
        (problem.file, problem.line) = (warning.file.clone(), warning.line);
        Trouble { severity: "warning".to_owned(), ..Trouble::from(&problem) }
    }
}
