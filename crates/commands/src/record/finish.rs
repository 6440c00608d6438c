//! The end of a recording: the files of the ranks, and what they say of the run.

use super::ranks;
use crate::context::Context;
use crate::failure::Failure;
use crate::human;
use crate::output::Output;
use clap::{Args, ValueHint};
use runcast_core::{Problem, Warning};
use runcast_record::Recording;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `runcast record finish`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct FinishArgs {
    /// The folder that the variables of `record env` have named
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Keep the files of the ranks beside recording.rcr
    #[arg(long)]
    pub keep_ranks: bool,
}

const EXAMPLES: &str = "\
Examples:
  runcast record finish rec-512";

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
    /// The greatest wall time of a rank, from the end of `MPI_Init` to the beginning of `MPI_Finalize`.
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
    Ok(output(join(&folder, &Ends { keep: args.keep_ranks, ..Ends::default() })?))
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

/// Joins the files of the ranks into `recording.rcr`, with the parameters that the user named, and removes them unless
/// `keep` says otherwise.
///
/// # Errors
/// No rank has written, the files do not belong together, or the recording cannot be written.
pub(super) fn join(folder: &Path, ends: &Ends) -> Result<Document, Failure> {
    let files = ranks::files(folder);
    let (mut parts, mut warnings, mut used) = (Vec::new(), Vec::new(), Vec::new());
    for (rank, path) in &files {
        let bytes = std::fs::read(path).map_err(|error| Failure::reading(path, &error))?;
        match runcast_record::read(&bytes) {
            Ok(part) => {
                parts.push(part);
                used.push(path);
            }
            Err(problem) => {
                let message = format!("the file of rank {rank} is left out: {}", problem.message);
                warnings.push(Warning::new("damaged", message).in_file(path.display().to_string(), 0));
            }
        }
    }
    if parts.is_empty() {
        return Err(no_rank(folder));
    }
    let aborted = parts.iter().map(|part| &part.meta.exit).find(|exit| exit.aborted).cloned();
    let mut recording = runcast_record::join(parts).map_err(Failure::input)?;
    if let Some(exit) = aborted {
        recording.meta.exit = exit;
    }
    for (name, value) in &ends.parameters {
        recording.meta.set.insert(name.clone(), serde_json::json!(value));
        recording.meta.params.insert(name.clone(), serde_json::json!(value));
    }
    let bytes = runcast_record::write(&recording).map_err(Failure::undone)?;
    let path = folder.join("recording.rcr");
    std::fs::write(&path, &bytes).map_err(|error| Failure::writing(&path, &error))?;
    if !ends.keep {
        for path in used {
            std::fs::remove_file(path).map_err(|error| Failure::writing(path, &error))?;
        }
    }
    warnings.extend(told(&recording));
    Ok(Document {
        kind: "record",
        version: 1,
        path: folder.display().to_string(),
        command: ends.command.clone(),
        exit_code: ends.exit_code,
        p: recording.p,
        ranks_found: recording.p.saturating_sub(recording.missing()),
        time_s: recording.meta.time_s().unwrap_or(0.0),
        overhead_s: overhead_s(&recording),
        bytes_file: bytes.len() as u64,
        events: number(&recording, "events") as u64,
        partial: recording.is_partial() || recording.missing() > 0,
        warnings,
    })
}

/// What is known of a run beside what its ranks have left.
#[derive(Debug, Clone, Default)]
pub(super) struct Ends {
    pub command: Vec<String>,
    pub exit_code: Option<i32>,
    pub parameters: Vec<(String, f64)>,
    /// Keep the files of the ranks.
    pub keep: bool,
}

fn number(recording: &Recording, name: &str) -> f64 {
    recording.meta.more.get(name).and_then(serde_json::Value::as_f64).unwrap_or(0.0)
}

/// Of the rank with the mean number of calls.
fn overhead_s(recording: &Recording) -> f64 {
    let found = f64::from(recording.p.saturating_sub(recording.missing()).max(1));
    number(recording, "events") / found * number(recording, "call_cost_s")
}

/// What the recorder and the join have to say. Without hardware counters nothing is missing unless they were asked for: then
/// there is a reason.
fn told(recording: &Recording) -> Vec<Warning> {
    let all = recording.meta.warnings.iter().chain(&recording.warnings);
    let mut told: Vec<Warning> =
        all.filter(|warning| warning.code != "no_counters" || warning.message.contains(':')).cloned().collect();
    let exit = &recording.meta.exit;
    let how = match (recording.is_partial(), exit.signal, exit.aborted) {
        (false, ..) => return told,
        (true, _, true) => format!("a rank called MPI_Abort with code {}", exit.code.unwrap_or_default()),
        (true, Some(signal), false) => format!("a rank was ended by signal {signal}"),
        (true, None, false) => "a rank ended without MPI_Finalize".to_owned(),
    };
    told.push(Warning::new("partial", how));
    told
}

fn no_rank(folder: &Path) -> Failure {
    let problem = Problem::new("no_rank", "no MPI rank has reported").in_file(folder.display().to_string());
    Failure::undone(problem.hint(
        "the program may be linked statically (runcast record flags), use another MPI (--mpicc), not get the \
         environment from its launcher (runcast record env), or never call MPI_Init",
    ))
}
