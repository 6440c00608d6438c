//! Quoting, so that what is printed reads back.

/// Words that have a meaning of their own in some place.
pub(super) const KEYWORDS: [&str; 22] = [
    "as",
    "in",
    "where",
    "formula",
    "metric",
    "seg",
    "method",
    "signs",
    "weights",
    "aggregate",
    "ranks",
    "level",
    "at",
    "folds",
    "hold",
    "runs",
    "to",
    "x",
    "by",
    "rows",
    "seed",
    "errors",
];

/// A word, in quotes where it would not be one without.
pub(super) fn quoted(text: &str) -> String {
    let odd = |letter: char| letter.is_whitespace() || matches!(letter, ';' | '#' | '"' | '\'' | ',' | '=');
    if text.is_empty() || text.contains(odd) || KEYWORDS.contains(&text) { quoted_whole(text) } else { text.to_owned() }
}

/// Targets, in quotes where a name holds what a word cannot.
pub(super) fn quoted_targets(text: &str) -> String {
    let odd = |letter: char| letter.is_whitespace() || matches!(letter, ';' | '#' | '"' | '\'');
    if text.contains(odd) { quoted_whole(text) } else { text.to_owned() }
}

/// A text in quotes.
pub(super) fn quoted_whole(text: &str) -> String {
    let quote = if text.contains('"') && !text.contains('\'') { '\'' } else { '"' };
    let doubled = format!("{quote}{quote}");
    format!("{quote}{}{quote}", text.replace(quote, &doubled))
}
