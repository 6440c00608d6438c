//! All runs as points, a curve with its range for each input.

use super::document::Document;
use super::rows::Rows;
use crate::failure::Failure;
use runcast_core::configuration::Group;
use runcast_core::roles::preference;
use runcast_core::{Configuration, Problem};
use runcast_report::plot::{Axis, Band, Ink, Line, Plot, Points, Scale};

/// An axis whose values span more than this is logarithmic.
const WIDE: f64 = 8.0;

/// Runs of a configuration.
pub(super) struct Runs<'a> {
    at: &'a Configuration,
    group: &'a Group,
    values: Vec<f64>,
}

/// All runs.
pub(super) fn runs(rows: &Rows) -> Vec<Runs<'_>> {
    rows.list.iter().map(|row| Runs { at: &row.at, group: &row.group, values: row.values.clone() }).collect()
}

/// The medians of a document whose runs are not at hand.
pub(super) fn medians(document: &Document) -> Vec<Runs<'_>> {
    let values = |measured: Option<super::document::Measured>| measured.map(|one| one.value).into_iter().collect();
    let each = document.configurations.iter();
    each.map(|one| Runs { at: &one.at, group: &one.group, values: values(one.measured) }).collect()
}

/// Along the parameter that counts processes if it differs, else along the first that does.
pub(super) fn picture(document: &Document, process: Option<&String>, runs: &[Runs<'_>]) -> Result<Plot, Failure> {
    let nothing = || Failure::from(Problem::new("nothing_to_draw", "there is nothing to draw").at("--plot"));
    let values = |name: &str| -> Vec<f64> { runs.iter().filter_map(|row| row.at.get(name)).collect() };
    let differs = |name: &&String| values(name).windows(2).any(|two| two[0] != two[1]);
    let by_name = document.parameters.iter().filter(|name| preference(name).is_some());
    let mut known = process.into_iter().chain(by_name).chain(&document.parameters);
    let parameter = known.find(differs).or(document.parameters.first()).ok_or_else(nothing)?;
    // Of other parameters the values of the last configuration are drawn.
    let last = document.configurations.last().ok_or_else(nothing)?;
    let is_drawn = |at: &runcast_core::Configuration| {
        at.0.iter().all(|(name, value)| name == parameter || last.at.get(name) == Some(*value))
    };
    let drawn: Vec<_> =
        document.configurations.iter().filter(|one| is_drawn(&one.at) && one.group == last.group).collect();
    let x = |at: &runcast_core::Configuration| at.get(parameter).unwrap_or(f64::NAN);
    let (mut layers, mut heights): (Vec<(Line, Band)>, Vec<f64>) = (Vec::new(), Vec::new());
    for input in &document.inputs {
        let mut said: Vec<_> = drawn
            .iter()
            .flat_map(|one| one.forecasts.iter().map(move |forecast| (x(&one.at), forecast)))
            .filter(|(_, forecast)| forecast.input == input.input && forecast.value.is_some())
            .collect();
        said.sort_by(|a, b| a.0.total_cmp(&b.0));
        heights.extend(said.iter().filter_map(|(_, forecast)| forecast.value));
        let line = Line::new(&input.input, said.iter().filter_map(|(x, forecast)| Some((*x, forecast.value?))));
        let values = said.iter().filter_map(|(x, forecast)| Some((*x, forecast.low?, forecast.high?))).collect();
        layers.push((line, Band { name: input.input.clone(), label: String::new(), values, ink: Ink::Auto }));
    }
    let runs = runs.iter().filter(|row| is_drawn(row.at) && *row.group == last.group);
    let points: Vec<(f64, f64)> = runs.flat_map(|row| row.values.iter().map(|value| (x(row.at), *value))).collect();
    heights.extend(points.iter().map(|(_, y)| *y));
    let is_wide = |values: &[f64]| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        least > 0.0 && most > WIDE * least
    };
    let widths: Vec<f64> = drawn.iter().map(|one| x(&one.at)).collect();
    let is_log = is_wide(&widths) || is_wide(&heights);
    let label = if parameter == "p" { "processes p" } else { parameter };
    let (horizontal, vertical) = (Axis::new(label, ""), Axis::new(&document.metric, &document.unit));
    let (horizontal, vertical) = match is_log {
        true => (horizontal.scaled(Scale::Log2), vertical.scaled(Scale::Log10)),
        false => (horizontal, vertical),
    };
    let mut plot = Plot::new("forecasts and runs", horizontal, vertical);
    let others: Vec<String> = last
        .at
        .0
        .iter()
        .filter(|(name, _)| *name != parameter)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    plot = plot.subtitled(others.join(", "));
    let (lines, bands): (Vec<Line>, Vec<Band>) = layers.into_iter().unzip();
    for band in bands.into_iter().filter(|band| !band.values.is_empty()) {
        plot = plot.with(band);
    }
    for line in lines.into_iter().filter(|line| !line.points.is_empty()) {
        plot = plot.with(line);
    }
    Ok(plot.with(Points::new("measured", points).inked(Ink::Measured)))
}
