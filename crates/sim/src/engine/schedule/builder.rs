//! Builds a schedule rank by rank, and keeps equal ranks once.

use super::{ANY_SOURCE, ANY_TAG, Kind, Operation, Schedule, Shape};
use runcast_core::hash::{Mix, MixMap};
use std::collections::HashMap;
use std::hash::Hasher;

/// An operation waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub later: u32,
    /// For whom.
    pub earlier: u32,
    /// For its start only.
    pub start: bool,
}

/// A schedule that is being built.
#[derive(Debug)]
pub struct Builder {
    schedule: Schedule,
    ranks: u32,
    /// Shapes of ranks that came before their turn.
    early: HashMap<u32, u32>,
    known: MixMap<u64, Vec<u32>>,
    /// The rank at hand; what is built in it is used again for the next.
    scratch: Shape,
    seen: Vec<u32>,
    stack: Vec<u32>,
}

/// No shape: the rank was not described.
const NO_SHAPE: u32 = u32::MAX;
/// Number of equal free receives that are searched one by one.
const MOST_ALIKE: usize = 4;

impl Builder {
    /// A schedule of this many ranks. Memory follows the ranks that are described.
    pub fn new(file: impl Into<String>, ranks: u32) -> Self {
        Builder {
            schedule: Schedule { file: file.into(), ..Schedule::default() },
            ranks,
            early: HashMap::new(),
            known: HashMap::default(),
            scratch: Shape::default(),
            seen: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Whether a rank has been described.
    pub fn has(&self, rank: u32) -> bool {
        (rank as usize) < self.schedule.ranks.len() || self.early.contains_key(&rank)
    }

    /// A send, seen from a rank. Partners are below the number of ranks.
    pub fn send(&self, rank: u32, to: u32, size: u64, tag: u32) -> Operation {
        Operation { size, peer: self.distance(rank, to), tag, cpu: 0, nic: 0, kind: Kind::Send }
    }

    /// A receive, seen from a rank.
    pub fn recv(&self, rank: u32, from: u32, size: u64, tag: u32) -> Operation {
        let peer = if from == ANY_SOURCE { ANY_SOURCE } else { self.distance(rank, from) };
        Operation { size, peer, tag, cpu: 0, nic: 0, kind: Kind::Recv }
    }

    pub fn calc(ticks: u64) -> Operation {
        Operation { size: ticks, peer: 0, tag: 0, cpu: 0, nic: 0, kind: Kind::Calc }
    }

    /// How far a partner is around the ring.
    #[inline]
    pub fn distance(&self, rank: u32, partner: u32) -> u32 {
        if partner >= rank {
            partner - rank
        } else {
            (u64::from(partner) + u64::from(self.ranks) - u64::from(rank)) as u32
        }
    }

    /// Describes a rank, once. Edges name operations by number.
    ///
    /// # Errors
    /// An operation that waits for itself, in a cycle.
    pub fn rank(&mut self, rank: u32, operations: &[Operation], edges: &[Edge]) -> Result<(), u32> {
        self.fill(operations, edges);
        let hash = self.hash();
        let shapes = &mut self.schedule.shapes;
        let candidates = self.known.entry(hash).or_default();
        let same = |shape: &&u32| {
            let shape = &shapes[**shape as usize];
            shape.operations == self.scratch.operations
                && shape.first == self.scratch.first
                && shape.dependents == self.scratch.dependents
        };
        let number = match candidates.iter().find(same) {
            Some(number) => *number,
            None => {
                complete(&mut self.scratch);
                if let Some(circle) = in_a_circle(&self.scratch, &mut self.seen, &mut self.stack) {
                    return Err(circle);
                }
                let number = shapes.len() as u32;
                candidates.push(number);
                shapes.push(self.scratch.clone());
                number
            }
        };
        let ranks = &mut self.schedule.ranks;
        if rank as usize == ranks.len() {
            ranks.push(number);
            while let Some(shape) = self.early.remove(&(ranks.len() as u32)) {
                ranks.push(shape);
            }
        } else {
            self.early.insert(rank, number);
        }
        Ok(())
    }

    /// The schedule. Ranks that were not described do nothing; how many they are comes with it.
    pub fn finish(mut self) -> (Schedule, u32) {
        let mut missing = 0;
        self.schedule.ranks.resize(self.ranks as usize, NO_SHAPE);
        for (rank, shape) in self.early {
            self.schedule.ranks[rank as usize] = shape;
        }
        if self.schedule.ranks.contains(&NO_SHAPE) {
            let mut empty = Shape { first: vec![0], ..Shape::default() };
            complete(&mut empty);
            let number = self.schedule.shapes.len() as u32;
            self.schedule.shapes.push(empty);
            for shape in &mut self.schedule.ranks {
                if *shape == NO_SHAPE {
                    *shape = number;
                    missing += 1;
                }
            }
        }
        (self.schedule, missing)
    }

    /// Operations and their dependents; what follows from them is left for new shapes.
    fn fill(&mut self, operations: &[Operation], edges: &[Edge]) {
        let shape = &mut self.scratch;
        shape.operations.clear();
        shape.operations.extend_from_slice(operations);
        shape.first.clear();
        shape.first.resize(operations.len() + 1, 0);
        for edge in edges {
            shape.first[edge.earlier as usize + 1] += 1;
        }
        for at in 0..operations.len() {
            shape.first[at + 1] += shape.first[at];
        }
        shape.dependents.clear();
        shape.dependents.resize(edges.len(), 0);
        // Each dependent goes to the end of what is there; `seen` counts.
        self.seen.clear();
        self.seen.extend_from_slice(&shape.first[..operations.len()]);
        for edge in edges {
            let at = &mut self.seen[edge.earlier as usize];
            shape.dependents[*at as usize] = edge.later << 1 | u32::from(edge.start);
            *at += 1;
        }
    }

    fn hash(&self) -> u64 {
        let mut hasher = Mix::default();
        for operation in &self.scratch.operations {
            hasher.write_u64(operation.size.rotate_left(32) ^ u64::from(operation.peer));
            let more = u64::from(operation.cpu) << 48 | u64::from(operation.nic) << 34 | u64::from(operation.tag);
            hasher.write_u64(more.rotate_left(2) ^ operation.kind as u64);
        }
        for dependent in &self.scratch.dependents {
            hasher.write_u32(*dependent);
        }
        hasher.write_u64(self.scratch.operations.len() as u64);
        hasher.finish()
    }
}

/// What follows from operations and dependents.
fn complete(shape: &mut Shape) {
    let count = shape.operations.len();
    shape.needs.clear();
    shape.needs.resize(count, 0);
    for dependent in &shape.dependents {
        shape.needs[(dependent >> 1) as usize] += 1;
    }
    shape.counters.clear();
    shape.counted = 0;
    shape.free = Default::default();
    shape.is_wild = false;
    shape.has_several = false;
    for (at, operation) in shape.operations.iter().enumerate() {
        shape.counters.push(shape.counted);
        if shape.needs[at] == 0 {
            shape.free[operation.kind as usize].push(at as u32);
        } else {
            shape.counted += 1;
        }
        let any = operation.peer == ANY_SOURCE || operation.tag == ANY_TAG;
        shape.is_wild |= operation.kind == Kind::Recv && any;
        shape.has_several |= operation.cpu != 0 || operation.nic != 0;
    }
    shape.posted.clear();
    if !shape.is_wild {
        let key = |at: &u32| (shape.operations[*at as usize].peer, shape.operations[*at as usize].tag, *at);
        shape.posted.extend(shape.free[Kind::Recv as usize].iter().map(key));
        shape.posted.sort_unstable();
        let alike = |window: &[(u32, u32, u32)]| {
            window.first().map(|(peer, tag, _)| (*peer, *tag)) == window.last().map(|(peer, tag, _)| (*peer, *tag))
        };
        if shape.posted.windows(MOST_ALIKE + 1).any(alike) {
            shape.posted.clear();
        }
        shape.posted.shrink_to_fit();
    }
}

/// An operation that waits for itself, if there is one: one that is left when all that can be done is done.
fn in_a_circle(shape: &Shape, left: &mut Vec<u32>, stack: &mut Vec<u32>) -> Option<u32> {
    left.clear();
    left.extend_from_slice(&shape.needs);
    stack.clear();
    stack.extend(shape.free.iter().flatten());
    let mut done = 0;
    while let Some(operation) = stack.pop() {
        done += 1;
        for (dependent, _) in shape.dependents(operation) {
            let left = &mut left[dependent as usize];
            *left -= 1;
            if *left == 0 {
                stack.push(dependent);
            }
        }
    }
    if done == shape.operations.len() {
        return None;
    }
    // From one that is left, back along those that it waits for, until one comes again.
    let mut waits_for = vec![u32::MAX; shape.operations.len()];
    for earlier in 0..shape.operations.len() as u32 {
        if left[earlier as usize] > 0 {
            for (later, _) in shape.dependents(earlier) {
                waits_for[later as usize] = earlier;
            }
        }
    }
    let mut at = left.iter().position(|left| *left > 0).unwrap_or(0) as u32;
    for _ in 0..shape.operations.len() {
        at = waits_for[at as usize];
    }
    Some(at)
}
