//! One run, as `runcast bsf run` makes it.

use super::super::super::calibrate::without_checkpoint;
use super::super::super::run::{self, RunArgs};
use super::RunsArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Content, Destination, Output};
use clap::Parser;
use runcast_bsf::cost::Collective;
use runcast_core::{Problem, Warning};
use serde_json::Value;

/// What is the same in all runs.
pub struct Line<'a> {
    pub program: &'static str,
    /// The options.
    pub args: &'a RunsArgs,
    /// How messages travel.
    pub collective: Collective,
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The table of `--timings`.
    pub csv: String,
    /// Why it ended.
    pub status: String,
    /// Iterations that were made.
    pub iterations: u64,
    /// The median iteration.
    pub iteration_time_s: f64,
    /// What was noticed.
    pub warnings: Vec<Warning>,
}

/// The command line after `runcast bsf`.
#[derive(Debug, Parser)]
struct Parsed {
    #[command(flatten)]
    run: RunArgs,
}

impl Line<'_> {
    /// Makes a run of so many iterations.
    ///
    /// # Errors
    /// Those of `runcast bsf run`; the user asked to stop.
    pub fn run(&self, workers: u64, iterations: u64, context: &mut Context) -> Result<Ran, Failure> {
        if context.is_interrupted() {
            return Err(Failure::interrupted());
        }
        let words: Vec<String> =
            ["runcast", "bsf", "run"].map(str::to_owned).into_iter().chain(self.words(workers, iterations)).collect();
        let parsed = Parsed::try_parse_from(&words[2..]).map_err(|error| internal(error.to_string()))?;
        // Under MPI, each rank is started with the command line of this process.
        let own = std::mem::replace(&mut context.command_line, words);
        let output = run::run(&parsed.run, context);
        context.command_line = own;
        ran(output.map_err(without_checkpoint)?)
    }

    fn words(&self, workers: u64, iterations: u64) -> Vec<String> {
        let args = self.args;
        let mut words = vec![self.program.to_owned()];
        words.extend(args.settings.set.iter().map(|(name, text)| format!("--{name}={text}")));
        words.extend([
            format!("--backend={}", args.backend_name()),
            format!("--workers={workers}"),
            format!("--threads={}", args.threads()),
            format!("--collective={}", self.collective),
            format!("--wait={}", args.wait_name()),
            format!("--iterations={iterations}"),
            "--timings=-".to_owned(),
        ]);
        if args.is_mpi() {
            words.push(format!("--launcher={}", args.launch.launcher));
            words.push(format!("--retries={}", args.launch.retries));
            words.extend(args.launch.stall_timeout.map(|limit| format!("--stall-timeout={limit}s")));
        }
        words
    }
}

fn ran(output: Output) -> Result<Ran, Failure> {
    let document = output.document.as_ref().map(crate::Document::value).transpose()?.unwrap_or_default();
    let status = document["status"].as_str().unwrap_or_default().to_owned();
    if status == "interrupted" {
        return Err(Failure::interrupted());
    }
    let table = output.files.into_iter().find_map(|file| match (file.to, file.content) {
        (Destination::Stdout, Content::Bytes(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    });
    match (table, document["iterations"].as_u64(), document["iteration_time_s"].as_f64()) {
        (Some(csv), Some(iterations), Some(iteration_time_s)) => {
            Ok(Ran { csv, status, iterations, iteration_time_s, warnings: output.warnings })
        }
        _ => Err(internal(format!("a run has told no times: {}", shown(&document)))),
    }
}

fn shown(document: &Value) -> String {
    runcast_core::problem::shorten(&document.to_string(), 200)
}

fn internal(message: String) -> Failure {
    Failure::undone(Problem::new("internal", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_made_as_it_would_be_typed() {
        let mut args = RunsArgs { threads: Some(2), ..RunsArgs::default() };
        args.settings.set = vec![("size".to_owned(), "12".to_owned()), ("velocity".to_owned(), "-1,0,0".to_owned())];
        let line = Line { program: "gravity", args: &args, collective: Collective::Tree };
        let words = line.words(3, 20);
        let parsed = Parsed::try_parse_from(std::iter::once("run".to_owned()).chain(words)).expect("good");
        assert_eq!((parsed.run.workers, parsed.run.iterations, parsed.run.threads), (Some(3), Some(20), Some(2)));
        assert_eq!(parsed.run.settings, args.settings);
        assert_eq!(parsed.run.timings.as_deref(), Some(std::path::Path::new("-")));
    }

    #[test]
    fn a_run_gives_its_times() {
        let mut args = RunsArgs::default();
        args.settings.set = vec![("size".to_owned(), "50".to_owned())];
        let line = Line { program: "jacobi", args: &args, collective: Collective::Flat };
        let ran = line.run(2, 5, &mut Context::new()).expect("no error");
        assert_eq!((ran.iterations, ran.csv.lines().count() > 5), (5, true));
        assert!(ran.csv.starts_with("program,backend,") && ran.iteration_time_s > 0.0);
    }
}
