//! Times as RFC 3339, in UTC.

use runcast_core::Problem;

/// Microseconds since 1970 as RFC 3339, to the microsecond.
pub fn shown(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros).map(|time| format!("{time:.6}")).unwrap_or_default()
}

/// Reads RFC 3339 into microseconds since 1970.
///
/// # Errors
/// It is no such time; `pointer` says where it stands.
pub fn read(text: &str, pointer: &str) -> Result<i64, Problem> {
    text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_microsecond).map_err(|_| {
        let problem = Problem::new("time", "this is not a time").at(pointer).value(text);
        problem.allowed("RFC 3339, such as 2026-01-31T12:00:00Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_there_and_back() {
        assert_eq!(shown(1_700_000_000_123_456), "2023-11-14T22:13:20.123456Z");
        assert_eq!(read("2023-11-14T22:13:20.123456Z", "/at"), Ok(1_700_000_000_123_456));
        assert_eq!(read("2023-11-14T23:13:20+01:00", "/at"), Ok(1_700_000_000_000_000));
        assert!(read("yesterday", "/at").is_err());
    }
}
