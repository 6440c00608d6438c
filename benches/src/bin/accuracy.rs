//! Predicted against measured on real data: every model, what it may see and what it must predict the same for all.
//!
//! ```text
//! accuracy                the page docs/accuracy.md, on the standard output
//! accuracy --write        the same into docs/accuracy.md
//! accuracy --ranges       the parts about models of several series and the ranges of every method
//! accuracy --calibrate    the scores of auto and of single models, into the files that ship with the program
//! ```
#![expect(clippy::print_stdout, reason = "a program whose result is its output")]

use runcast_benches::advised_runs;
use runcast_benches::dense_plans;
use runcast_benches::joint;
use runcast_benches::outcome::Outcome;
use runcast_benches::ranges::{self, Known};
use runcast_benches::real_runs::{self, Scored, Set, calibration_scores};
use runcast_benches::strangers;
use runcast_fit::auto::calibration::{Class, Scores};
use runcast_fit::registry;
use std::fmt::Write as _;
use std::path::Path;

fn main() -> Result<(), String> {
    let data = real_runs::data_folder().ok_or("the public data is not there; set RUNCAST_DATA to its folder")?;
    let sets = real_runs::sets(&data)?;
    match std::env::args().nth(1).as_deref() {
        None => print!("{}", page(&sets, &data)?),
        Some("--ranges") => {
            let (scores, strangers) = (calibration_scores(&sets), strangers::judged(&data)?);
            let joint = joint::rows(&data)?;
            print!("{}", joint::section(&joint));
            print!("{}", ranges::section(known(&fits(&sets), &sets, &scores, &strangers, joint), &data)?);
        }
        Some("--write") => write("docs/accuracy.md", &page(&sets, &data)?)?,
        Some("--calibrate") => {
            write("crates/fit/src/auto/calibration.txt", &calibration_file(&sets))?;
            write("crates/fit/src/ranges.txt", &real_runs::ranges_file(&real_runs::model_scores(&sets)))?;
        }
        Some(other) => return Err(format!("{other}: allowed are --write, --ranges and --calibrate")),
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
        "# class, application and ln(measured/value) / s of held-out real runs, ascending: see calibration.rs\n\
         # made by: cargo run --release -p runcast-benches --bin accuracy -- --calibrate\n",
    );
    let mut scores = calibration_scores(sets);
    scores.sort_by(|Scored { score: a, .. }, Scored { score: b, .. }| {
        (a.class.name(), &a.application).cmp(&(b.class.name(), &b.application)).then(a.score.total_cmp(&b.score))
    });
    for Scored { score, .. } in scores {
        let _ = writeln!(text, "{} {} {:.5}", score.class, score.application, score.score);
    }
    text
}

/// Every model on every line of the table.
fn fits(sets: &[Set]) -> Vec<(&'static str, Vec<Outcome>)> {
    let of = |name: &'static str| (name, sets.iter().map(|set| Outcome::of(set, name, name == "ka-strong")).collect());
    registry::names().map(of).collect()
}

/// The models with the lines of an application together.
fn known<'p>(
    fits: &[(&'static str, Vec<Outcome>)],
    sets: &[Set],
    scores: &'p [Scored],
    strangers: &'p [strangers::Judged],
    joint: Vec<joint::Row>,
) -> Known<'p> {
    let mut applications: Vec<&str> = sets.iter().map(|set| set.application).collect();
    applications.sort_unstable();
    applications.dedup();
    let by_application = |outcomes: &[Outcome]| {
        let mut all = Outcome::default();
        for application in &applications {
            let mut own = Outcome::default();
            for (_, outcome) in sets.iter().zip(outcomes).filter(|(set, _)| set.application == *application) {
                own.join(outcome.clone());
            }
            all.join(own.together());
        }
        all
    };
    let fits = fits.iter().map(|(name, outcomes)| (*name, by_application(outcomes))).collect();
    Known { fits, scores, models: real_runs::model_scores(sets), joint, strangers }
}

fn page(sets: &[Set], data: &Path) -> Result<String, String> {
    let mut text = String::from(
        "# How good are the forecasts?\n\n\
         <!-- made by: cargo run --release -p runcast-benches --bin accuracy -- --write -->\n\n\
         Real runs of seven applications, measured by others on their machines and published. Every model sees the small\n\
         runs and must predict the large ones, which it has not seen; all models see the same. This page is made again by\n\n\
         ```sh\ncargo run --release -p runcast-benches --bin accuracy -- --write\n```\n\n\
         Cells: median / largest relative error in %; `-`: the model does not apply. Held-out truth is the median of the\n\
         repetitions. `mokrov`, `barnes-*` and `ka-*` learn from the best repetition, `pmnf` and `segmented` from the mean, the\n\
         others from the median. `ka-strong` is fitted with free signs, as its authors do; `mokrov` counts sizes singly and, like\n\
         `barnes-*`, gets the particles of SPARTA and the neurons of RELeARN's regions as a size; `formula` gets the terms\n\
         that an expert on the application would write: `a + b*p^(1/3)` for LULESH, `a + b*log2(p) + c*p` for RELeARN and\n\
         the collectives, `a + b*log2(p)` for SPARTA, `a + b/p` for strong scaling.\n\n",
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
    let fits = fits(sets);
    for (name, outcomes) in &fits {
        let mut all = Outcome::default();
        let _ = write!(text, "| `{name}` |");
        for outcome in outcomes {
            let _ = write!(text, " {} |", outcome.errors());
            all.join(outcome.clone());
        }
        let _ = writeln!(text, " {} | {} |", all.errors(), all.coverage());
    }
    text.push_str(
        "\nLines 1 to 9 are weak scaling on 8 to 2,048 processes or nodes, 10 to 12 strong scaling on 1 to 2,048 nodes\n\
         (the smaller half of the runs forecasts the larger). `auto1` is the first version of `auto`; it has no range.\n\
         Ranges of `auto` and of single models are calibrated on these very series; further down each application is judged by\n\
         the others.\n\
         Lines 8 and 9 show what slices of a grid tell each other. `auto` is worse than `auto1` on lines 4 and 7: a rule that\n\
         trusts one form is right where that form happens to be the law.\n",
    );
    let (scores, strangers, joint) = (calibration_scores(sets), strangers::judged(data)?, joint::rows(data)?);
    text.push_str(&left_out(&scores));
    text.push_str(&joint::section(&joint));
    text.push_str(&strangers::section(&strangers));
    text.push_str(&ranges::section(known(&fits, sets, &scores, &strangers, joint), data)?);
    text.push_str(&advised_runs::section(sets));
    text.push_str(&dense_plans::section());
    Ok(text)
}

/// The range of `auto`, calibrated without the application that it is judged on.
fn left_out(scored: &[Scored]) -> String {
    let scores: Vec<_> = scored.iter().map(|scored| &scored.score).collect();
    let mut applications: Vec<&str> = scores.iter().map(|score| score.application.as_str()).collect();
    applications.sort_unstable();
    applications.dedup();
    let mut text = format!(
        "\n## The range of `auto`, one application left out at a time\n\n\
         The range that ships is calibrated on every prefix of at least three configurations of every one of these series and\n\
         every later configuration 1.4 to 70 times beyond ({} errors, each application weighing the same), so the table above\n\
         cannot show it to be wrong. Here each application is judged by a range calibrated on the others alone. Series that\n\
         fall from the first run to the last and others have errors of their own.\n\n\
         | series | application | errors | 50 % range holds | 80 % | 90 % | 95 % |\n|---|---|---|---|---|---|---|\n",
        scores.len()
    );
    let levels = [0.5, 0.8, 0.9, 0.95];
    for class in Class::ALL {
        // Each application weighs the same in the sum, as it does in the range.
        let (mut held, mut judged) = ([0.0; 4], 0.0);
        for application in &applications {
            let own: Vec<f64> = scores
                .iter()
                .filter(|score| score.class == class && score.application == *application)
                .map(|score| score.score)
                .collect();
            if own.is_empty() {
                continue;
            }
            let others = Scores::of(class, scores.iter().copied().filter(|score| score.application != *application));
            let _ = write!(text, "| {class} | {application} | {} |", own.len());
            judged += 1.0;
            for (held, level) in held.iter_mut().zip(levels) {
                let [low, high] = others.range(level).map_or([0.0; 2], |(range, _)| range);
                let inside = own.iter().filter(|score| (low..=high).contains(*score)).count() as f64 / own.len() as f64;
                *held += inside;
                let _ = write!(text, " {:.0} % |", 100.0 * inside);
            }
            text.push('\n');
        }
        let _ = write!(text, "| {class} | all | |");
        for held in held {
            let _ = write!(text, " {:.0} % |", 100.0 * held / judged);
        }
        text.push('\n');
    }
    text.push_str(
        "\nCoverage holds on average over applications, not for each: what surprises in one (RELeARN's regions that change\n\
         their behavior at 512 processes) is in no other.\n",
    );
    text
}
