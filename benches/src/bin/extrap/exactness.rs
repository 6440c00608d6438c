//! How often each program finds the true term, and how far its forecasts lie from the truth.

use crate::files::{Files, Known};
use crate::tool::Tool;
use runcast_benches::synthetic::PROCESSES;
use runcast_core::accuracy::relative_error;
use runcast_core::statistics::median;
use runcast_formula::Formula;
use serde_json::Value;
use std::fmt::Write as _;

/// How far beyond the largest run is forecast.
const FACTOR: f64 = 4.0;

/// A model of one parameter, as either program tells it.
struct Found {
    formula: String,
    /// Powers of p and of its logarithm.
    exponents: [f64; 2],
}

/// The table.
pub fn section(runcast: &Tool, extrap: &Tool, files: &Files) -> Result<String, String> {
    let largest = PROCESSES[PROCESSES.len() - 1];
    let mut text = format!(
        "420 kernels, ten for each of the 42 terms `p^i*log2(p)^j` that both programs choose from; runs on 4 to {largest}\n\
         processes. Exact: both exponents are the true ones. Error: of the forecast for {} processes against the truth\n\
         without noise.\n\n\
         | kernels | program | exact | error: median | 90th percentile | largest |\n|---|---|---|---|---|---|\n",
        FACTOR * largest
    );
    for file in &files.known {
        for (name, found) in [
            ("runcast `pmnf`", of_runcast(&runcast.models(&file.path)?)?),
            ("Extra-P", of_extrap(&extrap.models(&file.path)?)?),
        ] {
            let _ = writeln!(text, "| {} | {name} | {} |", file.content, judged(file, &found)?);
        }
    }
    Ok(text)
}

fn judged(file: &Known, found: &[Found]) -> Result<String, String> {
    if found.len() != file.truth.len() {
        return Err(format!("{}: {} models of {} kernels", file.path.display(), found.len(), file.truth.len()));
    }
    let p = FACTOR * PROCESSES[PROCESSES.len() - 1];
    let (mut exact, mut errors_pct) = (0, Vec::new());
    for (found, truth) in found.iter().zip(&file.truth) {
        let [i, j] = found.exponents;
        exact += usize::from((i - truth.i).abs() < 1e-9 && (j - truth.j).abs() < 1e-9);
        errors_pct.push(100.0 * relative_error(value(&found.formula, p)?, truth.at(p)));
    }
    errors_pct.sort_by(f64::total_cmp);
    let ninth = errors_pct[(errors_pct.len() * 9).div_ceil(10) - 1];
    let most = errors_pct[errors_pct.len() - 1];
    let all = found.len();
    let share = 100.0 * f64::from(u32::try_from(exact).unwrap_or(0)) / all as f64;
    Ok(format!("{exact} of {all} ({share:.1} %) | {:.1} % | {ninth:.1} % | {most:.1} %", median(&errors_pct)))
}

fn value(formula: &str, p: f64) -> Result<f64, String> {
    let parsed = Formula::parse(formula).map_err(|error| format!("{formula}: {error}"))?;
    parsed.evaluate_at(&[("p", p)]).map_err(|error| format!("{formula}: {error}"))
}

/// The models of the document that `runcast fit --json` prints.
fn of_runcast(lines: &[String]) -> Result<Vec<Found>, String> {
    let document: Value = serde_json::from_str(&lines.join("\n")).map_err(|error| error.to_string())?;
    let models = document["models"].as_array().ok_or("there are no models in the document")?;
    models
        .iter()
        .map(|model| {
            let formula = model["formula"].as_str().ok_or("a model has no formula")?.to_owned();
            let factor = &model["terms"][0]["factors"][0];
            let exponents = ["power", "log_power"].map(|name| factor[name].as_f64().unwrap_or(0.0));
            Ok(Found { formula, exponents })
        })
        .collect()
}

/// The models that Extra-P prints as Python: `2.44+0.045*p**(1/4)*log2(p)**(1)`.
fn of_extrap(lines: &[String]) -> Result<Vec<Found>, String> {
    let models = lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty());
    models
        .map(|line| {
            let formula = line.replace("**", "^");
            let (log_power, rest) = taken(&formula, "log2(p)")?;
            let (power, _) = taken(&rest, "p")?;
            Ok(Found { exponents: [power, log_power], formula })
        })
        .collect()
}

/// The exponent in brackets after `base`, one where there is none, zero where there is no `base`; the text without it.
fn taken(text: &str, base: &str) -> Result<(f64, String), String> {
    let Some((before, after)) = text.split_once(base) else { return Ok((0.0, text.to_owned())) };
    let Some((exponent, after)) = after.strip_prefix("^(").and_then(|after| after.split_once(')')) else {
        return Ok((1.0, format!("{before}1{after}")));
    };
    Ok((value(exponent, 0.0)?, format!("{before}1{after}")))
}
