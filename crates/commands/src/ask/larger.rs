//! How long will a larger run take?

use super::fields::{Fields, at};
use super::processes::BEYOND;
use super::shell::Shell;
use super::{Picture, Point, Told, runs, warnings};
use crate::failure::Failure;
use crate::human;
use runcast_core::Configuration;
use serde_json::Value;

/// Points of the curve, at most.
const MOST_POINTS: u32 = 24;

pub fn answer(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    fields.only(&["source", "p", "size", "column"])?;
    let runs = runs::look(fields, shell)?;
    let count = fields.number("p")?.unwrap_or(BEYOND * runs.most);
    fields.fill("p", count);
    let mut others = runs.others.clone();
    if let Some(size) = fields.number("size")? {
        // The size of the problem is the first parameter that does not count processes.
        if let Some(first) = others.0.values_mut().next() {
            *first = size;
        }
    } else if let Some(size) = others.0.values().next() {
        fields.fill("size", *size);
    }
    let target = |processes: f64| {
        let mut at = Configuration([(runs.processes.clone(), processes)].into_iter().collect());
        at.0.extend(others.0.clone());
        at.to_string().replace(", ", ",")
    };
    let line = |targets: Vec<String>| {
        let words = std::iter::once("predict".to_owned()).chain(runs.words.iter().cloned());
        words.chain(targets.into_iter().flat_map(|at| ["--at".to_owned(), at])).collect::<Vec<_>>()
    };
    let document = shell.run(&line(vec![target(count)])).map_err(at("p"))?;
    let mut curve = Vec::new();
    let mut processes = runs.least.min(count);
    while processes < count && curve.len() < MOST_POINTS as usize {
        curve.push(target(processes));
        processes *= 2.0;
    }
    curve.push(target(count));
    let drawn = shell.run(&line(curve)).map_err(at("p"))?;
    let main =
        document["predictions"].as_array().and_then(|all| all.iter().find(|one| one["metric"] == runs.metric.as_str()));
    let main = main.unwrap_or(&document["predictions"][0]);
    let unit = main["unit"].as_str().unwrap_or_default().to_owned();
    let picture = Picture {
        x: runs.processes.clone(),
        y: runs.metric.clone(),
        unit: unit.clone(),
        points: points(&drawn, &runs),
        bars: Vec::new(),
        measured_to: Some(runs.most),
    };
    Ok(Told {
        value: main["value"].as_f64(),
        low: main["low"].as_f64(),
        high: main["high"].as_f64(),
        level: main["level"].as_f64(),
        unit,
        assumptions: runs.assumptions.iter().cloned().chain(warnings(&document)).collect(),
        view: format!("view=line&x={}&y={}", runs.processes, runs.metric),
        picture,
        why: members(main),
        ..Told::of(&document)?
    })
}

fn points(drawn: &Value, runs: &runs::Runs) -> Vec<Point> {
    let all = drawn["predictions"].as_array().into_iter().flatten();
    let of_metric = all.filter(|one| one["metric"] == runs.metric.as_str());
    of_metric
        .filter_map(|one| {
            Some(Point {
                x: one["at"][&runs.processes].as_f64()?,
                y: one["value"].as_f64()?,
                low: one["low"].as_f64(),
                high: one["high"].as_f64(),
            })
        })
        .collect()
}

/// What each member says.
fn members(main: &Value) -> Vec<String> {
    let unit = main["unit"].as_str().unwrap_or_default();
    let all = main["members"].as_array().into_iter().flatten();
    all.filter_map(|member| {
        Some(format!("{} says {}", member["model"].as_str()?, human::quantity(member["value"].as_f64()?, unit)))
    })
    .collect()
}
