//! `runcast compare`: forecasts of any methods and the runs of one program, side by side (docs/theory/compare.md).

mod ask;
mod assumptions;
mod document;
pub(crate) mod forum;
mod input;
mod judge;
mod picture;
mod rows;
pub(crate) mod section;
#[cfg(feature = "methods")]
mod switches;
mod text;

pub use document::Document;

use crate::VERSION;
use crate::answer::{Answer, Outputs, give};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::models::ModelArgs;
use crate::options::paths::{InputFile, OutputFile};
use crate::options::{AtArgs, LevelArgs, OutArgs, PlotArgs, SeedArgs};
use crate::output::{Content, Destination, OutFile, Output};
use crate::own_ranges::{self, RangesArgs};
use crate::report;
use crate::tables::TableArgs;
use ask::Competitor;
use clap::{Args, ValueHint};
use input::Input;
use rows::Rows;
use runcast_core::prediction::{Prediction, Rename};
use runcast_core::{Problem, Warning};
use runcast_formula::numbers::NumberList;
use runcast_report::page::Page;
use runcast_report::plot::Plot;
use std::str::FromStr;

/// Arguments of `runcast compare`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct CompareArgs {
    /// Tables of runs; other files are forecasts, as with --predictions
    #[arg(value_name = "FILE", required_unless_present = "predictions", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// What forecasts: predictions, models, BSF costs, BSP programs, wavefront models, experiments; may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub predictions: Vec<InputFile>,
    /// Fit models to these rows of the runs, too, and compare with the others
    #[arg(long, value_name = "EXPR")]
    pub train: Option<String>,
    #[command(flatten)]
    pub at: AtArgs,
    /// A plan or table whose configurations are the targets
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub targets: Option<InputFile>,
    /// What the runs call K the predictions call workers, or one of the inputs (INPUT:K=workers); may be repeated
    #[arg(long, value_name = "[INPUT:]K=workers")]
    pub rename: Vec<OfInput<Rename>>,
    /// A value of an input for a parameter that it lacks; may be repeated
    #[arg(long, value_name = "INPUT:NAME=V")]
    pub set: Vec<OfInput<Setting>>,
    /// What an input is called; may be repeated
    #[arg(long, value_name = "INPUT=TEXT")]
    pub name: Vec<Name>,
    /// Combine the forecasts into one, by their errors on runs that they have not seen
    #[arg(long)]
    pub combine: bool,
    /// Processes among which a run is chosen that would tell two forecasts apart
    #[arg(long, value_name = "LIST", value_parser = NumberList::from_str, hide_short_help = true)]
    pub candidates: Option<NumberList>,
    /// What that run may cost, in core-hours [default: what the largest run has cost]
    #[arg(long = "budget", alias = "budget-core-hours", value_name = "H", hide_short_help = true)]
    pub budget_core_hours: Option<f64>,
    /// Cores that a process takes
    #[arg(long, value_name = "C", default_value_t = 1.0, hide_short_help = true)]
    pub cores_per_process: f64,
    /// Simulations at once [default: as many as --threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096), hide_short_help = true)]
    pub jobs: Option<u64>,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub ranges: RangesArgs,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub plot: PlotArgs,
    /// Write a page, too
    #[arg(long, value_name = "FILE.html", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub report: Option<OutputFile>,
    #[command(flatten)]
    pub out: OutArgs,
}

#[cfg(feature = "methods")]
impl CompareArgs {
    /// Calls of a method at once; elsewhere than in a shell the caller has said how many threads there are.
    fn jobs(&self, context: &Context) -> usize {
        let asked = self.jobs.filter(|_| context.on_disk);
        asked.map_or_else(rayon::current_num_threads, |jobs| jobs as usize)
    }
}

/// What an option says of one input, or of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfInput<T> {
    /// The input; none: all.
    pub input: Option<String>,
    /// What it says.
    pub what: T,
}

impl<T: FromStr<Err = String>> FromStr for OfInput<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, _) = text.split_once('=').unwrap_or((text, ""));
        match name.split_once(':') {
            Some((input, _)) => Ok(OfInput { input: Some(input.to_owned()), what: text[input.len() + 1..].parse()? }),
            None => Ok(OfInput { input: None, what: text.parse()? }),
        }
    }
}

/// `N=1000`
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The parameter.
    pub name: String,
    pub value: f64,
}

impl Eq for Setting {}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = text.split_once('=').and_then(|(name, value)| {
            let value = value.trim().parse().ok().filter(|value: &f64| value.is_finite())?;
            Some(Setting { name: name.trim().to_owned(), value })
        });
        found
            .filter(|found| !found.name.is_empty())
            .ok_or_else(|| "a name and a number are needed, such as model:N=1000".to_owned())
    }
}

/// `closed.csv=on paper`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub input: String,
    /// What it is called.
    pub text: String,
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((input, text)) if !input.is_empty() && !text.trim().is_empty() => {
                Ok(Name { input: input.to_owned(), text: text.trim().to_owned() })
            }
            _ => Err("an input and its name are needed, such as closed.csv=paper".to_owned()),
        }
    }
}

/// Asks all inputs the same and sets the runs beside their answers.
///
/// # Errors
/// What is wrong with the files and the options; no input answers anything.
pub fn run(args: &CompareArgs, context: &mut Context) -> Result<Output, Failure> {
    let (tables, inputs) = input::read(args, context)?;
    let mut rows = Rows::measured(args, &tables, context)?;
    let targets = report::targets(&args.at, args.targets.as_ref(), context)?;
    if rows.list.is_empty() && targets.is_empty() {
        let problem = Problem::new("nothing_to_compare", "there is no run, and no target to ask about");
        return Err(Failure::input(problem.hint("a table of runs, or --at p=64,N=1000")));
    }
    rows.ask_about(&targets);
    rows.add_candidates(args)?;
    let mut competitors: Vec<Competitor> = Vec::new();
    let mut warnings = rows.warnings.clone();
    if let Some(train) = &args.train {
        competitors.extend(ask::fitted(args, Some(train), &tables, &rows, context)?);
    }
    competitors.extend(ask_all(args, &inputs, &rows, context)?);
    check_answered(&competitors, &rows)?;
    let (scores, few) = args.ranges.read(context)?;
    warnings.extend(few);
    if let Some(scores) = &scores {
        let all = competitors.iter_mut().flat_map(|one| one.answers.iter_mut().flatten());
        all.for_each(|prediction| own_ranges::apply(prediction, scores, args.level.level));
    }
    warnings.extend(ask::unknown_origin(&competitors, &rows));
    #[cfg_attr(not(feature = "methods"), expect(unused_mut, reason = "methods are asked again"))]
    let mut document = judge::judge(args, &rows, competitors, warnings);
    #[cfg(feature = "methods")]
    switches::add_effects(args, &mut document, &inputs, &rows, context);
    let page = args.report.as_ref().map(|path| page(path, &document, &rows, context));
    let to = Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() };
    let mut output = give(Compared { document, rows }, to, context.screen)?;
    output.files.extend(page);
    output.problems.retain(|problem| problem.code != "all_refused");
    output.exit = 0;
    Ok(output)
}

/// The commands that files of inputs are asked by, without options.
///
/// # Errors
/// A file cannot be read, or forecasts nothing.
#[cfg(feature = "methods")]
pub(crate) fn commands(args: &CompareArgs, context: &mut Context) -> Result<Vec<crate::command::Command>, Failure> {
    let (_, inputs) = input::read(args, context)?;
    Ok(inputs.iter().filter_map(ask::command_of).collect())
}

/// The section as a page of its own.
fn page(path: &OutputFile, document: &Document, rows: &Rows, context: &Context) -> OutFile {
    let mut page = Page {
        title: "Forecasts side by side".to_owned(),
        sections: vec![section::section(document, rows.process.as_ref(), &picture::runs(rows))],
        generated_by: format!("runcast {VERSION}"),
        ..Page::default()
    };
    if !context.command_line.is_empty() {
        page.commands.push(report::typed(&context.command_line));
    }
    OutFile { to: Destination::of(path), content: Content::Bytes(page.to_html().into_bytes()) }
}

/// What all inputs say; one of them must say something.
fn ask_all(
    args: &CompareArgs,
    inputs: &[Input],
    rows: &Rows,
    context: &mut Context,
) -> Result<Vec<Competitor>, Failure> {
    let mut competitors = Vec::new();
    let mut names = rename(args, inputs)?;
    for input in inputs {
        let renames = names.remove(&input.name).unwrap_or_default();
        let settings = settings(args, input);
        competitors.extend(ask::ask(input, &renames, &settings, rows, args, context)?);
        context.read_as = None;
    }
    Ok(competitors)
}

/// That one of them says something.
fn check_answered(competitors: &[Competitor], rows: &Rows) -> Result<(), Failure> {
    // Candidates of a run are not what was asked.
    let is_answer = |(answer, row): (&Option<Prediction>, &rows::Row)| {
        !row.is_candidate && answer.as_ref().is_some_and(|answer| answer.value.is_some())
    };
    if competitors.iter().any(|one| one.answers.iter().zip(&rows.list).any(is_answer)) {
        return Ok(());
    }
    let mut problem = Problem::new("no_answer", "no input says anything about these configurations");
    if let Some(reason) = competitors.iter().find_map(|one| one.reasons.first()) {
        problem = problem.hint(reason.clone());
    }
    Err(Failure::undone(problem))
}

/// What renames each input, by its name.
fn rename(args: &CompareArgs, inputs: &[Input]) -> Result<std::collections::HashMap<String, Vec<Rename>>, Failure> {
    let mut all: std::collections::HashMap<String, Vec<Rename>> = std::collections::HashMap::new();
    for OfInput { input, what } in &args.rename {
        let meant: Vec<&Input> =
            inputs.iter().filter(|known| input.as_ref().is_none_or(|name| known.is(name))).collect();
        if meant.is_empty() {
            return Err(input::unknown("--rename", input.as_deref().unwrap_or_default(), inputs).into());
        }
        for known in meant {
            all.entry(known.name.clone()).or_default().push(what.clone());
        }
    }
    for OfInput { input, .. } in &args.set {
        let name = input.as_deref().unwrap_or_default();
        if input.is_some() && !inputs.iter().any(|known| known.is(name)) {
            return Err(input::unknown("--set", name, inputs).into());
        }
    }
    Ok(all)
}

fn settings<'a>(args: &'a CompareArgs, input: &Input) -> Vec<&'a Setting> {
    let meant = args.set.iter().filter(|one| one.input.as_ref().is_none_or(|name| input.is(name)));
    meant.map(|one| &one.what).collect()
}

/// The answer: the document and what it is about.
#[derive(serde::Serialize)]
struct Compared {
    #[serde(flatten)]
    document: Document,
    #[serde(skip)]
    rows: Rows,
}

impl Answer for Compared {
    fn predictions(&self) -> Vec<Prediction> {
        document::predictions(&self.document)
    }

    fn text(&self, screen: Screen) -> String {
        text::text(&self.document, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.document.warnings.clone()
    }

    fn plot(&self) -> Result<Plot, Failure> {
        picture::picture(&self.document, self.rows.process.as_ref(), &picture::runs(&self.rows))
    }
}
