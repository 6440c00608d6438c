//! What a begin/end pair costs in readings of the clock, by how many integers a recorded value runs through and how many threads
//! record.

use super::overhead::{compile, pair_ns};
use std::fmt::Write as _;

const VALUES: [usize; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
const THREADS: [usize; 4] = [1, 2, 4, 8];
/// What a pair may cost, in pairs of readings.
const GOAL: f64 = 1.5;

/// The part of the section.
pub fn section() -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = compile(folder.path())?;
    let mut text = String::from("### What a region costs, by values and threads\n\n");
    let _ = writeln!(
        text,
        "Begin and end of a region in pairs of readings of `clock_gettime`, by the integers that a recorded value runs through; \
         the goal is {GOAL}. The best of blocks of 2,000 pairs, mean of the threads.\n"
    );
    text.push_str("| what | threads |");
    VALUES.iter().for_each(|values| {
        let _ = write!(text, " {values} |");
    });
    text.push_str("\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (mode, what) in [("trace", "rows"), ("aggregate", "aggregates")] {
        for threads in THREADS {
            let _ = write!(text, "| {what} | {threads} |");
            for values in VALUES {
                let (pair_ns, reading_ns) = pair_ns(folder.path(), &program, mode, threads, values)?;
                let _ = write!(text, " {:.2} |", pair_ns / (2.0 * reading_ns));
            }
            text.push('\n');
        }
    }
    Ok(text)
}
