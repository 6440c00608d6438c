//! Inspects a model: constants and breaks, predictions, validation, and what to run next.

use super::grammar::Scheme;
use super::model::{self, Kept, no_fit};
use super::outcome::Outcome;
use super::show::told;
use crate::context::Context;
use crate::document::value_of;
use crate::failure::Failure;
use crate::human::{self, Table};
use crate::targets::Targets;
use runcast_call::piecewise::{self, Break, Constant, Family, Method};
use runcast_core::prediction::Prediction;
use runcast_core::table::{Column, Origins};
use runcast_core::{Problem, Warning, statistics};
use runcast_formula::Formula;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// Repetitions of a run that is suggested.
const REPETITIONS: f64 = 5.0;
/// Runs suggested by default.
const RUNS: usize = 5;
/// Rows of a table for people; the document has all.
const MOST_ROWS: usize = 60;

/// Describes a model that was just fitted, or is shown.
///
/// # Errors
/// None that a model can cause.
pub fn fitted(name: &str, kept: &Kept, context: &Context) -> Result<Outcome, Failure> {
    let model = &kept.model;
    let mut result = value_of(&model.entry())?;
    if let Value::Object(fields) = &mut result {
        // All samples stand there: they are for the file.
        fields.shift_remove("training");
        fields.insert("name".to_owned(), name.into());
        fields.insert("table".to_owned(), kept.table.as_str().into());
    }
    let samples = model.samples();
    let group: Vec<&str> = samples.group.values().map(String::as_str).collect();
    let of = if group.is_empty() { String::new() } else { format!(" of {}", group.join(", ")) };
    let points = model.points().count();
    let variables: Vec<&str> = model.variables().map(Formula::text).collect();
    let along = match (model.method(), variables.len()) {
        (Method::Single, _) | (_, 0) => String::new(),
        (_, 1) => format!(" along {}", variables[0]),
        (_, many) if many > 4 => format!(" along {many} expressions"),
        _ => format!(" along {}", variables.join(", ")),
    };
    let mut text = format!(
        "{name}: {}{of} = {}; {}{along}\n{} from {}",
        samples.metric.name,
        model.settings().template,
        model.method().name(),
        human::count(points, "configuration", "configurations"),
        human::count(kept.samples(), "sample", "samples"),
    );
    if !model.rejected().is_empty() {
        text.push_str(&format!("; rejected {}", told(model.rejected())));
    }
    let quality = model.quality();
    text.push_str(&format!(
        "\nmean error {}, largest {}, noise {}{}\n\n",
        human::percent(mean_error_pct(model)),
        human::percent(quality.max_error_pct),
        human::percent(quality.noise_pct),
        match model.stability() {
            Some(share) => format!(", as many breaks in {} of the resamples", human::percent(Some(100.0 * share))),
            None => String::new(),
        }
    ));
    text.push_str(&family_text(model));
    if !model.breaks().is_empty() {
        text.push_str(&breaks_table(model.breaks()).render(context.screen));
        text.push('\n');
    }
    text.push_str(&constants_table(model.constants()).render(context.screen));
    Ok(Outcome { result, ..Outcome::default() }.human(text).warned(model::warnings(name, model)))
}

/// How the family was chosen, and the bends of regimes.
fn family_text(model: &piecewise::Piecewise) -> String {
    let chosen = model.choice().and_then(|choice| choice.regimes_median_pct.zip(choice.pieces_median_pct));
    let mut text = match (chosen, model.family()) {
        (Some((regimes, pieces)), family) => format!(
            "held out: regimes {}, pieces {}; {}\n",
            human::percent(Some(regimes)),
            human::percent(Some(pieces)),
            match family {
                Family::Regimes => "regimes predict; the pieces below are for comparison",
                Family::Pieces => "pieces predict",
            }
        ),
        (None, _) => String::new(),
    };
    if model.family() == Family::Regimes {
        text.push_str(&format!("smooth form: {}\n", model.entry().class));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// Mean of the errors at the configurations that were fitted.
fn mean_error_pct(model: &piecewise::Piecewise) -> Option<f64> {
    let errors: Vec<f64> = model
        .points()
        .filter(|(_, measured, _)| *measured != 0.0)
        .map(|(_, measured, value)| 100.0 * ((value - measured) / measured).abs())
        .collect();
    (!errors.is_empty()).then(|| statistics::mean(&errors)).filter(|mean| mean.is_finite())
}

/// Where the pieces of a model part.
///
/// # Errors
/// None that a model can cause.
pub fn segments((name, kept): (&str, &Kept), context: &Context) -> Result<Outcome, Failure> {
    let breaks = kept.model.breaks();
    let text = match breaks {
        [] => format!("{name} has no breaks: one set of constants\n"),
        breaks => breaks_table(breaks).render(context.screen),
    };
    let stability = kept.model.stability();
    Ok(Outcome::of(&json!({ "model": name, "breaks": value_of(&breaks)?, "stability": stability }))?.human(text))
}

fn breaks_table(breaks: &[Break]) -> Table {
    let mut table = Table::new().text("break of").text("along").number("at").number("low").number("high");
    table = table.number("last below").number("first above");
    for b in breaks {
        table.row([
            b.constant.clone().unwrap_or_else(|| "all".to_owned()),
            b.variable.clone(),
            place(b.at),
            b.low.map_or(human::DASH.to_owned(), place),
            b.high.map_or(human::DASH.to_owned(), place),
            place(b.below),
            place(b.above),
        ]);
    }
    table
}

/// A place along a parameter, with few digits; whole numbers with all of them.
fn place(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e9 { human::parameter(value) } else { human::significant(value, 4) }
}

/// The constants of a model in each piece.
///
/// # Errors
/// None that a model can cause.
pub fn constants((name, kept): (&str, &Kept), context: &Context) -> Result<Outcome, Failure> {
    let constants = kept.model.constants();
    let text = constants_table(constants).render(context.screen);
    let level = kept.model.settings().level;
    let unit = &kept.model.samples().metric.unit;
    let of_unit = if unit.is_empty() { String::new() } else { format!("; in {unit} per unit of the term") };
    let text = format!("{text}\nlow, high: {} % range{of_unit}\n", human::significant(100.0 * level, 4));
    let result = json!({ "model": name, "level": level, "unit": unit, "constants": value_of(&constants)? });
    Ok(Outcome::of(&result)?.human(text))
}

fn constants_table(constants: &[Constant]) -> Table {
    let mut table = Table::new().text("constant").text("where").number("value").number("low").number("high");
    table = table.number("points").text("");
    for constant in constants {
        for piece in &constant.pieces {
            let bound = |value: Option<f64>| value.map_or(human::DASH.to_owned(), |value| human::significant(value, 3));
            table.row([
                constant.name.clone(),
                piece.holds.iter().map(|range| range.text(place)).collect::<Vec<_>>().join(" and "),
                human::significant(piece.value, 4),
                bound(piece.low),
                bound(piece.high),
                piece.points.to_string(),
                if piece.negative { "negative".to_owned() } else { String::new() },
            ]);
        }
    }
    table
}

/// Predictions.
#[derive(Debug, Serialize)]
struct Predicted<'a> {
    model: &'a str,
    level: f64,
    predictions: Vec<Prediction>,
}

/// Predicts.
///
/// # Errors
/// A target that is not complete.
pub fn predict(
    (name, kept): (&str, &Kept),
    at: &[Targets],
    level: Option<f64>,
    context: &Context,
) -> Result<Outcome, Failure> {
    let level = level.unwrap_or(kept.model.settings().level);
    let mut predictions = Vec::new();
    let mut warnings: Vec<(Warning, usize)> = Vec::new();
    for target in at.iter().flat_map(Targets::configurations) {
        if context.is_interrupted() {
            return Err(Failure::interrupted());
        }
        let (prediction, found) = kept.model.predict(&target, level).map_err(|problem| problem.at("at"))?;
        // Warnings about the whole model were reported when it was fitted.
        for warning in found.into_iter().filter(|warning| !kept.model.warnings().contains(warning)) {
            match warnings.iter_mut().find(|(known, _)| known.code == warning.code) {
                Some((_, more)) => *more += 1,
                None => warnings.push((warning, 0)),
            }
        }
        predictions.push(prediction);
    }
    let mut table = Table::new().text("at").number("prediction").number("low").number("high");
    table = table.number("beyond").text("verdict").text("warnings");
    for p in &predictions {
        table.row([
            p.at.to_string(),
            human::optional_quantity(p.value, &p.unit),
            human::optional_quantity(p.low, &p.unit),
            human::optional_quantity(p.high, &p.unit),
            if p.extrapolates { format!("{}x", human::significant(p.horizon, 3)) } else { "within".to_owned() },
            p.verdict.name().to_owned(),
            p.warnings.iter().filter(|code| *code != "extrapolation").cloned().collect::<Vec<_>>().join(" "),
        ]);
    }
    let text = format!(
        "{}\nlow, high: {} % range; beyond: how far outside the measured range\n",
        table.render(context.screen),
        human::significant(100.0 * level, 4)
    );
    let warnings = warnings.into_iter().map(|(warning, more)| {
        let others = if more == 0 { String::new() } else { format!(" (and {more} more predictions)") };
        Warning { message: format!("{name}: {}{others}", warning.message), ..warning }
    });
    let warnings: Vec<Warning> = warnings.collect();
    let predicted = Predicted { model: name, level, predictions };
    let outcome = Outcome::of(&predicted)?.human(text).warned(warnings);
    Ok(Outcome { predictions: predicted.predictions, ..outcome })
}

/// Refits without some configurations, and predicts these.
///
/// # Errors
/// A filter that cannot be read, or that leaves nothing to fit or to predict.
pub fn validate((name, kept): (&str, &Kept), scheme: &Scheme, context: &Context) -> Result<Outcome, Failure> {
    let scheme = match scheme {
        Scheme::Folds(folds) => piecewise::validate::Scheme::Folds(*folds),
        Scheme::Hold(text) => {
            let formula = Formula::parse(text).map_err(|error| {
                let problem = Problem::new("formula", error.to_string()).at("hold").value(text.as_str());
                match error.hint() {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                }
            })?;
            piecewise::validate::Scheme::Hold(formula)
        }
    };
    let validation = piecewise::validate::validate_with(&kept.model, &scheme, &context.interrupt).map_err(no_fit)?;
    let unit = &kept.model.samples().metric.unit;
    let mut table = Table::new().text("at").number("measured").number("predicted").number("residual");
    table = table.number("low").number("high").text("");
    for point in validation.points.iter().take(MOST_ROWS) {
        table.row([
            point.at.to_string(),
            human::quantity(point.measured, unit),
            human::optional_quantity(point.predicted, unit),
            human::signed_percent(point.residual_pct, 2),
            human::optional_quantity(point.low, unit),
            human::optional_quantity(point.high, unit),
            match (point.covered, &point.reason) {
                (Some(false), _) => "outside".to_owned(),
                (_, Some(reason)) => reason.clone(),
                _ => String::new(),
            },
        ]);
    }
    let mut text = table.render(context.screen);
    let more = validation.points.len().saturating_sub(MOST_ROWS);
    if more > 0 {
        text.push_str(&format!("and {more} more\n"));
    }
    text.push_str(&format!(
        "\nmean error {}, median {}; with one set of constants everywhere {}{}\n",
        human::percent(validation.mean_error_pct),
        human::percent(validation.median_error_pct),
        human::percent(validation.single_mean_error_pct),
        match validation.unpredictable {
            0 => String::new(),
            failed => format!(
                "; over {} of {} configurations, {failed} could not be predicted",
                validation.points.len() - failed,
                validation.points.len()
            ),
        }
    ));
    let share = |share: Option<f64>| human::percent(share.map(|share| 100.0 * share));
    if validation.ranges > 0 {
        text.push_str(&format!(
            "{} of {} configurations in the {} % range ({}; between {} and {}), {} of {} runs\n",
            validation.covered,
            validation.ranges,
            human::significant(100.0 * validation.level, 4),
            share(validation.coverage),
            share(validation.coverage_low),
            share(validation.coverage_high),
            validation.covered_runs,
            validation.runs,
        ));
    }
    let mut result = value_of(&validation)?;
    if let Value::Object(fields) = &mut result {
        fields.insert("model".to_owned(), name.into());
    }
    Ok(Outcome { result, ..Outcome::default() }.human(text))
}

/// What to run next.
///
/// # Errors
/// The plan cannot be written.
pub fn suggest(
    (name, kept): (&str, &Kept),
    runs: Option<usize>,
    to: Option<&Path>,
    context: &mut Context,
) -> Result<Outcome, Failure> {
    let suggestion = piecewise::suggest::suggest(&kept.model, runs.unwrap_or(RUNS));
    let mut table = Table::new().text("at").number("expected").text("because");
    for run in &suggestion.runs {
        let expected = run.expected_s.map_or(human::DASH.to_owned(), |time| human::quantity(time, "s"));
        table.row([run.at.to_string(), expected, run.reason.clone()]);
    }
    let text = match suggestion.runs.is_empty() {
        true => format!("{name}: nothing more to run\n"),
        false => table.render(context.screen),
    };
    let mut result = value_of(&suggestion)?;
    if let Value::Object(fields) = &mut result {
        fields.insert("model".to_owned(), name.into());
    }
    let mut outcome = Outcome { result, ..Outcome::default() }.human(text);
    if let Some(path) = to {
        if suggestion.runs.is_empty() {
            return Err(Failure::undone(Problem::new(
                "nothing_to_run",
                "there is nothing to run, and no plan to write",
            )));
        }
        context.write(path, plan(&suggestion.runs, path)?)?;
        let file = path.display().to_string();
        if let Value::Object(fields) = &mut outcome.result {
            fields.insert("file".to_owned(), file.as_str().into());
        }
        outcome = outcome.noted(format!("wrote {file}; runcast bench {file} -- PROGRAM {{NAME}} .. runs it"));
    }
    Ok(outcome)
}

/// The suggested runs as a plan for `runcast bench`: a configuration once, with its repetitions.
fn plan(runs: &[piecewise::suggest::Run], path: &Path) -> Result<Vec<u8>, Failure> {
    let mut configurations: Vec<&piecewise::suggest::Run> = Vec::new();
    for run in runs {
        if !configurations.iter().any(|known| known.at == run.at) {
            configurations.push(run);
        }
    }
    let names: Vec<&String> = configurations.first().map_or(Vec::new(), |run| run.at.0.keys().collect());
    let mut columns = vec![Column::text("set", configurations.iter().map(|_| "train"))];
    for name in names {
        columns.push(Column::numbers(
            name.as_str(),
            configurations.iter().map(|run| run.at.get(name).unwrap_or(f64::NAN)).collect(),
        ));
    }
    columns.push(Column::numbers("reps", vec![REPETITIONS; configurations.len()]));
    let origins = Origins::unknown(configurations.len());
    let table = runcast_core::Table { columns, origins, ..runcast_core::Table::default() };
    let mut bytes = Vec::new();
    table.write_csv(&mut bytes).map_err(|error| Failure::writing(path, &error))?;
    Ok(bytes)
}
