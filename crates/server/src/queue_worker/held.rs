//! The tasks that a worker has, and what becomes of them.

use crate::task::Stop;
use runcast_store::queue::{Held, Verdict};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The fate of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Turn {
    /// It goes on to its end.
    GoesOn,
    /// A user wants the job to end.
    Cancelled,
    /// The worker ends: another one may have the task.
    GivenBack,
    /// It belongs to another worker: nothing is written any more.
    Lost,
}

/// The fate of a task; shared by those who decide and the one who executes it.
#[derive(Debug, Clone, Default)]
pub struct Fate {
    turn: Arc<AtomicU8>,
    /// Ends its process.
    pub stop: Stop,
}

impl Fate {
    /// What it is now.
    pub fn turn(&self) -> Turn {
        let turns = [Turn::GoesOn, Turn::Cancelled, Turn::GivenBack, Turn::Lost];
        let now = self.turn.load(Ordering::Acquire);
        turns.into_iter().find(|turn| *turn as u8 == now).unwrap_or(Turn::Lost)
    }

    /// Ends the process for this reason; a graver one stays.
    pub fn to(&self, turn: Turn) {
        self.turn.fetch_max(turn as u8, Ordering::AcqRel);
        if turn != Turn::GoesOn {
            self.stop.stop();
        }
    }
}

/// All tasks of a worker.
#[derive(Debug, Default)]
pub struct AllHeld {
    tasks: Mutex<HashMap<Held, Fate>>,
}

impl AllHeld {
    /// One more.
    pub fn add(&self, held: Held) -> Fate {
        let fate = Fate::default();
        self.lock().insert(held, fate.clone());
        fate
    }

    /// One less.
    pub fn remove(&self, held: &Held) {
        self.lock().remove(held);
    }

    pub fn all(&self) -> Vec<Held> {
        self.lock().keys().cloned().collect()
    }

    /// What the database says about them.
    pub fn hear(&self, held: &[Held], verdicts: &[Verdict]) {
        let tasks = self.lock();
        for (held, verdict) in held.iter().zip(verdicts) {
            if let Some(fate) = tasks.get(held) {
                fate.to(match verdict {
                    Verdict::Mine => Turn::GoesOn,
                    Verdict::Cancel => Turn::Cancelled,
                    Verdict::Lost => Turn::Lost,
                });
            }
        }
    }

    /// All go back.
    pub fn give_back(&self) {
        self.lock().values().for_each(|fate| fate.to(Turn::GivenBack));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Held, Fate>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graver_fate_stays() {
        let fate = Fate::default();
        assert_eq!(fate.turn(), Turn::GoesOn);
        fate.to(Turn::GoesOn);
        assert!(!fate.stop.is_stopped());
        fate.to(Turn::Lost);
        fate.to(Turn::Cancelled);
        fate.to(Turn::GoesOn);
        assert_eq!(fate.turn(), Turn::Lost);
        assert!(fate.stop.is_stopped());
    }
}
