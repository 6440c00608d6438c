//! `runcast record import`: what other tools recorded, as a recording.

use crate::context::Context;
use crate::failure::Failure;
use crate::human;
use crate::options::paths::{InputFile, OutputPath};
use crate::options::word;
use crate::output::{Content, Destination, OutFile, Output};
use crate::tables;
use clap::{Args, ValueHint};
use runcast_core::{Problem, Warning};
use runcast_record::foreign::{self, Format, Text};
use serde::Serialize;

/// Arguments of `runcast record import`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportArgs {
    /// The files of one run: one for each rank, or one for all
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<InputFile>,
    /// What they are: otf2 (the text of otf2-print), dumpi (that of dumpi2ascii), prv, liballprof or chakra
    #[arg(long, value_name = "FORMAT", value_parser = word::<Format>())]
    pub format: Format,
    /// The folder for the recording; made if it is missing
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "rec")]
    pub output: OutputPath,
    /// A parameter of the program, kept with the recording: N=100; may be repeated
    #[arg(long, value_name = "NAME=V", value_parser = super::parameter)]
    pub set: Vec<(String, f64)>,
    /// Write over files that are there
    #[arg(long)]
    pub force: bool,
}

const EXAMPLES: &str = "\
Examples:
  runcast record import pmpi-trace-rank-*.txt --format liballprof -o rec-16
  runcast record import app.prv app.pcf --format prv -o rec-16";

/// The document of kind `record-import`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    path: String,
    format: &'static str,
    files: Vec<String>,
    p: u32,
    events: u64,
    time_s: f64,
    /// What the format does not say, or is left out.
    lost: Vec<String>,
    warnings: Vec<Warning>,
}

/// Reads them.
///
/// # Errors
/// What is wrong in the files; a recording that is there already.
pub(super) fn run(args: &ImportArgs, context: &mut Context) -> Result<Output, Failure> {
    let path = args.output.join("recording.rcr");
    if context.files.is_file(&path) && !args.force {
        let problem = Problem::new("file_exists", "there is a recording already").in_file(path.display().to_string());
        return Err(problem.hint("another folder: -o DIR; or --force to write over it").into());
    }
    let mut read = Vec::new();
    for file in &args.files {
        read.push((tables::name_of(file), context.read(file)?));
    }
    let texts: Vec<Text<'_>> = read.iter().map(|(file, bytes)| Text { file, bytes }).collect();
    let mut imported = foreign::import(&texts, args.format)?;
    for (name, value) in &args.set {
        imported.recording.meta.set.insert(name.clone(), serde_json::json!(value));
        imported.recording.meta.params.insert(name.clone(), serde_json::json!(value));
    }
    let bytes = runcast_record::write(&imported.recording).map_err(Failure::undone)?;
    let document = Document {
        kind: "record-import",
        version: 1,
        path: args.output.display().to_string(),
        format: args.format.word(),
        files: read.iter().map(|(file, _)| file.clone()).collect(),
        p: imported.recording.p,
        events: imported.events,
        time_s: imported.recording.meta.time_s().unwrap_or(0.0),
        lost: imported.lost,
        warnings: imported.recording.warnings.clone(),
    };
    let human = format!(
        "{} and {} read into {}; lost: {}\n",
        human::count(document.p as usize, "rank", "ranks"),
        human::count(document.events as usize, "call", "calls"),
        document.path,
        document.lost.join("; "),
    );
    let warnings = document.warnings.clone();
    let mut output = Output::of(document).human(human).warned(warnings);
    output.files.push(OutFile { to: Destination::of(&path), content: Content::Bytes(bytes) });
    Ok(output.into_folder(args.output.to_path_buf()))
}
