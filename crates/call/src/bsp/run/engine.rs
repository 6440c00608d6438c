//! Machines on a stack: the next superstep, and the end of a task.

use super::super::prepare::{Cell, Prepared, TaskCode};
use super::close::{Closer, Closing};
use super::frame::{self, Frame, Pending};
use super::groups::Group;
use super::record::Record;
use super::scope::Evaluator;
use super::setup::{raw_costs, starts};
use super::{Clocks, Detail, Limits, RawCosts};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use std::sync::atomic::Ordering;

/// The record of each processor-superstep takes about 100 bytes.
const MOST_DETAIL: u64 = 4_000_000;
/// Messages and skipped steps count as work, too.
const MESSAGES_PER_STEP: u64 = 20;
/// Number of steps between two checks for a request to stop.
const PATIENCE: u64 = 1024;

/// The next action of a machine.
enum Next {
    /// A group of the superstep that is going on.
    Group(Box<Frame>),
    /// Another superstep, or another group of it.
    More,
    /// Its task is over.
    Done,
}

/// Goes through a program.
pub(super) struct Engine<'a> {
    pub prepared: &'a Prepared,
    pub evaluator: &'a Evaluator<'a>,
    pub parameters: &'a [f64],
    limits: Limits<'a>,
    pub clocks: Clocks,
    pub raw: Option<RawCosts>,
    pub record: Option<Record>,
    closer: Closer,
    /// Processor-supersteps, and skipped steps, that are still allowed.
    steps_left: u64,
    skips_left: u64,
    looks: u64,
    pub stack: Vec<Frame>,
    /// Scopes of finished machines, for reuse.
    pub spare: Vec<Vec<f64>>,
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        evaluator: &'a Evaluator<'a>,
        parameters: &'a [f64],
        processors: usize,
        limits: &Limits<'a>,
    ) -> Result<Self, Problem> {
        let raw = raw_costs(prepared, parameters)?;
        let start = starts(prepared, evaluator, parameters, processors)?;
        let clocks = Clocks {
            obsp: start.clone(),
            bsp: start.clone(),
            raw: if raw.is_some() { start.clone() } else { Vec::new() },
            work: vec![0.0; processors],
            wait: vec![0.0; processors],
            comm: vec![0.0; processors],
            start,
        };
        let record =
            (limits.detail > Detail::None).then(|| Record::new(&clocks.start, limits.detail == Detail::Picture));
        let messages = limits.steps.saturating_mul(MESSAGES_PER_STEP);
        Ok(Engine {
            prepared,
            evaluator,
            parameters,
            limits: *limits,
            clocks,
            raw,
            record,
            closer: Closer::new(messages),
            steps_left: limits.steps,
            skips_left: messages,
            looks: 0,
            stack: Vec::new(),
            spare: Vec::new(),
        })
    }

    /// From the start to the end of what the machine starts.
    pub(super) fn run(&mut self) -> Result<(), Problem> {
        let main =
            self.main().map_err(|problem| Problem { message: format!("machine: {}", problem.message), ..*problem })?;
        self.stack.push(main);
        while let Some(mut frame) = self.stack.pop() {
            match self.advance(&mut frame) {
                Ok(Next::More) => self.stack.push(frame),
                Ok(Next::Group(group)) => {
                    self.stack.push(frame);
                    self.stack.push(*group);
                }
                Ok(Next::Done) => {
                    if let Some(record) = &mut self.record {
                        record.leave(&frame, &self.clocks);
                    }
                    self.spare.push(frame.values);
                }
                Err(problem) => return Err(self.in_context(&frame, *problem)),
            }
        }
        Ok(())
    }

    fn advance(&mut self, frame: &mut Frame) -> Result<Next, Box<Problem>> {
        let task = &self.prepared.tasks[frame.task];
        let Some(code) = task.steps.get(frame.step) else { return Ok(Next::Done) };
        if let (Some(pending), Some(call)) = (&mut frame.pending, &code.call) {
            let number = pending.next;
            if let Some(&end) = pending.ends.get(number) {
                pending.next += 1;
                let first = if number == 0 { 0 } else { pending.ends[number - 1] };
                let group = Group { number, count: pending.ends.len(), first, procs: end - first };
                return self.group(frame, call, &group).map(|group| Next::Group(Box::new(group)));
            }
            frame.pending = None;
            return self.finish(frame, true).map(|()| Next::More);
        }
        if !self.enter(frame)? {
            return Ok(Next::More);
        }
        match &code.call {
            Some(call) => {
                self.work(frame, &code.before)?;
                frame.pending = Some(Pending { ends: self.ends(frame, task, call)?, next: 0 });
            }
            None => self.finish(frame, false)?,
        }
        Ok(Next::More)
    }

    /// Begins the next superstep, unless the step is skipped.
    fn enter(&mut self, frame: &mut Frame) -> Result<bool, Box<Problem>> {
        self.look()?;
        let prepared = self.prepared;
        let task = &prepared.tasks[frame.task];
        let code = &task.steps[frame.step];
        let asks_each_time = code.condition.as_ref().is_some_and(|condition| condition.uses_it);
        let repeats = match frame.repeats {
            Some(repeats) => repeats,
            None => {
                frame.set_repetition(0);
                if !asks_each_time && !self.holds(frame, task, code.condition.as_ref())? {
                    return self.skip(frame, 0);
                }
                let repeats = match &code.repeat {
                    Some(cell) => self.count(frame, task, cell)?,
                    None => 1,
                };
                frame.repeats = Some(repeats);
                repeats
            }
        };
        if frame.repetition >= repeats {
            return self.skip(frame, 0);
        }
        frame.set_repetition(frame.repetition);
        if asks_each_time && !self.holds(frame, task, code.condition.as_ref())? {
            return self.skip(frame, repeats);
        }
        self.begin(frame)?;
        Ok(true)
    }

    /// Passes over a step, or over one repetition of it.
    fn skip(&mut self, frame: &mut Frame, repeats: u64) -> Result<bool, Box<Problem>> {
        self.skips_left = match self.skips_left.checked_sub(1) {
            Some(left) => left,
            None => return Err(self.too_long("steps are skipped")),
        };
        if frame.repetition + 1 < repeats {
            frame.repetition += 1;
        } else {
            frame.next_step();
        }
        Ok(false)
    }

    /// Counts a superstep.
    fn begin(&mut self, frame: &mut Frame) -> Result<(), Box<Problem>> {
        self.steps_left = match self.steps_left.checked_sub(frame.procs as u64) {
            Some(left) => left,
            None => return Err(self.too_long("processor-supersteps")),
        };
        frame.number += 1;
        let Some(record) = &mut self.record else { return Ok(()) };
        let used = self.limits.steps - self.steps_left;
        if used > MOST_DETAIL || !record.begin(frame) {
            let problem = Problem::new("too_much_detail", "too many supersteps to report each");
            let problem =
                problem.allowed(format!("at most {MOST_DETAIL} processor-supersteps, in paths that are not too deep"));
            return Err(Box::new(problem.hint("without --detail and --plot there is no such limit")));
        }
        Ok(())
    }

    /// Ends a superstep: the work after the groups, or all of it, and then who waits for whom.
    fn finish(&mut self, frame: &mut Frame, is_before_done: bool) -> Result<(), Box<Problem>> {
        let prepared = self.prepared;
        let code = &prepared.tasks[frame.task].steps[frame.step];
        if !is_before_done {
            self.work(frame, &code.before)?;
        }
        self.work(frame, &code.work)?;
        let task = &prepared.tasks[frame.task];
        let closing = Closing { evaluator: self.evaluator, task, code, raw: self.raw.as_ref() };
        self.closer.close(&closing, frame, &mut self.clocks, self.record.as_mut())?;
        frame.repetition += 1;
        if frame.repetition >= frame.repeats.unwrap_or(1) {
            frame.next_step();
        }
        Ok(())
    }

    /// Whether a condition holds for the machine.
    fn holds(&self, frame: &mut Frame, task: &TaskCode, cell: Option<&Cell>) -> Result<bool, Box<Problem>> {
        match cell {
            Some(cell) => Ok(self.evaluator.equal(task, cell, frame, 0..frame.procs)? != 0.0),
            None => Ok(true),
        }
    }

    /// How often a step is repeated.
    fn count(&self, frame: &mut Frame, task: &TaskCode, cell: &Cell) -> Result<u64, Box<Problem>> {
        let count = self.evaluator.equal(task, cell, frame, 0..frame.procs)?;
        if count >= 0.0 && count.fract() == 0.0 && count < 9e15 {
            return Ok(count as u64);
        }
        Err(self.evaluator.trouble(cell, count, &frame.values, "a whole number of 0 or more"))
    }

    fn look(&mut self) -> Result<(), Box<Problem>> {
        self.looks += 1;
        let is_raised = || self.limits.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
        if self.looks.is_multiple_of(PATIENCE) && is_raised() {
            return Err(Box::new(Problem::new("interrupted", "interrupted")));
        }
        Ok(())
    }

    fn too_long(&self, what: &str) -> Box<Problem> {
        let steps = self.limits.steps;
        let message = format!("more than {steps} {what}: the program may never end");
        let problem = Problem::new("too_long", message).at("--max-steps").value(steps.to_string());
        Box::new(problem.allowed("a limit that the program stays within").hint("--max-steps N allows more"))
    }

    /// The problem with task, step and superstep in front of it.
    fn in_context(&self, frame: &Frame, problem: Problem) -> Problem {
        if problem.code == "interrupted" {
            return problem;
        }
        let task = &self.prepared.tasks[frame.task];
        let name = task.steps.get(frame.step).and_then(|step| step.name.as_deref());
        let name = name.map_or(String::new(), |name| format!(" ({})", shorten(name, 40)));
        let path = frame::path(self.stack.iter().chain([frame]));
        let context = format!("task {}, step {}{name}, superstep {path}: ", task.name, frame.step + 1);
        Problem { message: format!("{context}{}", problem.message), ..problem }
    }
}
