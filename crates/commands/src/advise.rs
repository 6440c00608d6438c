//! `runcast advise`: how many processes to ask for, what to run next, which regions will hurt, what a change did.

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
use crate::sentence;
use crate::tables::TableArgs;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use indexmap::IndexMap;
use runcast_core::configuration::group_name;
use runcast_core::{Configuration, Problem, Warning};
use runcast_fit::advise::compare::{self, Change};
use runcast_fit::advise::regions::Order;
use runcast_fit::advise::{next, processes, regions};
use runcast_fit::sample::Scaling;
use runcast_fit::{Model, registry};
use runcast_formula::Formula;
use runcast_formula::numbers::NumberList;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_report::number;
use serde::Serialize;

/// Arguments of `runcast advise`.
#[derive(Debug, Clone, Args)]
pub struct AdviseArgs {
    #[command(subcommand)]
    #[allow(missing_docs)]
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

/// Arguments of `runcast advise processes`.
#[derive(Debug, Clone, Args)]
#[command(after_help = crate::examples::ADVISE_PROCESSES)]
pub struct ProcessesArgs {
    /// Models written by fit, or tables of runs
    #[arg(required = true, value_name = "TABLE_OR_MODELS", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// Numbers of processes to choose from: 1,2,4 or powers:2 or range:1..64:1
    #[arg(long, value_name = "LIST", default_value = "powers:2")]
    pub processes: String,
    /// The largest of them, where the list has no end [default: 16 times the largest measured]
    #[arg(long, value_name = "P", value_parser = crate::options::positive)]
    pub max_p: Option<f64>,
    /// time, efficiency:0.7, deadline:600s, core-hours, energy or cost:EXPR over the parameters, time_s, core_hours
    #[arg(long, value_name = "WHAT", default_value = "time", value_parser = objective)]
    pub objective: processes::Objective,
    /// Values of the other parameters: N=50000
    #[arg(long, value_name = "NAME=V,..", value_parser = crate::options::configuration)]
    pub fixed: Option<Configuration>,
    /// Cores that a process takes
    #[arg(long, value_name = "C", default_value_t = 1.0, value_parser = crate::options::positive, hide_short_help = true)]
    pub cores_per_process: f64,
    /// Power of a process, in watts
    #[arg(long, value_name = "W", value_parser = watts, hide_short_help = true)]
    pub watts_per_process: Option<f64>,
    /// Whether the problem is constant or grows with the processes [default: as in the runs]
    #[arg(long, value_name = "HOW", hide_short_help = true)]
    pub scaling: Option<ScalingArg>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: Common,
}

/// Options of every kind of advice.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct Common {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub level: LevelArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub models: ModelArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub table: TableArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub out: OutArgs,
}

/// How work grows with the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScalingArg {
    /// The problem is constant.
    Strong,
    /// The problem grows with the processes.
    Weak,
}

/// Arguments of `runcast advise next`.
#[derive(Debug, Clone, Args)]
#[command(after_help = crate::examples::ADVISE_NEXT)]
pub struct NextArgs {
    /// Tables of runs, or models written by fit
    #[arg(required = true, value_name = "TABLE", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// Where the forecast is wanted
    #[arg(long, value_name = "NAME=V,..", required = true, value_parser = crate::options::configuration)]
    pub at: Configuration,
    /// Numbers of processes that could be run
    #[arg(long = "processes", alias = "candidates", value_name = "LIST", default_value = "powers:2")]
    pub candidates: String,
    /// The largest of them, where the list has no end [default: half of the target]
    #[arg(long, value_name = "P", value_parser = crate::options::positive)]
    pub max_p: Option<f64>,
    /// Values of the other parameters of the candidates: N=50000
    #[arg(long, value_name = "NAME=V,..", value_parser = crate::options::configuration)]
    pub fixed: Option<Configuration>,
    /// Core-hours that may be spent; without it nothing is chosen, only listed
    #[arg(long = "budget", alias = "budget-core-hours", value_name = "H", value_parser = crate::options::positive)]
    pub budget_core_hours: Option<f64>,
    /// Repetitions of each new configuration
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repetitions: u32,
    /// Cores that a process takes
    #[arg(long, value_name = "C", default_value_t = 1.0, value_parser = crate::options::positive, hide_short_help = true)]
    pub cores_per_process: f64,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: Common,
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
    #[allow(missing_docs)]
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
    #[allow(missing_docs)]
    pub common: Common,
}

fn objective(text: &str) -> Result<processes::Objective, String> {
    use processes::Objective;
    let allowed = "allowed are time, efficiency:0.7, deadline:600s, core-hours, energy, cost:EXPR";
    match text.split_once(':') {
        None => match text {
            "time" => Ok(Objective::Time),
            "core-hours" => Ok(Objective::CoreHours),
            "energy" => Ok(Objective::Energy),
            _ => Err(allowed.to_owned()),
        },
        Some(("efficiency", share)) => crate::options::share(share).map(Objective::Efficiency),
        Some(("deadline", time)) => crate::options::duration_s(time).map(Objective::Deadline),
        Some(("cost", formula)) => Formula::parse(formula).map(Objective::Cost).map_err(|error| error.to_string()),
        Some(_) => Err(allowed.to_owned()),
    }
}

fn watts(text: &str) -> Result<f64, String> {
    let watts = parse_quantity(text, Dimension::Power).map_err(|error| error.to_string())?;
    if watts > 0.0 { Ok(watts) } else { Err("a power above 0 is allowed".to_owned()) }
}

/// Gives the advice.
///
/// # Errors
/// What is wrong with the files and the options.
pub fn run(args: &AdviseArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.on {
        Advice::Processes(args) => on_processes(args, context),
        Advice::Next(args) => on_next(args, context),
        Advice::Regions(args) => on_regions(args, context),
        Advice::Compare(args) => on_compare(args, context),
    }
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

/// The only model, where advice on one series is asked for: of several metrics the time of the whole run, as `bench`
/// and most tools call it.
pub(crate) fn only(found: &Models) -> Result<&Model, Failure> {
    let times: Vec<&Model> =
        found.models.iter().filter(|model| ["time_s", "time"].contains(&model.series.metric.name.as_str())).collect();
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

fn on_processes(args: &ProcessesArgs, context: &mut Context) -> Result<Output, Failure> {
    let found = load(&args.files, &args.common, context)?;
    let model = only(&found)?;
    let [least, most] = model.series.process_parameter.map_or([1.0, 1.0], |p| model.range(p));
    let question = processes::Question {
        processes: numbers(&args.processes, least.min(args.max_p.unwrap_or(least)), args.max_p, 16.0 * most)?,
        fixed: args.fixed.clone().unwrap_or_default(),
        objective: args.objective.clone(),
        cores_per_process: args.cores_per_process,
        watts_per_process: args.watts_per_process,
        scaling: args.scaling.map(|scaling| match scaling {
            ScalingArg::Strong => Scaling::Strong,
            ScalingArg::Weak => Scaling::Weak,
        }),
        level: args.common.level.level,
    };
    let (advice, mut warnings) = processes::advise(model, &question)?;
    warnings.extend(found.warnings.iter().cloned());
    let mut table = Table::new().text("").number("p").number("time").number("low").number("high").number("speedup");
    table = table.number("efficiency").number("core-hours").number("energy").number("cost").text("verdict");
    for choice in &advice.choices {
        let best = advice.recommended.as_ref().is_some_and(|best| best.p == choice.p);
        let digits = |value: Option<f64>| value.map_or(String::new(), |value| human::significant(value, 3));
        table.row([
            if best { ">".to_owned() } else { String::new() },
            human::parameter(choice.p),
            human::optional_quantity(choice.time_s, "s"),
            human::optional_quantity(choice.low_s, "s"),
            human::optional_quantity(choice.high_s, "s"),
            digits(choice.speedup),
            digits(choice.efficiency),
            digits(choice.core_hours),
            choice.energy_j.map_or(String::new(), |energy| human::quantity(energy, "J")),
            digits(choice.cost),
            choice.verdict.name().to_owned(),
        ]);
    }
    let mut text = table.render(context.screen);
    let base = advice.choices.first().map_or(1.0, |choice| choice.speedup_against_p);
    let processes = |p: f64| format!("{} {}", human::parameter(p), if p == 1.0 { "process" } else { "processes" });
    text.push_str(&format!("\nspeedup against {}, as measured\n", processes(base)));
    match &advice.recommended {
        Some(best) => {
            let near = advice
                .near_best_p
                .filter(|p| matches!(args.objective, processes::Objective::Time) && *p < best.p)
                .map_or(String::new(), |p| format!("; already {} come within 5 % of the best time", processes(p)));
            text.push_str(&format!("recommended for {}: {}{near}\n", advice.objective, processes(best.p)));
        }
        None => text.push_str(&format!("no number of processes meets {}\n", advice.objective)),
    }
    if let Some(p) = advice.safe_p {
        text.push_str(&format!("in time even at the upper bound: {}\n", processes(p)));
    }
    let sentence = sentence::processes::of(&advice, &args.objective, args.common.level.level);
    Ok(output_of("advise-processes", advice, warnings, text, &args.common)?.with_sentence(Some(sentence)))
}

fn on_next(args: &NextArgs, context: &mut Context) -> Result<Output, Failure> {
    let found = load(&args.files, &args.common, context)?;
    let model = only(&found)?;
    // A model of another method refits itself.
    let regression = registry::find(if model.foreign().is_some() { "auto" } else { model.fitted.model })
        .ok_or_else(|| Failure::undone(Problem::new("internal", "a model that is not in the registry")))?;
    let p = model.series.process_parameter.ok_or_else(|| {
        Problem::new("no_processes", "no parameter counts processes").hint("name it: --process-param NAME")
    })?;
    let name = model.series.parameters[p].clone();
    // The target may say p for what the table calls nprocs.
    let target_p = model.complete(&args.at)?[p];
    let candidates = numbers(&args.candidates, model.range(p)[0], args.max_p, 0.5 * target_p)?;
    let question = next::Question {
        target: args.at.clone(),
        candidates: candidates
            .into_iter()
            .map(|p| {
                let mut at = args.fixed.clone().unwrap_or_default();
                at.0.insert(name.clone(), p);
                at
            })
            .collect(),
        budget_core_hours: args.budget_core_hours,
        repetitions: args.repetitions,
        cores_per_process: args.cores_per_process,
        level: args.common.level.level,
    };
    let advice = next::advise(model, regression, &question)?;
    let digits = |value: Option<f64>| value.map_or(human::DASH.to_owned(), |value| human::significant(value, 3));
    let factor = |value: Option<f64>| value.map_or(human::DASH.to_owned(), |value| format!("x{value:.2}"));
    let mut table = Table::new().text("").text("run at").number("core-hours").number("at most");
    table = table.number("range then").number("gain/core-hour");
    for candidate in &advice.candidates {
        let is_chosen = advice.chosen.iter().any(|chosen| chosen.at == candidate.at);
        table.row([
            if is_chosen { ">".to_owned() } else { String::new() },
            candidate.at.to_string(),
            digits(candidate.cost_core_hours),
            digits(candidate.cost_high_core_hours),
            factor(candidate.factor_after),
            digits(candidate.gain_per_core_hour.filter(|gain| *gain > 0.0)),
        ]);
    }
    let mut text = table.render(context.screen);
    text.push_str(&format!(
        "\nthe range at {} reaches from the prediction by a factor of {} now\n",
        advice.target,
        factor(advice.factor_now)
    ));
    if args.budget_core_hours.is_some() {
        text.push_str(&match advice.chosen.len() {
            0 => too_dear(&advice),
            _ => format!(
                "the runs marked > buy: range {} -> about {}, for {} core-hours ({} at most)\n",
                factor(advice.factor_now),
                factor(advice.factor_after_chosen),
                digits(advice.cost_chosen_core_hours),
                digits(advice.cost_chosen_high_core_hours),
            ),
        });
    }
    output_of("advise-next", advice, found.warnings.clone(), text, &args.common)
}

/// What to say where nothing was bought: what the cheapest run that would help costs.
fn too_dear(advice: &next::Advice) -> String {
    let helps = |run: &&next::Candidate| run.gain_per_core_hour.is_some_and(|gain| gain > 0.0);
    let price = |run: &next::Candidate| run.cost_high_core_hours.unwrap_or(f64::INFINITY);
    match advice.candidates.iter().filter(helps).min_by(|a, b| price(a).total_cmp(&price(b))) {
        Some(run) => format!(
            "no run within the budget narrows it; the cheapest that would is {}, for {} core-hours at most\n",
            run.at,
            human::significant(price(run), 3)
        ),
        None => "none of these runs narrows it\n".to_owned(),
    }
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
