//! Compiling tasks, step by step.

use super::super::Models;
use super::super::program::{Call, Gap, Program, Send, StepSpec, Task, To, Traffic, Value, Work};
use super::cell::{Cell, Compiler};
use super::names::Names;
use super::scope::{model_codes, scope, used_models};
use super::task::{
    BlockCode, CallCode, CountCode, SendCode, StepCode, TargetCode, TaskCode, TrafficCode, WorkCode, context,
};
use super::{duplex_of, gap_value};
use indexmap::IndexMap;
use runcast_core::Problem;

/// Compiles a task, or returns all its problems.
pub(super) fn compile(
    program: &Program,
    models: &Models,
    names: &Names,
    index: usize,
    spec: &Task,
) -> Result<TaskCode, Vec<Problem>> {
    let name = program.tasks.get_index(index).map_or("", |(name, _)| name.as_str());
    let args = names.args.get(index).map_or(&[][..], Vec::as_slice);
    let mut problems = Vec::new();
    for arg in args.iter().filter(|arg| program.models.contains_key(*arg)) {
        let problem = Problem::new("conflict", format!("task {name}: the argument {arg} has the name of a model"));
        problems.push(problem.value(arg.clone()).in_file(program.source.file.clone()));
    }
    let (mut task, compiler) = scope(program, models, name, args);
    let mut compiling =
        Compiling { program, names, compiler: &compiler, context: String::new(), problems, used: Vec::new() };
    for (number, step) in spec.steps.iter().enumerate() {
        compiling.context = context(name, number, step);
        if let Some(step) = compiling.step(step) {
            task.steps.push(step);
        }
    }
    let used_by_models = used_models(&compiler, &compiling.used);
    let used = compiling.used.iter().chain(&used_by_models);
    task.needed = args.iter().filter(|arg| used.clone().any(|name| name == *arg)).cloned().collect();
    let mut problems = compiling.problems;
    task.models = model_codes(program, models, &compiler, &mut problems, &mut task.needed, args, &used_by_models);
    if problems.is_empty() { Ok(task) } else { Err(problems) }
}

/// The scope of the machine's own formulas.
pub(super) fn top<'p>(program: &'p Program, models: &Models) -> (Result<TaskCode, Vec<Problem>>, Compiler<'p>) {
    let (mut task, compiler) = scope(program, models, "", &[]);
    // Names that the machine's own formulas do not use need not exist.
    let machine = &program.machine;
    let values = machine.args.values();
    let start: Vec<&Value> = match &machine.start {
        super::Start::Zero => Vec::new(),
        super::Start::Each(value) => vec![value],
        super::Start::List(values, _) => values.iter().collect(),
    };
    let used: Vec<String> = values.chain(start).flat_map(|value| value.names().iter().cloned()).collect();
    let mut problems = Vec::new();
    let used = used_models(&compiler, &used);
    task.models = model_codes(program, models, &compiler, &mut problems, &mut Vec::new(), &[], &used);
    (if problems.is_empty() { Ok(task) } else { Err(problems) }, compiler)
}

/// What the machine starts.
pub(super) fn start(program: &Program, names: &Names, compiler: &Compiler<'_>) -> Result<CallCode, Vec<Problem>> {
    let context = "machine: ".to_owned();
    let mut compiling = Compiling { program, names, compiler, context, problems: Vec::new(), used: Vec::new() };
    let call = compiling.targets(std::iter::once(&program.machine.task.0), None, &program.machine.args);
    call.filter(|_| compiling.problems.is_empty()).ok_or(compiling.problems)
}

struct Compiling<'a, 'n> {
    program: &'a Program,
    names: &'a Names,
    compiler: &'a Compiler<'n>,
    context: String,
    problems: Vec<Problem>,
    /// Names that were used so far.
    used: Vec<String>,
}

impl Compiling<'_, '_> {
    fn step(&mut self, spec: &StepSpec) -> Option<StepCode> {
        let condition = self.optional(spec.condition.as_ref());
        let repeat = self.optional(spec.repeat.as_ref());
        let before = self.optional_work(spec.before.as_ref());
        let work = self.optional_work(spec.work.as_ref());
        let call = spec.call.as_ref().map(|call| self.call(call));
        let block = spec.closing.block.as_ref().and_then(|(name, _)| self.block(name));
        let traffic = self.traffic(&spec.closing.traffic);
        let expect = self.optional(spec.closing.expect.as_ref());
        Some(StepCode {
            name: spec.name.clone(),
            condition: condition?,
            repeat: repeat?,
            before: before?,
            work: work?,
            call: match call {
                Some(call) => Some(call?),
                None => None,
            },
            synchronization: spec.closing.synchronization,
            block,
            traffic: traffic?,
            expect: expect?,
        })
    }

    fn cell(&mut self, value: &Value) -> Option<Cell> {
        for name in value.names() {
            if !self.used.contains(name) {
                self.used.push(name.clone());
            }
        }
        match self.compiler.cell(value, &self.context) {
            Ok(cell) => Some(cell),
            Err((problem, value)) => {
                self.problems.push(value.place.locate(&self.program.source, problem));
                None
            }
        }
    }

    fn cells<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>) -> Option<Vec<Cell>> {
        let cells: Vec<Option<Cell>> = values.into_iter().map(|value| self.cell(value)).collect();
        cells.into_iter().collect()
    }

    /// The inner none: nothing was given; the outer none: there was a problem.
    fn optional(&mut self, value: Option<&Value>) -> Option<Option<Cell>> {
        match value {
            Some(value) => self.cell(value).map(Some),
            None => Some(None),
        }
    }

    fn optional_work(&mut self, work: Option<&Work>) -> Option<WorkCode> {
        let Some(work) = work else { return Some(WorkCode::default()) };
        let time = self.optional(work.time.as_ref());
        let mut counts = Vec::new();
        for (name, value) in &work.counts {
            let count = self.cell(value);
            let instructions = &self.program.instructions;
            let Some((class, _, price)) = instructions.get_full(name) else { continue };
            let price = self.cell(price);
            if let (Some(count), Some(price)) = (count, price) {
                counts.push(CountCode { count, price, class });
            }
        }
        Some(WorkCode { time: time?, counts })
    }

    fn call(&mut self, call: &Call) -> Option<CallCode> {
        let partition = match &call.partition {
            Some(values) => Some(self.cells(values)?),
            None => None,
        };
        self.targets(call.tasks.iter().map(|(name, _)| name), partition, &call.args)
    }

    fn targets<'s>(
        &mut self,
        tasks: impl Iterator<Item = &'s String>,
        partition: Option<Vec<Cell>>,
        args: &IndexMap<String, Value>,
    ) -> Option<CallCode> {
        let cells = self.cells(args.values())?;
        let mut targets = Vec::new();
        for name in tasks {
            let task = self.program.tasks.get_index_of(name)?;
            let of_task = self.names.args.get(task).map_or(&[][..], Vec::as_slice);
            targets.push(TargetCode { task, passed: of_task.iter().map(|arg| args.get_index_of(arg)).collect() });
        }
        Some(CallCode { partition, targets, args: cells })
    }

    fn block(&mut self, name: &str) -> Option<BlockCode> {
        let block = self.program.blocks.get(name)?;
        let (gap, latency) = (self.cell(gap_value(&block.gap)), self.cell(&block.latency));
        let is_bandwidth = matches!(block.gap, Gap::Bandwidth(_));
        Some(BlockCode { gap: gap?, is_bandwidth, latency: latency?, duplex: duplex_of(self.program, block) })
    }

    fn traffic(&mut self, traffic: &Traffic) -> Option<TrafficCode> {
        match traffic {
            Traffic::Nothing => Some(TrafficCode::Nothing),
            Traffic::Messages(messages) => {
                let messages: Vec<Option<SendCode>> = messages.iter().map(|send| self.send(send)).collect();
                Some(TrafficCode::Messages(messages.into_iter().collect::<Option<Vec<_>>>()?))
            }
            Traffic::Given { partners, bytes } => {
                let (partners, bytes) = (self.cells(partners), self.optional(bytes.as_ref()));
                Some(TrafficCode::Given { partners: partners?, bytes: bytes?.map(Box::new) })
            }
        }
    }

    fn send(&mut self, send: &Send) -> Option<SendCode> {
        let condition = self.optional(send.condition.as_ref());
        let bytes = self.cell(&send.bytes);
        let to = match &send.to {
            To::All => Some(None),
            To::Processors(values) => self.cells(values).map(Some),
        };
        Some(SendCode { to: to?, bytes: bytes?, condition: condition? })
    }
}
