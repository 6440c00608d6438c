//! Dates and times of day as ISO 8601 writes them.

use std::fmt::Write;

const DAY_S: i64 = 86_400;

/// Writes a time since 1970-01-01 00:00, as `2024-05-01T12:30:00.5Z`.
pub(super) fn write_instant(out: &mut String, ticks: i128, per_s: i64, is_utc: bool) {
    let day = i128::from(DAY_S) * i128::from(per_s);
    write_date(out, ticks.div_euclid(day) as i64);
    out.push('T');
    write_clock(out, ticks.rem_euclid(day) as i64, per_s);
    if is_utc {
        out.push('Z');
    }
}

/// Writes the date so many days after 1970-01-01, of the Gregorian calendar.
pub(super) fn write_date(out: &mut String, days: i64) {
    // From 0000-03-01 on: leap days are the last days of years, and all eras of 400 years are alike.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let _ = write!(out, "{:04}-{month:02}-{day:02}", 400 * era + year + next);
}

/// Writes a time of day, with the digits behind the point that it has.
pub(super) fn write_clock(out: &mut String, ticks: i64, per_s: i64) {
    let (seconds, fraction) = (ticks.div_euclid(per_s), ticks.rem_euclid(per_s));
    let _ = write!(out, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    if fraction != 0 {
        let _ = write!(out, ".{:09}", fraction * (1_000_000_000 / per_s));
        out.truncate(out.trim_end_matches('0').len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(write: impl Fn(&mut String)) -> String {
        let mut out = String::new();
        write(&mut out);
        out
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, date) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (-25_509, "1900-02-28"),
            (-25_508, "1900-03-01"),
            (2_932_896, "9999-12-31"),
        ] {
            assert_eq!(shown(|out| write_date(out, days)), date);
        }
    }

    #[test]
    fn times_have_the_digits_that_they_need() {
        assert_eq!(shown(|out| write_instant(out, 1_714_566_600_500, 1000, true)), "2024-05-01T12:30:00.5Z");
        assert_eq!(shown(|out| write_instant(out, -1, 1_000_000_000, false)), "1969-12-31T23:59:59.999999999");
        assert_eq!(shown(|out| write_clock(out, 45_000_000_000, 1_000_000)), "12:30:00");
    }
}
