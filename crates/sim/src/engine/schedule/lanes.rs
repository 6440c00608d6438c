//! What waits for a processor or a NIC: heaps by number, many of them in one memory.
//!
//! Most are empty most of the time, so a heap is one word: the number of its first node. They are pairing heaps: a node that
//! comes costs a comparison, and numbers mostly come in their order.

/// No node: an empty heap.
pub const NOTHING: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    number: u64,
    payload: u64,
    child: u32,
    sibling: u32,
}

/// The memory of heaps.
#[derive(Debug, Default)]
pub struct Lanes {
    nodes: Vec<Node>,
    free: Vec<u32>,
    pairs: Vec<u32>,
}

impl Lanes {
    /// Adds to a heap; returns whether it is the first there now.
    #[inline]
    pub fn push(&mut self, head: &mut u32, number: u64, payload: u64) -> bool {
        let node = Node { number, payload, child: NOTHING, sibling: NOTHING };
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at as usize] = node;
                at
            }
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u32
            }
        };
        *head = if *head == NOTHING { at } else { self.meld(*head, at) };
        *head == at
    }

    /// Number and payload of the first.
    #[inline]
    pub fn first(&self, head: u32) -> Option<(u64, u64)> {
        (head != NOTHING).then(|| {
            let node = &self.nodes[head as usize];
            (node.number, node.payload)
        })
    }

    /// Takes the first out.
    #[inline]
    pub fn pop(&mut self, head: &mut u32) -> Option<(u64, u64)> {
        let first = self.first(*head)?;
        let mut at = self.nodes[*head as usize].child;
        self.free.push(*head);
        // Pair neighbors from left to right, then all from right to left.
        self.pairs.clear();
        while at != NOTHING {
            let next = self.nodes[at as usize].sibling;
            self.nodes[at as usize].sibling = NOTHING;
            if next == NOTHING {
                self.pairs.push(at);
                break;
            }
            let after = self.nodes[next as usize].sibling;
            self.nodes[next as usize].sibling = NOTHING;
            let both = self.meld(at, next);
            self.pairs.push(both);
            at = after;
        }
        let mut whole = NOTHING;
        while let Some(part) = self.pairs.pop() {
            whole = if whole == NOTHING { part } else { self.meld(whole, part) };
        }
        *head = whole;
        Some(first)
    }

    #[inline]
    fn meld(&mut self, one: u32, another: u32) -> u32 {
        let (parent, child) = if self.nodes[one as usize].number <= self.nodes[another as usize].number {
            (one, another)
        } else {
            (another, one)
        };
        self.nodes[child as usize].sibling = self.nodes[parent as usize].child;
        self.nodes[parent as usize].child = child;
        parent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn gives_them_out_by_number(steps in prop::collection::vec((any::<bool>(), 0_u64..1000, 0_usize..3), 0..300)) {
            let mut lanes = Lanes::default();
            let mut heads = [NOTHING; 3];
            let mut sets: [BTreeSet<u64>; 3] = Default::default();
            for (push, number, heap) in steps {
                if push && sets[heap].insert(number) {
                    let first = lanes.push(&mut heads[heap], number, number * 2);
                    prop_assert_eq!(first, sets[heap].first() == Some(&number));
                } else if !push {
                    prop_assert_eq!(lanes.pop(&mut heads[heap]), sets[heap].pop_first().map(|n| (n, n * 2)));
                }
            }
        }
    }
}
