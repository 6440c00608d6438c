//! Ranges of NVTX in the database that `nsys export --type sqlite` writes: `NVTX_EVENTS(start, end, text, textId, globalTid)`, in
//! ns, and `StringIds(id, value)`. The process is `globalTid / 2^24 mod 2^24`, the thread the rest below.

use super::super::Binary;
use super::super::sqlite::{Database, Value, is_database};
use super::{NAME, Range, nested, parameters_of};
use crate::problem::{Problem, Problems};
use crate::table::{ReadOptions, Table};
use std::collections::HashMap;

pub(in super::super) const BINARY: Binary = Binary { name: NAME, is: is_database, read };

fn read(file: &str, bytes: &[u8], _: &ReadOptions) -> Result<Table, Problems> {
    let ranges = Database::open(bytes).and_then(|database| ranges(&database));
    let regions = ranges.and_then(nested).map_err(|problem| Problems::from(problem.in_file(file)))?;
    Ok(regions.table(file))
}

fn ranges(database: &Database<'_>) -> Result<Vec<Range>, Problem> {
    let no_table = || {
        let problem = Problem::new("no_ranges", "the database has no table NVTX_EVENTS");
        problem.allowed("what nsys export --type sqlite writes of a report with NVTX")
    };
    let events = database.table("NVTX_EVENTS")?.ok_or_else(no_table)?;
    let column = |name: &str| {
        let problem = || Problem::new("no_column", format!("NVTX_EVENTS has no column {name}"));
        events.place(name).ok_or_else(problem)
    };
    let (start, end, thread) = (column("start")?, column("end")?, column("globalTid")?);
    let (text, text_id) = (events.place("text"), events.place("textId"));
    let names = names(database)?;
    let mut ranges = Vec::new();
    database.each(&events, &mut |number, row| {
        let whole = |place: usize| row.get(place).and_then(Value::whole);
        // Marks have no end.
        let (Some(start), Some(end), Some(id)) = (whole(start), whole(end), whole(thread)) else { return Ok(()) };
        let own = text.and_then(|place| row.get(place)?.text());
        let name = own.or_else(|| names.get(&whole(text_id?)?).map(String::as_str));
        if let Some(name) = name.filter(|_| end >= start) {
            let (name, at) = parameters_of(name);
            ranges.push(Range {
                start: start as f64 * 1e-9,
                duration: end.saturating_sub(start) as f64 * 1e-9,
                name,
                at,
                process: (id >> 24 & 0xff_ffff) as u64,
                thread: (id & 0xff_ffff) as u64,
                line: u64::try_from(number).unwrap_or(0),
            });
        }
        Ok(())
    })?;
    if ranges.is_empty() {
        return Err(Problem::new("empty_table", "there is no range in NVTX_EVENTS"));
    }
    Ok(ranges)
}

/// Texts by their numbers.
fn names(database: &Database<'_>) -> Result<HashMap<i64, String>, Problem> {
    let mut names = HashMap::new();
    let Some(table) = database.table("StringIds")? else { return Ok(names) };
    if let Some(value) = table.place("value") {
        let id = table.place("id");
        database.each(&table, &mut |number, row| {
            // A number that is the key of its table stands beside the row.
            let id = id.and_then(|place| row.get(place)?.whole()).unwrap_or(number);
            names.extend(row.get(value).and_then(Value::text).map(|text| (id, text.to_owned())));
            Ok(())
        })?;
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    /// Two processes with 20 ranges `solve n=..` of 10 n + 500 ns each, a range of 4 n ns in each, and a mark; and one range with
    /// a name that is longer than a page. Written by SQLite itself, with pages of 512 bytes.
    const FILE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/imports/nvtx.sqlite"));

    #[test]
    fn ranges_of_a_database_nest() {
        let table = Table::read("runs/report.sqlite", FILE, &ReadOptions::default()).expect("a table");
        assert_eq!(table.rows(), 81);
        let cell = |name: &str, row: usize| table.column(name).expect(name).cell(row);
        let numbers = |name: &str| table.column(name).and_then(Column::as_numbers).expect(name).to_vec();
        let (time, own, n) = (numbers("time_s"), numbers("self_s"), numbers("n"));
        let mut solves = 0;
        for row in (0..table.rows()).filter(|row| cell("region", *row) == "solve") {
            let expected = [10.0 * n[row] + 500.0, 6.0 * n[row] + 500.0];
            for (value, expected) in [time[row], own[row]].into_iter().zip(expected) {
                assert!((value / (expected * 1e-9) - 1.0).abs() < 1e-9, "{value} {expected}");
            }
            assert_eq!(cell("region", row + 1), "solve/step");
            solves += 1;
        }
        assert_eq!(solves, 40);
        assert_eq!((cell("rank", 0), cell("rank", 80), cell("thread", 80)), ("0".into(), "1".into(), "1".into()));
        assert!(cell("region", 80).starts_with("long long") && n[80] == 3.0, "{}", cell("region", 80));
    }

    #[test]
    fn damage_is_an_error() {
        let code = |bytes: &[u8]| {
            Table::read("r.sqlite", bytes, &ReadOptions::default()).expect_err("an error").0[0].code.clone()
        };
        assert_eq!(code(&FILE[..60]), "damaged_database");
        for cut in (100..FILE.len()).step_by(97) {
            assert_eq!(code(&FILE[..cut]), "damaged_database", "{cut}");
        }
        // Any byte may be anything: an error or a table, and an end.
        for place in (16..FILE.len()).step_by(13) {
            for byte in [0, 5, 0xff] {
                let mut bytes = FILE.to_vec();
                bytes[place] = byte;
                let _ = Table::read("r.sqlite", &bytes, &ReadOptions::default());
            }
        }
    }
}
