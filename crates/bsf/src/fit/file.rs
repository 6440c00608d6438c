//! The file of a fit: the points that it was fitted to, from which a reader fits it again, and what came of them.
//!
//! ```toml
//! algorithm = "fit"
//! list_length = 1000                       # where it is known
//! [points]
//! workers = [1, 2, 2, 4]
//! time_s = [1.0, 0.51, 0.52, 0.27]         # every run
//! [[member]]                               # for people: a curve of the mixture
//! form = "smooth"
//! collective = "flat"
//! weight = 1.0
//! ```
//!
//! The tables `member` and `origin` are for readers, and are ignored.

use super::{Auto, Measured, Member, fit_auto};
use crate::cost::MOST_ELEMENTS;
use crate::text::{list, number};
use runcast_core::toml::{Reader, Source, Table, document};
use runcast_core::{Problem, Problems};
use std::fmt::Write;

const LARGEST: usize = 4 << 20;
/// More numbers of workers than this are a slip.
const MOST_POINTS: usize = 10_000;
const COLUMNS: [&str; 4] = ["fixed", "work", "per_worker", "beyond_step"];

/// Reads a fit; `name` is what problems call the file. None if the file has another `algorithm`.
///
/// # Errors
/// Everything that is wrong, each with line and field; points that nothing can be fitted to.
///
/// # Examples
/// ```
/// use runcast_bsf::fit::{Measured, file, fit_auto};
/// let runs = [(1, 24.0), (2, 12.5), (4, 6.5), (8, 4.0)].map(|(workers, time_s)| Measured { workers, time_s });
/// let auto = fit_auto(&runs, None)?;
/// let again = file::read("fitted.toml", &file::to_text(&auto, ""))?.expect("a fit");
/// assert_eq!(again.time_s(16), auto.time_s(16));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(name: &str, text: &str) -> Result<Option<Auto>, Problems> {
    let source = Source { name, text };
    // What is no TOML at all is for the reader of other costs to refuse.
    let Ok(tree) = document(source, LARGEST) else { return Ok(None) };
    let mut reader = Reader::new(source);
    let top = reader.top(&tree);
    if top.get("algorithm").is_none_or(|node| node.value.get_ref().as_str() != Some("fit")) {
        return Ok(None);
    }
    reader.allow(&top, &["format", "algorithm", "list_length", "points", "member", "origin"], "a fit");
    let list_length = reader.whole(&top, "list_length", 1, MOST_ELEMENTS);
    let points = points(&mut reader, &top);
    if let Some(problems) = reader.take_problems() {
        return Err(problems);
    }
    let wrong = |message: String| Problems::from(Problem::new("bad_points", message).in_file(name).at("/points"));
    let points = points.ok_or_else(|| wrong("the points are not complete".to_owned()))?;
    fit_auto(&points, list_length).map(Some).map_err(|error| wrong(error.to_string()))
}

/// `[points]`
fn points(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Vec<Measured>> {
    let node = reader.required(top, "points", "a table [points] with workers and time_s")?;
    let table = reader.table(node, top.at("points"), "a table [points]")?;
    reader.allow(&table, &["workers", "time_s"], "[points]");
    let node = reader.required(&table, "workers", "a list of numbers of workers")?;
    let nodes = reader.list(node, &table.at("workers"), "a list of numbers of workers")?;
    let workers = reader.each(nodes, &table.at("workers"), |reader, node, pointer| {
        reader.whole_at(node, pointer, "workers", 1, MOST_ELEMENTS)
    })?;
    let node = reader.required(&table, "time_s", "a list of times")?;
    let times = reader.numbers(node, &table.at("time_s"), "a list of times")?;
    let is_time = |time: &f64| *time > 0.0 && time.is_finite();
    if workers.len() != times.len() || workers.len() > MOST_POINTS || !times.iter().all(is_time) {
        let place = reader.place(node, &table.at("time_s"));
        let problem = Problem::new("wrong_length", "the times do not fit to the workers");
        let seen = format!("{} times of {} numbers of workers", times.len(), workers.len());
        let allowed = format!("as many times above 0 as workers, at most {MOST_POINTS}");
        reader.wrong(&place, problem.value(seen).allowed(allowed));
        return None;
    }
    Some(workers.into_iter().zip(times).map(|(workers, time_s)| Measured { workers, time_s }).collect())
}

/// The file; `origin` stands at its end as it is: nothing, or a table `[origin]`.
pub fn to_text(auto: &Auto, origin: &str) -> String {
    let mut text = "algorithm = \"fit\"\n".to_owned();
    if let Some(length) = auto.list_length() {
        let _ = writeln!(text, "list_length = {length}");
    }
    let workers = list(auto.runs().iter().map(|run| run.workers.to_string()));
    let times = list(auto.runs().iter().map(|run| number(run.time_s)));
    let _ = writeln!(text, "\n[points]\nworkers = {workers}\ntime_s = {times}");
    auto.members().iter().for_each(|one| member(one, &mut text));
    if !origin.is_empty() {
        let _ = write!(text, "\n{origin}");
    }
    text
}

fn member(member: &Member, text: &mut String) {
    let (shape, found) = (member.shape(), member.coefficients());
    let _ = writeln!(
        text,
        "\n[[member]]\nform = \"{}\"\ncollective = \"{}\"",
        shape.form().name(),
        shape.collective().name()
    );
    if let Some(score) = member.score {
        let _ = writeln!(text, "score = {}", number(score));
    }
    let _ = writeln!(text, "weight = {}", number(member.weight));
    for (name, value) in [("fixed_s", found.fixed_s), ("work_s", found.work_s), ("per_worker_s", found.per_worker_s)] {
        let _ = writeln!(text, "{name} = {}", number(value));
    }
    if let Some(step) = member.step() {
        let _ = writeln!(text, "step = {{ size = {}, factor = {} }}", step.size, number(step.factor));
    }
    if let Some(matrix) = member.covariance() {
        let of = list(member.uncertain_columns().iter().map(|column| format!("\"{}\"", COLUMNS[*column])));
        let rows = list(matrix.iter().map(|row| list(row.iter().map(|value| number(*value)))));
        let _ = writeln!(text, "covariance_of = {of}\ncovariance = {rows}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_wrong_is_named() {
        assert!(read("x.toml", "algorithm = 'times'").expect("readable").is_none());
        for (text, code) in [
            ("algorithm = 'fit'", "missing"),
            ("algorithm = 'fit'\npoints = { workers = [1, 2], time_s = [1.0] }", "wrong_length"),
            ("algorithm = 'fit'\npoints = { workers = [1], time_s = [-1.0] }", "wrong_length"),
            ("algorithm = 'fit'\npoints = { workers = [], time_s = [] }", "bad_points"),
        ] {
            let problems = read("x.toml", text).expect_err(text);
            assert_eq!(problems.0[0].file.as_deref(), Some("x.toml"));
            assert!(problems.0.iter().any(|problem| problem.code.contains(code)), "{text}: {problems:?}");
        }
    }

    proptest! {
        #[test]
        fn a_fit_is_read_as_it_was(work in 0.1..100.0f64, message in 1e-4..1e-2f64, length in proptest::option::of(64u64..4096)) {
            let runs: Vec<Measured> = [1, 2, 3, 4, 8, 16]
                .map(|workers| Measured { workers, time_s: work / workers as f64 + message * workers as f64 })
                .to_vec();
            let auto = fit_auto(&runs, length).expect("fits");
            let again = read("x.toml", &to_text(&auto, "[origin]\nmachine = \"ws1\"\n")).expect("readable").expect("a fit");
            for workers in [1, 5, 32, 100] {
                prop_assert_eq!(again.time_s(workers).to_bits(), auto.time_s(workers).to_bits());
                prop_assert_eq!(again.range(workers, 0.9), auto.range(workers, 0.9));
            }
        }
    }
}
