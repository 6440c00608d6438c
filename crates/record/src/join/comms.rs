//! Communicators of all ranks in one table, in an order that agrees with that of every rank.

use crate::recording::Recording;
use crate::tables::Comm;
use std::collections::HashMap;

/// The communicators of one rank.
pub(super) struct Own<'a> {
    comms: &'a [Comm],
}

impl<'a> Own<'a> {
    pub(super) fn of(part: &'a Recording) -> Self {
        Own { comms: &part.comms }
    }
}

/// A communicator as its members see it: what it is, and how many like it they had made before.
type Key<'a> = (&'a Comm, usize);

/// The table, and whether all ranks agree on the order. The first two are the world and the rank itself.
///
/// A communicator comes next when every member that left a recording has it next.
pub(super) fn unify(own: &[Own<'_>]) -> (Vec<Comm>, bool) {
    let Some(first) = own.first() else { return (Vec::new(), true) };
    let mut table: Vec<Comm> = first.comms.iter().take(2).cloned().collect();
    if let Some(itself) = table.get_mut(1) {
        itself.members = crate::stream::Stream::default();
    }
    let queues: Vec<Vec<Key<'_>>> = own.iter().map(|own| keys(own.comms)).collect();
    let mut needed: HashMap<Key<'_>, usize> = HashMap::new();
    queues.iter().flatten().for_each(|key| *needed.entry(*key).or_default() += 1);
    let mut heads = vec![0; queues.len()];
    let mut waiting: HashMap<Key<'_>, Vec<usize>> = HashMap::new();
    let mut ready: Vec<usize> = (0..queues.len()).rev().collect();
    let mut in_order = true;
    loop {
        while let Some(place) = ready.pop() {
            let Some(key) = queues[place].get(heads[place]) else { continue };
            let there = waiting.entry(*key).or_default();
            there.push(place);
            if there.len() == needed[key] {
                let members = waiting.remove(key).unwrap_or_default();
                emit(key, &members, &mut table, &mut heads, &mut ready);
            }
        }
        // What still waits contradicts itself; the lowest rank decides.
        let stuck = waiting.iter().min_by_key(|(_, places)| places.iter().min().copied());
        let Some(key) = stuck.map(|(key, _)| *key) else { return (table, in_order) };
        in_order = false;
        let members = waiting.remove(&key).unwrap_or_default();
        needed.entry(key).and_modify(|count| *count -= members.len().min(*count));
        emit(&key, &members, &mut table, &mut heads, &mut ready);
    }
}

fn emit(key: &Key<'_>, members: &[usize], table: &mut Vec<Comm>, heads: &mut [usize], ready: &mut Vec<usize>) {
    table.push(key.0.clone());
    for &place in members.iter().rev() {
        heads[place] += 1;
        ready.push(place);
    }
}

fn keys(comms: &[Comm]) -> Vec<Key<'_>> {
    let mut seen: HashMap<&Comm, usize> = HashMap::new();
    let number = |comm| {
        let before = seen.entry(comm).or_default();
        *before += 1;
        (comm, *before - 1)
    };
    comms.iter().skip(2).map(number).collect()
}
