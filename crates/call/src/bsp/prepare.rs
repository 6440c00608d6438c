//! A program whose names are checked and whose formulas are compiled.

mod cell;
mod check;
mod compile;
mod names;
mod scope;
mod task;

pub(super) use cell::{Cell, GROUP, GROUPS, IT, ME, RANK, trouble};
pub(super) use task::{
    BlockCode, CallCode, InputCode, ModelCode, SendCode, StepCode, TargetCode, TaskCode, TrafficCode, WorkCode,
};

use super::program::{Duplex, Gap, Program, RawInstruction, Start, Value};
use super::{Model, Models};
use cell::Compiler;
use names::Names;
use runcast_core::{Problem, Problems, Warning};

/// Maximum number of problems reported for one program.
const MOST_PROBLEMS: usize = 20;

/// A program that is ready to run.
#[derive(Debug)]
pub struct Prepared {
    pub(super) program: Program,
    /// Over those before them.
    pub(super) parameters: Vec<Cell>,
    /// Over parameters.
    pub(super) processors: Cell,
    /// The scope of the machine's own formulas: a task without arguments or steps.
    pub(super) top: TaskCode,
    pub(super) start: StartCode,
    /// What to start, with its arguments.
    pub(super) main: CallCode,
    pub(super) tasks: Vec<TaskCode>,
    pub(super) raw: Option<RawCode>,
    /// Warnings: suspicious, but not certainly wrong.
    pub warnings: Vec<Warning>,
}

#[derive(Debug)]
pub(super) enum StartCode {
    Zero,
    Each(Box<Cell>),
    List(Vec<Cell>),
}

/// One g, L and p for everything; over parameters.
#[derive(Debug)]
pub(super) struct RawCode {
    pub gap: Cell,
    pub is_bandwidth: bool,
    pub latency: Cell,
    /// By class, in the order of the program; none: the program's own.
    pub prices: Vec<Option<Cell>>,
}

pub(super) fn prepare(program: Program, models: &Models) -> Result<Prepared, Problems> {
    let mut checker = Checker { program: &program, models, problems: Vec::new() };
    let parts = checker.prepare();
    let mut problems = checker.problems;
    match parts {
        Some(parts) if problems.is_empty() => Ok(parts.of(program)),
        _ => {
            problems.truncate(MOST_PROBLEMS);
            if problems.is_empty() {
                problems.push(Problem::new("internal", "the program cannot be prepared"));
            }
            Err(Problems(problems))
        }
    }
}

/// All of [`Prepared`] but the program, which is borrowed while it is checked.
struct Parts {
    parameters: Vec<Cell>,
    processors: Cell,
    top: TaskCode,
    start: StartCode,
    main: CallCode,
    tasks: Vec<TaskCode>,
    raw: Option<RawCode>,
    warnings: Vec<Warning>,
}

impl Parts {
    fn of(self, program: Program) -> Prepared {
        let Parts { parameters, processors, top, start, main, tasks, raw, warnings } = self;
        Prepared { program, parameters, processors, top, start, main, tasks, raw, warnings }
    }
}

struct Checker<'a> {
    program: &'a Program,
    models: &'a Models,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn prepare(&mut self) -> Option<Parts> {
        let program = self.program;
        self.check_models();
        self.check_tasks();
        self.check_references();
        if !self.problems.is_empty() {
            return None;
        }
        let names = Names::of(program);
        let parameters = self.parameters()?;
        let known: Vec<&str> = program.parameters.keys().map(String::as_str).collect();
        let over_parameters = Compiler::plain(&known);
        let processors = self.noted(over_parameters.cell(&program.machine.processors, ""))?;
        let raw = match &program.raw {
            Some(raw) => Some(RawCode {
                gap: self.noted(over_parameters.cell(gap_value(&raw.gap), "bsp: "))?,
                is_bandwidth: matches!(raw.gap, Gap::Bandwidth(_)),
                latency: self.noted(over_parameters.cell(&raw.latency, "bsp: "))?,
                prices: self.prices(&raw.instruction, &over_parameters)?,
            }),
            None => None,
        };
        let mut warnings = Vec::new();
        let mut tasks = Vec::new();
        for (index, (name, spec)) in program.tasks.iter().enumerate() {
            let compiled = if names.is_reached(index) {
                compile::compile(program, self.models, &names, index, spec)
            } else {
                warnings.push(Warning::new("unused_task", format!("the task {name} is never called")));
                Ok(TaskCode::empty(name))
            };
            match compiled {
                Ok(task) => tasks.push(task),
                Err(problems) => self.problems.extend(problems),
            }
        }
        let (top, compiler) = compile::top(program, self.models);
        let start = match &program.machine.start {
            Start::Zero => StartCode::Zero,
            Start::Each(value) => StartCode::Each(Box::new(self.noted(compiler.cell(value, "machine: "))?)),
            Start::List(values, _) => {
                let cells = values.iter().map(|value| self.noted(compiler.cell(value, "machine: ")));
                StartCode::List(cells.collect::<Option<Vec<_>>>()?)
            }
        };
        let main = self.noted_all(compile::start(program, &names, &compiler))?;
        let top = self.noted_all(top)?;
        if self.problems.is_empty() {
            self.check_arguments(&names, &tasks);
        }
        Some(Parts { parameters, processors, top, start, main, tasks, raw, warnings })
    }

    /// Each over those before it.
    fn parameters(&mut self) -> Option<Vec<Cell>> {
        let mut cells = Vec::new();
        let mut before: Vec<&str> = Vec::new();
        for (name, value) in &self.program.parameters {
            cells.push(self.noted(parameter(&before, value)));
            before.push(name);
        }
        cells.into_iter().collect()
    }

    fn prices(&mut self, instruction: &RawInstruction, compiler: &Compiler<'_>) -> Option<Vec<Option<Cell>>> {
        let mut prices = Vec::new();
        for class in self.program.instructions.keys() {
            let value = match instruction {
                RawInstruction::Own => None,
                RawInstruction::One(value) => Some(value),
                RawInstruction::Each(classes) => classes.get(class),
            };
            prices.push(match value {
                Some(value) => Some(self.noted(compiler.cell(value, "bsp: "))?),
                None => None,
            });
        }
        Some(prices)
    }

    fn noted<T>(&mut self, found: Result<T, (Problem, &Value)>) -> Option<T> {
        match found {
            Ok(found) => Some(found),
            Err((problem, value)) => {
                self.problems.push(value.place.locate(&self.program.source, problem));
                None
            }
        }
    }

    fn noted_all<T>(&mut self, found: Result<T, Vec<Problem>>) -> Option<T> {
        found.map_err(|problems| self.problems.extend(problems)).ok()
    }
}

/// A parameter as a formula over those before it.
pub(super) fn parameter<'v>(before: &[&str], value: &'v Value) -> Result<Cell, (Problem, &'v Value)> {
    Compiler::plain(before).cell(value, "").map_err(|(mut problem, value)| {
        problem.allowed = Some(match before {
            [] => "a number, since there are no parameters before it".to_owned(),
            before => format!("a formula over the parameters before it: {}", before.join(", ")),
        });
        (problem, value)
    })
}

/// The value of a gap, in either notation.
fn gap_value(gap: &Gap) -> &Value {
    match gap {
        Gap::PerByte(value) | Gap::Bandwidth(value) => value,
    }
}

/// How bytes add up in a block.
fn duplex_of(program: &Program, block: &super::program::Block) -> Duplex {
    block.duplex.unwrap_or(program.machine.duplex)
}

/// The parameters of a model, in its order.
fn inputs(model: &dyn Model) -> &[String] {
    model.parameters()
}
