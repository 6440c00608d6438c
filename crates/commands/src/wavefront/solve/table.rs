//! The predictions as a table, which `runcast evaluate` holds against the runs of `wavefront run`.

use super::document::{Document, Estimate, Estimates};
use crate::failure::Failure;
use runcast_core::numeric::normal;
use runcast_core::table::{Column, Origin};
use runcast_core::{Problem, Table};

/// A predicted time.
struct Row<'a> {
    degree: &'a str,
    estimate: &'static str,
    phases: Option<f64>,
    time_s: f64,
    range_s: Option<(f64, f64)>,
}

/// The time of a run of a given number of phases, with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Run {
    /// How many phases.
    pub phases: u64,
    /// Its mean time.
    pub mean_s: f64,
    /// Its interval.
    pub range_s: Option<(f64, f64)>,
}

/// A row for each estimate, and one for the run of a given number of phases; of every degree where there are some.
///
/// The interval of an estimate is that of a normal law with its spread (autocov).
pub(super) fn csv(document: &Document, run: Option<Run>, level: f64) -> Result<Vec<u8>, Failure> {
    let mut rows = Vec::new();
    if let Some(run) = run {
        let (time_s, phases) = (run.mean_s, Some(run.phases as f64));
        rows.push(Row { degree: "", estimate: "phases", phases, time_s, range_s: run.range_s });
    }
    rows.extend(of_estimates("", &document.estimates, level));
    for degree in document.degrees.iter().flatten() {
        rows.extend(of_estimates(&degree.name, &degree.estimates, level));
    }
    if rows.is_empty() {
        let problem = Problem::new("nothing_to_predict", "without rho, an operator or --phases no time is predicted");
        return Err(problem.at("--table").hint("add rho to the model, or --phases K").into());
    }
    let processes = vec![document.model.processes as f64; rows.len()];
    let number = |name: &str, of: &dyn Fn(&Row) -> Option<f64>| {
        Column::numbers(name, rows.iter().map(|row| of(row).map_or(f64::NAN, rounded)).collect())
    };
    let mut columns = vec![Column::text("estimate", rows.iter().map(|row| row.estimate))];
    if document.degrees.is_some() {
        columns.push(Column::text("degree", rows.iter().map(|row| row.degree)));
    }
    columns.push(Column::numbers("processes", processes));
    columns.push(number("phases", &|row| row.phases));
    columns.push(number("time_s", &|row| Some(row.time_s)));
    columns.push(number("time_low_s", &|row| row.range_s.map(|(low, _)| low)));
    columns.push(number("time_high_s", &|row| row.range_s.map(|(_, high)| high)));
    columns.push(number("interval_level", &|row| row.range_s.map(|_| level)));
    let table = Table { columns, origins: vec![Origin { file: 0, line: 0 }; rows.len()], ..Table::default() };
    let mut csv = Vec::new();
    let failed = |error: std::io::Error| Failure::undone(Problem::new("internal", error.to_string()));
    table.write_csv(&mut csv).map_err(failed)?;
    Ok(csv)
}

/// To 12 digits: what follows is rounding.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

fn of_estimates<'a>(degree: &'a str, estimates: &Estimates, level: f64) -> Vec<Row<'a>> {
    let row = |(estimate, of): (&'static str, &Estimate)| {
        let time_s = of.time_s?;
        let range_s = of.sd_autocov_s.map(|sd_s| around(time_s, sd_s, level));
        Some(Row { degree, estimate, phases: of.phases, time_s, range_s })
    };
    estimates.named().into_iter().filter_map(row).collect()
}

/// The interval of a normal law; a time is not negative.
pub(super) fn around(mean_s: f64, sd_s: f64, level: f64) -> (f64, f64) {
    let half = sd_s * normal::quantile(0.5 + 0.5 * level);
    ((mean_s - half).max(0.0), mean_s + half)
}
