//! The state that the calls of a script work on.

use super::{Limits, Value};
use crate::application::{Counts, Wanted};
use crate::build::recorder::Recorder;
use crate::build::{Cart, Comm};
use crate::job::Received;
use runcast_core::Problem;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

/// Activity of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Its own lines run: labels and parameters are declared.
    Top,
    /// A process is recorded.
    Recording,
    /// A process is run alongside simulated time.
    Live,
}

/// The value that a live process gets when it resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expects {
    /// Nothing: it yields after much work.
    Nothing,
    /// The message that it received.
    Message,
    Now,
    /// Which of several requests are complete.
    Completed(Wanted),
}

/// The function that processes of a label run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// A reference in the virtual machine.
    pub function: i32,
    /// Whether it names a parameter.
    pub ranked: bool,
}

/// State of a script.
pub(super) struct Host {
    pub recorder: Recorder,
    pub mode: Mode,
    pub runs: Vec<Run>,
    pub given: BTreeMap<String, Value>,
    pub asked: BTreeSet<String>,
    /// Names of labels in `proc(..)`.
    pub names: Vec<String>,
    names_known: HashMap<String, u32>,
    /// Numbers of the names of labels, by label.
    label_names: Vec<u32>,
    pub carts: Vec<Cart>,
    pub comms: Vec<Comm>,
    /// Bytes of members that a function of the script gave.
    pub counts: Vec<Arc<Counts>>,
    /// The problem of the last of our functions that failed, and the text that it raised.
    pub fault: Option<(Problem, String)>,
    /// Whether the process read a message or the clock.
    pub needs_live: bool,
    pub expects: Expects,
    pub now_s: f64,
    pub received: Option<Received>,
    /// Which of several requests were complete, by their places in the set.
    pub completed: Vec<u32>,
    /// Reference of the placeholder for a message that has not been received yet.
    pub message: i32,
    /// Line at which the script was last seen.
    pub last_line: u32,
    pub budget: Budget,
}

/// The remaining budget.
pub(super) struct Budget {
    pub steps: i64,
    /// Current cost of a step: more during a pattern search.
    pub cost: i64,
    /// Steps until the clock is read.
    look: i64,
    end: Option<Instant>,
    limits: Limits,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        let end = (limits.seconds.is_finite() && limits.seconds >= 0.0 && limits.seconds < 1e9)
            .then(|| Instant::now() + std::time::Duration::from_secs_f64(limits.seconds));
        Budget { steps: limits.steps.min(i64::MAX as u64) as i64, cost: 1, look: LOOK, end, limits: limits.clone() }
    }

    /// Takes steps; returns whether there were enough.
    #[inline]
    pub(super) fn take(&mut self, steps: i64) -> bool {
        self.steps = self.steps.saturating_sub(steps);
        self.steps >= 0
    }

    /// Whether the next step also reads the clock.
    #[inline]
    pub(super) fn looks(&self) -> bool {
        self.look <= 1
    }

    /// A call or a loop iteration: whether it may continue.
    #[inline]
    pub(super) fn step(&mut self) -> bool {
        self.steps -= self.cost;
        self.look -= 1;
        if self.look > 0 { self.steps >= 0 } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> bool {
        self.look = LOOK;
        if self.steps < 0 {
            self.look = 1;
            return false;
        }
        if self.end.is_some_and(|end| Instant::now() > end) || self.limits.monitor.check().is_err() {
            self.look = 1;
            return false;
        }
        true
    }

    /// The error when none is left.
    pub(super) fn spent(&self) -> Problem {
        if let Err(interrupted) = self.limits.monitor.check() {
            interrupted
        } else if self.steps < 0 {
            Problem::new(
                "script_steps",
                format!("the script takes more than {} steps (calls and loop iterations)", self.limits.steps),
            )
            .hint("is there an endless loop? If not, raise --script-steps")
        } else {
            Problem::new("script_time", format!("the script takes longer than {} s", self.limits.seconds))
                .hint("is there an endless loop?")
        }
    }
}

/// Steps between two checks of the clock.
const LOOK: i64 = 256;

impl Host {
    pub(super) fn new(recorder: Recorder, given: BTreeMap<String, Value>, limits: &Limits) -> Self {
        Host {
            recorder,
            mode: Mode::Top,
            runs: Vec::new(),
            given,
            asked: BTreeSet::new(),
            names: Vec::new(),
            names_known: HashMap::new(),
            label_names: Vec::new(),
            carts: Vec::new(),
            comms: Vec::new(),
            counts: Vec::new(),
            fault: None,
            needs_live: false,
            expects: Expects::Nothing,
            now_s: 0.0,
            received: None,
            completed: Vec::new(),
            message: 0,
            last_line: 0,
            budget: Budget::new(limits),
        }
    }

    /// Number of a name.
    pub(super) fn name(&mut self, name: &str) -> Result<u32, Problem> {
        if let Some(known) = self.names_known.get(name) {
            return Ok(*known);
        }
        self.recorder.charge(100 + 2 * name.len())?;
        let number = self.names.len() as u32;
        if number >= 1 << 16 {
            return Err(Problem::new("too_many_names", "proc(..) names more than 65,536 labels"));
        }
        self.names.push(name.to_owned());
        self.names_known.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Rank of a process, if it is one of the own label.
    pub(super) fn own_rank(&self, process: u64) -> Option<u64> {
        let own = self.recorder.own;
        process.checked_sub(own.first).filter(|rank| *rank < own.count)
    }

    /// Label and rank of a process, as `proc(..)` gives them.
    pub(super) fn proc_of(&mut self, process: u64) -> Result<(u32, u64), Problem> {
        let number = self.recorder.app.label_of(process);
        let label = &self.recorder.app.labels[number];
        let rank = process - label.first;
        if let Some(known) = self.label_names.get(number)
            && self.names.get(*known as usize) == Some(&label.name)
        {
            return Ok((*known, rank));
        }
        let name = label.name.clone();
        let known = self.name(&name)?;
        self.label_names.resize(self.label_names.len().max(number + 1), u32::MAX);
        self.label_names[number] = known;
        Ok((known, rank))
    }

    /// Number of a grid; equal ones are one.
    pub(super) fn cart(&mut self, cart: Cart) -> Result<u32, Problem> {
        // Scripts make few, and usually look up the last one.
        let recent = self.carts.len().saturating_sub(64);
        if let Some(found) = self.carts[recent..].iter().rposition(|old| *old == cart) {
            return Ok((recent + found) as u32);
        }
        self.recorder.charge(256)?;
        self.carts.push(cart);
        Ok(self.carts.len() as u32 - 1)
    }

    /// Number of a comm; equal ones are one.
    pub(super) fn comm(&mut self, comm: Comm) -> Result<u32, Problem> {
        let recent = self.comms.len().saturating_sub(64);
        if let Some(found) = self.comms[recent..].iter().rposition(|old| *old == comm) {
            return Ok((recent + found) as u32);
        }
        self.recorder.charge(96 + 8 * comm.members.len())?;
        self.comms.push(comm);
        Ok(self.comms.len() as u32 - 1)
    }
}

/// A problem in the file of the script, unless it names a file.
pub(super) fn in_file(problem: Problem, file: &str) -> Problem {
    if problem.file.is_some() { problem } else { problem.in_file(file) }
}
