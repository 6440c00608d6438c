//! Runs a program with the recorder in it.

use super::environment::{absolute, variables};
use super::finish::{self, Document, Ends};
use super::show::{self, ShowArgs};
use super::{RecordArgs, check, library, ranks};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, FromArgMatches};
use runcast_bench::supervise::{End, Finished, Stream};
use runcast_bench::{MpiFamily, Supervised};
use runcast_core::{Problem, Warning};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Records.
///
/// # Errors
/// There is no command, a recording is there already, the recorder cannot be compiled for the program, the program cannot
/// be started, or no rank has reported.
pub(super) fn run(args: &RecordArgs, context: &mut Context) -> Result<Output, Failure> {
    let Some(launcher) = args.command.first() else {
        let problem = Problem::new("no_command", "there is nothing to record");
        return Err(problem.hint("runcast record -- mpirun -n 4 ./app").into());
    };
    is_free(&args.output, args.force)?;
    let library = library::of(args.recorder.mpicc.as_deref(), Some(launcher), context)?;
    check::same_mpi(&args.command, &library)?;
    let folder = prepared(&args.output)?;
    let mut program = Supervised::new(&args.command);
    let mut own = variables(&args.recorder, &library, &folder);
    // Open MPI refuses the list beside its option -x.
    own.retain(|(name, _)| !name.starts_with("OMPI_MCA") || !args.command.iter().any(|word| word == "-x"));
    let root = MpiFamily::of_launcher(launcher).map(MpiFamily::root_variables).unwrap_or_default();
    program.env = own.into_iter().chain(root).map(|(name, value)| (name.into(), value.into())).collect();
    let finished = watched(&program, context);
    if let End::NotStarted(why) = &finished.end {
        return Err(Failure::input(Problem::new("not_started", why.clone()).value(launcher.clone())));
    }
    let code = match finished.end {
        End::Exit(code) => Some(code),
        _ => None,
    };
    let ends =
        Ends { command: args.command.clone(), exit_code: code, parameters: args.set.clone(), keep: args.keep_ranks };
    let mut document = finish::join(&args.output, &ends)?;
    document.warnings.extend(how_it_ended(&finished.end));
    document.partial |= !matches!(finished.end, End::Exit(_));
    let mut output = output(document, context);
    if let Some(shown) = shown(&args.output, context) {
        output.human = format!("{}\n{shown}", output.human);
    }
    Ok(output)
}

/// What `record show` says of it with its defaults, for people; nothing where it cannot say anything.
fn shown(folder: &Path, context: &mut Context) -> Option<String> {
    if context.command_line.iter().any(|word| word == "--json") {
        return None;
    }
    let command = ShowArgs::augment_args(clap::Command::new("show"));
    let matches = command.try_get_matches_from([Path::new("show"), folder]).ok()?;
    let args = ShowArgs::from_arg_matches(&matches).ok()?;
    Some(show::run(&args, context).ok()?.human)
}

fn output(document: Document, context: &Context) -> Output {
    let exit = u8::from(context.is_interrupted());
    let output = finish::output(document);
    let exit = output.exit.max(exit);
    output.exit(exit)
}

/// What is to be said of how a program ended.
pub(crate) fn how_it_ended(end: &End) -> Option<Warning> {
    match end {
        End::Exit(0) => None,
        End::Exit(code) => Some(Warning::new("program_failed", format!("the program ended with exit code {code}"))),
        End::Signal(signal) => {
            Some(Warning::new("program_failed", format!("the program was ended by signal {signal}")))
        }
        End::Interrupted => Some(Warning::new("interrupted", "the program was interrupted")),
        other => Some(Warning::new("program_failed", format!("the program ended: {}", other.status()))),
    }
}

/// A folder without a recording, or one that may be written over.
fn is_free(folder: &Path, force: bool) -> Result<(), Failure> {
    let holds_some = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if !holds_some || (force && folder.is_dir()) {
        return Ok(());
    }
    let problem =
        Problem::new("exists", "there is something in this folder already").in_file(folder.display().to_string());
    Err(problem.hint("-o DIR names another folder, --force writes over a recording").into())
}

fn prepared(folder: &Path) -> Result<PathBuf, Failure> {
    for file in ranks::leftovers(folder) {
        std::fs::remove_file(&file).map_err(|error| Failure::writing(&file, &error))?;
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    Ok(absolute(folder))
}

/// The output of the program is shown as it comes, beside the result.
pub(crate) fn watched(program: &Supervised, context: &mut Context) -> Finished {
    let interrupt = context.interrupt.clone();
    let progress = Mutex::new(&mut context.progress);
    program.run(&interrupt, &|_: Stream, line: &str| {
        progress.lock().unwrap_or_else(PoisonError::into_inner).line(line);
    })
}
