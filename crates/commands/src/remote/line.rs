//! A command line without the program's name, as the shell reads it.

use super::rules;
use crate::command::Command;
use crate::options::parts;
use crate::usage;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use runcast_core::Problem;
use std::ffi::OsString;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Parsers that are kept for the next command lines.
const MOST_IDLE: usize = 4;

/// What a job may hold: a command with its options, and those of every command.
#[derive(Debug, Clone, Parser)]
#[command(name = "runcast", disable_help_subcommand = true, disable_version_flag = true)]
pub(super) struct Line {
    #[command(subcommand)]
    pub command: Command,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Cores that runcast itself uses
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

/// The definition of all commands.
pub fn command() -> clap::Command {
    parts::shown(Line::command())
}

/// The same, made once. Not built: that would take longer than to read a command line, and tells nothing that is needed.
fn all() -> &'static clap::Command {
    static ALL: OnceLock<clap::Command> = OnceLock::new();
    ALL.get_or_init(command)
}

/// The definition of one of them.
pub(super) fn definition(name: &str) -> Option<&'static clap::Command> {
    name.split(' ').try_fold(all(), |command, word| command.find_subcommand(word))
}

/// Options in a text as they were typed.
pub(super) fn as_shown(text: &str, argv: &[String]) -> String {
    parts::as_shown(text, all(), argv)
}

/// Reads it.
pub(super) fn read(argv: &[String]) -> Result<(ArgMatches, Line), Problem> {
    let typed: Vec<OsString> = argv.iter().map(OsString::from).collect();
    with_parser(|parser| {
        let words = std::iter::once(OsString::from("runcast")).chain(parts::spelled_out(parser, &typed));
        let matches = parser.try_get_matches_from_mut(words).map_err(|error| wrong(&error, argv))?;
        let line = Line::from_arg_matches(&matches).map_err(|error| wrong(&error.format(parser), argv))?;
        Ok((matches, line))
    })
}

/// Lends a parser: to make one takes longer than to read most command lines.
pub(crate) fn with_parser<T>(work: impl FnOnce(&mut clap::Command) -> T) -> T {
    static IDLE: Mutex<Vec<clap::Command>> = Mutex::new(Vec::new());
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut parser = idle().pop().unwrap_or_else(command);
    let result = work(&mut parser);
    let mut idle = idle();
    if idle.len() < MOST_IDLE {
        idle.push(parser);
    }
    result
}

/// Makes the parser, with the commands that jobs may hold: what is done before a fork is not done after it.
pub fn warm_up() {
    all();
    with_parser(|parser| {
        for rule in rules::RULES.iter().filter(|rule| rule.refused.is_none()) {
            let words = std::iter::once("runcast").chain(rule.command.split(' '));
            // What it lacks does not matter: its definition is complete now.
            let _ = parser.try_get_matches_from_mut(words);
        }
    });
}

fn wrong(error: &clap::Error, argv: &[String]) -> Problem {
    use clap::error::ErrorKind;
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let at = argv.iter().position(|word| ["-h", "--help", "-V", "--version"].contains(&word.as_str()));
        let problem = Problem::new("not_allowed", "a job computes something; help is for the shell");
        return problem.at(pointer(at));
    }
    let mut problem = usage::problem(error);
    problem.message = as_shown(&problem.message, argv);
    problem.pointer = problem.pointer.map(|option| as_shown(&option, argv));
    // The value or option that the parser stumbled over, as it was typed.
    let is_it = |name: &str| {
        let name = if name.starts_with("--") { name.split(' ').next().unwrap_or_default() } else { name };
        let is_word = move |word: &String| {
            word == name || word.split_once('=').is_some_and(|(option, value)| option == name || value == name)
        };
        argv.iter().position(is_word)
    };
    let at = [&problem.value, &problem.pointer].into_iter().flatten().find_map(|name| is_it(name));
    let told = problem.pointer.clone().filter(|option| !problem.message.contains(option.as_str()));
    let message = told.map_or_else(|| problem.message.clone(), |option| format!("{option}: {}", problem.message));
    let value = problem.value.clone().or_else(|| {
        let option = problem.pointer.clone().filter(|_| error.kind() == ErrorKind::UnknownArgument);
        option.map(|option| at.map_or(option, |at| argv[at].clone()))
    });
    Problem { message, value, ..problem.at(pointer(at)) }
}

/// Where in the request a word stands.
pub(super) fn pointer(word: Option<usize>) -> String {
    word.map_or_else(|| "/argv".to_owned(), |word| format!("/argv/{word}"))
}
