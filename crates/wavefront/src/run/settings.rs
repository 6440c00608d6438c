//! How a run is to be made.

use super::error::RunError;
use super::fixed_point::FixedPoint;
use crate::model::{Model, Semantics};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Updates and messages of a process and run that are recorded at most; of phases all are.
pub const ROWS_MOST: usize = 1_000_000;

/// How a run is to be made.
#[derive(Clone)]
pub struct Settings {
    /// A and B of each process.
    pub updates: Vec<(u32, u32)>,
    /// Number of phases of each process.
    pub phases: u64,
    /// Treatment of an update that the last message overtakes.
    pub semantics: Semantics,
    /// The source of the times.
    pub pace: Pace,
    /// Rows of updates and messages that each process keeps at most.
    pub rows_most: usize,
    /// Raised from outside to stop all processes at the end of the same phase.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Called by process 1 after each phase with its number, from 1.
    pub on_phase: Option<Arc<dyn Fn(u64) + Send + Sync>>,
}

/// The source of the times of a run.
#[derive(Debug, Clone)]
pub enum Pace {
    /// From the work; each update makes this many operations more, as
    /// [`Busy::calibrate`](crate::sample::work::Busy::calibrate) counts them.
    Work(u64),
    /// From the laws of a model: updates sleep, messages are delivered at a stamped time.
    Emulated {
        /// The laws, the lattice step and the start.
        model: Arc<Model>,
        /// Seed of the draws.
        seed: u64,
        /// Runs with other numbers draw other times.
        run: u64,
    },
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            updates: Vec::new(),
            phases: 100,
            semantics: Semantics::Abort,
            pace: Pace::Work(0),
            rows_most: ROWS_MOST,
            interrupt: None,
            on_phase: None,
        }
    }
}

impl Settings {
    /// Settings that make the model come true.
    pub fn emulating(model: &Arc<Model>, seed: u64, run: u64) -> Self {
        Settings {
            updates: model.processes.iter().map(|process| (process.alpha_updates, process.beta_updates)).collect(),
            semantics: model.semantics,
            pace: Pace::Emulated { model: Arc::clone(model), seed, run },
            ..Settings::default()
        }
    }

    /// The pieces of an operator, one a process.
    ///
    /// # Errors
    /// They do not cover the vector once, or are not as many as the processes.
    pub(super) fn pieces(&self, operator: &dyn FixedPoint) -> Result<Vec<Vec<usize>>, RunError> {
        let pieces = operator.pieces();
        if pieces.len() != self.updates.len() {
            return Err(RunError::Processes { pieces: pieces.len(), processes: self.updates.len() });
        }
        let mut seen = vec![false; operator.dimension()];
        for index in pieces.iter().flatten() {
            match seen.get_mut(*index) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return Err(RunError::Pieces(format!("index {index} is in two pieces"))),
                None => {
                    return Err(RunError::Pieces(format!("index {index} is beyond the {} of the vector", seen.len())));
                }
            }
        }
        match seen.iter().position(|seen| !seen) {
            Some(index) => Err(RunError::Pieces(format!("index {index} is in no piece"))),
            None => Ok(pieces),
        }
    }
}
