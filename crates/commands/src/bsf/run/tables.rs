//! The times of a run as tables.

use super::Done;
use runcast_bsf::cost::Collective;
use runcast_bsf::programs::Report;
use runcast_bsf::skeleton::{Phase, PhaseTimes, RankTimes};
use runcast_core::table::number::to_text;
use std::fmt::Write;

/// How orders travelled in the end.
pub fn collective(report: &Report) -> &'static str {
    match report.collective {
        Collective::Flat => "flat",
        Collective::Tree => "tree",
    }
}

/// A row for each region and rank: medians of an iteration, and the sum.
pub fn timings(done: &Done<'_>) -> String {
    let mut csv = format!("{RUN_COLUMNS},region,rank,count,time_s,time_total_s,cpu_time_s\n");
    let run = run_cells(done);
    for (rank, times) in done.report.times.ranks.iter().enumerate() {
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
pub fn trace(done: &Done<'_>) -> String {
    let mut csv = format!("{RUN_COLUMNS},iteration,region,rank,time_s,cpu_time_s\n");
    let run = run_cells(done);
    for (iteration, rank, times) in &done.report.times.trace {
        for phase in Phase::ALL {
            if let Some(cells) = cells(times, phase) {
                let _ = writeln!(csv, "{run},{iteration},{},{rank},{cells}", phase.name());
            }
        }
    }
    csv
}

/// What is the same in all rows.
const RUN_COLUMNS: &str = "program,backend,collective,workers,threads,size,list_length";

fn run_cells(done: &Done<'_>) -> String {
    let Done { args, program, report, .. } = done;
    format!(
        "{},{},{},{},{},{},{}",
        program.name(),
        args.backend().name(),
        collective(report),
        done.workers(),
        args.threads(),
        program.size(),
        program.list_length()
    )
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
