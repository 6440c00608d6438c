//! The result for people.

use super::Document;
use crate::context::Screen;
use crate::human::{DASH, Table, plain, significant};
use crate::wavefront::solve::text::{title, wavefronts};
use crate::wavefront::solve::words::{percent, seconds};
use runcast_report::number;
use runcast_wavefront::Model;
use runcast_wavefront::model::Tie;
use serde_json::Value;

/// Wavefronts that are shown.
const WAVEFRONTS: usize = 10;
/// Processes whose updates are shown.
const PROCESSES: usize = 20;
/// Digits of numbers.
const DIGITS: usize = 6;

/// Everything, in parts with an empty line between them.
pub(super) fn text(document: &Document, model: &Model, screen: Screen) -> String {
    let parts = [
        heading(document),
        phase(document, screen),
        time(document, screen),
        converge(document, model),
        wavefronts(&document.model, &document.wavefront[..document.wavefront.len().min(WAVEFRONTS)], PROCESSES, screen),
        format!("{} phases a second\n", significant(document.phases_per_s, 3)),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn heading(document: &Document) -> String {
    let phases = significant(document.phases as f64, 15);
    let how = match &document.time {
        Some(_) => format!("{} runs of {phases} phases from the start", document.runs),
        None => format!(
            "{phases} phases in {} replications, each after {} phases that do not count",
            document.replications, document.warm_up_phases
        ),
    };
    format!("{}\n{how}, by {}, seed {}\n", title(&document.model), document.engine, document.seed)
}

/// Means and spreads of a phase, with their intervals.
fn phase(document: &Document, screen: Screen) -> String {
    let mut table = Table::new().text("in a phase").number("value").text("95 % interval");
    let number = |value: f64| significant(value, DIGITS);
    let mut row = |name: String, value: String, interval: String| table.row([name, value, interval]);
    row("time".to_owned(), precise(document.phase_mean_s), interval(document, "phase_mean_s", &precise));
    let spread = |value: f64| seconds(value.max(0.0).sqrt());
    let name = "standard deviation".to_owned();
    row(name, spread(document.phase_var_s2), interval(document, "phase_var_s2", &spread));
    if let Some(asymptotic) = document.asymptotic {
        let name = "the same over many phases, per root of a phase";
        let ci = document.ci.as_ref().and_then(|ci| ci.fields.get("asymptotic")?.get("phase_var_s2"));
        row(name.to_owned(), spread(asymptotic.phase_var_s2), ends(ci, &spread));
    }
    match document.iterations_mean_ties {
        Some(ties) => {
            let held = |is_rule: bool| match is_rule {
                true => interval(document, "iterations_mean", &number),
                false => String::new(),
            };
            let counts = document.model.tie == Tie::Counts;
            row("iterations, if a tie counts".to_owned(), number(ties.counts), held(counts));
            row("iterations, if it does not".to_owned(), number(ties.discards), held(!counts));
        }
        None => row(
            "iterations".to_owned(),
            number(document.iterations_mean),
            interval(document, "iterations_mean", &number),
        ),
    }
    let all = document.ci.as_ref().and_then(|ci| ci.fields.get("updates_mean"));
    let each = document.model.process_names.iter().zip(&document.updates_mean).enumerate();
    for (process, (name, mean)) in each.take(PROCESSES) {
        row(format!("updates of {name}"), number(*mean), ends(all.and_then(|all| all.get(process)), &number));
    }
    table.render(screen)
}

/// A time to six digits.
fn precise(value: f64) -> String {
    plain(&number::quantity(value, "s", DIGITS))
}

fn interval(document: &Document, field: &str, shown: &dyn Fn(f64) -> String) -> String {
    ends(document.ci.as_ref().and_then(|ci| ci.fields.get(field)), shown)
}

fn ends(interval: Option<&Value>, shown: &dyn Fn(f64) -> String) -> String {
    let end = |place: usize| interval?.get(place)?.as_f64();
    match (end(0), end(1)) {
        (Some(low), Some(high)) => format!("{} to {}", shown(low), shown(high)),
        _ => String::new(),
    }
}

/// The times of runs.
fn time(document: &Document, screen: Screen) -> String {
    let Some(time) = &document.time else { return String::new() };
    let mut table = Table::new().text("a run").number("time");
    table.row(["mean".to_owned(), seconds(time.mean_s)]);
    table.row(["standard deviation".to_owned(), time.sd_s.map_or(DASH.to_owned(), seconds)]);
    for quantile in &time.quantiles {
        table.row([format!("{} of the runs take at most", percent(quantile.q)), seconds(quantile.time_s)]);
    }
    table.render(screen)
}

fn converge(document: &Document, model: &Model) -> String {
    let Some(found) = &document.converge else { return String::new() };
    let number = |value: Option<f64>| value.map_or(DASH.to_owned(), |value| significant(value, DIGITS));
    let mut text = format!(
        "The error falls by {} digits a phase, {} an iteration\n",
        number(found.rate_per_phase),
        number(found.rate_per_iteration)
    );
    if let Some(mean) = found.time_mean_s {
        let spread = found.time_sd_s.map_or(String::new(), |sd| format!(", standard deviation {}", seconds(sd)));
        let digits = significant(model.omega, 3);
        text.push_str(&format!("{digits} digits take {} on average{spread}, in {} runs\n", seconds(mean), found.runs));
    }
    text
}
