//! A machine that executes its task.

use super::super::prepare::IT;
use super::record::NONE;

/// A machine that executes its task.
#[derive(Debug)]
pub(in super::super) struct Frame {
    pub task: usize,
    /// Its first processor, in the whole.
    pub first: usize,
    pub procs: usize,
    pub depth: u32,
    /// Its number among the groups of the superstep that it runs in.
    pub group: usize,
    /// Predefined names, arguments, parameters, models.
    pub values: Vec<f64>,
    /// The current or next step.
    pub step: usize,
    /// Repetitions so far.
    pub repetition: u64,
    /// Repetitions in total; none before they are known.
    pub repeats: Option<u64>,
    /// Supersteps begun so far.
    pub number: u64,
    /// Groups that are still to run.
    pub pending: Option<Pending>,
    /// The records of the superstep that it runs in, of the current one, and of its own span.
    pub outer: u32,
    pub record: u32,
    pub span: u32,
}

/// Groups of a superstep.
#[derive(Debug)]
pub(in super::super) struct Pending {
    /// Cumulative.
    pub ends: Vec<usize>,
    pub next: usize,
}

impl Frame {
    pub(super) fn new(task: usize, first: usize, procs: usize, depth: u32, values: Vec<f64>) -> Self {
        Frame {
            task,
            first,
            procs,
            depth,
            group: 0,
            values,
            step: 0,
            repetition: 0,
            repeats: None,
            number: 0,
            pending: None,
            outer: NONE,
            record: NONE,
            span: NONE,
        }
    }

    pub(super) fn set_repetition(&mut self, repetition: u64) {
        self.values[IT] = repetition as f64;
    }

    pub(super) fn next_step(&mut self) {
        (self.step, self.repetition, self.repeats) = (self.step + 1, 0, None);
    }

    /// The processors, in the whole.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.procs
    }
}

/// `1:0/2`: superstep 2 of group 0 in superstep 1; of the machines from the outermost to the innermost.
pub(super) fn path<'f>(frames: impl Iterator<Item = &'f Frame>) -> String {
    let mut path = String::new();
    for (index, frame) in frames.enumerate() {
        if index > 0 {
            path.push_str(&format!(":{}/", frame.group));
        }
        // Before its first superstep a machine is about to begin it.
        path.push_str(&frame.number.max(1).to_string());
    }
    match path.char_indices().nth(120) {
        Some((cut, _)) => format!("{}...", &path[..cut]),
        None => path,
    }
}
