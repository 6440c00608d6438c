//! A comparison as a section of a page.

use super::document::Document;
use super::picture::{Runs, medians, picture};
use super::text::{agreeing, deciding, differing};
use crate::failure::Failure;
use crate::human::quantity;
use crate::report::parts::JsonDocument;
use runcast_core::Problem;
use runcast_core::configuration::group_name;
use runcast_report::number::{DASH, percent, significant};
use runcast_report::page::{Block, Column, Section, Table};
use runcast_report::warnings;

/// Configurations that are shown.
const MOST_ROWS: usize = 200;

/// The section of a saved document.
///
/// # Errors
/// The document is damaged.
pub(crate) fn of(document: &JsonDocument) -> Result<Section, Failure> {
    let read: Document = serde_json::from_value(document.value.clone())
        .map_err(|error| Problem::new("bad_document", error.to_string()).in_file(document.name.clone()))?;
    Ok(section(&read, None, &medians(&read)))
}

/// The sentences, the picture, who is better, and every forecast.
pub(super) fn section(document: &Document, process: Option<&String>, runs: &[Runs<'_>]) -> Section {
    let mut section = Section::new("Forecasts side by side");
    let sentences = [agreeing(document), differing(document), deciding(document)];
    let words: Vec<String> = sentences.into_iter().flatten().collect();
    if !words.is_empty() {
        section.push(Block::Text(words.join(" ")));
    }
    section.blocks.extend(picture(document, process, runs).ok().map(Block::Plot));
    section.blocks.extend(warnings::blocks(&document.warnings));
    if !document.ranking.order.is_empty() {
        section.push(ranking(document));
    }
    if let Some(combined) = &document.combined {
        let told = |member: &super::document::Member| format!("{} {}", member.input, significant(member.weight, 3));
        let members: Vec<String> = combined.members.iter().filter(|one| one.weight > 0.0).map(told).collect();
        section.push(Block::Text(format!("Combined, by weight: {}.", members.join(", "))));
    }
    section.push(forecasts(document));
    section
}

fn ranking(document: &Document) -> Table {
    let columns = vec![
        Column::number("rank", ""),
        Column::text("input"),
        Column::text("method"),
        Column::number("median error", ""),
        Column::number("runs it learned from", ""),
        Column::text(""),
    ];
    let caption = format!("Ranked on {} configurations that none of them has seen", document.ranking.points);
    let mut table = Table::new(caption, columns);
    for (place, name) in document.ranking.order.iter().enumerate() {
        let Some(input) = document.inputs.iter().find(|input| input.input == *name) else { continue };
        let error = document.ranking.median_error_pct.get(place);
        table.rows.push(vec![
            (place + 1).to_string(),
            name.clone(),
            input.summary.method.clone(),
            error.map_or(DASH.to_owned(), |error| percent(*error)),
            input.needs.runs.map_or(DASH.to_owned(), |runs| runs.to_string()),
            if document.ranking.tied.iter().any(|group| group.contains(name)) { "tied" } else { "" }.to_owned(),
        ]);
    }
    table
}

fn forecasts(document: &Document) -> Table {
    let columns = vec![
        Column::text("at"),
        Column::number("measured", ""),
        Column::text("input"),
        Column::number("forecast", ""),
        Column::number("low", ""),
        Column::number("high", ""),
        Column::number("error", ""),
        Column::text(""),
    ];
    let mut table = Table::new(format!("{} of every configuration", document.metric), columns);
    let value = |value: Option<f64>| value.map_or(DASH.to_owned(), |value| quantity(value, &document.unit));
    let all = document.configurations.iter().flat_map(|one| one.forecasts.iter().map(move |said| (one, said)));
    for (one, said) in all.take(MOST_ROWS) {
        let at = [one.at.to_string(), group_name(&one.group)];
        table.rows.push(vec![
            at.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", "),
            value(one.measured.map(|measured| measured.value)),
            said.input.clone(),
            value(said.value),
            value(said.low),
            value(said.high),
            said.error_pct.map_or(String::new(), percent),
            if said.seen { "seen" } else { "" }.to_owned(),
        ]);
    }
    table
}
