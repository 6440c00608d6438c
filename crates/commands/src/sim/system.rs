//! `runcast sim system`: checks, shows and converts systems.

mod check;
mod convert;
mod document;
mod input;
mod show;
mod text;

pub use check::{CheckArgs, CheckDocument};
pub use convert::{ConvertArgs, ConvertDocument, FormatArg};
pub use document::ShowDocument;
pub use show::ShowArgs;
pub(crate) use text::value as value_text;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast sim system`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct SystemArgs {
    #[command(subcommand)]
    pub to: SystemTo,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub enum SystemTo {
    /// Read a system, tell all that is wrong with it, and what is assumed
    Check(CheckArgs),
    /// Draw the tree with totals
    Show(ShowArgs),
    /// From a platform file of SimGrid to a system file, and back
    Convert(ConvertArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &SystemArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        SystemTo::Check(args) => check::run(args, context),
        SystemTo::Show(args) => show::run(args, context),
        SystemTo::Convert(args) => convert::run(args, context),
    }
}
