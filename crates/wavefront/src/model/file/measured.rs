//! `[pilot]` and `[work]`: by how much the real loop differs from the samples, and what an update of theirs computed.

use super::names::Names;
use crate::model::Work;
use runcast_core::toml::{Reader, Table};

const FACTOR: &str = "a factor from 0.001 to 1000";
const LOG_SD: &str = "a standard deviation from 0 to 10";
const OPERATIONS_MOST: u64 = 1 << 50;

/// What a run of the real loop says of the samples.
pub(super) struct Pilot {
    /// What the updates of each process are multiplied by.
    pub factors: Vec<f64>,
    /// What all messages are multiplied by.
    pub messages: f64,
    /// How well that is known: the standard deviation of its logarithm.
    pub log_sd: f64,
}

impl Pilot {
    /// Every time as it is.
    fn none(names: &Names) -> Pilot {
        Pilot { factors: vec![1.0; names.count()], messages: 1.0, log_sd: 0.0 }
    }
}

pub(super) fn pilot(reader: &mut Reader<'_>, top: &Table<'_, '_>, names: &Names) -> Pilot {
    let mut pilot = Pilot::none(names);
    let Some(table) = reader.table_at(top, "pilot") else { return pilot };
    reader.allow(&table, &["factor", "messages", "log_sd"], "[pilot]");
    pilot.log_sd = reader.bounded(&table, "log_sd", LOG_SD, |sd| (0.0..=10.0).contains(&sd)).unwrap_or(0.0);
    let is_factor = |factor: f64| (1e-3..=1e3).contains(&factor);
    pilot.messages = reader.bounded(&table, "messages", FACTOR, is_factor).unwrap_or(1.0);
    let Some(factors) = reader.table_at(&table, "factor") else { return pilot };
    let named: Vec<String> = factors.named().map(|(name, _)| name.to_owned()).collect();
    for name in named {
        let factor = reader.bounded(&factors, &name, FACTOR, is_factor);
        let place = factors.get(&name).map(|node| reader.place(node, &factors.at(&name)));
        let found = place.and_then(|place| names.find(reader, &name, &place));
        if let (Some(processes), Some(factor)) = (found, factor) {
            processes.into_iter().for_each(|process| pilot.factors[process] = factor);
        }
    }
    pilot
}

pub(super) fn work(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Work> {
    let table = reader.table_at(top, "work")?;
    reader.allow(&table, &["time", "operations"], "[work]");
    reader.required(&table, "time", "the time of the work on an undisturbed core, such as \"2ms\"");
    reader.required(&table, "operations", "the number of its operations");
    let time_s = reader.time(&table, "time");
    let operations = reader.whole(&table, "operations", 1, OPERATIONS_MOST);
    Some(Work { time_s: time_s?, operations: operations? })
}
