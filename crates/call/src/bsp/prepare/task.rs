//! A task with its formulas compiled for its arguments.

use super::super::program::{Duplex, StepSpec, Synchronization};
use super::cell::{Cell, Slot};
use runcast_core::problem::shorten;

/// A task that is ready to run.
///
/// The values of its scope are in this order: predefined names, arguments, parameters, models.
#[derive(Debug)]
pub(in super::super) struct TaskCode {
    pub name: String,
    /// Arguments that its formulas use.
    pub needed: Vec<String>,
    /// For each argument the parameter of the same name, which is used if a caller does not supply it.
    pub fallback: Vec<Option<usize>>,
    pub models: Vec<Option<ModelCode>>,
    pub steps: Vec<StepCode>,
}

/// How a model gets its inputs in a scope.
#[derive(Debug)]
pub(in super::super) struct ModelCode {
    pub slot: Slot,
    pub inputs: Vec<InputCode>,
}

#[derive(Debug)]
pub(in super::super) enum InputCode {
    Slot(Slot),
    Cell(Box<Cell>),
}

/// A superstep that is ready to run.
#[derive(Debug)]
pub(in super::super) struct StepCode {
    pub name: Option<String>,
    pub condition: Option<Cell>,
    pub repeat: Option<Cell>,
    pub before: WorkCode,
    pub work: WorkCode,
    pub call: Option<CallCode>,
    pub synchronization: Synchronization,
    pub block: Option<BlockCode>,
    pub traffic: TrafficCode,
    pub expect: Option<Cell>,
}

/// Work in seconds, and in instructions.
#[derive(Debug, Default)]
pub(in super::super) struct WorkCode {
    pub time: Option<Cell>,
    pub counts: Vec<CountCode>,
}

/// Number of instructions of a class, and the time of one.
#[derive(Debug)]
pub(in super::super) struct CountCode {
    pub count: Cell,
    pub price: Cell,
    /// Its number in the program.
    pub class: usize,
}

#[derive(Debug)]
pub(in super::super) struct CallCode {
    pub partition: Option<Vec<Cell>>,
    /// One for all groups, or one each.
    pub targets: Vec<TargetCode>,
    pub args: Vec<Cell>,
}

/// A task to run, and which of the call's arguments are its own.
#[derive(Debug)]
pub(in super::super) struct TargetCode {
    pub task: usize,
    /// For each argument of the task the position in the call's `args`.
    pub passed: Vec<Option<usize>>,
}

#[derive(Debug)]
pub(in super::super) struct BlockCode {
    pub gap: Cell,
    pub is_bandwidth: bool,
    pub latency: Cell,
    pub duplex: Duplex,
}

#[derive(Debug)]
pub(in super::super) enum TrafficCode {
    Nothing,
    Messages(Vec<SendCode>),
    Given { partners: Vec<Cell>, bytes: Option<Box<Cell>> },
}

#[derive(Debug)]
pub(in super::super) struct SendCode {
    /// None: all others.
    pub to: Option<Vec<Cell>>,
    pub bytes: Cell,
    pub condition: Option<Cell>,
}

/// `task fft, step 1 (halves): `
pub(in super::super) fn context(task: &str, index: usize, step: &StepSpec) -> String {
    match &step.name {
        Some(name) => format!("task {task}, step {} ({}): ", index + 1, shorten(name, 40)),
        None => format!("task {task}, step {}: ", index + 1),
    }
}

impl TaskCode {
    /// A task that is never called.
    pub(super) fn empty(name: &str) -> Self {
        TaskCode {
            name: name.to_owned(),
            needed: Vec::new(),
            fallback: Vec::new(),
            models: Vec::new(),
            steps: Vec::new(),
        }
    }
}
