//! Columns that name runs or say when they were made.

use super::processes;
use super::read_as::Unused;
use super::sizes::{self, is_size};
use crate::spelling::words_of;
use crate::table::{Column, ColumnData, number};

/// Words for what identifies a run, as a whole name or its last word.
const IDENTIFIERS: [&str; 19] = [
    "id",
    "jobid",
    "pid",
    "uuid",
    "guid",
    "index",
    "commit",
    "sha",
    "sha1",
    "revision",
    "hash",
    "md5",
    "slurmid",
    "crc32",
    "crc64",
    "digest",
    "fingerprint",
    "hostid",
    "unnamed",
];
/// Words for a time of day or a date.
const TIMESTAMPS: [&str; 8] = ["timestamp", "date", "datetime", "stamp", "started", "ended", "epoch", "when"];

/// Why a column is no input by its name alone.
pub(super) fn by_name(name: &str) -> Option<Unused> {
    let words = words_of(name);
    let joined = words.concat();
    let last = words.last().map_or("", String::as_str);
    let is_one_of = |list: &[&str]| list.contains(&last) || list.contains(&joined.as_str());
    let is_instant = matches!(words.as_slice(), [first, second] if second == "time"
        && ["start", "end", "begin", "stop", "finish", "date", "submit"].contains(&first.as_str()));
    if is_one_of(&TIMESTAMPS) || is_instant {
        return Some(Unused::Timestamp);
    }
    // `Num Execution`: which one it was.
    let is_number_of = matches!(words.as_slice(), [number, what] if ["num", "no", "nr", "number"].contains(&number.as_str())
        && ["execution", "experiment", "job", "entry"].contains(&what.as_str()));
    // An index without a name, as pandas writes it in Parquet.
    let is_index = words.starts_with(&["index".to_owned(), "level".to_owned()]) && name.starts_with("__");
    (is_number_of || is_index || is_one_of(&IDENTIFIERS)).then_some(Unused::Identifier)
}

/// Why a column of text makes no groups: its cells are dates or times of day, or there is one of its own for every run.
/// `has_inputs` says that the runs differ in something else, too.
pub(super) fn by_text(column: &Column, has_inputs: bool) -> Option<Unused> {
    let ColumnData::Text { codes, names } = &column.data else { return None };
    let given = || names.iter().filter(|name| !name.trim_ascii().is_empty());
    if given().next().is_some() && given().all(|name| is_instant(name.trim_ascii())) {
        return Some(Unused::Timestamp);
    }
    if super::inputs::is_verdict(&column.name) {
        return Some(Unused::Outcome);
    }
    // What was calculated, and went wrong for some runs: no user sets it.
    let is_number = |name: &&String| number::parse(name).is_some() || number::is_not_finite(name);
    let is_input = processes::preference(&column.name).is_some() || is_size(&column.name);
    if !is_input && given().any(|name| number::is_not_finite(name)) && given().all(|name| is_number(&name)) {
        return Some(Unused::Outcome);
    }
    let mut seen = vec![false; names.len()];
    let mut distinct = 0;
    for code in codes {
        distinct += usize::from(!std::mem::replace(&mut seen[code as usize], true));
    }
    // What a run came to, or which version of the program made it.
    let is_hash = |name: &str| {
        name.len() >= 8 && name.bytes().all(|byte| byte.is_ascii_hexdigit()) && name.bytes().any(|b| b.is_ascii_digit())
    };
    let are_hashes = given().all(|name| is_hash(name.trim_ascii()));
    if given().any(|name| name.bytes().any(|byte| byte.is_ascii_alphabetic())) && are_hashes {
        return Some(Unused::Identifier);
    }
    // Where runs landed, or what they were given for a name, seldom comes twice.
    let is_host = ["host", "hostname", "nodename", "nodelist"].contains(&words_of(&column.name).concat().as_str());
    let is_unique = codes.len() >= 4 && (distinct == codes.len() || (is_host && 2 * distinct > codes.len()));
    // The file that a run wrote to names the run, however few there are.
    const FILES: [&str; 7] = ["log", "logfile", "outfile", "output", "outputfile", "stdout", "stderr"];
    let words = words_of(&column.name);
    let is_log = codes.len() > 1 && distinct == codes.len() && FILES.contains(&words.concat().as_str());
    // `output_image`: what a run wrote, though a row may stand twice.
    let is_written = 2 * distinct > codes.len() && words.first().is_some_and(|first| FILES.contains(&first.as_str()));
    if (is_unique || is_log || is_written) && has_inputs {
        return Some(Unused::Identifier);
    }
    // Machines and scenes recur.
    if sizes::is_id_of_thing(&words) && 2 * distinct <= codes.len() {
        return None;
    }
    // A hash or the name of a job may serve for some runs.
    (distinct > 1 && by_name(&column.name) == Some(Unused::Identifier)).then_some(Unused::Identifier)
}

/// `2024-05-01`, `2024-05-01T12:30:00Z`, `05/01/2024 12:30`, `12:30:00`, `20240501_123000`
fn is_instant(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let mut groups = text.split(|letter: char| !letter.is_ascii_digit()).filter(|group| !group.is_empty());
    let allowed = |byte: u8| byte.is_ascii_digit() || b"-/:. TZ_+,".contains(&byte);
    if !(4..=24).contains(&digits) || !text.bytes().all(allowed) {
        return false;
    }
    let is_clock = text.matches(':').count() >= 1 && groups.clone().take(3).all(|group| group.len() <= 2);
    let is_date = text.matches(['-', '/']).count() >= 2 && groups.clone().take(3).any(|group| group.len() == 4);
    let is_compact = matches!((groups.next(), groups.next()), (Some(day), Some(clock)) if day.len() == 8 && clock.len() >= 4)
        && day_like(text);
    (is_clock && digits <= 12) || is_date || is_compact
}

fn day_like(text: &str) -> bool {
    text.starts_with("19") || text.starts_with("20")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_of_day_are_told_from_versions() {
        for text in
            ["2024-05-01", "2024-05-01T12:30:00Z", "05/01/2024 12:30", "12:30:00", "20240501_123000", "00:25:43"]
        {
            assert!(is_instant(text), "{text}");
        }
        for text in ["1.2.3", "8-16", "2x2x2", "main", "v2024", "10.0.0.1"] {
            assert!(!is_instant(text), "{text}");
        }
    }

    #[test]
    fn labels_that_name_every_run_make_no_groups() {
        let unique = Column::text("host", ["a1", "a2", "a3", "a4"]);
        assert_eq!(by_text(&unique, true), Some(Unused::Identifier));
        assert_eq!(by_text(&unique, false), None, "regions of one run");
        assert_eq!(by_text(&Column::text("app", ["x", "y", "x", "y"]), true), None);
        assert_eq!(by_text(&Column::text("commit", ["ab1", "ab1", "cd2", "cd2"]), true), Some(Unused::Identifier));
        let written = Column::text("output_image", ["1/a.ppm", "1/b.ppm", "1/b.ppm"]);
        assert_eq!(by_text(&written, true), Some(Unused::Identifier));
        assert_eq!(by_text(&Column::text("machine_id", ["a", "b", "a", "b"]), true), None);
        assert_eq!(by_text(&Column::text("machine_id", ["a", "b", "c", "b"]), true), Some(Unused::Identifier));
        assert_eq!(by_name("Job ID"), Some(Unused::Identifier));
        assert_eq!(by_name("__index_level_0__"), Some(Unused::Identifier));
        assert_eq!(by_name("start_time"), Some(Unused::Timestamp));
        assert_eq!(by_name("width"), None);
    }
}
