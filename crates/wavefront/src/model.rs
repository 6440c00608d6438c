//! What a wavefront model is: processes, links, the laws of their times, and what is to be reached.
//!
//! Every time is an integer number of **ticks** of the lattice step. In a phase, process i makes A_i updates (subphase
//! alpha), broadcasts its piece, and waits for the pieces of all others; while it waits (subphase beta) it may make up
//! to B_i further updates. With Y_i the end of alpha and n_{j->i} the time of the message from j to i,
//!
//! ```text
//! W_i = max over j != i of (Y_j + n_{j->i})      the last message has arrived
//! T_i' = max(Y_i, W_i)                           the next phase starts (semantics "abort"; \[C\] Eq. 6, 7)
//! X_i' = T_i' - T_1'                             the wavefront, X_1 = 0
//! ```

pub(crate) mod binning;
mod degree;
mod distribution;
mod faster;
mod file;
pub mod law;
pub mod operator;
mod overrides;
mod read;
#[cfg(test)]
mod tests;

pub use degree::Degree;
pub use faster::Part;
pub use law::Law;
pub use operator::Operator;
pub use overrides::{Overrides, updates_of};
pub use read::{Read, Work, read};

use crate::level::Level;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A model, checked: what the solver, the simulation and the real run take.
#[derive(Debug, Clone)]
pub struct Model {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Seconds of a tick.
    pub step_s: f64,
    /// Process 1, the reference clock, comes first.
    pub processes: Vec<Process>,
    /// What happens to an update that the last message overtakes.
    pub semantics: Semantics,
    /// Whether an update that ends with the last message counts.
    pub tie: Tie,
    /// Start offsets against process 1, in ticks; the first is 0.
    pub start: Vec<i64>,
    /// The laws of all times, mode by mode; most models have one mode.
    pub modes: Modes,
    /// Wanted accuracy: decimal digits by which the error is to fall.
    pub omega: f64,
    /// What is known about the operator.
    pub contraction: Contraction,
    /// A slowdown that the processes share.
    pub level: Option<Level>,
    /// How many times the spread of a run is that of independent times; 1 where nothing else is known.
    pub sigma_factor: f64,
    /// How well it is known that the times of the samples are those of a run: the standard deviation of a logarithm that all
    /// times of a run have in common.
    pub pilot_log_sd: f64,
    /// Whether the laws contain the time of sending, so that other degrees than A = 1, B = 0 mean nothing.
    pub has_sends: bool,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub name: String,
    /// A: updates in subphase alpha, before it broadcasts; at least 1.
    pub alpha_updates: u32,
    /// B: the most updates in subphase beta, while it waits.
    pub beta_updates: u32,
}

/// What happens to an update that the last message overtakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Semantics {
    /// It is thrown away
    ///
    /// Beta ends when the last message arrives (\[C\] Eq. 7).
    #[default]
    Abort,
    /// It is finished and counts
    ///
    /// The phase ends with it. What plain message-passing code does.
    Complete,
}

runcast_core::words!(Semantics::name: Abort = "abort", Complete = "complete");

/// Whether an update that ends exactly when the last message arrives counts (under [`Semantics::Abort`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tie {
    /// It counts
    #[default]
    Counts,
    /// It does not
    Discards,
}

runcast_core::words!(Tie::name: Counts = "counts", Discards = "discards");

impl Tie {
    /// The other rule.
    #[must_use]
    pub fn other(self) -> Tie {
        match self {
            Tie::Counts => Tie::Discards,
            Tie::Discards => Tie::Counts,
        }
    }
}

/// Laws that change from phase to phase by a Markov chain of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    /// Their names; of a model without modes there is one, without a name.
    pub names: Vec<String>,
    /// Q: the probability of the next phase's mode (column) given this phase's (row).
    pub transition: Vec<Vec<f64>>,
    /// The law of the first phase's mode.
    pub start: Vec<f64>,
    /// The laws in force, one entry a mode.
    pub laws: Vec<Laws>,
}

/// The laws of one mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Laws {
    /// Of ONE update of each process; at least 1 tick.
    pub update: Vec<Arc<Law>>,
    /// Of a message, by sender, then receiver. On the diagonal is how long after alpha a process itself can go on at the
    /// earliest: the constant 0, unless it sends for a while.
    pub message: Vec<Vec<Arc<Law>>>,
}

/// What is known about the operator of the iteration.
#[derive(Debug, Clone)]
pub enum Contraction {
    /// Nothing: there are no rates.
    Unknown,
    /// The spectral radius rho(A) of its bound, between 0 and 1.
    Rho(f64),
    /// The operator itself.
    Operator(Arc<Operator>),
}

impl Modes {
    /// The only mode there is.
    pub fn single(laws: Laws) -> Modes {
        Modes { names: vec![String::new()], transition: vec![vec![1.0]], start: vec![1.0], laws: vec![laws] }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.laws.len()
    }
}

impl Laws {
    /// Every link has the law `message`.
    pub fn with_one_network(update: Vec<Law>, message: Law) -> Laws {
        let (processes, message, own) = (update.len(), Arc::new(message), Arc::new(Law::constant(0)));
        let row = |from: usize| (0..processes).map(|to| Arc::clone(if from == to { &own } else { &message })).collect();
        Laws { update: update.into_iter().map(Arc::new).collect(), message: (0..processes).map(row).collect() }
    }
}

impl Model {
    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.processes.len()
    }

    /// All laws of messages between different processes, in all modes, and of what a process sends for itself.
    pub fn messages(&self) -> impl Iterator<Item = &Arc<Law>> {
        let has_sends = self.has_sends;
        self.modes.laws.iter().flat_map(move |laws| {
            laws.message.iter().enumerate().flat_map(move |(from, row)| {
                let counts = move |(to, law): &(usize, &Arc<Law>)| from != *to || has_sends && law.most() > 0;
                row.iter().enumerate().filter(counts).map(|(_, law)| law)
            })
        })
    }

    /// Whether a process goes on later than its first message leaves: the methods that are made for networks do not know that.
    pub fn sends_on(&self) -> bool {
        let mut laws = self.modes.laws.iter();
        self.has_sends && laws.any(|laws| laws.message.iter().enumerate().any(|(process, row)| row[process].most() > 0))
    }

    /// Ticks of the longest message.
    pub fn longest_message(&self) -> u64 {
        self.messages().map(|law| law.most()).max().unwrap_or(0)
    }

    /// Ticks of the longest update that can be in progress when the last message arrives and is still finished; 0 where
    /// none is.
    pub fn longest_finished(&self) -> u64 {
        let is_finished = |process: &Process| process.beta_updates > 0 && self.semantics == Semantics::Complete;
        let updates = self.modes.laws.iter().flat_map(|laws| self.processes.iter().zip(&laws.update));
        updates.filter(|(process, _)| is_finished(process)).map(|(_, law)| law.most()).max().unwrap_or(0)
    }

    /// L = -log10 rho(A): digits gained by one application of the operator; none where rho is unknown or not below 1.
    pub fn digits_per_application(&self) -> Option<f64> {
        match &self.contraction {
            Contraction::Unknown => None,
            Contraction::Rho(rho) => Some(-rho.log10()),
            Contraction::Operator(operator) => operator.digits_per_application(),
        }
    }

    /// The same with other numbers of updates: one (A, B) a process.
    #[must_use]
    pub fn with_updates(&self, updates: &[(u32, u32)]) -> Model {
        let mut model = self.clone();
        for (process, (alpha, beta)) in model.processes.iter_mut().zip(updates) {
            process.alpha_updates = *alpha;
            process.beta_updates = *beta;
        }
        model
    }
}
