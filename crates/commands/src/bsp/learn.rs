//! `runcast bsp learn`: the superstep program of runs that were recorded with `CLL_BSP=1`.

mod check;
mod document;
mod models;
mod record;
mod recorded;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputPath};
use crate::options::{AtArgs, RUNS_AT};
use crate::output::{Content, Destination, OutFile, Output};
use clap::{Args, ValueHint};
use document::Document;
use recorded::Recording;
use runcast_call::bsp::learn::{Run, learn};
use runcast_core::{Problem, Warning};
use runcast_formula::Formula;
use std::path::PathBuf;

/// Arguments of `runcast bsp learn`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES, mut_arg("at", |at| at.help(RUNS_AT)))]
pub struct LearnArgs {
    /// Folders with traces and supersteps of runs
    #[arg(value_name = "DIR", required_unless_present = "command", value_hint = ValueHint::DirPath)]
    pub recordings: Vec<InputFile>,
    /// A program with pub.h, or with MPI and `parallel MPI`, to run first; {P} and other names of --at stand for their values
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
    #[command(flatten)]
    pub at: AtArgs,
    /// A parameter of the program and the recorded name that it stands for
    #[arg(long, value_name = "NAME=RECORDED", help_heading = None::<&str>)]
    pub set: Vec<String>,
    /// Runs to check with, and not to learn from: a formula such as 'P > 4'
    #[arg(long, value_name = "FORMULA", help_heading = None::<&str>)]
    pub hold: Option<String>,
    /// The folder for the program and its models; made if it is missing
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "learned")]
    pub output: OutputPath,
}

const EXAMPLES: &str = "\
Examples:
  runcast bsp learn --at P=1,2,4,8 --hold 'P > 4' -o fft -- mpirun -n {P} ./fft_pub 65536 20
  runcast bsp learn runs -o fft && runcast bsp predict fft/program.toml --set P=1024";

/// Learns.
///
/// # Errors
/// The program cannot be run; files that cannot be read; runs that cannot be learned from.
pub fn run(args: &LearnArgs, context: &mut Context) -> Result<Output, Failure> {
    let folder = args.output.to_path_buf();
    let hold = args.hold.as_deref().map(held).transpose()?;
    let mut warnings = Vec::new();
    let mut folders: Vec<PathBuf> = args.recordings.iter().map(|folder| folder.to_path_buf()).collect();
    if !args.command.is_empty() {
        folders.push(record::record(args, &folder.join("runs"), &mut warnings, context)?);
    }
    let mut recordings = Recording::all(&folders, context)?;
    rename(&args.set, &mut recordings)?;
    for recording in &mut recordings {
        recording.held_out = is_held(hold.as_ref(), &recording.runs)?;
    }
    let used: Vec<Run> =
        recordings.iter().filter(|recording| !recording.held_out).flat_map(|r| r.runs.clone()).collect();
    let learnt = learn(&used)?;
    warnings.extend(doubts(&used, &learnt));
    let models = models::fit(&learnt, &recordings, &folder, context, &mut warnings)?;
    let title = recordings.first().map_or("", |recording| recording.program.as_str()).to_owned();
    let text = learnt.to_toml(&title, &|region| models.file(region));
    let path = folder.join("program.toml");
    context.write(&path, text.into_bytes())?;
    let check = check::check(&path, &recordings, &mut warnings, context)?;
    let document = Document::new(&path, &learnt, &models, check, warnings.clone());
    let human = document.text(context.screen);
    let mut output = Output::of(document).human(human).warned(warnings);
    output = output.noted(format!("next: runcast bsp predict {} --set P=1024", path.display()));
    output.files.push(OutFile { to: Destination::of(&folder.join("learn.json")), content: Content::Document });
    Ok(output)
}

fn held(text: &str) -> Result<Formula, Failure> {
    Formula::parse(text).map_err(|error| {
        let problem = Problem::new("bad_formula", format!("{error}")).at("--hold").value(text);
        problem.allowed("a formula over P and the recorded parameters, such as P > 4").into()
    })
}

/// Whether the runs of a recording are for the check alone.
fn is_held(hold: Option<&Formula>, runs: &[Run]) -> Result<bool, Failure> {
    let Some(hold) = hold else { return Ok(false) };
    for run in runs {
        let value = |name: &str| match name {
            "P" => Some(run.processes as f64),
            _ => run.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value),
        };
        let holds = hold.evaluate(value).map_err(|error| {
            let problem = Problem::new("bad_formula", format!("{error}")).at("--hold");
            Failure::input(problem.allowed("a formula over P and the recorded parameters, such as P > 4"))
        })?;
        if holds != 0.0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `--set N=n`: what was recorded as n is called N.
fn rename(set: &[String], recordings: &mut [Recording]) -> Result<(), Failure> {
    for text in set {
        let bad = |message: &str| {
            let problem = Problem::new("bad_set", message.to_owned()).at("--set").value(text);
            Failure::input(problem.allowed("NAME=RECORDED, such as N=n"))
        };
        let (name, recorded) = text.split_once('=').ok_or_else(|| bad("this is no NAME=RECORDED"))?;
        let values = recordings.iter_mut().flat_map(|r| &mut r.runs).flat_map(|run| &mut run.values);
        let mut found = false;
        for (known, _) in values.filter(|(known, _)| known == recorded) {
            name.clone_into(known);
            found = true;
        }
        if !found {
            return Err(bad(&format!("the region that communicates records no {recorded}")));
        }
    }
    Ok(())
}

/// What makes a program that was learned doubtful.
fn doubts(runs: &[Run], learnt: &runcast_call::bsp::learn::Learnt) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut counts: Vec<usize> = runs.iter().map(|run| run.processes).collect();
    counts.sort_unstable();
    counts.dedup();
    if counts.len() < 3 {
        let message = format!("learned from {} numbers of processes: three or more tell formulas apart", counts.len());
        warnings.push(Warning::new("few_processes", message));
    }
    for formula in learnt.formulas.iter().filter(|formula| formula.ambiguous.is_some()) {
        let other = formula.ambiguous.as_deref().unwrap_or_default();
        let message = format!(
            "{} of task {}, step {}: {} holds, and so does {other}",
            formula.key, formula.task, formula.step, formula.formula
        );
        warnings.push(Warning::new("ambiguous", message));
    }
    for unlearned in &learnt.unlearned {
        warnings.push(Warning::new("unlearned", format!("{}: {}", unlearned.place, unlearned.what)));
    }
    warnings
}
