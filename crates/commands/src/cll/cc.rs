//! `runcast cll cc`: put before a compiler, it makes the program record.

mod assembly;
mod compile;
mod names;
mod place;
mod report;
mod runtime;
mod settings;
mod told;
mod translate;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, FromArgMatches, ValueHint};
use runcast_bench::plain;
use runcast_call::compiler::Line;
use runcast_core::Problem;
use settings::Settings;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Arguments of `runcast cll cc`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct CcArgs {
    /// The compiler with its options and files
    #[arg(last = true, value_name = "COMPILER", required_unless_present_any = ["report", "clean", "install"])]
    pub command: Vec<OsString>,
    /// Where translations are kept [default: runcast/cll in the user's cache]
    #[arg(long, value_name = "DIR", help_heading = None::<&str>, value_hint = ValueHint::DirPath)]
    pub shadow: Option<PathBuf>,
    /// A region that cannot be translated is an error
    #[arg(long, help_heading = None::<&str>)]
    pub strict: bool,
    /// Say nothing about regions that are left out
    #[arg(long, help_heading = None::<&str>)]
    pub quiet: bool,
    /// Append a line of JSON for each call
    #[arg(long, value_name = "FILE", help_heading = None::<&str>, value_hint = ValueHint::FilePath)]
    pub log: Option<PathBuf>,
    /// Write scripts cll-NAME into DIR, for builds that take one word for a compiler [default: those that are found]
    #[arg(long, num_args = 1.., value_names = ["DIR", "NAME"], help_heading = None::<&str>, value_hint = ValueHint::DirPath, conflicts_with = "command")]
    pub install: Vec<PathBuf>,
    /// Show what programs built from this folder record
    #[arg(long, help_heading = None::<&str>, conflicts_with_all = ["command", "install"])]
    pub report: bool,
    /// Remove all translations
    #[arg(long, help_heading = None::<&str>, conflicts_with_all = ["command", "install", "report"])]
    pub clean: bool,
}

const EXAMPLES: &str = "\
Examples:
  make CC=\"runcast cll cc -- gcc\"
  cmake -DCMAKE_C_COMPILER_LAUNCHER=\"runcast;cll;cc;--\" ..
  runcast cll cc --report

With RUNCAST_CLL_OFF=1 the compiler gets its command line as it is.";

/// What is not a call of a compiler: a report, scripts, cleaning.
///
/// # Errors
/// There is no folder for translations; what is asked for cannot be written.
pub fn run(args: &CcArgs, context: &mut Context) -> Result<Output, Failure> {
    let settings = Settings::of(args);
    match args.install.split_first() {
        Some((folder, names)) => report::install(folder, names, &context.executable),
        None if args.clean => report::clean(&settings),
        None => report::report(&settings),
    }
}

impl CcArgs {
    /// Whether it is a call of a compiler, which [`wrap`] makes.
    pub fn wraps(&self) -> bool {
        !self.command.is_empty()
    }
}

/// The same for the words `cll cc [OPTION..] -- COMPILER ARG..` alone, without the options of all other commands, which
/// take longer to set up than many a source to compile. None: it is another command, or is not understood.
pub fn at_once(words: &[OsString]) -> Option<Result<u8, Failure>> {
    let [first, second, rest @ ..] = words else { return None };
    if first != "cll" || second != "cc" || !rest.iter().any(|word| word == "--") {
        return None;
    }
    let command = CcArgs::augment_args(clap::Command::new("cc").no_binary_name(true));
    let args = CcArgs::from_arg_matches(&command.try_get_matches_from(rest).ok()?).ok()?;
    args.wraps().then(|| wrap(&args))
}

/// Calls the compiler, and gives its exit code. If a signal ends it, that signal ends us.
///
/// # Errors
/// There is no such compiler.
pub fn wrap(args: &CcArgs) -> Result<u8, Failure> {
    let settings = Settings::of(args);
    let mut read = |path: &Path| std::fs::read(path).ok();
    let line = Line::read(&args.command, &mut read);
    if settings.off || line.passes() {
        settings.log(&line, None, None);
        return in_our_place(&args.command);
    }
    let call = compile::Call { words: &args.command, line: &line, settings: &settings };
    call.make()
}

/// `exec`: these words, whatever they are.
fn in_our_place(words: &[OsString]) -> Result<u8, Failure> {
    match plain::exec(words) {
        Ok(never) => match never {},
        Err(error) => Ok(missing(words, &error)),
    }
}

/// As a shell does it: one line, and 127.
fn missing(words: &[OsString], error: &std::io::Error) -> u8 {
    let name = words.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    say(&format!("runcast cll cc: {name}: {error}"));
    if error.kind() == std::io::ErrorKind::NotFound { 127 } else { 126 }
}

/// A line on the standard error.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A failure that has to do with a file.
fn undone(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::undone(Problem::new("cannot_write", format!("{what}: {error}")).in_file(path.display().to_string()))
}
