//! A run for people.

use super::document::{Document, ErrorEntry};
use super::predicted::Predicted;
use crate::context::Screen;
use crate::human::{self, Table};
use crate::wavefront::solve::words;
use runcast_wavefront::run::Measured;

/// What was run, and measured beside predicted.
pub(super) fn text(document: &Document, screen: Screen) -> String {
    let mut text = format!("{}\n\n", heading(document));
    let Some(measured) = &document.measured else { return text };
    text.push_str(&table(document, measured).render(screen));
    let range = document.predicted.as_ref().and_then(|it| it.time_low_s.zip(it.time_high_s));
    if let (Some((low_s, high_s)), Some(covered), Some(level)) = (range, document.covered_runs, document.interval_level)
    {
        let [low, high] = [low_s, high_s].map(|end| human::quantity(end, "s"));
        let runs = human::count(measured.times_s.len(), "run", "runs");
        text.push_str(&format!("\n{covered} of {runs} in the {} range, {low} to {high}\n", words::percent(level)));
    }
    if let Some(tv) = document.wavefront_tv {
        let chance = document.wavefront_tv_chance.map_or(String::new(), |it| format!(", of which {it:.3} is chance"));
        text.push_str(&format!("\nwavefronts differ by {tv:.3} (0: the same, 1: nothing in common){chance}\n"));
    }
    text
}

/// `lab: 3 processes (threads), A = 1, B = 1, abort, times of the model`
fn heading(document: &Document) -> String {
    let model = &document.model;
    let name = model.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
    let updates = |numbers: &[u32]| match numbers {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.to_string(),
        _ => numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
    };
    let (alpha, beta) = (updates(&model.alpha_updates), updates(&model.beta_updates));
    let times = match (document.emulated, document.work_s) {
        (true, _) => "times of the model".to_owned(),
        (false, Some(work_s)) => format!("updates with {} of work", human::quantity(work_s, "s")),
        (false, None) => "real work".to_owned(),
    };
    let processes = human::count(model.processes, "process", "processes");
    let runs = human::count(usize::try_from(document.runs).unwrap_or(usize::MAX), "run", "runs");
    let phases = human::count(usize::try_from(document.phases).unwrap_or(usize::MAX), "phase", "phases");
    let operator = format!("{} operator of {} numbers", document.operator.kind, document.operator.dimension);
    format!(
        "{name}{processes} ({}), A = {alpha}, B = {beta}, {}, {times}\n{runs} of {phases}, {operator}",
        document.backend, document.semantics
    )
}

fn table(document: &Document, measured: &Measured) -> Table {
    let of = if document.validated == "all" { "all phases" } else { "second half of the phases" };
    let mut table = Table::new().text(of).number("measured").number("predicted").number("error");
    let predicted = document.predicted.as_ref();
    let errors = document.relative_error.as_ref();
    let mut row = |name: &str, measured: String, predicted: Option<String>, error: Option<f64>| {
        let predicted = predicted.unwrap_or_else(|| human::DASH.to_owned());
        let error = human::signed_percent(error.map(|error| 100.0 * error), 1);
        table.row([name.to_owned(), measured, predicted, error]);
    };
    let seconds = |value: f64| human::quantity(value, "s");
    let number = |value: f64| human::significant(value, 4);
    let said = |of: fn(&Predicted) -> f64, shown: &dyn Fn(f64) -> String| predicted.map(|it| shown(of(it)));
    let off = |of: fn(&ErrorEntry) -> Option<f64>| errors.and_then(of);
    let phase = said(|it| it.phase_mean_s, &seconds);
    row("phase", seconds(measured.phase_mean_s), phase, off(|it| it.phase_mean_s));
    let iterations = said(|it| it.iterations_mean, &number);
    row("iterations a phase", number(measured.iterations_mean), iterations, off(|it| it.iterations_mean));
    if let Some(ties) = predicted.and_then(|it| it.iterations_mean_ties.as_ref()) {
        for (name, value) in [("  ties count", ties.counts), ("  ties are discarded", ties.discards)] {
            row(name, String::new(), Some(number(value)), None);
        }
    }
    for (process, name) in document.model.process_names.iter().enumerate() {
        let predicted = predicted.and_then(|it| it.updates_mean.get(process)).map(|it| number(*it));
        let error = errors.and_then(|it| it.updates_mean.get(process).copied().flatten());
        row(&format!("updates of {name}"), number(measured.updates_mean[process]), predicted, error);
    }
    if let Some(rate) = measured.rate_per_phase {
        let predicted = predicted.and_then(|it| it.rate_per_phase).map(number);
        row("digits a phase", number(rate), predicted, off(|it| it.rate_per_phase));
    }
    row("time", seconds(measured.time_s), said(|it| it.time_s, &seconds), off(|it| it.time_s));
    let spread = predicted.and_then(|it| it.time_sd_s).map(seconds);
    row("spread of the time", human::optional_quantity(measured.time_sd_s, "s"), spread, off(|it| it.time_sd_s));
    table
}
