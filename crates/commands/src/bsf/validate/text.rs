//! The text for people.

use super::document::{CurveEntry, Document, PointEntry, REQUESTED};
use super::times::Times;
use crate::context::Screen;
use crate::human::{self, Table};
use runcast_report::bsf_report::{Validation, boundary_text};

/// A sentence, a row a curve, and a row a number of workers.
pub(super) fn text(summary: &str, document: &Document, validation: &Validation, screen: Screen) -> String {
    let level = human::significant(100.0 * document.level, 4);
    format!(
        "{summary}\n\n{}\n{}\nerror: |predicted - measured|/measured; ranges hold with a probability of {level} %\n",
        curves(document, validation).render(screen),
        points(document).render(screen),
    )
}

/// `rnd400-0: 15 numbers of workers (20 to 320), 5 of them fitted (20 to 100); a list of 400 elements`
pub(super) fn summary(times: &Times, source: &str, list_length: Option<u64>) -> String {
    let all = times.workers();
    let range = |workers: &[u64]| match workers {
        [first, .., last] => format!("{first} to {last}"),
        [one] => one.to_string(),
        [] => String::new(),
    };
    let fitted: Vec<u64> = times.train.iter().map(|run| run.measured.workers).collect();
    let split = match source {
        "fit" if times.test.is_empty() => "all fitted".to_owned(),
        "fit" => format!("{} of them fitted ({})", fitted.len(), range(&fitted)),
        _ => "none of them fitted".to_owned(),
    };
    let list = list_length.map_or(String::new(), |length| format!("; a list of {length} elements"));
    let counts = human::count(all.len(), "number of workers", "numbers of workers");
    format!("{}: {counts} ({}), {split}{list}", times.name, range(&all))
}

fn curves(document: &Document, validation: &Validation) -> Table {
    let table = Table::new().text("form").text("collective").text("loss").number("fixed [s]").number("work [s]");
    let table = table.number("per worker [s]").number("K_max").number("error, fitted").number("error, test");
    let mut table = table.number("worst").number("in range");
    for (curve, shown) in document.curves.iter().zip(&validation.curves) {
        let coefficient =
            |of: fn(&CurveEntry) -> Option<f64>| of(curve).map_or(String::new(), |value| human::significant(value, 4));
        table.row([
            curve.form.to_owned(),
            curve.collective.to_owned(),
            curve.loss.unwrap_or_default().to_owned(),
            coefficient(|curve| curve.coefficients.map(|found| found.fixed_s)),
            coefficient(|curve| curve.coefficients.map(|found| found.work_s)),
            coefficient(|curve| curve.coefficients.map(|found| found.per_worker_s)),
            boundary_text(shown).replace('\u{2013}', human::DASH),
            percent(curve.train.map(|errors| errors.mean_error_pct)),
            percent(curve.test.map(|errors| errors.mean_error_pct)),
            percent(curve.test.map(|errors| errors.max_error_pct)),
            percent(curve.test.and_then(|errors| errors.coverage_pct)),
        ]);
    }
    table
}

/// Measured times beside those of each curve, which all have the same numbers of workers.
fn points(document: &Document) -> Table {
    let mut table = Table::new().number("workers").text("part").text("beyond").number("measured [s]");
    let several = document.curves.len() > 1;
    for curve in &document.curves {
        let name = format!("{} {}", curve.form, curve.collective);
        table = table.number(if several { format!("{name} [s]") } else { "predicted [s]".to_owned() });
        table = table.number("range [s]").number("error");
    }
    let first = document.curves.first().map_or(&[][..], |curve| curve.points.as_slice());
    for (index, point) in first.iter().enumerate() {
        let part = if point.part == REQUESTED { "-" } else { point.part };
        let measured = point.measured_s.map_or(human::DASH.to_owned(), seconds);
        let mut row = vec![point.workers.to_string(), part.to_owned(), beyond(point), measured];
        for point in document.curves.iter().filter_map(|curve| curve.points.get(index)) {
            row.extend([seconds(point.predicted_s), range(point), percent(point.error_pct)]);
        }
        table.row(row);
    }
    table
}

/// How many times beyond the fitted numbers of workers: `x1.2`.
fn beyond(point: &PointEntry) -> String {
    let distance = point.distance.filter(|distance| *distance > 1.0);
    distance.map_or(String::new(), |distance| format!("x{}", human::significant(distance, 2)))
}

fn range(point: &PointEntry) -> String {
    // So low that it only says that no time is 0.
    let is_cut = |low: f64| low < 0.002 * point.predicted_s;
    match (point.low_s, point.high_s) {
        (Some(low), None) if is_cut(low) => "any".to_owned(),
        (Some(low), Some(high)) if is_cut(low) => format!("up to {}", seconds(high)),
        (Some(low), Some(high)) => format!("{} to {}", seconds(low), seconds(high)),
        (Some(low), None) => format!("{} or more", seconds(low)),
        (None, _) => String::new(),
    }
}

fn seconds(value: f64) -> String {
    human::significant(value, 4)
}

/// Empty where there is nothing to tell, so that the whole column can go.
fn percent(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| human::percent(Some(value)))
}
