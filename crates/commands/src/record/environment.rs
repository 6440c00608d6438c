//! What a program needs in its environment to be recorded: set for a run, or printed for a batch script.

use super::library::{self, Library};
use super::{Counters, RecorderArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::import::shell_word;
use crate::options::paths::OutputPath;
use crate::output::Output;
use clap::{Args, ValueHint};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Arguments of `runcast record env`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = ENV_EXAMPLES)]
pub struct EnvArgs {
    /// The folder for the recording, which all nodes see
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath, default_value = "rec")]
    pub output: OutputPath,
    #[command(flatten)]
    pub recorder: RecorderArgs,
}

const ENV_EXAMPLES: &str = "\
Examples:
  eval \"$(runcast record env -o rec-512)\"; srun ./app 100";

/// Arguments of `runcast record flags`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = FLAGS_EXAMPLES)]
pub struct FlagsArgs {
    #[command(flatten)]
    pub recorder: RecorderArgs,
}

const FLAGS_EXAMPLES: &str = "\
Examples:
  mpicc -static app.o $(runcast record flags) -o app";

/// Variables and their values, in order.
pub(super) fn variables(args: &RecorderArgs, library: &Library, folder: &Path) -> Vec<(String, String)> {
    let preloaded = std::env::var("LD_PRELOAD").ok().filter(|others| !others.is_empty());
    let library = library.path.display().to_string();
    let preload = preloaded.map_or(library.clone(), |others| format!("{library}:{others}"));
    let own = [
        ("DIR", folder.display().to_string()),
        ("DEPTH", args.depth.to_string()),
        ("WINDOW", args.window.to_string()),
        ("LIMIT", args.limit.to_string()),
        ("FLUSH", format!("{:.0}", (args.flush * 1e3).clamp(1.0, 1e12))),
        ("GATE", u8::from(args.gate).to_string()),
        ("COUNTERS", u8::from(args.counters == Counters::On).to_string()),
    ];
    let own = own.into_iter().map(|(name, value)| (format!("RUNCAST_RECORD_{name}"), value));
    let mut all: Vec<(String, String)> = [("LD_PRELOAD".to_owned(), preload)].into_iter().chain(own).collect();
    // Open MPI passes on to other nodes what this variable names; others pass on all.
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    all.push(("OMPI_MCA_mca_base_env_list".to_owned(), names.join(";")));
    all
}

/// A path that is the same from every folder.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[derive(Debug, Clone, Serialize)]
struct EnvDocument {
    kind: &'static str,
    version: u32,
    path: String,
    mpicc: String,
    /// In the order in which they are to be set.
    variables: Vec<Variable>,
    warnings: Vec<runcast_core::Warning>,
}

#[derive(Debug, Clone, Serialize)]
struct Variable {
    name: String,
    value: String,
}

/// Prints lines for a batch script.
///
/// # Errors
/// The recorder cannot be compiled.
pub(super) fn env(args: &EnvArgs, context: &mut Context) -> Result<Output, Failure> {
    let library = library::of(args.recorder.mpicc.as_deref(), None, context)?;
    let folder = absolute(&args.output);
    let variables = variables(&args.recorder, &library, &folder);
    let lines: String =
        variables.iter().map(|(name, value)| format!("export {name}={}\n", shell_word(value))).collect();
    let note = format!("after the job: runcast record finish {}", shell_word(&args.output.display().to_string()));
    let document = EnvDocument {
        kind: "record-env",
        version: 1,
        path: folder.display().to_string(),
        mpicc: library.mpicc.display().to_string(),
        variables: variables.into_iter().map(|(name, value)| Variable { name, value }).collect(),
        warnings: Vec::new(),
    };
    Ok(Output::of(document).human(lines).noted(note))
}

#[derive(Debug, Clone, Serialize)]
struct FlagsDocument {
    kind: &'static str,
    version: u32,
    mpicc: String,
    flags: Vec<String>,
    warnings: Vec<runcast_core::Warning>,
}

/// Prints what the link command of a program needs into which nothing can be preloaded: the recorder before its MPI.
///
/// # Errors
/// The recorder cannot be compiled.
pub(super) fn flags(args: &FlagsArgs, context: &mut Context) -> Result<Output, Failure> {
    let library = library::of(args.recorder.mpicc.as_deref(), None, context)?;
    let flags = vec![
        library.object(context)?.display().to_string(),
        "-ldl".to_owned(),
        "-lpthread".to_owned(),
        "-lm".to_owned(),
    ];
    let human = format!("{}\n", flags.iter().map(|flag| shell_word(flag)).collect::<Vec<_>>().join(" "));
    let mpicc = library.mpicc.display().to_string();
    Ok(Output::of(FlagsDocument { kind: "record-flags", version: 1, mpicc, flags, warnings: Vec::new() }).human(human))
}
