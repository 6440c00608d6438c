//! A saved answer of `wavefront solve` as sections of a page.

use super::parts::JsonDocument;
use crate::failure::Failure;
use crate::wavefront::solve::Document;
use crate::wavefront::solve::document::Estimate;
use crate::wavefront::solve::words::{alike, percent, seconds, sentence_of_degrees, spoken, updates};
use crate::wavefront::solve::{picture, text};
use runcast_core::Problem;
use runcast_report::number::{DASH, significant};
use runcast_report::page::{Block, Column, Section, Table};
use runcast_report::warnings;
use runcast_wavefront::solve::sensitivity::Sensitivity;

const DIGITS: usize = 4;
/// More links than this are folded away by being left out.
const MOST_LINKS: usize = 30;

/// The answer, the degrees, the law of the time, what limits, the phase, the model.
///
/// # Errors
/// The document is damaged.
pub(super) fn sections(document: &JsonDocument, level: f64) -> Result<Vec<Section>, Failure> {
    let read: Document = serde_json::from_value(document.value.clone())
        .map_err(|error| Problem::new("bad_document", error.to_string()).in_file(document.name.clone()))?;
    let mut sections = vec![answer(&read)];
    sections.extend(degrees(&read, level));
    sections.extend(law(&read));
    sections.extend(read.sensitivity.as_ref().map(limits));
    sections.push(phase(&read));
    sections.push(model(&read));
    Ok(sections)
}

fn answer(document: &Document) -> Section {
    let mut section = Section::new(text::title(&document.model));
    section.push(Block::Text(text::answer(document).trim_end().to_owned()));
    section.blocks.extend(warnings::blocks(&document.warnings));
    let columns = [
        Column::text("estimate"),
        Column::number("digits an iteration", ""),
        Column::number("digits a phase", ""),
        Column::number("phases", ""),
        Column::number("time", ""),
        Column::number("standard deviation", ""),
        Column::number("as published", ""),
    ];
    let mut table = Table::new("Time to the wanted accuracy, by estimate", columns);
    let unit_s = document.estimates.to_go_by().1.time_s.unwrap_or(0.0);
    for (name, estimate) in document.estimates.named() {
        table.rows.push(estimate_row(name, estimate, unit_s));
    }
    section.push(table);
    section
}

fn estimate_row(name: &str, estimate: &Estimate, unit_s: f64) -> Vec<String> {
    let time = |time_s: Option<f64>| time_s.map_or_else(|| DASH.to_owned(), |time_s| alike(unit_s, time_s));
    vec![
        name.to_owned(),
        number(estimate.rate_per_iteration),
        number(estimate.rate_per_phase),
        number(estimate.phases),
        time(estimate.time_s),
        time(estimate.sd_autocov_s),
        time(estimate.sd_published_s),
    ]
}

fn degrees(document: &Document, level: f64) -> Option<Section> {
    let degrees = document.degrees.as_ref()?;
    let mut section = Section::new("Degrees of asynchronism");
    section.push(Block::Text(sentence_of_degrees(document)));
    section.blocks.extend(picture::degrees(document, level).map(Block::Plot));
    let named = degrees.first().map(|degree| degree.estimates.named()).unwrap_or_default();
    let mut columns = vec![
        Column::text("degree"),
        Column::text("A"),
        Column::text("B"),
        Column::number("phase", ""),
        Column::number("iterations a phase", ""),
    ];
    columns.extend(named.iter().map(|(name, _)| Column::number(*name, "")));
    let mut table = Table::new("Time to the wanted accuracy, by degree and estimate", columns);
    let unit_s = text::shortest(degrees);
    for degree in degrees {
        let mut row = vec![
            spoken(degree),
            updates(&degree.alpha_updates),
            updates(&degree.beta_updates),
            seconds(degree.phase_mean_s),
            number(Some(degree.iterations_mean)),
        ];
        let times = degree.estimates.named().into_iter().map(|(_, estimate)| estimate.time_s);
        row.extend(times.map(|time_s| time_s.map_or_else(|| DASH.to_owned(), |time_s| alike(unit_s, time_s))));
        table.rows.push(row);
    }
    section.push(table);
    Some(section)
}

fn law(document: &Document) -> Option<Section> {
    let law = document.time.as_ref()?;
    let mut section = Section::new("How long a run takes");
    section.push(picture::law(document, law));
    let columns = [Column::number("of all runs", ""), Column::number("end within", "")];
    let mut table = Table::new(format!("Time of {} phases, {} law", law.phases, law.method), columns);
    table.rows = law.quantiles.iter().map(|at| vec![percent(at.q), alike(law.mean_s, at.time_s)]).collect();
    section.push(table);
    if !law.tails.is_empty() {
        let columns = [
            Column::number("longer than", ""),
            Column::number("probability", ""),
            Column::number("Chernoff's bound", ""),
            Column::number("rate a phase", ""),
        ];
        let mut table = Table::new("Late runs", columns);
        let share = |share: Option<f64>| share.map_or_else(|| DASH.to_owned(), percent);
        for tail in &law.tails {
            table.rows.push(vec![
                alike(law.mean_s, tail.threshold_s),
                percent(tail.probability),
                share(tail.chernoff),
                number(tail.rate),
            ]);
        }
        section.push(table);
    }
    Some(section)
}

fn limits(found: &Sensitivity) -> Section {
    let mut section = Section::new("What limits");
    section.push(Block::Text(text::limit(found)));
    let columns = [
        Column::text("process"),
        Column::number("share of the critical path", ""),
        Column::number("waits for none", ""),
        Column::number("time a phase", ""),
        Column::number("10 % faster saves", ""),
    ];
    let mut table = Table::new("Processes", columns);
    for process in &found.processes {
        table.rows.push(vec![
            process.name.clone(),
            percent(process.critical_share),
            percent(process.own_share),
            seconds(process.critical_time_s),
            time(process.gain_s),
        ]);
    }
    section.push(table);
    let columns = [
        Column::text("from"),
        Column::text("to"),
        Column::number("share of the critical path", ""),
        Column::number("time a phase", ""),
        Column::number("10 % faster saves", ""),
    ];
    let mut table = Table::new("Links, those first that limit most", columns);
    let mut links: Vec<_> = found.links.iter().collect();
    links.sort_by(|a, b| b.critical_share.total_cmp(&a.critical_share));
    for link in links.into_iter().take(MOST_LINKS) {
        table.rows.push(vec![
            link.from.clone(),
            link.to.clone(),
            percent(link.critical_share),
            seconds(link.critical_time_s),
            time(link.gain_s),
        ]);
    }
    if !table.rows.is_empty() {
        section.push(table);
    }
    section
}

fn phase(document: &Document) -> Section {
    let mut section = Section::new("A phase in the long run");
    section.push(Block::Text(text::phase(document).trim_end().to_owned()));
    section.push(Block::Text(text::how(document).trim_end().to_owned()));
    let mut columns = vec![Column::text("wavefront, ticks")];
    let has_modes = !document.model.modes.is_empty();
    if has_modes {
        columns.push(Column::text("mode"));
    }
    columns.push(Column::number("how often", ""));
    let mut table = Table::new("Offsets of the processes at the start of a phase, the most frequent first", columns);
    for wavefront in document.wavefront.iter().take(20) {
        let offsets: Vec<String> = wavefront.x_ticks.iter().map(i64::to_string).collect();
        let mut row = vec![offsets.join(", ")];
        if has_modes {
            row.push(wavefront.mode.clone().unwrap_or_default());
        }
        row.push(percent(wavefront.prob));
        table.rows.push(row);
    }
    section.push(Block::Details { summary: "Wavefronts".to_owned(), blocks: vec![table.into()] });
    section
}

fn model(document: &Document) -> Section {
    let model = &document.model;
    let mut section = Section::new("The model");
    let columns = [Column::text("what"), Column::text("value")];
    let mut table = Table::new("What was solved", columns);
    let mut fact = |name: &str, value: String| table.rows.push(vec![name.to_owned(), value]);
    fact("processes", model.process_names.join(", "));
    fact("lattice step", seconds(model.step_s));
    fact("wanted accuracy", format!("{} digits", number(Some(model.omega))));
    fact("rho", number(model.rho));
    fact("semantics", model.semantics.to_string());
    fact("tie", model.tie.to_string());
    fact("A", updates(&model.alpha_updates));
    fact("B", updates(&model.beta_updates));
    if !model.modes.is_empty() {
        fact("modes", model.modes.join(", "));
    }
    section.push(table);
    section
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| DASH.to_owned(), |value| significant(value, DIGITS))
}

fn time(value: Option<f64>) -> String {
    value.map_or_else(|| DASH.to_owned(), seconds)
}
