//! `faults` in an experiment or a system: whether components fail, and how applications save their state.

use super::{Faults, Rhythm};
use crate::reliability::Checkpoint;
use runcast_core::Problem;
use runcast_core::toml::{Reader, Table};

/// Largest number of segments: beyond, they are no longer whole numbers.
const MOST_SEGMENTS: u64 = 1_000_000_000;

/// The key `faults`, if there is one.
pub fn read(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Faults> {
    let table = reader.table_at(top, "faults")?;
    reader.allow(&table, &["checkpoint"], "faults");
    let Some(table) = reader.table_at(&table, "checkpoint") else { return Some(Faults::default()) };
    reader.allow(&table, &["cost", "restart", "downtime", "interval", "segments"], "a checkpoint");
    let checkpoint = Checkpoint {
        cost_s: reader.time(&table, "cost").unwrap_or(0.0),
        restart_s: reader.time(&table, "restart").unwrap_or(0.0),
        downtime_s: reader.time(&table, "downtime").unwrap_or(0.0),
    };
    let segments = reader.whole(&table, "segments", 1, MOST_SEGMENTS);
    let mut rhythm = segments.map_or(Rhythm::Best, Rhythm::Segments);
    if let Some(node) = table.get("interval") {
        let place = reader.place(node, &table.at("interval"));
        match reader.time_at(node, &table.at("interval")) {
            _ if segments.is_some() => {
                reader.wrong(&place, Problem::new("conflict", "a checkpoint has an interval or segments, not both"));
            }
            Some((0.0, _)) => {
                let problem = Problem::new("out_of_range", "interval is 0").value("0");
                reader.wrong(&place, problem.allowed("a time above 0"));
            }
            Some((seconds, _)) => rhythm = Rhythm::Interval(seconds),
            None => {}
        }
    }
    Some(Faults { checkpoint, rhythm })
}

/// The key as it reads back.
pub fn written(faults: &Faults) -> String {
    let Checkpoint { cost_s, restart_s, downtime_s } = faults.checkpoint;
    let rhythm = match faults.rhythm {
        Rhythm::Best => String::new(),
        Rhythm::Interval(seconds) => format!(", interval = {seconds:?}"),
        Rhythm::Segments(count) => format!(", segments = {count}"),
    };
    let costs = format!("cost = {cost_s:?}, restart = {restart_s:?}, downtime = {downtime_s:?}");
    format!("faults = {{ checkpoint = {{ {costs}{rhythm} }} }}\n")
}
