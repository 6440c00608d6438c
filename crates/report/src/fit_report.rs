//! Series with their models and predictions as sections of a page.
//!
//! The caller evaluates the models, because only the methods know how; a curve is simply many predictions.

use crate::comparison::{parameter_axis, range_label};
use crate::evaluation_report::Evaluation;
use crate::number;
use crate::page::{Block, Column, Section, Table};
use crate::plot::{Axis, Band, DataPoint, Ink, Layer, Line, Plot, Points, Rule, Scale};
use crate::warnings;
use crate::words;
use runcast_core::evaluation::ModelSummary;
use runcast_core::model::{FailedSeries, ModelEntry};
use runcast_core::prediction::Prediction;
use runcast_core::series::{Aggregate, Series};
use runcast_core::{Configuration, Warning};

/// Fitted models and their predictions.
#[derive(Debug, Clone, Default)]
pub struct FitReport<'a> {
    /// Every series with its models.
    pub series: Vec<SeriesReport<'a>>,
    /// Series without a model.
    pub failed: &'a [FailedSeries],
    /// Warnings about the whole.
    pub warnings: &'a [Warning],
    /// Errors of the models on unseen runs, if requested.
    pub evaluation: Option<&'a Evaluation>,
}

/// A series with its models.
#[derive(Debug, Clone)]
pub struct SeriesReport<'a> {
    pub series: &'a Series,
    /// How repetitions are aggregated into a point.
    pub aggregate: Aggregate,
    /// Its models, the recommended one first.
    pub models: Vec<ModelCurve<'a>>,
    /// Predictions of all models for the requested targets.
    pub targets: Vec<Prediction>,
}

/// A model with its predictions.
#[derive(Debug, Clone)]
pub struct ModelCurve<'a> {
    pub entry: &'a ModelEntry,
    /// Its predictions along the parameter of the horizontal axis ([`axis_parameter`]), some 50 to 100 from the
    /// smallest run to the largest target; in a grid, along it for each combination of the other parameters.
    pub curve: Vec<Prediction>,
    /// Its predictions at the configurations of the series, for the residuals.
    pub fitted: Vec<Prediction>,
}

/// Series with pictures of their own; the others share a table. A page with more of them is slow to send and to open.
pub const SERIES_WITH_PICTURES: usize = 12;
/// Series in the tables of the overview.
const SERIES_LISTED: usize = 24;

const MOST_CURVES: usize = 5;
const MOST_BANDS: usize = 3;
const MOST_SLICES: usize = 6;
const MOST_TABLE_ROWS: usize = 2_000;
/// Less is rounding: a curve that is led through the runs has no errors to look at.
const LEAST_RESIDUAL_PCT: f64 = 1e-6;

/// The parameter on the horizontal axis: the one that counts processes if it varies, else the one that varies most.
pub fn axis_parameter(series: &Series) -> Option<usize> {
    let varies = |index: &usize| distinct(series, *index) > 1;
    series.process_parameter.filter(varies).or_else(|| {
        // The first of those that vary most.
        (0..series.parameters.len()).rev().max_by_key(|&index| distinct(series, index))
    })
}

/// All of it as sections: an overview, the most important series, the others, failures.
pub fn sections(report: &FitReport<'_>) -> Vec<Section> {
    let mut order: Vec<&SeriesReport> = report.series.iter().collect();
    order.sort_by(|a, b| importance(b).total_cmp(&importance(a)));
    let mut sections = vec![overview(report, &order)];
    let shown = order.len().min(SERIES_WITH_PICTURES);
    sections.extend(order[..shown].iter().map(|series| series_section(series, report.evaluation)));
    if order.len() > shown {
        sections.push(other_series(&order[shown..]));
    }
    if !report.failed.is_empty() {
        sections.push(failed_section(report.failed));
    }
    sections
}

/// The runs of a series with the curves and intervals of its models.
pub fn series_plot(report: &SeriesReport<'_>) -> Plot {
    let series = report.series;
    let metric = words::metric(&series.metric.name);
    let Some(x) = axis_parameter(series) else {
        return Plot::new(title(series), Axis::default(), Axis::new(metric, series.metric.unit.as_str()));
    };
    let parameter = series.parameters.get(x).map_or("", String::as_str);
    let mut plot = Plot::new(title(series), parameter_axis(parameter), Axis::new(metric, series.metric.unit.as_str()));
    let slices = Slices::of(report, x);
    let values = series.aggregated(report.aggregate);
    let end = series.points.iter().filter_map(|point| point.at.get(x)).copied().fold(f64::NEG_INFINITY, f64::max);
    plot.subtitle = subtitle(report, &slices);
    if slices.is_grid() {
        plot.layers.extend(slice_layers(report, &slices, x, &values));
    } else {
        plot.layers.extend(model_layers(report, parameter));
        let repeated = series.points.iter().any(|point| point.values.len() > 1);
        if repeated {
            let single = series.points.iter().flat_map(|point| {
                let x = point.at.get(x).copied().unwrap_or(f64::NAN);
                point.values.iter().map(move |value| (x, *value))
            });
            plot = plot.with(Points::new("single runs", single).inked(Ink::Faint));
        }
        let aggregated =
            series.points.iter().zip(&values).filter_map(|(point, value)| Some((*point.at.get(x)?, *value)));
        let name = if repeated { format!("measured ({})", report.aggregate.name()) } else { "measured".to_owned() };
        plot = plot.with(Points::new(name, aggregated).inked(Ink::Measured));
    }
    let beyond = plot.layers.iter().any(|layer| match layer {
        Layer::Line(line) => line.points.iter().any(|point| point.0 > end * 1.000_001),
        Layer::Points(points) => points.values.iter().any(|point| point.x > end * 1.000_001),
        _ => false,
    });
    if beyond && end.is_finite() {
        plot = plot.with(Rule::end_of_data(end, "extrapolated"));
    }
    plot
}

/// Errors of each model at the runs that it was fitted to; none of a model that goes through all of them.
pub fn residual_plot(report: &SeriesReport<'_>) -> Option<Plot> {
    let series = report.series;
    let x = axis_parameter(series)?;
    let parameter = series.parameters.get(x)?;
    let values = series.aggregated(report.aggregate);
    let mut plot = Plot::new(
        format!("Residuals: {}", title(series)),
        parameter_axis(parameter),
        Axis::new("predicted \u{2212} measured", "%").scaled(Scale::Linear),
    );
    for model in report.models.iter().take(MOST_CURVES) {
        let residual = |(point, measured): (&runcast_core::Point, &f64)| {
            let at = series.configuration(point);
            let predicted = value_at(model, &at)?;
            (*measured != 0.0).then_some((*point.at.get(x)?, 100.0 * (predicted - measured) / measured.abs()))
        };
        let residuals: Vec<(f64, f64)> = series.points.iter().zip(&values).filter_map(residual).collect();
        if residuals.iter().any(|(_, error)| error.abs() > LEAST_RESIDUAL_PCT) {
            plot = plot.with(Points::new(model.entry.model.as_str(), residuals));
        }
    }
    if plot.layers.is_empty() {
        return None;
    }
    Some(plot.with(Rule::zero()))
}

/// The models of a series with their errors; with columns for unseen runs if there is an evaluation.
pub fn ranking_table(report: &SeriesReport<'_>, evaluation: Option<&Evaluation>) -> Table {
    let mut columns = vec![
        Column::text("model"),
        Column::text("grows as"),
        Column::number("error on its runs", "%"),
        Column::number("error on runs left out", "%"),
    ];
    if evaluation.is_some() {
        columns.push(Column::number("error on unseen runs", "%"));
        columns.push(Column::number("worst", "%"));
        columns.push(Column::number("in range", "%"));
    }
    columns.push(Column::text("formula"));
    let mut table = Table::new("The recommended one first", columns);
    let pct = |value: Option<f64>| value.map_or(number::DASH.to_owned(), words::bare_percent);
    for model in &report.models {
        let entry = model.entry;
        let mut row = vec![
            entry.model.clone(),
            words::class(&number::formula(&entry.class, 3)),
            pct(entry.quality.smape_pct),
            pct(entry.quality.validation_smape_pct),
        ];
        if let Some(evaluation) = evaluation {
            let summary: Option<&ModelSummary> = evaluation.models.iter().find(|summary| summary.model == entry.model);
            row.push(pct(summary.and_then(|summary| summary.median_error_pct)));
            row.push(pct(summary.and_then(|summary| summary.max_error_pct)));
            row.push(pct(summary.and_then(|summary| summary.coverage_pct)));
        }
        row.push(number::formula(&leading_formula(entry), 3));
        table.rows.push(row);
    }
    table
}

/// The formula for people: of a combined model `~` and the member that tells how the metric grows.
pub fn leading_formula(entry: &ModelEntry) -> String {
    match entry.members.iter().find(|member| member.class == entry.class) {
        Some(member) => format!("~ {}", member.formula),
        None => entry.formula.clone(),
    }
}

/// The formulas of a series with all digits, for whoever wants to calculate with them.
fn exact_formulas(report: &SeriesReport<'_>) -> Block {
    let named = report.models.iter().filter(|model| !model.entry.formula.is_empty());
    let lines: Vec<String> = named.map(|model| format!("{}: {}", model.entry.model, model.entry.formula)).collect();
    Block::Details { summary: "Formulas with all digits".to_owned(), blocks: vec![Block::Code(lines.join("\n"))] }
}

/// Predictions with their ranges, distances beyond the runs, and verdicts.
pub fn predictions_table(predictions: &[Prediction]) -> Table {
    // A column in which every cell is the same is useless.
    let varies =
        |differs: fn(&Prediction, &Prediction) -> bool| predictions.windows(2).any(|pair| differs(&pair[0], &pair[1]));
    let grouped = varies(|a, b| a.group != b.group);
    let several_metrics = varies(|a, b| a.metric != b.metric);
    let warned = predictions.iter().any(|prediction| !prediction.warnings.is_empty());
    let mut levels = predictions.iter().map(|prediction| prediction.level).filter(|level| level.is_finite());
    let level = levels.clone().next().unwrap_or(0.9);
    let same_level = levels.all(|other| other == level);
    let mut columns = if grouped { vec![Column::text("group")] } else { Vec::new() };
    if several_metrics {
        columns.push(Column::text("metric"));
    }
    columns.extend([
        Column::text("at"),
        Column::text("model"),
        Column::number("predicted", ""),
        Column::number(if same_level { range_label(level) } else { "range".to_owned() }, ""),
        Column::text("beyond the runs"),
        Column::text("verdict"),
    ]);
    if warned {
        columns.push(Column::text("warnings"));
    }
    let mut table = Table::new("", columns);
    for prediction in predictions.iter().take(MOST_TABLE_ROWS) {
        let mut row = if grouped { vec![words::group(&prediction.group)] } else { Vec::new() };
        let range = words::range(prediction.low, prediction.high, &prediction.unit);
        if several_metrics {
            row.push(words::metric(&prediction.metric));
        }
        row.extend([
            words::configuration(&prediction.at),
            prediction.model.clone(),
            prediction.value.map_or(number::DASH.to_owned(), |value| number::quantity(value, &prediction.unit, 3)),
            if same_level || !prediction.has_interval() {
                range
            } else {
                format!("{range} ({})", range_label(prediction.level))
            },
            words::distance(prediction),
            words::verdict(prediction.verdict).to_owned(),
        ]);
        if warned {
            row.push(prediction.warnings.iter().map(|code| code.replace('_', " ")).collect::<Vec<_>>().join(", "));
        }
        table.rows.push(row);
    }
    if predictions.len() > MOST_TABLE_ROWS {
        table.caption = format!("The first {MOST_TABLE_ROWS} of {} predictions", predictions.len());
    }
    table
}

fn overview(report: &FitReport<'_>, order: &[&SeriesReport<'_>]) -> Section {
    let mut section = Section::new("Overview");
    let runs: usize = order.iter().map(|series| series.series.runs()).sum();
    let mut text = match order.len() {
        0 => "There is no series with a model.".to_owned(),
        1 => format!("One series of {runs} runs."),
        many => format!("{many} series of {} runs together.", number::significant(runs as f64, 9)),
    };
    if order.len() > SERIES_WITH_PICTURES {
        text.push_str(&format!(
            " The {SERIES_WITH_PICTURES} series with the largest values at the largest configuration have pictures; the other {} are in a table.",
            order.len() - SERIES_WITH_PICTURES
        ));
    }
    section.push(Block::Text(text));
    section.blocks.extend(warnings::blocks(report.warnings));
    if order.len() > 1 {
        section.push(Block::Heading("Series".to_owned()));
        section.push(series_table(&order[..order.len().min(SERIES_LISTED)]));
    }
    section
}

fn series_section(report: &SeriesReport<'_>, evaluation: Option<&Evaluation>) -> Section {
    let mut section = Section::new(title(report.series));
    let mut all: Vec<Warning> = report.series.warnings.clone();
    for warning in report.models.iter().flat_map(|model| &model.entry.warnings) {
        if !all.contains(warning) {
            all.push(warning.clone());
        }
    }
    section.push(series_plot(report));
    if !report.targets.is_empty() {
        section.push(Block::Heading("Predictions".to_owned()));
        section.push(predictions_table(&report.targets));
    }
    section.blocks.extend(warnings::blocks(&all));
    if !report.models.is_empty() {
        section.push(Block::Heading("Models".to_owned()));
        section.push(ranking_table(report, evaluation));
        section.push(exact_formulas(report));
    }
    if let Some(plot) = residual_plot(report) {
        section.push(plot);
    }
    section
}

fn other_series(series: &[&SeriesReport<'_>]) -> Section {
    let mut section = Section::new("Other series");
    section.push(Block::Text(format!(
        "{} more series, in order of their largest values, with their recommended model.",
        series.len()
    )));
    let mut table = series_table(&series[..series.len().min(MOST_TABLE_ROWS)]);
    if series.len() > MOST_TABLE_ROWS {
        table.caption = format!("The first {MOST_TABLE_ROWS} of {}", series.len());
    }
    section.push(table);
    section
}

/// A row per series: its recommended model and the prediction of its last target.
fn series_table(series: &[&SeriesReport<'_>]) -> Table {
    let with_targets = series.iter().any(|series| !series.targets.is_empty());
    let mut columns = vec![
        Column::text("series"),
        Column::number("largest run", ""),
        Column::text("model"),
        Column::text("grows as"),
        Column::number("error", "%"),
    ];
    if with_targets {
        columns.extend([
            Column::text("at"),
            Column::number("predicted", ""),
            Column::number("range", ""),
            Column::text("verdict"),
        ]);
    }
    let mut table = Table::new("", columns);
    for report in series {
        let model = report.models.first().map(|model| model.entry);
        let error = model.and_then(|model| model.quality.validation_smape_pct.or(model.quality.smape_pct));
        let mut row = vec![
            title(report.series),
            number::quantity(importance(report), &report.series.metric.unit, 3),
            model.map_or(number::DASH.to_owned(), |model| model.model.clone()),
            model.map_or(number::DASH.to_owned(), |model| words::class(&model.class)),
            error.map_or(number::DASH.to_owned(), words::bare_percent),
        ];
        if with_targets {
            let of_model = |target: &&Prediction| model.is_none_or(|model| target.model == model.model);
            match report.targets.iter().rfind(of_model) {
                Some(target) => row.extend([
                    words::configuration(&target.at),
                    target.value.map_or(number::DASH.to_owned(), |value| number::quantity(value, &target.unit, 3)),
                    words::range(target.low, target.high, &target.unit),
                    words::verdict(target.verdict).to_owned(),
                ]),
                None => row.extend(std::iter::repeat_n(number::DASH.to_owned(), 4)),
            }
        }
        table.rows.push(row);
    }
    table
}

fn failed_section(failed: &[FailedSeries]) -> Section {
    let mut section = Section::new("Without a model");
    let columns = ["series", "model", "reason", "line"].map(Column::text);
    let mut table = Table::new("", columns);
    for series in failed.iter().take(MOST_TABLE_ROWS) {
        let name = words::group(&series.group);
        table.rows.push(vec![
            if name.is_empty() { series.metric.clone() } else { format!("{name}: {}", series.metric) },
            series.model.clone(),
            series.reason.clone(),
            series.line.map_or(String::new(), |line| line.to_string()),
        ]);
    }
    if failed.len() > MOST_TABLE_ROWS {
        table.caption = format!("The first {MOST_TABLE_ROWS} of {}", failed.len());
    }
    section.push(table);
    section
}

/// `main: time`
pub fn title(series: &Series) -> String {
    let metric = words::metric(&series.metric.name);
    let group = words::group(&series.group);
    if group.is_empty() { metric } else { format!("{group}: {metric}") }
}

fn subtitle(report: &SeriesReport<'_>, slices: &Slices) -> String {
    let mut parts = Vec::new();
    if slices.is_grid() {
        if let Some(model) = report.models.first() {
            let runs = report.aggregate.name();
            parts.push(format!("Points: measured ({runs}); curves: the model {}", model.entry.model));
        }
        if slices.hidden > 0 {
            parts.push(format!("{} of {} sizes shown", slices.keys.len(), slices.keys.len() + slices.hidden));
        }
    } else if report.models.len() > MOST_CURVES {
        parts.push(format!("The first {MOST_CURVES} of {} models", report.models.len()));
    }
    parts.join("; ")
}

/// The largest value at the largest configuration.
fn importance(report: &SeriesReport<'_>) -> f64 {
    let Some(x) = axis_parameter(report.series) else {
        return report.series.aggregated(report.aggregate).into_iter().fold(f64::NEG_INFINITY, f64::max);
    };
    let at = |point: &runcast_core::Point| point.at.get(x).copied().unwrap_or(f64::NEG_INFINITY);
    let end = report.series.points.iter().map(at).fold(f64::NEG_INFINITY, f64::max);
    let values = report.series.aggregated(report.aggregate);
    let largest = report.series.points.iter().zip(values).filter(|(point, _)| at(point) == end);
    largest.map(|(_, value)| value).fold(f64::NEG_INFINITY, f64::max)
}

fn distinct(series: &Series, parameter: usize) -> usize {
    let mut values: Vec<f64> = series.points.iter().filter_map(|point| point.at.get(parameter)).copied().collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values.len()
}

fn value_at(model: &ModelCurve<'_>, at: &Configuration) -> Option<f64> {
    model.fitted.iter().chain(&model.curve).find(|prediction| prediction.at == *at)?.value
}

/// Curves and bands of the models of a series along one line.
fn model_layers(report: &SeriesReport<'_>, parameter: &str) -> Vec<Layer> {
    let mut layers = Vec::new();
    let bands = if report.models.len() <= MOST_BANDS { report.models.len() } else { 1 };
    for (index, model) in report.models.iter().take(MOST_CURVES).enumerate() {
        let predictions: Vec<&Prediction> = model.curve.iter().collect();
        layers.extend(curve_layers(&model.entry.model, &predictions, parameter, index < bands));
    }
    if let Some(model) = report.models.first() {
        let of_model = report.targets.iter().filter(|target| target.model == model.entry.model);
        layers.extend(target_points(&model.entry.model, of_model, parameter));
    }
    layers
}

/// Runs and curves of a grid, a color for each combination of the parameters that are not on the axis.
fn slice_layers(report: &SeriesReport<'_>, slices: &Slices, x: usize, values: &[f64]) -> Vec<Layer> {
    let mut layers = Vec::new();
    let parameter = report.series.parameters.get(x).map_or("", String::as_str);
    for key in &slices.keys {
        let name = slices.name(report.series, key);
        if let Some(model) = report.models.first() {
            let is_in_slice = |prediction: &&Prediction| slices.holds(report.series, key, &prediction.at);
            let predictions: Vec<&Prediction> = model.curve.iter().filter(is_in_slice).collect();
            layers.extend(curve_layers(&name, &predictions, parameter, slices.keys.len() <= MOST_BANDS));
            let of_model = report.targets.iter().filter(|target| target.model == model.entry.model);
            layers.extend(target_points(&name, of_model.filter(is_in_slice), parameter));
        }
        let in_slice = report.series.points.iter().zip(values).filter(|(point, _)| slices.key(&point.at) == *key);
        let runs = in_slice.filter_map(|(point, value)| Some((*point.at.get(x)?, *value)));
        layers.push(Points::new(name, runs).into());
    }
    layers
}

fn curve_layers(name: &str, predictions: &[&Prediction], parameter: &str, with_band: bool) -> Vec<Layer> {
    let mut sorted: Vec<(f64, &Prediction)> =
        predictions.iter().filter_map(|prediction| Some((prediction.at.get(parameter)?, *prediction))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut layers = Vec::new();
    let band: Vec<(f64, f64, f64)> =
        sorted.iter().filter_map(|(x, prediction)| Some((*x, prediction.low?, prediction.high?))).collect();
    if with_band && !band.is_empty() {
        let label = range_label(predictions.first().map_or(0.9, |prediction| prediction.level));
        layers.push(Band { name: name.to_owned(), label, values: band, ink: Ink::Auto }.into());
    }
    let line: Vec<(f64, f64)> =
        sorted.iter().map(|(x, prediction)| (*x, prediction.value.unwrap_or(f64::NAN))).collect();
    if !line.is_empty() {
        layers.push(Line::new(name, line).into());
    }
    layers
}

fn target_points<'a>(name: &str, targets: impl Iterator<Item = &'a Prediction>, parameter: &str) -> Option<Layer> {
    let values: Vec<DataPoint> = targets
        .filter_map(|target| {
            Some(DataPoint { x: target.at.get(parameter)?, y: target.value?, bar: target.low.zip(target.high) })
        })
        .collect();
    (!values.is_empty()).then(|| Points { name: name.to_owned(), ink: Ink::Auto, values }.into())
}

/// The combinations of the parameters that are not on the axis.
struct Slices {
    /// Indices of these parameters; none where the runs form one line.
    parameters: Vec<usize>,
    /// The combinations shown, in ascending order.
    keys: Vec<Vec<f64>>,
    /// How many more combinations there are.
    hidden: usize,
}

impl Slices {
    fn of(report: &SeriesReport<'_>, x: usize) -> Slices {
        let series = report.series;
        // Where every point has a distinct value on the axis, the other parameters follow it: one line.
        if distinct(series, x) == series.points.len() {
            return Slices { parameters: Vec::new(), keys: Vec::new(), hidden: 0 };
        }
        let parameters = (0..series.parameters.len()).filter(|&index| index != x).collect();
        let mut slices = Slices { parameters, keys: Vec::new(), hidden: 0 };
        let mut keys: Vec<(Vec<f64>, f64)> = Vec::new();
        for (point, value) in series.points.iter().zip(series.aggregated(report.aggregate)) {
            let key = slices.key(&point.at);
            match keys.iter_mut().find(|(known, _)| *known == key) {
                Some((_, largest)) => *largest = largest.max(value),
                None => keys.push((key, value)),
            }
        }
        // Sizes that hardly ever recur are noise in a parameter, not a second dimension.
        if 3 * keys.len() > 2 * series.points.len() {
            return Slices { parameters: Vec::new(), keys: Vec::new(), hidden: 0 };
        }
        keys.sort_by(|a, b| b.1.total_cmp(&a.1));
        slices.hidden = keys.len().saturating_sub(MOST_SLICES);
        keys.truncate(MOST_SLICES);
        slices.keys = keys.into_iter().map(|(key, _)| key).collect();
        slices.keys.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        slices
    }

    fn is_grid(&self) -> bool {
        !self.parameters.is_empty()
    }

    fn key(&self, at: &[f64]) -> Vec<f64> {
        self.parameters.iter().map(|&index| at.get(index).copied().unwrap_or(f64::NAN)).collect()
    }

    fn holds(&self, series: &Series, key: &[f64], at: &Configuration) -> bool {
        self.parameters.iter().zip(key).all(|(&index, value)| {
            series.parameters.get(index).and_then(|name| at.get(name)).is_none_or(|own| own == *value)
        })
    }

    fn name(&self, series: &Series, key: &[f64]) -> String {
        let pair = |(&index, value): (&usize, &f64)| {
            format!("{} = {}", series.parameters.get(index).map_or("", String::as_str), number::parameter(*value))
        };
        self.parameters.iter().zip(key).map(pair).collect::<Vec<_>>().join(", ")
    }
}
