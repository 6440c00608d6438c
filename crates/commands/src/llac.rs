//! `runcast llac`: finds the constants of formulas and where they hold.
//!
//! ```text
//! text        grammar   a script falls apart into commands
//! command     session   named tables and models; what each command does to them
//! files       load      traces and tables; what their heads say stays with them
//! rows        samples   configurations with their repetitions; what does not count is counted
//! samples     model     runcast_call::piecewise
//! model       inspect, plot, save
//! ```
//!
//! `batch` runs scripts up to the first error, or past it, `interactive` speaks with a person.

mod batch;
mod complete;
mod eval;
mod files;
pub mod grammar;
mod inspect;
mod interactive;
mod load;
mod model;
mod outcome;
pub mod plot;
mod run_labels;
mod runs;
mod samples;
mod save;
mod session;
mod show;

use crate::context::Context;
use crate::failure::Failure;
use crate::options::OutArgs;
use crate::options::paths::InputFile;
use crate::output::Output;
use clap::{Args, ValueHint};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `runcast llac`.
#[derive(Debug, Clone, Default, PartialEq, Args)]
#[command(after_help = EXAMPLES)]
pub struct LlacArgs {
    /// A script; - is the standard input [default: a session on the terminal]
    #[arg(value_name = "SCRIPT.llac", value_hint = ValueHint::FilePath)]
    pub script: Option<InputFile>,
    /// Run these commands, after the script; may be repeated
    #[arg(short = 'e', long = "execute", value_name = "COMMANDS")]
    pub execute: Vec<String>,
    #[command(flatten)]
    pub out: OutArgs,
}

const EXAMPLES: &str = "\
Examples:
  runcast llac
  runcast llac analysis.llac --json
  runcast llac -e 'load fft.cll.*.csv as t; fit fft in t seg N/P as m' \\
    -e 'predict m at N=2^24,P=64,128; save m to model.json'
  runcast llac analysis.llac -o predictions.csv
  runcast llac -e 'load runs.csv; fit formula \"c[0]+c[1]*n\" seg n; plot'

Commands: load merge subset transform show fit segments constants predict
validate suggest plot save source eval set help quit. help tells about them:
  runcast llac -e 'help fit'";

/// Runs a script, the commands of `-e`, or the standard input; on a terminal, speaks with a person.
///
/// # Errors
/// What is wrong with the command line; what is wrong with a command stands in the output, beside what was done before.
pub fn run(args: &LlacArgs, context: &mut Context) -> Result<Output, Failure> {
    if args.script.is_none() && args.execute.is_empty() {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let wants_json = context.command_line.iter().any(|word| word == "--json");
        if is_terminal && !wants_json {
            return interactive::run(context);
        }
        return batch::run(Some(&PathBuf::from("-")), &[], args.out.path(), context);
    }
    batch::run(args.script.as_deref(), &args.execute, args.out.path(), context)
}

/// Reads the files that scripts name, without running a command.
///
/// # Errors
/// Those that cannot be read; what is no command.
pub(crate) fn read_files(args: &LlacArgs, context: &mut Context) -> Result<(), Failure> {
    batch::read_files(args.script.as_deref(), &args.execute, context)
}
