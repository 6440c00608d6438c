//! How far a command has come, for the thread that waits for it.

use runcast_commands::Progress;
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be told, the latest state only.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub what: String,
    pub done: u64,
    pub total: u64,
    /// Whether a piece of work is under way.
    pub is_running: bool,
    /// Lines that stay, not yet taken.
    pub lines: Vec<String>,
}

/// Takes notes of progress, for another thread to look at.
#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Mutex<State>>);

impl Notes {
    /// The state now; lines are given once.
    pub fn take(&self) -> State {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        State { lines: std::mem::take(&mut state.lines), ..state.clone() }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Progress for Notes {
    fn begin(&mut self, what: &str, steps: u64) {
        self.change(|state| {
            *state = State {
                what: what.to_owned(),
                total: steps,
                is_running: true,
                done: 0,
                lines: std::mem::take(&mut state.lines),
            };
        });
    }

    fn step(&mut self, done: u64, _: &str) {
        self.change(|state| state.done = done);
    }

    fn end(&mut self) {
        self.change(|state| state.is_running = false);
    }

    fn line(&mut self, text: &str) {
        self.change(|state| state.lines.push(text.to_owned()));
    }
}
