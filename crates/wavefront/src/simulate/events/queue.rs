//! Events in the order of their times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A process ends the update with this number; after all that an abort has thrown away, there may be none.
    Completion { process: usize, update: u64 },
    /// A message reaches a process.
    Arrival {
        process: usize,
        /// In which phase it was sent.
        phase: u64,
    },
    /// A process looks at what is there.
    Decision {
        process: usize,
        /// In which phase; later it means nothing.
        phase: u64,
    },
}

/// What is to happen: at equal times completions, then arrivals, then decisions, each in the order of their making.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    heap: BinaryHeap<Reverse<(u64, u8, u64, Event)>>,
    made: u64,
}

impl Queue {
    /// `event` is to happen at `time`.
    pub fn add(&mut self, time: u64, event: Event) {
        let rank = match event {
            Event::Completion { .. } => 0,
            Event::Arrival { .. } => 1,
            Event::Decision { .. } => 2,
        };
        self.made += 1;
        self.heap.push(Reverse((time, rank, self.made, event)));
    }

    /// A number that was not given before.
    pub fn numbered(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// What happens next, and when.
    pub fn next(&mut self) -> Option<(u64, Event)> {
        self.heap.pop().map(|Reverse((time, _, _, event))| (time, event))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_come_before_arrivals_and_these_before_decisions() {
        let mut queue = Queue::default();
        let decision = Event::Decision { process: 0, phase: 0 };
        let arrival = Event::Arrival { process: 1, phase: 0 };
        let completion = Event::Completion { process: 2, update: 1 };
        let late = Event::Completion { process: 0, update: 0 };
        for (time, event) in [(6, late), (5, decision), (5, arrival), (5, completion)] {
            queue.add(time, event);
        }
        let order = std::iter::from_fn(|| queue.next());
        assert_eq!(order.collect::<Vec<_>>(), [(5, completion), (5, arrival), (5, decision), (6, late)]);
    }
}
