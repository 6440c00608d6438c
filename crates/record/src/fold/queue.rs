//! The queue of nodes, and what is done with its end after each call.

use super::{Gathered, LOOP_SEED, Sample, leaf_shape, mix};
use crate::stat::LeafStat;
use crate::stream::Stream;
use crate::tree::{Leaf, Loop, Node};

/// Loops within loops.
const DEEPEST: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Queue {
    nodes: Vec<Folded>,
}

#[derive(Debug)]
struct Folded {
    shape: u64,
    /// Shape of the last leaf in it: sequences that end differently need not be compared.
    tail: u64,
    what: What,
}

#[derive(Debug)]
enum What {
    Leaf(Leaf, Box<Gathered>),
    Loop {
        /// Of the executions before the last.
        counts: Stream,
        /// Of the last, which may still grow.
        last: u64,
        body: Vec<Folded>,
    },
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn push(&mut self, leaf: Leaf, sample: Sample, window: usize) {
        let shape = leaf_shape(&leaf);
        self.nodes.push(Folded { shape, tail: shape, what: What::Leaf(leaf, Box::new(Gathered::of(sample))) });
        while self.fold_once(window) {}
    }

    fn fold_once(&mut self, window: usize) -> bool {
        let length = self.nodes.len();
        let Some(tail) = self.nodes.last().map(|node| node.tail) else { return false };
        (1..=window.min(length - 1)).any(|width| self.nodes[length - 1 - width].tail == tail && self.fold_at(width))
    }

    /// Whether the last `width` nodes continue the loop before them, or repeat the nodes before them.
    fn fold_at(&mut self, width: usize) -> bool {
        let start = self.nodes.len() - width;
        let (before, last) = self.nodes.split_at_mut(start);
        let Some(top) = before.last_mut() else { return false };
        if top.takes(last, 0) {
            let later = self.nodes.split_off(start);
            if let Some(top) = self.nodes.last_mut() {
                top.extend(later);
            }
            return true;
        }
        if start < width || !same_shapes(&before[start - width..], last) {
            return false;
        }
        let later = self.nodes.split_off(start);
        let body = self.nodes.split_off(start - width);
        let mut folded = Folded::repeated(body, Stream::default());
        folded.extend(later);
        self.nodes.push(folded);
        true
    }

    pub(super) fn finish(self) -> (Vec<Node>, Vec<LeafStat>) {
        let mut stats = Vec::new();
        (self.nodes.into_iter().map(|node| node.finish(&mut stats)).collect(), stats)
    }
}

fn same_shapes(a: &[Folded], b: &[Folded]) -> bool {
    a.len() == b.len() && a.iter().zip(b).rev().all(|(a, b)| a.shape == b.shape)
}

impl Folded {
    /// A loop of these nodes, executed once so far in its last execution.
    fn repeated(body: Vec<Folded>, counts: Stream) -> Self {
        let mut folded = Folded { shape: 0, tail: 0, what: What::Loop { counts, last: 1, body } };
        folded.reshape();
        folded
    }

    fn reshape(&mut self) {
        if let What::Loop { body, .. } = &self.what {
            self.shape = body.iter().fold(LOOP_SEED, |hash, node| mix(hash, node.shape));
            self.tail = body.last().map_or(0, |node| node.tail);
        }
    }

    /// How often the body of a loop has been executed in all.
    fn executions(&self) -> u64 {
        match &self.what {
            What::Leaf(_, gathered) => gathered.count,
            What::Loop { counts, last, .. } => u64::try_from(counts.sum()).unwrap_or(0) + last,
        }
    }

    /// Whether this loop, or the last in it, has nodes of these shapes as its body, or at the end of its body: there
    /// they become a loop of their own.
    fn takes(&mut self, nodes: &[Folded], depth: usize) -> bool {
        let executions = self.executions();
        let What::Loop { body, .. } = &mut self.what else { return false };
        let ends_in_loop = body.last().is_some_and(|node| matches!(node.what, What::Loop { .. }));
        if body.len() == nodes.len() && same_shapes(body, nodes) {
            return true;
        }
        if body.len() > nodes.len() && !ends_in_loop && same_shapes(&body[body.len() - nodes.len()..], nodes) {
            let inner = body.split_off(body.len() - nodes.len());
            body.push(Folded::repeated(inner, Stream::constant(1, executions - 1)));
            self.reshape();
            return true;
        }
        let found = depth < DEEPEST && body.last_mut().is_some_and(|last| last.takes(nodes, depth + 1));
        if found {
            self.reshape();
        }
        found
    }

    /// One more execution of the loop that takes these nodes; see [`Folded::takes`].
    fn extend(&mut self, nodes: Vec<Folded>) {
        let What::Loop { last, body, .. } = &mut self.what else { return };
        if body.len() == nodes.len() && same_shapes(body, &nodes) {
            *last += 1;
            body.iter_mut().zip(nodes).for_each(|(node, later)| node.join(later));
        } else if let Some(inner) = body.last_mut() {
            inner.extend(nodes);
        }
    }

    /// The executions of `later`, which has the same shape, come after those of this node.
    fn join(&mut self, later: Folded) {
        match (&mut self.what, later.what) {
            (What::Leaf(leaf, gathered), What::Leaf(more, samples)) => {
                leaf.fields.iter_mut().zip(&more.fields).for_each(|(stream, more)| stream.append(more));
                gathered.join(&samples);
            }
            (What::Loop { counts, last, body }, What::Loop { counts: more, last: then, body: later }) => {
                counts.push(*last as i64);
                counts.append(&more);
                *last = then;
                body.iter_mut().zip(later).for_each(|(node, later)| node.join(later));
            }
            _ => {}
        }
    }

    fn finish(self, stats: &mut Vec<LeafStat>) -> Node {
        match self.what {
            What::Leaf(leaf, gathered) => {
                stats.push(gathered.finish());
                Node::Leaf(leaf)
            }
            What::Loop { mut counts, last, body } => {
                counts.push(last as i64);
                Node::Loop(Loop { counts, body: body.into_iter().map(|node| node.finish(stats)).collect() })
            }
        }
    }
}
