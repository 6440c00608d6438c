//! Outcomes as the caller sees them.

use super::abi::{Outcome, Status};
use super::lines::Lines;
use crate::skeleton;
use std::ffi::c_char;
use xxhash_rust::xxh3::xxh3_128;

impl Outcome {
    /// Of the master.
    pub(super) fn of_master(outcome: &skeleton::Outcome<Lines>) -> Self {
        let status = match outcome.status {
            skeleton::Status::Converged | skeleton::Status::Feasible => Status::Converged,
            skeleton::Status::Finished => Status::Finished,
            skeleton::Status::Diverged => Status::Diverged,
            skeleton::Status::IterationLimit => Status::IterationLimit,
            skeleton::Status::TimeLimit => Status::TimeLimit,
            skeleton::Status::Interrupted => Status::Interrupted,
        };
        Outcome {
            is_master: 1,
            iterations: outcome.iterations,
            counter: outcome.counter,
            time_s: outcome.time_s,
            step_norm: outcome.step_norm.unwrap_or(f64::NAN),
            growth_rate: outcome.growth_rate.unwrap_or(f64::NAN),
            digest: letters(&format!("{:032x}", xxh3_128(outcome.approximation.as_slice()))),
            ..Outcome::bare(status)
        }
    }

    /// Of a rank that is a worker.
    pub(super) fn of_worker() -> Self {
        Outcome::bare(Status::Finished)
    }

    /// Of a run that failed, or did not begin.
    pub(super) fn failed(status: Status, message: &str) -> Self {
        Outcome { message: letters(message), ..Outcome::bare(status) }
    }

    /// What it says.
    pub(super) fn text(&self) -> String {
        let bytes: Vec<u8> =
            self.message.iter().take_while(|&&letter| letter != 0).map(|&letter| letter as u8).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn bare(status: Status) -> Self {
        Outcome {
            status,
            is_master: 0,
            iterations: 0,
            counter: 0,
            time_s: 0.0,
            step_norm: f64::NAN,
            growth_rate: f64::NAN,
            digest: [0; 65],
            message: [0; 512],
        }
    }
}

/// As much of a text as there is room for, with a zero at its end; no letter is cut.
fn letters<const ROOM: usize>(text: &str) -> [c_char; ROOM] {
    let mut room = [0; ROOM];
    let end = text.floor_char_boundary(text.len().min(ROOM - 1));
    for (place, byte) in room.iter_mut().zip(text[..end].bytes()) {
        *place = byte as c_char;
    }
    room
}
