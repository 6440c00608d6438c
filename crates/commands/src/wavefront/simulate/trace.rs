//! What each process did in each phase, as a table.

use runcast_core::table::number::to_text;
use runcast_wavefront::Model;
use runcast_wavefront::sample::table::cell;
use runcast_wavefront::simulate::Traced;
use std::fmt::Write;

/// A row a run, phase and process; times in seconds since process 1 began the first phase of the run.
pub(super) fn csv(model: &Model, traces: &[Vec<Traced>]) -> String {
    let rows: usize = traces.iter().map(Vec::len).sum();
    let mut csv = String::with_capacity(64 + 48 * rows);
    csv.push_str("run,process,phase,start_s,beta_start_s,end_s,updates,discarded\n");
    let names: Vec<String> = model.processes.iter().map(|process| cell(&process.name)).collect();
    for (run, trace) in traces.iter().enumerate() {
        for row in trace {
            let [start, beta, end] = [row.begin, row.alpha_end, row.end].map(|ticks| seconds(ticks, model.step_s));
            // Text in memory can always be written.
            let _ = writeln!(
                csv,
                "{},{},{},{start},{beta},{end},{},{}",
                run + 1,
                names[row.process as usize],
                row.phase,
                row.updates,
                row.discarded
            );
        }
    }
    csv
}

/// Without the digits that a multiplication leaves behind.
fn seconds(ticks: i64, step_s: f64) -> String {
    let value = ticks as f64 * step_s;
    let rounded = (value * 1e9).round() / 1e9;
    to_text(if (value - rounded).abs() <= 1e-12 * value.abs() { rounded } else { value })
}
