//! Commands within the process of another program, such as an interpreter of Python.

use crate::command::Command;
use crate::failure::Failure;
use crate::options::parts;
use crate::remote::{self, with_parser};
use crate::usage::{as_typed, check_written, problem};
use clap::{Arg, ArgAction, FromArgMatches};
use runcast_core::Problem;
use serde::Serialize;
use std::ffi::OsString;

/// Commands that need a process of their own, and why.
const NEED_A_PROCESS: [(&str, &str); 7] = [
    ("serve", "it serves until it is told to stop"),
    ("worker", "it works until it is told to stop"),
    ("job", "it talks to a server"),
    ("quickstart", "it starts itself again, to be measured"),
    ("quickstart-kernel", "it starts itself again, to be measured"),
    ("completions", "it is for the shell"),
    ("man", "it is for the shell"),
];

/// Reads a command line without the name of the program.
///
/// # Errors
/// What is wrong with it; commands that need a process of their own.
pub fn read(argv: &[String]) -> Result<Command, Failure> {
    if let Some((name, why)) = NEED_A_PROCESS.iter().find(|(name, _)| argv.first().is_some_and(|word| word == name)) {
        return Err(needs_a_process(name, why).into());
    }
    if let Some(at) = argv.iter().position(|word| word.contains('\0')) {
        return Err(Problem::new("invalid_value", "a word holds a zero byte").at(format!("/argv/{at}")).into());
    }
    if argv
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| ["-h", "--help", "-V", "--version"].contains(&word.as_str()))
    {
        return Err(needs_a_process("help", "it is for the shell").into());
    }
    let typed: Vec<OsString> = argv.iter().map(OsString::from).collect();
    let command = with_parser(|parser| {
        let words = std::iter::once(OsString::from("runcast")).chain(parts::spelled_out(parser, &typed));
        let matches = parser.try_get_matches_from_mut(words).map_err(|error| problem(&error))?;
        let command = Command::from_arg_matches(&matches).map_err(|error| problem(&error.format(parser)))?;
        check_written(parser, &matches)?;
        Ok::<Command, Failure>(command)
    });
    let command = command.map_err(|mut failure| {
        let definition = remote::command();
        for problem in &mut failure.problems.0 {
            *problem = as_typed(std::mem::take(problem), &definition, argv);
        }
        failure
    })?;
    match &command {
        command if command.wraps().is_some() => Err(needs_a_process("cll cc", "it becomes the compiler").into()),
        Command::Llac(args) if args.script.is_none() && args.execute.is_empty() => {
            let problem = Problem::new("missing_argument", "llac needs a script, or commands");
            Err(problem.at("--execute").hint("a session is for the terminal").into())
        }
        _ => Ok(command),
    }
}

fn needs_a_process(name: &str, why: &str) -> Problem {
    Problem::new("not_allowed", format!("{name} needs a process of its own: {why}"))
        .value(name)
        .hint(format!("run it in the shell: runcast {name}"))
}

/// A command with its options, for callers that check or list them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// `sim sweep`.
    pub command: String,
    /// What it does, in a line.
    pub about: String,
    pub options: Vec<OptionDefinition>,
}

/// An option, or an argument without a name of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptionDefinition {
    /// Its long name; of an argument without one, the name of its value.
    pub name: String,
    /// Other long names.
    pub aliases: Vec<String>,
    /// Whether it has no name on the command line.
    pub positional: bool,
    /// Whether it takes a value.
    pub takes_value: bool,
    /// Whether it may be given more than once.
    pub repeats: bool,
    /// What separates several values in one.
    pub delimiter: Option<char>,
    /// `NAME=V,..`.
    pub value: String,
    /// The words that are allowed, where they are few.
    pub choices: Vec<String>,
    pub help: String,
}

/// All commands, in the order of the help.
pub fn definitions() -> Vec<Definition> {
    let mut all = Vec::new();
    collect(&remote::command(), "", &mut all);
    all
}

fn collect(command: &clap::Command, name: &str, all: &mut Vec<Definition>) {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect(below, format!("{name} {}", below.get_name()).trim_start(), all);
    }
    if name.is_empty() || command.is_subcommand_required_set() {
        return;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let is_own = |argument: &&Arg| !argument.is_global_set();
    let options = command.get_arguments().filter(is_own).map(option).collect();
    all.push(Definition { command: name.to_owned(), about, options });
}

fn option(argument: &Arg) -> OptionDefinition {
    let values = argument.get_value_names().map_or(String::new(), |names| names.join(" "));
    let own = argument.get_long().map_or_else(|| argument.get_id().to_string(), str::to_owned);
    OptionDefinition {
        name: if argument.is_positional() { values.to_lowercase() } else { own },
        aliases: argument.get_all_aliases().unwrap_or_default().into_iter().map(str::to_owned).collect(),
        positional: argument.is_positional(),
        takes_value: argument.get_action().takes_values(),
        repeats: matches!(argument.get_action(), ArgAction::Append | ArgAction::Count),
        delimiter: argument.get_value_delimiter(),
        value: if argument.get_action().takes_values() { values } else { String::new() },
        choices: argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
        help: argument.get_help().map(ToString::to_string).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn what_needs_a_process_of_its_own_is_refused() {
        for line in ["serve --open", "job list", "quickstart", "llac", "fit --help", "cll cc gcc -c a.c"] {
            let failure = read(&words(line)).expect_err(line);
            assert_eq!(failure.exit, 2, "{line}");
        }
        assert!(matches!(read(&words("fit runs.csv --model amdahl")), Ok(Command::Fit(_))));
    }

    #[test]
    fn a_problem_names_the_option_as_it_was_typed() {
        let failure = read(&words("fit runs.csv --modle amdahl")).expect_err("no such option");
        let problem = &failure.problems.0[0];
        assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("unknown_option", Some("--modle")));
        assert!(problem.hint.as_deref().is_some_and(|hint| hint.contains("--model")), "{problem}");
    }

    #[test]
    fn every_command_is_listed_with_its_options() {
        let all = definitions();
        let fit = all.iter().find(|one| one.command == "fit").expect("fit");
        let unknown = fit.options.iter().find(|option| option.name == "unknown").expect("--unknown");
        assert!(unknown.takes_value && !unknown.positional);
        assert!(all.iter().any(|one| one.command == "sim sweep") && all.iter().all(|one| one.command != "sim"));
    }
}
