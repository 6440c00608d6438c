//! `runcast sim system check`.

use super::input::InputArgs;
use super::text;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use runcast_core::Warning;
use runcast_sim::system::Totals;
use serde::Serialize;

/// Arguments of `runcast sim system check`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::SIM_SYSTEM_CHECK)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,
}

/// The document of `runcast sim system check`: there is one when nothing is wrong.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckDocument {
    /// `sim-system-check`.
    pub kind: &'static str,
    /// 1.
    pub version: u32,
    /// Name of the system.
    pub system: String,
    pub file: String,
    /// True; what is wrong is an error document.
    pub ok: bool,
    /// Lines of components.
    pub components: usize,
    pub networks: usize,
    /// Names of its computational models, the default one among them.
    pub models: Vec<String>,
    /// What it has in all.
    pub totals: Totals,
    /// What it leaves open.
    pub assumed: Vec<String>,
    /// What may not be meant so.
    pub warnings: Vec<Warning>,
}

pub(super) fn run(args: &CheckArgs, context: &mut Context) -> Result<Output, Failure> {
    let input = args.input.read(context)?;
    let system = &input.system;
    let document = CheckDocument {
        kind: "sim-system-check",
        version: 1,
        system: system.name.clone(),
        file: system.file.clone(),
        ok: true,
        components: system.components.len(),
        networks: system.networks.len(),
        models: system.models.iter().map(|model| model.name.clone()).collect(),
        totals: system.totals(),
        assumed: system.assumed.clone(),
        warnings: input.warnings.clone(),
    };
    let human = format!("{}: {}\n{}", system.file, text::summary(&document.totals), text::assumed(&document.assumed));
    Ok(Output::of(document).human(human).warned(input.warnings))
}
