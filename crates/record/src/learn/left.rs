//! Calls that follow no structure: the model does without them, and without what is at the other end of their messages.

use super::normal::Piece;
use super::{Key, Source, frames, is_message};
use crate::vocabulary::{Field, call};
use crate::walk::walk;
use indexmap::{IndexMap, IndexSet};
use runcast_core::Problem;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// A call that the model does without.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// It.
    pub key: Key,
    /// Executions in all recordings.
    pub calls: u64,
    /// These, as a share of all calls.
    pub share: f64,
    /// What it does not follow.
    pub why: String,
}

/// Calls that no structure was found for, and what there is to say of them.
#[derive(Debug)]
pub(super) struct Refusal {
    pub problem: Problem,
    pub keys: Vec<Key>,
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Refusal { problem, keys: Vec::new() }
    }
}

/// The pieces without these calls; the blocks before one belong to the next call that stays.
pub(super) fn take_out(pieces: Vec<Piece>, gone: &IndexMap<Key, String>, open: &mut Vec<usize>) -> Vec<Piece> {
    let mut all = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Call(call) if gone.contains_key(&call.key) => open.push(call.leaf),
            Piece::Call(mut call) => {
                call.more.append(open);
                all.push(Piece::Call(call));
            }
            Piece::Loop { trips, body } => {
                let body = take_out(body, gone, open);
                if !body.is_empty() {
                    all.push(Piece::Loop { trips, body });
                }
            }
        }
    }
    all
}

/// Executions of each call, and which calls send what which ones receive.
pub(super) struct Traffic {
    calls: IndexMap<Key, u64>,
    /// Of each call in `calls`, the number of the group of those that exchange messages.
    groups: Vec<usize>,
}

impl Traffic {
    /// Of all recordings: the n-th message from one rank to another with one tag is the n-th that is received.
    pub(super) fn of(sources: &[Source<'_>], sites: &IndexSet<String>) -> Self {
        let mut all = Traffic { calls: IndexMap::new(), groups: Vec::new() };
        for source in sources {
            let names: Vec<Option<usize>> =
                source.recording.sites.iter().map(|site| sites.get_index_of(&frames(site, source.recording))).collect();
            let mut ends: HashMap<(i64, i64, i64), [Vec<usize>; 2]> = HashMap::new();
            for program in &source.recording.programs {
                for rank in &program.ranks {
                    let own = i64::from(*rank);
                    let comms = source.recording.comms_of(*rank);
                    let tree = source.recording.tree_of(program, *rank);
                    let _ = walk::<()>(&tree, |event| {
                        let leaf = event.leaf;
                        let Some(site) = names.get(leaf.site as usize).copied().flatten() else {
                            return ControlFlow::Continue(());
                        };
                        let place = all.add(Key::of(leaf, site));
                        let members = comms.get(leaf.comm as usize).filter(|_| leaf.comm > 1);
                        let world = |peer: &i64| match members {
                            Some(comm) => comm.members.values().nth(*peer as usize).unwrap_or(*peer),
                            None => *peer,
                        };
                        let tag = event.get(Field::Tag).unwrap_or(0);
                        let is_send = leaf.call < call::RECV || leaf.call == call::SENDRECV;
                        let mut end = |field: Field, side: usize| {
                            for peer in event.all(field).iter().filter(|peer| **peer >= 0).map(world) {
                                let pair = if side == 0 { (own, peer, tag) } else { (peer, own, tag) };
                                ends.entry(pair).or_default()[side].push(place);
                            }
                        };
                        if is_message(leaf.call) && leaf.call < call::WAIT {
                            end(Field::Peer, usize::from(!is_send));
                            end(Field::Peer2, 1);
                        }
                        ControlFlow::Continue(())
                    });
                }
            }
            for [sent, received] in ends.into_values() {
                sent.into_iter().zip(received).for_each(|(from, to)| all.join(from, to));
            }
        }
        all
    }

    fn add(&mut self, key: Key) -> usize {
        let entry = self.calls.entry(key);
        let place = entry.index();
        *entry.or_insert(0) += 1;
        if place == self.groups.len() {
            self.groups.push(place);
        }
        place
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.groups[a], self.groups[b]);
        if a != b {
            self.groups.iter_mut().filter(|group| **group == b).for_each(|group| *group = a);
        }
    }

    /// These calls, with how many there are.
    pub(super) fn left_out(&self, gone: &IndexMap<Key, String>) -> Vec<LeftOut> {
        let all: u64 = self.calls.values().sum();
        let one = |(key, why): (&Key, &String)| {
            let calls = self.calls.get(key).copied().unwrap_or(0);
            LeftOut { key: *key, calls, share: calls as f64 / all.max(1) as f64, why: why.clone() }
        };
        gone.iter().map(one).collect()
    }

    /// The call and those that it exchanges messages with.
    pub(super) fn with_partners(&self, key: Key) -> Vec<Key> {
        let Some(group) = self.calls.get_index_of(&key).map(|place| self.groups[place]) else { return vec![key] };
        let all = self.calls.keys().zip(&self.groups);
        all.filter(|(_, own)| **own == group).map(|(key, _)| *key).collect()
    }
}
