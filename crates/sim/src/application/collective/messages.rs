//! The messages of one process in a collective.

use super::Counts;
use super::algorithm::{Algorithm, Fold};
use super::pattern::{Pattern, Step};
use super::shape::Shape;
use super::{Decision, FIRST_TAG, devices, members, process_of};
use crate::application::{Application, CollectiveKind, Group, Tag};
use crate::cursor::{Action, Channel, Expansion, FIRST_OWN_REQUEST};
use crate::job::Received;
use runcast_core::Problem;
use std::ops::Range;
use std::sync::Arc;

/// The messages of one process in a collective call. Reducing a byte takes `reduce_s` seconds.
///
/// # Errors
/// The process is not in the group.
pub fn expand(
    application: &Application,
    collective: u32,
    process: u64,
    decision: &Decision,
    reduce_s: f64,
) -> Result<Box<dyn Expansion>, Problem> {
    let call = &application.collectives[collective as usize];
    let group = &application.groups[call.group as usize];
    let processes = members(application, call.group);
    let first = application.labels[group.label as usize].first;
    let own = member_of(group, process.wrapping_sub(first), processes).ok_or_else(|| {
        Problem::new(
            "not_in_group",
            format!("{} calls a {} that it does not belong to", application.name_of(process), call.kind.name()),
        )
    })?;
    let chosen = match decision {
        Decision::Members(chosen) => chosen,
        Decision::Devices(algorithm, layout) => {
            return Ok(devices::expand(application, collective, own, *algorithm, layout));
        }
    };
    let algorithm = chosen.algorithm.for_processes(processes);
    let shape = chosen.shape(processes, call.size);
    let numbers = match &group.members {
        None => Numbers::Even { first, stride: 1 },
        Some(ranks) => match stride(ranks) {
            Some(stride) => Numbers::Even { first: first + ranks[0], stride },
            None => Numbers::Listed(partner_table(application, call.group)),
        },
    };
    Ok(Box::new(Messages {
        kind: call.kind,
        counts: call.counts.clone(),
        fold: algorithm.fold(shape.processes),
        algorithm,
        shape,
        member: (own + processes - call.root % processes) % processes,
        root: call.root,
        numbers,
        tag: FIRST_TAG - Tag::from(call.group),
        reduce_s,
        part: 0,
        rounds: 0..0,
        pending: Pending::default(),
        at_once: None,
    }))
}

fn member_of(group: &Group, rank: u64, processes: u64) -> Option<u64> {
    match &group.members {
        None => (rank < processes).then_some(rank),
        Some(members) => members.iter().position(|member| *member == rank).map(|at| at as u64),
    }
}

/// The stride of evenly spaced ranks, such as rows and columns of a grid.
fn stride(ranks: &[u64]) -> Option<u64> {
    let stride = match ranks {
        [first, second, ..] => second.checked_sub(*first)?,
        _ => 1,
    };
    ranks.windows(2).all(|pair| pair[0].checked_add(stride) == Some(pair[1])).then_some(stride)
}

fn partner_table(application: &Application, group: u32) -> Box<[u64]> {
    (0..members(application, group)).map(|member| process_of(application, group, member)).collect()
}

/// How members become processes.
enum Numbers {
    /// Evenly spaced: a whole label, a row or column of a grid.
    Even {
        first: u64,
        stride: u64,
    },
    Listed(Box<[u64]>),
}

/// A process on its way through the rounds of an algorithm.
struct Messages {
    kind: CollectiveKind,
    /// Bytes of each member, where they differ.
    counts: Option<Arc<Counts>>,
    algorithm: &'static Algorithm,
    /// Of all members.
    shape: Shape,
    /// Number counted from the root.
    member: u64,
    root: u64,
    numbers: Numbers,
    tag: Tag,
    reduce_s: f64,
    fold: Option<Fold>,
    /// Which part comes next: 0 is the fold, then the patterns, then the way back.
    part: usize,
    rounds: Range<u64>,
    /// Steps of the present round, taken from the end.
    pending: Pending,
    /// Where a pattern without waiting stands: its stage, and the round that is next.
    at_once: Option<(Stage, u64)>,
}

/// What a pattern without waiting does for all its rounds, before it does the next for all.
#[derive(Clone, Copy)]
enum Stage {
    Receive,
    Send,
    AwaitReceived,
    AwaitSent,
}

impl Stage {
    fn following(self) -> Option<Stage> {
        match self {
            Stage::Receive => Some(Stage::Send),
            Stage::Send => Some(Stage::AwaitReceived),
            Stage::AwaitReceived => Some(Stage::AwaitSent),
            Stage::AwaitSent => None,
        }
    }
}

/// The rest of a round, in order: receive, send, the waits, the reduction.
#[derive(Clone, Copy, Default)]
struct Pending {
    receive: Option<u64>,
    send: Option<(u64, u64)>,
    both: bool,
    waits: u32,
    reduce: u64,
}

impl Messages {
    fn process(&self, member: u64) -> u64 {
        let member = (member + self.root) % self.shape.processes;
        match &self.numbers {
            Numbers::Even { first, stride } => first + member * stride,
            Numbers::Listed(processes) => processes[member as usize],
        }
    }

    /// The shape and the own number that patterns see; none: this member sits out.
    fn inner(&self) -> Option<(Shape, u64)> {
        match self.fold {
            None => Some((self.shape, self.member)),
            Some(fold) => {
                fold.inside(self.member).map(|member| (Shape { processes: fold.inner(), ..self.shape }, member))
            }
        }
    }

    /// The partner of that number in a pattern.
    fn partner(&self, number: u64) -> u64 {
        self.process(self.fold.map_or(number, |fold| fold.outside(number)))
    }

    fn pattern(&self) -> Option<&'static dyn Pattern> {
        self.part.checked_sub(2).and_then(|at| self.algorithm.patterns.get(at)).copied()
    }

    /// Advances to the next part; `false` when there is none. A part is 1 for the fold, 2.. for patterns, then the way back.
    fn advance(&mut self) -> bool {
        self.part += 1;
        if self.part == 1 {
            if let Some(fold) = self.fold {
                self.hand_over(fold, true);
            }
            return true;
        }
        if let Some(pattern) = self.pattern() {
            if let Some((shape, member)) = self.inner()
                && shape.processes > 1
            {
                self.rounds = pattern.rounds(&shape, member);
                if pattern.at_once() && !self.rounds.is_empty() {
                    self.at_once = Some((Stage::Receive, self.rounds.start));
                }
            }
            return true;
        }
        if self.part == self.algorithm.patterns.len() + 2 {
            if let Some(fold) = self.fold
                && fold.back
            {
                self.hand_over(fold, false);
            }
            return true;
        }
        false
    }

    /// The step before the patterns (data to the neighbor who stays, reduced there), or after them (the result back).
    fn hand_over(&mut self, fold: Fold, before: bool) {
        let Some(neighbor) = fold.neighbor(self.member) else { return };
        let sits_out = fold.inside(self.member).is_none();
        let neighbor = self.process(neighbor);
        self.pending = if sits_out == before {
            Pending { send: Some((neighbor, self.shape.size)), ..Pending::default() }
        } else {
            let reduce = if before { self.shape.size } else { 0 };
            Pending { receive: Some(neighbor), reduce, ..Pending::default() }
        };
    }

    /// A step of a pattern, with the bytes that members have where they differ.
    fn step(&self, pattern: &dyn Pattern, shape: &Shape, member: u64, round: u64) -> Step {
        let mut step = pattern.step(shape, member, round);
        let Some(counts) = &self.counts else { return step };
        let real = |member: u64| (member + self.root) % self.shape.processes;
        if let Some((to, bytes)) = &mut step.send {
            *bytes = counts.message(self.kind, real(member), real(*to), round);
        }
        if step.reduce > 0 || self.kind == CollectiveKind::ReduceScatter {
            step.reduce = counts.reduced(real(member));
        }
        step
    }

    fn begin(&mut self, step: Step) {
        self.pending = Pending {
            receive: step.receive.map(|from| self.partner(from)),
            send: step.send.map(|(to, bytes)| (self.partner(to), bytes)),
            both: step.receive.is_some() && step.send.is_some(),
            waits: 0,
            reduce: step.reduce,
        };
    }

    /// The next action of the present round.
    fn pending(&mut self) -> Option<Action> {
        let tag = self.tag;
        let pending = &mut self.pending;
        let (receiving, sending) = (FIRST_OWN_REQUEST, FIRST_OWN_REQUEST + 1);
        if let Some(from) = pending.receive.take() {
            let from = Some(from);
            return Some(if pending.both {
                Action::Irecv { from, tag, request: receiving }
            } else {
                Action::Recv { from, tag }
            });
        }
        if let Some((to, size)) = pending.send.take() {
            if !pending.both {
                return Some(Action::Send { to, size, tag });
            }
            pending.waits = 2;
            return Some(Action::Isend { to, size, tag, request: sending, channel: Channel::default() });
        }
        if pending.waits > 0 {
            pending.waits -= 1;
            return Some(Action::Wait { request: if pending.waits == 1 { receiving } else { sending } });
        }
        if pending.reduce > 0 && self.reduce_s > 0.0 {
            let seconds = pending.reduce as f64 * self.reduce_s;
            pending.reduce = 0;
            return Some(Action::Sleep(seconds));
        }
        pending.reduce = 0;
        None
    }

    /// All receives, all sends, then the waits in the same order, each with the reduction of what came.
    fn at_once(&mut self, pattern: &'static dyn Pattern, shape: &Shape, member: u64) -> Option<Action> {
        let rounds = self.rounds.clone();
        let tag = self.tag;
        while let Some((stage, round)) = self.at_once {
            if round == rounds.end {
                self.at_once = stage.following().map(|stage| (stage, rounds.start));
                continue;
            }
            self.at_once = Some((stage, round + 1));
            let step = self.step(pattern, shape, member, round);
            let receiving = FIRST_OWN_REQUEST + (round - rounds.start) as u32;
            let sending = receiving + (rounds.end - rounds.start) as u32;
            let action = match stage {
                Stage::Receive => step.receive.map(|from| {
                    let from = Some(self.partner(from));
                    Action::Irecv { from, tag, request: receiving }
                }),
                Stage::Send => step.send.map(|(to, size)| {
                    let (to, channel) = (self.partner(to), Channel::default());
                    Action::Isend { to, size, tag, request: sending, channel }
                }),
                Stage::AwaitReceived => {
                    self.pending.reduce = step.reduce;
                    step.receive.map(|_| Action::Wait { request: receiving })
                }
                Stage::AwaitSent => step.send.map(|_| Action::Wait { request: sending }),
            };
            if action.is_some() {
                return action;
            }
        }
        self.rounds = 0..0;
        None
    }
}

impl Expansion for Messages {
    fn next(&mut self, _: Option<Received>) -> Option<Action> {
        loop {
            if let Some(action) = self.pending() {
                return Some(action);
            }
            if let (Some(pattern), Some((shape, member))) = (self.pattern(), self.inner()) {
                if self.at_once.is_some() {
                    if let Some(action) = self.at_once(pattern, &shape, member) {
                        return Some(action);
                    }
                } else if let Some(round) = self.rounds.next() {
                    self.begin(self.step(pattern, &shape, member, round));
                    continue;
                }
            }
            if !self.advance() {
                return None;
            }
        }
    }
}
