//! Where samples come from.

use super::SampleArgs;
use super::operator::Loaded;
use runcast_wavefront::sample::clock::Clock;
use runcast_wavefront::sample::measured::{Measured, name};
use serde::Serialize;

/// Where samples come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Origin {
    /// `measured`, or `table`.
    pub source: &'static str,
    /// The table that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// `done`, or `interrupted`.
    pub status: &'static str,
    #[serde(flatten)]
    pub measuring: Option<Measuring>,
}

/// How they were measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Measuring {
    pub backend: &'static str,
    /// The MPI library, under MPI.
    pub mpi: Option<String>,
    pub operator: Option<String>,
    /// Rows of each process.
    pub pieces: Option<Vec<usize>>,
    /// Busy work of an update.
    pub work_s: Option<f64>,
    /// `busy` or `loop`.
    #[serde(rename = "as")]
    pub how: &'static str,
    pub updates: usize,
    pub messages: usize,
    pub size_bytes: usize,
    /// What the others did while two exchanged messages.
    pub others: &'static str,
    /// Clocks against that of the first process.
    pub clocks: Vec<ClockEntry>,
    /// Messages that came before they were sent, as far as the clocks can tell: they count as 0 s.
    pub negative: usize,
}

/// The clock of a process against that of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ClockEntry {
    pub process: String,
    pub host: String,
    /// At the beginning.
    pub offset_s: f64,
    /// At the end.
    pub offset_end_s: f64,
    /// Seconds that it gains in a second.
    pub drift: f64,
    /// Offsets are within this of the truth.
    pub half_width_s: f64,
}

impl Origin {
    /// Of a table.
    pub fn table(name: String) -> Origin {
        Origin { source: "table", table: Some(name), status: "done", measuring: None }
    }

    /// Of a measurement.
    pub fn measured(args: &SampleArgs, measured: &Measured, operator: Option<&Loaded>, mpi: Option<String>) -> Origin {
        let measuring = Measuring {
            backend: args.backend().name(),
            mpi,
            operator: args.operator.as_ref().map(|operator| operator.display().to_string()),
            pieces: operator.map(Loaded::pieces),
            work_s: args.work_s(),
            how: args.how().name(),
            updates: args.updates,
            messages: args.messages(),
            size_bytes: args.bytes,
            others: args.others.unwrap_or_default().name(),
            clocks: clocks(measured),
            negative: measured.negative,
        };
        let status = if measured.is_interrupted { "interrupted" } else { "done" };
        Origin { source: "measured", table: None, status, measuring: Some(measuring) }
    }

    pub fn is_interrupted(&self) -> bool {
        self.status == "interrupted"
    }
}

fn clocks(measured: &Measured) -> Vec<ClockEntry> {
    let entry = |(process, (clock, host)): (usize, (&Clock, &String))| ClockEntry {
        process: name(process),
        host: host.clone(),
        offset_s: clock.begin.offset_s,
        offset_end_s: clock.end.offset_s,
        drift: clock.drift(),
        half_width_s: clock.half_width_s(),
    };
    measured.clocks.iter().zip(&measured.hosts).enumerate().map(entry).collect()
}
