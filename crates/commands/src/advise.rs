//! `runcast advise`: how many processes to ask for, what to run next, which regions will hurt, what a change did.

mod next;
mod picture;
mod processes;

pub use next::NextArgs;
pub use processes::{ProcessesArgs, ScalingArg};

use crate::context::Context;
use crate::document::value_of;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::models::{self, ModelArgs, Models};
use crate::options::paths::InputFile;
use crate::options::word;
use crate::options::{LevelArgs, OutArgs};
use crate::output::Output;
use crate::predict::no_model;
use crate::tables::TableArgs;
use clap::{Args, Subcommand, ValueHint};
use indexmap::IndexMap;
use runcast_core::configuration::group_name;
use runcast_core::{Configuration, Problem, Warning};
use runcast_fit::Model;
use runcast_fit::advise::compare::{self, Change};
use runcast_fit::advise::regions;
use runcast_fit::advise::regions::Order;
use runcast_formula::numbers::NumberList;
use runcast_report::number;
use serde::Serialize;

/// Arguments of `runcast advise`.
#[derive(Debug, Clone, Args)]
pub struct AdviseArgs {
    #[command(subcommand)]
    pub on: Advice,
}

/// What advice is asked for.
#[derive(Debug, Clone, Subcommand)]
pub enum Advice {
    /// How many processes to ask for
    Processes(ProcessesArgs),
    /// What to run next: which runs within a budget make the forecast better
    Next(NextArgs),
    /// Which regions will hurt at scale
    Regions(RegionsArgs),
    /// What a change did: two tables or models side by side
    Compare(CompareArgs),
}

/// Options of every kind of advice.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct Common {
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub models: ModelArgs,
    #[command(flatten)]
    pub table: TableArgs,
    #[command(flatten)]
    pub out: OutArgs,
}

/// Arguments of `runcast advise regions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = crate::examples::ADVISE_REGIONS)]
pub struct RegionsArgs {
    /// Tables of runs, or models written by fit
    #[arg(required = true, value_name = "TABLE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// The target
    #[arg(long, value_name = "NAME=V,..", required = true, value_parser = crate::options::configuration)]
    pub at: Configuration,
    /// How to rank
    #[arg(long, value_name = "ORDER", default_value = "growth", value_parser = word::<Order>())]
    pub order: Order,
    /// Regions below this share of the sum at the target come last
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = crate::options::share)]
    pub min_share: f64,
    #[command(flatten)]
    pub common: Common,
}

/// Arguments of `runcast advise compare`.
#[derive(Debug, Clone, Args)]
#[command(after_help = crate::examples::ADVISE_COMPARE)]
pub struct CompareArgs {
    /// Runs or models before the change
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath)]
    pub before: InputFile,
    /// Runs or models after it
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub after: InputFile,
    /// The target
    #[arg(long, value_name = "NAME=V,..", required = true, value_parser = crate::options::configuration)]
    pub at: Configuration,
    #[command(flatten)]
    pub common: Common,
}

/// Gives the advice.
///
/// # Errors
/// What is wrong with the files and the options.
pub fn run(args: &AdviseArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.on {
        Advice::Processes(args) => processes::run(args, context),
        Advice::Next(args) => next::run(args, context),
        Advice::Regions(args) => on_regions(args, context),
        Advice::Compare(args) => on_compare(args, context),
    }
}

/// The commands that files of other methods are asked by.
///
/// # Errors
/// A file cannot be read, or forecasts nothing.
#[cfg(feature = "methods")]
pub(crate) fn commands(args: &AdviseArgs, context: &mut Context) -> Result<Vec<crate::command::Command>, Failure> {
    let (files, forum) = match &args.on {
        Advice::Processes(args) => (&args.files, &args.forum),
        Advice::Next(args) => (&args.files, &args.forum),
        Advice::Regions(_) | Advice::Compare(_) => return Ok(Vec::new()),
    };
    crate::compare::forum::commands(files, forum, context)
}

/// A document: its kind, then the fields of the advice.
#[derive(Serialize)]
struct Document<'a, T> {
    kind: &'static str,
    version: u32,
    #[serde(flatten)]
    advice: T,
    warnings: &'a [Warning],
}

fn output_of<T: Serialize>(
    kind: &'static str,
    advice: T,
    warnings: Vec<Warning>,
    text: String,
    common: &Common,
) -> Result<Output, Failure> {
    let document = Document { kind, version: 1, advice, warnings: &warnings };
    Ok(Output::of(value_of(&document)?).human(text).with_document_file(common.out.path()).warned(warnings))
}

pub(crate) fn load(files: &[InputFile], common: &Common, context: &mut Context) -> Result<Models, Failure> {
    let found = models::load_or_fit(files, &common.table, &common.models, "auto", context)?;
    if found.models.is_empty() { Err(no_model(&found)) } else { Ok(found) }
}

/// Words of the name of the time of a whole run, with its unit: `time_s`, `wall_ms`, `Total Time (s)`.
const WHOLE: [&str; 14] = [
    "time",
    "wall",
    "walltime",
    "total",
    "elapsed",
    "runtime",
    "exec",
    "execution",
    "s",
    "ms",
    "us",
    "ns",
    "sec",
    "seconds",
];

/// The only model, where advice on one series is asked for: of several metrics the time of the whole run.
pub(crate) fn only(found: &Models) -> Result<&Model, Failure> {
    let called = |is_whole: &dyn Fn(&str) -> bool| -> Vec<&Model> {
        let metric = |model: &Model| model.series.metric.is_time() && is_whole(&model.series.metric.name);
        found.models.iter().filter(|model| metric(model)).collect()
    };
    let is_word_of_whole = |word: &str| word.is_empty() || WHOLE.contains(&word);
    let mut times = called(&|name| ["time_s", "time"].contains(&name));
    if times.is_empty() {
        times = called(&|name| name.to_ascii_lowercase().split(|c: char| !c.is_alphanumeric()).all(is_word_of_whole));
    }
    match (found.models.as_slice(), times.as_slice()) {
        ([one], _) => Ok(one),
        (_, [time]) => Ok(time),
        (several, _) => {
            let names: Vec<String> = several
                .iter()
                .take(5)
                .map(|model| {
                    format!(
                        "{} ({})",
                        crate::fit::series_name(&model.series.group, &model.series.metric.name),
                        model.fitted.model
                    )
                })
                .collect();
            let problem = Problem::new(
                "several_series",
                format!("this advice is about one series; there are {}: {}", several.len(), names.join("; ")),
            );
            Err(problem.hint(format!("choose one: {}", how_to_choose(several))).into())
        }
    }
}

/// The options that leave the first of several series: a label, the metric, the model, whatever they differ in.
fn how_to_choose(several: &[Model]) -> String {
    let Some(first) = several.first() else { return String::new() };
    let differs = |of: fn(&Model) -> &str| several.iter().any(|model| of(model) != of(first));
    let mut options: Vec<String> = Vec::new();
    for (label, value) in &first.series.group {
        if several.iter().any(|model| model.series.group.get(label) != Some(value)) {
            options.push(format!("--where '{label} == \"{value}\"'"));
            break;
        }
    }
    if differs(|model| &model.series.metric.name) {
        options.push(format!("--metric {}", first.series.metric.name));
    }
    if differs(|model| model.fitted.model) {
        options.push(format!("--model {}", first.fitted.model));
    }
    options.join(" ")
}

/// The numbers of a list, from `least` to `largest` or else `most` where the list itself has no end.
fn numbers(text: &str, least: f64, largest: Option<f64>, most: f64) -> Result<Vec<f64>, Failure> {
    let most = largest.unwrap_or(most);
    let wrong = |message: String| Failure::from(Problem::new("bad_list", message).at("--processes").value(text));
    let list = NumberList::parse(text).map_err(|error| wrong(error.to_string()))?;
    // What ends by itself is taken as it was written.
    let (least, most) =
        if list.is_unbounded() { (least, most) } else { (f64::MIN_POSITIVE, largest.unwrap_or(f64::MAX)) };
    let numbers = list.expand(Some(least), Some(most)).map_err(|error| wrong(error.to_string()))?;
    if numbers.is_empty() {
        return Err(wrong(format!("no number between {least} and {most} is in the list")));
    }
    Ok(numbers)
}

fn on_regions(args: &RegionsArgs, context: &mut Context) -> Result<Output, Failure> {
    let found = load(&args.files, &args.common, context)?;
    let ranked = regions::rank(&found.models, &args.at, args.order, args.min_share, args.common.level.level)?;
    let unit = found.models.first().map_or("", |model| model.series.metric.unit.as_str());
    let table =
        Table::new().number("rank").text("region").text("grows as").number("value").number("low").number("high");
    let mut table = table.number("growth").number("share").number("share measured");
    for region in &ranked {
        table.row([
            format!("{}{}", region.rank, if region.minor { "-" } else { "" }),
            group_name(&region.group),
            number::formula(&region.class, 3),
            human::optional_quantity(region.value, unit),
            human::optional_quantity(region.low, unit),
            human::optional_quantity(region.high, unit),
            region.growth.map_or(human::DASH.to_owned(), |growth| format!("x{}", human::significant(growth, 3))),
            human::percent(region.share_pct),
            human::percent(region.share_measured_pct),
        ]);
    }
    let mut text = table.render(context.screen);
    text.push_str(&format!(
        "\nat {}; growth from the smallest run; a - marks regions under the least share\n",
        args.at
    ));
    let mut warnings = found.warnings.clone();
    warnings.extend(crate::fit::failures(&found));
    let advice = IndexMap::from([("regions", ranked)]);
    output_of("advise-regions", advice, warnings, text, &args.common)
}

fn on_compare(args: &CompareArgs, context: &mut Context) -> Result<Output, Failure> {
    let before = load(std::slice::from_ref(&args.before), &args.common, context)?;
    let after = load(std::slice::from_ref(&args.after), &args.common, context)?;
    let compared = compare::compare(&before.models, &after.models, &args.at, args.common.level.level)?;
    let unit = before.models.first().map_or("", |model| model.series.metric.unit.as_str());
    let table =
        Table::new().text("region").number("before").number("after").number("ratio").number("low").number("high");
    let mut table = table.text("grew as").text("grows as").text("change").number("crosses at");
    for region in &compared {
        let ratio = |value: Option<f64>| {
            value.map_or(human::DASH.to_owned(), |value| format!("x{}", human::significant(value, 3)))
        };
        let class = |class: &Option<String>| class.as_deref().map_or(String::new(), |class| number::formula(class, 3));
        table.row([
            group_name(&region.group),
            human::optional_quantity(region.before, unit),
            human::optional_quantity(region.after, unit),
            ratio(region.ratio),
            ratio(region.low),
            ratio(region.high),
            class(&region.class_before),
            class(&region.class_after),
            change_name(region.change).to_owned(),
            region.crosses_at.map_or(String::new(), |p| human::significant(p, 3)),
        ]);
    }
    let mut text = table.render(context.screen);
    text.push_str(&format!("\nat {}; same: the range of the ratio holds 1\n", args.at));
    let mut warnings = before.warnings.clone();
    warnings.extend(after.warnings.iter().cloned());
    output_of("advise-compare", IndexMap::from([("regions", compared)]), warnings, text, &args.common)
}

fn change_name(change: Change) -> &'static str {
    match change {
        Change::Regressed => "regressed",
        Change::Improved => "improved",
        Change::Same => "same",
        Change::New => "new",
        Change::Gone => "gone",
        Change::Unknown => "unknown",
    }
}
