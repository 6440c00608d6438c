//! `runcast sim hardware list`.

use super::document::EntryRow;
use crate::context::Context;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::output::Output;
use crate::sim::catalogue::CatalogueArgs;
use clap::Args;
use clap::builder::PossibleValuesParser;
use runcast_sim::attributes::Quality;
use runcast_sim::catalogue::{Entry, KINDS};
use serde::Serialize;

/// Arguments of `runcast sim hardware list`.
#[derive(Debug, Clone, PartialEq, Args)]
#[command(after_help = crate::examples::SIM_HARDWARE_LIST)]
pub struct ListArgs {
    /// Only entries with this in their id or name
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
    /// Only entries of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
    pub kind: Option<String>,
    /// Only figures of this quality, and entries that have some
    #[arg(long, value_name = "QUALITY", value_parser = PossibleValuesParser::new(Quality::WORDS))]
    pub quality: Option<String>,
    #[command(flatten)]
    pub catalogue: CatalogueArgs,
}

/// The document of `runcast sim hardware list`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListDocument {
    /// `sim-hardware-list`.
    pub kind: &'static str,
    /// 1.
    pub version: u32,
    /// Entries, in the order of the catalogue.
    pub entries: Vec<EntryRow>,
}

pub(super) fn run(args: &ListArgs, context: &mut Context) -> Result<Output, Failure> {
    let catalogue = args.catalogue.read(context)?;
    let entries: Vec<&Entry> = catalogue.iter().filter(|entry| args.takes(entry)).collect();
    if args.quality.is_some() {
        return Ok(of_quality(&entries, args, context));
    }
    let mut table = Table::new()
        .text("entry")
        .text("kind")
        .number("cores")
        .number("double")
        .number("load")
        .number("bandwidth")
        .text("name");
    for entry in &entries {
        let get = |key: &str, unit: &str| human::optional_quantity(entry.attributes.get(key), unit);
        let bandwidth = entry.attributes.get("bandwidth").or(entry.attributes.get("mem_bandwidth"));
        let cores = entry.attributes.get("cores").map_or(human::DASH.to_owned(), human::parameter);
        table.row([
            entry.id.clone(),
            entry.kind.clone(),
            cores,
            get("flops_double", "flop/s"),
            get("power_load", "W"),
            human::optional_quantity(bandwidth, "B/s"),
            entry.name.clone().unwrap_or_default(),
        ]);
    }
    let text = if entries.is_empty() { "no entry\n".to_owned() } else { table.render(context.screen) };
    let entries = entries.into_iter().map(EntryRow::new).collect();
    Ok(Output::of(ListDocument { kind: "sim-hardware-list", version: 1, entries }).human(text))
}

/// Entries with the figures that have the quality.
fn of_quality(entries: &[&Entry], args: &ListArgs, context: &Context) -> Output {
    let figures = |entry: &&Entry| {
        let mut row = EntryRow::new(entry);
        row.attributes.retain(|attribute| args.is_wanted(attribute.quality));
        row
    };
    let rows: Vec<EntryRow> = entries.iter().map(figures).collect();
    let mut table = Table::new().text("entry").text("kind").text("figures");
    for row in &rows {
        let keys: Vec<&str> = row.attributes.iter().map(|attribute| attribute.attribute.as_str()).collect();
        table.row([row.id.clone(), row.kind.clone(), keys.join(" ")]);
    }
    let text = if rows.is_empty() { "no entry\n".to_owned() } else { table.render(context.screen) };
    Output::of(ListDocument { kind: "sim-hardware-list", version: 1, entries: rows }).human(text)
}

impl ListArgs {
    fn is_wanted(&self, quality: &str) -> bool {
        self.quality.as_deref().is_none_or(|wanted| wanted == quality)
    }

    fn takes(&self, entry: &Entry) -> bool {
        let has = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
        let is_kind = self.kind.as_ref().is_none_or(|kind| *kind == entry.kind);
        let name = entry.name.as_deref().unwrap_or_default();
        let has_figures = self.quality.is_none()
            || entry.attributes.iter().any(|(_, attribute)| self.is_wanted(attribute.quality.word()));
        is_kind && has_figures && self.text.as_ref().is_none_or(|text| has(&entry.id, text) || has(name, text))
    }
}
