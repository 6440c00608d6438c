//! Traces of annotated programs, as tables with the metadata of their heads.
//!
//! A trace is CSV after lines `# key: JSON`, which describe the run, the clock and, for each experiment, its formula.
//! Every reader of tables takes one; this reader also keeps those lines, and it does not give up on a damaged file:
//!
//! | damage | result |
//! |---|---|
//! | no line `# end:` | all rows, warning `incomplete_trace` |
//! | the last row is cut, lines are garbage, cells are not numbers | the other rows, warning `truncated` with the loss |
//! | fewer rows than `# end:` states | the rows there are, warning `truncated` |
//! | a line `# key:` cannot be read | the rest, warning `damaged_head` |
//! | no header, or no good row | an error |
//!
//! ```
//! use runcast_call::trace;
//!
//! let file = "\
//! ## cll-trace: 1
//! ## experiment: {\"name\":\"F\",\"formula\":\"F[0]+F[1]*n\",\"file\":\"fft.c\",\"line\":42,\"names\":[\"n\"]}
//! ## roles: {\"params\":[\"n\",\"P\"],\"metrics\":[\"time_s\"]}
//! region,rank,thread,visit,level,status,visits,n,P,time_s
//! F,0,0,0,0,ok,1,2048,4,1.25e-05
//! F,0,0,1,0,ok,1,4096,4,2.";
//! let trace = trace::read("fft.cll.1.csv", file.as_bytes())?;
//! assert_eq!(trace.table.rows(), 1);
//! assert_eq!(trace.metadata.experiments["F"].names, ["n"]);
//! let codes: Vec<&str> = trace.table.warnings.iter().map(|warning| warning.code.as_str()).collect();
//! assert_eq!(codes, ["truncated", "incomplete_trace"]);
//! # Ok::<(), runcast_core::Problem>(())
//! ```

mod cells;
mod head;
mod metadata;
mod rows;

pub use metadata::{Clock, Experiment, FileFacts, Metadata, RunFacts, Tally};

use runcast_core::problem::shorten;
use runcast_core::table::{Column, DeclaredRoles};
use runcast_core::{Problem, Table, Warning};
use std::borrow::Cow;

/// The version of the format that is written: rows tell their run. The reader knows all up to it.
pub const VERSION: u64 = 2;

/// A trace, or several merged ones.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// All its rows, including those whose status is not `ok`.
    pub table: Table,
    /// The metadata of its head.
    pub metadata: Metadata,
}

/// Whether a file is a trace, by its first line.
pub fn is_trace(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    text.strip_prefix(b"#").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"cll-trace:"))
}

/// Reads a trace, or the intact part of a damaged one. It may have no rows: a rank that never reached a region.
///
/// # Errors
/// A version that is not known, no header, or no good row where there are bad ones.
pub fn read(name: &str, bytes: &[u8]) -> Result<Trace, Problem> {
    let at_file = |problem: Problem| problem.in_file(name);
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        // Invalid bytes become characters that no valid row has.
        Err(_) => String::from_utf8_lossy(bytes),
    };
    let mut reader = rows::Reader::default();
    reader.read(&text).map_err(at_file)?;
    let rows::Reader { head, columns, lines, lost, header, .. } = reader;
    let Some(header) = header else {
        let problem = Problem::new("empty_table", "the trace has no header and no rows, only its head");
        return Err(at_file(problem.hint("the program ended before it wrote its samples, or the file was truncated")));
    };
    if lines.is_empty()
        && let Some(first) = &lost.first
    {
        let problem = Problem::new("damaged_trace", format!("no row of the trace is valid: {}", first.why));
        return Err(at_file(problem.at_line(first.line).value(shorten(&first.text, 60))));
    }

    let mut warnings: Vec<Warning> = head.warnings;
    warnings.extend(lost.warning(lines.len()));
    match head.end {
        None => warnings.push(Warning::new(
            "incomplete_trace",
            "the trace has no line \"# end:\": the program did not finish, or the file was truncated",
        )),
        Some(end) if lost.lines == 0 && end.rows.is_some_and(|told| told != lines.len() as u64) => {
            let told = end.rows.unwrap_or_default();
            let message = format!("the end of the trace states {told} rows, but there are {}", lines.len());
            warnings.push(Warning::new("truncated", message));
        }
        Some(_) => {}
    }
    for warning in &mut warnings {
        warning.file.get_or_insert_with(|| name.to_owned());
    }
    let columns: Vec<Column> = header.into_iter().zip(columns).map(|(name, data)| Column { name, data }).collect();
    let mut metadata = head.metadata;
    metadata.files = vec![head.file];
    for experiment in metadata.experiments.values_mut() {
        experiment.trace = name.to_owned();
    }
    let roles = Some(head.roles.unwrap_or_else(|| usual_roles(&columns)));
    let table = Table {
        columns,
        origins: lines.into_iter().collect(),
        files: vec![name.to_owned()],
        roles,
        warnings,
        ..Table::default()
    };
    Ok(Trace { table, metadata })
}

/// The roles of columns if the line that declares them is lost: columns that are not in every trace were recorded.
fn usual_roles(columns: &[Column]) -> DeclaredRoles {
    const METRICS: [&str; 4] = ["time_s", "self_s", "raw_s", "cpu_s"];
    const OTHERS: [&str; 11] = [
        "region",
        "run",
        "rank",
        "thread",
        "visit",
        "level",
        "status",
        "visits",
        "time_sd_s",
        "time_min_s",
        "time_max_s",
    ];
    let is_metric = |name: &&str| METRICS.contains(name) || name.starts_with("PAPI_");
    let names = || columns.iter().map(|column| column.name.as_str()).filter(|name| !OTHERS.contains(name));
    DeclaredRoles {
        others: Vec::new(),
        parameters: names().filter(|name| !is_metric(name)).map(str::to_owned).collect(),
        metrics: names().filter(is_metric).map(str::to_owned).collect(),
        units: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
