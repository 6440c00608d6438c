//! The contents of a program, as data.

use super::Models;
use super::file;
use super::prepare::{self, Prepared};
use indexmap::IndexMap;
use runcast_core::{Problem, Problems, toml};
use runcast_formula::Formula;
use serde::Serialize;

/// A program of supersteps, read but not yet checked for its names.
#[derive(Debug, Clone)]
pub struct Program {
    pub(super) source: Source,
    pub(super) title: Option<String>,
    pub(super) parameters: IndexMap<String, Value>,
    pub(super) machine: Machine,
    pub(super) blocks: IndexMap<String, Block>,
    /// Seconds of an instruction, class by class.
    pub(super) instructions: IndexMap<String, Value>,
    pub(super) raw: Option<Raw>,
    pub(super) models: IndexMap<String, ModelFile>,
    pub(super) tasks: IndexMap<String, Task>,
}

/// A fitted model that formulas of a program call by name.
#[derive(Debug, Clone)]
pub struct ModelFile {
    /// Its document, relative to the program's file.
    pub file: String,
    pub(super) with: IndexMap<String, Value>,
    pub(super) place: Place,
}

/// A value: a number in SI base units, or a formula.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub given: Given,
    pub place: Place,
}

#[derive(Debug, Clone)]
pub(super) enum Given {
    Number(f64),
    Formula(Formula),
}

/// The text that a program was read from.
#[derive(Debug, Clone)]
pub(super) struct Source {
    /// The file, as the user named it.
    pub file: String,
    pub text: String,
}

/// A position in the program's file.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// The byte where it begins; none for an option. Lines are counted on demand.
    pub offset: Option<usize>,
    /// `/task/fft/step/0/work`, or `--set`.
    pub pointer: String,
}

#[derive(Debug, Clone)]
pub(super) struct Machine {
    pub processors: Value,
    pub task: (String, Place),
    pub args: IndexMap<String, Value>,
    pub duplex: Duplex,
    pub start: Start,
}

#[derive(Debug, Clone)]
pub(super) enum Start {
    /// All at 0.
    Zero,
    /// A formula over `rank`.
    Each(Value),
    List(Vec<Value>, Place),
}

/// How bytes in and out of a processor add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Duplex {
    /// Full: the larger of the two.
    Max,
    /// Half: their sum.
    Sum,
}

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub gap: Gap,
    pub latency: Value,
    pub duplex: Option<Duplex>,
}

#[derive(Debug, Clone)]
pub(super) enum Gap {
    /// Seconds per byte.
    PerByte(Value),
    /// Bytes per second.
    Bandwidth(Value),
}

/// One g, L and p for everything.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub gap: Gap,
    pub latency: Value,
    pub instruction: RawInstruction,
}

#[derive(Debug, Clone)]
pub(super) enum RawInstruction {
    /// As the program says.
    Own,
    /// One time for every class.
    One(Value),
    /// By class; other classes take the program's own time.
    Each(IndexMap<String, Value>),
}

#[derive(Debug, Clone)]
pub(super) struct Task {
    pub steps: Vec<StepSpec>,
}

/// A superstep as it is written.
#[derive(Debug, Clone)]
pub(super) struct StepSpec {
    pub name: Option<String>,
    pub condition: Option<Value>,
    pub repeat: Option<Value>,
    pub before: Option<Work>,
    pub work: Option<Work>,
    pub call: Option<Call>,
    pub closing: Closing,
}

/// Work of a processor.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub time: Option<Value>,
    /// Class and how many instructions of it.
    pub counts: Vec<(String, Value)>,
}

#[derive(Debug, Clone)]
pub(super) struct Call {
    /// One for all groups, or one each.
    pub tasks: Vec<(String, Place)>,
    /// None: all of the machine is one group.
    pub partition: Option<Vec<Value>>,
    pub args: IndexMap<String, Value>,
    pub place: Place,
}

/// How a superstep ends.
#[derive(Debug, Clone)]
pub(super) struct Closing {
    pub synchronization: Synchronization,
    pub block: Option<(String, Place)>,
    pub traffic: Traffic,
    pub expect: Option<Value>,
}

/// The messages.
#[derive(Debug, Clone)]
pub(super) enum Traffic {
    Nothing,
    Messages(Vec<Send>),
    /// Om and h are given.
    Given {
        partners: Vec<Value>,
        bytes: Option<Value>,
    },
}

/// A message, or one to each of several.
#[derive(Debug, Clone)]
pub(super) struct Send {
    pub to: To,
    pub bytes: Value,
    pub condition: Option<Value>,
}

#[derive(Debug, Clone)]
pub(super) enum To {
    All,
    Processors(Vec<Value>),
}

/// How the processors of a machine wait for each other at the end of a superstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Synchronization {
    /// Each waits for those that send to it.
    Oblivious,
    /// Each waits for the whole machine.
    Barrier,
    /// None waits for another.
    None,
}

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    /// All errors in the text, with their positions; at most 20 problems.
    pub fn from_toml(file: &str, text: &str) -> Result<Self, Problems> {
        file::read(file, text)
    }

    /// What its author calls it.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The names of its parameters, in the order of the file.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.keys().map(String::as_str)
    }

    /// The fitted models that it names.
    pub fn models(&self) -> &IndexMap<String, ModelFile> {
        &self.models
    }

    /// A problem with one of its models, at its position.
    pub fn model_problem(&self, name: &str, problem: Problem) -> Problem {
        match self.models.get(name) {
            Some(model) => model.place.locate(&self.source, problem),
            None => problem,
        }
    }

    /// Checks all names and compiles all formulas.
    ///
    /// # Errors
    /// Names that are unknown where they are used; at most 20 problems.
    pub fn prepare(self, models: &Models) -> Result<Prepared, Problems> {
        prepare::prepare(self, models)
    }
}

impl Value {
    /// The formula or the number, for messages.
    pub(super) fn text(&self) -> String {
        match &self.given {
            Given::Number(number) => runcast_core::table::number::to_text(*number),
            Given::Formula(formula) => formula.text().to_owned(),
        }
    }

    pub(super) fn names(&self) -> &[String] {
        match &self.given {
            Given::Number(_) => &[],
            Given::Formula(formula) => formula.names(),
        }
    }
}

impl Place {
    /// The problem at this position; its column, if any, is relative to the value.
    pub(super) fn locate(&self, source: &Source, mut problem: Problem) -> Problem {
        if let Some(offset) = self.offset {
            let source = toml::Source { name: &source.file, text: &source.text };
            return source.locate(&source.place(offset, self.pointer.clone()), problem);
        }
        problem.column = None;
        if problem.pointer.is_none() { problem.at(self.pointer.clone()) } else { problem }
    }
}

impl From<toml::Place> for Place {
    fn from(place: toml::Place) -> Self {
        Place { offset: Some(place.offset), pointer: place.pointer }
    }
}

impl Synchronization {
    /// Its name in files and documents.
    pub fn name(self) -> &'static str {
        match self {
            Synchronization::Oblivious => "oblivious",
            Synchronization::Barrier => "barrier",
            Synchronization::None => "none",
        }
    }
}
