//! Partial results over parts of the list, combined in order.
//!
//! **Plain**: a worker folds its block from the left, and blocks are folded as the collective says. The bits depend on
//! the number of workers and threads.
//!
//! **On a grid**: the list is cut into a fixed number of chunks, a power of two, and chunks are folded along the
//! binary tree over them, regardless of who holds them. A part of the list is then a row of nodes of that tree, and
//! two parts are combined by merging siblings; the bits depend on the list alone.

use super::erased::{AnyJob, Opaque};
use std::ops::Range;

/// Chunks of a grid, at most.
pub(super) const CHUNKS_MOST: u64 = 256;

/// A partial result over a part of the list.
pub(super) struct Node {
    /// Height in the tree over the chunks; 0 in plain folding.
    pub level: u32,
    /// Place in its level; 0 in plain folding.
    pub index: u64,
    /// Elements that were present.
    pub counter: u64,
    pub partial: Opaque,
}

/// The result of folding a part of the list: one node in plain folding, or a row of nodes of the tree.
#[derive(Default)]
pub(super) struct Folded {
    pub nodes: Vec<Node>,
}

impl Folded {
    pub fn identity<X>(job: &dyn AnyJob<X>) -> Self {
        let mut partial = job.identity();
        job.reset(&mut partial);
        Folded { nodes: vec![Node { level: 0, index: 0, counter: 0, partial }] }
    }

    /// Appends the result of the next part of the list.
    ///
    /// Plain: right keeps its memory for reuse. On a grid: it is left empty.
    pub fn append<X>(&mut self, job: &dyn AnyJob<X>, right: &mut Folded, on_grid: bool) {
        if on_grid {
            right.nodes.drain(..).for_each(|node| self.push(job, node));
            return;
        }
        match (self.nodes.first_mut(), right.nodes.first_mut()) {
            (None, _) => std::mem::swap(self, right),
            (Some(left), Some(right)) => merge(job, left, right),
            (Some(_), None) => {}
        }
    }

    /// Appends a node of the tree, and merges siblings as long as there are some.
    pub fn push<X>(&mut self, job: &dyn AnyJob<X>, mut node: Node) {
        while let Some(mut left) = self.nodes.pop_if(|left| is_sibling(left, &node)) {
            merge(job, &mut left, &mut node);
            node = Node { level: left.level + 1, index: left.index / 2, ..left };
        }
        self.nodes.push(node);
    }

    /// The result over the whole list, when all parts have been appended.
    pub fn whole(&self) -> Option<(&Opaque, u64)> {
        match self.nodes.as_slice() {
            [node] => Some((&node.partial, node.counter)),
            _ => None,
        }
    }
}

fn is_sibling(left: &Node, right: &Node) -> bool {
    left.level == right.level && left.index.is_multiple_of(2) && left.index + 1 == right.index
}

/// Folds right into left; results without elements are skipped.
fn merge<X>(job: &dyn AnyJob<X>, left: &mut Node, right: &mut Node) {
    if right.counter == 0 {
        return;
    }
    if left.counter == 0 {
        std::mem::swap(&mut left.partial, &mut right.partial);
    } else {
        job.combine(&mut left.partial, &right.partial);
    }
    left.counter += right.counter;
}

/// Part `index` of `length` elements in `parts`: the first `length mod parts` parts have one element more.
pub(super) fn block(length: u64, parts: u64, index: u64) -> Range<u64> {
    let (least, longer) = (length / parts, length % parts);
    let start = index * least + index.min(longer);
    start..start + least + u64::from(index < longer)
}

/// Number of chunks of a list: the largest power of two that is neither above its length nor above [`CHUNKS_MOST`].
pub(super) fn chunks_of(length: u64) -> u64 {
    let most = length.clamp(1, CHUNKS_MOST);
    1 << most.ilog2()
}

/// Elements of a chunk.
pub(super) fn chunk(length: u64, index: u64) -> Range<u64> {
    block(length, chunks_of(length), index)
}

/// The children of a process in the binomial tree of `processes`, in the order in which their parts of the list
/// follow each other. Process 0 is the master.
pub(super) fn children(process: usize, processes: usize) -> impl DoubleEndedIterator<Item = usize> {
    let most = processes.max(1).ilog2() + 1;
    let bits = if process == 0 { most } else { process.trailing_zeros().min(most) };
    (0..bits).map(move |bit| process + (1 << bit)).filter(move |child| *child < processes)
}

/// The parent of a worker in the binomial tree.
pub(super) fn parent(process: usize) -> usize {
    process & process.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_the_list_and_the_first_are_longer() {
        let blocks: Vec<_> = (0..4).map(|worker| block(10, 4, worker)).collect();
        assert_eq!(blocks, [0..3, 3..6, 6..8, 8..10]);
        assert_eq!(block(2, 3, 2), 2..2);
    }

    #[test]
    fn the_tree_keeps_the_order_of_the_list() {
        fn walk(process: usize, processes: usize, order: &mut Vec<usize>) {
            order.push(process);
            children(process, processes).for_each(|child| walk(child, processes, order));
        }
        for processes in 1..70 {
            let mut order = Vec::new();
            walk(0, processes, &mut order);
            assert_eq!(order, (0..processes).collect::<Vec<_>>());
            for process in 1..processes {
                assert!(children(parent(process), processes).any(|child| child == process));
            }
        }
    }

    #[test]
    fn chunks_are_a_power_of_two() {
        assert_eq!([1, 2, 3, 5, 255, 256, 10_000].map(chunks_of), [1, 2, 2, 4, 128, 256, 256]);
        assert_eq!((chunk(10, 0), chunk(10, 7)), (0..2, 9..10));
    }
}
