//! The questions of the first page: a few fields, all of them filled; an answer in one sentence, and the command lines
//! that give it in a shell, too.

mod asynchronous;
mod fields;
mod larger;
mod limits;
mod machine;
mod network;
mod processes;
mod runs;
mod shell;
#[cfg(test)]
mod tests;

use crate::context::Context;
use crate::failure::Failure;
use fields::Fields;
use runcast_core::Problem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use shell::Shell;
use std::collections::BTreeMap;

/// Files that questions begin with.
pub mod samples {
    /// Measured runs.
    pub const RUNS: &str = "tables/heat.csv";
    /// An application.
    pub const APPLICATION: &str = "applications/heat.luau";
    /// Two systems.
    pub const SYSTEMS: [&str; 2] = ["systems/galera.toml", "systems/cluster.toml"];
    /// An experiment.
    pub const EXPERIMENT: &str = "experiments/heat.toml";
    /// A model of processes that wait for one another.
    pub const WAVEFRONT: &str = "calculators/shared-machines.toml";
}

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Which {
    /// How many processes shall I ask for?
    Processes,
    /// Which machine shall I buy?
    Machine,
    /// What limits my program?
    Limits,
    /// What if the network were twice as fast?
    Network,
    /// Synchronous or asynchronous?
    Asynchronous,
    /// How long will a larger run take?
    Larger,
}

/// A question with its fields; those that are absent have their defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Which.
    pub question: Which,
    /// By name: numbers, texts, lists of texts.
    #[serde(default)]
    pub fields: Map<String, Value>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// In one sentence, with its range or why it has none.
    pub sentence: String,
    /// The number that it is about.
    pub value: Option<f64>,
    /// Lower end of its range.
    pub low: Option<f64>,
    /// Upper end of its range.
    pub high: Option<f64>,
    /// Probability of the range.
    pub level: Option<f64>,
    /// SI unit of the number; empty for a bare number.
    pub unit: String,
    /// The same in a shell.
    pub commands: Vec<String>,
    /// What these commands print under `--json`.
    pub documents: Vec<Value>,
    /// How the picture is looked at, as the query of an address.
    pub view: String,
    /// What the answer rests on.
    pub assumptions: Vec<String>,
    /// The fields with everything that was filled in.
    pub fields: Map<String, Value>,
    /// The picture as numbers.
    pub picture: Picture,
    /// Causes and parts, largest first, as sentences.
    pub why: Vec<String>,
    /// Files that were filled in for the answer and that the commands name, by path.
    pub files: BTreeMap<String, String>,
    /// How a table was read: `p = processes, N = parameter, solve_s = metric`.
    pub read_as: Option<String>,
}

/// What is drawn beside the sentence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Picture {
    /// The horizontal axis of points; the name of what bars stand for.
    pub x: String,
    /// The vertical axis.
    pub y: String,
    /// SI unit of the vertical axis.
    pub unit: String,
    /// Points of a curve, in order.
    pub points: Vec<Point>,
    /// Bars, in order.
    pub bars: Vec<Bar>,
    /// To where there are measurements.
    pub measured_to: Option<f64>,
}

/// A point of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Where.
    pub x: f64,
    /// The value there.
    pub y: f64,
    /// Lower end of its range.
    pub low: Option<f64>,
    /// Upper end of its range.
    pub high: Option<f64>,
}

/// A bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Its length.
    pub value: f64,
}

/// Command lines that read all files which an answer needs, to find out which these are.
///
/// # Errors
/// A field that cannot be read.
pub fn reads(question: &Question) -> Result<Vec<Vec<String>>, Failure> {
    let mut fields = Fields::of(question);
    match question.question {
        Which::Processes | Which::Larger => runs::reads(&mut fields),
        Which::Machine => machine::reads(&mut fields),
        Which::Limits | Which::Network => network::reads(&mut fields),
        Which::Asynchronous => asynchronous::reads(&mut fields),
    }
}

/// Answers a question. Simulations see these catalogues.
///
/// # Errors
/// What is wrong with the fields and the files; the pointer names the field.
pub fn answer(question: &Question, catalogues: &[String], context: &mut Context) -> Result<Told, Failure> {
    let mut fields = Fields::of(question);
    let mut shell = Shell::new(catalogues, context);
    let told = told(question.question, &mut fields, &mut shell)?;
    let read_as = shell.read_as.as_ref().map(ToString::to_string);
    Ok(Told { commands: shell.commands, documents: shell.documents, fields: fields.filled, read_as, ..told })
}

fn told(which: Which, fields: &mut Fields<'_>, shell: &mut Shell<'_>) -> Result<Told, Failure> {
    match which {
        Which::Processes => processes::answer(fields, shell),
        Which::Machine => machine::answer(fields, shell),
        Which::Limits => limits::answer(fields, shell),
        Which::Network => network::answer(fields, shell),
        Which::Asynchronous => asynchronous::answer(fields, shell),
        Which::Larger => larger::answer(fields, shell),
    }
}

/// The command lines of an answer, with all that the question says, for those who run them elsewhere: nothing is simulated
/// or fitted.
///
/// # Errors
/// What is wrong with the fields and the files.
pub fn lines(question: &Question, catalogues: &[String], context: &mut Context) -> Result<Vec<Vec<String>>, Failure> {
    let mut fields = Fields::of(question);
    let mut shell = Shell::noting(catalogues, context);
    let told = told(question.question, &mut fields, &mut shell);
    let lines = shell.noted();
    // What comes after the last command line needs its answer.
    if lines.is_empty() { told.map(|_| lines) } else { Ok(lines) }
}

impl Told {
    /// An answer that begins with the sentence of a document.
    fn of(document: &Value) -> Result<Told, Failure> {
        let none = || Failure::undone(Problem::new("no_sentence", "the command gave no sentence"));
        let sentence = document["sentence"].as_str().ok_or_else(none)?;
        Ok(Told::saying(sentence.to_owned()))
    }

    fn saying(sentence: String) -> Told {
        Told {
            sentence,
            value: None,
            low: None,
            high: None,
            level: None,
            unit: String::new(),
            commands: Vec::new(),
            documents: Vec::new(),
            view: String::new(),
            assumptions: Vec::new(),
            fields: Map::new(),
            picture: Picture::default(),
            why: Vec::new(),
            files: BTreeMap::new(),
            read_as: None,
        }
    }
}

/// The messages of the warnings of a document, each once.
fn warnings(document: &Value) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for warning in document["warnings"].as_array().into_iter().flatten() {
        if let Some(message) = warning["message"].as_str().filter(|message| !told.iter().any(|known| known == message))
        {
            told.push(message.to_owned());
        }
    }
    told
}

/// What a simulation leaves out and takes for granted.
fn caveats(document: &Value) -> Vec<String> {
    let list =
        |name: &str| document[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    warnings(document).into_iter().chain(list("not_modelled")).chain(list("assumed")).collect()
}
