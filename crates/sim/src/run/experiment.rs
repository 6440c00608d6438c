//! An experiment (docs/reference/sim-files.md): which applications on which system, at which fidelity, how often, with what noise.
//!
//! ```toml
//! format = "runcast-experiment/1"
//! system = "galera.toml"
//! fidelity = "flow"
//! repetitions = 5
//! [[app]]
//! file = "msort.luau"
//! params = { n = 536870912, p = 64 }
//! place = [ { label = "sorter", on = "node", per = 12, order = "block" } ]
//! [vary]
//! p = [1, 2, 4, 8]
//! ```
//!
//! The file names others; [`crate::run::Inputs`] reads them.

mod app;
mod noise;
mod vary;

pub use vary::Varied;

use crate::faults::{self, Faults};
use crate::job::{Collectives, Fidelity};
use crate::noise::NoiseSpec;
use crate::reliability::Checkpoint;
use runcast_core::toml::{Place, Reader, Source, Table, document};
use runcast_core::{Problem, Problems};
use runcast_formula::Formula;

/// Size limit of an experiment file.
const LARGEST: usize = 16 << 20;
/// Maximum number of repetitions.
pub const MOST_REPETITIONS: u64 = 1_000_000;

/// The word of the format.
pub const FORMAT: &str = "runcast-experiment/1";

/// An experiment as in its file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Experiment {
    /// Its file, as the user named it; empty where options stand for one.
    pub file: String,
    pub system: Option<Named>,
    /// How closely to look; none: as is fit for the number of processes.
    pub fidelity: Option<Fidelity>,
    /// How often; none: as is usual for what is simulated.
    pub repetitions: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// Level of intervals.
    pub level: Option<f64>,
    /// A file of coefficients laid over those of the system.
    pub coeff: Option<Named>,
    /// Files that add to the catalogue.
    pub catalogue: Vec<Named>,
    /// Which network a group uses: (group, network).
    pub networks: Vec<(String, String)>,
    /// Which hardware a component is in place of what the system says: (component, entry).
    pub hardware: Vec<(String, String)>,
    /// How the state is saved.
    pub checkpoint: Option<Checkpoint>,
    /// Faults happen: how the state is saved, and how often.
    pub faults: Option<Faults>,
    /// Noise, without the trace.
    pub noise: Option<NoiseSpec>,
    /// A file of recorded interruptions.
    pub noise_trace: Option<Named>,
    /// Equal results that a job on volunteers needs, over what the system says.
    pub quorum: Option<u64>,
    /// Seconds after which another copy of such a job is made, over what the system says.
    pub deadline_s: Option<f64>,
    /// When volunteers are on.
    pub volunteer_trace: Option<Named>,
    /// Collectives by formula in place of messages.
    pub collectives: Collectives,
    /// The rows by which collectives choose algorithms: those of a library by its name, or a file.
    pub selector: Option<Named>,
    /// Algorithms of collectives that are fixed: (collective, algorithm).
    pub algorithms: Vec<(String, String)>,
    /// The applications; at least one.
    pub apps: Vec<App>,
    /// What a sweep goes through.
    pub vary: Vec<Varied>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct App {
    pub file: Named,
    /// Its name; none: that of the file.
    pub name: Option<String>,
    pub params: Vec<(String, Value)>,
    /// Where its labels go.
    pub place: Vec<PlaceEntry>,
    /// When it starts, in seconds.
    pub start_s: f64,
}

/// Where processes of a label go.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PlaceEntry {
    pub label: String,
    /// The component that they are placed on; none: the script, or what fits.
    pub on: Option<String>,
    /// Number on each: a formula of parameters.
    pub per: Option<Formula>,
    /// In which order they go round.
    pub order: Order,
    /// How many of the label's processes this is for, a formula of parameters; none: all that are left.
    pub count: Option<Formula>,
    pub spot: Spot,
}

/// In which order processes go round the components.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Order {
    /// One component is filled before the next.
    #[default]
    Block,
    /// One on each, and round again.
    Cyclic,
    /// The component of each process: formulas of parameters.
    List(Vec<Formula>),
    /// The component of a process: a formula of its rank and of parameters.
    ByRank(Formula),
}

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Number(f64),
    Text(String),
}

impl Value {
    /// What a user writes: a number where it is one; else a text, which may be a number with a unit.
    pub fn of(text: &str) -> Value {
        match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Value::Number(number),
            _ => Value::Text(text.to_owned()),
        }
    }

    /// The number that it is, in SI base units where it has a unit.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(text) => runcast_formula::units::Quantity::parse(text).ok().map(|quantity| quantity.value),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A file named in a file, and where.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named {
    /// The name as it is written.
    pub name: String,
    pub spot: Spot,
}

impl Named {
    /// A file that an option names: relative to the current folder.
    pub fn option(name: impl Into<String>, option: &str) -> Named {
        Named { name: name.into(), spot: Spot { line: 0, column: 0, pointer: option.to_owned() } }
    }
}

/// Where something is in the experiment file; line 0: in an option.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spot {
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1.
    pub column: u64,
    /// The pointer, or the option.
    pub pointer: String,
}

impl Spot {
    fn of(source: &Source<'_>, place: &Place) -> Spot {
        let (line, column) = source.line_and_column(place.offset);
        Spot { line, column, pointer: place.pointer.clone() }
    }

    /// The problem with its place in this experiment file, unless it has a place of its own.
    pub fn locate(&self, file: &str, problem: Problem) -> Problem {
        if problem.file.is_some() {
            return problem;
        }
        let problem = if problem.pointer.is_none() { problem.at(self.pointer.clone()) } else { problem };
        if self.line == 0 { problem } else { problem.in_file(file).at_line(self.line).at_column(self.column) }
    }
}

const KEYS: [&str; 22] = [
    "format",
    "name",
    "system",
    "fidelity",
    "repetitions",
    "seed",
    "level",
    "coeff",
    "catalogue",
    "use",
    "hardware",
    "checkpoint",
    "faults",
    "quorum",
    "deadline",
    "trace",
    "noise",
    "collectives",
    "algorithms",
    "selector",
    "app",
    "vary",
];

/// Reads an experiment file.
///
/// # Errors
/// All its errors, with line and column.
pub fn read(text: &str, file: &str) -> Result<Experiment, Problems> {
    let source = Source { name: file, text };
    let document = document(source, LARGEST)?;
    let mut reader = Reader::new(source);
    let top = reader.top(&document);
    reader.allow(&top, &KEYS, "an experiment");
    format(&mut reader, &top);
    let mut experiment = Experiment { file: file.to_owned(), ..Experiment::default() };
    experiment.system = named(&mut reader, &top, "system");
    experiment.fidelity = reader.choice(&top, "fidelity", &Fidelity::WORDS).map(|index| Fidelity::ALL[index]);
    experiment.repetitions = reader.whole(&top, "repetitions", 1, MOST_REPETITIONS);
    experiment.seed = reader.whole(&top, "seed", 0, u64::MAX).unwrap_or(0);
    experiment.level = reader.bounded(&top, "level", "a number between 0 and 1", |level| level > 0.0 && level < 1.0);
    experiment.coeff = named(&mut reader, &top, "coeff");
    experiment.catalogue = catalogue(&mut reader, &top);
    experiment.networks = pairs(&mut reader, &top, "use", "the network of a group, such as { galera = \"ethernet\" }");
    experiment.hardware =
        pairs(&mut reader, &top, "hardware", "an entry for a component, such as { cpu = \"amd-epyc-9654\" }");
    experiment.checkpoint = checkpoint(&mut reader, &top);
    experiment.faults = faults::read(&mut reader, &top);
    experiment.quorum = reader.whole(&top, "quorum", 1, 1_000_000);
    experiment.deadline_s = reader.time(&top, "deadline");
    experiment.volunteer_trace = named(&mut reader, &top, "trace");
    noise::read(&mut reader, &top, &mut experiment);
    if let Some(collectives) = reader.choice(&top, "collectives", &["expanded", "closed"]) {
        experiment.collectives = [Collectives::Expanded, Collectives::Closed][collectives];
    }
    experiment.selector = named(&mut reader, &top, "selector");
    experiment.algorithms =
        pairs(&mut reader, &top, "algorithms", "an algorithm for a collective, such as { bcast = \"binomial\" }");
    experiment.apps = app::read(&mut reader, &top);
    experiment.vary = vary::read(&mut reader, &top);
    match reader.take_problems() {
        Some(problems) => Err(problems),
        None => Ok(experiment),
    }
}

fn format(reader: &mut Reader<'_>, top: &Table<'_, '_>) {
    let Some((format, place)) = reader.text(top, "format", FORMAT) else {
        if !top.has("format") {
            reader.missing(top, "format", &format!("format = \"{FORMAT}\""));
        }
        return;
    };
    if format != FORMAT {
        let problem =
            Problem::new("unknown_format", format!("\"{format}\" is not a format of experiments")).value(format);
        reader.wrong(&place, problem.allowed(FORMAT));
    }
}

/// A file named at a key.
fn named(reader: &mut Reader<'_>, table: &Table<'_, '_>, key: &str) -> Option<Named> {
    let (name, place) = reader.text(table, key, "the name of a file")?;
    if name.is_empty() {
        reader.wrong(
            &place,
            Problem::new("missing", format!("{key} does not name a file")).allowed("the name of a file"),
        );
        return None;
    }
    Some(Named { name, spot: Spot::of(&reader.source, &place) })
}

fn catalogue(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Vec<Named> {
    let Some(node) = top.get("catalogue") else { return Vec::new() };
    if node.value.get_ref().as_str().is_some() {
        return named(reader, top, "catalogue").into_iter().collect();
    }
    let pointer = top.at("catalogue");
    let Some(nodes) = reader.list(node, &pointer, "the name of a file, or a list of them") else { return Vec::new() };
    let files = reader.each(nodes, &pointer, |reader, node, pointer| {
        let (name, place) = reader.text_at(node, pointer, "the name of a file")?;
        Some(Named { name, spot: Spot::of(&reader.source, &place) })
    });
    files.unwrap_or_default()
}

/// A table of texts.
fn pairs(reader: &mut Reader<'_>, top: &Table<'_, '_>, key: &str, wanted: &str) -> Vec<(String, String)> {
    let Some(node) = top.get(key) else { return Vec::new() };
    let Some(table) = reader.table(node, top.at(key), wanted) else { return Vec::new() };
    let mut pairs = Vec::new();
    let entries: Vec<_> = table.named().map(|(name, node)| (name.to_owned(), node)).collect();
    for (name, node) in entries {
        let pointer = table.at(&name);
        if let Some((value, _)) = reader.text_at(node, &pointer, wanted) {
            pairs.push((name, value));
        }
    }
    pairs
}

fn checkpoint(reader: &mut Reader<'_>, top: &Table<'_, '_>) -> Option<Checkpoint> {
    let table = reader.table_at(top, "checkpoint")?;
    reader.allow(&table, &["cost", "restart", "downtime"], "a checkpoint");
    Some(Checkpoint {
        cost_s: reader.time(&table, "cost").unwrap_or(0.0),
        restart_s: reader.time(&table, "restart").unwrap_or(0.0),
        downtime_s: reader.time(&table, "downtime").unwrap_or(0.0),
    })
}

#[cfg(test)]
mod tests;
