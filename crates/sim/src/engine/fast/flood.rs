//! Many messages at one process: those that have arrived in the order in which they were sent, the others by arrival.

use super::lists::Message;
use super::plan::Plan;
use crate::tick::Tick;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When it was made, by which process, its number there, and its node.
type Age = (Tick, u32, u16, u32);

/// Messages that a process has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Flood {
    arrived: BinaryHeap<Reverse<Age>>,
    coming: BinaryHeap<Reverse<(Tick, Age)>>,
}

impl Flood {
    /// One more.
    pub(super) fn add(&mut self, plan: &Plan<'_>, message: &Message, node: u32) {
        let arrival = message.arrival();
        let made = arrival - plan.kinds.get(message.kind).costs.head;
        self.coming.push(Reverse((arrival, (made, message.from, message.number, node))));
    }

    /// The one that is taken first if processor and interface are free at a time, and when.
    pub(super) fn first(&mut self, free: Tick) -> Option<(Tick, u32)> {
        while let Some(Reverse((arrival, age))) = self.coming.peek()
            && *arrival <= free
        {
            self.arrived.push(Reverse(*age));
            self.coming.pop();
        }
        match (self.arrived.peek(), self.coming.peek()) {
            (Some(Reverse(age)), _) => Some((free, age.3)),
            (None, Some(Reverse((arrival, age)))) => Some((*arrival, age.3)),
            (None, None) => None,
        }
    }

    /// Removes what [`Flood::first`] found; whether that was the last.
    pub(super) fn remove(&mut self) -> bool {
        if self.arrived.pop().is_none() {
            self.coming.pop();
        }
        self.arrived.is_empty() && self.coming.is_empty()
    }
}
