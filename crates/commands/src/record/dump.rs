//! `runcast record dump`: a recording as text.

use super::{load, places};
use crate::context::Context;
use crate::failure::Failure;
use crate::human::quantity;
use crate::options::paths::InputFile;
use crate::output::Output;
use clap::{Args, ValueHint};
use runcast_core::{Problem, Warning};
use runcast_record::dump::{DumpedProgram, programs, text};
use serde::Serialize;

/// Arguments of `runcast record dump`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct DumpArgs {
    /// A recording: its folder, or a file
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub recording: InputFile,
    /// Only what this rank did
    #[arg(long, value_name = "R")]
    pub rank: Option<u32>,
}

const EXAMPLES: &str = "\
Examples:
  runcast record dump rec-16 --rank 3";

/// The document of kind `record-dump`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    path: String,
    p: u32,
    partial: bool,
    programs: Vec<DumpedProgram>,
    warnings: Vec<Warning>,
}

/// Shows it.
///
/// # Errors
/// It cannot be read, or the rank has left nothing.
pub(super) fn run(args: &DumpArgs, context: &mut Context) -> Result<Output, Failure> {
    let recording = load::load(&args.recording, context)?;
    let names = places::names(&recording, context);
    let programs = programs(&recording, args.rank, &names);
    if let (true, Some(rank)) = (programs.is_empty(), args.rank) {
        let problem = Problem::new("no_rank", "this rank has left nothing").at("--rank").value(rank.to_string());
        let ranks = recording.ranks();
        let allowed = ranks.first().zip(ranks.last()).map(|(first, last)| format!("{first} to {last}"));
        return Err(problem.allowed(allowed.unwrap_or_else(|| "none".to_owned())).into());
    }
    let human = text(&recording, &programs, |time_s| quantity(time_s, "s"));
    let warnings = recording.warnings.clone();
    let path = args.recording.display().to_string();
    let document = Document {
        kind: "record-dump",
        version: 1,
        path,
        p: recording.p,
        partial: recording.is_partial(),
        programs,
        warnings: warnings.clone(),
    };
    Ok(Output::of(document).human(human).warned(warnings))
}
