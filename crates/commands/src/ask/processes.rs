//! How many processes shall I ask for?

use super::fields::{Fields, at};
use super::shell::Shell;
use super::{Picture, Point, Told, runs, warnings};
use crate::failure::Failure;
use crate::human;
use serde_json::Value;

/// How far beyond what was measured is looked.
pub const BEYOND: f64 = 4.0;

pub fn answer(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    fields.only(&["source", "max_p", "goal", "column"])?;
    let runs = runs::look(fields, shell)?;
    let most = fields.number("max_p")?.unwrap_or(BEYOND * runs.most);
    fields.fill("max_p", most);
    let goal = fields.text("goal", "time")?;
    let mut line = vec!["advise".to_owned(), "processes".to_owned()];
    line.extend(runs.words.iter().cloned());
    line.extend(["--max-p".to_owned(), human::parameter(most)]);
    if goal != "time" {
        line.extend(["--objective".to_owned(), goal]);
    }
    let document = match shell.run(&line) {
        // Parameters that neither follow the processes nor stay the same are asked for at their largest.
        Err(failure) if lacks_parameter(&failure) => {
            line.extend(["--fixed".to_owned(), runs.others.to_string().replace(", ", ",")]);
            shell.run(&line)
        }
        other => other,
    };
    let document = document.map_err(at_option)?;
    let best = &document["recommended"];
    let number = |value: &Value| value.as_f64();
    let points = document["choices"].as_array().into_iter().flatten().filter_map(|choice| {
        Some(Point {
            x: number(&choice["p"])?,
            y: number(&choice["time_s"])?,
            low: number(&choice["low_s"]),
            high: number(&choice["high_s"]),
        })
    });
    let picture = Picture {
        x: runs.processes.clone(),
        y: runs.metric.clone(),
        unit: "s".to_owned(),
        points: points.collect(),
        bars: Vec::new(),
        measured_to: Some(runs.most),
    };
    Ok(Told {
        value: number(&best["p"]),
        assumptions: runs.assumptions.into_iter().chain(warnings(&document)).collect(),
        view: format!("view=line&x={}&y={}", runs.processes, runs.metric),
        picture,
        why: why(&document),
        ..Told::of(&document)?
    })
}

fn lacks_parameter(failure: &Failure) -> bool {
    failure.problems.0.iter().any(|problem| problem.code == "missing_parameter")
}

/// The options that fields became.
fn at_option(failure: Failure) -> Failure {
    let is_of = |option: &str| {
        failure.problems.0.first().and_then(|problem| problem.pointer.as_deref()).is_some_and(|at| at.contains(option))
            || failure.problems.0.first().is_some_and(|problem| problem.message.contains(option))
    };
    let name = if is_of("objective") {
        "goal"
    } else if is_of("max-p") {
        "max_p"
    } else {
        "source"
    };
    at(name)(failure)
}

fn why(document: &Value) -> Vec<String> {
    let best = &document["recommended"];
    let figure = |name: &str, before: &str, after: &str| {
        best[name].as_f64().map(|value| format!("{before}{}{after}", human::significant(value, 3)))
    };
    let against =
        best["speedup_against_p"].as_f64().map_or(String::new(), |p| format!(" against {}", human::parameter(p)));
    [
        figure("speedup", "speedup ", &against),
        figure("efficiency", "efficiency ", ""),
        figure("core_hours", "", " core-hours a run"),
        document["near_best_p"]
            .as_f64()
            .map(|p| format!("within 5 % of the best time from {} on", human::parameter(p))),
    ]
    .into_iter()
    .flatten()
    .collect()
}
