//! `runcast advise processes`: how many processes to ask for, by any forecasts.

use super::{Common, numbers, picture};
use crate::compare::forum::{self, ForumArgs};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::options::PlotArgs;
use crate::options::paths::InputFile;
use crate::output::Output;
use crate::{plots, sentence};
use clap::{Args, ValueEnum, ValueHint};
use runcast_core::prediction::Prediction;
use runcast_core::{Configuration, Problem, Warning};
use runcast_fit::advise::next::Member;
use runcast_fit::advise::processes::{self, Advice, Basis, Deadline, Forecast, Objective, Prices, Question, choose};
use runcast_fit::sample::Scaling;
use runcast_formula::Formula;
use runcast_formula::units::{Dimension, parse_quantity};
use serde::Serialize;

/// Arguments of `runcast advise processes`.
#[derive(Debug, Clone, Args)]
#[command(after_help = crate::examples::ADVISE_PROCESSES)]
pub struct ProcessesArgs {
    /// Tables of runs, models written by fit, or what else forecasts: predictions, costs, programs, experiments
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// Numbers of processes to choose from: 1,2,4 or powers:2 or range:1..64:1
    #[arg(long, value_name = "LIST", default_value = "powers:2")]
    pub processes: String,
    /// The largest of them, where the list has no end [default: 16 times the largest measured]
    #[arg(long, value_name = "P", value_parser = crate::options::positive)]
    pub max_p: Option<f64>,
    /// time, efficiency:0.7, deadline:600s (deadline:600s@0.9 with that probability), core-hours, energy, money, front or
    /// cost:EXPR over the parameters, time_s, core_hours
    #[arg(long, value_name = "WHAT", default_value = "time", value_parser = objective)]
    pub objective: Objective,
    /// Values of the other parameters: N=50000
    #[arg(long, value_name = "NAME=V,..", value_parser = crate::options::configuration)]
    pub fixed: Option<Configuration>,
    /// Cores that a process takes
    #[arg(long, value_name = "C", default_value_t = 1.0, value_parser = crate::options::positive, hide_short_help = true)]
    pub cores_per_process: f64,
    /// Power of a process, in watts
    #[arg(long, value_name = "W", value_parser = watts, hide_short_help = true)]
    pub watts_per_process: Option<f64>,
    /// Price of a core-hour, in any currency
    #[arg(long, value_name = "PRICE", value_parser = crate::options::not_negative, hide_short_help = true)]
    pub price_per_core_hour: Option<f64>,
    /// What a run costs besides
    #[arg(long, value_name = "PRICE", default_value_t = 0.0, value_parser = crate::options::not_negative, hide_short_help = true)]
    pub fixed_price: f64,
    /// Whether the problem is constant or grows with the processes [default: as in the runs]
    #[arg(long, value_name = "HOW", hide_short_help = true)]
    pub scaling: Option<ScalingArg>,
    #[command(flatten)]
    pub forum: ForumArgs,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub plot: PlotArgs,
}

/// How work grows with the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScalingArg {
    /// The problem is constant.
    Strong,
    /// The problem grows with the processes.
    Weak,
}

fn objective(text: &str) -> Result<Objective, String> {
    let allowed = "allowed are time, efficiency:0.7, deadline:600s, deadline:600s@0.9, core-hours, energy, money, front, cost:EXPR";
    match text.split_once(':') {
        None => match text {
            "time" => Ok(Objective::Time),
            "core-hours" => Ok(Objective::CoreHours),
            "energy" => Ok(Objective::Energy),
            "money" => Ok(Objective::Money),
            "front" => Ok(Objective::Front),
            _ => Err(allowed.to_owned()),
        },
        Some(("efficiency", share)) => crate::options::share(share).map(Objective::Efficiency),
        Some(("deadline", due)) => {
            let (time, share) = due.split_once('@').map_or((due, None), |(time, share)| (time, Some(share)));
            let time_s = crate::options::duration_s(time)?;
            Ok(Objective::Deadline(Deadline { time_s, probability: share.map(crate::options::level).transpose()? }))
        }
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
pub(super) fn run(args: &ProcessesArgs, context: &mut Context) -> Result<Output, Failure> {
    if forum::is_needed(&args.files, &args.forum, context)? {
        return together(args, context);
    }
    let found = super::load(&args.files, &args.common, context)?;
    let model = super::only(&found)?;
    let [least, most] = model.series.process_parameter.map_or([1.0, 1.0], |p| model.range(p));
    let processes = numbers(&args.processes, least.min(args.max_p.unwrap_or(least)), args.max_p, 16.0 * most)?;
    let question = question(args, processes);
    let (advice, mut warnings) = processes::advise(model, &question)?;
    warnings.extend(found.warnings.iter().cloned());
    let advised = Advised { advice, members: Vec::new() };
    output(args, advised, warnings, true, context.screen)
}

fn question(args: &ProcessesArgs, processes: Vec<f64>) -> Question {
    Question {
        processes,
        fixed: args.fixed.clone().unwrap_or_default(),
        objective: args.objective.clone(),
        cores_per_process: args.cores_per_process,
        watts_per_process: args.watts_per_process,
        prices: Prices { core_hour: args.price_per_core_hour, run: args.fixed_price },
        scaling: args.scaling.map(|scaling| match scaling {
            ScalingArg::Strong => Scaling::Strong,
            ScalingArg::Weak => Scaling::Weak,
        }),
        level: args.common.level.level,
    }
}

/// Numbers go so far where nothing was measured and nothing else is said.
const MOST_UNMEASURED: f64 = 1024.0;

/// The advice of inputs of any methods.
fn together(args: &ProcessesArgs, context: &mut Context) -> Result<Output, Failure> {
    let Common { level, models, table, .. } = &args.common;
    let files = forum::read(&args.files, &args.forum, table, models, level.level, context)?;
    let process = files.process(context)?;
    let measured = files.measured(&process);
    let [least, most] = measured.map_or([1.0, MOST_UNMEASURED], |[least, most]| [least, 16.0 * most]);
    let processes = numbers(&args.processes, least.min(args.max_p.unwrap_or(least)), args.max_p, most)?;
    let question = question(args, processes);
    let target = |p: f64| {
        let mut at = question.fixed.clone();
        at.0.insert(process.clone(), p);
        at
    };
    let smallest = question.processes.iter().copied().fold(f64::INFINITY, f64::min);
    let p0 = measured.map_or(smallest, |[least, _]| least);
    let targets: Vec<Configuration> = [p0].iter().chain(&question.processes).map(|p| target(*p)).collect();
    let mut forum = files.ask(&targets, context)?;
    if forum.rows.metric.unit != "s" {
        let problem =
            Problem::new("not_a_time", format!("advice on processes needs a time, not {}", forum.rows.metric.name));
        return Err(problem.hint("choose one: --metric time_s").into());
    }
    let weighed = forum.chosen(&args.forum)?;
    let mut forecasts = Vec::new();
    for &p in &question.processes {
        let place = forum.place(&target(p));
        let Some(said) = place.and_then(|place| forum.forecast(&weighed, place)) else {
            forecasts.push(Forecast::of(p, &Prediction::new("", "", "time_s", target(p), None), &question.objective));
            continue;
        };
        let mut forecast = Forecast::of(p, &said.prediction, &question.objective);
        if let Some(combined) = &said.combined {
            forecast.mean_s = Some(combined.mean());
            if let Objective::Deadline(due) = question.objective {
                forecast.probability = Some(combined.share_below(due.time_s));
            }
        }
        (forecast.energy_j, forecast.input) = (said.energy_j, Some(said.input));
        forecasts.push(forecast);
    }
    let place = forum.place(&target(p0));
    let run = place.and_then(|place| forum.measured(place));
    let time_s = run.or_else(|| forum.forecast(&weighed, place?)?.prediction.value);
    let base = Basis { p: p0, time_s, is_strong: question.scaling != Some(Scaling::Weak) };
    let (advice, more) = choose(forecasts, base, &question)?;
    let mut warnings = forum.warnings.clone();
    warnings.extend(more);
    let members = forum.listed(&weighed);
    output(args, Advised { advice, members }, warnings, run.is_some(), context.screen)
}

/// The advice, and who was asked.
#[derive(Serialize)]
struct Advised {
    #[serde(flatten)]
    advice: Advice,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<Member>,
}

fn output(
    args: &ProcessesArgs,
    advised: Advised,
    warnings: Vec<Warning>,
    is_measured: bool,
    screen: Screen,
) -> Result<Output, Failure> {
    let advice = &advised.advice;
    // A front asks for nothing that could be missed.
    let is_missed = advice.recommended.is_none() && !matches!(args.objective, Objective::Front);
    let mut text = text(advice, &args.objective, is_measured, screen);
    if !advised.members.is_empty() {
        text.push_str(&super::next::by_weight(&advised.members));
    }
    let sentence = sentence::processes::of(advice, &args.objective, args.common.level.level);
    let picture = args.plot.plot.as_deref().map(|path| plots::file(path, &picture::front(advice)?)).transpose()?;
    let mut output = super::output_of("advise-processes", advised, warnings, text, &args.common)?;
    output.files.extend(picture);
    Ok(output.with_sentence(Some(sentence)).exit(u8::from(is_missed)))
}

/// A row for each number, and what is recommended.
fn text(advice: &Advice, objective: &Objective, is_measured: bool, screen: Screen) -> String {
    let mut table = Table::new().text("").number("p").number("time").number("low").number("high").number("speedup");
    table = table.number("efficiency").number("in time").number("core-hours").number("energy").number("money");
    table = table.number("cost").text("front").text("verdict");
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
            choice.probability.map_or(String::new(), |share| human::percent(Some((1000.0 * share).round() / 10.0))),
            digits(choice.core_hours),
            choice.energy_j.map_or(String::new(), |energy| human::quantity(energy, "J")),
            digits(choice.money),
            digits(choice.cost),
            if choice.on_front { "*".to_owned() } else { String::new() },
            choice.verdict.name().to_owned(),
        ]);
    }
    let mut text = table.render(screen);
    let base = advice.choices.first().map_or(1.0, |choice| choice.speedup_against_p);
    let processes = |p: f64| format!("{} {}", human::parameter(p), if p == 1.0 { "process" } else { "processes" });
    let how = if is_measured { ", as measured" } else { "" };
    text.push_str(&format!("\nspeedup against {}{how}\n", processes(base)));
    match &advice.recommended {
        Some(best) => {
            let near = advice
                .near_best_p
                .filter(|p| matches!(objective, Objective::Time) && *p < best.p)
                .map_or(String::new(), |p| format!("; already {} come within 5 % of the best time", processes(p)));
            text.push_str(&format!("recommended for {}: {}{near}\n", advice.objective, processes(best.p)));
        }
        None if matches!(objective, Objective::Front) => {
            let front: Vec<String> = advice.front.iter().map(|p| human::parameter(*p)).collect();
            text.push_str(&format!("none is better in everything (*): {} processes\n", front.join(", ")));
        }
        None => text.push_str(&format!("no number of processes meets {}\n", advice.objective)),
    }
    if let Some(p) = advice.safe_p {
        text.push_str(&format!("{}: {}\n", safe(objective), processes(p)));
    }
    text
}

fn safe(objective: &Objective) -> String {
    match objective {
        Objective::Deadline(Deadline { probability: Some(share), .. }) => {
            format!("in time with a probability of {share}")
        }
        _ => "in time even at the upper bound".to_owned(),
    }
}
