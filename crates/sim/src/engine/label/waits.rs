//! Whether a class waits for its own later operation: programs are walked without time, and a receive of a class continues only
//! when the messages for all of its members are sent.
//!
//! A pipeline is the case in point: ranks within it have equal lists of operations, and each waits for the one before it. The
//! representative alone would not see that.

use super::classes::Classes;
use super::walk::{Next, Walk};
use super::wiring::Peers;
use crate::application::{Application, Op, Source, Tag};
use std::collections::{HashMap, HashSet};

/// Receives of a class at these positions wait for sends of another at those: the m-th for the m-th.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Dependence {
    class: u32,
    receives: Vec<u32>,
    sender: u32,
    sends: Vec<u32>,
}

/// Steps of a class: its program, loops gone through a few times. What it would send afterwards counts as sent.
fn enough(ops: usize) -> u64 {
    4 * ops as u64 + 1000
}

/// Classes that wait forever when the messages for all members must be there; empty if there are none.
pub fn waiting(application: &Application, classes: &Classes, looks: &mut u64) -> Vec<u32> {
    let dependences = dependences(application, classes, looks);
    if dependences.is_empty() {
        return Vec::new();
    }
    let mut check = Check::new(application, classes, &dependences);
    check.play();
    check.left()
}

fn dependences(application: &Application, classes: &Classes, looks: &mut u64) -> Vec<Dependence> {
    let mut peers = Peers::default();
    let mut seen = HashSet::new();
    let mut found = HashSet::new();
    let mut list = Vec::new();
    let mut sources: Vec<(u64, Tag)> = Vec::new();
    classes.for_ranks(application, |process, program, class| {
        sources.clear();
        for (op, _) in &application.programs[program as usize].ops {
            if let Op::Recv { from: Source::Peer(peer), tag } | Op::Irecv { from: Source::Peer(peer), tag, .. } = op {
                sources.push((peer.of(process), *tag));
            }
        }
        sources.sort_unstable();
        sources.dedup();
        *looks += sources.len() as u64;
        let label = application.label_of(process);
        for (from, tag) in &sources {
            let (Some(sender), Some(sending)) = (classes.of(application, *from), application.program_of(*from)) else {
                continue;
            };
            // Pairs of like programs at the same distance are the same, unless a number is meant that only one has.
            let first = application.labels[label].first;
            let own = application.label_of(*from) != label || process == first || *from == first;
            let key = (
                program,
                sending,
                class,
                sender,
                from.wrapping_sub(process),
                *tag,
                if own { process } else { u64::MAX },
            );
            if !seen.insert(key) {
                continue;
            }
            let receives: Vec<u32> = peers
                .receives(application, program, process, *from, *tag)
                .into_iter()
                .filter_map(|(position, any)| (!any).then_some(position))
                .collect();
            let sends = peers.sends_tagged(application, sending, *from, process, *tag);
            let dependence = Dependence { class, receives, sender, sends };
            if found.insert(dependence.clone()) {
                list.push(dependence);
            }
        }
    });
    list
}

/// Where a class is in the walk.
struct Stand {
    walk: Walk,
    steps: u64,
    /// How often an operation was done, by position.
    done: Vec<u64>,
    /// What requests wait for: dependence and count.
    requests: HashMap<u32, Vec<(u32, u64)>>,
    /// What it waits for now.
    blocked: Vec<(u32, u64)>,
    over: bool,
}

struct Check<'a> {
    application: &'a Application,
    classes: &'a Classes,
    dependences: &'a [Dependence],
    /// Dependences of a class by position of the receive.
    of: HashMap<(u32, u32), Vec<u32>>,
    /// Receives that were begun, by dependence.
    begun: Vec<u64>,
    /// Classes that may wait for a class.
    waiting_for: Vec<Vec<u32>>,
    stands: Vec<Stand>,
}

impl<'a> Check<'a> {
    fn new(application: &'a Application, classes: &'a Classes, dependences: &'a [Dependence]) -> Self {
        let mut of: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
        let mut waiting_for = vec![Vec::new(); classes.list.len()];
        for (number, dependence) in dependences.iter().enumerate() {
            for position in &dependence.receives {
                of.entry((dependence.class, *position)).or_default().push(number as u32);
            }
            waiting_for[dependence.sender as usize].push(dependence.class);
        }
        for waiting in &mut waiting_for {
            waiting.sort_unstable();
            waiting.dedup();
        }
        let stands = classes.list.iter().map(|class| Stand {
            walk: Walk::default(),
            steps: 0,
            done: vec![0; application.programs[class.program as usize].ops.len()],
            requests: HashMap::new(),
            blocked: Vec::new(),
            over: false,
        });
        let stands = stands.collect();
        Check { application, classes, dependences, of, begun: vec![0; dependences.len()], waiting_for, stands }
    }

    fn play(&mut self) {
        let mut runnable: Vec<u32> = (0..self.stands.len() as u32).rev().collect();
        let mut listed = vec![true; self.stands.len()];
        while let Some(class) = runnable.pop() {
            listed[class as usize] = false;
            let before = self.stands[class as usize].steps;
            self.go(class);
            if self.stands[class as usize].steps == before && !self.stands[class as usize].over {
                continue;
            }
            for other in &self.waiting_for[class as usize] {
                if !listed[*other as usize] && !self.stands[*other as usize].over {
                    listed[*other as usize] = true;
                    runnable.push(*other);
                }
            }
        }
    }

    /// As far as a class gets.
    fn go(&mut self, class: u32) {
        let at = class as usize;
        let application = self.application;
        let ops = &application.programs[self.classes.list[at].program as usize].ops;
        while !self.stands[at].over {
            let blocked = std::mem::take(&mut self.stands[at].blocked);
            let missing: Vec<(u32, u64)> = blocked.into_iter().filter(|(on, count)| !self.sent(*on, *count)).collect();
            if !missing.is_empty() {
                self.stands[at].blocked = missing;
                return;
            }
            let stand = &mut self.stands[at];
            stand.steps += 1;
            if stand.steps > enough(ops.len()) {
                stand.over = true;
                return;
            }
            let (position, op) = match stand.walk.next(ops) {
                Next::Op(position, op, _) => (position, op),
                Next::Turned => continue,
                Next::End => {
                    stand.over = true;
                    return;
                }
            };
            stand.done[position as usize] += 1;
            match op {
                Op::Recv { .. } | Op::Irecv { .. } => {
                    let mut needed = Vec::new();
                    for dependence in self.of.get(&(class, position)).into_iter().flatten() {
                        self.begun[*dependence as usize] += 1;
                        needed.push((*dependence, self.begun[*dependence as usize]));
                    }
                    match op {
                        Op::Irecv { request, .. } => {
                            self.stands[at].requests.insert(request, needed);
                        }
                        _ => self.stands[at].blocked = needed,
                    }
                }
                Op::Wait { request } => {
                    self.stands[at].blocked = self.stands[at].requests.remove(&request).unwrap_or_default();
                }
                _ => {}
            }
        }
    }

    /// Whether this many messages of a dependence are sent.
    fn sent(&self, dependence: u32, count: u64) -> bool {
        let dependence = &self.dependences[dependence as usize];
        let sender = &self.stands[dependence.sender as usize];
        // It is never sent: the simulation reports that.
        let never = sender.over || dependence.sends.is_empty();
        never || dependence.sends.iter().map(|position| sender.done[*position as usize]).sum::<u64>() >= count
    }

    fn left(&self) -> Vec<u32> {
        (0..self.stands.len() as u32).filter(|class| !self.stands[*class as usize].over).collect()
    }
}
