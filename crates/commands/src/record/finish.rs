//! The end of a recording: the files of the ranks, and what they say of the run.

use super::ranks;
use crate::context::Context;
use crate::failure::Failure;
use crate::human;
use crate::output::Output;
use clap::{Args, ValueHint};
use runcast_core::{Problem, Warning};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `runcast record finish`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct FinishArgs {
    /// The folder that the variables of `record env` have named
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// The document of `record`.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Document {
    pub kind: &'static str,
    pub version: u32,
    pub path: String,
    pub command: Vec<String>,
    /// None where it is unknown: of a batch run, or of a program ended by a signal.
    pub exit_code: Option<i32>,
    pub p: u32,
    pub ranks_found: u32,
    /// The greatest wall time of a rank, from the end of `MPI_Init` to the begin of `MPI_Finalize`.
    pub time_s: f64,
    /// What recording took of it, by the cost of a call measured at the start.
    pub overhead_s: f64,
    pub bytes_file: u64,
    pub events: u64,
    pub partial: bool,
    pub warnings: Vec<Warning>,
}

/// Puts together what a batch run has left.
///
/// # Errors
/// There is no such folder, or no rank has written there.
pub(super) fn run(args: &FinishArgs, _: &mut Context) -> Result<Output, Failure> {
    let folder = super::folder(&args.folder)?;
    let document = summary(&folder, Vec::new(), None)?;
    Ok(output(document))
}

/// The answer for people and programs.
pub(super) fn output(document: Document) -> Output {
    let failed = document.exit_code.is_some_and(|code| code != 0) || document.partial;
    let overhead_pct = if document.time_s > 0.0 { 100.0 * document.overhead_s / document.time_s } else { 0.0 };
    let human = format!(
        "{} of {} recorded in {}: {}, {:.3} s, {} bytes, recording took about {overhead_pct:.1} % of a rank's time\n",
        human::count(document.ranks_found as usize, "rank", "ranks"),
        document.p,
        document.path,
        human::count(document.events as usize, "call", "calls"),
        document.time_s,
        document.bytes_file,
    );
    let warnings = document.warnings.clone();
    Output::of(document).human(human).warned(warnings).exit(u8::from(failed))
}

/// Reads the ranks.
///
/// # Errors
/// No rank has written.
pub(super) fn summary(folder: &Path, command: Vec<String>, exit_code: Option<i32>) -> Result<Document, Failure> {
    let files = ranks::files(folder);
    let mut document = Document {
        kind: "record",
        version: 1,
        path: folder.display().to_string(),
        command,
        exit_code,
        p: 0,
        ranks_found: 0,
        time_s: 0.0,
        overhead_s: 0.0,
        bytes_file: 0,
        events: 0,
        partial: false,
        warnings: Vec::new(),
    };
    for (rank, path) in &files {
        let bytes = std::fs::read(path).map_err(|error| Failure::reading(path, &error))?;
        match super::meta::of(&bytes) {
            Ok(meta) => document.add(&bytes, &meta),
            Err(problem) => {
                let message = format!("the file of rank {rank} is left out: {problem}");
                document.warnings.push(Warning::new("damaged", message).in_file(path.display().to_string(), 0));
            }
        }
    }
    if document.ranks_found == 0 {
        return Err(no_rank(folder));
    }
    if document.ranks_found < document.p {
        let message = format!("{} of {} ranks have left a file", document.ranks_found, document.p);
        document.warnings.push(Warning::new("ranks_missing", message));
        document.partial = true;
    }
    Ok(document)
}

impl Document {
    fn add(&mut self, bytes: &[u8], meta: &super::meta::Meta) {
        self.p = self.p.max(meta.p);
        self.ranks_found += 1;
        self.time_s = self.time_s.max(meta.wall_s);
        self.overhead_s = self.overhead_s.max(meta.events as f64 * meta.call_cost_s);
        self.bytes_file += bytes.len() as u64;
        self.events += meta.events;
        self.partial |= meta.partial;
        for warning in &meta.warnings {
            // Without hardware counters nothing is missing that was asked for.
            let is_new = self.warnings.iter().all(|known| known.code != warning.code);
            if is_new && warning.code != "no_counters" {
                self.warnings.push(Warning::new(warning.code.clone(), warning.message.clone()));
            }
        }
        if let Some(end) = &meta.end {
            let is_new = self.warnings.iter().all(|known| known.message != *end);
            if is_new {
                self.warnings.push(Warning::new("partial", end.clone()));
            }
        }
    }
}

fn no_rank(folder: &Path) -> Failure {
    let problem = Problem::new("no_rank", "no MPI rank has reported").in_file(folder.display().to_string());
    Failure::undone(problem.hint(
        "the program may be linked statically (runcast record flags), use another MPI (--mpicc), not get the \
         environment from its launcher (runcast record env), or never call MPI_Init",
    ))
}
