//! Pictures of models, and files of pictures.

use crate::failure::Failure;
use crate::output::{Content, Destination, OutFile};
use runcast_core::evaluation::EvaluationDocument;
use runcast_core::prediction::Prediction;
use runcast_core::{Configuration, Problem};
use runcast_fit::{Model, document};
use runcast_report::evaluation_report;
use runcast_report::fit_report::{ModelCurve, SeriesReport, axis_parameter, series_plot};
use runcast_report::plot::Plot;
use runcast_report::{png, svg};
use std::path::Path;

/// Points of a curve.
const STEPS: usize = 64;
/// Curves of a grid, one for each combination of the parameters that are not on the axis.
const MOST_SLICES: usize = 64;

/// The picture as a file; its name ends in `.svg` or `.png`.
///
/// # Errors
/// The name ends in something else, or the picture cannot be drawn.
pub fn file(path: &Path, plot: &Plot) -> Result<OutFile, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase();
    let bytes = match extension.as_str() {
        "svg" => svg::render(plot).into_bytes(),
        "png" => png::render(plot).map_err(|error| {
            Failure::undone(Problem::new("picture", error.to_string()).in_file(path.display().to_string()))
        })?,
        _ => {
            let problem = Problem::new("unknown_picture", format!("\"{}\" is neither .svg nor .png", path.display()));
            return Err(problem.at("--plot").value(path.display().to_string()).allowed("FILE.svg, FILE.png").into());
        }
    };
    Ok(OutFile { to: Destination::Path(path.to_owned()), content: Content::Bytes(bytes) })
}

/// The runs of a model's series, its curve with the interval, and the targets.
pub fn curve_plot(model: &Model, targets: &[Prediction], level: f64) -> Plot {
    let entry = document::entry_of(model);
    let (curve, fitted) = (curve(model, targets, level), fitted(model, level));
    series_plot(&SeriesReport {
        series: &model.series,
        aggregate: model.aggregate,
        models: vec![ModelCurve { entry: &entry, curve, fitted }],
        targets: targets.to_vec(),
    })
}

/// Predicted over measured values, of every model: those of the first metric.
pub fn evaluation_plot(document: &EvaluationDocument) -> Plot {
    let plots = evaluation_report::scatters(&document.clone().into());
    plots.into_iter().next().map_or_else(Plot::default, |(_, plot)| plot)
}

/// What a model says at its own runs.
pub fn fitted(model: &Model, level: f64) -> Vec<Prediction> {
    let series = &model.series;
    let at = series.points.iter().map(|point| series.configuration(point));
    at.filter_map(|at| predicted(model, &at, level)).collect()
}

/// What a model says from its smallest run to its largest or to the furthest target.
pub fn curve(model: &Model, targets: &[Prediction], level: f64) -> Vec<Prediction> {
    let series = &model.series;
    let Some(axis) = axis_parameter(series) else { return Vec::new() };
    let Some(name) = series.parameters.get(axis) else { return Vec::new() };
    let mut stops: Vec<f64> = series.points.iter().filter_map(|point| point.at.get(axis).copied()).collect();
    stops.extend(targets.iter().filter_map(|target| target.at.get(name)));
    stops.retain(|x| x.is_finite());
    stops.sort_by(f64::total_cmp);
    stops.dedup();
    let (Some(&least), Some(&most)) = (stops.first(), stops.last()) else { return Vec::new() };
    let mut places = stops;
    places.extend(between(least, most));
    places.sort_by(f64::total_cmp);
    places.dedup();
    let on_axis = |x: f64| (name.clone(), x);
    let line = |x: f64| Configuration([on_axis(x)].into_iter().collect());
    if model.complete(&line(least)).is_ok() {
        return places.iter().filter_map(|&x| predicted(model, &line(x), level)).collect();
    }
    let mut slices: Vec<Configuration> = Vec::new();
    let all = series.points.iter().map(|point| series.configuration(point)).chain(targets.iter().map(|t| t.at.clone()));
    for mut others in all {
        others.0.shift_remove(name);
        if !slices.contains(&others) {
            slices.push(others);
        }
    }
    // Where no combination returns, there is no line to draw: the runs and the targets alone are shown.
    if slices.len() > MOST_SLICES || slices.len() >= series.points.len() {
        let mut all = fitted(model, level);
        all.extend(targets.iter().cloned());
        return all;
    }
    let at = |others: &Configuration, x: f64| {
        let known = |parameter: &String| if parameter == name { Some(x) } else { others.get(parameter) };
        Configuration(series.parameters.iter().filter_map(|p| Some((p.clone(), known(p)?))).collect())
    };
    slices
        .iter()
        .flat_map(|others| places.iter().map(move |&x| (others, x)))
        .filter_map(|(o, x)| predicted(model, &at(o, x), level))
        .collect()
}

/// What a model says along a parameter, the others being given.
pub fn along(model: &Model, name: &str, least: f64, most: f64, others: &[(&str, f64)], level: f64) -> Vec<Prediction> {
    let places = std::iter::once(least).chain(between(least, most)).chain([most]);
    places
        .filter_map(|x| {
            let at = std::iter::once((name.to_owned(), x));
            let others = others.iter().map(|(name, value)| ((*name).to_owned(), *value));
            predicted(model, &Configuration(others.chain(at).collect()), level)
        })
        .collect()
}

/// Places between two, evenly on a logarithmic axis where that is possible.
fn between(least: f64, most: f64) -> Vec<f64> {
    let share = |step: usize| step as f64 / STEPS as f64;
    (1..STEPS)
        .map(|step| match least > 0.0 {
            true => least * (most / least).powf(share(step)),
            false => least + (most - least) * share(step),
        })
        .collect()
}

fn predicted(model: &Model, at: &Configuration, level: f64) -> Option<Prediction> {
    model.predict(at, level).ok().map(|(prediction, _)| prediction)
}
