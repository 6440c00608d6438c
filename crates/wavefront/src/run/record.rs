//! The records of a run. Times are in nanoseconds since the start that all processes share.

use super::settings::{Pace, Settings};
use crate::model::Semantics;
use crate::sample::{Series, Subject};
use std::sync::atomic::Ordering;

/// Rows for which there is room from the start.
const ROOM_MOST: usize = 100_000;

/// A phase of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// T_i: it starts.
    pub start: u64,
    /// Y_i: the A updates are done, and the piece is sent.
    pub beta_start: u64,
    /// T_i': it ends, and the next one starts.
    pub end: u64,
    /// A_i + N_i: updates that count.
    pub updates: u32,
    /// Updates that were given up: 0 or 1.
    pub discarded: u32,
    /// The sum of the squared errors of the piece at the end, where the fixed point is known; else NaN.
    pub error_squared: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// In which phase, from 1.
    pub phase: u64,
    /// Which one of the phase, from 1.
    pub number: u32,
    pub start: u64,
    /// It ends, or is given up.
    pub end: u64,
    /// It was made while the process waited.
    pub is_beta: bool,
    /// It was given up.
    pub is_discarded: bool,
}

/// A message that was received.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Message {
    /// In which phase, from 1.
    pub phase: u64,
    /// Who sent it, counted from 0.
    pub from: usize,
    pub sent: u64,
    /// It was there; or was seen to be there, or had woken up who waited for it.
    pub arrived: u64,
    /// Whether the receiver was polling when it arrived, so that `arrived` is when it took effect.
    pub is_exact: bool,
}

/// By how much sleeps were too long, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overshoot {
    /// Sleeps.
    pub count: u64,
    pub sum: u64,
    pub most: u64,
}

/// The records of a process.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    pub phases: Vec<Phase>,
    /// In the order of time; the first ones, where there were too many.
    pub updates: Vec<Update>,
    /// Those that it received, phase by phase; the first ones, where there were too many.
    pub messages: Vec<Message>,
    /// Updates and messages that were left out.
    pub left_out: u64,
    /// How precise emulated times were.
    pub overshoot: Overshoot,
}

/// A run, or what there is of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// Process by process; all have the same number of phases.
    pub processes: Vec<Rows>,
    pub held: Semantics,
    /// A stop was asked for before all phases were done.
    pub is_interrupted: bool,
}

impl Rows {
    /// With room for a run, as far as it is known how much that takes: growing would disturb it.
    pub(super) fn with_room(phases: u64, updates: u64, peers: usize, most: usize) -> Self {
        let room = |count: u64| usize::try_from(count).unwrap_or(usize::MAX).min(most).min(ROOM_MOST);
        Rows {
            phases: Vec::with_capacity(room(phases)),
            updates: Vec::with_capacity(room(phases.saturating_mul(updates))),
            messages: Vec::with_capacity(room(phases.saturating_mul(peers as u64))),
            ..Rows::default()
        }
    }

    /// Forgets all but the first phases.
    fn keep(&mut self, phases: usize) {
        self.phases.truncate(phases);
        self.updates.retain(|update| update.phase <= phases as u64);
        self.messages.retain(|message| message.phase <= phases as u64);
    }
}

impl Recording {
    /// The records of all processes of a run.
    pub(super) fn of(processes: Vec<Rows>, held: Semantics, settings: &Settings) -> Recording {
        let mut recording = Recording { processes, held, is_interrupted: false };
        let phases = recording.phases();
        let interrupt = settings.interrupt.as_ref();
        let was_raised = interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed));
        if was_raised && !matches!(settings.pace, Pace::Work(0)) {
            // The first process learns of the request in the last phase, or after its broadcast of the one before, while
            // others may still be in the phase before that: in all three processes may have been hurried.
            recording.processes.iter_mut().for_each(|rows| rows.keep(phases.saturating_sub(3)));
        }
        recording.is_interrupted = (recording.phases() as u64) < settings.phases;
        recording
    }

    /// Number of phases that all processes have completed.
    pub fn phases(&self) -> usize {
        self.processes.iter().map(|rows| rows.phases.len()).min().unwrap_or(0)
    }

    /// The Euclidean norm of the error after each phase, from each process's own newest piece; none where the fixed
    /// point is not known, or the numbers have overflowed.
    pub fn errors(&self) -> Vec<Option<f64>> {
        let error = |phase: usize| {
            let squared: f64 = self.processes.iter().map(|rows| rows.phases[phase].error_squared).sum();
            Some(squared.sqrt()).filter(|error| error.is_finite())
        };
        (0..self.phases()).map(error).collect()
    }

    /// The times of the updates before the broadcasts, process by process: what diagnostics look at.
    pub fn series(&self, names: &[String]) -> Vec<Series> {
        let of = |(name, rows): (&String, &Rows)| {
            let updates = || rows.updates.iter().filter(|update| !update.is_beta);
            Series {
                subject: Subject::Process(name.clone()),
                host: String::new(),
                start_s: updates().map(|update| update.start as f64 / 1e9).collect(),
                time_s: updates().map(|update| (update.end - update.start) as f64 / 1e9).collect(),
                rows: updates().enumerate().map(|(index, _)| index).collect(),
            }
        };
        names.iter().zip(&self.processes).map(of).collect()
    }

    /// By how much emulated times were too long, over all processes.
    pub fn overshoot(&self) -> Overshoot {
        self.processes.iter().fold(Overshoot::default(), |all, rows| Overshoot {
            count: all.count + rows.overshoot.count,
            sum: all.sum + rows.overshoot.sum,
            most: all.most.max(rows.overshoot.most),
        })
    }
}

impl Overshoot {
    /// The mean, in seconds.
    pub fn mean_s(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 / 1e9 }
    }

    pub(super) fn add(&mut self, nanos: u64) {
        self.count += 1;
        self.sum += nanos;
        self.most = self.most.max(nanos);
    }
}
