//! What a job may hold: which commands, and of them which options. Paths are known by the types of their values.

use super::line;
use crate::options::paths;
pub use crate::options::paths::Role;

/// Whether a job may hold a command: one that has no rule is in no job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// `sim sweep`.
    pub command: &'static str,
    /// Why it is refused, if it is.
    pub refused: Option<&'static str>,
}

/// The rule of a command.
pub fn of(command: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.command == command)
}

impl Rule {
    /// What an option is, by the name that the parser has for it.
    pub fn role(&self, option: &str) -> Option<Role> {
        let command = line::definition(self.command)?;
        let argument = command.get_arguments().find(|argument| argument.get_id() == option)?;
        let is_of = |name: &&str| {
            let group = command.get_groups().find(|group| group.get_id() == *name);
            *name == option || group.is_some_and(|group| group.get_args().any(|id| id == option))
        };
        let refused =
            REFUSED_OPTIONS.iter().find(|(command, names, _)| *command == self.command && names.iter().any(is_of));
        Some(refused.map_or_else(|| paths::role(argument), |(_, _, why)| Role::Refused(why)))
    }
}

const RUNS: &str = "it runs programs";
const MEASURES: &str = "it measures the machine that it runs on";
const RECORDED: &str = "it is for folders with recordings, which a project does not hold";
const SOURCES: &str = "it reads folders of sources, which a project does not hold";
const INSIDE: &str = "runcast itself uses it";
const ONLY_RUN: &str = "it goes with --run, which runs a program";

/// Options of every command.
pub const GLOBAL: [&str; 2] = ["json", "threads"];

const fn refused(command: &'static str, why: &'static str) -> Rule {
    Rule { command, refused: Some(why) }
}

const fn allowed(command: &'static str) -> Rule {
    Rule { command, refused: None }
}

/// All commands.
pub const RULES: &[Rule] = &[
    refused("quickstart", RUNS),
    refused("bench", RUNS),
    refused("bench-task", RUNS),
    refused("quickstart-kernel", MEASURES),
    refused("bsf run", RUNS),
    refused("bsf calibrate", MEASURES),
    refused("wavefront run", RUNS),
    refused("wavefront sample", MEASURES),
    refused("cll runtime", INSIDE),
    refused("record env", RUNS),
    refused("record flags", RUNS),
    refused("record finish", RUNS),
    refused("record dump", RECORDED),
    refused("record import", RECORDED),
    refused("record export", RECORDED),
    refused("bsp learn", RUNS),
    refused("cll cc", RUNS),
    refused("cll run", RUNS),
    refused("cll suggest", SOURCES),
    allowed("plan"),
    allowed("import"),
    allowed("fit"),
    allowed("predict"),
    allowed("evaluate"),
    allowed("compare"),
    allowed("advise processes"),
    allowed("advise next"),
    allowed("advise regions"),
    allowed("advise compare"),
    allowed("bsf predict"),
    allowed("bsf validate"),
    allowed("bsp predict"),
    allowed("cll translate"),
    allowed("llac"),
    allowed("wavefront solve"),
    allowed("wavefront simulate"),
    allowed("sim new"),
    allowed("sim run"),
    allowed("sim sweep"),
    allowed("sim calibrate"),
    allowed("sim optimize"),
    allowed("sim replay"),
    allowed("sim jobs"),
    allowed("sim system check"),
    allowed("sim system show"),
    allowed("sim system convert"),
    allowed("sim hardware list"),
    allowed("sim hardware show"),
    allowed("sim hardware add"),
    allowed("record show"),
    allowed("sim learn"),
    allowed("report"),
];

/// Options that no job holds, with their command: by their own names, or by that of the struct which declares them.
const REFUSED_OPTIONS: [(&str, &[&str], &str); 4] = [
    ("sim learn", &["command"], RUNS),
    ("bsf validate", &["run"], RUNS),
    ("bsf validate", &["launched", "resume_instead"], INSIDE),
    (
        "bsf validate",
        &["figures", "backend", "threads", "wait", "iterations", "repeat", "timings", "SettingArgs", "LaunchArgs"],
        ONLY_RUN,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::TypeId;
    use std::ffi::OsString;
    use std::path::PathBuf;

    /// Calls it with every command that has none below, by its full name.
    fn each(command: &clap::Command, name: &str, look: &mut dyn FnMut(&str, &clap::Command)) {
        let mut below = command.get_subcommands().filter(|below| below.get_name() != "help").peekable();
        if below.peek().is_none() {
            look(name, command);
        }
        for below in below {
            each(below, format!("{name} {}", below.get_name()).trim_start(), look);
        }
    }

    fn commands(look: &mut dyn FnMut(&str, &clap::Command)) {
        let mut all = crate::remote::command();
        all.build();
        each(&all, "", look);
    }

    #[test]
    fn every_command_has_its_place() {
        let mut seen = Vec::new();
        commands(&mut |name, _| seen.push(name.to_owned()));
        let missing: Vec<&String> = seen.iter().filter(|name| of(name).is_none()).collect();
        assert_eq!(missing, Vec::<&String>::new());
        let gone: Vec<&str> =
            RULES.iter().map(|rule| rule.command).filter(|name| !seen.iter().any(|seen| seen == name)).collect();
        assert_eq!(gone, Vec::<&str>::new(), "rules without a command");
    }

    /// A path says by its type what is done with it.
    #[test]
    fn no_option_of_a_job_is_a_path_of_which_nothing_is_known() {
        commands(&mut |name, command| {
            let Some(rule) = of(name).filter(|rule| rule.refused.is_none()) else { return };
            for option in command.get_arguments() {
                let id = option.get_id().as_str();
                let of = option.get_value_parser().type_id();
                let is_path = of == TypeId::of::<PathBuf>() || of == TypeId::of::<OsString>();
                let is_refused = matches!(rule.role(id), Some(Role::Refused(_)));
                assert!(!is_path || is_refused, "{name}: {id}");
                let is_hinted = option.get_action().takes_values()
                    && matches!(
                        option.get_value_hint(),
                        clap::ValueHint::FilePath | clap::ValueHint::DirPath | clap::ValueHint::AnyPath
                    );
                assert!(!is_hinted || rule.role(id) != Some(Role::Plain), "{name}: {id} names a file");
            }
        });
    }

    #[test]
    fn refused_options_are_there() {
        for (name, options, _) in REFUSED_OPTIONS {
            let command = line::definition(name).expect(name);
            for option in options {
                let is_there = command.get_arguments().any(|one| one.get_id() == *option)
                    || command.get_groups().any(|group| group.get_id() == *option && group.get_args().count() > 1);
                assert!(is_there, "{name} has no {option}");
            }
        }
    }

    #[test]
    fn what_an_option_is_follows_from_its_type() {
        let role = |command: &str, option: &str| of(command).and_then(|rule| rule.role(option));
        for (command, option, expected) in [
            ("sim sweep", "catalogue", Role::Reads),
            ("sim sweep", "set", Role::Plain),
            ("sim run", "timeline_file", Role::Writes),
            ("sim hardware add", "output", Role::Updates),
            ("cll translate", "out", Role::Writes),
            ("evaluate", "predictions", Role::Reads),
            ("bsf validate", "run", Role::Refused(RUNS)),
            ("sim learn", "command", Role::Refused(RUNS)),
            ("sim learn", "output", Role::Writes),
            ("record show", "recordings", Role::Reads),
            ("bsf validate", "set-size", Role::Refused(ONLY_RUN)),
            ("bsf validate", "timings", Role::Refused(ONLY_RUN)),
            ("bsf validate", "limit stall", Role::Refused(ONLY_RUN)),
            ("bsf validate", "launched", Role::Refused(INSIDE)),
            ("bsf validate", "params", Role::Reads),
        ] {
            assert_eq!(role(command, option), Some(expected), "{command} {option}");
        }
        assert_eq!(role("sim sweep", "nonsense"), None);
    }

    #[test]
    fn what_runs_programs_or_measures_is_refused() {
        for name in ["bench", "quickstart", "bsf run", "bsf calibrate", "wavefront run", "wavefront sample"] {
            assert!(of(name).is_some_and(|rule| rule.refused.is_some()), "{name}");
        }
    }
}
