//! CPU time of whole processes: reading, fitting, printing.

use crate::files::{Files, Timed};
use crate::tool::Tool;
use runcast_core::statistics::median;
use std::fmt::Write as _;

/// How often each program runs on each file, in turns.
const RUNS: usize = 5;

#[derive(Default)]
struct Times {
    cpu_s: Vec<f64>,
    wall_s: Vec<f64>,
}

impl Times {
    fn run(&mut self, tool: &Tool, file: &Timed) -> Result<(), String> {
        let finished = tool.time(&file.path)?;
        let (Some(cpu_s), Some(wall_s)) = (finished.cpu_s, finished.wall_s) else {
            return Err("the times of a run could not be had".to_owned());
        };
        self.cpu_s.push(cpu_s);
        self.wall_s.push(wall_s);
        Ok(())
    }

    fn cells(&self) -> String {
        let least = self.cpu_s.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.cpu_s.iter().copied().fold(0.0, f64::max);
        format!(
            "{} ({}..{}) | {}",
            digits(median(&self.cpu_s)),
            digits(least),
            digits(most),
            digits(median(&self.wall_s))
        )
    }
}

/// The table.
pub fn section(pmnf: &Tool, auto: &Tool, extrap: &Tool, files: &Files) -> Result<String, String> {
    let mut text = format!(
        "CPU time of the whole process (user and system) from start to end: reading the file, fitting, printing. Each\n\
         program ran {RUNS} times on each file, in turns; the numbers are medians, with least and most in brackets.\n\n\
         ```sh\n{}\n{}\n{}\n```\n\n\
         | FILE | model | runcast: CPU s | wall s | Extra-P: CPU s | wall s | times less CPU |\n\
         |---|---|---|---|---|---|---|\n",
        pmnf.command(),
        auto.command(),
        extrap.command()
    );
    for file in &files.timed {
        let (mut ours, mut theirs) = ([Times::default(), Times::default()], Times::default());
        for _ in 0..RUNS {
            for (times, tool) in ours.iter_mut().zip([pmnf, auto]) {
                times.run(tool, file)?;
            }
            theirs.run(extrap, file)?;
        }
        for (times, model) in ours.iter().zip(["pmnf", "auto"]) {
            let ratio = median(&theirs.cpu_s) / median(&times.cpu_s);
            let _ = writeln!(
                text,
                "| {} | `{model}` | {} | {} | {ratio:.0} |",
                file.content,
                times.cells(),
                theirs.cells()
            );
        }
    }
    Ok(text)
}

/// Three digits, and no more than milliseconds.
fn digits(seconds: f64) -> String {
    let places = if seconds < 1.0 { 3 } else { 2 };
    format!("{seconds:.places$}")
}
