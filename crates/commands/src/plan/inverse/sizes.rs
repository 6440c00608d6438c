//! The size at each number of processes.

use super::Question;
use super::document::{Document, Row};
use crate::failure::Failure;
use crate::human;
use runcast_core::plan::{Crossing, NotRising, crossing};
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::{Problem, Warning};
use runcast_formula::Formula;

/// How far beyond the measured sizes is searched.
const BEYOND: f64 = 64.0;
/// Where there are no runs: all sizes that a program can have.
const ANY_SIZE: [f64; 2] = [1.0, 1e15];
/// The largest size that files of other methods are asked about without runs.
const LARGE: f64 = 1e9;

/// Sizes whose run takes so long.
pub(super) fn for_time(question: &Question<'_>, limit_s: f64) -> Result<Document, Failure> {
    let mut document = Document::new(question, "time_s", limit_s);
    for &processes in &question.processes {
        let predict = |size: f64| question.predict(&question.at(processes, Some(size)));
        // What is wrong with the configuration is wrong with all sizes.
        predict(range(question)[0])?;
        let curve = |of: fn(&Prediction) -> Option<f64>| {
            let at = |size: f64| predict(size).ok().flatten().and_then(|prediction| of(&prediction));
            crossing(at, limit_s, range(question))
        };
        let found = curve(|prediction| prediction.value).map_err(|falls| not_rising(question, processes, falls))?;
        let bound = |of| curve(of).ok().and_then(size);
        // The upper end of the time is reached by the smaller size.
        let (low, high) = (bound(|prediction| prediction.high), bound(|prediction| prediction.low));
        row(&mut document, question, processes, found, (low, high))?;
    }
    Ok(document)
}

/// Sizes that need so much memory.
pub(super) fn for_memory(
    question: &Question<'_>,
    memory: Option<&Formula>,
    limit_bytes: f64,
) -> Result<Document, Failure> {
    let mut document = Document::new(question, "memory_bytes", limit_bytes);
    let Some(memory) = memory else {
        return Err(Problem::new("missing_option", "the formula of the memory is missing").at("--memory").into());
    };
    for &processes in &question.processes {
        let bytes = |size: f64| {
            let at = question.at(processes, Some(size));
            memory.evaluate(|name| at.get(name).or((name == "p").then_some(processes)))
        };
        bytes(range(question)[0]).map_err(|error| Problem::new("formula", error.to_string()).at("--memory"))?;
        let found = crossing(|size| bytes(size).ok(), limit_bytes, range(question));
        let found = found.map_err(|falls| not_rising(question, processes, falls))?;
        row(&mut document, question, processes, found, (None, None))?;
    }
    Ok(document)
}

fn range(question: &Question<'_>) -> [f64; 2] {
    // A list has an element for each worker, and what is asked for each size takes time.
    let most = question.processes.iter().copied().fold(2.0, f64::max);
    let any = if question.forum.is_some() { [most, LARGE] } else { ANY_SIZE };
    question.measured_sizes().map_or(any, |[least, most]| [least / BEYOND, most * BEYOND])
}

fn size(crossing: Crossing) -> Option<f64> {
    match crossing {
        Crossing::At(size) => Some(size),
        Crossing::Below | Crossing::Above => None,
    }
}

fn not_rising(question: &Question<'_>, processes: f64, NotRising { above_at, within_at }: NotRising) -> Failure {
    let (name, process) = (&question.size, &question.process);
    let [above, within] = [above_at, within_at].map(|size| human::significant(size, 4));
    Failure::undone(Problem::new(
        "not_rising",
        format!(
            "at {process}={} the forecast does not rise with {name}: it is above the limit at {name}={above}, and \
             within it at {name}={within}",
            human::parameter(processes),
        ),
    ))
}

/// Sizes are whole, and rounded down so that the limit holds.
fn row(
    document: &mut Document,
    question: &Question<'_>,
    processes: f64,
    found: Crossing,
    (low, high): (Option<f64>, Option<f64>),
) -> Result<(), Failure> {
    // Files are asked about whole sizes: the crossing is where the first one is too large.
    let rounding = if question.forum.is_some() { -1e-6 } else { 1e-12 };
    let whole = |size: f64| (size * (1.0 + rounding)).floor();
    let Some(used) = size(found).map(whole).filter(|size| *size >= 1.0) else {
        let range = range(question).map(|size| human::significant(size, 4));
        let (code, what) = match found {
            Crossing::Above => ("above_range", format!("even {}={} is within the limit", question.size, range[1])),
            Crossing::Below => ("below_range", format!("even {}={} is above the limit", question.size, range[0])),
            Crossing::At(_) => ("below_range", "even a size of 1 is above the limit".to_owned()),
        };
        let message = format!("{}={}: {what}", question.process, human::parameter(processes));
        document.warnings.push(Warning::new(code, message));
        let at = question.at(processes, None);
        document.rows.push(Row { exact: size(found), low, high, ..Row::bare(at, Verdict::Refused) });
        return Ok(());
    };
    let at = question.at(processes, Some(used));
    let prediction = question.predict(&at)?;
    let verdict = prediction.as_ref().map_or(Verdict::Ok, |prediction| prediction.verdict);
    let time = |of: fn(&Prediction) -> Option<f64>| prediction.as_ref().and_then(of);
    document.rows.push(Row {
        exact: size(found),
        low,
        high,
        time_s: time(|prediction| prediction.value),
        time_low_s: time(|prediction| prediction.low),
        time_high_s: time(|prediction| prediction.high),
        ..Row::bare(at, verdict)
    });
    Ok(())
}
