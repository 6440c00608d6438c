//! Numbers and lists as TOML.

/// `[a, b]`
pub(crate) fn list(entries: impl Iterator<Item = String>) -> String {
    format!("[{}]", entries.collect::<Vec<_>>().join(", "))
}

/// All digits, always with a point or an exponent, as TOML wants of numbers that are not whole.
pub(crate) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// To six significant digits: clocks show no more.
pub(crate) fn measured(value: f64) -> String {
    number(format!("{value:.5e}").parse().unwrap_or(value))
}
