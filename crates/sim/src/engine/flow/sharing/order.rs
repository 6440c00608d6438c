//! A heap of ends that may change: numbers of classes by the time at which their first flow ends.

use crate::engine::kernel::slab::NONE;
use crate::tick::Tick;

/// The heap, and where each number is in it.
#[derive(Debug, Default)]
pub struct Order {
    heap: Vec<(Tick, u32)>,
    places: Vec<u32>,
}

impl Order {
    #[inline]
    pub fn first(&self) -> Option<(Tick, u32)> {
        self.heap.first().copied()
    }

    /// Puts a number in, or moves it.
    pub fn set(&mut self, number: u32, end: Tick) {
        let index = number as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, NONE);
        }
        if self.places[index] == NONE {
            self.heap.push((end, number));
            self.rise(self.heap.len() - 1);
            return;
        }
        let at = self.places[index] as usize;
        let before = self.heap[at].0;
        self.heap[at].0 = end;
        if end < before {
            self.rise(at);
        } else if end > before {
            self.fall(at);
        }
    }

    /// Takes a number out, if it is there.
    pub fn remove(&mut self, number: u32) {
        let Some(place) = self.places.get_mut(number as usize) else { return };
        let at = std::mem::replace(place, NONE);
        if at == NONE {
            return;
        }
        let at = at as usize;
        self.heap.swap_remove(at);
        if at < self.heap.len() {
            self.places[self.heap[at].1 as usize] = at as u32;
            // It goes one way or the other; what rises away leaves a larger one's place in order.
            self.rise(at);
            self.fall(at);
        }
    }

    fn rise(&mut self, mut at: usize) {
        let item = self.heap[at];
        while at > 0 {
            let above = (at - 1) / 2;
            if self.heap[above] <= item {
                break;
            }
            self.heap[at] = self.heap[above];
            self.places[self.heap[at].1 as usize] = at as u32;
            at = above;
        }
        self.heap[at] = item;
        self.places[item.1 as usize] = at as u32;
    }

    fn fall(&mut self, mut at: usize) {
        let item = self.heap[at];
        loop {
            let mut below = 2 * at + 1;
            if below >= self.heap.len() {
                break;
            }
            if below + 1 < self.heap.len() && self.heap[below + 1] < self.heap[below] {
                below += 1;
            }
            if self.heap[below] >= item {
                break;
            }
            self.heap[at] = self.heap[below];
            self.places[self.heap[at].1 as usize] = at as u32;
            at = below;
        }
        self.heap[at] = item;
        self.places[item.1 as usize] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn the_earliest_comes_first(steps in prop::collection::vec((0u32..20, 0u64..50, any::<bool>()), 0..200)) {
            let mut order = Order::default();
            let mut slow = BTreeMap::new();
            for (number, end, put) in steps {
                if put {
                    order.set(number, end);
                    slow.insert(number, end);
                } else {
                    order.remove(number);
                    slow.remove(&number);
                }
                let first = slow.iter().map(|(number, end)| (*end, *number)).min();
                prop_assert_eq!(order.first(), first);
            }
        }
    }
}
