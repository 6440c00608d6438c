//! Errors of the command-line parser as problems, naming options as they were typed.

use crate::failure::Failure;
use crate::options::parts;
use crate::options::paths::is_output_file;
use crate::output::check_folder;
use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use runcast_core::{Problem, Problems};
use std::path::Path;

/// The problem that an error of the parser is.
pub fn problem(error: &clap::Error) -> Problem {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) if !texts.is_empty() => Some(texts.join(", ")),
        Some(ContextValue::StyledStr(text)) => Some(text.to_string()),
        Some(ContextValue::StyledStrs(texts)) if !texts.is_empty() => {
            Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
        _ => None,
    };
    let rendered = error.render().to_string();
    let first = rendered.split("\n\n").next().unwrap_or_default();
    let message: Vec<&str> = first.trim_start_matches("error: ").lines().map(str::trim).collect();
    let code = match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => "invalid_value",
        ErrorKind::UnknownArgument => "unknown_option",
        ErrorKind::InvalidSubcommand => "unknown_command",
        ErrorKind::MissingRequiredArgument | ErrorKind::MissingSubcommand => "missing_argument",
        ErrorKind::ArgumentConflict => "conflict",
        _ => "usage",
    };
    let mut problem = Problem::new(code, message.join(" "));
    if let Some(argument) = text(ContextKind::InvalidArg) {
        problem = problem.at(argument.split(' ').next().unwrap_or_default());
    }
    if let Some(value) = text(ContextKind::InvalidValue).or_else(|| text(ContextKind::InvalidSubcommand)) {
        problem = problem.value(value);
    }
    if let Some(allowed) = text(ContextKind::ValidValue).or_else(|| text(ContextKind::ValidSubcommand)) {
        problem = problem.allowed(allowed);
    }
    let near = [ContextKind::SuggestedArg, ContextKind::SuggestedValue, ContextKind::SuggestedSubcommand];
    match near.into_iter().find_map(text) {
        Some(near) => problem.hint(format!("did you mean {near}?")),
        None => problem.hint("for all options, try --help"),
    }
}

/// Looks whether the folders of all files that a command line names to be written are there: after an hour of work it
/// would be too late.
///
/// # Errors
/// `missing_folder`, for each of them.
pub fn check_written(definition: &clap::Command, matches: &ArgMatches) -> Result<(), Failure> {
    let (mut definition, mut matches) = (definition, matches);
    while let Some((name, inner)) = matches.subcommand() {
        let Some(command) = definition.find_subcommand(name) else { return Ok(()) };
        (definition, matches) = (command, inner);
    }
    let is_written = |option: &&clap::Arg| {
        is_output_file(option) && matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let mut problems = Vec::new();
    for option in definition.get_arguments().filter(is_written) {
        for path in matches.get_raw(option.get_id().as_str()).into_iter().flatten() {
            let name = option.get_long().map_or_else(|| option.get_id().to_string(), |long| format!("--{long}"));
            problems.extend(check_folder(Path::new(path)).err().map(|problem| problem.at(name)));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems).into()) }
}

/// The problem with the options as the user typed them: an option may have a second name, and `-o` is `--output`.
pub fn as_typed(mut problem: Problem, command: &clap::Command, words: &[String]) -> Problem {
    problem.message = parts::as_shown(&problem.message, command, words);
    problem.hint = problem.hint.map(|hint| parts::as_shown(&hint, command, words));
    let Some(option) = problem.pointer.clone() else { return problem };
    problem.pointer = Some(parts::as_shown(&option, command, words));
    if let Some(typed) = typed_name(&option, command, words) {
        problem.message = problem.message.replace(&option, &typed);
        problem.pointer = Some(typed);
    }
    problem
}

/// The name under which `--option` was typed, if it was another one.
pub fn typed_name(option: &str, command: &clap::Command, words: &[String]) -> Option<String> {
    let was_typed = |name: &str| {
        words.iter().any(|word| word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
    };
    let long = option.strip_prefix("--")?;
    if was_typed(option) {
        return None;
    }
    let argument = leaf(command, words).get_arguments().find(|argument| argument.get_long() == Some(long))?;
    let others = argument.get_all_aliases().unwrap_or_default().into_iter().map(|alias| format!("--{alias}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    others.chain(short).find(|name| was_typed(name))
}

/// The command that the words call.
fn leaf<'c>(command: &'c clap::Command, words: &[String]) -> &'c clap::Command {
    words.iter().fold(command, |command, word| command.find_subcommand(word).unwrap_or(command))
}

#[cfg(all(test, feature = "methods"))]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_the_option_that_was_typed() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let told = |pointer: &str, line: &str| {
            let problem = Problem::new("x", format!("{pointer} is wrong")).at(pointer);
            let problem = as_typed(problem, &crate::remote::command(), &words(line));
            (problem.pointer.unwrap_or_default(), problem.message)
        };
        let expect = |name: &str| (name.to_owned(), format!("{name} is wrong"));
        assert_eq!(told("--model", "evaluate t.csv --models atuo"), expect("--models"));
        assert_eq!(told("--model", "evaluate t.csv --model atuo --models"), expect("--model"));
        assert_eq!(told("--output", "wavefront solve m.toml --table=x"), expect("--table"));
        assert_eq!(told("--output", "wavefront solve m.toml -o x"), expect("-o"));
        assert_eq!(told("/size/N", "plan p.toml"), expect("/size/N"));
    }
}
