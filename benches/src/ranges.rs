//! Whether the 90 % ranges of every method hold, and what they could be at best.

mod asked;
pub mod bsf;

use crate::joint;
use crate::outcome::Outcome;
use crate::real_runs::{ModelScore, Scored};
use crate::strangers;
use runcast_core::ranges::{self, Range};
use runcast_fit::auto::calibration::{Class, Scores};
use std::fmt::Write as _;
use std::path::Path;

const LEVEL: f64 = 0.9;

/// A method on some runs.
pub struct Row {
    pub method: String,
    pub what: String,
    pub outcome: Outcome,
}

impl Row {
    fn new(method: &str, what: &str, outcome: Outcome) -> Row {
        Row { method: method.to_owned(), what: what.to_owned(), outcome }
    }
}

/// What the page has found out before.
pub struct Known<'p> {
    /// Models of one series on the runs of each application.
    pub fits: Vec<(&'static str, Outcome)>,
    pub scores: &'p [Scored],
    /// Single models.
    pub models: Vec<ModelScore>,
    pub joint: Vec<joint::Row>,
    pub strangers: &'p [strangers::Judged],
}

/// The part of the page about them.
///
/// # Errors
/// A file is missing, or the program fails.
pub fn section(known: Known<'_>, data: &Path) -> Result<String, String> {
    let mut rows = Vec::new();
    for class in Class::ALL {
        let what = format!("series that are {class}, every later run from every prefix, its application left out");
        rows.push(Row::new("`fit`: `auto`", &what, without_its_application(class, known.scores)));
    }
    let mut tables = Outcome::default();
    for table in known.strangers {
        tables.join(table.outcome.clone());
    }
    rows.push(Row::new("`fit`: `auto`", "tables of strangers, the most processes", tables));
    for (name, outcome) in known.fits.into_iter().filter(|(name, _)| *name != "auto") {
        let own: Vec<&ModelScore> = known.models.iter().filter(|score| score.model == name).collect();
        let row = |what: &str, outcome: Outcome| Row::new(&format!("`fit`: `{name}`"), what, outcome);
        if own.is_empty() {
            rows.push(row("lines 1 to 12 above", outcome));
        } else {
            rows.push(row("every later run from every prefix, its application left out", model_without(&own)));
            rows.push(row("tables of strangers, the most processes", strangers::of_model(name, data)?));
        }
    }
    rows.extend(known.joint.into_iter().map(|row| Row::new(&format!("`fit`: `{}`", row.model), &row.what, row.own)));
    rows.extend(bsf::rows(data)?);
    rows.extend(asked::rows(data)?);

    let mut text = String::from(
        "\n## The ranges of every method\n\n\
         How many runs fall into their 90 % range, with the 95 % interval of that share (exact binomial; points of a cluster,\n\
         that is of an application, a program or a session, count as far as they differ), and half the width of the median\n\
         range. Beside it the constant factor that would have held nine of ten: what no calibration can know beforehand.\n\n\
         | method | what is predicted | runs | clusters | 90 % range holds, % | its half | constant factor |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for row in &rows {
        let _ = writeln!(text, "| {} | {} | {} |", row.method, row.what, row.outcome.judged());
    }
    text.push_str(NOTES);
    Ok(text)
}

const NOTES: &str = "\nBSF on published algorithms: Jacobi, gravity and Cimmino of the publication's sizes on its cluster, with a \
    noise of 0, 0.5 or 2 %\nof a run, three runs each on 1 to 4 workers, forecast to 8, 16, 32 and 64. What the master does is not told: \
    it waits as in\nthe closed form, flat or by a tree, or it sends while workers compute. From so few workers flat and tree can \
    hardly be told\napart, and the ranges say so. `compare` asks the other methods what users ask them: `runcast compare RUNS \
    --predictions MODEL`.\nA session of a wavefront is a cluster; `examples/wavefront/coverage.sh` measures them, here on two cores on which\n\
    compilers ran, too.\n";

/// A single model with the range that the other applications calibrate.
fn model_without(scores: &[&ModelScore]) -> Outcome {
    let mut applications: Vec<&str> = scores.iter().map(|score| score.application).collect();
    applications.sort_unstable();
    applications.dedup();
    let mut all = Outcome::default();
    for application in applications {
        let others = scores.iter().filter(|score| score.application != application);
        let others =
            others.map(|score| ranges::Score { cluster: score.application.to_owned(), d: score.error / score.scale });
        let others = ranges::Scores::new(&others.collect::<Vec<_>>());
        let mut of_application = Outcome::default();
        for score in scores.iter().filter(|score| score.application == application) {
            let range = Range::of(1.0, score.scale, LEVEL, Some(&others), false);
            of_application.take(1.0, range.map(|range| (range.low, range.high)), score.error.exp());
        }
        all.join(of_application);
    }
    all
}

/// `auto` with the range that the other applications calibrate.
fn without_its_application(class: Class, scores: &[Scored]) -> Outcome {
    let own = || scores.iter().map(|scored| &scored.score).filter(move |score| score.class == class);
    let mut applications: Vec<&str> = own().map(|score| score.application.as_str()).collect();
    applications.sort_unstable();
    applications.dedup();
    let mut all = Outcome::default();
    for application in applications {
        let others = Scores::of(class, own().filter(|score| score.application != application));
        let Some(([low, high], _)) = others.range(LEVEL) else { continue };
        let mut of_application = Outcome::default();
        for Scored { score, scale } in scores {
            if score.class == class && score.application == application {
                let range = (low.min(0.0) * scale, high.max(0.0) * scale);
                of_application.take(1.0, Some((range.0.exp(), range.1.exp())), (score.score * scale).exp());
            }
        }
        all.join(of_application);
    }
    all
}
