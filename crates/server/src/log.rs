//! The log of the server: lines on the standard error.

use std::io::Write as _;

/// A line with the time before it.
pub fn line(text: &str) {
    let now = jiff::Timestamp::now();
    // Nobody is left to be told when this fails.
    let _ = writeln!(std::io::stderr().lock(), "{now:.0} {}", text.replace(['\n', '\r'], " "));
}
