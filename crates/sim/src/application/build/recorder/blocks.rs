//! Computing blocks, and what devices do: at once, or beside the process.

use super::{Outcome, Recorder, at_most_2_53, bad_number, not_negative, same_text};
use crate::application::{Block, DeviceCopy, Op, Precision, Task};
use crate::build::arguments::{Compute, CopyCall, Request};
use crate::build::requests::Made;
use runcast_core::Problem;
use runcast_core::hash::hash_of;
use runcast_formula::Formula;

impl Recorder {
    /// Number of a computing block of the label that is being recorded.
    pub(super) fn block(&mut self, compute: &Compute<'_>) -> Outcome<u32> {
        self.block_of(self.own.label, compute)
    }

    /// Number of a computing block of a label.
    pub(super) fn block_of(&mut self, label: u32, compute: &Compute<'_>) -> Outcome<u32> {
        let ops = match compute.ops {
            Some(ops) => ops,
            None if compute.complexity == "d" => compute.size,
            None => self.complexity(compute.complexity, compute.size)?,
        };
        let time_s = compute.time_s;
        let working_set = compute.stencil.map_or(compute.working_set, |stencil| stencil.working_set());
        for (what, value) in [
            ("size", compute.size),
            ("ops", ops),
            ("bytes", compute.bytes),
            ("time", time_s.unwrap_or(0.0)),
            ("working_set", working_set),
        ] {
            not_negative(what, value)?;
        }
        if let Some(stencil) = &compute.stencil {
            for (what, value) in [
                ("cells", stencil.cells),
                ("radius", stencil.radius),
                ("reads", stencil.reads),
                ("writes", stencil.writes),
                ("element", stencil.element),
            ] {
                not_negative(what, value)?;
            }
        }
        if !(compute.threads > 0.0 && compute.threads.is_finite()) {
            return Err(bad_number("threads", compute.threads, "a number above 0"));
        }
        if let Some(occupancy) = compute.occupancy
            && !(occupancy > 0.0 && occupancy <= 1.0)
        {
            return Err(bad_number("occupancy", occupancy, "a number above 0, at most 1"));
        }
        if Precision::named(compute.op).is_none() {
            return Err(Problem::new("unknown_op", format!("`op` is `{}`", compute.op))
                .value(compute.op)
                .allowed(Precision::ALL.map(|(_, word, ..)| word).join(", ")));
        }
        let state = match self.app.labels.get(label as usize) {
            Some(label) if compute.state.is_empty() => label.state.as_str(),
            _ => compute.state,
        };
        let or_none = |value: Option<f64>| value.unwrap_or(-1.0);
        let (time, occupancy) = (or_none(time_s), or_none(compute.occupancy));
        let numbers = [compute.size, ops, compute.bytes, compute.threads, time, working_set, occupancy];
        let numbers = numbers.map(f64::to_bits);
        let grid = compute.stencil.map(|stencil| stencil.numbers().map(f64::to_bits));
        let words = (compute.op, compute.stack, compute.opt, compute.device, state);
        let hash = hash_of(&(numbers, grid, compute.kind, words, compute.stream));
        let same = |old: &Block| {
            same_text(&old.kind, compute.kind)
                && [
                    old.size,
                    old.ops,
                    old.bytes,
                    old.threads,
                    or_none(old.time_s),
                    old.working_set,
                    or_none(old.occupancy),
                ]
                .map(f64::to_bits)
                    == numbers
                && old.stream == compute.stream
                && old.stencil.as_deref().copied() == compute.stencil
                && same_text(&old.op, compute.op)
                && same_text(&old.stack, compute.stack)
                && same_text(&old.opt, compute.opt)
                && same_text(&old.device, compute.device)
                && same_text(&old.state, state)
        };
        let texts = compute.kind.len() + compute.stack.len() + compute.opt.len() + compute.device.len() + state.len();
        let (block, new) = self.blocks.intern(&mut self.app.blocks, hash, same, || Block {
            size: compute.size,
            ops,
            bytes: compute.bytes,
            threads: compute.threads,
            kind: compute.kind.to_owned(),
            op: compute.op.to_owned(),
            stack: compute.stack.to_owned(),
            opt: compute.opt.to_owned(),
            device: compute.device.to_owned(),
            state: state.to_owned(),
            stream: compute.stream,
            occupancy: compute.occupancy,
            time_s,
            working_set,
            stencil: compute.stencil.map(Box::new),
        });
        if new {
            self.charge(size_of::<Block>() + 48 + texts)?;
        }
        Ok(block)
    }

    fn complexity(&mut self, text: &str, size: f64) -> Outcome<f64> {
        if !self.formulas.contains_key(text) {
            let formula = Formula::parse(text).map_err(|error| {
                let problem =
                    Problem::new("bad_formula", format!("`complexity` is not a formula: {error}")).value(text);
                match error.hint() {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                }
            })?;
            self.charge(1_000 + 20 * text.len())?;
            self.formulas.insert(text.to_owned(), formula);
        }
        let formula = &self.formulas[text];
        let value = formula.evaluate(|name| match name {
            "d" => Some(size),
            _ => self.app.parameters.iter().find(|one| one.name == name).map(|one| one.value),
        });
        value.map_err(|error| {
            Problem::new("bad_formula", format!("`complexity` = `{text}`: {error}"))
                .hint("it may name `d` (the size) and parameters of the application")
        })
    }

    pub(crate) fn compute(&mut self, compute: &Compute<'_>) -> Outcome<()> {
        let block = self.block(compute)?;
        self.push(Op::Compute(block))
    }

    /// A block that a device computes while the process goes on.
    pub(crate) fn launch(&mut self, compute: &Compute<'_>) -> Outcome<Request> {
        let block = self.block(compute)?;
        self.begin_task(Task::Block(block))
    }

    fn begin_task(&mut self, task: Task) -> Outcome<Request> {
        let request = self.request(Made::Task)?;
        self.push(Op::Launch { task, request: request.number })?;
        Ok(request)
    }

    pub(super) fn name(&mut self, name: &str) -> Outcome<u32> {
        let (number, new) =
            self.names.intern(&mut self.app.names, hash_of(name), |old| old == name, || name.to_owned());
        if new {
            self.charge(64 + name.len())?;
        }
        Ok(number)
    }

    /// To or from a device.
    pub(crate) fn copy(&mut self, copy: &CopyCall<'_>) -> Outcome<()> {
        let copy = self.device_copy(copy)?;
        self.push(Op::Copy(copy))
    }

    /// The same, while the process goes on.
    pub(crate) fn launch_copy(&mut self, copy: &CopyCall<'_>) -> Outcome<Request> {
        let copy = self.device_copy(copy)?;
        self.begin_task(Task::Copy(copy))
    }

    fn device_copy(&mut self, call: &CopyCall<'_>) -> Outcome<u32> {
        let &CopyCall { direction, stream, .. } = call;
        let made = DeviceCopy { device: self.name(call.device)?, direction, size: at_most_2_53(call.size)?, stream };
        let (copy, new) = self.copies.intern(&mut self.app.copies, hash_of(&made), |old| *old == made, || made);
        if new {
            self.charge(size_of::<DeviceCopy>() + 32)?;
        }
        Ok(copy)
    }
}
