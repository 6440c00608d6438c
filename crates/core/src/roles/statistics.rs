//! Names of statistics of several runs, in one list for all who look for them.

/// The middle.
pub(super) const MIDDLES: [&str; 4] = ["mean", "avg", "average", "median"];

/// The ends.
const ENDS: [&str; 6] = ["min", "max", "minimum", "maximum", "best", "worst"];

/// How much they differ.
const SPREADS: [&str; 14] =
    ["std", "stdev", "stddev", "sd", "ci", "ci95", "sem", "stderr", "variance", "var", "cv", "iqr", "mad", "rsd"];

/// Whether a word is that of a statistic.
pub(crate) fn is_statistic(word: &str) -> bool {
    MIDDLES.contains(&word) || ENDS.contains(&word) || SPREADS.contains(&word)
}

/// Whether the words of a name say how much runs differ.
pub(super) fn is_spread(words: &[String]) -> bool {
    [words.first(), words.last()].into_iter().flatten().any(|word| SPREADS.contains(&word.as_str()))
}
