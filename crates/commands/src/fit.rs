//! `runcast fit`: models from a table.

use crate::context::Context;
use crate::document::Document;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::models::{self, Fits, ModelArgs};
use crate::options::paths::InputFile;
use crate::options::{LevelArgs, OutArgs, PlotArgs};
use crate::output::Output;
use crate::plots;
use crate::tables::TableArgs;
use clap::{Args, ValueHint};
use runcast_core::model::{FailedSeries, ModelDocument, ModelEntry};
use runcast_core::{Group, Problem, Warning};
use runcast_fit::document;
use runcast_report::fit_report::leading_formula;
use runcast_report::number;

/// Arguments of `runcast fit`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct FitArgs {
    /// Tables of runs, or files of other tools; - is the standard input
    #[arg(required = true, value_name = "TABLE", value_hint = ValueHint::FilePath)]
    pub tables: Vec<InputFile>,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub plot: PlotArgs,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// Fits models to every series of the tables.
///
/// # Errors
/// What is wrong with the files and the options.
pub fn run(args: &FitArgs, context: &mut Context) -> Result<Output, Failure> {
    let chosen = args.models.regressions("auto")?;
    let options = args.models.fit_options(&args.table);
    let set = models::series(&args.tables, &args.table, &args.models, context)?;
    let found = models::fit_each(set, &chosen, &options, |model| document::entry_of(&model))?;
    let mut output = Output::default()
        .human(text(&found, context))
        .warned(found.warnings.iter().cloned())
        .with_document_file(args.out.path());
    output.warnings.extend(series_warnings(&found));
    output.warnings.extend(failures(&found));
    if let Some(path) = &args.plot.plot {
        let entry = found
            .models
            .first()
            .ok_or_else(|| Failure::undone(Problem::new("no_model", "there is no model to draw")))?;
        let model = document::reload(entry)?;
        output.files.push(plots::file(path, &plots::curve_plot(&model, &[], args.level.level))?);
        if found.models.len() > 1 {
            output = output.noted("the picture shows the first of several models; runcast report draws all of them");
        }
    }
    if let Some(path) = args.out.path().filter(|path| path.as_os_str() != "-") {
        let path = path.display();
        let target = found.models.first().map_or(String::new(), example_target);
        output = output.noted(format!("wrote {path}; to predict: runcast predict {path} --at {target}"));
    }
    output.exit = u8::from(found.models.is_empty());
    output.document = Some(Document::new(ModelDocument {
        kind: "fit".to_owned(),
        version: 1,
        table: found.summary,
        warnings: found.warnings,
        failed: found.failed,
        models: found.models,
    }));
    Ok(output)
}

/// A warning for each reason why series have no model; of many the first twenty.
pub fn failures<T>(found: &Fits<T>) -> Vec<Warning> {
    const MOST: usize = 20;
    let mut by_reason: indexmap::IndexMap<(&str, &str, Option<u64>), (usize, &FailedSeries)> =
        indexmap::IndexMap::new();
    for failure in &found.failed {
        let reason = (failure.model.as_str(), failure.reason.as_str(), failure.line);
        by_reason.entry(reason).and_modify(|(count, _)| *count += 1).or_insert((1, failure));
    }
    let mut warnings: Vec<Warning> = by_reason
        .values()
        .take(MOST)
        .map(|(count, failure)| {
            let name = series_name(&failure.group, &failure.metric);
            let others = if *count > 1 { format!(" (and {} more series)", count - 1) } else { String::new() };
            let message = format!("no {} model of {name}{others}: {}", failure.model, failure.reason);
            let warning = Warning::new("failed", message);
            match (failure.line, found.summary.files.as_slice()) {
                (Some(line), [file]) => warning.in_file(file.clone(), line),
                _ => warning,
            }
        })
        .collect();
    let shown: usize = by_reason.values().take(MOST).map(|(count, _)| count).sum();
    if found.failed.len() > shown {
        warnings
            .push(Warning::new("failed", format!("and {} more series without a model", found.failed.len() - shown)));
    }
    warnings
}

/// Warnings of single fits, each code once, with the number of models it concerns; those of the runs were reported before.
fn series_warnings(found: &Fits<ModelEntry>) -> Vec<Warning> {
    let mut merged = Merged::default();
    for entry in &found.models {
        for warning in entry.warnings.iter().filter(|warning| !document::is_of_the_runs(warning)) {
            merged.add(warning.clone(), || format!("{} of {}", entry.model, series_name(&entry.group, &entry.metric)));
        }
    }
    merged.warnings("models")
}

/// Warnings about many things, each code once: the first of them, and how many more there are.
#[derive(Debug, Default)]
pub(crate) struct Merged(indexmap::IndexMap<String, (usize, Warning)>);

impl Merged {
    /// A warning about something that `of` names.
    pub fn add(&mut self, mut warning: Warning, of: impl FnOnce() -> String) {
        if let Some((count, _)) = self.0.get_mut(&warning.code) {
            *count += 1;
            return;
        }
        warning.message = format!("{}: {}", of(), warning.message);
        self.0.insert(warning.code.clone(), (1, warning));
    }

    /// The warnings, about so many things of this kind: `models`.
    pub fn warnings(self, things: &str) -> Vec<Warning> {
        let told = |(count, mut warning): (usize, Warning)| {
            if count > 1 {
                warning.message += &format!(" (and {} more {things})", count - 1);
            }
            warning
        };
        self.0.into_values().map(told).collect()
    }
}

/// `time_s of region=main`
pub fn series_name(group: &Group, metric: &str) -> String {
    let labels = runcast_core::configuration::group_name(group);
    if labels.is_empty() { metric.to_owned() } else { format!("{metric} of {labels}") }
}

/// A target twice as large as the largest run, with the largest values of everything else that varies.
fn example_target(entry: &ModelEntry) -> String {
    let (axis, [_, most]) = axis(entry);
    let others = entry.range.iter().filter(|(name, [least, most])| name.as_str() != axis && least != most);
    let others = others.map(|(name, [_, most])| format!(",{name}={}", human::parameter(*most)));
    format!("{axis}={}{}", human::parameter(2.0 * most), others.collect::<String>())
}

/// The parameter that counts processes, if it varies, else the first that does; with its range.
fn axis(entry: &ModelEntry) -> (&str, [f64; 2]) {
    let processes = entry.training.as_ref().and_then(|training| training.process_parameter.as_deref());
    let varies = |range: &[f64; 2]| range[0] != range[1];
    let counted = entry.range.iter().find(|(name, range)| Some(name.as_str()) == processes && varies(range));
    let axis = counted.or_else(|| entry.range.iter().find(|(_, range)| varies(range))).or_else(|| entry.range.first());
    axis.map_or(("p", [f64::NAN; 2]), |(name, range)| (name.as_str(), *range))
}

/// A row a model.
fn text(found: &Fits<ModelEntry>, context: &Context) -> String {
    let entries = &found.models;
    let Some(first) = entries.first() else { return String::new() };
    let labels: Vec<&String> = first.group.keys().collect();
    let several = |key: &dyn Fn(&ModelEntry) -> &str| entries.iter().any(|entry| key(entry) != key(first));
    let (metrics, kinds) = (several(&|entry| &entry.metric), several(&|entry| &entry.model));
    let table = Table::of_labels(&labels)
        .text("metric")
        .text("model")
        .text("grows as")
        .number("runs")
        .number("error")
        .number("validation");
    let mut table = table.text("range").text("formula").text("warnings");
    for entry in entries {
        let mut row = human::cells_of(&entry.group, &labels);
        row.push(if metrics { entry.metric.clone() } else { String::new() });
        row.push(if kinds { entry.model.clone() } else { String::new() });
        row.push(number::formula(&entry.class, 3));
        row.push(format!("{}x{}", entry.points, human::significant(entry.repetitions as f64 / entry.points as f64, 2)));
        row.push(human::percent(entry.quality.median_error_pct));
        row.push(entry.quality.validation_smape_pct.map_or(String::new(), |value| human::percent(Some(value))));
        let (name, [least, most]) = axis(entry);
        row.push(format!("{name}={}..{}", human::parameter(least), human::parameter(most)));
        row.push(number::formula(&leading_formula(entry), 3));
        let mut codes: Vec<&str> = entry.warnings.iter().map(|warning| warning.code.as_str()).collect();
        codes.dedup();
        row.push(codes.join(" "));
        table.row(row);
    }
    let mut text = table.render(context.screen);
    let unit = if first.unit.is_empty() { "as in the table" } else { &first.unit };
    let what = if metrics { "metrics in SI units".to_owned() } else { format!("{} [{unit}]", first.metric) };
    let model = if kinds { String::new() } else { format!(", model {}", first.model) };
    let validated = entries.iter().any(|entry| entry.quality.validation_smape_pct.is_some());
    let validation = if validated { "; validation: on runs left out" } else { "" };
    text.push_str(&format!(
        "\n{what}{model}; runs: configurations x repetitions; error: median over the fitted runs{validation}\n"
    ));
    text
}
