//! Comparison of the fidelities, at a size that all of them can simulate.

use super::inputs::look;
use super::prepare::{Prepared, Variation};
use super::result::CheckResult;
use super::simulate::RunControl;
use crate::experiment::Value;
use crate::job::Fidelity;
use crate::outcome::Blind;
use runcast_core::{Problem, Problems};

/// Smaller sizes that are tried.
const MOST_TRIES: usize = 64;

/// Times at all fidelities, of a configuration with at most this many processes.
pub(super) fn check(
    prepared: &Prepared,
    most_processes: u64,
    control: &RunControl<'_>,
) -> Result<Vec<CheckResult>, Problems> {
    let small;
    let prepared = if prepared.processes() <= most_processes {
        prepared
    } else {
        small = smaller(prepared, most_processes)?;
        &small
    };
    let tick = prepared.inputs.settings.tick;
    let mut results = Vec::new();
    for fidelity in Fidelity::ALL {
        if fidelity == Fidelity::Flow && prepared.system.is_none() {
            continue;
        }
        look(control.interrupt)?;
        let mut at = prepared.clone();
        at.fidelity = fidelity;
        at.variation.fidelity = Some(fidelity);
        let outcome =
            at.stage(0).and_then(|stage| stage.run(&at.budget(control.interrupt), control.threads, &mut Blind));
        let (time_s, note) = match outcome {
            Ok(outcome) => (Some(tick.to_seconds(outcome.end)), None),
            Err(problems) if problems.0.iter().any(|problem| problem.code == super::INTERRUPTED) => {
                return Err(problems);
            }
            Err(problems) => (None, problems.0.first().map(|problem| problem.message.clone())),
        };
        results.push(CheckResult {
            fidelity: fidelity.word(),
            processes: prepared.processes(),
            time_s,
            difference_pct: None,
            note,
        });
    }
    if let Some(finest) = results.iter().rev().find_map(|result| result.time_s).filter(|time| *time > 0.0) {
        for result in &mut results {
            result.difference_pct = result.time_s.map(|time| (time - finest) / finest * 100.0);
        }
    }
    Ok(results)
}

/// The same with fewer processes: a parameter on which their number depends is made smaller.
fn smaller(prepared: &Prepared, most: u64) -> Result<Prepared, Problems> {
    let processes = prepared.processes();
    let params = prepared.recorded.apps.iter().flat_map(|app| &app.params);
    // Those that are the number of processes, or nearly so, come first.
    let mut candidates: Vec<(&str, f64)> = params
        .filter_map(|(name, value)| match value {
            Value::Number(number) if *number >= 2.0 && number.fract() == 0.0 => Some((name.as_str(), *number)),
            _ => None,
        })
        .collect();
    candidates.sort_by(|a, b| distance(a.1, processes).total_cmp(&distance(b.1, processes)));
    let mut tries = 0;
    for (name, number) in candidates {
        let varied = prepared.inputs.experiment.vary.iter().find(|varied| varied.name == name);
        for value in values(number, varied.map_or(&[], |varied| &varied.values), most) {
            tries += 1;
            if tries > MOST_TRIES {
                break;
            }
            let mut variation: Variation = prepared.variation.clone();
            variation.params.insert(name.to_owned(), Value::Number(value));
            let Ok(found) = prepared.again(&variation) else { continue };
            if found.processes() <= most {
                return Ok(found);
            }
            if found.processes() >= processes {
                break;
            }
        }
    }
    let problem = Problem::new("no_smaller_size", format!("no parameter reduces the {processes} processes"));
    let problem = problem.at("--cross-check").allowed(format!("at most {most} processes"));
    Err(problem.hint("set parameters for fewer processes with --set, or a larger --check-procs").into())
}

fn distance(number: f64, processes: u64) -> f64 {
    (number.ln() - (processes.max(1) as f64).ln()).abs()
}

/// Smaller values, the largest first: those of `[vary]`, halves, and cubes and squares for programs that want these.
fn values(number: f64, varied: &[Value], most: u64) -> Vec<f64> {
    let most = most as f64;
    let mut values: Vec<f64> = varied
        .iter()
        .filter_map(|value| match value {
            Value::Number(value) => Some(*value),
            Value::Text(_) => None,
        })
        .collect();
    let mut half = (number / 2.0).floor();
    while half >= 1.0 && values.len() < 64 {
        values.push(half);
        half = (half / 2.0).floor();
    }
    values.push(most.cbrt().floor().powi(3));
    values.push(most.sqrt().floor().powi(2));
    values.retain(|value| *value >= 1.0 && *value < number);
    values.sort_by(|a, b| b.total_cmp(a));
    values.dedup();
    // What is certainly small enough, where the parameter is the number of processes, comes first.
    values.sort_by_key(|value| *value > most);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_may_fit_come_first_and_cubes_are_among_them() {
        let values = values(4096.0, &[], 512);
        assert_eq!(values.first(), Some(&512.0));
        assert!(values.contains(&484.0) && values.contains(&1.0));
        assert_eq!(super::values(1000.0, &[Value::Number(27.0), Value::Number(343.0)], 512)[0], 512.0);
        assert!(super::values(1000.0, &[], 500).contains(&343.0), "a cube");
    }
}
