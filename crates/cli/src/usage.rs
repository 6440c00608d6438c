//! What the parser of the command line has to say: help, the version, errors.

use crate::args::left_out as left_out_of_this_build;
use crate::render::{self, Voice};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use runcast_commands::options::parts;
use runcast_commands::usage::{as_typed, problem, typed_name};
use runcast_core::Problem;
use std::process::ExitCode;

/// Shows help on the standard output, errors on the standard error or as a document.
pub fn answer(error: &clap::Error) -> ExitCode {
    let shows_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if shows_help {
        // Who has closed the other end has seen enough.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if let Some(problem) = left_out(error) {
        return Voice::new(asks_for_json()).failure(&problem.into());
    }
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let problem = problem(error);
    let typed = problem.pointer.as_deref().and_then(|option| typed_name(option, &crate::args::command(), &words));
    if asks_for_json() {
        let problem = as_typed(problem, &crate::args::command(), &words);
        let _ = render::to_stdout(&render::error_document(&[problem]));
    } else {
        let text = parts::as_shown(&rendered(error), &crate::args::command(), &words);
        let text = match (&problem.pointer, typed) {
            (Some(option), Some(typed)) => text.replacen(option.as_str(), &typed, 1),
            _ => text,
        };
        Voice::new(false).line(text.trim_end());
    }
    ExitCode::from(2)
}

/// A command that other builds have.
fn left_out(error: &clap::Error) -> Option<Problem> {
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let problem = Problem::new("not_in_this_build", format!("this build of runcast has no command {name}")).value(name);
    let hint = "the build with all commands is: cargo build --release, or cargo install --path crates/cli";
    left_out_of_this_build().contains(&name.as_str()).then(|| problem.hint(hint))
}

fn rendered(error: &clap::Error) -> String {
    let text = error.render();
    let colored = Voice::new(false).colors_errors();
    if colored { text.ansi().to_string() } else { text.to_string() }
}

/// The command line could not be read, so it is searched for the option.
fn asks_for_json() -> bool {
    std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json")
}
