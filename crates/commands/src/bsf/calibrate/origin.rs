//! Where costs come from.

use super::Measured;
use crate::VERSION;
use runcast_bench::{Machine, now_text};
use runcast_bsf::skeleton::mpi;
use runcast_formula::units::format_quantity_digits;
use serde::Serialize;
use serde_json::{Map, Value};

/// Where costs come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Origin {
    pub program: String,
    pub size: u64,
    /// All settings of the program, defaults included.
    pub parameters: Map<String, Value>,
    pub backend: String,
    /// Threads of the worker.
    pub threads: usize,
    pub wait: &'static str,
    /// The MPI library, under MPI.
    pub mpi: Option<String>,
    /// Processes, or threads, that took part.
    pub processes: usize,
    /// Workers of the runs that were planned.
    pub workers: usize,
    pub repeat: u32,
    pub iterations: u64,
    pub send_bytes: u64,
    pub receive_bytes: u64,
    /// An average operation, where the cost model counts them.
    pub op_time_s: Option<f64>,
    pub op_time_note: Option<&'static str>,
    pub date: String,
    pub runcast: &'static str,
    pub machine: Machine,
}

/// It varies 4-fold with the shape of the loop alone.
const OP_TIME_NOTE: &str = "for this program at this size";

impl Origin {
    pub fn of(measured: &Measured<'_>) -> Self {
        let Measured { args, subject, calibration, machine, workers, .. } = measured;
        let op_time_s = subject.operations.map(|count| calibration.work_s.value / count);
        Origin {
            program: subject.name.clone(),
            size: subject.size,
            parameters: subject.parameters.clone(),
            backend: subject.backend.clone(),
            threads: subject.threads,
            wait: args.wait.name(),
            mpi: mpi::library_version().filter(|_| args.is_mpi()),
            processes: calibration.processes,
            workers: *workers,
            repeat: args.repeat,
            iterations: calibration.iterations,
            send_bytes: calibration.send_bytes,
            receive_bytes: calibration.receive_bytes,
            op_time_s,
            op_time_note: op_time_s.map(|_| OP_TIME_NOTE),
            date: now_text(),
            runcast: VERSION,
            machine: machine.clone(),
        }
    }

    /// As it stands in a file of costs, with the operation as `[machine]` of such a file would take it.
    ///
    /// # Errors
    /// It cannot be TOML, which is a bug of runcast.
    pub fn to_toml(&self) -> Result<toml::Table, toml::ser::Error> {
        let mut table = toml::Table::try_from(self)?;
        if table.remove("op_time_s").is_some() {
            let text = self.op_time_s.map(|op_time_s| format_quantity_digits(op_time_s, "s", 6).replace(' ', ""));
            table.extend(text.map(|text| ("op_time".to_owned(), text.into())));
        }
        Ok(table)
    }
}
