//! The inverse: sizes that take a given time or memory, and the fewest processes that meet a deadline.

mod deadline;
mod document;
mod sizes;

use super::PlanArgs;
use crate::compare::forum::{self, Files, ForumArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::models::{self, ModelArgs, Models};
use crate::options::paths::InputFile;
use crate::options::{configuration, duration_s, share};
use crate::output::Output;
use crate::tables::TableArgs;
use clap::{Args, ValueHint};
use runcast_core::prediction::Prediction;
use runcast_core::{Configuration, Problem};
use runcast_fit::Model;
use runcast_formula::units::{Dimension, parse_quantity};
use runcast_formula::{Formula, numbers::NumberList};
use std::cell::RefCell;

/// What a plan is solved for in place of its complexity.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Sizes and processes from a forecast")]
pub struct InverseArgs {
    /// Find the sizes whose run takes so long
    #[arg(long, value_name = "DURATION", value_parser = duration_s, conflicts_with_all = ["for_memory", "deadline"], requires = "models", hide_short_help = true)]
    pub for_time: Option<f64>,
    /// Find the sizes that need so much memory a process
    #[arg(long, value_name = "SIZE", value_parser = bytes, requires = "memory", conflicts_with = "deadline", hide_short_help = true)]
    pub for_memory: Option<f64>,
    /// Memory of a process in bytes, as a formula over the processes and sizes: '8*N^2/p'
    #[arg(long, value_name = "FORMULA", value_parser = formula, requires = "for_memory", hide_short_help = true)]
    pub memory: Option<Formula>,
    /// Find the fewest processes that take no longer; with @0.9 with that probability
    #[arg(long, value_name = "DURATION[@P]", value_parser = deadline, requires = "models", hide_short_help = true)]
    pub deadline: Option<Deadline>,
    /// What forecasts: models, tables of runs to fit, BSF costs, BSP programs, experiments
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub models: Vec<InputFile>,
    #[command(flatten)]
    pub level: crate::options::LevelArgs,
}

/// `600s@0.9`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deadline {
    /// \[s\]
    pub time_s: f64,
    /// With which the deadline must be met.
    pub probability: Option<f64>,
}

fn deadline(text: &str) -> Result<Deadline, String> {
    let (time, probability) = text.split_once('@').map_or((text, None), |(time, share)| (time, Some(share)));
    Ok(Deadline { time_s: duration_s(time)?, probability: probability.map(share).transpose()? })
}

fn formula(text: &str) -> Result<Formula, String> {
    Formula::parse(text).map_err(|error| error.to_string())
}

fn bytes(text: &str) -> Result<f64, String> {
    let bytes = parse_quantity(text, Dimension::Bytes).map_err(|error| error.to_string())?;
    if bytes > 0.0 && bytes.is_finite() { Ok(bytes) } else { Err("a size above 0 is allowed".to_owned()) }
}

impl InverseArgs {
    /// Whether the inverse is asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.for_time.is_some() || self.for_memory.is_some() || self.deadline.is_some()
    }
}

/// What is asked, and who answers.
struct Question<'a> {
    model: Option<&'a Model>,
    /// Whatever else forecasts, in place of a model.
    forum: Option<Asked<'a>>,
    /// The name of the parameter that counts processes.
    process: String,
    /// The name of the size, where sizes are asked for.
    size: String,
    fixed: Configuration,
    processes: Vec<f64>,
    level: f64,
}

/// Files that are asked about one configuration after the other.
struct Asked<'a> {
    files: &'a Files,
    context: RefCell<&'a mut Context>,
}

/// Files of other methods than `fit`, read.
fn asked(files: &[InputFile], level: f64, context: &mut Context) -> Result<Files, Failure> {
    forum::read(files, &ForumArgs::default(), &TableArgs::default(), &ModelArgs::default(), level, context)
}

/// Finds the sizes, or the processes.
///
/// # Errors
/// Options are missing or contradict each other; the forecast does not rise with the size.
pub(super) fn run(args: &PlanArgs, context: &mut Context) -> Result<Output, Failure> {
    let inverse = &args.inverse;
    if args.file.is_some() || args.check.is_some() {
        let problem = Problem::new("conflict", "the inverse takes no plan and examines none");
        return Err(problem.at("--for-time").hint("give the processes as --processes, values as --fixed").into());
    }
    for (key, _) in &args.keys.values {
        if !["processes", "size", "fixed", "max_p", "min_p"].contains(key) {
            let problem =
                Problem::new("conflict", "the inverse does not use this").at(format!("--{}", key.replace('_', "-")));
            return Err(problem.allowed("--processes, --size, --fixed, --min-p, --max-p").into());
        }
    }
    let files = inverse.models.as_slice();
    let forum = match forum::is_needed(files, &ForumArgs::default(), context)? {
        true => Some(asked(files, inverse.level.level, context)?),
        false => None,
    };
    let found = match files {
        [] => None,
        _ if forum.is_some() => None,
        files => Some(models::load_or_fit(files, &TableArgs::default(), &ModelArgs::default(), "auto", context)?),
    };
    let model = found.as_ref().map(|found| time_of(found)).transpose()?;
    let fixed = args.value("fixed").map(|text| configuration(text).map_err(|message| wrong("--fixed", text, message)));
    let fixed = fixed.transpose()?.unwrap_or_default();
    let process = match &forum {
        Some(files) => files.process(context)?,
        None => model.map_or_else(|| "p".to_owned(), process_of),
    };
    let size = size_of(args, model, &process, &fixed, inverse.deadline.is_some())?;
    let measured = match &forum {
        Some(files) => files.measured(&process).map(|[_, most]| most),
        None => model.and_then(|model| Some(model.range(model.series.process_parameter?)[1])),
    };
    let processes = processes(args, measured)?;
    let screen = context.screen;
    let forum = forum.as_ref().map(|files| Asked { files, context: RefCell::new(context) });
    let question = Question { model, forum, process, size, fixed, processes, level: inverse.level.level };
    let mut document = match (inverse.deadline, inverse.for_time, inverse.for_memory) {
        (Some(deadline), _, _) => deadline::solve(&question, deadline)?,
        (_, Some(time_s), _) => sizes::for_time(&question, time_s)?,
        (_, _, limit) => sizes::for_memory(&question, inverse.memory.as_ref(), limit.unwrap_or_default())?,
    };
    document.warnings.extend(found.into_iter().flat_map(|found| found.warnings));
    document.output(args.out.path(), screen)
}

fn wrong(option: &str, text: &str, message: String) -> Problem {
    Problem::new("bad_value", message).at(option).value(text)
}

/// The model of the run time.
fn time_of(found: &Models) -> Result<&Model, Failure> {
    let is_time = |model: &&Model| model.series.metric.unit == "s";
    let named = |model: &&Model| ["time_s", "time"].contains(&model.series.metric.name.as_str());
    let times: Vec<&Model> = found.models.iter().filter(is_time).collect();
    let whole: Vec<&Model> = times.iter().copied().filter(named).collect();
    match (times.as_slice(), whole.as_slice()) {
        ([one], _) | (_, [one]) => Ok(one),
        (several, _) => {
            let problem = Problem::new("several_series", format!("there are {} models of a time", several.len()));
            Err(problem.at("--models").allowed("one model of the run time").into())
        }
    }
}

fn process_of(model: &Model) -> String {
    let index = model.series.process_parameter;
    index.and_then(|index| model.series.parameters.get(index)).cloned().unwrap_or_else(|| "p".to_owned())
}

/// The size that is asked for: the one named, or the only one that is left.
fn size_of(
    args: &PlanArgs,
    model: Option<&Model>,
    process: &str,
    fixed: &Configuration,
    is_given: bool,
) -> Result<String, Failure> {
    if let Some(text) = args.value("size") {
        return Ok(text.split(':').next().unwrap_or_default().trim().to_owned());
    }
    if is_given {
        return Ok(String::new());
    }
    let known: Vec<&str> = match (model, &args.inverse.memory) {
        (_, Some(memory)) => memory.names().iter().map(String::as_str).collect(),
        (Some(model), None) => model.series.parameters.iter().map(String::as_str).collect(),
        (None, None) => Vec::new(),
    };
    let free: Vec<&str> =
        known.into_iter().filter(|name| *name != process && *name != "p" && fixed.get(name).is_none()).collect();
    match free.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Problem::new("no_size", "the forecast does not depend on a size").at("--size").into()),
        several => {
            let problem = Problem::new("several_sizes", format!("these sizes are free: {}", several.join(", ")));
            Err(problem.at("--size").hint("--size N asks for one, --fixed M=100 holds another").into())
        }
    }
}

/// The most numbers of processes that are tried one by one.
const MOST_PROCESSES: f64 = 4096.0;

/// Those listed; else powers of 2 up to 16 times the largest measured, for a deadline every number.
fn processes(args: &PlanArgs, measured: Option<f64>) -> Result<Vec<f64>, Failure> {
    let bound = |key: &str| -> Result<Option<f64>, Failure> {
        let text = args.value(key);
        Ok(text.map(|text| crate::options::positive(text).map_err(|why| wrong(key, text, why))).transpose()?)
    };
    let (least, most) = (bound("min_p")?.unwrap_or(1.0), bound("max_p")?.or(measured.map(|most| 16.0 * most)));
    let text = match args.value("processes") {
        Some(text) => text.to_owned(),
        None if args.inverse.deadline.is_some() => {
            let most = most.unwrap_or(MOST_PROCESSES).min(MOST_PROCESSES);
            return Ok((0..).map(|step| least.ceil() + f64::from(step)).take_while(|p| *p <= most).collect());
        }
        None => "powers:2".to_owned(),
    };
    let list = NumberList::parse(&text).map_err(|error| wrong("--processes", &text, error.to_string()))?;
    if list.is_unbounded() && most.is_none() {
        let problem = Problem::new("no_end", "the numbers of processes have no end").at("--processes").value(text);
        return Err(problem.hint("--processes 1,8,64, or --max-p 64").into());
    }
    let (from, to) = if list.is_unbounded() { (least, most.unwrap_or(least)) } else { (f64::MIN_POSITIVE, f64::MAX) };
    let numbers = list.expand(Some(from), Some(to)).map_err(|error| wrong("--processes", &text, error.to_string()))?;
    if numbers.is_empty() || numbers.len() as f64 > MOST_PROCESSES {
        let problem = wrong("--processes", &text, format!("{} numbers of processes", numbers.len()));
        return Err(problem.allowed(format!("1 to {MOST_PROCESSES} of them")).into());
    }
    Ok(numbers)
}

impl Question<'_> {
    /// A number of processes and a size, with what is fixed.
    fn at(&self, processes: f64, size: Option<f64>) -> Configuration {
        let mut at = Configuration::default();
        at.0.insert(self.process.clone(), processes);
        at.0.extend(size.map(|size| (self.size.clone(), size)));
        at.0.extend(self.fixed.0.iter().map(|(name, value)| (name.clone(), *value)));
        at
    }

    /// The least and the largest size that was measured.
    fn measured_sizes(&self) -> Option<[f64; 2]> {
        if let Some(forum) = &self.forum {
            return forum.files.range(&self.size);
        }
        let model = self.model?;
        let index = model.series.parameters.iter().position(|name| *name == self.size)?;
        Some(model.range(index))
    }

    fn predict(&self, at: &Configuration) -> Result<Option<Prediction>, Problem> {
        if let Some(forum) = &self.forum {
            let mut at = at.clone();
            // Sizes of cost models and programs are whole.
            if let Some(size) = at.0.get_mut(&self.size) {
                *size = size.floor().max(1.0);
            }
            let found = forum.files.forecast(&at, &mut forum.context.borrow_mut());
            return found.map_err(|failure| {
                let problem = failure.problems.0.into_iter().next();
                problem.unwrap_or_else(|| Problem::new("no_answer", "nobody answers")).at("--models")
            });
        }
        let Some(model) = self.model else { return Ok(None) };
        model.predict(at, self.level).map(|(prediction, _)| Some(prediction)).map_err(|problem| problem.at("--models"))
    }
}
