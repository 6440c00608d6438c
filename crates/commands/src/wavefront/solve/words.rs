//! Numbers and sentences that the text, the pictures and the page share.

use super::document::{DegreeEntry, Document};
use runcast_report::number;

/// Digits of times.
const DIGITS: usize = 4;
/// What everybody compares with.
const SYNC: &str = "sync";
/// Columns of a sentence.
const WIDTH: usize = 100;

/// `145.4 s`
pub(crate) fn seconds(value: f64) -> String {
    glued_seconds(value).replace('\u{a0}', " ")
}

/// The same in one piece, where lines are broken.
fn glued_seconds(value: f64) -> String {
    number::quantity(value, "s", DIGITS).replace(['\u{2212}', '\u{2013}'], "-")
}

/// A time in the unit of another, so that both can be compared: beside `76.25 min`, 72 s are `1.2 min`.
pub(crate) fn alike(other_s: f64, time_s: f64) -> String {
    glued_alike(other_s, time_s).replace('\u{a0}', " ")
}

fn glued_alike(other_s: f64, time_s: f64) -> String {
    // Below a second, each has its own prefix, as readers expect.
    if time_s == 0.0 || other_s < 1.0 {
        return glued_seconds(time_s);
    }
    let (unit_s, unit) = number::prefixed(other_s, "s");
    format!("{}\u{a0}{unit}", number::significant(time_s / unit_s, DIGITS))
}

/// `0.618 %`: of a share or a probability.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", number::significant(100.0 * share, 3))
}

/// The text in lines that a terminal can show.
pub(crate) fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n").replace('\u{a0}', " ")
}

/// `1`, or `1, 2, 1` where processes differ.
pub(crate) fn updates(each: &[u32]) -> String {
    match each {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => first.to_string(),
        _ => each.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// `async 1 finishes 12 % sooner than sync (88.2 s against 100.1 s)`, or why nothing is recommended.
pub(crate) fn sentence_of_degrees(document: &Document) -> String {
    let (Some(degrees), Some(ranking)) = (&document.degrees, &document.ranking) else { return String::new() };
    let times: Vec<(String, f64)> = ranking.order.iter().filter_map(|name| timed(degrees, name)).collect();
    let [(best, best_s), others @ ..] = times.as_slice() else {
        let reason = ranking.reason.as_deref().unwrap_or("no degree has a time");
        return format!("No degree is recommended: {reason}.");
    };
    let tied = ranking.tied.iter().skip(1).take_while(|tied| **tied).count();
    let mut sentence = match others.get(tied) {
        _ if others.is_empty() => format!("{best} takes {}.", glued_seconds(*best_s)),
        None => String::new(),
        Some((name, time_s)) => {
            let times = format!("({} against {})", glued_seconds(*best_s), glued_alike(*best_s, *time_s));
            let mut told = format!("{best} finishes {} sooner than {name} {times}", sooner(*best_s, *time_s));
            if let Some((name, time_s)) = others[tied + 1..].iter().find(|(name, _)| name == SYNC) {
                told.push_str(&format!(
                    ", and {} sooner than {name} ({})",
                    sooner(*best_s, *time_s),
                    glued_alike(*best_s, *time_s)
                ));
            }
            format!("{told}.")
        }
    };
    if tied > 0 {
        let names: Vec<&str> = others[..tied].iter().map(|(name, _)| name.as_str()).collect();
        let told = format!("{best} and {} cannot be told apart", names.join(", "));
        sentence = if sentence.is_empty() { format!("{told}.") } else { format!("{sentence} {told}.") };
    }
    sentence
}

/// `12 %`: by what share of the longer time the shorter one is shorter.
fn sooner(short_s: f64, long_s: f64) -> String {
    format!("{}\u{a0}%", number::significant(100.0 * (long_s - short_s) / long_s, 2))
}

/// A degree as people call it, and its time.
fn timed(degrees: &[DegreeEntry], name: &str) -> Option<(String, f64)> {
    let degree = degrees.iter().find(|degree| degree.name == name)?;
    Some((spoken(degree), degree.estimates.operator.as_ref()?.estimate.time_s?))
}

/// The name of a degree; `1/0` is `sync`, `1/2` is `async 2`.
pub(crate) fn spoken(degree: &DegreeEntry) -> String {
    let is_all = |each: &[u32], value: u32| each.iter().all(|one| *one == value);
    let is_bare =
        degree.name.contains('/') && degree.name.chars().all(|letter| letter.is_ascii_digit() || letter == '/');
    if !is_bare || !is_all(&degree.alpha_updates, 1) {
        return degree.name.clone();
    }
    match degree.beta_updates.as_slice() {
        beta if is_all(beta, 0) => SYNC.to_owned(),
        [first, rest @ ..] if is_all(rest, *first) => format!("async {first}"),
        _ => degree.name.clone(),
    }
}
