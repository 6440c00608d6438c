//! The options of all programs, from their list.

use crate::context::Context;
use crate::failure::Failure;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, Error, FromArgMatches, ValueHint};
use runcast_bsf::programs::{Kind, OptionInfo, PROGRAMS, Settings};
use std::path::Path;

/// What is set of a program; one that does not have an option refuses it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SettingArgs {
    /// Names, without dashes, and texts.
    pub set: Vec<(String, String)>,
}

impl SettingArgs {
    /// The settings, with the files that they name.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(&self, context: &mut Context) -> Result<Settings, Failure> {
        let mut settings = Settings::new();
        for (name, text) in &self.set {
            let is_file = options().any(|(_, option)| option.name == name && option.kind == Kind::File);
            let content = if is_file { context.read(Path::new(text))? } else { Vec::new() };
            settings = settings.set_file(name.as_str(), text, content);
        }
        Ok(settings)
    }
}

/// The options of all programs, each with its program.
fn options() -> impl Iterator<Item = (&'static str, &'static OptionInfo)> {
    PROGRAMS.iter().flat_map(|info| info.options.iter().map(|option| (info.name, option)))
}

/// Each name once.
fn names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for (_, option) in options() {
        if !names.contains(&option.name) {
            names.push(option.name);
        }
    }
    names
}

const SET: &str = "settings";

/// `size=1500`
fn setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let (name, value) = (name.trim(), value.trim());
    let Some(option) = options().map(|(_, option)| option).find(|option| option.name == name) else {
        let near = runcast_formula::nearest(name, names()).map(|near| format!("did you mean {near}? "));
        return Err(format!("{}the programs have {}", near.unwrap_or_default(), names().join(", ")));
    };
    match option.kind {
        Kind::Choice(choices) if !choices.contains(&value) => {
            Err(format!("allowed for {name}: {}", choices.join(", ")))
        }
        _ if value.is_empty() => Err(format!("\"{text}\" is not NAME=V")),
        _ => Ok((name.to_owned(), value.to_owned())),
    }
}

/// Other arguments may have the same names in code.
fn id(name: &str) -> String {
    format!("set-{name}")
}

fn argument(name: &'static str) -> Arg {
    let of_name: Vec<_> = options().filter(|(_, option)| option.name == name).collect();
    // Beside --set NAME=V, which the help shows, each setting has an option of its own.
    let argument = Arg::new(id(name)).long(name).help(help(&of_name)).hide(true).allow_hyphen_values(true);
    match of_name.first().map(|(_, option)| option.kind) {
        Some(Kind::Choice(choices)) => argument.value_name("NAME").value_parser(PossibleValuesParser::new(choices)),
        Some(Kind::File) => argument.value_name("FILE").value_hint(ValueHint::FilePath),
        Some(Kind::Vector) => argument.value_name("X,Y,Z"),
        Some(Kind::Count) => argument.value_name("COUNT"),
        Some(Kind::Number) | None => argument.value_name("NUMBER"),
    }
}

/// `jacobi, cimmino: unknowns; gravity: large bodies`
fn help(of_name: &[(&str, &OptionInfo)]) -> String {
    let mut parts: Vec<(Vec<&str>, String)> = Vec::new();
    for (program, option) in of_name {
        let default = option.default.map_or(String::new(), |default| format!(" [default: {default}]"));
        let text = format!("{}{default}", option.help);
        match parts.iter_mut().find(|(_, other)| *other == text) {
            Some((programs, _)) => programs.push(program),
            None => parts.push((vec![program], text)),
        }
    }
    let parts: Vec<String> =
        parts.into_iter().map(|(programs, text)| format!("{}: {text}", programs.join(", "))).collect();
    parts.join("; ")
}

impl Args for SettingArgs {
    fn augment_args(command: Command) -> Command {
        let set = Arg::new(SET)
            .long("set")
            .value_name("NAME=V")
            .help("A parameter of the program: size=1500, or --size 1500 for short; may be repeated")
            .help_heading("Problem")
            .action(ArgAction::Append)
            .value_parser(setting);
        let listed = names().into_iter().map(|name| {
            let of_name: Vec<_> = options().filter(|(_, option)| option.name == name).collect();
            format!("{name}: {}", help(&of_name))
        });
        let listed: Vec<String> = listed.collect();
        let whole = format!("{}:\n{}", set.get_help().cloned().unwrap_or_default(), listed.join("\n"));
        let set = set.long_help(whole);
        let ids = std::iter::once(SET.to_owned()).chain(names().into_iter().map(id));
        let group = ArgGroup::new("SettingArgs").multiple(true).args(ids.map(clap::Id::from));
        names().into_iter().fold(command.group(group).arg(set), |command, name| command.arg(argument(name)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let text = |name: &str| Some((name.to_owned(), matches.get_one::<String>(&id(name))?.clone()));
        let given = matches.get_many::<(String, String)>(SET).into_iter().flatten().cloned();
        Ok(SettingArgs { set: names().into_iter().filter_map(text).chain(given).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        settings: SettingArgs,
    }

    #[test]
    fn what_is_set_is_taken_as_it_stands() {
        let line = Line::try_parse_from(["x", "--velocity", "-1,0,0", "--size", "12"]).expect("good");
        let expected = [("size", "12"), ("velocity", "-1,0,0")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(line.settings.set, expected);
        assert!(Line::try_parse_from(["x", "--system", "cubic"]).is_err());
    }

    #[test]
    fn a_setting_may_be_named() {
        let line =
            Line::try_parse_from(["x", "--size", "12", "--set", "velocity=-1,0,0", "--set", "dt=2"]).expect("good");
        let expected = [("size", "12"), ("velocity", "-1,0,0"), ("dt", "2")];
        assert_eq!(line.settings.set, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
        for wrong in ["size", "size=", "velocty=1,0,0", "system=cubic"] {
            assert!(Line::try_parse_from(["x", "--set", wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_option_of_several_programs_tells_all_of_them() {
        let size: Vec<_> = options().filter(|(_, option)| option.name == "size").collect();
        assert_eq!(help(&size), "jacobi, cimmino: unknowns; gravity: large bodies; stats: numbers");
    }

    /// One argument stands for an option of several programs.
    #[test]
    fn options_of_one_name_are_of_one_kind() {
        for name in names() {
            let kinds: Vec<Kind> =
                options().filter(|(_, option)| option.name == name).map(|(_, option)| option.kind).collect();
            assert!(kinds.iter().all(|kind| *kind == kinds[0]), "{name}");
        }
    }
}
