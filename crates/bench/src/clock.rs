//! Dates as text.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time of now, in UTC as in RFC 3339: `2026-03-01T12:30:05.250Z`.
pub fn now_text() -> String {
    rfc3339(SystemTime::now())
}

/// The time in UTC as in RFC 3339, to the millisecond: `2026-03-01T12:30:05.250Z`.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Years that begin in March, so that the leap day is the last; 719,468 days lie between 0000-03-01 and 1970-01-01.
    let day = days + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day_of_month = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + next;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let milli = since.subsec_millis();
    format!("{year:04}-{month:02}-{day_of_month:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // Expected by GNU date: date -u -d @N +%FT%T
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_772_368_205, "2026-03-01T12:30:05.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
