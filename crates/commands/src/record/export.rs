//! `runcast record export`: a recording for other simulators.

use super::ideal::prepared;
use super::load;
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputPath};
use crate::options::word;
use crate::output::{Content, Destination, OutFile, Output};
use crate::sim::run::inputs::failure;
use clap::{Args, ValueHint};
use runcast_core::Warning;
use runcast_sim::run::ExportFormat;
use serde::Serialize;
use std::rc::Rc;
use std::sync::Arc;

/// Arguments of `runcast record export`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// A recording: its folder, or a file
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub recording: InputFile,
    /// What to write: goal or ti
    #[arg(long, value_name = "FORMAT", value_parser = word::<ExportFormat>())]
    pub format: ExportFormat,
    /// The folder for the files; made if it is missing
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: OutputPath,
}

const EXAMPLES: &str = "\
Examples:
  runcast record export rec-16 --format goal -o app.goal";

/// The document of kind `record-export`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    path: String,
    format: &'static str,
    p: u32,
    files: Vec<String>,
    warnings: Vec<Warning>,
}

/// Writes it.
///
/// # Errors
/// The recording cannot be replayed, or the format cannot express it.
pub(super) fn run(args: &ExportArgs, context: &mut Context) -> Result<Output, Failure> {
    let recording = Rc::new(load::load(&args.recording, context)?);
    let prepared = prepared(&recording, 0, context)?;
    let interrupt = Arc::clone(&context.interrupt);
    let exported = prepared.export(args.format, &interrupt).map_err(failure)?;
    let folder = &args.output;
    let names = exported.files.iter().map(|(name, _)| folder.join(name).display().to_string());
    let warnings: Vec<Warning> = recording.warnings.iter().cloned().chain(exported.warnings).collect();
    let document = Document {
        kind: "record-export",
        version: 1,
        path: args.recording.display().to_string(),
        format: args.format.word(),
        p: recording.p,
        files: names.collect(),
        warnings: warnings.clone(),
    };
    let human = format!("{} ranks written to {}\n", recording.p, folder.display());
    let mut output = Output::of(document).human(human).warned(warnings);
    for (name, bytes) in exported.files {
        output.files.push(OutFile { to: Destination::of(&folder.join(name)), content: Content::Bytes(bytes) });
    }
    Ok(output.into_folder(folder.to_path_buf()))
}
