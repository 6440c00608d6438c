//! A run as tables.

use super::record::{Message, Phase, Recording, Update};
use crate::sample::table::cell;
use std::fmt::Write;

/// The header of `phases.csv`: one row per phase and process.
pub const PHASES_HEADER: &str = "run,process,phase,start_s,beta_start_s,end_s,updates,discarded,error\n";
/// The header of `updates.csv`: a row an update; `status` is `ok` or `discarded`.
pub const UPDATES_HEADER: &str = "run,process,phase,subphase,update,start_s,time_s,status\n";
/// The header of `messages.csv`: one row per message that was received; `exact` is 1 where the receiver was looking when it
/// came, 0 where it was found later.
pub const MESSAGES_HEADER: &str = "run,process,peer,phase,start_s,time_s,exact\n";

/// Which run it is, and how processes are called in tables.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// From 1.
    pub run: u64,
    /// Of each process.
    pub processes: &'a [String],
}

/// Rows of `phases.csv`; `error` is the Euclidean norm of the error of the process's own piece, empty where the fixed
/// point is not known.
pub fn phases(recording: &Recording, names: Names<'_>) -> String {
    let mut csv = String::new();
    for (process, rows) in recording.processes.iter().enumerate() {
        for (number, row) in rows.phases.iter().enumerate() {
            let Phase { start, beta_start, end, updates, discarded, error_squared } = *row;
            let error = error_squared.sqrt();
            let error = if error.is_finite() { format!("{error:e}") } else { String::new() };
            let place = Cells { names, process };
            let times = [start, beta_start, end].map(seconds).join(",");
            // Text in memory can always be written.
            let _ = writeln!(csv, "{place},{},{times},{updates},{discarded},{error}", number + 1);
        }
    }
    csv
}

/// Rows of `updates.csv`.
pub fn updates(recording: &Recording, names: Names<'_>) -> String {
    let mut csv = String::new();
    for (process, rows) in recording.processes.iter().enumerate() {
        for row in &rows.updates {
            let Update { phase, number, start, end, is_beta, is_discarded } = *row;
            let subphase = if is_beta { "beta" } else { "alpha" };
            let status = if is_discarded { "discarded" } else { "ok" };
            let place = Cells { names, process };
            let (start_s, time_s) = (seconds(start), seconds(end - start));
            let _ = writeln!(csv, "{place},{phase},{subphase},{number},{start_s},{time_s},{status}");
        }
    }
    csv
}

/// Rows of `messages.csv`: `process` has sent it, `peer` received it, as in the tables of samples.
pub fn messages(recording: &Recording, names: Names<'_>) -> String {
    let mut csv = String::new();
    for (process, rows) in recording.processes.iter().enumerate() {
        for row in &rows.messages {
            let Message { phase, from, sent, arrived, is_exact } = *row;
            let place = Cells { names, process: from };
            let peer = cell(&names.processes[process]);
            let (start_s, time_s) = (seconds(sent), seconds(arrived.saturating_sub(sent)));
            let _ = writeln!(csv, "{place},{peer},{phase},{start_s},{time_s},{}", u8::from(is_exact));
        }
    }
    csv
}

/// What every row begins with.
struct Cells<'a> {
    names: Names<'a>,
    process: usize,
}

impl std::fmt::Display for Cells<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{}", self.names.run, cell(&self.names.processes[self.process]))
    }
}

/// Nanoseconds as seconds, with all their digits.
fn seconds(nanos: u64) -> String {
    format!("{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_keep_their_digits_and_names_their_commas() {
        assert_eq!(seconds(12_000_000_345), "12.000000345");
        assert_eq!(seconds(0), "0.000000000");
        assert_eq!(cell("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
