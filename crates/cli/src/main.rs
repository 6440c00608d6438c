//! The program `runcast`: reads the command line, hands over to `runcast-commands`, and shows what comes of it.
//!
//! Results go to the standard output, everything else to the standard error. Exit codes: 0 done; 1 it could not be
//! done, or was interrupted; 2 the input or the usage is wrong.

mod args;
mod interrupt;
mod progress;
mod render;
mod shell;
mod usage;
mod vocabulary;

use args::{Cli, Top};
use clap::{ArgMatches, FromArgMatches};
use render::Voice;
use runcast_commands::options::parts;
use runcast_commands::usage::{as_typed, check_written};
use runcast_commands::{Command, Context, Failure};
use runcast_core::Problem;
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // The process of a task, and what forks such: they are started often, and read no command line.
    #[cfg(feature = "serve")]
    match std::env::args_os().nth(1) {
        Some(word) if word == "task-process" => return runcast_server::task::child::main(),
        #[cfg(target_os = "linux")]
        Some(word) if word == "task-root" => return runcast_server::task::root::main(),
        _ => {}
    }
    #[cfg(feature = "methods")]
    {
        let typed: Vec<OsString> = std::env::args_os().skip(1).collect();
        if let Some(Ok(code)) = runcast_commands::cll::cc::at_once(&typed) {
            return ExitCode::from(code);
        }
    }
    report_panics();
    let words = command_line();
    let command = args::command_for(&words[1..]);
    let typed: Vec<OsString> = std::env::args_os().collect();
    let spelled = parts::spelled_out(&command, &typed);
    let matches = match command.try_get_matches_from(spelled) {
        Ok(matches) => matches,
        Err(error) => return usage::answer(&error),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return usage::answer(&error.format(&mut args::command())),
    };
    let voice = Voice::new(cli.global.json);
    let checked = set_threads(cli.global.threads).and_then(|()| check_written(&args::command(), &matches));
    let result = checked.and_then(|()| run(&cli, &matches, &voice));
    match result {
        Ok(exit) => exit,
        Err(mut failure) => {
            let command = args::command();
            for problem in &mut failure.problems.0 {
                *problem = as_typed(std::mem::take(problem), &command, &words[1..]);
            }
            voice.failure(&failure)
        }
    }
}

/// Reports panics as usual, except one that becomes an error about a file.
fn report_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !runcast_core::table::catches_panics() {
            usual(panic);
        }
    }));
}

fn run(cli: &Cli, matches: &ArgMatches, voice: &Voice) -> Result<ExitCode, Failure> {
    match &cli.command {
        #[cfg(feature = "methods")]
        Top::Job(args) => {
            let mut context = context(voice, true)?;
            voice.output(&runcast_commands::job::run(args, &mut context)?)
        }
        Top::Completions(args) => voice.text(&shell::completions(args)).map(|()| ExitCode::SUCCESS),
        Top::Man(args) => voice.text(&shell::man(args)?).map(|()| ExitCode::SUCCESS),
        #[cfg(feature = "serve")]
        Top::Serve(args) => voice.output(&runcast_server::serve::run(args, cli.global.json)?),
        #[cfg(feature = "serve")]
        Top::Worker(args) => runcast_server::worker::run(args).map(|()| ExitCode::SUCCESS),
        Top::Work(command) => work(command, matches, voice),
    }
}

/// Runs a command here, or has it run by a server.
fn work(command: &Command, matches: &ArgMatches, voice: &Voice) -> Result<ExitCode, Failure> {
    if let Some(code) = command.wraps() {
        return code.map(ExitCode::from);
    }
    #[cfg(feature = "methods")]
    if let Some(launch) = args::launch(matches) {
        let mut context = context(voice, true)?;
        return voice.output(&runcast_commands::job::launch::run(&launch, &command_line()[1..], &mut context)?);
    }
    #[cfg(not(feature = "methods"))]
    let _ = matches;
    let mut context = context(voice, command.stops_by_itself())?;
    voice.output(&command.run(&mut context)?)
}

/// What commands need from the shell.
fn context(voice: &Voice, stops_by_itself: bool) -> Result<Context, Failure> {
    let mut context = Context::new();
    context.screen = voice.screen();
    context.command_line = command_line();
    context.progress = Box::new(progress::Bar::new(voice.clone()));
    interrupt::watch(&context, stops_by_itself, voice)?;
    Ok(context)
}

/// How many cores runcast itself uses.
fn set_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global().map_err(|error| {
        Failure::undone(Problem::new("threads", format!("the threads cannot be started: {error}")).at("--threads"))
    })
}

/// The command line as it was typed, under the name that others have this program by.
fn command_line() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("runcast".to_owned()).chain(words).collect()
}
