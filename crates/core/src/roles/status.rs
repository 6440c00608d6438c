//! The status of a run, in the words that programs and people use.

use crate::table::{Column, ColumnData};

/// Words for a run that counts, beside an empty cell and the exit status 0.
const GOOD: [&str; 17] = [
    "ok",
    "okay",
    "success",
    "successful",
    "succeeded",
    "pass",
    "passed",
    "done",
    "complete",
    "completed",
    "finished",
    "converged",
    "valid",
    "verified",
    "correct",
    "yes",
    "true",
];

/// Parts of words for a run that does not count: `FAILED`, `node_fail`, `timed out`.
const BAD: [&str; 14] = [
    "fail",
    "error",
    "timeout",
    "timed out",
    "oom",
    "out of memory",
    "kill",
    "crash",
    "abort",
    "cancel",
    "invalid",
    "incorrect",
    "diverged",
    "interrupt",
];

/// Whole words for one, those of traces of regions among them.
const BAD_ALONE: [&str; 6] = ["exit", "open", "clock", "place", "no", "false"];

fn is_good(word: &str) -> bool {
    word.is_empty() || word == "0" || GOOD.contains(&word)
}

fn is_bad(word: &str) -> bool {
    BAD_ALONE.contains(&word) || BAD.iter().any(|bad| word.contains(bad))
}

fn word_of(status: &str) -> String {
    status.trim_ascii().to_ascii_lowercase()
}

/// For each of the words of a status, whether a run with it counts. Where a word of success is among them, only such do; else
/// all but those of failure: of `optimal` and `timeout` the former.
pub(crate) fn that_count<'n>(names: impl Iterator<Item = &'n str>) -> Vec<bool> {
    let words: Vec<String> = names.map(word_of).collect();
    let has_good = words.iter().any(|word| is_good(word));
    words.iter().map(|word| is_good(word) || (!has_good && !is_bad(word))).collect()
}

/// Whether a run with this exit status counts.
pub(crate) fn is_good_number(status: f64) -> bool {
    status.is_nan() || status == 0.0
}

/// Whether a column called `status` says which runs failed: some of its words are known. `STABLE` and `UNSTABLE`, or 200
/// of a web server in every row, say something else.
pub(super) fn marks_failures(column: &Column) -> bool {
    match &column.data {
        ColumnData::Number(values) => values.iter().any(|value| is_good_number(*value)),
        ColumnData::Text { names, .. } => {
            names.iter().map(|name| word_of(name)).any(|word| is_good(&word) || is_bad(&word))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(words: &[&str]) -> Vec<bool> {
        that_count(words.iter().copied())
    }

    #[test]
    fn words_of_success_count_in_any_case() {
        let all = counting(&["", "ok", "OK", " Success ", "PASSED", "0", "Completed", "TIMEOUT", "1", "exit", "?"]);
        assert_eq!(all, [true, true, true, true, true, true, true, false, false, false, false]);
        assert!(is_good_number(0.0) && is_good_number(f64::NAN) && !is_good_number(137.0));
    }

    #[test]
    fn without_a_word_of_success_only_failures_do_not_count() {
        assert_eq!(counting(&["optimal", "feasible", "timeout", "NODE_FAIL"]), [true, true, false, false]);
        assert_eq!(counting(&["normal", "out of memory"]), [true, false]);
        assert_eq!(counting(&["failed"]), [false]);
    }
}
