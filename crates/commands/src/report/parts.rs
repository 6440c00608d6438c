//! The parts of a report: its files by kind, and the sections made from models and predictions.

use crate::context::{Context, NoProgress};
use crate::failure::Failure;
use crate::models::{self, Models};
use crate::options::paths::InputFile;
use crate::plots;
use crate::predict::predict_all;
use crate::report::pinned::{self, Pinned};
use crate::sentence;
use crate::tables;
use rayon::prelude::*;
use runcast_core::model::ModelEntry;
use runcast_core::prediction::Prediction;
use runcast_core::{Configuration, Problem, Series, Warning};
use runcast_fit::{Model, document};
use runcast_report::evaluation_report::Evaluation;
use runcast_report::fit_report::{
    self, FitReport, ModelCurve, SERIES_WITH_PICTURES, SeriesReport, axis_parameter, predictions_table,
};
use runcast_report::page::{Block, Section};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a report is made of.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    /// Its title, where a report file tells it.
    pub title: Option<String>,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a report.
#[derive(Debug, Clone)]
pub enum Part {
    /// Words.
    Text {
        /// The first line, when it is a heading (`# ..`).
        heading: String,
        /// The others.
        text: String,
    },
    /// Tables of runs, taken together.
    Tables(Vec<InputFile>),
    /// A document of another command.
    Document(JsonDocument),
    /// What was pinned from a result.
    Pinned(Section),
}

/// A JSON document.
#[derive(Debug, Clone)]
pub struct JsonDocument {
    /// The file.
    pub path: InputFile,
    /// What problems call it.
    pub name: String,
    /// What is in it.
    pub value: Value,
}

/// A report file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportFile {
    #[serde(default)]
    #[expect(dead_code, reason = "names the shape of the file")]
    format: Option<String>,
    title: Option<String>,
    #[serde(default)]
    item: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    path: Option<PathBuf>,
    text: Option<String>,
    kind: Option<pinned::Kind>,
    source: Option<String>,
    #[serde(default)]
    view: String,
    #[serde(default)]
    caption: String,
    #[serde(default)]
    digest: String,
    #[serde(default)]
    pinned_at: String,
    #[serde(default)]
    live: bool,
}

/// Finds out what the files are. Tables of the command line belong together; in a report file each is a part.
///
/// # Errors
/// A file cannot be read, or a report file is wrong.
pub fn read(files: &[InputFile], context: &mut Context) -> Result<Contents, Failure> {
    let mut contents = Contents::default();
    let mut together: Option<usize> = None;
    for file in files {
        if extension(file) == "toml" {
            let more = report_file(file, context)?;
            contents.title = contents.title.or(more.title);
            contents.parts.extend(more.parts);
            continue;
        }
        match (part(file, context)?, together.and_then(|index| contents.parts.get_mut(index))) {
            (Part::Tables(new), Some(Part::Tables(tables))) => tables.extend(new),
            (part, _) => {
                if matches!(part, Part::Tables(_)) {
                    together = Some(contents.parts.len());
                }
                contents.parts.push(part);
            }
        }
    }
    Ok(contents)
}

fn report_file(file: &Path, context: &mut Context) -> Result<Contents, Failure> {
    let text = context.read_text(file)?;
    let name = tables::name_of(file);
    let report: ReportFile = toml::from_str(&text).map_err(|error| {
        let before = &text[..error.span().map_or(0, |span| span.start).min(text.len())];
        let line = before.matches('\n').count() as u64 + 1;
        let message = error.message().lines().collect::<Vec<_>>().join(" ");
        Problem::new("bad_report", message)
            .in_file(name.as_str())
            .at_line(line)
            .hint("a report has a title, and for each part [[item]] with a path or a text")
    })?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut contents = Contents { title: report.title, parts: Vec::new() };
    for (index, item) in report.item.into_iter().enumerate() {
        contents.parts.push(match item {
            Item { path: None, kind: Some(kind), source, text, view, caption, digest, pinned_at, live }
                if source.is_some() != text.is_some() =>
            {
                let pinned = Pinned { kind, source, text, view, caption, digest, pinned_at, live };
                Part::Pinned(pinned::section(&pinned, folder, context)?)
            }
            Item { path: Some(path), text: None, kind: None, source: None, .. } => part(&folder.join(path), context)?,
            Item { path: None, text: Some(text), kind: None, source: None, .. } => words(&text),
            _ => {
                let problem =
                    Problem::new("bad_report", "an item has either a path or a text, or a kind with a source");
                return Err(problem.in_file(name).at(format!("/item/{index}")).into());
            }
        });
    }
    Ok(contents)
}

fn part(file: &Path, context: &mut Context) -> Result<Part, Failure> {
    if ["md", "txt"].contains(&extension(file).as_str()) && !is_measurement(file, context)? {
        return Ok(words(&context.read_text(file)?));
    }
    if file.as_os_str() == "-" {
        return Ok(Part::Tables(vec![file.to_owned().into()]));
    }
    let bytes = context.read(file)?;
    if bytes.trim_ascii_start().first() == Some(&b'{')
        && let Ok(value) = serde_json::from_slice::<Value>(&bytes)
        && value.get("kind").is_some_and(Value::is_string)
    {
        return Ok(Part::Document(JsonDocument { path: file.to_owned().into(), name: tables::name_of(file), value }));
    }
    Ok(Part::Tables(vec![file.to_owned().into()]))
}

/// Text files of other tools hold measurements, not words.
fn is_measurement(file: &Path, context: &mut Context) -> Result<bool, Failure> {
    let bytes = context.read(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let probe = runcast_core::import::Probe::new(&text);
    Ok(extension(file) == "txt" && runcast_core::import::recognize(&probe).is_ok_and(|format| format.name != "csv"))
}

/// Words with a heading of their own, if they begin with one.
fn words(text: &str) -> Part {
    let text = text.trim();
    match text.strip_prefix('#') {
        Some(rest) => {
            let (heading, text) = rest.split_once('\n').unwrap_or((rest, ""));
            Part::Text { heading: heading.trim_start_matches('#').trim().to_owned(), text: text.trim().to_owned() }
        }
        None => Part::Text { heading: "Notes".to_owned(), text: text.to_owned() },
    }
}

fn extension(file: &Path) -> String {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Predictions that were made before, as a section.
///
/// # Errors
/// The document is damaged.
pub fn predictions(document: &JsonDocument) -> Result<Section, Failure> {
    #[derive(Deserialize)]
    struct Predict {
        predictions: Vec<Prediction>,
    }
    let predict: Predict = serde_json::from_value(document.value.clone())
        .map_err(|error| Problem::new("bad_document", error.to_string()).in_file(document.name.clone()))?;
    let mut section = Section::new("Predictions");
    section.push(predictions_table(&predict.predictions));
    Ok(section)
}

/// The sections of models: an overview, each series with its curves, what failed; and the warnings of the predictions.
///
/// # Errors
/// A target that is not complete.
pub fn sections(
    found: &Models,
    targets: &[Configuration],
    level: f64,
    evaluation: Option<&Evaluation>,
) -> Result<(Vec<Section>, Vec<Warning>), Failure> {
    let (predictions, warnings) = predict_all(found, targets, level, &mut NoProgress)?;
    let groups = by_series(&found.models);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|&a, &b| importance(&groups[b][0].series).total_cmp(&importance(&groups[a][0].series)));
    // Curves are made for the series that have pictures only.
    let pictured: Vec<usize> = order.into_iter().take(SERIES_WITH_PICTURES).collect();
    let drawn: Vec<Vec<Drawn>> = groups
        .par_iter()
        .enumerate()
        .map(|(index, models)| {
            let draw = |model: &&Model| Drawn::new(model, &predictions, level, pictured.contains(&index));
            models.iter().map(draw).collect()
        })
        .collect();
    let series = groups
        .iter()
        .zip(&drawn)
        .map(|(models, drawn)| SeriesReport {
            series: &models[0].series,
            aggregate: models[0].aggregate,
            models: drawn
                .iter()
                .map(|drawn| ModelCurve {
                    entry: &drawn.entry,
                    curve: drawn.curve.clone(),
                    fitted: drawn.fitted.clone(),
                })
                .collect(),
            targets: drawn.iter().flat_map(|drawn| drawn.targets.iter().cloned()).collect(),
        })
        .collect();
    let report = FitReport { series, failed: &found.failed, warnings: &found.warnings, evaluation };
    let mut sections = fit_report::sections(&report);
    // The forecast of the series with the largest values comes first.
    if let (Some(overview), Some(&first)) = (sections.first_mut(), pictured.first()) {
        let models = &groups[first];
        if let Some(main) = sentence::prediction::main(&drawn[first][0].targets) {
            let told = sentence::prediction::of(main, Some(models[0]), None);
            let name =
                if groups.len() > 1 { format!("{}: ", fit_report::title(&models[0].series)) } else { String::new() };
            overview.blocks.insert(0, Block::Text(format!("{name}{told}")));
        }
    }
    sections.extend(found.models.iter().filter_map(models::piecewise_of).map(super::pieces::section));
    if groups.is_empty() {
        let mut section = Section::new("Models");
        section.push(Block::Text("No model was found.".to_owned()));
        sections.push(section);
    }
    Ok((sections, warnings))
}

/// A model with what a picture of it needs.
struct Drawn {
    entry: ModelEntry,
    curve: Vec<Prediction>,
    fitted: Vec<Prediction>,
    targets: Vec<Prediction>,
}

impl Drawn {
    fn new(model: &Model, predictions: &[Prediction], level: f64, pictured: bool) -> Drawn {
        let is_own = |prediction: &&Prediction| {
            prediction.model == model.fitted.model
                && prediction.group == model.series.group
                && prediction.metric == model.series.metric.name
        };
        let targets: Vec<Prediction> = predictions.iter().filter(is_own).cloned().collect();
        Drawn {
            entry: document::entry_of(model),
            curve: if pictured { plots::curve(model, &targets, level) } else { Vec::new() },
            fitted: if pictured { plots::fitted(model, level) } else { Vec::new() },
            targets,
        }
    }
}

/// The models of each series, side by side.
fn by_series(models: &[Model]) -> Vec<Vec<&Model>> {
    let mut groups: Vec<Vec<&Model>> = Vec::new();
    for model in models {
        let same = |other: &Model| {
            Arc::ptr_eq(&other.series, &model.series)
                || (other.series.group == model.series.group && other.series.metric == model.series.metric)
        };
        match groups.last_mut() {
            Some(group) if same(group[0]) => group.push(model),
            _ => groups.push(vec![model]),
        }
    }
    groups
}

/// The largest value at the largest configuration, as the report orders its sections.
fn importance(series: &Series) -> f64 {
    let axis = axis_parameter(series);
    let place = |point: &runcast_core::Point| axis.and_then(|axis| point.at.get(axis).copied()).unwrap_or(0.0);
    let end = series.points.iter().map(place).fold(f64::NEG_INFINITY, f64::max);
    let at_end = series.points.iter().filter(|point| place(point) == end);
    at_end.flat_map(|point| point.values.iter().copied()).fold(f64::NEG_INFINITY, f64::max)
}
