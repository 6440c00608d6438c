//! `[level]`: a slowdown that the processes share.

use crate::level::{Level, Observed};
use crate::model::file::refused;
use runcast_core::Problem;
use runcast_core::toml::{Reader, Table, out_of_range};

const KEYS: [&str; 6] = ["times_s", "end_s", "log_factor", "variance", "messages", "fixed"];
/// More windows than this are no summary.
const MOST_WINDOWS: usize = 1_000;
const SD: &str = "a standard deviation from 0 to 10";
const MEAN: &str = "a logarithm from -10 to 10";

pub(super) fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Level> {
    let table = reader.table_at(top, "level")?;
    reader.allow(&table, &KEYS, "[level]");
    if let Some(fixed) = reader.table_at(&table, "fixed") {
        reader.allow(&fixed, &["sd", "mean"], "fixed");
        reader.required(&fixed, "sd", SD);
        let sd = reader.bounded(&fixed, "sd", SD, |sd| (0.0..=10.0).contains(&sd));
        let mean = reader.bounded(&fixed, "mean", MEAN, |mean| mean.abs() <= 10.0).unwrap_or(0.0);
        return Some(Level::Fixed { sd: sd?, mean });
    }
    let mut list = |key: &str, allowed: &str, is_allowed: &dyn Fn(f64) -> bool| {
        let node = reader.required(&table, key, "a number for each window")?;
        let values = reader.numbers(node, &table.at(key), "a number for each window")?;
        let place = reader.place(node, &table.at(key));
        if let Some(value) = values.iter().find(|value| !is_allowed(**value)) {
            return refused(reader, &place, out_of_range(key, &value.to_string(), allowed));
        }
        Some((values, place))
    };
    let times = list("times_s", "finite times", &|time| time.is_finite());
    let factors = list("log_factor", "finite logarithms", &|factor| factor.abs() <= 100.0);
    let variances = list("variance", "variances above 0", &|variance| variance > 0.0 && variance.is_finite());
    let ((times_s, place), (log_factor, _), (variance, _)) = (times?, factors?, variances?);
    let count = times_s.len();
    if !(2..=MOST_WINDOWS).contains(&count) || log_factor.len() != count || variance.len() != count {
        let seen = format!("{count} times, {} factors, {} variances", log_factor.len(), variance.len());
        let problem = Problem::new("wrong_length", "the lists of [level] do not fit".to_owned()).value(seen);
        return refused(reader, &place, problem.allowed(format!("2 to {MOST_WINDOWS} of each, as many as times")));
    }
    if let Some(pair) = times_s.windows(2).find(|pair| pair[0] >= pair[1]) {
        let problem = Problem::new("not_rising", format!("the window at {} s follows that at {} s", pair[1], pair[0]));
        return refused(reader, &place, problem.allowed("middles of windows, rising"));
    }
    let last = times_s[count - 1];
    let allowed = format!("a time from {last} s, that of the last window, on");
    let end_s = reader.bounded(&table, "end_s", &allowed, |end| end >= last && end.is_finite()).unwrap_or(last);
    let messages = reader.flag(&table, "messages").unwrap_or(false);
    Some(Level::Observed(Observed { times_s, end_s, log_factor, variance, messages }))
}
