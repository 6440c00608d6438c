//! Caliper's own files, `.cali`: lines of `key=value=value,..` that build a tree of nodes, and records that refer to it.
//!
//! | line | is |
//! |---|---|
//! | `__rec=node,id=33,attr=32,data=main,parent=31` | a node: a value of an attribute, below another node |
//! | `__rec=ctx,ref=33=80,attr=66,data=0.3` | a record: what its nodes and theirs above say, and values |
//! | `__rec=globals,ref=..` | what holds for the whole run |
//!
//! Attributes are nodes, too: one of attribute 8 names what its number stands for, those above it say its properties
//! (attribute 10) and its unit. Nodes 0 to 7 are types, and not in the file. The path of a region are the values of nested
//! attributes. Of several values of one region, processes and parameters, the sum counts.

mod lines;
mod times;

use super::regions::{DEEPEST, Region, Regions};
use super::{Format, Probe};
use crate::problem::{Problem, Problems, shorten};
use crate::table::{ReadOptions, Table, number};
use lines::entries;
use std::collections::HashMap;
use times::Times;

pub(super) const FORMAT: Format =
    Format { name: "cali", description: "Caliper's .cali files (--param)", recognizes, read };

/// The attribute of names of attributes, and that of their properties.
const NAME: u64 = 8;
const PROPERTIES: u64 = 10;
/// The property of attributes whose values make a path.
const NESTED: u64 = 256;
/// Attributes that make the parameters and places of a row.
const PROCESSES: &str = "mpi.world.size";
const RANK: &str = "mpi.rank";
const THREAD: &str = "pthread.id";
const UNIT: &str = "attribute.unit";

fn recognizes(probe: &Probe<'_>) -> bool {
    !probe.is_json() && probe.first_lines(1).any(|line| line.starts_with("__rec="))
}

fn read(file: &str, text: &str, options: &ReadOptions) -> Result<Table, Problems> {
    let regions = Stream::of(text).and_then(|stream| stream.regions(options));
    Ok(regions.map_err(|problem| Problems::from(problem.in_file(file)))?.table(file))
}

struct Node {
    attribute: u64,
    data: String,
    parent: Option<u64>,
}

/// A record: what it refers to, and its own values by attribute.
struct Record {
    refs: Vec<u64>,
    values: Vec<(u64, String)>,
    line: u64,
}

/// A file.
#[derive(Default)]
struct Stream {
    nodes: HashMap<u64, Node>,
    records: Vec<Record>,
    globals: Vec<Record>,
}

/// What a record says, by the names of attributes; the innermost value of each.
#[derive(Default)]
struct Said {
    path: Vec<String>,
    values: HashMap<String, String>,
}

impl Said {
    fn number(&self, name: &str) -> Option<f64> {
        self.values.get(name).and_then(|text| number::parse(text))
    }
}

impl Stream {
    fn of(text: &str) -> Result<Self, Problem> {
        let mut stream = Stream::default();
        for (line, row) in (1u64..).zip(text.lines()) {
            if row.trim_ascii().is_empty() || row.starts_with('#') {
                continue;
            }
            let entries = entries(row);
            let find = |key: &str| entries.iter().find(|(name, _)| name == key).map(|(_, values)| values.as_slice());
            let ids = |key: &str| -> Result<Vec<u64>, Problem> {
                let id = |text: &String| {
                    text.parse().map_err(|_| {
                        let problem = Problem::new("bad_id", "the number of a node is expected").at_line(line);
                        problem.at(key).value(shorten(text, 40))
                    })
                };
                find(key).unwrap_or_default().iter().map(id).collect()
            };
            match find("__rec").and_then(|kinds| kinds.first()).map(String::as_str) {
                Some("node") => {
                    let (id, attribute) = (ids("id")?, ids("attr")?);
                    let (Some(&id), Some(&attribute)) = (id.first(), attribute.first()) else {
                        return Err(Problem::new("missing_field", "a node has id and attr").at_line(line));
                    };
                    let data = find("data").and_then(|data| data.first()).cloned().unwrap_or_default();
                    stream.nodes.insert(id, Node { attribute, data, parent: ids("parent")?.first().copied() });
                }
                Some(kind @ ("ctx" | "globals")) => {
                    let (attributes, data) = (ids("attr")?, find("data").unwrap_or_default().to_vec());
                    let values = attributes.into_iter().zip(data).collect();
                    let record = Record { refs: ids("ref")?, values, line };
                    if kind == "ctx" { stream.records.push(record) } else { stream.globals.push(record) }
                }
                Some(_) => {}
                None => {
                    let problem = Problem::new("not_a_record", "the line does not say what it is").at_line(line);
                    return Err(problem.value(shorten(row, 60)).allowed("__rec=node, __rec=ctx, __rec=globals"));
                }
            }
        }
        Ok(stream)
    }

    /// A node and those above it; types, which no file holds, end it.
    fn chain(&self, id: u64, line: u64) -> Result<Vec<&Node>, Problem> {
        let mut chain = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let Some(node) = self.nodes.get(&id) else {
                if id < NAME {
                    break;
                }
                let problem = Problem::new("unknown_id", format!("there is no node {id}")).at_line(line);
                return Err(problem.at("ref").value(id.to_string()));
            };
            if chain.len() >= DEEPEST {
                let message = format!("node {id} has over {DEEPEST} nodes below it, or is its own ancestor");
                return Err(Problem::new("too_deep", message).at_line(line));
            }
            chain.push(node);
            next = node.parent;
        }
        Ok(chain)
    }

    /// The name of an attribute, its properties and its unit.
    fn attribute(&self, id: u64, line: u64) -> Result<(&str, u64, Option<&str>), Problem> {
        let name = self.nodes.get(&id).filter(|node| node.attribute == NAME).map(|node| node.data.as_str());
        let Some(name) = name else {
            if id < 2 * NAME {
                return Ok(("", 0, None));
            }
            let problem = Problem::new("unknown_id", format!("there is no attribute {id}")).at_line(line);
            return Err(problem.at("attr").value(id.to_string()));
        };
        let above = self.chain(id, line)?;
        let properties = above.iter().find(|node| node.attribute == PROPERTIES).and_then(|node| node.data.parse().ok());
        let is_unit = |node: &&&Node| self.nodes.get(&node.attribute).is_some_and(|named| named.data == UNIT);
        let unit = above.iter().find(is_unit).map(|node| node.data.as_str());
        Ok((name, properties.unwrap_or(0), unit))
    }

    fn said(&self, record: &Record) -> Result<Said, Problem> {
        let mut said = Said::default();
        for &id in &record.refs {
            let mut path = Vec::new();
            for node in self.chain(id, record.line)? {
                let (name, properties, _) = self.attribute(node.attribute, record.line)?;
                if properties & NESTED != 0 {
                    path.push(node.data.replace('/', "|"));
                }
                said.values.entry(name.to_owned()).or_insert_with(|| node.data.clone());
            }
            said.path.extend(path.into_iter().rev());
        }
        for (id, text) in &record.values {
            let (name, ..) = self.attribute(*id, record.line)?;
            said.values.insert(name.to_owned(), text.clone());
        }
        Ok(said)
    }

    fn regions(&self, options: &ReadOptions) -> Result<Regions, Problem> {
        let mut run = HashMap::new();
        for record in &self.globals {
            run.extend(self.said(record)?.values);
        }
        let said: Vec<Said> = self.records.iter().map(|record| self.said(record)).collect::<Result<_, _>>()?;
        let times = self.times(&said)?;
        let parameters = parameters(options, &run, &said)?;
        let names = parameters.iter().map(|(name, _)| name.clone()).collect();
        let mut regions = Regions { parameters: names, ..Regions::default() };
        let mut index: HashMap<(String, Vec<u64>), usize> = HashMap::new();
        for (said, record) in said.iter().zip(&self.records) {
            let (time, own) = times.of(&said.values);
            if time.is_nan() && own.is_nan() {
                continue;
            }
            let value = |name: &str| said.number(name).or_else(|| run.get(name).and_then(|text| number::parse(text)));
            let at: Vec<f64> = parameters.iter().map(|(_, name)| value(name).unwrap_or(f64::NAN)).collect();
            let (rank, thread) = (value(RANK).unwrap_or(f64::NAN), value(THREAD).unwrap_or(f64::NAN));
            let visits = times.visits(&said.values);
            let path = said.path.join("/");
            let bits = [&[rank, thread], at.as_slice()].concat().iter().map(|value| value.to_bits()).collect();
            match index.get(&(path.clone(), bits)) {
                Some(&number) => {
                    let row: &mut Region = &mut regions.rows[number];
                    (row.time, row.own, row.visits) = (row.time + time, row.own + own, row.visits + visits);
                }
                None => {
                    let bits = [&[rank, thread], at.as_slice()].concat().iter().map(|value| value.to_bits()).collect();
                    index.insert((path.clone(), bits), regions.rows.len());
                    regions.rows.push(Region { path, rank, thread, visits, at, time, own, line: record.line });
                }
            }
        }
        Ok(regions)
    }

    /// Which attributes are times.
    fn times(&self, said: &[Said]) -> Result<Times, Problem> {
        let mut known: Vec<(String, Option<String>)> = Vec::new();
        for record in &self.records {
            for &(id, _) in &record.values {
                let (name, _, unit) = self.attribute(id, record.line)?;
                if !known.iter().any(|(known, _)| known == name) {
                    known.push((name.to_owned(), unit.map(str::to_owned)));
                }
            }
        }
        Times::among(&known).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
            let message = if said.is_empty() { "the file has no records" } else { "the records have no times" };
            let problem = Problem::new("no_metric", message).allowed("attributes such as sum#time.duration");
            problem.value(shorten(&names.join(", "), 200))
        })
    }
}

/// Names of parameters, and the attributes that hold them.
fn parameters(
    options: &ReadOptions,
    run: &HashMap<String, String>,
    said: &[Said],
) -> Result<Vec<(String, String)>, Problem> {
    let has = |name: &str| run.contains_key(name) || said.iter().any(|said| said.values.contains_key(name));
    let mut parameters: Vec<(String, String)> = Vec::new();
    for option in &options.params {
        let (name, attribute) = option.split_once('=').unwrap_or((option, option));
        let (name, attribute) = (name.trim(), attribute.trim());
        if !has(attribute) {
            let mut known: Vec<&str> = run.keys().map(String::as_str).collect();
            known.sort_unstable();
            let message = format!("there is no attribute \"{}\"", shorten(attribute, 60));
            return Err(Problem::new("unknown_column", message)
                .at("--param")
                .value(attribute)
                .one_of(attribute, known));
        }
        parameters.push((name.to_owned(), attribute.to_owned()));
    }
    if !parameters.iter().any(|(_, attribute)| attribute == PROCESSES) && has(PROCESSES) {
        parameters.push(("P".to_owned(), PROCESSES.to_owned()));
    }
    Ok(parameters)
}

#[cfg(test)]
mod tests;
