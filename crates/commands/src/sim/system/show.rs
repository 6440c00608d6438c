//! `runcast sim system show`.

use super::document::ShowDocument;
use super::input::InputArgs;
use super::text;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;

/// Arguments of `runcast sim system show`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::SIM_SYSTEM_SHOW)]
pub struct ShowArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// All attributes, with where each comes from
    #[arg(long = "detail", alias = "attributes")]
    pub attributes: bool,
}

pub(super) fn run(args: &ShowArgs, context: &mut Context) -> Result<Output, Failure> {
    let input = args.input.read(context)?;
    let document = ShowDocument::new(&input.system, input.warnings.clone());
    let mut human = text::tree(&input.system);
    if args.attributes {
        human += &text::attributes(&input.system, context.screen);
    }
    human += &format!("\n{}\n{}", text::summary(&document.totals), text::assumed(&document.assumed));
    Ok(Output::of(document).human(human).warned(input.warnings))
}
