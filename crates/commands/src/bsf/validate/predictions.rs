//! The curves as a table of predictions, which `runcast evaluate` reads.

use super::document::{CurveEntry, Document, PointEntry};
use crate::failure::Failure;
use runcast_core::table::{Column, Origin};
use runcast_core::{Problem, Table};

/// A row for each curve and number of workers, as CSV. Labels tell the curves apart; a bound that is not there is empty.
pub(super) fn table(document: &Document) -> Result<Vec<u8>, Failure> {
    let rows: Vec<(&CurveEntry, &PointEntry)> =
        document.curves.iter().flat_map(|curve| curve.points.iter().map(move |point| (curve, point))).collect();
    let text = |name: &str, of: fn(&CurveEntry, &PointEntry) -> &'static str| {
        Column::text(name, rows.iter().map(|(curve, point)| of(curve, point)))
    };
    let number = |name: &str, of: &dyn Fn(&PointEntry) -> Option<f64>| {
        Column::numbers(name, rows.iter().map(|(_, point)| of(point).unwrap_or(f64::NAN)).collect())
    };
    let mut columns = vec![text("form", |curve, _| curve.form), text("collective", |curve, _| curve.collective)];
    if document.curves.iter().any(|curve| curve.loss.is_some()) {
        columns.push(text("loss", |curve, _| curve.loss.unwrap_or_default()));
    }
    columns.push(number("workers", &|point| Some(point.workers as f64)));
    columns.push(number("time_s", &|point| Some(point.predicted_s)));
    columns.push(number("time_low_s", &|point| point.low_s));
    columns.push(number("time_high_s", &|point| point.high_s));
    columns.push(number("interval_level", &|point| point.low_s.map(|_| document.level)));
    let table = Table { columns, origins: vec![Origin { file: 0, line: 0 }; rows.len()], ..Table::default() };
    let mut csv = Vec::new();
    let failed = |error: std::io::Error| Failure::undone(Problem::new("internal", error.to_string()));
    table.write_csv(&mut csv).map_err(failed)?;
    Ok(csv)
}
