//! Names of columns that hold a number: `t_4`, `4 threads`, `run3`, `T8 (s)`, `16`.

use crate::metric::Metric;
use crate::roles::{is_repetition, preference};
use crate::spelling::words_of;

/// What the words around a number say that it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// `p4`, `8 threads`, `time_np16`.
    Processes,
    /// `run1`, `time_rep2`.
    Repetitions,
    /// `t_4`, `gflops8`: a metric, and not what of.
    Metric,
    /// `4`
    Nothing,
    /// `ours_4`
    Other,
}

/// The name of a column, taken apart.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) number: u32,
    /// What columns of one group have in common.
    pub(super) stem: Stem,
    /// Whether no number of a thing is meant: `4 threads` and `threads=4`, not `thread4`.
    pub(super) is_count: bool,
}

/// What stands around the number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stem {
    /// The text before the number.
    before: String,
    /// The words behind it, in the singular.
    behind: Vec<String>,
    /// The unit as written: `(s)`, `_ms`.
    unit: String,
    /// Whether the text before the number gives it a value: `N=`.
    is_assigned: bool,
}

/// Words for the program that is not parallel.
pub(in crate::table) const SERIAL: [&str; 3] = ["seq", "serial", "sequential"];

/// Words that may stand beside what is counted.
const FILLERS: [&str; 10] = ["n", "num", "number", "of", "with", "on", "at", "for", "nr", "no"];

impl Name {
    /// Takes a name apart that ends or begins with a whole number, units apart.
    pub(super) fn of(name: &str) -> Option<Name> {
        let (rest, unit) = split_unit(name.trim());
        let rest = whole(rest);
        let (start, end) = number_of(rest)?;
        let number = rest[start..end].parse().ok()?;
        let (before, behind) = (&rest[..start], &rest[end..]);
        let is_decimal = |text: &str, mark: [char; 2]| {
            let mut letters = text.chars();
            letters.next().is_some_and(|letter| mark.contains(&letter))
                && letters.next().is_some_and(|letter| letter.is_ascii_digit())
        };
        let reversed: String = before.chars().rev().take(2).collect();
        if is_decimal(&reversed, ['.', ',']) || is_decimal(behind, ['.', ',']) {
            return None;
        }
        let is_assigned = before.trim_end().ends_with('=');
        let is_count = before.is_empty() || is_assigned;
        let before = before.split(['(', '[']).next().unwrap_or(before);
        let before = before.trim_end_matches(|letter: char| !letter.is_alphanumeric()).to_owned();
        let behind = words_behind(behind).into_iter().map(singular).collect();
        Some(Name { number, stem: Stem { before, behind, unit: unit.to_owned(), is_assigned }, is_count })
    }
}

impl Stem {
    fn words(&self) -> Vec<String> {
        let mut words = words_of(&self.before);
        words.extend(self.behind.iter().cloned());
        let is_filler = |word: &String| FILLERS.contains(&word.as_str());
        if !words.iter().all(is_filler) {
            words.retain(|word| !is_filler(word));
        }
        words
    }

    /// What the number counts, by the words around it.
    pub(super) fn says(&self) -> Says {
        let words = self.words();
        let is_process = |word: &String| process_word(word).is_some();
        let is_repetition = |word: &String| is_repetition(word);
        let rest: Vec<String> =
            words.iter().filter(|word| !is_process(word) && !is_repetition(word)).cloned().collect();
        if !rest.is_empty() && !is_metric(&rest, &self.unit) {
            return Says::Other;
        }
        match (words.iter().any(is_process), words.iter().any(is_repetition)) {
            (true, false) => Says::Processes,
            (false, true) => Says::Repetitions,
            (true, true) => Says::Other,
            (false, false) if rest.is_empty() => Says::Nothing,
            (false, false) => Says::Metric,
        }
    }

    /// Whether the number is the value of what stands before it: `N=1000`.
    pub(super) fn is_assigned(&self) -> bool {
        self.is_assigned && !self.before.is_empty()
    }

    /// Whether a word of more than one letter says what the number is.
    pub(super) fn is_spelled_out(&self) -> bool {
        self.words().iter().any(|word| word.len() > 1)
    }

    /// What is counted, by its word: `threads`.
    pub(super) fn counted(&self) -> Option<String> {
        self.words().iter().find_map(|word| process_word(word))
    }

    /// The unit as written; empty where there is none.
    pub(super) fn unit(&self) -> &str {
        &self.unit
    }

    /// The text around the number, without the unit.
    pub(super) fn text(&self) -> String {
        let behind = self.behind.join("_");
        match (self.before.is_empty(), behind.is_empty()) {
            (false, false) => format!("{}_{behind}", self.before),
            (false, true) => self.before.clone(),
            _ => behind,
        }
    }

    /// The name of what was measured, with the unit: a time where the words do not say.
    pub(super) fn measured(&self) -> String {
        let words = self.words();
        let is_rest = |word: &&String| process_word(word).is_none() && !is_repetition(word);
        let rest: Vec<String> = words.iter().filter(is_rest).cloned().collect();
        let name = match self.says() {
            _ if rest.is_empty() || rest == ["t"] => "time".to_owned(),
            Says::Other if self.is_assigned() => "time".to_owned(),
            Says::Processes | Says::Repetitions => rest.join("_"),
            _ => self.text(),
        };
        format!("{name}{}", self.unit)
    }
}

/// Whether words name a metric: alone, or with the unit that stands behind them.
fn is_metric(words: &[String], unit: &str) -> bool {
    let name = words.join("_");
    let known = |name: &str| Metric::from_name(name).is_some() || Metric::from_word(name).is_some();
    name == "t" || known(&name) || (!unit.is_empty() && words == ["total"])
}

/// The plural of a word for what runs side by side.
pub(in crate::table) fn process_word(word: &str) -> Option<String> {
    if word == "p" || word == "tp" {
        return Some("p".to_owned());
    }
    // `omp_4`, `mpi_16`: how the parallel program was started.
    match word {
        "omp" | "openmp" => return Some("threads".to_owned()),
        "mpi" => return Some("ranks".to_owned()),
        _ => {}
    }
    let plural = |word: &str| if word.ends_with("ss") { format!("{word}es") } else { format!("{word}s") };
    let known = [word.to_owned(), plural(word)];
    known.into_iter().find(|word| preference(word).is_some())
}

/// The words behind a number; `st` of `1st` is none.
fn words_behind(text: &str) -> Vec<String> {
    let mut words = words_of(text.trim_end_matches([')', ']']));
    let is_ordinal = |word: &String| ["st", "nd", "rd", "th"].contains(&word.as_str());
    if words.len() > 1 && words.first().is_some_and(is_ordinal) {
        words.remove(0);
    }
    words
}

fn singular(word: String) -> String {
    let known = ["sses", "s"].iter().find_map(|ending| {
        let stem = word.strip_suffix(ending)?;
        (stem.len() > 2 && !stem.ends_with('s'))
            .then(|| if *ending == "s" { stem.to_owned() } else { format!("{stem}ss") })
    });
    known.unwrap_or(word)
}

/// A whole number that was written as a fraction, as data frames do: `16` of `16.0`.
fn whole(name: &str) -> &str {
    match name.split_once('.') {
        Some((whole, zeros))
            if !whole.is_empty()
                && !zeros.is_empty()
                && whole.bytes().all(|byte| byte.is_ascii_digit())
                && zeros.bytes().all(|byte| byte == b'0') =>
        {
            whole
        }
        _ => name,
    }
}

/// A name without the unit at its end, in brackets or behind a `_` or a blank, and the unit as written.
fn split_unit(name: &str) -> (&str, &str) {
    let is_unit = |unit: &str| !unit.is_empty() && unit != "1" && Metric::named("x", Some(unit)).is_ok();
    if let Some(inner) = name.strip_suffix([')', ']'])
        && let Some(open) = inner.rfind(['(', '['])
        && is_unit(inner[open + 1..].trim())
    {
        let rest = name[..open].trim_end();
        return (rest, &name[rest.len()..]);
    }
    match name.rfind(['_', ' ']) {
        Some(place) if is_unit(&name[place + 1..]) && name[..place].bytes().any(|byte| byte.is_ascii_digit()) => {
            name.split_at(place)
        }
        _ => (name, ""),
    }
}

/// Where the number stands: at the end, before words for what is counted, or at the beginning.
fn number_of(name: &str) -> Option<(usize, usize)> {
    let bytes = name.as_bytes();
    let end = bytes.iter().rposition(u8::is_ascii_digit)? + 1;
    let start = bytes[..end].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |place| place + 1);
    let counts = |word: &String| process_word(word).is_some() || is_repetition(word);
    let behind = words_behind(&name[end..]);
    if behind.iter().all(counts) {
        return Some((start, end));
    }
    let first = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    (first > 0).then_some((0, first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, number, says, measured) in [
            ("t_4", 4, Says::Metric, "time"),
            ("T8(s)", 8, Says::Metric, "time(s)"),
            ("T8 [ms]", 8, Says::Metric, "time [ms]"),
            ("time_16_ms", 16, Says::Metric, "time_ms"),
            ("time_ms_16", 16, Says::Metric, "time_ms"),
            ("wall_time_2", 2, Says::Metric, "wall_time"),
            ("1_time", 1, Says::Metric, "time"),
            ("4", 4, Says::Nothing, "time"),
            ("1 thread", 1, Says::Processes, "time"),
            ("2 threads", 2, Says::Processes, "time"),
            ("16 processes (s)", 16, Says::Processes, "time (s)"),
            ("p=8", 8, Says::Processes, "time"),
            ("np16", 16, Says::Processes, "time"),
            ("time (4 cores)", 4, Says::Processes, "time"),
            ("wall_time_p4", 4, Says::Processes, "wall_time"),
            ("run01", 1, Says::Repetitions, "time"),
            ("rep_2", 2, Says::Repetitions, "time"),
            ("Run 3 [ms]", 3, Says::Repetitions, "time [ms]"),
            ("time_run3", 3, Says::Repetitions, "time"),
            ("gflops_8", 8, Says::Metric, "gflops"),
            ("2nd run", 2, Says::Repetitions, "time"),
            ("r3", 3, Says::Repetitions, "time"),
            ("ours_4", 4, Says::Other, "ours"),
            ("n2", 2, Says::Other, "n"),
            ("16.0", 16, Says::Nothing, "time"),
        ] {
            let found = Name::of(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(
                (found.number, found.stem.says(), found.stem.measured().as_str()),
                (number, says, measured),
                "{name}"
            );
        }
        for name in ["time", "0.5", "1.25", "", "t_4_of", "v1.2"] {
            assert!(Name::of(name).is_none_or(|name| name.stem.says() == Says::Other), "{name}");
        }
        assert_eq!(Name::of("1 thread").map(|name| name.stem), Name::of("2 threads").map(|name| name.stem));
    }
}
