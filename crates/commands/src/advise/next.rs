//! `runcast advise next`: which runs make the forecast better, or distinguish forecasts.

mod experts;

use super::{Common, numbers};
use crate::compare::forum::{self, ForumArgs};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::options::paths::InputFile;
use crate::output::Output;
use clap::{Args, ValueHint};
use runcast_core::{Configuration, Problem};
use runcast_fit::advise::next::{self, Member};
use runcast_fit::registry;

/// Arguments of `runcast advise next`.
#[derive(Debug, Clone, Args)]
#[command(after_help = crate::examples::ADVISE_NEXT)]
pub struct NextArgs {
    /// Tables of runs, models written by fit, or what else forecasts: predictions, costs, programs, experiments
    #[arg(required = true, value_name = "INPUT", value_hint = ValueHint::FilePath)]
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
    pub forum: ForumArgs,
    #[command(flatten)]
    pub common: Common,
}

/// Gives the advice.
///
/// # Errors
/// What is wrong with the files and the options.
pub(super) fn run(args: &NextArgs, context: &mut Context) -> Result<Output, Failure> {
    if forum::is_needed(&args.files, &args.forum, context)? {
        return together(args, context);
    }
    let found = super::load(&args.files, &args.common, context)?;
    let model = super::only(&found)?;
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
    let is_bought = args.budget_core_hours.is_some();
    let text = text(&advice, is_bought, context.screen);
    super::output_of("advise-next", advice, found.warnings.clone(), text, &args.common)
}

/// Noise of a run where nothing was repeated: the standard deviation of its logarithm.
const USUAL_NOISE: f64 = 0.02;

/// What a run would say between forecasts of any methods.
fn together(args: &NextArgs, context: &mut Context) -> Result<Output, Failure> {
    let Common { level, models, table, .. } = &args.common;
    let files = forum::read(&args.files, &args.forum, table, models, level.level, context)?;
    let process = files.process(context)?;
    let target_p = args.at.get(&process).ok_or_else(|| {
        let problem = Problem::new("no_target", format!("the target has no {process}, which counts processes"));
        problem.at("--at").hint(format!("--at {process}=1024"))
    })?;
    let least = files.measured(&process).map_or(1.0, |[least, _]| least);
    let processes = numbers(&args.candidates, least, args.max_p, 0.5 * target_p)?;
    let candidate = |p: f64| {
        // All else is as at the target, unless it is said otherwise.
        let mut at = args.at.clone();
        at.0.extend(args.fixed.clone().unwrap_or_default().0);
        at.0.insert(process.clone(), p);
        at
    };
    let mut targets: Vec<Configuration> = processes.iter().map(|p| candidate(*p)).collect();
    targets.push(args.at.clone());
    let mut forum = files.ask(&targets, context)?;
    let weighed = match args.forum.pick {
        Some(_) => forum.chosen(&args.forum)?,
        None => forum.weighed(),
    };
    let advice = experts::advise(&forum, &weighed, &targets, args)?;
    let text = text(&advice, args.budget_core_hours.is_some(), context.screen) + &by_weight(&advice.members);
    super::output_of("advise-next", advice, forum.warnings, text, &args.common)
}

/// Who counts how much.
pub(super) fn by_weight(members: &[Member]) -> String {
    let of = |member: &Member| format!("{} {}", member.input, human::significant(member.weight, 3));
    let counted: Vec<String> = members.iter().filter(|member| member.weight > 0.0).map(of).collect();
    format!("forecasts by weight: {}\n", counted.join(", "))
}

/// A row for each run that could be made, and what is worth its price.
fn text(advice: &next::Advice, is_bought: bool, screen: Screen) -> String {
    let digits = |value: Option<f64>| value.map_or(human::DASH.to_owned(), |value| human::significant(value, 3));
    let factor = |value: Option<f64>| value.map_or(human::DASH.to_owned(), |value| format!("x{value:.2}"));
    let mut table = Table::new().text("").text("run at").number("core-hours").number("at most");
    table = table.number("range then").number("gain/core-hour").text("tells apart");
    for candidate in &advice.candidates {
        let is_chosen = advice.chosen.iter().any(|chosen| chosen.at == candidate.at);
        table.row([
            if is_chosen { ">".to_owned() } else { String::new() },
            candidate.at.to_string(),
            digits(candidate.cost_core_hours),
            digits(candidate.cost_high_core_hours),
            factor(candidate.factor_after),
            digits(candidate.gain_per_core_hour.filter(|gain| *gain > 0.0)),
            candidate.would_tell_apart.as_ref().map_or(String::new(), |pair| pair.join(", ")),
        ]);
    }
    let mut text = table.render(screen);
    text.push_str(&format!(
        "\nthe range at {} reaches from the prediction by a factor of {} now\n",
        advice.target,
        factor(advice.factor_now)
    ));
    if is_bought {
        text.push_str(&match advice.chosen.len() {
            0 => too_dear(advice),
            _ => format!(
                "the runs marked > buy: range {} -> about {}, for {} core-hours ({} at most)\n",
                factor(advice.factor_now),
                factor(advice.factor_after_chosen),
                digits(advice.cost_chosen_core_hours),
                digits(advice.cost_chosen_high_core_hours),
            ),
        });
    }
    text
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
