//! What a status says of a run, in the words that programs and people use.

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

/// Beginnings of words for a run that does not count; those of traces of regions among them.
const BAD: [&str; 19] = [
    "fail",
    "error",
    "timeout",
    "timed",
    "oom",
    "out of",
    "kill",
    "crash",
    "abort",
    "cancel",
    "invalid",
    "incorrect",
    "diverged",
    "interrupt",
    "exit",
    "open",
    "clock",
    "place",
    "no",
];

/// Whether a run with this status counts.
pub(crate) fn is_good(status: &str) -> bool {
    let status = status.trim_ascii().to_ascii_lowercase();
    status.is_empty() || status == "0" || GOOD.contains(&status.as_str())
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
        ColumnData::Text { names, .. } => names.iter().any(|name| {
            let word = name.trim_ascii().to_ascii_lowercase();
            is_good(&word) || BAD.iter().any(|bad| word.starts_with(bad))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_success_count_in_any_case() {
        for good in ["", "ok", "OK", " Success ", "PASSED", "0", "Completed"] {
            assert!(is_good(good), "{good}");
        }
        for bad in ["failed", "TIMEOUT", "1", "exit", "clock", "?"] {
            assert!(!is_good(bad), "{bad}");
        }
        assert!(is_good_number(0.0) && is_good_number(f64::NAN) && !is_good_number(137.0));
    }
}
