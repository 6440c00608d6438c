//! `--export`: the recorded program as a schedule or as traces, for other simulators.

use super::options::RunArgs;
use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile, Output};
use runcast_sim::run::Prepared;
use serde::Serialize;
use std::sync::atomic::AtomicBool;

/// The document of an export.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    format: &'static str,
    processes: u64,
    files: Vec<String>,
}

/// Writes the program into a folder.
///
/// # Errors
/// What cannot be said in the format.
pub(super) fn export(args: &RunArgs, prepared: &Prepared) -> Result<Output, Failure> {
    let (Some(folder), Some(format)) = (&args.output, args.export) else { return Ok(Output::default()) };
    let exported = prepared.export(format, &AtomicBool::new(false)).map_err(super::inputs::failure)?;
    let files: Vec<String> = exported.files.iter().map(|(name, _)| folder.join(name).display().to_string()).collect();
    let human = format!("{} processes written to {}\n", prepared.processes(), folder.display());
    let document =
        Document { kind: "sim-export", version: 1, format: format.word(), processes: prepared.processes(), files };
    let mut output = Output::of(document).human(human).warned(exported.warnings);
    for (name, bytes) in exported.files {
        output.files.push(OutFile { to: Destination::of(&folder.join(name)), content: Content::Bytes(bytes) });
    }
    Ok(output.into_folder(folder.to_path_buf()))
}
