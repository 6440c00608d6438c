//! The queue of events: buckets of time, and a heap only for what comes within the bucket at hand.
//!
//! One heap of all events misses the cache at every level; here an event is appended to its bucket, and a bucket is sorted when
//! its turn comes. Events of one time mostly come in their order, so there is little to sort.

use crate::tick::Tick;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An event: what happens is packed into one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    pub at: Tick,
    pub number: u64,
    pub what: u64,
}

/// Buckets in the ring.
const BUCKETS: u64 = 4096;
/// Buffers that are kept for other buckets.
const SPARE: usize = 4;

/// Events by time and number.
#[derive(Debug)]
pub struct Queue {
    /// A bucket is this many ticks wide, as a power of two.
    shift: u32,
    /// Number of the bucket at hand, from time 0.
    bucket: u64,
    /// What is left of it, the last first.
    current: Vec<Event>,
    /// What came into it, or before it, since its turn came.
    late: BinaryHeap<Reverse<Event>>,
    ring: Vec<Vec<Event>>,
    /// A bit for each bucket of the ring that has events.
    used: Vec<u64>,
    /// What is beyond the ring.
    far: BinaryHeap<Reverse<Event>>,
    spare: Vec<Vec<Event>>,
}

impl Queue {
    /// A queue for events that are mostly this many ticks apart, from cause to effect.
    pub fn new(apart: Tick) -> Self {
        Queue {
            shift: (apart / 4).max(1).ilog2(),
            bucket: 0,
            current: Vec::new(),
            late: BinaryHeap::new(),
            ring: vec![Vec::new(); BUCKETS as usize],
            used: vec![0; (BUCKETS / 64) as usize],
            far: BinaryHeap::new(),
            spare: Vec::new(),
        }
    }

    #[inline]
    pub fn push(&mut self, event: Event) {
        let bucket = event.at >> self.shift;
        if bucket <= self.bucket {
            self.late.push(Reverse(event));
        } else if bucket - self.bucket < BUCKETS {
            self.put_into_ring(bucket, event);
        } else {
            self.far.push(Reverse(event));
        }
    }

    #[inline]
    fn put_into_ring(&mut self, bucket: u64, event: Event) {
        let slot = (bucket % BUCKETS) as usize;
        let events = &mut self.ring[slot];
        if events.is_empty() {
            self.used[slot / 64] |= 1 << (slot % 64);
            if events.capacity() == 0
                && let Some(spare) = self.spare.pop()
            {
                *events = spare;
            }
        }
        events.push(event);
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        loop {
            match (self.current.last(), self.late.peek()) {
                (Some(next), Some(Reverse(late))) if late < next => return self.late.pop().map(|Reverse(event)| event),
                (Some(_), _) => return self.current.pop(),
                (None, Some(_)) => return self.late.pop().map(|Reverse(event)| event),
                (None, None) => self.turn()?,
            }
        }
    }

    /// The turn of the next bucket that has events; none if there is none.
    #[cold]
    fn turn(&mut self) -> Option<()> {
        let next = self.next_used();
        let far = self.far.peek().map(|Reverse(event)| event.at >> self.shift);
        self.bucket = match (next, far) {
            (Some(next), Some(far)) => next.min(far),
            (next, far) => next.or(far)?,
        };
        // The ring has moved on: what was beyond it may fit now.
        while let Some(Reverse(event)) = self.far.peek().copied()
            && (event.at >> self.shift) - self.bucket < BUCKETS
        {
            self.far.pop();
            self.put_into_ring(event.at >> self.shift, event);
        }
        let slot = (self.bucket % BUCKETS) as usize;
        self.used[slot / 64] &= !(1 << (slot % 64));
        let emptied = std::mem::replace(&mut self.current, std::mem::take(&mut self.ring[slot]));
        if self.spare.len() < SPARE && emptied.capacity() > 0 {
            self.spare.push(emptied);
        }
        // Backwards, so that the next is taken from the end. What is in order already is turned around cheaply.
        if self.current.is_sorted() {
            self.current.reverse();
        } else {
            self.current.sort_unstable_by(|one, another| another.cmp(one));
        }
        Some(())
    }

    /// The next bucket of the ring that has events.
    fn next_used(&self) -> Option<u64> {
        let first = (self.bucket + 1) % BUCKETS;
        let words = self.used.len() as u64;
        for step in 0..=words {
            let word = (first / 64 + step) % words;
            let mut bits = self.used[word as usize];
            if step == 0 {
                bits &= u64::MAX << (first % 64);
            } else if step == words {
                bits &= !(u64::MAX << (first % 64));
            }
            if bits != 0 {
                let slot = word * 64 + u64::from(bits.trailing_zeros());
                return Some(self.bucket + 1 + (slot + BUCKETS - first) % BUCKETS);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn gives_what_a_heap_gives(
            apart in 0_u64..3000,
            steps in prop::collection::vec((0_u32..24, any::<u64>(), 0_u8..3), 1..600),
        ) {
            let mut queue = Queue::new(apart);
            let mut heap = BinaryHeap::new();
            let mut now = 0;
            for (number, (bits, random, pops)) in steps.into_iter().enumerate() {
                // Of all sizes: into the bucket at hand, the ring, and far beyond.
                let event = Event { at: now + (random >> (63 - bits)), number: number as u64, what: random };
                queue.push(event);
                heap.push(Reverse(event));
                for _ in 0..pops {
                    let popped = queue.pop();
                    prop_assert_eq!(popped, heap.pop().map(|Reverse(event)| event));
                    now = popped.map_or(now, |event| event.at);
                }
            }
            while let Some(Reverse(event)) = heap.pop() {
                prop_assert_eq!(queue.pop(), Some(event));
            }
            prop_assert_eq!(queue.pop(), None);
        }
    }
}
