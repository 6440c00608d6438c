//! The calculator of supersteps on 65,536 processors.

use runcast_call::bsp::{Assignment, Detail, Limits, Models, Prepared, Program};
use std::fmt::Write as _;
use std::time::Instant;

/// The divide-and-conquer FFT of the paper.
const FFT: &str = include_str!("../../../../testdata/bsp/fft.toml");
const ROUNDS: usize = 5;
/// What it should take at most on the largest machine.
const GOAL_S: f64 = 2.0;

/// The part of the section.
pub fn section() -> Result<String, String> {
    let program = Program::from_toml("fft.toml", FFT).map_err(|problems| problems.to_string())?;
    let prepared = program.prepare(&Models::default()).map_err(|problems| problems.to_string())?;
    let mut text = String::from(
        "### Supersteps\n\n`runcast bsp predict` of the divide-and-conquer FFT (`testdata/bsp/fft.toml`), on one core, the \
         least of 5 rounds.\nWork, groups and messages of every processor in every superstep are found from formulas.\n\n\
         | processors | processor-supersteps | finishes | with supersteps and critical path |\n|--:|--:|--:|--:|\n",
    );
    let mut largest = 0.0;
    for depth in [8, 12, 16] {
        let processors = 1u64 << depth;
        // Two supersteps on each level, and the leaves; those of a machine count for each of its processors.
        let supersteps = processors * (2 * depth + 1);
        let plain = least_s(&prepared, processors, Detail::None)?;
        let detail = least_s(&prepared, processors, Detail::Steps)?;
        let _ = writeln!(text, "| {processors} | {supersteps} | {:.2} ms | {:.2} ms |", 1e3 * plain, 1e3 * detail);
        largest = plain;
    }
    let verdict = if largest <= GOAL_S { "within" } else { "NOT within" };
    let _ = writeln!(text, "\nThe goal for 65,536 processors is {GOAL_S} s: {verdict}.");
    Ok(text)
}

/// The least time of a few rounds, the result checked against the closed form.
fn least_s(prepared: &Prepared, processors: u64, detail: Detail) -> Result<f64, String> {
    let size = 64.0 * processors as f64;
    let set = [Assignment::number("P", processors as f64), Assignment::number("N", size)];
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let limits = Limits { detail, ..Limits::default() };
        let outcome = prepared.run(&set, &Models::default(), &limits).map_err(|problem| problem.to_string())?;
        least = least.min(start.elapsed().as_secs_f64());
        let expected = closed_form(size, processors as f64);
        let off = (outcome.obsp_time_s() / expected - 1.0).abs();
        if off > 1e-12 {
            return Err(format!("{} s at P = {processors}, expected {expected} s", outcome.obsp_time_s()));
        }
    }
    Ok(least)
}

/// Equation (11), corrected, with the constants of the file.
fn closed_form(size: f64, processors: f64) -> f64 {
    let share = size / processors;
    13.0 + 29.0 * processors.log2() + 0.125 * share * share.log2() + 8.25 * size * (processors - 1.0) / processors
}
