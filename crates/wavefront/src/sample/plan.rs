//! What to measure, and in which order.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Processes that take part.
    pub processes: usize,
    /// Updates of each.
    pub updates: usize,
    /// Messages from each to each other.
    pub messages: usize,
    /// Bytes of a message.
    pub bytes: usize,
    /// Activity of the others while two exchange messages.
    pub others: Others,
    /// Raised from outside to stop: what was measured is kept.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Activity of processes while two others exchange messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Others {
    /// They continue with updates, as in the iteration
    ///
    /// There a message rarely meets a machine at rest.
    #[default]
    Compute,
    /// They wait
    ///
    /// None: the network alone.
    Wait,
}

runcast_core::words!(Others::name: Compute = "compute", Wait = "wait");

/// The time between two messages: receivers have then gone to sleep, as they have in an iteration.
const PAUSE: Duration = Duration::from_micros(100);

/// Lets the time between two messages go by, without giving the core away.
pub(super) fn pause() {
    let start = Instant::now();
    while start.elapsed() < PAUSE {
        std::hint::spin_loop();
    }
}

/// Messages of two processes come in this many turns, spread over the whole time of measuring: all links then see the
/// machine in all its moods.
pub const ROUNDS: usize = 10;

/// Two processes exchange messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Begins.
    pub first: usize,
    /// Answers.
    pub second: usize,
    /// The number of the first exchange.
    pub from: usize,
    /// The number after the last exchange.
    pub to: usize,
}

impl Plan {
    /// Whether a stop was requested.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Who exchanges messages when: every pair in every round.
    pub fn turns(&self) -> Vec<Turn> {
        let rounds = ROUNDS.min(self.messages);
        let edge = |round: usize| round * self.messages / rounds.max(1);
        let pairs = |round: usize| {
            let pair = move |first: usize| (first + 1..self.processes).map(move |second| (first, second));
            let turn = move |(first, second)| Turn { first, second, from: edge(round), to: edge(round + 1) };
            (0..self.processes).flat_map(pair).map(turn)
        };
        (0..rounds).flat_map(pairs).collect()
    }

    /// Samples that there will be.
    pub fn samples(&self) -> u64 {
        let processes = self.processes as u64;
        let links = processes * processes.saturating_sub(1);
        (processes * self.updates as u64).saturating_add(links.saturating_mul(self.messages as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(processes: usize, messages: usize) -> Plan {
        Plan { processes, updates: 5, messages, bytes: 8, others: Others::Compute, interrupt: None }
    }

    #[test]
    fn every_pair_exchanges_all_its_messages() {
        for (processes, messages) in [(3, 25), (2, 3), (4, 1), (5, 10), (1, 10), (3, 0)] {
            let turns = plan(processes, messages).turns();
            for first in 0..processes {
                for second in first + 1..processes {
                    let mut at = 0;
                    for turn in turns.iter().filter(|turn| (turn.first, turn.second) == (first, second)) {
                        assert_eq!(turn.from, at);
                        assert!(turn.to > turn.from);
                        at = turn.to;
                    }
                    assert_eq!(at, messages);
                }
            }
        }
        assert_eq!(plan(3, 25).samples(), 15 + 150);
    }
}
