//! The times of a run as tables.

use super::options::Backend;
use super::times::{Phase, PhaseTimes, RankTimes, Times};
use crate::cost::Collective;
use runcast_core::table::number::to_text;
use std::fmt::Write;

/// What is the same in all rows about a run.
#[derive(Debug, Clone, Copy)]
pub struct RunLabels<'a> {
    pub program: &'a str,
    pub backend: Backend,
    pub collective: Collective,
    pub workers: usize,
    /// Of each worker.
    pub threads: usize,
    pub size: u64,
    pub list_length: u64,
}

/// A row for each region and rank: medians of an iteration, and the sum.
pub fn timings_table(times: &Times, labels: &RunLabels<'_>) -> String {
    let mut csv = format!("{RUN_COLUMNS},region,rank,count,time_s,time_total_s,cpu_time_s\n");
    let run = run_cells(labels);
    for (rank, times) in times.ranks.iter().enumerate() {
        for phase in Phase::ALL {
            if let Some(cells) = median_cells(times, phase) {
                // Text in memory can always be written.
                let _ = writeln!(csv, "{run},{},{rank},{},{cells}", phase.name(), times.count);
            }
        }
    }
    csv
}

/// A row for each iteration, region and rank.
pub fn trace_table(times: &Times, labels: &RunLabels<'_>) -> String {
    let mut csv = format!("{RUN_COLUMNS},iteration,region,rank,time_s,cpu_time_s\n");
    let run = run_cells(labels);
    for (iteration, rank, times) in &times.trace {
        for phase in Phase::ALL {
            if let Some(cells) = cells(times, phase) {
                let _ = writeln!(csv, "{run},{iteration},{},{rank},{cells}", phase.name());
            }
        }
    }
    csv
}

const RUN_COLUMNS: &str = "program,backend,collective,workers,threads,size,list_length";

fn run_cells(labels: &RunLabels<'_>) -> String {
    let RunLabels { program, backend, collective, workers, threads, size, list_length } = labels;
    let program = cell(program);
    format!("{program},{},{},{workers},{threads},{size},{list_length}", backend.name(), collective.name())
}

/// A name as a cell: one with a comma, a quote or a line end is quoted.
fn cell(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

fn median_cells(times: &RankTimes, phase: Phase) -> Option<String> {
    let time = seconds(times.median_wall_s(phase)?);
    let total = seconds(times.total_wall_s[phase as usize]);
    Some(format!("{time},{total},{}", times.median_cpu_s(phase).map_or(String::new(), seconds)))
}

fn cells(times: &PhaseTimes, phase: Phase) -> Option<String> {
    Some(format!("{},{}", seconds(times.wall(phase)?), times.cpu(phase).map_or(String::new(), seconds)))
}

/// Clocks count nanoseconds; digits beyond are those of a subtraction.
fn seconds(seconds: f64) -> String {
    to_text((seconds * 1e9).round() / 1e9)
}
