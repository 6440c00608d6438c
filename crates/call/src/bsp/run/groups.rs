//! Groups of a machine: their ends and their initial state: (5), (6).

use super::super::prepare::{CallCode, GROUP, GROUPS, TargetCode, TaskCode};
use super::engine::Engine;
use super::frame::Frame;
use super::scope::Machine;
use super::setup::top_values;
use runcast_core::Problem;

/// Tasks inside tasks.
const DEEPEST: usize = 5_000;

/// A group of a machine.
pub(super) struct Group {
    pub number: usize,
    /// How many groups there are.
    pub count: usize,
    /// Its first processor, in the machine.
    pub first: usize,
    pub procs: usize,
}

impl Engine<'_> {
    /// The ends of the groups of a machine.
    pub(super) fn ends(&self, frame: &mut Frame, task: &TaskCode, call: &CallCode) -> Result<Vec<usize>, Box<Problem>> {
        let Some(partition) = &call.partition else { return Ok(vec![frame.procs]) };
        let mut ends = Vec::with_capacity(partition.len());
        let mut before = 0.0;
        for (index, cell) in partition.iter().enumerate() {
            let end = self.evaluator.equal(task, cell, frame, 0..frame.procs)?;
            let is_last = index + 1 == partition.len();
            let procs = frame.procs as f64;
            if !(end > before && end <= procs && end.fract() == 0.0 && (!is_last || end == procs)) {
                let allowed = if is_last {
                    format!("{procs}, since the last group ends with the machine")
                } else {
                    format!("ascending whole numbers, from {} to {}", before + 1.0, procs - 1.0)
                };
                let mut problem = self.evaluator.trouble(cell, end, &frame.values, &allowed);
                problem.message = format!("the end of group {index}: {}", problem.message);
                return Err(problem);
            }
            ends.push(end as usize);
            before = end;
        }
        Ok(ends)
    }

    /// The whole machine, about to start.
    pub(super) fn main(&mut self) -> Result<Frame, Box<Problem>> {
        let procs = self.clocks.start.len();
        let group = Group { number: 0, count: 1, first: 0, procs };
        let mut values = top_values(self.prepared, self.parameters, procs);
        let (call, top) = (&self.prepared.main, &self.prepared.top);
        let target = call.target(group.number)?;
        let args = self.arguments(top, call, target, &group, Machine { values: &mut values, first: 0 })?;
        Ok(Frame::new(target.task, 0, procs, 0, self.scope(&group, 0, args)))
    }

    /// A group of the current superstep, about to start its task.
    pub(super) fn group(&mut self, frame: &mut Frame, call: &CallCode, group: &Group) -> Result<Frame, Box<Problem>> {
        let task = &self.prepared.tasks[frame.task];
        if self.stack.len() >= DEEPEST {
            let message = format!("tasks inside tasks, {DEEPEST} deep: the task {} does not end", task.name);
            let problem = Problem::new("too_deep", message);
            return Err(Box::new(problem.hint("a step that calls its own task needs an if")));
        }
        let target = call.target(group.number)?;
        let machine = Machine { values: &mut frame.values, first: frame.first };
        let args = self.arguments(task, call, target, group, machine)?;
        let (first, depth) = (frame.first + group.first, frame.depth + 1);
        let mut inner = Frame::new(target.task, first, group.procs, depth, self.scope(group, depth, args));
        (inner.group, inner.outer) = (group.number, frame.record);
        if let Some(record) = &mut self.record {
            record.join(&mut inner, &self.clocks);
        }
        Ok(inner)
    }

    /// The arguments of the group's task, in its order; they see the group.
    fn arguments(
        &self,
        task: &TaskCode,
        call: &CallCode,
        target: &TargetCode,
        group: &Group,
        machine: Machine<'_>,
    ) -> Result<Vec<f64>, Box<Problem>> {
        let Machine { values, first } = machine;
        let own = [values[GROUP], values[GROUPS]];
        [values[GROUP], values[GROUPS]] = [group.number as f64, group.count as f64];
        let fallback = &self.prepared.tasks[target.task].fallback;
        let args = target.passed.iter().zip(fallback).map(|(passed, fallback)| {
            let given = passed.and_then(|index| call.args.get(index));
            match (given, fallback) {
                (Some(cell), _) => {
                    let machine = Machine { values: &mut *values, first };
                    self.evaluator.equal_in(task, cell, machine, group.first..group.first + group.procs)
                }
                (None, Some(parameter)) => Ok(self.parameters[*parameter]),
                // It is never used: the check of arguments ensures that.
                (None, None) => Ok(0.0),
            }
        });
        let args = args.collect();
        [values[GROUP], values[GROUPS]] = own;
        args
    }

    /// The values of a group's scope, in the order that its formulas are compiled for.
    fn scope(&mut self, group: &Group, depth: u32, args: Vec<f64>) -> Vec<f64> {
        let mut values = self.spare.pop().unwrap_or_default();
        values.clear();
        values.extend([0.0, group.procs as f64, 0.0, f64::from(depth), 0.0, group.number as f64, group.count as f64]);
        values.extend(args);
        values.extend_from_slice(self.parameters);
        values.resize(values.len() + self.prepared.program.models.len(), 0.0);
        values
    }
}

impl CallCode {
    /// What a group runs.
    fn target(&self, group: usize) -> Result<&TargetCode, Box<Problem>> {
        let target = self.targets.get(group).or(self.targets.first());
        target.ok_or_else(|| Box::new(Problem::new("internal", "a call of nothing")))
    }
}
