//! Profiles of Score-P and Scalasca: `.cubex` archives of the Cube format, version 4, packed or not.
//!
//! | member | has |
//! |---|---|
//! | `anchor.xml` | metrics, regions, the tree of calls (`cnode`), and the places that measured (`location`) |
//! | `N.index` | which nodes of the tree have values of metric N |
//! | `N.data` | for each of these nodes a value for each location |
//!
//! An index numbers nodes as the library of the format walks through the tree: a node before those below it for metrics that
//! are exclusive, all nodes below one before those further down for inclusive ones. What is nested decides one of the two
//! times by the other, as for all tables of regions.

mod anchor;
mod archive;
mod severity;
mod xml;

use super::regions::{Region, Regions};
use super::{Binary, Format};
use crate::problem::{Problem, Problems};
use crate::table::{ReadOptions, Table, number};
use anchor::{Anchor, Metric};
use archive::{is_archive, member, members};
use severity::values;
use std::collections::HashMap;

const NAME: &str = "cubex";

pub(super) const FORMAT: Format = Format {
    name: NAME,
    description: "profiles of Score-P and Scalasca (.cubex)",
    recognizes: |probe| is_archive(probe.text().as_bytes()),
    read: |file, text, options| read(file, text.as_bytes(), options),
};

pub(super) const BINARY: Binary = Binary { name: NAME, is: is_archive, read };

/// Rows beyond this make a profile too large to fit.
const MOST_ROWS: usize = 50_000_000;
/// What a row takes until the table is made.
const ROW_BYTES: u64 = 160;

fn read(file: &str, bytes: &[u8], options: &ReadOptions) -> Result<Table, Problems> {
    let regions = regions(bytes, options).map_err(|problem| Problems::from(problem.in_file(file)))?;
    Ok(regions.table(file))
}

fn regions(bytes: &[u8], options: &ReadOptions) -> Result<Regions, Problem> {
    let members = members(bytes)?;
    let anchor = member(&members, "anchor.xml").ok_or_else(|| {
        let problem = Problem::new("not_a_profile", "the archive has no anchor.xml");
        problem.allowed("profile.cubex, as Score-P writes it")
    })?;
    let anchor = Anchor::read(anchor)?;
    let time = anchor.metric("time").ok_or_else(|| {
        let names: Vec<&str> = anchor.metrics.iter().map(|metric| metric.name.as_str()).collect();
        Problem::new("no_metric", "the profile has no metric time").value(names.join(", "))
    })?;
    let rows = anchor.nodes.len().saturating_mul(anchor.locations.len());
    if rows > MOST_ROWS || options.memory.is_some_and(|memory| rows as u64 * ROW_BYTES > memory) {
        let message = format!("{} nodes at {} locations are too many", anchor.nodes.len(), anchor.locations.len());
        return Err(Problem::new("too_large", message).hint("cut the profile before: cube_cut, or a filter of Score-P"));
    }
    let of = |metric: &Metric| values(&members, metric, &anchor);
    let times = of(time)?;
    let visits = anchor.metric("visits").map(of).transpose()?;
    table(&anchor, time.is_inclusive, &times, visits.as_deref(), options)
}

/// A row for each path and location; nodes with equal paths are one.
fn table(
    anchor: &Anchor,
    is_inclusive: bool,
    times: &[f64],
    visits: Option<&[f64]>,
    options: &ReadOptions,
) -> Result<Regions, Problem> {
    let paths = anchor.paths()?;
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    let number_of: Vec<usize> = paths
        .iter()
        .map(|path| {
            *numbers.entry(path).or_insert_with(|| {
                order.push(path);
                order.len() - 1
            })
        })
        .collect();
    let count = anchor.locations.len();
    let mut sums = vec![[0.0, if visits.is_some() { 0.0 } else { f64::NAN }]; order.len() * count];
    for (node, number) in number_of.iter().enumerate() {
        for place in 0..count {
            let sum = &mut sums[number * count + place];
            sum[0] += times[node * count + place];
            sum[1] += visits.map_or(f64::NAN, |visits| visits[node * count + place]);
        }
    }
    let parameters = parameters(anchor, options)?;
    let at: Vec<f64> = parameters.iter().map(|(_, value)| *value).collect();
    let mut regions =
        Regions { parameters: parameters.into_iter().map(|(name, _)| name).collect(), ..Regions::default() };
    for (number, path) in order.iter().enumerate() {
        for (place, location) in anchor.locations.iter().enumerate() {
            let [time, visits] = sums[number * count + place];
            // A place that was never there has nothing to tell.
            if time == 0.0 && visits == 0.0 {
                continue;
            }
            let (time, own) = if is_inclusive { (time, f64::NAN) } else { (f64::NAN, time) };
            let (rank, thread) = *location;
            let path = (*path).to_owned();
            regions.rows.push(Region { path, rank, thread, visits, at: at.clone(), time, own, line: 0 });
        }
    }
    Ok(regions)
}

/// `P`, the number of processes, and what the options take from the attributes of the profile.
fn parameters(anchor: &Anchor, options: &ReadOptions) -> Result<Vec<(String, f64)>, Problem> {
    let mut parameters = Vec::new();
    for option in &options.params {
        let (name, key) =
            option.split_once('=').map_or((option.as_str(), option.as_str()), |(a, b)| (a.trim(), b.trim()));
        let value = anchor.attributes.iter().find(|(known, _)| known == key).and_then(|(_, text)| number::parse(text));
        let value = value.ok_or_else(|| {
            let keys: Vec<&str> = anchor.attributes.iter().map(|(key, _)| key.as_str()).collect();
            let problem = Problem::new("unknown_column", format!("the profile has no number \"{key}\"")).at("--params");
            problem.value(key).one_of(key, keys)
        })?;
        parameters.push((name.to_owned(), value));
    }
    if !parameters.iter().any(|(name, _)| name == "P") {
        parameters.push(("P".to_owned(), anchor.processes as f64));
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests;
