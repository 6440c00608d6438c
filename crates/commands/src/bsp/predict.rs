//! `runcast bsp predict`: when each processor finishes each superstep.

mod document;
mod draws;
mod fitted;
mod picture;
mod words;

pub use document::Document;

use crate::answer::{self, Outputs};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::options::paths::{InputFile, OutputFile};
use crate::output::Output;
use crate::own_ranges::RangesArgs;
use crate::tables;
use clap::{Args, ValueHint};
use document::Prediction;
use indexmap::IndexMap;
use runcast_call::bsp::{Assignment, Assignments, Detail, Limits, Prepared, Program};
use runcast_core::{Problem, Warning};
use std::path::Path;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  runcast bsp predict fft.toml
  runcast bsp predict fft.toml --set P=1,2,4,8 --set N=65536 -o predictions.csv
  runcast bsp predict fft.toml --set P=8 --set D1=1/3 --detail --plot fft.svg";

/// Arguments of `runcast bsp predict`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct PredictArgs {
    /// The program of supersteps, as TOML
    #[arg(value_name = "PROGRAM.toml", value_hint = ValueHint::FilePath)]
    pub program: InputFile,
    /// Values for a parameter: P=2,4,8 or D1=1/3; may repeat
    #[arg(long, value_name = "NAME=V,..", help_heading = None::<&str>)]
    pub set: Vec<String>,
    /// Tell supersteps and the critical path, too
    #[arg(long, help_heading = None::<&str>)]
    pub detail: bool,
    /// Most supersteps times processors
    #[arg(long = "max-steps", id = "limit steps", value_name = "N", help_heading = None::<&str>, default_value_t = 100_000_000,
        value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000), hide_short_help = true)]
    pub max_steps: u64,
    #[command(flatten)]
    pub ranges: RangesArgs,
    /// Draw who works, waits and communicates when: FILE.svg
    #[arg(long = "plot", alias = "svg", value_name = "FILE", help_heading = "Output", value_hint = ValueHint::FilePath)]
    pub svg: Option<OutputFile>,
    #[command(flatten)]
    pub out: OutArgs,
}

/// Reads the files that a prediction reads.
///
/// # Errors
/// Those that cannot be read, or are no program and models.
pub(crate) fn read_files(args: &PredictArgs, context: &mut Context) -> Result<(), Failure> {
    let name = tables::name_of(&args.program);
    let program = Program::from_toml(&name, &context.read_text(&args.program)?)?;
    fitted::load(&program, &args.program, context).map(drop)
}

/// Predicts.
///
/// # Errors
/// What is wrong with the program and the options.
pub fn run(args: &PredictArgs, context: &mut Context) -> Result<Output, Failure> {
    let name = tables::name_of(&args.program);
    let program = Program::from_toml(&name, &context.read_text(&args.program)?)?;
    let (models, said, draw) = fitted::load(&program, &args.program, context)?;
    let sets = Assignments::parse(&args.set)?.combinations()?;
    let prepared = program.prepare(&models)?;
    let mut warnings = prepared.warnings.clone();
    let interrupt = Arc::clone(&context.interrupt);
    let mut limits = Limits { steps: args.max_steps, detail: args.detail(), interrupt: Some(&interrupt) };
    let (mut predictions, mut picture, mut is_too_large) = (Vec::new(), None, false);
    for (index, set) in sets.iter().enumerate() {
        let outcome = calculated(&prepared, set, &models, &limits)?;
        if let (Some(path), 0) = (&args.svg, index) {
            picture = Some(drawn(path, &prepared, &name, &outcome)?);
            limits.detail = if args.detail { Detail::Steps } else { Detail::None };
        }
        let mut prediction = Prediction::of(&outcome, args.detail);
        drop(outcome);
        if !models.is_empty() {
            let plain = Limits { detail: Detail::None, ..limits };
            let range = range(&draw, &prepared, set, &models, &plain, (prediction.obsp_time_s, prediction.processors))?;
            match range {
                Some(range) => prediction.within(range),
                None => is_too_large = true,
            }
        }
        predictions.push(prediction);
    }
    warnings.extend(args.ranges.widen(context, |with| predictions.iter_mut().for_each(|one| one.widen(with)))?);
    if is_too_large {
        let message =
            "there are too many processors for a range: 200 draws of the errors of models would take too long";
        warnings.push(Warning::new("no_interval", message));
    }
    if args.svg.is_some() && sets.len() > 1 {
        let message = format!("--plot shows the first of {} predictions", sets.len());
        warnings.push(Warning::new("first_only", message));
    }
    warnings.extend(said.warnings());
    let title = prepared.title().map_or_else(|| name.clone(), str::to_owned);
    let document = Document::new(title, name, warnings, predictions);
    let mut output = answer::give(document, Outputs { table: args.out.path(), plot: None }, context.screen)?;
    if let Some((path, svg)) = picture {
        output = output.with_written(path, svg);
    }
    Ok(output)
}

/// What a program takes at given parameters.
pub(super) struct Times {
    /// When each processor is done, OBSP* \[s\].
    pub finish_s: Vec<f64>,
    /// The range of the latest.
    pub range_s: Option<(f64, f64)>,
}

/// When the processors of a program are done at given parameters, and what its models say about that.
///
/// # Errors
/// What is wrong with the program.
pub(super) fn finish_times(
    path: &Path,
    sets: &[IndexMap<String, f64>],
    context: &mut Context,
) -> Result<(Vec<Times>, Vec<Warning>), Failure> {
    let program = Program::from_toml(&path.display().to_string(), &context.read_text(path)?)?;
    let (models, said, draw) = fitted::load(&program, path, context)?;
    let prepared = program.prepare(&models)?;
    let interrupt = Arc::clone(&context.interrupt);
    let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
    let mut times = Vec::new();
    for set in sets {
        let set: Vec<Assignment> = set.iter().map(|(name, value)| Assignment::number(name, *value)).collect();
        let finish_s = calculated(&prepared, &set, &models, &limits)?.obsp_finish_s().to_vec();
        let last = finish_s.iter().copied().fold(0.0, f64::max);
        let range = range(&draw, &prepared, &set, &models, &limits, (last, finish_s.len()))?;
        times.push(Times { finish_s, range_s: range.map(|range| (range.low, range.high)) });
    }
    let warnings = prepared.warnings.iter().cloned().chain(said.warnings());
    Ok((times, warnings.collect()))
}

/// The range of a time on so many processors.
fn range(
    draw: &draws::Draw,
    prepared: &Prepared,
    set: &[Assignment],
    models: &runcast_call::bsp::Models,
    limits: &Limits<'_>,
    (time_s, processors): (f64, usize),
) -> Result<Option<draws::Range>, Failure> {
    draw.range(time_s, processors, &mut || Ok(calculated(prepared, set, models, limits)?.obsp_time_s()))
}

impl PredictArgs {
    fn detail(&self) -> Detail {
        match (&self.svg, self.detail) {
            (Some(_), _) => Detail::Picture,
            (None, true) => Detail::Steps,
            (None, false) => Detail::None,
        }
    }
}

fn calculated<'p>(
    prepared: &'p Prepared,
    set: &[Assignment],
    models: &runcast_call::bsp::Models,
    limits: &Limits<'_>,
) -> Result<runcast_call::bsp::Outcome<'p>, Failure> {
    prepared.run(set, models, limits).map_err(|problem| match problem.code.as_str() {
        "interrupted" => Failure::interrupted(),
        _ => Failure::input(problem),
    })
}

fn drawn<'a>(
    path: &'a Path,
    prepared: &Prepared,
    file: &str,
    outcome: &runcast_call::bsp::Outcome<'_>,
) -> Result<(&'a Path, String), Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !extension.eq_ignore_ascii_case("svg") {
        let problem = Problem::new("unknown_picture", format!("\"{}\" is not an .svg", path.display()));
        return Err(problem.at("--plot").value(path.display().to_string()).allowed("FILE.svg").into());
    }
    let title = prepared.title().unwrap_or(file);
    let svg = runcast_report::spacetime::render(&picture::diagram(title, outcome));
    Ok((path, svg))
}
