//! The command line.

use clap::{ArgAction, Args, CommandFactory, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use runcast_commands::Command;
use std::path::PathBuf;
#[cfg(feature = "methods")]
use {
    clap::FromArgMatches,
    runcast_commands::job::{JobArgs, launch::RemoteArgs},
    runcast_commands::remote,
};

/// Forecast how a parallel program will run on a machine you do not have
#[derive(Debug, Parser)]
#[command(
    name = "runcast",
    version = version(),
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    disable_version_flag = true,
    help_template = "{about}\n{usage-heading} {usage}. New here? Type: runcast quickstart\n\nCommands:\n{subcommands}\n\nEverywhere: --json, --threads <N>, -h, --help (ends in examples), -V, --version\nBeside them: worker, job (web application), completions, man (for the shell)",
    override_usage = "runcast COMMAND [OPTIONS]"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Top,
    #[command(flatten)]
    pub global: Global,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version, display_order = 903)]
    pub version: Option<bool>,
}

/// What is done.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one of them in a process")]
pub enum Top {
    #[command(flatten)]
    Work(Command),
    /// Serve the web application: pages, API, workers
    #[cfg(feature = "serve")]
    Serve(runcast_server::serve::ServeArgs),
    /// Run jobs of a server, here or on another machine
    #[cfg(feature = "serve")]
    #[command(hide = true)]
    Worker(runcast_server::worker::WorkerArgs),
    /// Jobs on a server: list, follow, fetch, cancel
    #[cfg(feature = "methods")]
    #[command(hide = true)]
    Job(JobArgs),
    /// Write completions for a shell
    #[command(hide = true)]
    Completions(CompletionsArgs),
    /// Write the manual pages
    #[command(hide = true)]
    Man(ManArgs),
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// Print one JSON document instead of text
    #[arg(long, global = true, display_order = 900)]
    pub json: bool,
    /// Cores that runcast itself uses [default: all]
    #[arg(long, global = true, value_name = "N", display_order = 901, value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// Print help
    #[arg(short = 'h', long, global = true, action = ArgAction::HelpShort, display_order = 902)]
    pub help: Option<bool>,
}

/// Arguments of `runcast completions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  runcast completions bash > ~/.local/share/bash-completion/completions/runcast
  runcast completions zsh > ~/.zfunc/_runcast
  runcast completions fish > ~/.config/fish/completions/runcast.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Arguments of `runcast man`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  runcast man | man -l -
  runcast man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write a page for each command into this folder [default: the main page to the standard output]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

/// The version; with MPI, also of that library.
#[cfg(feature = "methods")]
fn version() -> String {
    runcast_commands::bsf::launch::version()
}

#[cfg(not(feature = "methods"))]
fn version() -> &'static str {
    runcast_commands::VERSION
}

/// All commands; those that may run on a server also take the options for that.
pub fn command() -> clap::Command {
    let command = Cli::command();
    #[cfg(feature = "methods")]
    let command = command.mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        on_server(command, &name)
    });
    command
}

/// The commands that this build was made without.
pub fn left_out() -> &'static [&'static str] {
    if cfg!(feature = "serve") {
        &[]
    } else if cfg!(feature = "methods") {
        &["serve", "worker"]
    } else {
        &["bsf", "bsp", "cll", "llac", "wavefront", "sim", "job", "serve", "worker"]
    }
}

#[cfg(feature = "methods")]
fn on_server(command: clap::Command, name: &str) -> clap::Command {
    if command.has_subcommands() {
        return command.mut_subcommands(|inner| {
            let name = format!("{name} {}", inner.get_name());
            on_server(inner, &name)
        });
    }
    match remote::rules::of(name) {
        Some(rule) if rule.refused.is_none() => {
            // Options bring what they are about with them, which is not what the command is about.
            let (about, long) = (command.get_about().cloned(), command.get_long_about().cloned());
            let command = RemoteArgs::augment_args(command).about(about.unwrap_or_default());
            if let Some(long) = long { command.long_about(long) } else { command.long_about(None) }
        }
        _ => command,
    }
}

/// Where a command is to run, if not here.
#[cfg(feature = "methods")]
pub fn launch(matches: &clap::ArgMatches) -> Option<RemoteArgs> {
    let mut leaf = matches;
    while let Some((_, inner)) = leaf.subcommand() {
        leaf = inner;
    }
    let asked = leaf.try_contains_id("server").unwrap_or(false) && leaf.try_contains_id("detach").unwrap_or(false);
    let args = asked.then(|| RemoteArgs::from_arg_matches(leaf).ok()).flatten()?;
    args.server.server.is_some().then_some(args)
}
