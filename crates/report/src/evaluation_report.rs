//! Predictions against runs that the models had not seen: tables of errors, scatter, histogram, ranking.

use crate::comparison::{Pairs, scatter};
use crate::number;
use crate::page::{Block, Column, Section, Table};
use crate::plot::{Axis, Bar, Bars, Plot, RankedRow, Ranking, Scale};
use crate::warnings;
use crate::words;
use indexmap::IndexMap;
use runcast_core::configuration::Configuration;
use runcast_core::evaluation::{self, EvaluationDocument, EvaluationPoint, HistogramBin, ModelSummary};
use runcast_core::{Direction, Metric, Warning};
use serde::Deserialize;

/// The results of `runcast evaluate`: made from its document, or read from it as JSON (only the runs and warnings are
/// used; summaries and histogram follow from them).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(from = "Document")]
pub struct Evaluation {
    /// Warnings about the whole.
    pub warnings: Vec<Warning>,
    /// Summary of each model.
    pub models: Vec<ModelSummary>,
    /// Every prediction with its run.
    pub points: Vec<EvaluationPoint>,
    /// Histogram of the errors.
    pub histogram: Vec<HistogramBin>,
}

impl From<EvaluationDocument> for Evaluation {
    fn from(document: EvaluationDocument) -> Self {
        Evaluation::of(document.points, document.warnings)
    }
}

/// More models than this side by side in one picture cannot be distinguished.
const MOST_MODELS_IN_PICTURE: usize = 6;
const MOST_BAR_MODELS: usize = 4;
const MOST_GROUPS_WITH_TABLE: usize = 24;
const MOST_POINT_ROWS: usize = 500;
/// Lines beside the diagonal of the scatter.
const OFF_PCT: f64 = 20.0;

/// All of it as a section of a page. `process_parameter` names the parameter that counts processes.
pub fn section(evaluation: &Evaluation, process_parameter: &str) -> Section {
    let mut section = Section::new("Predicted against measured");
    section.push(Block::Text(summary_text(evaluation)));
    section.blocks.extend(warnings::blocks(&evaluation.warnings));
    section.push(summary_table(&evaluation.models));
    if evaluation.models.len() > 1 {
        section.push(ranking(&evaluation.models));
    }
    for (metric, plot) in scatters(evaluation) {
        if metric.is_empty() || !plot.layers.is_empty() {
            section.push(plot);
        }
    }
    if !evaluation.histogram.is_empty() {
        section.push(histogram(evaluation));
    }
    let tables = thesis_tables(evaluation, process_parameter);
    if !tables.is_empty() {
        section.push(Block::Heading("Errors by configuration".to_owned()));
        let more = tables.len().saturating_sub(MOST_GROUPS_WITH_TABLE);
        section.blocks.extend(tables.into_iter().take(MOST_GROUPS_WITH_TABLE).map(Block::Table));
        if more > 0 {
            section.push(Block::Text(format!(
                "Tables of {more} more groups are left out here; the points below list them."
            )));
        }
    }
    section.push(Block::Details {
        summary: format!("All {} predictions", evaluation.points.len()),
        blocks: vec![points_table(evaluation).into()],
    });
    section
}

/// The models by their errors, best first.
pub fn summary_table(models: &[ModelSummary]) -> Table {
    let mut table = Table::new(
        "Errors on runs that the models had not seen",
        [
            Column::text("model"),
            Column::number("runs", ""),
            Column::number("refused", ""),
            Column::number("median error", "%"),
            Column::number("mean error", "%"),
            Column::number("90th percentile", "%"),
            Column::number("worst error", "%"),
            Column::number("predicted / measured", ""),
            Column::number("runs in range", "%"),
            Column::number("range factor", ""),
        ],
    );
    for model in sorted(models) {
        let pct = |value: Option<f64>| value.map_or(number::DASH.to_owned(), words::bare_percent);
        let factor = |value: Option<f64>| value.map_or(number::DASH.to_owned(), |value| number::significant(value, 3));
        table.rows.push(vec![
            model.model.clone(),
            model.count.to_string(),
            model.failed.to_string(),
            pct(model.median_error_pct),
            pct(model.mean_error_pct),
            pct(model.p90_error_pct),
            pct(model.max_error_pct),
            factor(model.bias_factor),
            pct(model.coverage_pct),
            factor(model.interval_factor),
        ]);
    }
    table
}

/// Median and largest error of every model, best first.
pub fn ranking(models: &[ModelSummary]) -> Plot {
    let rows = |value: fn(&ModelSummary) -> Option<f64>| {
        let row = |model: &&ModelSummary| RankedRow {
            label: model.model.clone(),
            value: value(model).unwrap_or(f64::NAN),
            interval: None,
        };
        sorted(models).iter().map(row).collect()
    };
    Plot::new("Models by their error on unseen runs", Axis::new("relative error", "%"), Axis::default())
        .with(Ranking { name: "median error".to_owned(), rows: rows(|model| model.median_error_pct) })
        .with(Ranking { name: "worst error".to_owned(), rows: rows(|model| model.max_error_pct) })
}

/// Predicted over measured values: one picture per metric.
pub fn scatters(evaluation: &Evaluation) -> Vec<(String, Plot)> {
    let shown = best_names(evaluation, MOST_MODELS_IN_PICTURE);
    let mut metrics: IndexMap<&str, OfMetric> = IndexMap::new();
    for point in &evaluation.points {
        let Some(predicted) = point.predicted else { continue };
        if !shown.contains(&point.model.as_str()) {
            continue;
        }
        let of_metric = metrics.entry(&point.metric).or_default();
        if of_metric.unit.is_empty() {
            of_metric.unit = unit_of(point);
        }
        of_metric.by_model.entry(&point.model).or_default().push((point.measured, predicted));
    }
    let hidden = evaluation.models.len().saturating_sub(shown.len());
    let plot = |(metric, OfMetric { unit, by_model }): (&str, OfMetric)| {
        // The same order everywhere, so that a model keeps its color.
        let pairs: Vec<Pairs> = shown
            .iter()
            .filter_map(|name| Some(Pairs { name: (*name).to_owned(), values: by_model.get(name)?.clone() }))
            .collect();
        let mut plot =
            scatter(&format!("Predicted against measured: {}", words::metric(metric)), &unit, &pairs, OFF_PCT);
        if hidden > 0 {
            plot.subtitle = format!("The {} best models; {hidden} more are in the table.", shown.len());
        }
        (metric.to_owned(), plot)
    };
    metrics.into_iter().map(plot).collect()
}

/// `(measured, predicted)` of one metric.
#[derive(Default)]
struct OfMetric<'a> {
    unit: String,
    by_model: IndexMap<&'a str, Vec<(f64, f64)>>,
}

/// Number of errors in each bin, models side by side.
pub fn histogram(evaluation: &Evaluation) -> Plot {
    let shown = best_names(evaluation, MOST_BAR_MODELS);
    let mut plot = Plot::new(
        "Distribution of the errors",
        Axis::new("relative error", "%").scaled(Scale::Linear),
        Axis::new("predictions", "").scaled(Scale::Linear),
    );
    for name in &shown {
        let bars = evaluation
            .histogram
            .iter()
            .filter(|bin| bin.model == *name)
            .map(|bin| Bar { from: bin.from_pct, to: bin.to_pct.unwrap_or(f64::INFINITY), value: bin.count as f64 })
            .collect();
        plot = plot.with(Bars { name: (*name).to_owned(), bars });
    }
    let hidden = evaluation.models.len().saturating_sub(shown.len());
    if hidden > 0 {
        plot.subtitle = format!("The {} best models; {hidden} more are in the table.", shown.len());
    }
    plot
}

/// Tables in the form used by papers on weak scaling: one table per group and model with No, PN (processes), PS (problem
/// size, a column for each size parameter) and the relative error of each metric (RE_time, RE_perf) in percent.
pub fn thesis_tables(evaluation: &Evaluation, process_parameter: &str) -> Vec<Table> {
    let mut groups: IndexMap<(String, &str), Vec<&EvaluationPoint>> = IndexMap::new();
    for point in &evaluation.points {
        groups.entry((words::group(&point.group), point.model.as_str())).or_default().push(point);
    }
    groups.into_iter().map(|((group, model), points)| thesis_table(&group, model, &points, process_parameter)).collect()
}

fn thesis_table(group: &str, model: &str, points: &[&EvaluationPoint], process_parameter: &str) -> Table {
    let mut sizes: Vec<&str> = Vec::new();
    let mut metrics: Vec<&str> = Vec::new();
    let mut rows: Vec<(&Configuration, IndexMap<&str, Option<f64>>)> = Vec::new();
    for point in points {
        for name in point.at.0.keys().filter(|name| *name != process_parameter) {
            if !sizes.contains(&name.as_str()) {
                sizes.push(name);
            }
        }
        if !metrics.contains(&point.metric.as_str()) {
            metrics.push(&point.metric);
        }
        let known = rows.iter().position(|(at, _)| **at == point.at);
        let index = known.unwrap_or_else(|| {
            rows.push((&point.at, IndexMap::new()));
            rows.len() - 1
        });
        if let Some((_, errors)) = rows.get_mut(index) {
            errors.insert(&point.metric, point.error_pct);
        }
    }
    rows.sort_by(|(a, _), (b, _)| {
        let processes = |at: &Configuration| at.get(process_parameter).unwrap_or(f64::NAN);
        processes(a).total_cmp(&processes(b))
    });
    let mut columns = vec![Column::number("No", ""), Column::number("PN", "")];
    columns.extend(
        sizes
            .iter()
            .map(|size| Column::number(if sizes.len() == 1 { "PS".to_owned() } else { format!("PS {size}") }, "")),
    );
    columns.extend(metrics.iter().map(|metric| Column::number(error_name(metric, metrics.len()), "%")));
    let caption = if group.is_empty() { format!("Model {model}") } else { format!("{group}, model {model}") };
    let mut table = Table::new(caption, columns);
    for (index, (at, errors)) in rows.iter().enumerate() {
        let value = |name: &str| at.get(name).map_or(number::DASH.to_owned(), number::parameter);
        let mut row = vec![(index + 1).to_string(), value(process_parameter)];
        row.extend(sizes.iter().map(|size| value(size)));
        row.extend(metrics.iter().map(|metric| match errors.get(metric) {
            Some(Some(error)) => two_decimals(*error),
            Some(None) => "refused".to_owned(),
            None => number::DASH.to_owned(),
        }));
        table.rows.push(row);
    }
    let mean = |metric: &str| {
        let errors: Vec<f64> = rows.iter().filter_map(|(_, errors)| *errors.get(metric)?).collect();
        if errors.is_empty() { number::DASH.to_owned() } else { two_decimals(runcast_core::statistics::mean(&errors)) }
    };
    let mut last = vec!["mean".to_owned(), String::new()];
    last.extend(sizes.iter().map(|_| String::new()));
    last.extend(metrics.iter().map(|metric| mean(metric)));
    table.rows.push(last);
    table
}

fn points_table(evaluation: &Evaluation) -> Table {
    let mut table = Table::new(
        if evaluation.points.len() > MOST_POINT_ROWS {
            format!("The first {MOST_POINT_ROWS} of {} predictions", evaluation.points.len())
        } else {
            String::new()
        },
        [
            Column::text("model"),
            Column::text("group"),
            Column::text("at"),
            Column::number("measured", ""),
            Column::number("predicted", ""),
            Column::number("range", ""),
            Column::number("error", "%"),
            Column::text("in range"),
        ],
    );
    for point in evaluation.points.iter().take(MOST_POINT_ROWS) {
        let unit = unit_of(point);
        table.rows.push(vec![
            point.model.clone(),
            words::group(&point.group),
            words::configuration(&point.at),
            number::quantity(point.measured, &unit, 4),
            point.predicted.map_or("refused".to_owned(), |value| number::quantity(value, &unit, 4)),
            words::range(point.low, point.high, &unit),
            point.error_pct.map_or(number::DASH.to_owned(), words::bare_percent),
            match point.covered {
                Some(true) => "yes".to_owned(),
                Some(false) => "no".to_owned(),
                None => number::DASH.to_owned(),
            },
        ]);
    }
    table
}

fn summary_text(evaluation: &Evaluation) -> String {
    let Some(best) = sorted(&evaluation.models).into_iter().next() else {
        return "No model was evaluated.".to_owned();
    };
    let median = best.median_error_pct.map_or(number::DASH.to_owned(), number::percent);
    let mut text = format!(
        "Over {} predictions of runs that it had not seen, the model {} was off by {median} in the median",
        best.count, best.model
    );
    if let Some(worst) = best.max_error_pct {
        text.push_str(&format!(" and by {} at worst", number::percent(worst)));
    }
    text.push('.');
    if let Some(coverage) = best.coverage_pct {
        text.push_str(&format!(" {} of these runs lie inside its range.", number::percent(coverage)));
    }
    text
}

fn sorted(models: &[ModelSummary]) -> Vec<&ModelSummary> {
    let mut sorted: Vec<&ModelSummary> = models.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |model: &ModelSummary| model.median_error_pct.unwrap_or(f64::INFINITY);
        key(a).total_cmp(&key(b))
    });
    sorted
}

/// The names of the best models; of all models in the points if there is no summary.
fn best_names(evaluation: &Evaluation, most: usize) -> Vec<&str> {
    let mut names: Vec<&str> = sorted(&evaluation.models).into_iter().map(|model| model.model.as_str()).collect();
    if names.is_empty() {
        for point in &evaluation.points {
            if !names.contains(&point.model.as_str()) {
                names.push(&point.model);
            }
        }
    }
    names.truncate(most);
    names
}

fn unit_of(point: &EvaluationPoint) -> String {
    if point.unit.is_empty() {
        Metric::from_name(&point.metric).map(|metric| metric.unit).unwrap_or_default()
    } else {
        point.unit.clone()
    }
}

/// `RE_time`, `RE_perf`; with several metrics of a kind, by their own names.
fn error_name(metric: &str, count: usize) -> String {
    match Metric::from_name(metric) {
        Some(known) if known.is_time() && count <= 2 => "RE_time".to_owned(),
        Some(known) if known.direction == Direction::Higher && count <= 2 => "RE_perf".to_owned(),
        _ => format!("RE {}", words::metric(metric)),
    }
}

fn two_decimals(value: f64) -> String {
    if value.is_finite() { format!("{value:.2}") } else { number::DASH.to_owned() }
}

/// The fields of the JSON document that are read.
#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    warnings: Vec<Warning>,
    points: Vec<EvaluationPoint>,
}

impl From<Document> for Evaluation {
    fn from(document: Document) -> Self {
        // Errors are computed here: a document may have been written by hand.
        Evaluation::of(document.points.into_iter().map(EvaluationPoint::scored).collect(), document.warnings)
    }
}

impl Evaluation {
    /// Pictures and tables identify a model by its name: if several methods have models, the name begins with the method.
    fn of(mut points: Vec<EvaluationPoint>, warnings: Vec<Warning>) -> Self {
        if points.iter().any(|point| point.method != points[0].method) {
            for point in &mut points {
                let name = format!("{} {}", std::mem::take(&mut point.method), point.model);
                point.model = name.trim_start().to_owned();
            }
        }
        Evaluation {
            warnings,
            models: evaluation::summarize(&points),
            histogram: evaluation::histogram(&points),
            points,
        }
    }
}
