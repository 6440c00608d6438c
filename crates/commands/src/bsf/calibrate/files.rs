//! The file of costs and the table of messages.

use super::Measured;
use super::origin::Origin;
use crate::failure::Failure;
use runcast_bsf::cost::Uncertain;
use runcast_bsf::cost::file::TimesFile;
use runcast_bsf::skeleton::{Estimate, MessageTable};
use runcast_core::Problem;
use runcast_core::table::number::to_text;

/// Level of the intervals.
pub(super) const LEVEL: f64 = 0.9;
/// Columns of the table of messages.
const COLUMNS: [&str; 4] = ["size_bytes", "time_s", "time_low_s", "time_high_s"];

/// The file that `bsf predict` reads, with the table of messages as columns at its end.
pub(super) fn costs(measured: &Measured<'_>, origin: &Origin) -> Result<String, Failure> {
    let origin = origin
        .to_toml()
        .map_err(|error| Failure::undone(Problem::new("internal", format!("the origin cannot be written: {error}"))))?;
    if let Some(pieces) = measured.pieces() {
        let origin = toml::Table::from_iter([("origin".to_owned(), toml::Value::Table(origin))]);
        return Ok(runcast_bsf::pieces::to_text(&pieces, &origin.to_string()));
    }
    let times = super::times(&measured.calibration);
    let mut lines = vec![TimesFile { times, level: LEVEL, origin }.to_text()];
    let rows = rows(&measured.calibration.messages);
    if rows.is_empty() {
        return Ok(lines.concat());
    }
    lines.push("[messages]".to_owned());
    for (column, name) in COLUMNS.iter().enumerate() {
        let cells: Vec<&str> = rows.iter().map(|row| row[column].as_str()).collect();
        lines.push(format!("{name} = [{}]", cells.join(", ")));
    }
    Ok(lines.join("\n") + "\n")
}

/// The table of messages as CSV.
pub(super) fn messages(table: &MessageTable) -> String {
    let rows = rows(table).into_iter().map(|row| row.join(","));
    let lines: Vec<String> = std::iter::once(COLUMNS.join(",")).chain(rows).collect();
    lines.join("\n") + "\n"
}

/// A cost with its interval. What costs nothing, within what the clock can tell, has none.
pub(super) fn uncertain(estimate: &Estimate) -> Uncertain {
    let Estimate { value, low, high } = *estimate;
    Uncertain::new(value, low, high).unwrap_or_else(|_| Uncertain::exact(value.max(0.0)))
}

fn rows(table: &MessageTable) -> Vec<[String; 4]> {
    let row = |(size, time): &(u64, Estimate)| {
        let [value, low, high] = [time.value, time.low, time.high].map(rounded);
        [size.to_string(), value, low, high]
    };
    table.rows.iter().map(row).collect()
}

/// To six significant digits: clocks tell no more.
fn rounded(seconds: f64) -> String {
    to_text(format!("{seconds:.5e}").parse().unwrap_or(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_costs_nothing_has_no_interval() {
        let nothing = uncertain(&Estimate { value: 0.0, low: 0.0, high: 2e-7 });
        assert_eq!((nothing.value, nothing.is_exact()), (0.0, true));
        let something = uncertain(&Estimate { value: 1e-7, low: 1e-10, high: 2e-7 });
        assert_eq!((something.low, something.value, something.high), (1e-10, 1e-7, 2e-7));
    }

    #[test]
    fn messages_are_a_table() {
        let row = |size, value| (size, Estimate { value, low: value / 2.0, high: 2.0 * value });
        let table = MessageTable { rows: vec![row(1, 1.5000000001e-6), row(2, 0.5)] };
        let expected = "size_bytes,time_s,time_low_s,time_high_s\n1,1.5e-6,7.5e-7,3e-6\n2,0.5,0.25,1\n";
        assert_eq!(messages(&table), expected);
    }
}
