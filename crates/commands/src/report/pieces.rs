//! The pieces of a model of `llac` as a section: the breaks between them, and the constants of each.

use crate::models::piecewise::picture;
use runcast_call::piecewise::Piecewise;
use runcast_report::number;
use runcast_report::page::{Block, Column, Section, Table};

const DIGITS: usize = 4;

/// The picture with its breaks, the breaks and the constants.
pub(super) fn section(model: &Piecewise) -> Section {
    let samples = model.samples();
    let group: Vec<&str> = samples.group.values().map(String::as_str).collect();
    let of = if group.is_empty() { samples.metric.name.clone() } else { group.join(", ") };
    let mut section = Section::new(format!("Pieces of {of}"));
    section.push(Block::Text(words(model)));
    section.push(picture::picture_of(model));
    if !model.breaks().is_empty() {
        section.push(breaks(model));
    }
    section.push(constants(model));
    section
}

fn words(model: &Piecewise) -> String {
    let formula = &model.settings().template;
    let mut text = match model.breaks().len() {
        0 => format!("The formula {formula} holds everywhere with one set of constants."),
        1 => format!("The constants of the formula {formula} change once."),
        several => format!("The constants of the formula {formula} change {several} times."),
    };
    if let Some(stability) = model.stability() {
        let share = number::percent(100.0 * stability);
        text.push_str(&format!(" Of the resampled runs, {share} show as many breaks."));
    }
    if !model.rejected().is_empty() {
        let reasons: Vec<String> =
            model.rejected().iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        text.push_str(&format!(" Samples that do not count: {}.", reasons.join(", ")));
    }
    text
}

fn breaks(model: &Piecewise) -> Table {
    let columns = vec![
        Column::text("constant"),
        Column::text("along"),
        Column::number("break at", ""),
        Column::number("low", ""),
        Column::number("high", ""),
        Column::number("last measured below", ""),
        Column::number("first measured above", ""),
    ];
    let mut table = Table::new("Where the constants change", columns);
    for b in model.breaks() {
        let some = |value: Option<f64>| value.map_or(number::DASH.to_owned(), place);
        table.rows.push(vec![
            b.constant.clone().unwrap_or_else(|| "all".to_owned()),
            b.variable.clone(),
            place(b.at),
            some(b.low),
            some(b.high),
            place(b.below),
            place(b.above),
        ]);
    }
    table
}

fn constants(model: &Piecewise) -> Table {
    let columns = vec![
        Column::text("constant"),
        Column::text("where"),
        Column::number("value", ""),
        Column::number("low", ""),
        Column::number("high", ""),
        Column::number("configurations", ""),
        Column::text(""),
    ];
    let level = number::significant(100.0 * model.settings().level, 3);
    let caption = format!(
        "Constants, with {level} % ranges, in {}",
        match model.samples().metric.unit.as_str() {
            "" => "units of the metric",
            unit => unit,
        }
    );
    let mut table = Table::new(caption, columns);
    for constant in model.constants() {
        for piece in &constant.pieces {
            let some = |value: Option<f64>| value.map_or(number::DASH.to_owned(), |v| number::significant(v, DIGITS));
            table.rows.push(vec![
                constant.name.clone(),
                piece.holds.iter().map(|range| range.text(place)).collect::<Vec<_>>().join(" and "),
                number::significant(piece.value, DIGITS),
                some(piece.low),
                some(piece.high),
                piece.points.to_string(),
                if piece.negative { "negative".to_owned() } else { String::new() },
            ]);
        }
    }
    table
}

fn place(value: f64) -> String {
    if value.fract() == 0.0 { number::parameter(value) } else { number::significant(value, DIGITS) }
}
