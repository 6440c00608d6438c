//! Values of formulas for processors of a machine.

use super::super::Models;
use super::super::file::shown;
use super::super::prepare::{Cell, InputCode, ME, ModelCode, RANK, TaskCode, trouble};
use super::super::program::Source;
use super::frame::Frame;
use runcast_core::Problem;
use runcast_core::problem::shorten;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

/// Maximum number of cached predictions.
const MOST_KEPT: usize = 1 << 20;

/// Evaluates formulas; predictions of models are cached.
pub(super) struct Evaluator<'a> {
    source: &'a Source,
    models: &'a Models,
    kept: RefCell<HashMap<(usize, Vec<u64>), f64>>,
}

/// A formula for the processors of a machine: evaluated once if they cannot differ, and only on demand.
pub(super) struct Once<'c> {
    pub cell: &'c Cell,
    known: Option<f64>,
}

/// The scope of a machine.
pub(super) struct Machine<'v> {
    pub values: &'v mut [f64],
    pub first: usize,
}

impl<'c> Once<'c> {
    pub(super) fn new(cell: &'c Cell) -> Self {
        Once { cell, known: None }
    }
}

impl<'a> Evaluator<'a> {
    pub(super) fn new(source: &'a Source, models: &'a Models) -> Self {
        Evaluator { source, models, kept: RefCell::default() }
    }

    /// The value for the processor described by `values`; must be finite.
    pub(super) fn value(&self, task: &TaskCode, once: &mut Once<'_>, values: &mut [f64]) -> Result<f64, Box<Problem>> {
        if let Some(known) = once.known {
            return Ok(known);
        }
        let cell = once.cell;
        for &model in &cell.models {
            if let Some(Some(code)) = task.models.get(model) {
                values[code.slot] = self.prediction(cell, model, code, values)?;
            }
        }
        let value = cell.evaluate(values);
        if !value.is_finite() {
            return Err(self.trouble(cell, value, values, "a finite number"));
        }
        if !cell.is_own {
            once.known = Some(value);
        }
        Ok(value)
    }

    /// As [`value`](Self::value), of 0 or more.
    pub(super) fn at_least_zero(
        &self,
        task: &TaskCode,
        once: &mut Once<'_>,
        values: &mut [f64],
        allowed: &str,
    ) -> Result<f64, Box<Problem>> {
        let value = self.value(task, once, values)?;
        // No negative zero.
        if value >= 0.0 { Ok(value + 0.0) } else { Err(self.trouble(once.cell, value, values, allowed)) }
    }

    /// The value that all processors of a machine must agree on.
    pub(super) fn equal(
        &self,
        task: &TaskCode,
        cell: &Cell,
        frame: &mut Frame,
        range: Range<usize>,
    ) -> Result<f64, Box<Problem>> {
        let first = frame.first;
        self.equal_in(task, cell, Machine { values: &mut frame.values, first }, range)
    }

    /// The value that these processors of a machine must agree on.
    pub(super) fn equal_in(
        &self,
        task: &TaskCode,
        cell: &Cell,
        machine: Machine<'_>,
        range: Range<usize>,
    ) -> Result<f64, Box<Problem>> {
        let Machine { values, first } = machine;
        let begin = range.start;
        let mut agreed = None;
        for me in range {
            (values[ME], values[RANK]) = (me as f64, (first + me) as f64);
            let value = self.value(task, &mut Once::new(cell), values)?;
            match agreed {
                Some(agreed) if agreed != value => {
                    let mut problem =
                        self.trouble(cell, value, values, "the same value for all processors of the machine or group");
                    let told = std::mem::take(&mut problem.message);
                    problem.message = format!("{told}, but for processor {begin} it is {}", shown(agreed));
                    problem.code = "not_equal".to_owned();
                    return Err(problem);
                }
                _ => agreed = Some(value),
            }
            if !cell.is_own {
                break;
            }
        }
        Ok(agreed.unwrap_or(0.0))
    }

    /// The problem of a value, with its processor. Its position is that of the formula.
    pub(super) fn trouble(&self, cell: &Cell, seen: f64, values: &[f64], allowed: &str) -> Box<Problem> {
        let mut problem = trouble(cell, seen, values, allowed);
        problem.message = format!("{}: {}", processor(values), problem.message);
        Box::new(cell.value.place.locate(self.source, problem))
    }

    /// The problem of a time that overflows.
    pub(super) fn too_large(&self, cell: Option<&Cell>, values: &[f64]) -> Box<Problem> {
        let message = format!("{}: the time is too large to compute with", processor(values));
        let problem = Problem::new("out_of_range", message).allowed("times below 1.8e308 s");
        Box::new(match cell {
            Some(cell) => cell.value.place.locate(self.source, problem),
            None => problem,
        })
    }

    fn prediction(&self, cell: &Cell, index: usize, code: &ModelCode, values: &mut [f64]) -> Result<f64, Box<Problem>> {
        let Some((name, model)) = self.models.get_index(index) else {
            return Err(Box::new(Problem::new("internal", "a model that is not there")));
        };
        let mut at = Vec::with_capacity(code.inputs.len());
        for input in &code.inputs {
            at.push(match input {
                InputCode::Slot(slot) => values[*slot],
                InputCode::Cell(cell) => cell.evaluate(values) + 0.0,
            });
        }
        let key = (index, at.iter().map(|value| value.to_bits()).collect::<Vec<u64>>());
        if let Some(known) = self.kept.borrow().get(&key) {
            return Ok(*known);
        }
        let answer = match at.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(format!("an input is {}", shown(*value))),
            None => model.predict(&at),
        };
        match answer {
            Ok(value) if value.is_finite() => {
                let mut kept = self.kept.borrow_mut();
                if kept.len() < MOST_KEPT {
                    kept.insert(key, value);
                }
                Ok(value)
            }
            answer => {
                let reason = answer.err().unwrap_or_else(|| "its value is not finite".to_owned());
                let at: Vec<String> = model
                    .parameters()
                    .iter()
                    .zip(&at)
                    .map(|(name, value)| format!("{name} = {}", shown(*value)))
                    .collect();
                let message = format!(
                    "{}: the model {name} in \"{}\" has no prediction at {}: {reason}",
                    processor(values),
                    shorten(&cell.value.text(), 60),
                    at.join(", ")
                );
                let problem = Problem::new("refused", message).value(at.join(", "));
                Err(Box::new(cell.value.place.locate(self.source, problem)))
            }
        }
    }
}

/// `processor 1 of 4 (rank 5)`
pub(super) fn processor(values: &[f64]) -> String {
    let (me, rank) = (values[ME], values[RANK]);
    if me == rank { format!("processor {me}") } else { format!("processor {me} (rank {rank})") }
}
