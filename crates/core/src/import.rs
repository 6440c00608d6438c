//! Formats of other tools, each turned into a table in tidy form.
//!
//! A format is one file beside this one and one line in [`FORMATS`]. Every reader yields the parameters, the label
//! `region`, the repetition number `rep` and one column per metric, and declares the role of each, so that fits work
//! on it directly.

mod cali;
mod caliper;
mod cubex;
mod extrap_json;
mod extrap_jsonl;
mod extrap_text;
mod folded;
mod gbench;
mod hyperfine;
pub(crate) mod json;
mod nvtx;
mod probe;
mod regions;
mod sqlite;
mod talpas;
mod tidy;

pub use probe::Probe;
pub(crate) use tidy::check_size;

use crate::problem::{Problem, Problems};
use crate::table::{ReadOptions, Table, csv, jsonl, parquet};

/// A format of tables.
pub struct Format {
    /// Its name on the command line (`--format`).
    pub name: &'static str,
    /// The tool that writes it, in a few words.
    pub description: &'static str,
    /// Whether a file looks like this format.
    pub recognizes: fn(&Probe<'_>) -> bool,
    /// Reads it: the name of the file, its text, the options.
    pub read: fn(&str, &str, &ReadOptions) -> Result<Table, Problems>,
}

/// A format whose files are no text.
pub(crate) struct Binary {
    /// The name of the format in [`FORMATS`].
    pub name: &'static str,
    /// Whether a file begins like one.
    pub is: fn(&[u8]) -> bool,
    /// Reads it: the name of the file, its bytes, the options.
    pub read: fn(&str, &[u8], &ReadOptions) -> Result<Table, Problems>,
}

static BINARY: [Binary; 2] = [cubex::BINARY, nvtx::BINARY];

/// The format of a file that is no text.
pub(crate) fn binary(bytes: &[u8]) -> Option<&'static Binary> {
    BINARY.iter().find(|format| (format.is)(bytes))
}

/// All formats; the first that recognizes a file reads it.
pub static FORMATS: &[Format] = &[
    extrap_text::FORMAT,
    extrap_json::FORMAT,
    extrap_jsonl::FORMAT,
    talpas::FORMAT,
    hyperfine::FORMAT,
    gbench::FORMAT,
    caliper::FORMAT,
    cali::FORMAT,
    cubex::FORMAT,
    nvtx::FORMAT,
    folded::FORMAT,
    #[cfg(feature = "parquet")]
    parquet::FORMAT,
    Format {
        name: "jsonl",
        description: "a table as JSON Lines, one object per row",
        recognizes: |probe| probe.is_json(),
        read: jsonl::read,
    },
    Format {
        name: "csv",
        description: "a table as CSV with a header",
        recognizes: |probe| !probe.is_json(),
        read: csv::read,
    },
];

/// The format of this name.
///
/// # Errors
/// Lists the known names; says which build has one that this has not.
pub fn format(name: &str) -> Result<&'static Format, Problem> {
    #[cfg(not(feature = "parquet"))]
    if name == parquet::NAME {
        return Err(parquet::not_in_this_build().at("--format").value(name));
    }
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        Problem::new("unknown_format", format!("there is no format \"{name}\""))
            .at("--format")
            .value(name)
            .one_of(name, names)
    })
}

/// The format of a file, by its content.
///
/// # Errors
/// The file is a runcast document that is not a table.
pub fn recognize(probe: &Probe<'_>) -> Result<&'static Format, Problem> {
    if let Some(kind) = probe.document_kind() {
        return Err(Problem::new("not_a_table", format!("this is a document of kind \"{kind}\", not a table of runs"))
            .hint("name the table that it was made from"));
    }
    FORMATS
        .iter()
        .find(|format| (format.recognizes)(probe))
        .ok_or_else(|| Problem::new("unknown_format", "the format of the file is unknown"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_format_is_guessed() {
        let problem = format("extrap-txt").err().expect("an error");
        assert_eq!(problem.hint.as_deref(), Some("did you mean extrap-text?"));
    }
}
