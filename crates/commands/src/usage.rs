//! What the parser of the command line has to say, as a problem.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use runcast_core::Problem;

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
