//! The command line.

use clap::{ArgAction, Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use runcast_commands::Command;
use std::path::PathBuf;

/// Forecast how a parallel program will run on a machine you do not have
#[derive(Debug, Parser)]
#[command(
    name = "runcast",
    version = runcast_commands::bsf::launch::version(),
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    disable_version_flag = true,
    help_template = "{about}\n{usage-heading} {usage}. New here? Type: runcast quickstart\n\nCommands:\n{subcommands}\n\nEverywhere: --json (one JSON document, no text), -h, --help (ends in examples),\n  --threads <N> (cores that runcast itself uses [default: all]), -V, --version\nFor the shell: runcast completions bash|zsh|fish|.., runcast man",
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
