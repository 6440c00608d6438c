//! `runcast record export`: a recording for other simulators.

use super::application::Playing;
use super::ideal::prepared;
use super::{load, places};
use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::{InputFile, OutputPath};
use crate::options::word;
use crate::output::{Content, Destination, OutFile, Output};
use crate::sim::run::inputs::failure;
use clap::{Args, ValueHint};
use runcast_core::Warning;
use runcast_record::Recording;
use runcast_record::timeline::{MOST_SLICES, trace_events};
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
    /// What to write: goal, ti or perfetto
    #[arg(long, value_name = "FORMAT", value_parser = word::<Format>())]
    pub format: Format,
    /// The folder for the files, made if it is missing; of perfetto the file
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub output: OutputPath,
}

const EXAMPLES: &str = "\
Examples:
  runcast record export rec-16 --format goal -o schedule
  runcast record export rec-16 --format perfetto -o app.json";

/// What a recording is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A schedule.
    Goal,
    /// Time-independent traces.
    Ti,
    /// Trace events in JSON, a slice a call.
    Perfetto,
}

runcast_core::words!(Format::word: Goal = "goal", Ti = "ti", Perfetto = "perfetto");

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
    let format = match args.format {
        Format::Goal => ExportFormat::Goal,
        Format::Ti => ExportFormat::Ti,
        Format::Perfetto => return perfetto(args, &recording, context),
    };
    let prepared = prepared(&recording, Playing::default(), context)?;
    let interrupt = Arc::clone(&context.interrupt);
    let exported = prepared.export(format, &interrupt).map_err(failure)?;
    let folder = &args.output;
    let names = exported.files.iter().map(|(name, _)| folder.join(name).display().to_string());
    let warnings: Vec<Warning> = recording.warnings.iter().cloned().chain(exported.warnings).collect();
    let mut output = written(args, recording.p, names.collect(), warnings);
    for (name, bytes) in exported.files {
        output.files.push(OutFile { to: Destination::of(&folder.join(name)), content: Content::Bytes(bytes) });
    }
    Ok(output.into_folder(folder.to_path_buf()))
}

/// What is said of the files.
fn written(args: &ExportArgs, ranks: u32, files: Vec<String>, warnings: Vec<Warning>) -> Output {
    let document = Document {
        kind: "record-export",
        version: 1,
        path: args.recording.display().to_string(),
        format: args.format.word(),
        p: ranks,
        files,
        warnings: warnings.clone(),
    };
    Output::of(document).human(format!("{ranks} ranks written to {}\n", args.output.display())).warned(warnings)
}

/// A slice for each call, as long as the mean of its site.
fn perfetto(args: &ExportArgs, recording: &Recording, context: &mut Context) -> Result<Output, Failure> {
    let (bytes, warning) = timeline(recording, context);
    let warnings: Vec<Warning> = recording.warnings.iter().cloned().chain(warning).collect();
    let mut output = written(args, recording.p, vec![args.output.display().to_string()], warnings);
    output.files.push(OutFile { to: Destination::of(&args.output), content: Content::Bytes(bytes) });
    Ok(output)
}

/// Trace events of a recording, and what is left out of them.
pub(super) fn timeline(recording: &Recording, context: &mut Context) -> (Vec<u8>, Option<Warning>) {
    let (bytes, left_out) = trace_events(recording, &places::names(recording, context));
    let cut = (left_out > 0).then(|| {
        let message = format!("the timeline shows {MOST_SLICES} calls and leaves {left_out} out");
        Warning::new("timeline_cut", message)
    });
    (bytes, cut)
}
