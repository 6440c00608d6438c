//! `runcast report`: one HTML page from tables, models, evaluations and texts.

pub mod machine;
pub mod parts;
mod pieces;
mod pinned;
#[cfg(feature = "methods")]
mod wavefront;

use crate::VERSION;
use crate::compare;
use crate::context::Context;
use crate::document::value_of;
use crate::evaluate::{self, EvaluateArgs, PredictionsArgs};
use crate::failure::Failure;
use crate::import::shell_word;
use crate::models::{self, ModelArgs, Models};
use crate::options::paths::{InputFile, OutputFile, OutputPath};
use crate::options::{AtArgs, LevelArgs};
use crate::output::{Content, Destination, OutFile, Output};
use crate::own_ranges::RangesArgs;
use crate::tables::{self, TableArgs};
use clap::{Args, ValueHint};
use runcast_core::evaluation::{EvaluationDocument, join};
use runcast_core::plan::configurations_from;
use runcast_core::prediction::{Prediction, Predictions};
use runcast_core::series::SeriesSet;
use runcast_core::{Configuration, Problem, Warning};
use runcast_fit::evaluate::HoldOut;
use runcast_report::evaluation_report::{self, Evaluation};
use runcast_report::fit_report::predictions_table;
use runcast_report::page::{Block, Page, Section};
use runcast_report::{png, svg};
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Arguments of `runcast report`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct ReportArgs {
    /// Tables of runs, models, predictions and evaluations as JSON, texts (.md, .txt), or a report file (.toml)
    #[arg(required_unless_present = "predictions", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    #[command(flatten)]
    pub predictions: PredictionsArgs,
    /// Title of the page
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    #[command(flatten)]
    pub at: AtArgs,
    /// A plan or table whose configurations are the targets
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub targets: Option<InputFile>,
    #[command(flatten)]
    pub level: LevelArgs,
    /// Judge the models on runs they have not seen: top:K or factor:X, as in evaluate
    #[arg(long, value_name = "RULE", value_parser = evaluate::hold_out, conflicts_with = "train")]
    pub hold_out: Option<HoldOut>,
    /// Judge the models on the rows for which this does not hold: 'p <= 64'
    #[arg(long, value_name = "EXPR")]
    pub train: Option<String>,
    /// With --train: judge them on these rows only
    #[arg(long, value_name = "EXPR", requires = "train")]
    pub test: Option<String>,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub table: TableArgs,
    /// Write each picture as SVG and PNG into this folder, too
    #[arg(long = "plot", alias = "plots", value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub plots: Option<OutputPath>,
    /// Every value of each picture, however many there are
    #[arg(long, help_heading = "Output")]
    pub all_data: bool,
    /// The page; - is the standard output
    #[arg(short = 'o', long = "output", value_name = "FILE", default_value = "report.html", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub output: OutputFile,
}

/// The document of kind `report`.
#[derive(Serialize)]
struct Document<'a> {
    kind: &'static str,
    version: u32,
    warnings: &'a [Warning],
    title: &'a str,
    output: String,
    sections: Vec<&'a str>,
    plots: Vec<String>,
}

/// Composes a page.
///
/// # Errors
/// What is wrong with the files and the options.
pub fn run(args: &ReportArgs, context: &mut Context) -> Result<Output, Failure> {
    let contents = parts::read(&args.files, context)?;
    let targets = targets(&args.at, args.targets.as_ref(), context)?;
    let mut composer = Composer { args, targets, page: Page::default(), warnings: Vec::new(), evaluation: None };
    composer.page.all_data = args.all_data;
    composer.page.title = args.title.clone().or(contents.title).unwrap_or_else(|| "Forecast report".to_owned());
    // Evaluations that were handed over go into the rankings of the models, too.
    composer.evaluation = contents.parts.iter().find_map(|part| match part {
        parts::Part::Document(document) if kind(&document.value) == "evaluate" => evaluation_of(document).ok(),
        _ => None,
    });
    for part in &contents.parts {
        composer.add(part, context)?;
    }
    composer.add_predictions(&contents.parts, context)?;
    composer.finish(context)
}

/// Reads the files that a page is made of.
///
/// # Errors
/// Those that cannot be read.
#[cfg(feature = "methods")]
pub(crate) fn read_files(args: &ReportArgs, context: &mut Context) -> Result<(), Failure> {
    let contents = parts::read(&args.files, context)?;
    for file in &args.predictions.predictions {
        context.read(file)?;
    }
    for part in &contents.parts {
        if let parts::Part::Tables(files) = part {
            for file in files {
                machine::beside(file, context);
            }
        }
    }
    Ok(())
}

/// The name of a picture's files.
pub(crate) fn picture_files(page: &Page, folder: &Path) -> Result<Vec<OutFile>, Failure> {
    let mut files = Vec::new();
    for (name, plot) in page.plots() {
        let mut add = |extension: &str, bytes: Vec<u8>| {
            let path = folder.join(format!("{name}.{extension}"));
            files.push(OutFile { to: Destination::Path(path), content: Content::Bytes(bytes) });
        };
        add("svg", svg::render(plot).into_bytes());
        let png = png::render(plot).map_err(|error| Failure::undone(Problem::new("picture", error.to_string())))?;
        add("png", png);
    }
    Ok(files)
}

/// A command as it is typed.
pub(crate) fn typed(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

struct Composer<'a> {
    args: &'a ReportArgs,
    targets: Vec<Configuration>,
    page: Page,
    warnings: Vec<Warning>,
    evaluation: Option<Evaluation>,
}

impl Composer<'_> {
    fn add(&mut self, part: &parts::Part, context: &mut Context) -> Result<(), Failure> {
        match part {
            parts::Part::Text { heading, text } => {
                let mut section = Section::new(heading.as_str());
                section.push(Block::Text(text.clone()));
                self.page.sections.push(section);
            }
            parts::Part::Tables(files) => {
                let evaluation = self.judged(files, context)?;
                let set = models::series(files, &self.args.table, &self.args.models, context)?;
                let chosen = self.args.models.regressions("auto")?;
                let found = models::fit_all(set, &chosen, &self.args.models.fit_options(&self.args.table))?;
                self.add_models(&found, evaluation.as_ref())?;
                if let Some(evaluation) = &evaluation {
                    self.page.sections.push(evaluation_report::section(evaluation, &process_parameter(&found)));
                }
                for file in files {
                    let (facts, commands) = machine::beside(file, context);
                    machine::add(&mut self.page.machine, facts, file);
                    self.page.commands.extend(commands);
                }
            }
            parts::Part::Document(document) => self.add_document(document, context)?,
            parts::Part::Pinned(section) => self.page.sections.push(section.clone()),
        }
        Ok(())
    }

    fn add_document(&mut self, document: &parts::JsonDocument, context: &mut Context) -> Result<(), Failure> {
        match kind(&document.value) {
            "fit" | "llac" => {
                let file = std::slice::from_ref(&document.path);
                let found = models::load_or_fit(file, &self.args.table, &self.args.models, "auto", context)?;
                self.add_models(&found, None)?;
            }
            "evaluate" => {
                let evaluation = evaluation_of(document)?;
                let process = evaluation.points.first().and_then(|point| point.at.0.keys().next().cloned());
                self.page.sections.push(evaluation_report::section(&evaluation, process.as_deref().unwrap_or("p")));
            }
            "compare" => self.page.sections.push(compare::section::of(document)?),
            "predict" => self.page.sections.push(parts::predictions(document)?),
            #[cfg(feature = "methods")]
            "wavefront-solve" => {
                self.page.sections.extend(wavefront::sections(document, self.args.level.level)?);
            }
            kind => {
                let mut section = Section::new(if kind.is_empty() { document.name.as_str() } else { kind });
                let text = serde_json::to_string_pretty(&document.value).unwrap_or_default();
                let blocks = vec![Block::Code(text)];
                section.push(Block::Details { summary: format!("The document {}", document.name), blocks });
                self.page.sections.push(section);
            }
        }
        Ok(())
    }

    /// The predictions of `--predictions`: beside the runs where there are some, and all of them as a table.
    fn add_predictions(&mut self, parts: &[parts::Part], context: &mut Context) -> Result<(), Failure> {
        let args = self.args;
        if args.predictions.predictions.is_empty() {
            return Ok(());
        }
        let tables = parts.iter().filter_map(|part| match part {
            parts::Part::Tables(files) => Some(files.clone()),
            _ => None,
        });
        let tables: Vec<InputFile> = tables.flatten().collect();
        let runs = match tables.is_empty() {
            true => SeriesSet::default(),
            false => models::series(&tables, &args.table, &args.models, context)?,
        };
        let files = &args.predictions.predictions;
        let mut all = args.predictions.read(files, &runs, args.level.level, &args.table, context)?;
        // Most forecasts are of what was not run yet: they have no runs to be beside.
        let has_runs = |one: &&Predictions| !tables.is_empty() && join(one, &runs.series).is_ok();
        let with_runs: Vec<Predictions> = all.iter().filter(has_runs).cloned().collect();
        let mut points = Vec::new();
        for joined in evaluate::joined(&with_runs, &runs, &[])? {
            points.extend(joined.points);
            self.warnings.extend(joined.warnings);
        }
        if !points.is_empty() {
            let evaluation = Evaluation::from(EvaluationDocument::new(points, Vec::new()));
            let process = evaluation.points.first().and_then(|point| point.at.0.keys().next().cloned());
            self.page.sections.push(evaluation_report::section(&evaluation, process.as_deref().unwrap_or("p")));
        }
        let mut list: Vec<Prediction> = all.drain(..).flat_map(Predictions::into_list).collect();
        for prediction in &mut list {
            prediction.model = format!("{} {}", prediction.method, prediction.model).trim_start().to_owned();
        }
        let mut section = Section::new("Predictions");
        section.push(predictions_table(&list));
        self.page.sections.push(section);
        Ok(())
    }

    fn add_models(&mut self, found: &Models, evaluation: Option<&Evaluation>) -> Result<(), Failure> {
        let evaluation = evaluation.or(self.evaluation.as_ref());
        let (sections, warnings) = parts::sections(found, &self.targets, self.args.level.level, evaluation)?;
        self.page.sections.extend(sections);
        self.warnings.extend(found.warnings.iter().cloned());
        self.warnings.extend(warnings);
        Ok(())
    }

    /// How the models do on runs that they have not seen, if that is asked.
    fn judged(&self, files: &[InputFile], context: &mut Context) -> Result<Option<Evaluation>, Failure> {
        let args = self.args;
        if args.hold_out.is_none() && args.train.is_none() {
            return Ok(None);
        }
        let output = evaluate::run(
            &EvaluateArgs {
                tables: files.to_vec(),
                train: args.train.clone(),
                test: args.test.clone(),
                hold_out: args.hold_out,
                predictions: evaluate::PredictionsArgs::default(),
                runs: Vec::new(),
                layout: None,
                means: Vec::new(),
                histogram: false,
                level: args.level.clone(),
                ranges: RangesArgs::default(),
                write_ranges: None,
                models: args.models.clone(),
                table: args.table.clone(),
                plot: crate::options::PlotArgs::default(),
                out: crate::options::OutArgs::default(),
            },
            context,
        )?;
        let document = output.document.map(|document| document.value()).transpose()?;
        Ok(document.and_then(|document| serde_json::from_value(document).ok()))
    }

    fn finish(mut self, context: &Context) -> Result<Output, Failure> {
        self.page.generated_by = format!("runcast {VERSION}");
        if !context.command_line.is_empty() {
            self.page.commands.push(typed(&context.command_line));
        }
        let html = self.page.to_html();
        let mut files = match &self.args.plots {
            Some(folder) => picture_files(&self.page, folder)?,
            None => Vec::new(),
        };
        let to = Destination::of(&self.args.output);
        let document = Document {
            kind: "report",
            version: 1,
            warnings: &self.warnings,
            title: &self.page.title,
            output: tables::name_of(&self.args.output),
            sections: self.page.sections.iter().map(|section| section.heading.as_str()).collect(),
            plots: files
                .iter()
                .filter_map(|file| match &file.to {
                    Destination::Path(path) => Some(path.display().to_string()),
                    Destination::Stdout => None,
                })
                .collect(),
        };
        let mut output = Output::of(value_of(&document)?).warned(self.warnings.iter().cloned());
        if to != Destination::Stdout {
            let pictures = match (&self.args.plots, files.len() / 2) {
                (Some(folder), count) => format!("; {count} pictures as SVG and PNG in {}", folder.display()),
                (None, _) => String::new(),
            };
            output.human = format!("{}: {} kB{pictures}\n", self.args.output.display(), html.len().div_ceil(1000));
        }
        files.insert(0, OutFile { to, content: Content::Bytes(html.into_bytes()) });
        output.files = files;
        output.folders.extend(self.args.plots.clone().map(PathBuf::from));
        Ok(output)
    }
}

pub(crate) fn targets(
    at: &AtArgs,
    file: Option<&InputFile>,
    context: &mut Context,
) -> Result<Vec<Configuration>, Failure> {
    let mut targets = at.configurations()?;
    if let Some(path) = file {
        let planned = configurations_from(&tables::name_of(path), &context.read(path)?)?;
        let only_targets = planned.iter().any(|planned| planned.set == runcast_core::plan::TARGET);
        let wanted = planned.into_iter().filter(|planned| !only_targets || planned.set == runcast_core::plan::TARGET);
        targets.extend(wanted.map(|planned| planned.at));
    }
    Ok(targets)
}

fn kind(document: &Value) -> &str {
    document.get("kind").and_then(Value::as_str).unwrap_or_default()
}

fn evaluation_of(document: &parts::JsonDocument) -> Result<Evaluation, Failure> {
    serde_json::from_value(document.value.clone())
        .map_err(|error| Problem::new("bad_document", error.to_string()).in_file(document.name.clone()).into())
}

fn process_parameter(found: &Models) -> String {
    let series = found.models.first().map(|model| &model.series);
    let name = series.and_then(|series| Some(series.parameters.get(series.process_parameter?)?.clone()));
    name.unwrap_or_else(|| "p".to_owned())
}
