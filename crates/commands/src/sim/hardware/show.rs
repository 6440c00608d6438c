//! `runcast sim hardware show`.

use super::document::EntryRow;
use crate::context::Context;
use crate::failure::Failure;
use crate::human::Table;
use crate::output::Output;
use crate::sim::catalogue::CatalogueArgs;
use crate::sim::system::value_text;
use clap::Args;
use runcast_core::Problem;
use runcast_formula::nearest;
use serde::Serialize;

/// Arguments of `runcast sim hardware show`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::SIM_HARDWARE_SHOW)]
pub struct ShowArgs {
    /// The entry
    #[arg(value_name = "ENTRY")]
    pub entry: String,
    #[command(flatten)]
    pub catalogue: CatalogueArgs,
}

/// The document of `runcast sim hardware show`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShowDocument {
    /// `sim-hardware-show`.
    pub kind: &'static str,
    /// 1.
    pub version: u32,
    pub entry: EntryRow,
}

pub(super) fn run(args: &ShowArgs, context: &mut Context) -> Result<Output, Failure> {
    let catalogue = args.catalogue.read(context)?;
    let Some(entry) = catalogue.get(&args.entry) else {
        let shown = runcast_core::problem::shorten(&args.entry, 60);
        let problem = Problem::new("unknown_hardware", format!("\"{shown}\" is not in the catalogue"));
        let problem = problem.at("ENTRY").value(args.entry.as_str());
        let near = nearest(&args.entry, catalogue.iter().map(|entry| entry.id.as_str()));
        return Err(match near {
            Some(near) => problem.hint(format!("did you mean {near}?")),
            None => problem.hint("runcast sim hardware list shows all"),
        }
        .into());
    };
    let row = EntryRow::new(entry);
    let mut text = format!("{}  {}, {}\n", row.id, row.kind, row.name.as_deref().unwrap_or(&row.origin));
    let mut table = Table::new().text("attribute").number("value").text("quality").text("source");
    for (key, attribute) in entry.attributes.iter() {
        let source = match &attribute.formula {
            Some(formula) => format!("{} ({formula})", attribute.source),
            None => attribute.source.clone(),
        };
        table.row([key.to_owned(), value_text(attribute), attribute.quality.word().to_owned(), source]);
    }
    text += &table.render(context.screen);
    text += &entry.note.as_ref().map_or_else(String::new, |note| format!("{note}\n"));
    Ok(Output::of(ShowDocument { kind: "sim-hardware-show", version: 1, entry: row }).human(text))
}
