//! `runcast sim hardware`: the catalogue of real hardware.

mod add;
mod document;
mod list;
mod show;

pub use add::{AddArgs, AddDocument};
pub use document::{AttributeRow, EntryRow};
pub use list::{ListArgs, ListDocument};
pub use show::{ShowArgs, ShowDocument};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand};

/// Arguments of `runcast sim hardware`.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct HardwareArgs {
    #[command(subcommand)]
    pub to: HardwareTo,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub enum HardwareTo {
    /// All entries, or those of a kind
    List(ListArgs),
    /// An entry: each attribute with its source and quality
    Show(ShowArgs),
    /// Check entries and add them to a file of your own
    Add(AddArgs),
}

/// Does it.
///
/// # Errors
/// Those of the subcommand.
pub fn run(args: &HardwareArgs, context: &mut Context) -> Result<Output, Failure> {
    match &args.to {
        HardwareTo::List(args) => list::run(args, context),
        HardwareTo::Show(args) => show::run(args, context),
        HardwareTo::Add(args) => add::run(args, context),
    }
}
