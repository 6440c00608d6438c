//! The calls of one rank in normal form: loops whose calls go through the same values again and again become two, and
//! every field follows one index, or none.

use super::Key;
use crate::stream::Stream;
use crate::tree::{Leaf, Loop, Node};
use crate::vocabulary::{Field, Flags};
use std::collections::HashSet;

/// Longer loops are looked at by their sums only.
const MOST_LISTED: u64 = 1 << 22;

/// Loops of more turns are not written out.
pub(super) const MOST_COPIES: i64 = 128;

/// How the values of a field go on.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Law {
    /// One value.
    Constant(i64),
    /// By the index of the loop at this depth.
    List {
        /// 0 is the outermost loop.
        depth: usize,
        /// By index.
        values: Vec<i64>,
    },
    /// No such law is known: the mean.
    Free(f64),
}

/// A call or a loop.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Call(Box<Call>),
    Loop { trips: Law, body: Vec<Piece> },
}

/// A call of one rank.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub key: Key,
    /// Communicator as the rank numbers it.
    pub comm: u32,
    /// Its place among the leaves in preorder.
    pub leaf: usize,
    /// Which of the leaf's blocks are its own.
    pub share: Share,
    /// Leaves that are left out before it: their blocks are its own, too.
    pub more: Vec<usize>,
    /// Laws of its fields.
    pub fields: [Option<Law>; 8],
    /// Whether a rank calls it with `MPI_PROC_NULL`.
    pub nobody: bool,
}

/// Which blocks of a leaf lie before a call that was written out of loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    /// One execution in so many.
    pub of: u64,
    /// Of a loop of so many turns the blocks of first turns, or those of all others.
    pub turns: Option<(u64, Which)>,
}

/// Turns of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    First,
    Others,
}

impl Share {
    /// All of them.
    pub(super) const ALL: Share = Share { of: 1, turns: None };
}

/// The number of what is no call: the block before a loop that is written out.
pub(super) const PAUSE: u16 = 0;

impl Call {
    /// What lies before the loop of so many turns whose first call this is.
    fn pause(&self, turns: u64) -> Call {
        let share = Share { of: self.share.of * turns, turns: Some((turns, Which::First)) };
        let key = Key { call: PAUSE, flags: Flags::default(), site: self.key.site };
        Call { key, comm: 0, leaf: self.leaf, share, more: Vec::new(), fields: Default::default(), nobody: false }
    }

    /// The law of a field.
    pub fn law(&self, field: Field) -> Option<&Law> {
        self.fields[field as usize].as_ref()
    }

    /// Partners as ranks of the world, where they are places among these members.
    pub fn peers_among(&mut self, members: &[i64]) {
        let world = |peer: &mut i64| {
            *peer = usize::try_from(*peer).ok().and_then(|place| members.get(place)).copied().unwrap_or(*peer);
        };
        for field in [Field::Peer, Field::Peer2] {
            match &mut self.fields[field as usize] {
                Some(Law::Constant(peer)) => world(peer),
                Some(Law::List { values, .. }) => values.iter_mut().for_each(world),
                _ => {}
            }
        }
    }
}

impl Law {
    /// Its values by index; one of a constant, none where no law is known.
    pub fn listed(&self) -> &[i64] {
        match self {
            Law::Constant(value) => std::slice::from_ref(value),
            Law::List { values, .. } => values,
            Law::Free(_) => &[],
        }
    }

    /// The mean of its values.
    pub fn mean(&self) -> f64 {
        match self {
            Law::Free(mean) => *mean,
            other => {
                let values = other.listed();
                values.iter().map(|value| *value as f64).sum::<f64>() / values.len().max(1) as f64
            }
        }
    }

    /// In the turn `turn` of the loop at `depth`, which is there no more.
    fn fixed(&mut self, at: usize, turn: usize) {
        if let Law::List { depth, values } = self {
            if *depth == at {
                *self = values.get(turn).map_or(Law::Free(f64::NAN), |value| Law::Constant(*value));
            } else if *depth > at {
                *depth -= 1;
            }
        }
    }
}

/// The tree of a rank in normal form; `site` gives call sites their numbers among all recordings.
pub(super) fn normal(tree: Vec<Node>, site: &impl Fn(u32) -> usize) -> Vec<Piece> {
    let tree = split(tree);
    let mut leaf = 0;
    pieces(&tree, &Indices { of: Vec::new(), executions: 1 }, site, &mut leaf)
}

/// Loops whose direct calls have a period that divides their turns become a loop of loops of one period.
pub(crate) fn split(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().map(split_one).collect()
}

fn split_one(node: Node) -> Node {
    let Node::Loop(Loop { counts, body }) = node else { return node };
    let body = split(body);
    let executions = counts.len();
    let turns = counts.only().and_then(|turns| u64::try_from(turns).ok()).unwrap_or(0);
    let period = period(&body, turns);
    if period <= 1 || period >= turns {
        return Node::Loop(Loop { counts, body });
    }
    let outer = turns / period;
    let inner = Loop { counts: Stream::constant(period as i64, executions * outer), body };
    Node::Loop(Loop { counts: Stream::constant(outer as i64, executions), body: vec![Node::Loop(inner)] })
}

/// The least common number of turns after which the fields of the direct calls come again; 1 if none varies.
fn period(body: &[Node], turns: u64) -> u64 {
    if !(4..=MOST_LISTED).contains(&turns) {
        return 1;
    }
    let leaves = body.iter().filter_map(|node| if let Node::Leaf(leaf) = node { Some(leaf) } else { None });
    let mut all = 1;
    for stream in leaves.flat_map(|leaf| followed(leaf).map(|(_, stream)| stream)) {
        if stream.only().is_some() || !stream.is_exact() {
            continue;
        }
        let values: Vec<i64> = stream.values().take(turns as usize).collect();
        let is_period = |period: &usize| {
            turns.is_multiple_of(*period as u64) && values.iter().zip(&values[*period..]).all(|(a, b)| a == b)
        };
        let own = (1..values.len()).find(is_period).unwrap_or(values.len()) as u64;
        let (mut a, mut b) = (all, own);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        all = all / a.max(1) * own;
    }
    if turns.is_multiple_of(all) { all } else { 1 }
}

/// Fields that have a law of their own.
fn followed(leaf: &Leaf) -> impl Iterator<Item = (Field, &Stream)> {
    let all = Field::of(leaf.mask).zip(&leaf.fields);
    all.filter(|(field, _)| !matches!(field, Field::Reqs | Field::Count | Field::Extra))
}

/// The index of each enclosing loop, for every execution.
struct Indices {
    of: Vec<Vec<u32>>,
    executions: u64,
}

impl Indices {
    /// Within a loop that is executed so often each time.
    fn within(&self, counts: &Stream) -> Indices {
        let executions = u64::try_from(counts.sum()).unwrap_or(0);
        let depth = self.of.len() + 1;
        if executions > MOST_LISTED || !counts.is_exact() || self.of.iter().any(Vec::is_empty) && depth > 1 {
            return Indices { of: vec![Vec::new(); depth], executions };
        }
        let mut of = vec![Vec::with_capacity(executions as usize); depth];
        for (execution, count) in counts.values().enumerate() {
            for turn in 0..count.max(0) {
                for (level, indices) in self.of.iter().enumerate() {
                    of[level].push(indices.get(execution).copied().unwrap_or(0));
                }
                of[depth - 1].push(turn as u32);
            }
        }
        Indices { of, executions }
    }

    /// The law of values of which an execution has `each`, of which the first counts.
    fn law(&self, stream: &Stream, each: usize) -> Law {
        if let Some(value) = stream.only() {
            return Law::Constant(value);
        }
        let mean = Law::Free(stream.sum() as f64 / stream.len().max(1) as f64);
        if !stream.is_exact() || stream.len() > MOST_LISTED {
            return mean;
        }
        let values: Vec<i64> = stream.values().step_by(each.max(1)).collect();
        if values.iter().all(|value| *value == values[0]) {
            return Law::Constant(values[0]);
        }
        let depths = (0..self.of.len()).rev();
        depths.filter_map(|depth| by_index(&values, &self.of[depth], depth)).next().unwrap_or(mean)
    }
}

/// The values by an index, if they follow it.
fn by_index(values: &[i64], indices: &[u32], depth: usize) -> Option<Law> {
    if indices.len() != values.len() {
        return None;
    }
    let mut listed: Vec<Option<i64>> = vec![None; indices.iter().max().map_or(0, |most| *most as usize + 1)];
    for (value, index) in values.iter().zip(indices) {
        let known = listed[*index as usize].get_or_insert(*value);
        if known != value {
            return None;
        }
    }
    Some(Law::List { depth, values: listed.into_iter().collect::<Option<Vec<_>>>()? })
}

fn pieces(nodes: &[Node], indices: &Indices, site: &impl Fn(u32) -> usize, leaf: &mut usize) -> Vec<Piece> {
    let one = |node: &Node| match node {
        Node::Loop(Loop { counts, body }) => {
            let trips = indices.law(counts, 1);
            Piece::Loop { trips, body: pieces(body, &indices.within(counts), site, leaf) }
        }
        Node::Leaf(call) => {
            *leaf += 1;
            Piece::Call(Box::new(of_leaf(call, indices, site(call.site), *leaf - 1)))
        }
    };
    nodes.iter().map(one).collect()
}

fn of_leaf(leaf: &Leaf, indices: &Indices, site: usize, number: usize) -> Call {
    let mut fields: [Option<Law>; 8] = Default::default();
    for (field, stream) in Field::of(leaf.mask).zip(&leaf.fields) {
        let each = (stream.len() / indices.executions.max(1)) as usize;
        match field {
            Field::Reqs => {}
            // Of irregular collectives what is received, or sent where that is all.
            Field::Size if each > 1 && [47].contains(&leaf.call) => {
                let received: Vec<i64> = stream.values().skip(1).step_by(each).collect();
                fields[field as usize] = Some(indices.law(&Stream::of(received), 1));
            }
            _ => fields[field as usize] = Some(indices.law(stream, each)),
        }
    }
    let nobody = fields[Field::Peer as usize].as_ref().is_some_and(|law| law.listed().contains(&-1));
    let nobody = nobody && !leaf.flags.has(Flags::ANY);
    let key = Key::of(leaf, site);
    Call { key, comm: leaf.comm, leaf: number, share: Share::ALL, more: Vec::new(), fields, nobody }
}

/// Loops in which a call that `is_apart` follows the index are written out, turn by turn.
///
/// `left` copies are made at most; then loops stay as they are. What lies before a loop is a call of its own, also where the
/// first call of such a loop, one that `starts` has, is made once.
pub(super) fn written_out(
    pieces: Vec<Piece>,
    depth: usize,
    is_apart: &impl Fn(&Call) -> bool,
    (left, starts): (&mut i64, &HashSet<Key>),
) -> Vec<Piece> {
    let mut all = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Loop { trips: Law::Constant(turns), body }
                if turns <= MOST_COPIES.min(*left) && has_apart(&body, depth, is_apart) =>
            {
                *left -= turns;
                if let Some(Piece::Call(call)) = body.first() {
                    all.push(Piece::Call(Box::new(call.pause(turns.max(1) as u64))));
                }
                for turn in 0..turns.max(0) as usize {
                    let mut copy = body.clone();
                    fix(&mut copy, depth, turn);
                    share_out(&mut copy, turns.max(1) as u64);
                    all.extend(written_out(copy, depth, is_apart, (&mut *left, starts)));
                }
            }
            Piece::Loop { trips, body } => {
                let body = written_out(body, depth + 1, is_apart, (&mut *left, starts));
                all.push(Piece::Loop { trips, body });
            }
            Piece::Call(mut call) => {
                if call.share.turns.is_none() && starts.contains(&call.key) {
                    all.push(Piece::Call(Box::new(call.pause(1))));
                    call.share.turns = Some((1, Which::Others));
                }
                all.push(Piece::Call(call));
            }
        }
    }
    all
}

/// Loops of one message to each of several partners, a call that `is_apart`, go through these in the order that `key` says:
/// what a program with an order of its own does is the same but for that.
pub(super) fn sort_partners(
    pieces: &mut [Piece],
    depth: usize,
    is_apart: &impl Fn(&Call) -> bool,
    key: &impl Fn(i64) -> Vec<i64>,
) {
    for piece in pieces {
        let Piece::Loop { body, .. } = piece else { continue };
        let [Piece::Call(call)] = body.as_mut_slice() else {
            sort_partners(body, depth + 1, is_apart, key);
            continue;
        };
        let Some(Law::List { depth: own, values }) = call.law(Field::Peer).filter(|_| is_apart(call)) else { continue };
        if *own != depth {
            continue;
        }
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_cached_key(|turn| key(values[*turn]));
        for law in call.fields.iter_mut().flatten() {
            if let Law::List { depth: own, values } = law
                && *own == depth
                && values.len() == order.len()
            {
                *values = order.iter().map(|turn| values[*turn]).collect();
            }
        }
    }
}

/// The first calls of loops that would be written out.
pub(super) fn starts(pieces: &[Piece], depth: usize, is_apart: &impl Fn(&Call) -> bool, found: &mut HashSet<Key>) {
    for piece in pieces {
        let Piece::Loop { trips, body } = piece else { continue };
        let is_written = matches!(trips, Law::Constant(turns) if *turns <= MOST_COPIES);
        if let Some(Piece::Call(first)) = body.first().filter(|_| is_written && has_apart(body, depth, is_apart)) {
            found.insert(first.key);
        }
        starts(body, depth + 1, is_apart, found);
    }
}

/// A turn of a loop that is written out has its share of the blocks.
fn share_out(body: &mut [Piece], turns: u64) {
    for (place, piece) in body.iter_mut().enumerate() {
        match piece {
            Piece::Call(call) => {
                call.share.of *= turns;
                if place == 0 && call.share.turns.is_none() {
                    call.share.turns = Some((turns, Which::Others));
                }
            }
            Piece::Loop { body, .. } => {
                for_each_mut(body, &mut |call| call.share.of *= turns);
            }
        }
    }
}

fn for_each_mut(pieces: &mut [Piece], each: &mut impl FnMut(&mut Call)) {
    for piece in pieces {
        match piece {
            Piece::Call(call) => each(call),
            Piece::Loop { body, .. } => for_each_mut(body, each),
        }
    }
}

fn has_apart(body: &[Piece], at: usize, is_apart: &impl Fn(&Call) -> bool) -> bool {
    body.iter().any(|piece| match piece {
        Piece::Call(call) => {
            let follows =
                |field| matches!(call.law(field), Some(Law::List { depth, values }) if *depth == at && values.len() > 1);
            (follows(Field::Peer) || follows(Field::Peer2)) && is_apart(call)
        }
        Piece::Loop { body, .. } => has_apart(body, at, is_apart),
    })
}

fn fix(pieces: &mut [Piece], at: usize, turn: usize) {
    for piece in pieces {
        match piece {
            Piece::Call(call) => call.fields.iter_mut().flatten().for_each(|law| law.fixed(at, turn)),
            Piece::Loop { trips, body } => {
                trips.fixed(at, turn);
                fix(body, at, turn);
            }
        }
    }
}

/// Applies `each` to every call, in preorder.
pub(super) fn for_each_call<'a>(pieces: &'a [Piece], each: &mut impl FnMut(&'a Call)) {
    for piece in pieces {
        match piece {
            Piece::Call(call) => each(call),
            Piece::Loop { body, .. } => for_each_call(body, each),
        }
    }
}
