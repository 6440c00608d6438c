//! `runcast wavefront solve`: how long a phase and a run take, how sure that is, and which degree of asynchronism to choose.

pub(crate) mod answer;
pub(crate) mod document;
mod found;
mod initial;
mod lasting;
mod limits;
mod matrix;
mod options;
pub(crate) mod picture;
mod ranking;
mod shared;
mod table;
pub(crate) mod text;
mod warnings;
pub(crate) mod words;

pub use document::Document;
pub use options::{Phases, Shown};
pub use runcast_wavefront::solve::time::{RunLaw, Threshold};

use super::model_file;
use crate::answer::{Answer, Outputs, give};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputFile};
use crate::options::word;
use crate::options::{LevelArgs, SeedArgs, duration_s, positive};
use crate::output::Output;
use crate::sentence;
use clap::{Args, ValueHint};
use runcast_core::{Prediction, Problem, Warning};
use runcast_report::plot::Plot;
use runcast_wavefront::model::{Degree, Model, Overrides, Semantics, Tie, updates_of};
use runcast_wavefront::solve::Wanted;
use runcast_wavefront::solve::bound::Bound;
use serde::Serialize;

/// Arguments of `runcast wavefront solve`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct SolveArgs {
    /// The model: processes, links and the laws of their times
    #[arg(value_name = "MODEL.toml", value_hint = ValueHint::FilePath)]
    pub model: InputFile,
    #[command(flatten)]
    pub overrides: OverrideArgs,
    #[command(flatten)]
    pub how: MethodArgs,
    #[command(flatten)]
    pub asked: AskedArgs,
    #[command(flatten)]
    pub level: LevelArgs,
    #[command(flatten)]
    pub seed: SeedArgs,
    #[command(flatten)]
    pub output: ResultArgs,
}

/// What goes before the model file, whatever is done with the model.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "In place of what the model says")]
pub struct ChangeArgs {
    /// Updates before the broadcast: a number for all processes, or one each: 1,2,1
    #[arg(long = "A", id = "set A", value_name = "N,..", allow_hyphen_values = true)]
    pub alpha_updates: Option<String>,
    /// Most updates while waiting: a number for all processes, or one each
    #[arg(long = "B", id = "set B", value_name = "N,..", allow_hyphen_values = true)]
    pub beta_updates: Option<String>,
    /// What happens to an update that the last message overtakes
    #[arg(long = "semantics", id = "set semantics", value_name = "WHAT", value_parser = word::<Semantics>())]
    pub semantics: Option<Semantics>,
    /// Whether an update that ends with the last message counts
    #[arg(long = "tie", id = "set tie", value_name = "WHAT", hide_short_help = true, value_parser = word::<Tie>())]
    pub tie: Option<Tie>,
    /// Wanted accuracy in decimal digits
    #[arg(long = "omega", id = "set omega", value_name = "DIGITS", value_parser = positive, allow_hyphen_values = true)]
    pub omega: Option<f64>,
    /// Lattice step, such as 0.1s
    #[arg(long = "step", id = "set step", value_name = "TIME", value_parser = duration_s, allow_hyphen_values = true, hide_short_help = true)]
    pub step: Option<f64>,
}

/// Goes before the model file where rates are given.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "In place of what the model says")]
pub struct OverrideArgs {
    #[command(flatten)]
    pub changes: ChangeArgs,
    /// Spectral radius of the contraction, between 0 and 1
    #[arg(long = "rho", id = "set rho", value_name = "RHO", value_parser = options::rho, allow_hyphen_values = true, hide_short_help = true)]
    pub rho: Option<f64>,
}

/// How the model is solved.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// How it is solved
    #[arg(long, value_name = "METHOD", default_value = "auto", value_parser = word::<Wanted>())]
    pub method: Wanted,
    /// Most states of the exact method
    #[arg(long = "max-states", id = "limit states", value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub max_states: u64,
    /// Keep processes apart that are alike
    #[arg(long, hide_short_help = true)]
    pub no_lump: bool,
}

/// What is asked beside the phase and the mean time.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(next_help_heading = "What to tell")]
pub struct AskedArgs {
    /// Degrees of asynchronism to compare: A/B,.. or those of the model
    #[arg(long, value_name = "A/B,..|model")]
    pub degrees: Option<String>,
    /// What limits: processes and links on the critical path
    #[arg(long = "sensitivity", id = "show sensitivity")]
    pub sensitivity: bool,
    /// Law of the time of so many phases; auto: as the accuracy needs
    #[arg(long, value_name = "N|auto", value_parser = options::phases)]
    pub phases: Option<Phases>,
    /// The error of each row at the start, in a file: its phases until omega digits are gained, in place of omega over the
    /// rate of the operator
    #[arg(long = "initial-error", id = "set initial-error", value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub initial_error: Option<InputFile>,
    /// Time from the last sample to the start of the run, where processes slow down together [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = crate::options::duration_s, hide_short_help = true)]
    pub start_in: Option<f64>,
    /// How the time of a run is found where processes slow down together
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = word::<RunLaw>(), hide_short_help = true)]
    pub law: RunLaw,
    /// Simulated runs under the level, for its law
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(100..=1_000_000), hide_short_help = true)]
    pub draws: u64,
    /// Shares of all runs whose time is told [default: 0.05,0.5,0.95,0.99]
    #[arg(long = "quantiles", id = "show quantiles", value_name = "Q,..", value_delimiter = ',', value_parser = options::quantile)]
    pub quantiles: Vec<f64>,
    /// Probability to take longer than a time, or than a multiple of the mean: 160s,1.1x
    #[arg(long = "tail", id = "show tail", value_name = "TIME|Fx,..", value_delimiter = ',', value_parser = options::threshold)]
    pub tail: Vec<Threshold>,
    /// How many wavefronts to tell, the most frequent first [default: 20]
    #[arg(long = "wavefront", id = "show wavefronts", value_name = "N|all", value_parser = options::shown, hide_short_help = true)]
    pub wavefront: Option<Shown>,
    /// Law of the duration of a phase
    #[arg(long = "pmf", id = "show pmf", hide_short_help = true)]
    pub pmf: bool,
}

/// Where results go.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(next_help_heading = "Output")]
pub struct ResultArgs {
    /// Write the predicted times as a table, for evaluate
    #[arg(short = 'o', long = "output", alias = "table", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub table: Option<OutputFile>,
    /// Draw the degrees, or the law of the time: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub plot: Option<OutputFile>,
    /// Write the transition matrix of the wavefronts
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub matrix: Option<OutputFile>,
}

const EXAMPLES: &str = "\
Examples:
  runcast wavefront solve lab.toml
  runcast wavefront solve lab.toml --degrees 1/0,1/1,1/2 --plot degrees.svg
  runcast wavefront solve lab.toml --phases auto --show tail=160s,1.1x
  runcast wavefront solve lab.toml --set B=1 --show sensitivity --json > answer.json
  runcast report answer.json -o answer.html
  runcast wavefront solve lab.toml --phases 250 -o predicted.csv";

/// Solves a model, and tells what was asked.
///
/// # Errors
/// What is wrong with the model and the options; the exact method was demanded and does not fit.
pub fn run(args: &SolveArgs, context: &mut Context) -> Result<Output, Failure> {
    let read = model_file::read(&args.model, &args.overrides.overrides()?, context)?;
    let bound = Bound::of(&read.model);
    context.progress.line(&told_bound(&bound));
    let degrees = match &args.asked.degrees {
        Some(text) => Some(Degree::list(text, read.model.size(), &read.degrees)?),
        None => None,
    };
    refuse_beside_sends(args, &read.model, degrees.as_deref())?;
    // Before the work that is in vain where it is refused.
    let matrix = args.output.matrix.is_some().then(|| matrix::TransitionMatrix::of(&read.model)).transpose()?;
    let matrix_csv = matrix.as_ref().map(matrix::TransitionMatrix::csv).transpose()?;
    let initial = args.asked.initial_error.as_deref();
    let initial = initial.map(|path| initial::read(path, &read.model, context)).transpose()?;
    let found = found::Found::of(args, &read, degrees.as_deref(), initial.as_deref())?;
    let answer = Solution { level: args.level.level, shows_wavefronts: args.asked.wavefront.is_some(), found, matrix };
    if args.output.table.is_some() && answer.predictions().is_empty() {
        let problem = Problem::new("nothing_to_predict", "without rho, an operator or --phases no time is predicted");
        return Err(problem.at("--output").hint("add rho to the model, or --phases K").into());
    }
    let to = Outputs { table: args.output.table.as_deref(), plot: args.output.plot.as_deref() };
    let sentence = sentence::degrees::of(&answer.found.document);
    let mut output = give(answer, to, context.screen)?.with_sentence(sentence);
    output.notes.splice(0..0, read.notes);
    if let Some(csv) = matrix_csv {
        output = output.with_file(args.output.matrix.as_deref(), csv);
    }
    Ok(output)
}

/// What is not known of models whose processes send for a while.
fn refuse_beside_sends(args: &SolveArgs, model: &Model, degrees: Option<&[Degree]>) -> Result<(), Failure> {
    let is_plain = |degree: &Degree| degree.alpha.iter().all(|a| *a == 1) && degree.beta.iter().all(|b| *b == 0);
    let at = match degrees {
        Some(degrees) if model.has_sends && !degrees.iter().all(is_plain) => "--degrees",
        _ if model.sends_on() && args.asked.sensitivity => "--sensitivity",
        _ => return Ok(()),
    };
    let problem = Problem::new("sends", "with sends one after the other this is not known").at(at);
    Err(problem.allowed("A = 1 and B = 0, without the critical path").hint("a model without send").into())
}

/// What was found; serialized, its document.
#[derive(Serialize)]
struct Solution {
    #[serde(flatten)]
    found: found::Found,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<matrix::TransitionMatrix>,
    #[serde(skip)]
    level: f64,
    #[serde(skip)]
    shows_wavefronts: bool,
}

impl Answer for Solution {
    fn predictions(&self) -> Vec<Prediction> {
        table::predictions(&self.found.document, self.found.run, self.level)
    }

    fn text(&self, screen: Screen) -> String {
        text::text(&self.found.document, self.shows_wavefronts, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.found.document.warnings.clone()
    }

    /// The degrees, else the law of the time.
    fn plot(&self) -> Result<Plot, Failure> {
        let law = || self.found.time.as_ref().map(|time| picture::law(&self.found.document, time));
        picture::degrees(&self.found.document, self.level).or_else(law).ok_or_else(|| {
            let problem = Problem::new("nothing_to_draw", "there are neither degrees nor a law of the time to draw");
            problem.at("--plot").hint("add --degrees 1/0,1/1 or --phases 100").into()
        })
    }
}

fn told_bound(bound: &Bound) -> String {
    match bound.states <= 2f64.powi(53) {
        true if bound.states == 1.0 => "at most 1 state".to_owned(),
        true => format!("at most {} states", bound.states),
        false => format!("at most 10^{:.1} states", bound.log10),
    }
}

impl ChangeArgs {
    /// As the reading of models takes them.
    ///
    /// # Errors
    /// Numbers of updates that are none.
    pub(super) fn overrides(&self) -> Result<Overrides, Problem> {
        let updates =
            |text: &Option<String>, option: &str| text.as_ref().map(|text| updates_of(text, option)).transpose();
        Ok(Overrides {
            step_s: self.step,
            omega: self.omega,
            rho: None,
            semantics: self.semantics,
            tie: self.tie,
            alpha_updates: updates(&self.alpha_updates, "--A")?,
            beta_updates: updates(&self.beta_updates, "--B")?,
        })
    }
}

impl OverrideArgs {
    /// As the reading of models takes them.
    ///
    /// # Errors
    /// Numbers of updates that are none.
    pub(super) fn overrides(&self) -> Result<Overrides, Problem> {
        Ok(Overrides { rho: self.rho, ..self.changes.overrides()? })
    }
}
