//! `runcast cll runtime`: writes out the run-time library.

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile, Output};
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `runcast cll runtime`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct RuntimeArgs {
    /// Where to write; made if it is missing
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  runcast cll runtime include
  cc -Iinclude solver.cll.c -lm -o solver";

/// The document of `cll runtime`.
#[derive(Debug, Clone, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    /// The files that were written.
    files: Vec<String>,
}

/// Writes it out.
///
/// # Errors
/// None: what cannot be written is found out later.
pub fn run(args: &RuntimeArgs, _: &mut Context) -> Result<Output, Failure> {
    let files = runcast_cll::runtime::FILES.iter().map(|(name, text)| OutFile {
        to: Destination::Path(args.folder.join(name)),
        content: Content::Bytes(text.as_bytes().to_vec()),
    });
    let paths = runcast_cll::runtime::FILES.iter().map(|(name, _)| args.folder.join(name).display().to_string());
    let paths: Vec<String> = paths.collect();
    let human: String = paths.iter().map(|path| format!("wrote {path}\n")).collect();
    let mut output = Output::of(Document { kind: "cll-runtime", version: 1, files: paths }).human(human);
    output.files = files.collect();
    Ok(output.into_folder(&args.folder))
}
