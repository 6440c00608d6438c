//! Curves over workers against measured times: the results of `runcast bsf validate`, as a picture and a section of a page.

use crate::comparison::range_label;
use crate::number;
use crate::page::{Block, Column, Section, Table};
use crate::plot::{Axis, Band, Ink, Line, Place, Plot, Points, Rule};
use crate::warnings;
use crate::words;
use runcast_core::Warning;

/// Measured times and the curves compared with them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Validation {
    /// Short description of the measurements.
    pub title: String,
    /// Level of the intervals.
    pub level: f64,
    /// `(workers, seconds)` of the runs that the curves were fitted to.
    pub fitted: Vec<(f64, f64)>,
    /// `(workers, seconds)` of the other runs.
    pub held_out: Vec<(f64, f64)>,
    pub curves: Vec<Curve>,
    pub warnings: Vec<Warning>,
}

/// A curve over workers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// Its distinguishing name: `granular, flat`.
    pub name: String,
    /// Fixed part, work and cost per worker \[s\]; none for a curve that was not fitted.
    pub coefficients: Option<[f64; 3]>,
    /// The scalability boundary.
    pub boundary: Option<f64>,
    /// Its interval; an end may be open.
    pub boundary_range: (Option<f64>, Option<f64>),
    /// Mean and largest error over the fitted runs, in percent.
    pub fitted_error_pct: Option<(f64, f64)>,
    /// Mean and largest error over the other runs, in percent.
    pub test_error_pct: Option<(f64, f64)>,
    /// Share of the other runs inside their range, in percent.
    pub test_coverage_pct: Option<f64>,
    /// The curve, from the fewest workers to the most.
    pub line: Vec<CurvePoint>,
    /// Its predictions at each run, and at other requested numbers of workers.
    pub points: Vec<ComparedPoint>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Number of workers.
    pub workers: f64,
    /// Time \[s\].
    pub time_s: f64,
    /// Its interval; an end may be infinite.
    pub range_s: Option<(f64, f64)>,
}

/// A predicted time beside a measured one.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedPoint {
    /// The set of the run: `train`, `test`, or `requested` if there is no run.
    pub part: String,
    /// The measured time \[s\].
    pub measured_s: Option<f64>,
    pub predicted: CurvePoint,
    /// The error, in percent.
    pub error_pct: Option<f64>,
}

/// More bands than this hide each other.
const MOST_BANDS: usize = 3;
const MOST_ROWS: usize = 500;

/// The runs, the curves with their intervals, the end of the fitted range, and the boundary if it is in view.
pub fn plot(validation: &Validation) -> Plot {
    let plot = Plot::new(&*validation.title, Axis::new("workers", ""), Axis::new("time", "s"));
    let mut plot = plot.subtitled(boundaries(&validation.curves));
    let bands = validation.curves.len() <= MOST_BANDS;
    for curve in &validation.curves {
        let values = curve.line.iter().filter_map(|at| at.range_s.map(|(low, high)| (at.workers, low, high)));
        let band = Band {
            name: curve.name.clone(),
            label: range_label(validation.level),
            values: values.collect(),
            ink: Ink::Auto,
        };
        if bands && !band.values.is_empty() {
            plot = plot.with(band);
        }
        plot = plot.with(Line::new(&*curve.name, curve.line.iter().map(|at| (at.workers, at.time_s))));
    }
    plot.layers.extend(rules(validation).into_iter().map(Into::into));
    let (seen, unseen) = if validation.fitted.is_empty() { ("", "measured") } else { ("fitted", "not fitted") };
    if !validation.fitted.is_empty() {
        plot = plot.with(Points::new(seen, validation.fitted.iter().copied()).inked(Ink::Measured));
    }
    if !validation.held_out.is_empty() {
        let points = Points::new(unseen, validation.held_out.iter().copied());
        plot = plot.with(if validation.fitted.is_empty() { points.inked(Ink::Measured) } else { points });
    }
    plot
}

/// The end of the fitted range, and the boundaries in view.
fn rules(validation: &Validation) -> Vec<Rule> {
    let end = validation.fitted.iter().map(|run| run.0).fold(f64::NEG_INFINITY, f64::max);
    let last = validation.curves.iter().flat_map(|curve| curve.line.last()).map(|at| at.workers).fold(0.0, f64::max);
    let mut rules = Vec::new();
    if end.is_finite() && last > end {
        rules.push(Rule::end_of_data(end, "extrapolated"));
    }
    let in_sight = |boundary: &f64| (1.0..=last).contains(boundary);
    let boundaries = validation.curves.iter().filter_map(|curve| curve.boundary).filter(in_sight);
    rules.extend(boundaries.map(|boundary| Rule { place: Place::Vertical(boundary), label: "K_max".to_owned() }));
    rules
}

/// `Boundary K_max: smooth, flat: 906 (269 or more)`
fn boundaries(curves: &[Curve]) -> String {
    let told: Vec<String> = curves.iter().map(|curve| format!("{}: {}", curve.name, boundary_text(curve))).collect();
    if told.is_empty() { String::new() } else { format!("Boundary K_max: {}", told.join("; ")) }
}

/// All of it as a section of a page.
pub fn section(validation: &Validation) -> Section {
    let mut section = Section::new("Predicted against measured");
    section.blocks.extend(warnings::blocks(&validation.warnings).into_iter().map(of_boundary));
    section.push(curve_table(&validation.curves));
    section.push(plot(validation));
    for curve in &validation.curves {
        let blocks = vec![Block::Table(point_table(curve, validation.level))];
        section.push(Block::Details { summary: format!("All points of {}", curve.name), blocks });
    }
    section
}

/// Here a boundary is extrapolated, not a target.
fn of_boundary(mut block: Block) -> Block {
    if let Block::Warning(notice) = &mut block
        && notice.code == "extrapolation"
    {
        notice.remedy = "Measure with more workers, nearer to the boundary, before relying on it.".to_owned();
    }
    block
}

/// One row per curve.
fn curve_table(curves: &[Curve]) -> Table {
    let mut table = Table::new(
        "Curves and their errors",
        [
            Column::text("curve"),
            Column::number("fixed", "s"),
            Column::number("work", "s"),
            Column::number("per worker", "s"),
            Column::number("boundary K_max", ""),
            Column::number("error, fitted runs", "%"),
            Column::number("error, other runs", "%"),
            Column::number("worst of these", "%"),
            Column::number("of these in range", "%"),
        ],
    );
    for curve in curves {
        let mut row = vec![curve.name.clone()];
        row.extend(
            (0..3).map(|index| optional(curve.coefficients.map(|all| all[index]), |v| number::significant(v, 4))),
        );
        row.push(boundary_text(curve));
        row.push(optional(curve.fitted_error_pct.map(|(mean, _)| mean), words::bare_percent));
        row.push(optional(curve.test_error_pct.map(|(mean, _)| mean), words::bare_percent));
        row.push(optional(curve.test_error_pct.map(|(_, most)| most), words::bare_percent));
        row.push(optional(curve.test_coverage_pct, words::bare_percent));
        table.rows.push(row);
    }
    table
}

/// The boundary with its range: `906 (269 or more)`.
pub fn boundary_text(curve: &Curve) -> String {
    let number = |value: f64| number::significant(value, 3);
    let range = match curve.boundary_range {
        (Some(low), Some(high)) => format!("{} to {}", number(low), number(high)),
        (Some(low), None) => format!("{} or more", number(low)),
        (None, Some(high)) => format!("up to {}", number(high)),
        (None, None) => String::new(),
    };
    match (curve.boundary, range.is_empty()) {
        (Some(boundary), true) => number(boundary),
        (Some(boundary), false) => format!("{} ({range})", number(boundary)),
        (None, true) => "not seen".to_owned(),
        (None, false) => range,
    }
}

/// A row for each number of workers.
fn point_table(curve: &Curve, level: f64) -> Table {
    let more = curve.points.len().saturating_sub(MOST_ROWS);
    let caption = match more {
        0 => curve.name.clone(),
        _ => format!("{}: the first {MOST_ROWS} of {}", curve.name, curve.points.len()),
    };
    let mut table = Table::new(
        caption,
        [
            Column::number("workers", ""),
            Column::text("part"),
            Column::number("measured", "s"),
            Column::number("predicted", "s"),
            Column::number(range_label(level), "s"),
            Column::number("error", "%"),
        ],
    );
    for point in curve.points.iter().take(MOST_ROWS) {
        let seconds = |value: f64| number::significant(value, 4);
        let range = |(low, high): (f64, f64)| match high.is_finite() {
            true => format!("{} to {}", seconds(low), seconds(high)),
            false => format!("{} or more", seconds(low)),
        };
        table.rows.push(vec![
            number::parameter(point.predicted.workers),
            point.part.clone(),
            optional(point.measured_s, seconds),
            seconds(point.predicted.time_s),
            point.predicted.range_s.map_or_else(|| number::DASH.to_owned(), range),
            optional(point.error_pct, words::bare_percent),
        ]);
    }
    table
}

fn optional(value: Option<f64>, shown: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| number::DASH.to_owned(), shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(workers: f64, time_s: f64) -> CurvePoint {
        CurvePoint { workers, time_s, range_s: Some((0.9 * time_s, f64::INFINITY)) }
    }

    fn validation() -> Validation {
        let point = |part: &str, measured_s| ComparedPoint {
            part: part.to_owned(),
            measured_s,
            predicted: at(2.0, 5.0),
            error_pct: measured_s.map(|_| 1.0),
        };
        let curve = Curve {
            name: "smooth, flat".to_owned(),
            coefficients: Some([0.0, 10.0, 0.1]),
            boundary: Some(10.0),
            boundary_range: (Some(9.0), None),
            line: vec![at(1.0, 10.1), at(20.0, 2.5)],
            points: vec![point("train", Some(5.1)), point("requested", None)],
            ..Curve::default()
        };
        Validation {
            title: "a program".to_owned(),
            level: 0.9,
            fitted: vec![(1.0, 10.0), (2.0, 5.1)],
            curves: vec![curve],
            ..Validation::default()
        }
    }

    #[test]
    fn a_boundary_in_sight_is_drawn() {
        let mut validation = validation();
        let rules = |validation: &Validation| rules(validation).len();
        assert_eq!(rules(&validation), 2, "the end of what was fitted, and the boundary");
        validation.curves[0].boundary = Some(21.0);
        assert_eq!(rules(&validation), 1);
    }

    #[test]
    fn open_ends_are_told_in_words() {
        let mut validation = validation();
        let html = crate::page::Page { sections: vec![section(&validation)], ..Default::default() }.to_html();
        assert!(html.contains("10 (9 or more)") && html.contains("4.5 or more"), "{html}");
        assert!(!html.contains("inf") && !html.contains("NaN"));
        validation.curves[0].boundary = None;
        assert_eq!(boundary_text(&validation.curves[0]), "9 or more");
        validation.curves[0].boundary_range = (None, None);
        assert_eq!(boundary_text(&validation.curves[0]), "not seen");
    }
}
