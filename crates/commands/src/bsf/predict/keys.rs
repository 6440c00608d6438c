//! Costs as options.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use runcast_bsf::cost::file::KEYS;

/// Keys that the short help leaves out, beside the counts.
const RARE: [&str; 5] = ["parameters", "input_level", "inequalities", "overhead", "receive"];

/// The keys of costs that were given as options, in the order of [`KEYS`]. The list there is the only one: each of its
/// keys is an option.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CostKeys {
    /// Key and value.
    pub values: Vec<(&'static str, String)>,
}

impl Args for CostKeys {
    fn augment_args(command: Command) -> Command {
        KEYS.iter().fold(command.next_help_heading("Costs (each also a key of FILE.toml)"), |command, key| {
            let arg = Arg::new(key.name)
                .long(key.option())
                .value_name(key.metavar)
                .help(key.help)
                .hide_short_help(key.name.starts_with("count_") || RARE.contains(&key.name))
                .allow_hyphen_values(true)
                .action(if key.repeatable { ArgAction::Append } else { ArgAction::Set });
            command.arg(match key.alias {
                Some(alias) => arg.alias(alias.replace('_', "-")),
                None => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for CostKeys {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name: &'static str| {
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            texts.map(move |text| (name, text.clone()))
        };
        Ok(CostKeys { values: KEYS.iter().flat_map(|key| given(key.name)).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
