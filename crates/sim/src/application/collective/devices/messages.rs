//! The messages of one process in a collective of devices.

use super::{CHUNK, DeviceAlgorithm};
use crate::application::{Application, CollectiveKind, Tag};
use crate::collective::pattern::{Pattern, Ring};
use crate::collective::{FIRST_TAG, Layout, Shape, process_of};
use crate::cursor::{Action, Channel, Expansion, FIRST_OWN_REQUEST};
use crate::job::Received;
use std::collections::VecDeque;

/// Tags of trees: this minus four times the number of the group, and the way: which tree, up or down.
const TREE_TAG: Tag = -(1 << 45);

/// The messages of one member, whose number in the group is known.
pub(in crate::application::collective) fn expand(
    application: &Application,
    collective: u32,
    member: u64,
    algorithm: DeviceAlgorithm,
    layout: &Layout,
) -> Box<dyn Expansion> {
    let call = &application.collectives[collective as usize];
    let seats = Seats { application, group: call.group, layout, own: layout.position(member) };
    let reduces = call.kind != CollectiveKind::Allgather;
    let halves = match call.kind {
        CollectiveKind::Allreduce => [true, true],
        CollectiveKind::ReduceScatter => [true, false],
        _ => [false, true],
    };
    let (g, m) = (layout.each, layout.machines);
    let (machine, index) = (seats.own / g, seats.own % g);
    let mut rings = Vec::new();
    match algorithm {
        DeviceAlgorithm::Tree => {
            return Box::new(Trees::new(&seats, call.size, f64::from(u8::from(reduces)) * layout.reduce_per_byte_s));
        }
        DeviceAlgorithm::Ring => {
            let all = seats.circle(0, 1, layout.count(), call.size);
            rings.extend(halves.iter().zip([true, false]).filter(|(has, _)| **has).map(|(_, reduce)| (all, reduce)));
        }
        DeviceAlgorithm::Hierarchical => {
            let inside = seats.circle(machine * g, 1, g, call.size);
            let across = seats.circle(index, g, m, call.size / g);
            let half = [(halves[0], inside, true), (halves[0], across, true)];
            let other = [(halves[1], across, false), (halves[1], inside, false)];
            rings.extend(half.into_iter().chain(other).filter(|(has, ..)| *has).map(|(_, ring, sums)| (ring, sums)));
        }
    }
    Box::new(Rings {
        tag: FIRST_TAG - Tag::from(call.group),
        reduce_s: layout.reduce_per_byte_s,
        rings,
        at: 0,
        round: 0,
        pending: VecDeque::new(),
    })
}

/// Blocks follow one another from one device to the next.
fn channel(rails: u64) -> Channel {
    Channel { rails, in_order: true, ..Channel::default() }
}

/// Members in the order of a layout.
struct Seats<'a> {
    application: &'a Application,
    group: u32,
    layout: &'a Layout,
    own: u64,
}

/// A ring that a process is in.
#[derive(Debug, Clone, Copy)]
struct Circle {
    shape: Shape,
    /// Number in the ring.
    own: u64,
    previous: u64,
    next: u64,
    /// Rails to the next.
    rails: u64,
}

impl Seats<'_> {
    /// Number of the process at a place.
    fn process(&self, at: u64) -> u64 {
        process_of(self.application, self.group, self.layout.member(at))
    }

    /// The ring of every `stride`th member from the first on. One of all members passes messages over all rails.
    fn circle(&self, first: u64, stride: u64, count: u64, size: u64) -> Circle {
        let own = (self.own - first) / stride;
        let at = |number: u64| first + number % count * stride;
        let (next, previous) = (at(own + 1), at(own + count - 1));
        let leaves = next / self.layout.each != self.own / self.layout.each;
        let rails = if stride == 1 && leaves { self.layout.spread() } else { 0 };
        let shape = Shape::new(count, size);
        Circle { shape, own, previous: self.process(previous), next: self.process(next), rails }
    }
}

/// Rings one after the other.
struct Rings {
    tag: Tag,
    reduce_s: f64,
    /// Each with whether blocks are summed up along the way.
    rings: Vec<(Circle, bool)>,
    at: usize,
    round: u64,
    pending: VecDeque<Action>,
}

impl Expansion for Rings {
    fn next(&mut self, _: Option<Received>) -> Option<Action> {
        loop {
            if let Some(action) = self.pending.pop_front() {
                return Some(action);
            }
            let (circle, sums) = *self.rings.get(self.at)?;
            if self.round + 1 >= circle.shape.processes {
                (self.at, self.round) = (self.at + 1, 0);
                continue;
            }
            let step = Ring { reduce: sums }.step(&circle.shape, circle.own, self.round);
            self.round += 1;
            let (receiving, sending, tag) = (FIRST_OWN_REQUEST, FIRST_OWN_REQUEST + 1, self.tag);
            let size = step.send.map_or(0, |(_, bytes)| bytes);
            self.pending.extend([
                Action::Irecv { from: Some(circle.previous), tag, request: receiving },
                Action::Isend { to: circle.next, size, tag, request: sending, channel: channel(circle.rails) },
                Action::Wait { request: receiving },
                Action::Wait { request: sending },
            ]);
            let seconds = step.reduce as f64 * self.reduce_s;
            self.pending.extend((seconds > 0.0).then_some(Action::Sleep(seconds)));
        }
    }
}

/// Parent of a machine in the first or second of two trees over `machines`; none: it is the root.
///
/// With `t` the lowest bit that is set in r: (r^t)|(2t), or r^t where that is too large. The second tree is the first read
/// backwards, so that no machine is inner in both, or moved on by one where their number is odd.
pub(super) fn parent(machines: u64, machine: u64, second: bool) -> Option<u64> {
    let first = |r: u64| -> Option<u64> {
        let lowest = r & r.wrapping_neg();
        let parent = (r ^ lowest) | (2 * lowest);
        (r > 0).then_some(if parent >= machines { r ^ lowest } else { parent })
    };
    match second {
        false => first(machine),
        true if machines.is_multiple_of(2) => first(machines - 1 - machine).map(|parent| machines - 1 - parent),
        true => first((machine + machines - 1) % machines).map(|parent| (parent + 1) % machines),
    }
}

/// Chunks up a chain in each machine and two trees of machines, then down.
///
/// A machine handles first what it need not wait for others with: it is a leaf of one tree, and hands all of that up before it
/// takes part in the other; on the way down it serves the other first.
struct Trees {
    /// Process before this one in its machine, and behind it.
    before: Option<u64>,
    behind: Option<u64>,
    /// Of each tree: parent and children of this machine; only its first member has any.
    parents: [Option<u64>; 2],
    children: [Vec<u64>; 2],
    /// The tree that its machine is a leaf of.
    leaf_of: usize,
    rails: u64,
    tag: Tag,
    /// Bytes of each half, and of a chunk.
    halves: [u64; 2],
    chunk: u64,
    reduce_s: f64,
    /// Which step comes next: chunk by chunk up one tree and the other, then down, then the waits.
    step: u64,
    sent: u32,
    waited: u32,
    pending: VecDeque<Action>,
}

impl Trees {
    fn new(seats: &Seats<'_>, size: u64, reduce_s: f64) -> Self {
        let (g, m) = (seats.layout.each, seats.layout.machines);
        let (machine, index) = (seats.own / g, seats.own % g);
        let head = |machine: u64| seats.process(machine * g);
        let is_head = index == 0;
        let parent_in = |second: bool| parent(m, machine, second).filter(|_| is_head).map(head);
        let below = |second: bool| (0..m).filter(move |other| parent(m, *other, second) == Some(machine));
        let children_in = |second: bool| below(second).filter(|_| is_head).map(head).collect();
        let rails = seats.layout.rail_count();
        Trees {
            before: (!is_head).then(|| seats.process(seats.own - 1)),
            behind: (index + 1 < g).then(|| seats.process(seats.own + 1)),
            parents: [parent_in(false), parent_in(true)],
            children: [children_in(false), children_in(true)],
            leaf_of: usize::from(below(false).next().is_some()),
            rails: seats.layout.spread(),
            tag: TREE_TAG - 4 * Tag::from(seats.group),
            halves: [size - size / 2, size / 2],
            chunk: size.div_ceil(rails).clamp(1, CHUNK).saturating_mul(if m > 1 { rails } else { 1 }),
            reduce_s,
            step: 0,
            sent: 0,
            waited: 0,
            pending: VecDeque::new(),
        }
    }

    fn chunks(&self) -> u64 {
        self.halves[0].div_ceil(self.chunk).max(1)
    }

    fn receive(&mut self, from: u64, tag: Tag, size: u64, reduces: bool) {
        self.pending.push_back(Action::Recv { from: Some(from), tag });
        let seconds = size as f64 * self.reduce_s;
        self.pending.extend((reduces && seconds > 0.0).then_some(Action::Sleep(seconds)));
    }

    fn send(&mut self, to: u64, size: u64, tag: Tag, rails: u64) {
        let request = FIRST_OWN_REQUEST + self.sent;
        self.sent += 1;
        self.pending.push_back(Action::Isend { to, size, tag, request, channel: channel(rails) });
    }

    /// Hands a chunk on to those below.
    fn pass_down(&mut self, tree: usize, size: u64) {
        let tag = self.tag - 2 * tree as Tag - 1;
        for child in self.children[tree].clone() {
            self.send(child, size, tag, self.rails);
        }
        if let Some(behind) = self.behind {
            self.send(behind, size, tag, 0);
        }
    }

    /// A chunk goes up, or comes down.
    fn handle(&mut self, chunk: u64, tree: usize, is_up: bool) {
        let size = self.chunk.min(self.halves[tree].saturating_sub(chunk * self.chunk));
        if size == 0 && chunk > 0 {
            return;
        }
        let (up, down) = (self.tag - 2 * tree as Tag, self.tag - 2 * tree as Tag - 1);
        let above = self.before.or(self.parents[tree]);
        let rails = if self.before.is_some() { 0 } else { self.rails };
        if !is_up {
            if let Some(above) = above {
                self.receive(above, down, size, false);
                self.pass_down(tree, size);
            }
            return;
        }
        for below in self.behind.into_iter().chain(self.children[tree].clone()) {
            self.receive(below, up, size, true);
        }
        match above {
            Some(above) => self.send(above, size, up, rails),
            None => self.pass_down(tree, size),
        }
    }
}

impl Expansion for Trees {
    fn next(&mut self, _: Option<Received>) -> Option<Action> {
        let chunks = self.chunks();
        loop {
            if let Some(action) = self.pending.pop_front() {
                return Some(action);
            }
            let step = self.step;
            if step < 4 * chunks {
                self.step += 1;
                let (stretch, chunk) = (step / chunks, step % chunks);
                let tree = if matches!(stretch, 0 | 3) { self.leaf_of } else { 1 - self.leaf_of };
                self.handle(chunk, tree, stretch < 2);
                continue;
            }
            self.waited += 1;
            return (self.waited <= self.sent).then(|| Action::Wait { request: FIRST_OWN_REQUEST + self.waited - 1 });
        }
    }
}
