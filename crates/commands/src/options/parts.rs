//! Options made of parts: `--limit events=1e6,memory=4GiB`, `--show sensitivity,quantiles=0.5,0.9`.
//!
//! A part is declared like any option, with its parser, default and conflicts; its id says what it is a part of:
//! `id = "limit events"`. [`shown`] puts the option that people see into the command, and [`spelled_out`] the parts into
//! a command line, before clap reads it. A part may also be typed as an option of its own, by its `long`.
//!
//! Where several parts stand in one value, a comma followed by no part's name belongs to the value before it. Two names
//! of parts are special: `=` is every `NAME=VALUE`, and `@` is the rest of what begins with it.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;

/// Options that have nothing but parts: name, value, and what is said of the parts.
const WHOLES: [(&str, &str, &str); 4] = [
    ("limit", "NAME=V,..", "Limit"),
    ("params", "NAME=ATTRIBUTE,..", "Parameters and the attributes that hold them (Caliper)"),
    ("set", "NAME=V,..", "Set"),
    ("show", "WHAT,..", "Also show"),
];

/// What an option that has nothing but parts is read as: never, for the parts are taken out of it before.
#[derive(Debug, Clone)]
pub enum Whole {}

/// The option that an argument is a part of, and the name of the part.
pub fn named(argument: &Arg) -> Option<(&str, &str)> {
    argument.get_id().as_str().split_once(' ')
}

/// A command whose options show their parts; the parts themselves are hidden.
pub fn shown(command: Command) -> Command {
    let command = command.mut_subcommands(shown);
    let mut wholes: BTreeMap<String, Vec<Arg>> = BTreeMap::new();
    for argument in command.get_arguments() {
        if let Some((whole, _)) = named(argument) {
            wholes.entry(whole.to_owned()).or_default().push(argument.clone());
        }
    }
    let command = command.mut_args(|argument| if named(&argument).is_some() { argument.hide(true) } else { argument });
    wholes.into_iter().fold(command, |command, (whole, parts)| with(command, whole, &parts))
}

fn with(command: Command, name: String, parts: &[Arg]) -> Command {
    let is_own = |argument: &&Arg| argument.get_long() == Some(&name);
    let own = command.get_arguments().find(is_own).map(|own| own.get_id().clone());
    let is_alias = |argument: &Arg| argument.get_all_aliases().is_some_and(|all| all.contains(&name.as_str()));
    if own.is_none() && command.get_arguments().any(is_alias) {
        return command;
    }
    if let Some(id) = own {
        return command.mut_arg(id, |own| {
            let help = own.get_long_help().or(own.get_help()).map(ToString::to_string).unwrap_or_default();
            own.long_help(listed(&help, parts))
        });
    }
    let (value, meaning) = WHOLES
        .iter()
        .find(|(whole, _, _)| *whole == name)
        .map_or(("NAME=V,..", ""), |(_, value, meaning)| (*value, *meaning));
    let names: Vec<String> = parts.iter().filter_map(named).map(|(_, part)| part.to_owned()).collect();
    let allowed = names.join(", ");
    let help = if allowed == "=" { meaning.to_owned() } else { format!("{meaning} {allowed}") };
    let long_help = listed(&help, parts);
    let refused = move |text: &str| -> Result<Whole, String> {
        let typed = text.split('=').next().unwrap_or_default();
        let near = runcast_formula::nearest(typed, names.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!("did you mean {near}? "));
        Err(format!("{near}allowed are {allowed}"))
    };
    let whole = Arg::new(name.clone())
        .long(name)
        .value_name(value)
        .help(help)
        .long_help(long_help)
        .action(ArgAction::Append)
        .hide_short_help(parts.iter().all(Arg::is_hide_short_help_set))
        .value_parser(refused);
    command.arg(match parts.first().and_then(|part| part.get_help_heading()) {
        Some(heading) => whole.help_heading(heading.to_owned()),
        None => whole.help_heading(None::<&str>),
    })
}

/// The help with a line for each part.
fn listed(help: &str, parts: &[Arg]) -> StyledStr {
    let mut text = help.to_owned();
    for part in parts {
        let Some((_, name)) = named(part) else { continue };
        let takes_value = part.get_action().takes_values();
        let value = part.get_value_names().and_then(|names| names.first()).filter(|_| takes_value);
        let value = value.map(ToString::to_string).unwrap_or_default();
        let written = match name {
            "=" => value,
            "@" => format!("@{value}"),
            _ if value.is_empty() => name.to_owned(),
            _ => format!("{name}={value}"),
        };
        let _ = write!(text, "\n- {written}: {}", part.get_help().map(ToString::to_string).unwrap_or_default());
        let defaults: Vec<String> =
            part.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        if takes_value && !defaults.is_empty() {
            let _ = write!(text, " [default: {}]", defaults.join(","));
        }
        let choices: Vec<String> = part.get_possible_values().iter().map(|one| one.get_name().to_owned()).collect();
        if takes_value && !choices.is_empty() {
            let _ = write!(text, " [possible values: {}]", choices.join(", "));
        }
    }
    text.into()
}

/// A part as an option of its own.
struct Part {
    whole: String,
    name: String,
    long: String,
    takes_value: bool,
    choices: Vec<String>,
}

impl Part {
    /// Whether a word behind the option is its value: a number, one of its choices, or what stands for a value.
    fn holds(&self, word: &str) -> bool {
        let stands_for_one = !word.is_empty() && word.chars().all(|letter| letter.is_ascii_uppercase());
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        self.takes_value
            && self.name.len() > 1
            && (stands_for_one || is_number || self.choices.iter().any(|one| one == word))
    }
}

/// The parts that a command line may have.
fn parts_of(command: &Command, words: &[OsString]) -> Vec<Part> {
    let part = |argument: &Arg| {
        let (whole, name) = named(argument)?;
        let takes_value = argument.get_action().takes_values();
        let choices = argument.get_possible_values().iter().map(|one| one.get_name().to_owned()).collect();
        Some(Part {
            choices,
            whole: whole.to_owned(),
            name: name.to_owned(),
            long: argument.get_long()?.to_owned(),
            takes_value,
        })
    };
    let mut here = command;
    let mut parts: Vec<Part> = Vec::new();
    for word in words.iter().map_while(|word| word.to_str()) {
        if let Some(below) = here.find_subcommand(word) {
            here = below;
            parts.extend(here.get_arguments().filter_map(part));
        }
    }
    parts
}

/// The words of a command line with each part as the option that it is; what follows `--` is left alone.
pub fn spelled_out(command: &Command, words: &[OsString]) -> Vec<OsString> {
    let parts = parts_of(command, words);
    let mut out = Vec::with_capacity(words.len());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            out.push(word.clone());
            out.extend(rest.cloned());
            break;
        }
        let option = word.to_str().and_then(|word| word.strip_prefix("--")).unwrap_or_default();
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        if !parts.iter().any(|part| part.whole == name) {
            out.push(word.clone());
            continue;
        }
        let next = if value.is_none() { rest.next() } else { None };
        match value.or_else(|| next?.to_str()).and_then(|value| spelled(name, value, &parts)) {
            Some(options) => out.extend(options),
            None => out.extend(std::iter::once(word).chain(next).cloned()),
        }
    }
    out
}

/// The options that a value is; none if it has no part.
fn spelled(whole: &str, value: &str, parts: &[Part]) -> Option<Vec<OsString>> {
    let part_of = |text: &str| {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let find = |name: &str| parts.iter().find(|part| part.whole == whole && part.name == name);
        let named = find(name.trim()).map(|part| (part, value.map(str::to_owned)));
        let rest = || Some((find("@")?, Some(text.strip_prefix('@')?.to_owned())));
        let pair = || Some((find("=").filter(|_| value.is_some())?, Some(text.to_owned())));
        named.or_else(rest).or_else(pair)
    };
    let mut own: Vec<&str> = Vec::new();
    let mut found: Vec<(&Part, Option<String>)> = Vec::new();
    for text in value.split(',') {
        match (part_of(text), found.last_mut()) {
            (Some(part), _) => found.push(part),
            (None, Some((part, Some(value)))) if part.takes_value && part.name != "=" => {
                value.push(',');
                value.push_str(text);
            }
            (None, _) => own.push(text),
        }
    }
    if found.is_empty() {
        return None;
    }
    let option = |(part, value): (&Part, Option<String>)| match value {
        Some(value) => format!("--{}={value}", part.long),
        // Without its value, clap is to refuse it instead of taking the next word.
        None if part.takes_value => format!("--{}=", part.long),
        None => format!("--{}", part.long),
    };
    let own = (!own.is_empty()).then(|| format!("--{whole}={}", own.join(",")));
    Some(own.into_iter().chain(found.into_iter().map(option)).map(OsString::from).collect())
}

/// A text with the options that are parts as people see them: `--limit events` for `--max-events`, unless that was typed.
pub fn as_shown(text: &str, command: &Command, words: &[String]) -> String {
    let typed: Vec<OsString> = words.iter().map(OsString::from).collect();
    let mut text = text.to_owned();
    for part in parts_of(command, &typed) {
        let long = format!("--{}", part.long);
        let is_typed =
            |word: &String| word.strip_prefix(&long).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        if words.iter().any(is_typed) {
            continue;
        }
        let name = if ["=", "@"].contains(&part.name.as_str()) { String::new() } else { format!(" {}", part.name) };
        let shown = format!("--{}{name}", part.whole);
        let mut from = 0;
        while let Some(at) = text[from..].find(&long).map(|at| from + at) {
            let end = at + long.len();
            let goes_on = text[end..].starts_with(|next: char| next == '-' || next.is_alphanumeric());
            if goes_on {
                from = end;
                continue;
            }
            let next = text[end..].strip_prefix(' ').and_then(|next| next.split([' ', ',', ')', '\'']).next());
            let is_value = next.is_some_and(|next| part.holds(next));
            text.replace_range(
                at..end + usize::from(is_value),
                &if is_value { format!("{shown}=") } else { shown.clone() },
            );
            from = at + shown.len();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Args;

    #[derive(Debug, Clone, PartialEq, Args)]
    struct Own {
        #[arg(long, value_name = "FILE")]
        plot: Option<String>,
        /// Width of a picture
        #[arg(long = "plot-width", id = "plot width", value_name = "PX", default_value_t = 80)]
        width: u32,
        /// Steps at most
        #[arg(long = "max-steps", id = "limit steps", value_name = "N", hide_short_help = true)]
        steps: Option<u64>,
        #[arg(long = "quantiles", id = "show quantiles", value_delimiter = ',')]
        quantiles: Vec<f64>,
        #[arg(long = "pmf", id = "show pmf")]
        pmf: bool,
        #[arg(long = "pair", id = "plot =")]
        pair: Vec<String>,
    }

    fn line() -> Command {
        shown(Command::new("x").subcommand(Own::augment_args(Command::new("draw"))))
    }

    fn out(text: &str) -> String {
        let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
        let out = spelled_out(&line(), &words);
        out.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parts_become_the_options_that_they_are() {
        let cases = [
            ("draw --limit steps=1e3 --plot a.svg", "draw --max-steps=1e3 --plot a.svg"),
            ("draw --show=pmf,quantiles=0.5,0.9", "draw --pmf --quantiles=0.5,0.9"),
            ("draw --show quantiles=0.5,0.9,pmf x", "draw --quantiles=0.5,0.9 --pmf x"),
            ("draw --plot a.svg,width=9", "draw --plot=a.svg --plot-width=9"),
            ("draw --plot k=v,a.svg", "draw --plot=a.svg --pair=k=v"),
            ("draw --limit steps 3", "draw --max-steps= 3"),
            ("draw --limit stps=3", "draw --limit stps=3"),
            ("draw --max-steps 3 -- --limit steps=4", "draw --max-steps 3 -- --limit steps=4"),
            ("other --limit steps=3", "other --limit steps=3"),
        ];
        for (typed, expected) in cases {
            assert_eq!(out(typed), expected, "{typed}");
        }
    }

    #[test]
    fn the_help_shows_the_whole_with_its_parts() {
        let mut command = line();
        command.build();
        let draw = command.find_subcommand_mut("draw").expect("there");
        let help = draw.render_long_help().to_string();
        assert!(!help.contains("--max-steps") && !help.contains("--plot-width"), "{help}");
        for expected in
            ["--limit <NAME=V,..>", "- steps=N: Steps at most", "- width=PX: Width of a picture [default: 80]"]
        {
            assert!(help.contains(expected), "{expected}: {help}");
        }
    }

    #[test]
    fn a_part_that_is_none_is_refused_with_the_parts_there_are() {
        let error = line().try_get_matches_from(["x", "draw", "--limit", "stps=3"]).expect_err("none");
        assert!(error.to_string().contains("did you mean steps? allowed are steps"), "{error}");
    }

    #[test]
    fn problems_name_the_part_as_it_was_typed() {
        let shown = |line_typed: &str| {
            let words: Vec<String> = line_typed.split(' ').map(str::to_owned).collect();
            as_shown("--max-steps is wrong, --max-steps-more is not; --max-steps N helps", &line(), &words)
        };
        let expected = "--limit steps is wrong, --max-steps-more is not; --limit steps=N helps";
        assert_eq!(shown("draw --limit steps=3"), expected);
        let expected = "--max-steps is wrong, --max-steps-more is not; --max-steps N helps";
        assert_eq!(shown("draw --max-steps=3"), expected);
    }
}
