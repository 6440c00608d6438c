//! Predicted against measured on real data: every model, what it may see and what it must predict the same for all.
//!
//! ```text
//! accuracy                the page docs/accuracy.md, on the standard output
//! accuracy --write        the same into docs/accuracy.md
//! accuracy --calibrate    the calibration scores of auto, into the file that ships with the program
//! ```
#![expect(clippy::print_stdout, reason = "a program whose result is its output")]

use runcast_benches::dense_plans;
use runcast_benches::outcome::Outcome;
use runcast_benches::real_runs::{self, Set, calibration_scores};
use runcast_fit::auto::calibration;
use runcast_fit::registry;
use std::fmt::Write as _;

fn main() -> Result<(), String> {
    let data = real_runs::data_folder().ok_or("the public data is not there; set RUNCAST_DATA to its folder")?;
    let sets = real_runs::sets(&data)?;
    match std::env::args().nth(1).as_deref() {
        None => print!("{}", page(&sets)),
        Some("--write") => write("docs/accuracy.md", &page(&sets))?,
        Some("--calibrate") => write("crates/fit/src/auto/calibration.txt", &calibration_file(&sets))?,
        Some(other) => return Err(format!("{other}: allowed are --write and --calibrate")),
    }
    Ok(())
}

fn write(path: &str, text: &str) -> Result<(), String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::write(root.join(path), text).map_err(|error| format!("{path}: {error}"))?;
    println!("wrote {path}");
    Ok(())
}

fn calibration_file(sets: &[Set]) -> String {
    let mut text = String::from(
        "# |ln(measured/value)| / s of held-out real runs, ascending: see calibration.rs\n\
         # made by: cargo run --release -p runcast-benches --bin accuracy -- --calibrate\n",
    );
    let mut scores: Vec<f64> = calibration_scores(sets).into_iter().map(|score| score.score).collect();
    scores.sort_by(f64::total_cmp);
    for score in scores {
        let _ = writeln!(text, "{score:.6}");
    }
    text
}

fn page(sets: &[Set]) -> String {
    let mut text = String::from(
        "# How good are the forecasts?\n\n\
         <!-- made by: cargo run --release -p runcast-benches --bin accuracy -- --write -->\n\n\
         Real runs of four applications, measured by others on their machines and published. Every model sees the small\n\
         runs and must predict the large ones, which it has not seen; all models see the same. This page is made again by\n\n\
         ```sh\ncargo run --release -p runcast-benches --bin accuracy -- --write\n```\n\n\
         Cells: median / largest relative error in %; `-`: the model does not apply. Held-out truth is the median of the\n\
         repetitions. `mokrov`, `barnes-*` and `ka-*` learn from the best repetition, `pmnf` and `segmented` from the mean, the\n\
         others from the median. `ka-strong` is fitted with free signs, as its authors do; `mokrov` counts sizes singly and, like\n\
         `barnes-*`, gets the particles of SPARTA and the neurons of RELeARN's regions as a size; `formula` gets the terms\n\
         that an expert on the application would write: `a + b*p^(1/3)` for LULESH, `a + b*log2(p) + c*p` for RELeARN and\n\
         the collectives, `a + b*log2(p)` for SPARTA.\n\n",
    );
    let _ = writeln!(text, "| line | what is predicted | points |\n|---|---|---|");
    for (index, set) in sets.iter().enumerate() {
        let points: usize = set.cases.iter().map(|case| case.targets.len()).sum();
        let _ = writeln!(text, "| {} | {} | {points} |", index + 1, set.name);
    }
    let _ = write!(text, "\n| model |");
    for index in 1..=sets.len() {
        let _ = write!(text, " {index} |");
    }
    let _ = writeln!(text, " all | 90 % range holds | its half, as a factor |");
    let _ = writeln!(text, "|---|{}---|---|---|", "---|".repeat(sets.len()));
    for name in registry::names() {
        let mut all = Outcome::default();
        let _ = write!(text, "| `{name}` |");
        for set in sets {
            let outcome = Outcome::of(set, name, name == "ka-strong");
            let _ = write!(text, " {} |", outcome.errors());
            all.join(outcome);
        }
        let _ = writeln!(text, " {} | {} |", all.errors(), all.coverage());
    }
    text.push_str(
        "\nLULESH, RELeARN, the MPI collectives and SPARTA are weak scaling on 8 to 2,048 processes or nodes: there is no\n\
         series for `amdahl`, `ka-wide` and `ka-chain` among them.\n",
    );
    text.push_str(&left_out(sets));
    text.push_str(&dense_plans::section());
    text
}

/// The range of `auto`, calibrated without the application that it is judged on.
fn left_out(sets: &[Set]) -> String {
    let scores = calibration_scores(sets);
    let mut applications: Vec<&str> = scores.iter().map(|score| score.application).collect();
    applications.dedup();
    applications.sort_unstable();
    applications.dedup();
    let mut text = String::from(
        "\n## The range of `auto`, one application left out at a time\n\n\
         The range that ships is calibrated on all of these points, so the table above cannot show it to be wrong. Here each\n\
         application is judged by a range calibrated on the others alone.\n\n\
         | application | points | 50 % range holds | 80 % | 90 % | 95 % |\n|---|---|---|---|---|---|\n",
    );
    let levels = [0.5, 0.8, 0.9, 0.95];
    let mut held = [0usize; 4];
    for application in &applications {
        let mut others: Vec<f64> = scores.iter().filter(|s| s.application != *application).map(|s| s.score).collect();
        others.sort_by(f64::total_cmp);
        let own: Vec<f64> = scores.iter().filter(|s| s.application == *application).map(|s| s.score).collect();
        let _ = write!(text, "| {application} | {} |", own.len());
        for (k, level) in levels.iter().enumerate() {
            let quantile = calibration::quantile_of(&others, *level).map_or(0.0, |(quantile, _)| quantile);
            let inside = own.iter().filter(|score| **score <= quantile).count();
            held[k] += inside;
            let _ = write!(text, " {:.0} % |", 100.0 * inside as f64 / own.len() as f64);
        }
        text.push('\n');
    }
    let _ = write!(text, "| all | {} |", scores.len());
    for inside in held {
        let _ = write!(text, " {:.0} % |", 100.0 * inside as f64 / scores.len() as f64);
    }
    text.push_str(
        "\n\nCoverage holds on average over applications, not for each: what surprises in one (RELeARN's regions that change\n\
         their behavior at 512 processes) is in no other.\n",
    );
    text
}
