//! Synchronous or asynchronous?

use super::fields::{Fields, at, pointer};
use super::shell::{Shell, argv};
use super::{Bar, Picture, Told, samples, warnings};
use crate::failure::Failure;
use crate::human;
use runcast_core::Problem;
use std::collections::BTreeMap;
use std::path::Path;

/// Degrees that are compared where the model names none.
const DEGREES: &str = "1/0,1/1,2/0,2/1";
/// Digits that are wanted by default.
const DIGITS: f64 = 6.0;
/// Processes of a model, at most.
const MOST_PROCESSES: f64 = 1000.0;

/// What must be read.
pub fn reads(fields: &mut Fields<'_>) -> Result<Vec<Vec<String>>, Failure> {
    Ok(vec![argv(["wavefront", "solve", &fields.text("model", samples::WAVEFRONT)?])])
}

pub fn answer(fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    fields.only(&["model", "p", "digits"])?;
    let mut model = fields.text("model", samples::WAVEFRONT)?;
    let mut files = BTreeMap::new();
    if let Some(count) = fields.number("p")? {
        let text = shell.context.read_text(Path::new(&model)).map_err(at("model"))?;
        if let Some(other) = with_processes(&text, count)? {
            model = named(&model, count);
            shell.lay_over(&model, &other);
            files.insert(model.clone(), other);
        }
    }
    let digits = fields.number("digits")?.unwrap_or(DIGITS);
    fields.fill("digits", digits);
    let omega = format!("omega={}", human::parameter(digits));
    let line = argv(["wavefront", "solve", &model, "--set", &omega, "--degrees", DEGREES]);
    let document = shell.run(&line).map_err(at("model"))?;
    let degrees = document["degrees"].as_array().into_iter().flatten();
    let bars = degrees.filter_map(|degree| {
        let time_s = degree["estimates"]["operator"]["time_s"].as_f64()?;
        Some(Bar { name: degree["name"].as_str()?.to_owned(), value: time_s })
    });
    let bars: Vec<Bar> = bars.collect();
    let why = bars.iter().map(|bar| format!("{}: {}", bar.name, human::quantity(bar.value, "s"))).collect();
    if let Some(processes) = document["model"]["processes"].as_f64() {
        fields.fill("p", processes);
    }
    let ratios = document["ranking"]["time_ratio"].as_array();
    Ok(Told {
        value: ratios.and_then(|ratios| ratios.get(1)).and_then(serde_json::Value::as_f64),
        assumptions: warnings(&document),
        view: "view=dots".to_owned(),
        why,
        files,
        picture: Picture {
            x: "degree".to_owned(),
            y: "time".to_owned(),
            unit: "s".to_owned(),
            bars,
            ..Picture::default()
        },
        ..Told::of(&document)?
    })
}

/// The model with so many processes: those that the only `count` stands for become more or fewer. None: it has as many.
fn with_processes(text: &str, count: f64) -> Result<Option<String>, Failure> {
    let refused = |message: &str, allowed: &str| {
        let problem = Problem::new("invalid_value", message).at(pointer("p")).value(human::parameter(count));
        Err(problem.allowed(allowed).into())
    };
    let is_count = |line: &&str| {
        let value = line.trim_start().strip_prefix("count").map(str::trim_start);
        value.is_some_and(|value| value.starts_with('='))
    };
    let tables = text.lines().filter(|line| line.trim_start().starts_with("[[process]]")).count();
    let mut counts = text.lines().filter(is_count);
    let (Some(line), None) = (counts.next(), counts.next()) else {
        return refused("this model names its processes one by one", "the number that the model has: leave it empty");
    };
    let others = tables.saturating_sub(1) as f64;
    if count.fract() != 0.0 || count - others < 1.0 || count > MOST_PROCESSES {
        return refused("the model cannot have so many processes", &format!("{} to 1000", others + 1.0));
    }
    let changed = format!("count = {}", human::parameter(count - others));
    Ok((line.trim() != changed).then(|| text.replacen(line, &changed, 1)))
}

/// `shared-machines.toml` with 12 processes is `shared-machines-12.toml`.
fn named(model: &str, count: f64) -> String {
    let stem = model.strip_suffix(".toml").unwrap_or(model);
    format!("{stem}-{}.toml", human::parameter(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RING: &str = "[wavefront]\nstep = \"1s\"\n[[process]]\nname = \"a\"\n[[process]]\nname = \"b\"\ncount = 7\n";

    #[test]
    fn processes_that_are_alike_become_as_many_as_asked() {
        let text = with_processes(RING, 12.0).expect("a count").expect("another model");
        assert!(text.contains("count = 11\n") && !text.contains("count = 7"), "{text}");
        assert_eq!(with_processes(RING, 8.0).expect("a count"), None);
        assert!(with_processes(RING, 1.0).is_err() && with_processes(RING, 2.5).is_err());
        assert!(with_processes("[[process]]\nname = \"a\"\n", 2.0).is_err());
        assert_eq!(named("x/ring.toml", 12.0), "x/ring-12.toml");
    }
}
