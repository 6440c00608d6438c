//! The fewest processes that meet a deadline.

use super::document::{Document, Row};
use super::{Deadline, Question};
use crate::failure::Failure;
use crate::human;
use runcast_core::Problem;
use runcast_core::comparison::Law;
use runcast_core::prediction::Prediction;

/// A row for the fewest processes, and one for those that meet it even at the upper end or with the probability.
pub(super) fn solve(question: &Question<'_>, deadline: Deadline) -> Result<Document, Failure> {
    let mut document = Document::new(question, "time_s", deadline.time_s);
    let (mut first, mut safe, mut fastest_s) = (None, None, f64::INFINITY);
    for &processes in &question.processes {
        let Some(prediction) = question.predict(&question.at(processes, None))? else { continue };
        fastest_s = fastest_s.min(prediction.value.unwrap_or(f64::INFINITY));
        if first.is_none() && prediction.value.is_some_and(|time_s| time_s <= deadline.time_s) {
            first = Some((processes, prediction.clone()));
        }
        if safe.is_none() && is_safe(&prediction, deadline) {
            safe = Some((processes, prediction));
        }
        if first.is_some() && safe.is_some() {
            break;
        }
    }
    if first.is_none() && safe.is_none() {
        return Err(too_late(question, fastest_s));
    }
    document.safe_p = safe.as_ref().map(|(processes, _)| *processes);
    let mut found: Vec<(f64, Prediction)> = [first, safe].into_iter().flatten().collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    for (processes, prediction) in found {
        let Prediction { at, value, low, high, verdict, .. } = prediction;
        document.rows.push(Row {
            exact: Some(processes),
            time_s: value,
            time_low_s: low,
            time_high_s: high,
            ..Row::bare(at, verdict)
        });
    }
    Ok(document)
}

fn too_late(question: &Question<'_>, fastest_s: f64) -> Failure {
    let ends = [question.processes.first(), question.processes.last()];
    let [least, most] = ends.map(|end| end.map_or(human::DASH.to_owned(), |end| human::parameter(*end)));
    let fastest = match fastest_s.is_finite() {
        true => format!("the shortest forecast is {}", human::quantity(fastest_s, "s")),
        false => "there is no forecast".to_owned(),
    };
    let problem = Problem::new("too_late", "no number of processes meets the deadline").at("--deadline");
    Failure::undone(problem.hint(format!("from {least} to {most} processes {fastest}")))
}

/// Whether the upper end of the range meets the deadline, or its law does with the probability.
fn is_safe(prediction: &Prediction, deadline: Deadline) -> bool {
    let law = || Law::of_range(prediction.value?, prediction.low?, prediction.high?, prediction.level);
    match deadline.probability {
        Some(wanted) => law().is_some_and(|law| law.share_below(deadline.time_s) >= wanted),
        None => prediction.high.is_some_and(|high| high <= deadline.time_s),
    }
}
