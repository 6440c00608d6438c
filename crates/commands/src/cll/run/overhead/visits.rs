//! The visits of a run, by region and the values of its variables.

use indexmap::IndexMap;
use runcast_call::trace;
use runcast_core::Table;
use runcast_core::table::Column;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A region and the values of its variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub region: String,
    /// Names, and bits of values.
    values: Vec<(String, u64)>,
}

impl Key {
    /// The values.
    pub fn at(&self) -> IndexMap<String, f64> {
        self.values.iter().map(|(name, bits)| (name.clone(), f64::from_bits(*bits))).collect()
    }
}

/// The visits of a region at a configuration.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Seen {
    pub visits: u64,
    /// Times and the visits that each stands for.
    times: Vec<(f64, f64)>,
    /// Pairs of begin and end inside a visit, as far as what was taken out tells, and the visits.
    pairs: Vec<(f64, f64)>,
}

impl Seen {
    /// The time of half of the visits, at most.
    pub fn median(&self) -> f64 {
        median(&self.times)
    }
}

fn median(weighted: &[(f64, f64)]) -> f64 {
    let mut sorted = weighted.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * sorted.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut sum = 0.0;
    let place = sorted.iter().position(|(_, weight)| {
        sum += weight;
        sum >= half
    });
    place.map_or(f64::NAN, |place| sorted[place].0)
}

/// All visits of a run.
#[derive(Debug, Clone, Default)]
pub(super) struct Visits {
    /// Of the outermost instances of each region.
    pub outermost: BTreeMap<Key, Seen>,
    /// By region, however they ended.
    pub all: IndexMap<String, u64>,
}

impl Visits {
    /// Of these traces; what cannot be read is left out.
    pub fn of(paths: &[PathBuf]) -> Self {
        let mut visits = Visits::default();
        for path in paths {
            if let Ok(bytes) = std::fs::read(path) {
                visits.take(&path.to_string_lossy(), &bytes);
            }
        }
        visits
    }

    /// Adds those of a trace.
    pub fn take(&mut self, name: &str, bytes: &[u8]) {
        let Ok(read) = trace::read(name, bytes) else { return };
        let clock = read.metadata.files.first().and_then(|file| file.clock.as_ref());
        let (o_in_s, o_pair_s) = clock.map_or((None, None), |clock| (clock.o_in_s, clock.o_pair_s));
        let numbers = |name: &str| read.table.column(name).and_then(Column::as_numbers);
        let (Some(region), Some(status)) = (read.table.column("region"), read.table.column("status")) else { return };
        let (time, raw, level, visits) = (numbers("time_s"), numbers("raw_s"), numbers("level"), numbers("visits"));
        let of = |column: Option<&runcast_core::table::Numbers>, row: usize, otherwise: f64| {
            column.map_or(otherwise, |column| column[row])
        };
        for row in 0..read.table.rows() {
            let name = region.cell(row);
            let count = of(visits, row, 1.0);
            *self.all.entry(name.clone()).or_insert(0) += count as u64;
            let experiment = read.metadata.experiments.get(&name);
            let status = status.cell(row);
            let counts = status == "ok" || (status == "exit" && experiment.is_some_and(|found| found.exits_ok));
            let time_s = of(time, row, f64::NAN);
            if !counts || of(level, row, 0.0) != 0.0 || !time_s.is_finite() {
                continue;
            }
            let names = experiment.map_or(&[][..], |found| &found.names);
            let key = Key { values: values(&read.table, names, row), region: name };
            let seen = self.outermost.entry(key).or_default();
            seen.visits += count as u64;
            seen.times.push((time_s, count));
            if let (Some(o_in_s), Some(o_pair_s)) = (o_in_s, o_pair_s.filter(|pair| *pair > 0.0)) {
                seen.pairs.push((((of(raw, row, f64::NAN) - time_s - o_in_s) / o_pair_s).round().max(0.0), count));
            }
        }
    }

    /// Visits of other regions in one of these: counted where there is but one region around them, else from what was
    /// taken out of its time.
    pub fn inside(&self, key: &Key) -> f64 {
        let Some(seen) = self.outermost.get(key) else { return 0.0 };
        let alone = self.all.get(&key.region).copied() == Some(seen.visits);
        let around = self.outermost.iter().filter(|(_, other)| other.pairs.iter().any(|(pairs, _)| *pairs >= 1.0));
        if alone && around.count() <= 1 && seen.visits > 0 {
            let others: u64 = self.all.iter().filter(|(name, _)| **name != key.region).map(|(_, count)| count).sum();
            return others as f64 / seen.visits as f64;
        }
        median(&seen.pairs)
    }

    /// The region that has most visits beside those of a run of outer regions alone.
    pub fn busiest_beside(&self, outer: &Visits) -> Option<String> {
        let more = |name: &str, count: u64| count.saturating_sub(outer.all.get(name).copied().unwrap_or(0));
        let counts = self.all.iter().map(|(name, &count)| (name, more(name, count)));
        counts.filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count).map(|(name, _)| name.clone())
    }
}

/// What an experiment has recorded in a row. A name that a column of the trace bears is written as `var.NAME`.
fn values(table: &Table, names: &[String], row: usize) -> Vec<(String, u64)> {
    let value = |name: &String| {
        let column = table.column(&format!("var.{name}")).or_else(|| table.column(name))?;
        Some((name.clone(), (column.as_numbers()?[row] + 0.0).to_bits()))
    };
    names.iter().filter_map(value).collect()
}
