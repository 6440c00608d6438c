//! The log of the server: lines on the standard error.

use std::io::Write as _;

/// A line with the time before it.
pub fn line(text: &str) {
    let now = jiff::Timestamp::now();
    // There is nowhere to report that this failed.
    let _ = writeln!(std::io::stderr().lock(), "{now:.0} {}", text.replace(['\n', '\r'], " "));
}
