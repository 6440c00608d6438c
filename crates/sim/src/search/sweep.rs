//! All combinations of what an experiment varies, simulated in parallel: each row is known by a hash of everything that it
//! depends on, so that a table continues where it was left.

mod key;

pub use key::simulation_key;

use crate::attributes::{self, Attributes};
use crate::experiment::{Value, Varied};
use crate::noise::NoiseSpec;
use crate::run::{self, Inputs, Prepared, RunResult};
use rayon::prelude::*;
use runcast_core::{Problem, Problems};
use runcast_formula::{is_name, nearest};
use std::sync::atomic::AtomicBool;

/// Maximum number of rows.
pub const MOST_ROWS: u64 = 10_000_000;

/// A varied name with its values.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// A parameter, `hardware.ID`, `use.GROUP`, `map.LABEL`, `share.APP`, `c.NAME`, `noise.NAME`, `ID.KEY`, `fidelity`.
    pub name: String,
    /// Its values; never empty.
    pub values: Vec<Value>,
}

/// A row: a combination and a repetition.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// A value for each axis.
    pub values: Vec<Value>,
    /// Counted from 0.
    pub repetition: u64,
}

/// A simulated row, or its error.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Hash of everything that it depends on.
    pub key: String,
    /// The result, or what is wrong with this combination.
    pub result: Result<Box<RunResult>, Problem>,
}

/// Axes of what an experiment varies; `catalogue:KIND` becomes all entries of a kind.
///
/// # Errors
/// A name that varies twice, an unknown kind, no values.
pub fn axes(vary: &[Varied], inputs: &Inputs) -> Result<Vec<Axis>, Problem> {
    let mut axes: Vec<Axis> = Vec::with_capacity(vary.len());
    for varied in vary {
        let wrong = |problem: Problem| varied.spot.locate(&inputs.experiment.file, problem);
        if axes.iter().any(|axis| axis.name == varied.name) {
            return Err(wrong(Problem::new("repeated", format!("{} varies twice", varied.name))));
        }
        let values = match varied.values.as_slice() {
            [Value::Text(text)] if text.starts_with("catalogue:") => {
                entries(&text["catalogue:".len()..], inputs).map_err(wrong)?
            }
            values => values.to_vec(),
        };
        if varied.name.starts_with("hardware.") {
            known_hardware(&values, inputs).map_err(wrong)?;
        }
        if values.is_empty() {
            return Err(wrong(Problem::new("no_values", format!("{} has no values", varied.name))));
        }
        axes.push(Axis { name: varied.name.clone(), values });
    }
    Ok(axes)
}

fn entries(kind: &str, inputs: &Inputs) -> Result<Vec<Value>, Problem> {
    let catalogue = run::catalogue(inputs).map_err(|Problems(mut problems)| problems.remove(0))?;
    let found: Vec<Value> = catalogue.of_kind(kind).map(|entry| Value::Text(entry.id.clone())).collect();
    if found.is_empty() {
        return Err(Problem::new("unknown_kind", "the catalogue has no entry of this kind")
            .value(kind)
            .hint("runcast sim hardware list shows kinds"));
    }
    Ok(found)
}

/// Names of entries: one that is not there would fail in every row.
fn known_hardware(values: &[Value], inputs: &Inputs) -> Result<(), Problem> {
    let catalogue = run::catalogue(inputs).map_err(|Problems(mut problems)| problems.remove(0))?;
    let kinds: Vec<&str> = catalogue.iter().map(|entry| entry.kind.as_str()).collect();
    for value in values {
        if let Value::Text(id) = value {
            catalogue.find(id, &kinds)?;
        }
    }
    Ok(())
}

/// All points: the last axis fastest, repetitions faster still.
///
/// # Errors
/// `too_many_rows`.
pub fn points(axes: &[Axis], repetitions: u64) -> Result<Vec<Point>, Problem> {
    let rows = axes.iter().try_fold(repetitions.max(1), |rows, axis| rows.checked_mul(axis.values.len() as u64));
    let Some(rows) = rows.filter(|rows| *rows <= MOST_ROWS) else {
        return Err(Problem::new("too_many_rows", "there are too many combinations")
            .at("--vary")
            .allowed(format!("{MOST_ROWS} rows at most")));
    };
    let repetitions = repetitions.max(1);
    let point = |row: u64| {
        let mut rest = row / repetitions;
        let mut values: Vec<Value> = axes
            .iter()
            .rev()
            .map(|axis| {
                let count = axis.values.len() as u64;
                let value = axis.values[(rest % count) as usize].clone();
                rest /= count;
                value
            })
            .collect();
        values.reverse();
        Point { values, repetition: row % repetitions }
    };
    Ok((0..rows).map(point).collect())
}

/// Names that vary must mean something: asked before anything is simulated.
///
/// A script may ask for a parameter only where another has some value, so that one that is unknown at the outset is looked for
/// at the first and the last point, too.
///
/// # Errors
/// `unknown_name`, with what is known.
pub fn check_names(base: &Prepared, axes: &[Axis], points: &[Point]) -> Result<(), Problem> {
    let known = known_names(base);
    let is_known = |name: &str| {
        let is_listed = |name: &str| known.iter().any(|known| known == name);
        let of_place = name.strip_prefix("place.").map(|label| format!("map.{label}"));
        is_listed(name) || of_place.is_some_and(|name| is_listed(&name)) || is_noise(name) || is_attribute(base, name)
    };
    for axis in axes.iter().filter(|axis| !is_known(&axis.name)) {
        let probes = [points.first(), points.last()].into_iter().flatten();
        let is_asked_for = |point: &Point| match prepare(base, axes, point) {
            Ok(prepared) => known_names(&prepared).contains(&axis.name),
            Err(_) => false,
        };
        if !axis.name.contains('.') && probes.into_iter().any(is_asked_for) {
            continue;
        }
        let message = format!("{} cannot vary: there is nothing with this name", axis.name);
        let mut problem = Problem::new("unknown_name", message).value(axis.name.as_str()).allowed(known.join(", "));
        problem.hint =
            nearest(&axis.name, known.iter().map(String::as_str)).map(|near| format!("did you mean {near}?"));
        return Err(problem);
    }
    Ok(())
}

/// Whether a name is `noise.NAME`.
fn is_noise(name: &str) -> bool {
    name.strip_prefix("noise.").is_some_and(|size| NoiseSpec::default().set(size, 0.0).is_ok())
}

/// Whether a name is `ID.KEY`: an attribute of a component or a network.
fn is_attribute(base: &Prepared, name: &str) -> bool {
    let (Some((id, key)), Some(read)) = (name.rsplit_once('.'), &base.system) else { return false };
    let components = read.system.components.iter().map(|one| (&one.id, &one.attributes));
    let networks = read.system.networks.iter().map(|one| (&one.id, &one.attributes));
    let has = |attributes: &Attributes| attributes.attribute(key).is_some() || attributes::known(key).is_some();
    components.chain(networks).any(|(known, attributes)| known == id && has(attributes))
}

/// What may vary: parameters, `fidelity`, `hardware.ID`, `use.GROUP`, `map.LABEL`, `share.APP`, `c.NAME`.
fn known_names(base: &Prepared) -> Vec<String> {
    let params = base.recorded.apps.iter().flat_map(|app| &app.params).map(|(name, _)| name.clone());
    let mut known: Vec<String> = params.chain(["fidelity".to_owned()]).collect();
    if let Some(read) = &base.system {
        let system = &read.system;
        let with_hardware = system.components.iter().filter(|component| !component.kind.hardware().is_empty());
        known.extend(with_hardware.map(|component| format!("hardware.{}", component.id)));
        known.extend(system.networks.iter().map(|network| format!("hardware.{}", network.id)));
        known.extend(system.networks.iter().map(|network| format!("use.{}", system.components[network.of].id)));
        // Errors in a file of coefficients are reported when it is used.
        let models = base.models().unwrap_or_default();
        let keys = models.iter().flat_map(|model| model.coefficients.keys()).filter(|name| is_name(name));
        known.extend(keys.map(|name| format!("c.{name}")));
    }
    known.extend(base.recorded.application.labels.iter().map(|label| format!("map.{}", label.name)));
    known.extend(base.recorded.apps.iter().map(|app| format!("share.{}", app.name)));
    let mut seen = std::collections::HashSet::new();
    known.retain(|name| seen.insert(name.clone()));
    known
}

pub fn key(base: &Prepared, axes: &[Axis], point: &Point) -> String {
    key::key(base, axes, point)
}

/// Simulates points on this many threads; `done` is given each as it comes, in any order.
///
/// # Errors
/// An interrupt. What is wrong with one combination is in its row.
pub fn run(
    base: &Prepared,
    axes: &[Axis],
    points: &[Point],
    jobs: usize,
    interrupt: &AtomicBool,
    done: &(dyn Fn(usize, Row) + Sync),
) -> Result<(), Problems> {
    // Repetitions of a combination follow one another: its script is recorded once.
    let combinations: Vec<Vec<usize>> = {
        let mut all: Vec<Vec<usize>> = Vec::new();
        for (index, point) in points.iter().enumerate() {
            match all.last_mut().filter(|last| points[last[0]].values == point.values) {
                Some(last) => last.push(index),
                None => all.push(vec![index]),
            }
        }
        all
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.max(1)).build();
    let pool = pool.map_err(|error| Problem::new("threads", error.to_string()))?;
    let one = |rows: &Vec<usize>| -> Result<(), Problems> {
        let prepared = prepare(base, axes, &points[rows[0]]);
        for &index in rows {
            let result = match &prepared {
                Ok(prepared) => run::repetition(prepared, points[index].repetition, interrupt).map(Box::new),
                Err(problems) => Err(problems.clone()),
            };
            let result = match result {
                Ok(result) => Ok(result),
                Err(Problems(problems)) if problems.iter().any(|problem| problem.code == run::INTERRUPTED) => {
                    return Err(Problems(problems));
                }
                Err(Problems(problems)) => Err(problems.into_iter().next().unwrap_or_default()),
            };
            done(index, Row { key: key(base, axes, &points[index]), result });
        }
        Ok(())
    };
    pool.install(|| combinations.par_iter().try_for_each(one))
}

/// The prepared simulation of a point.
///
/// # Errors
/// What is wrong with the combination.
pub fn prepare(base: &Prepared, axes: &[Axis], point: &Point) -> Result<Prepared, Problems> {
    let mut variation = base.variation.clone();
    for (axis, value) in axes.iter().zip(&point.values) {
        variation.set(&axis.name, value.clone())?;
    }
    base.again(&variation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_is_the_fastest() {
        let numbers = |values: &[f64]| values.iter().map(|value| Value::Number(*value)).collect::<Vec<_>>();
        let axes = [
            Axis { name: "p".to_owned(), values: numbers(&[1.0, 2.0]) },
            Axis { name: "n".to_owned(), values: numbers(&[10.0, 20.0, 30.0]) },
        ];
        let all = points(&axes, 2).expect("few");
        assert_eq!(all.len(), 12);
        assert_eq!(all[0], Point { values: numbers(&[1.0, 10.0]), repetition: 0 });
        assert_eq!(all[1], Point { values: numbers(&[1.0, 10.0]), repetition: 1 });
        assert_eq!(all[2], Point { values: numbers(&[1.0, 20.0]), repetition: 0 });
        assert_eq!(all[11], Point { values: numbers(&[2.0, 30.0]), repetition: 1 });
        assert_eq!(points(&[], 1).expect("one").len(), 1);
        let many = vec![axes[1].clone(); 40];
        assert_eq!(points(&many, 1).expect_err("3^40").code, "too_many_rows");
    }
}
