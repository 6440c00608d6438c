//! The calls that the structure says a rank makes, and whether they are those of the recordings.

use super::align::{Column, Item};
use super::normal::PAUSE;
use super::reach::Reach;
use super::rules::is_silent;
use super::{Key, Learnt, Source, frames, grid, is_message};
use crate::tree::{Node, events};
use crate::vocabulary::{Field, Flags};
use crate::walk::walk;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

/// A recording gone through again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checked {
    /// Calls of the recording.
    pub calls: u64,
    /// Those that come in the same order with the same partner.
    pub calls_right: u64,
    /// Those whose sizes are right, too.
    pub bytes_right: u64,
    /// Right ones that the script makes, too: it leaves out what simulations have no counterpart of.
    pub calls_modelled: u64,
}

/// A call that a rank makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Made {
    item: usize,
    pub key: Key,
    /// -1: nobody; none: whoever.
    peer: Option<i64>,
    size: Option<i64>,
}

/// A rank of a configuration.
struct Player<'a> {
    learnt: &'a Learnt,
    row: Vec<f64>,
    p: i64,
    rank: i64,
    recording: usize,
    made: Vec<Made>,
    /// Turns and calls that may still be made: more than recorded ones are wrong in any case.
    left: u64,
    /// Indices of the loops around, and their turns.
    indices: Vec<(i64, i64)>,
}

impl Player<'_> {
    fn play(&mut self, items: &[Item]) {
        let cell = self.learnt.cell_of(self.recording, self.rank);
        for item in items {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            if item.told.cells.as_ref().is_some_and(|cells| !cells.contains(&cell)) {
                continue;
            }
            let index = item.told.depth.and_then(|depth| self.indices.get(depth)).copied();
            let (k, turns) = index.unwrap_or((0, 1));
            let trips = item.told.trips.as_ref().map_or(1, |rule| rule.at(&self.row, k).round() as i64);
            let trips =
                if item.told.is_shared { (trips + self.p - 1 - self.rank) / (self.p - 1).max(1) } else { trips };
            match item.key {
                Some(key) if trips > 0 => self.call(item, key, k, turns),
                Some(_) => {}
                None => {
                    for turn in 0..trips {
                        if self.left == 0 {
                            return;
                        }
                        self.left -= 1;
                        self.indices.push((turn, trips));
                        self.play(&item.body);
                        self.indices.pop();
                    }
                }
            }
        }
    }

    fn call(&mut self, item: &Item, key: Key, k: i64, turns: i64) {
        if key.call == PAUSE {
            return;
        }
        let grid = self.learnt.grid.as_ref().map(|grid| grid.shape(self.recording));
        let peer = match &item.to {
            Reach::Matched | Reach::Answer => None,
            Reach::Fixed(roots) => roots.get(self.recording).copied(),
            reach => Some(reach.at(self.rank, self.p, k, turns, grid).unwrap_or(-1)),
        };
        let is_lost = peer == Some(-1) && !item.calls_nobody && item.to != Reach::Nobody;
        if is_lost && is_message(key.call) {
            return;
        }
        let index = if item.told.counts_down[0] { turns - 1 - k } else { k };
        let size = item.told.fields[0].as_ref().map(|rule| rule.at(&self.row, index).round() as i64);
        let peer = if is_message(key.call) { peer } else { None };
        self.made.push(Made { item: item.number, key, peer, size });
    }
}

/// The calls that a rank of a recording makes.
pub(super) fn made(learnt: &Learnt, recording: usize, (rank, tree): (u32, &[Node])) -> Vec<Made> {
    let mut player = Player {
        learnt,
        row: learnt.row_of(recording, rank.into()),
        p: learnt.p[recording].into(),
        rank: rank.into(),
        recording,
        made: Vec::new(),
        left: events(tree).saturating_mul(8).saturating_add(1 << 20),
        indices: Vec::new(),
    };
    player.play(&learnt.items);
    player.made
}

impl Learnt {
    /// Goes through the calls of a recording, which may be one that nothing was learnt from: `at` is the number of the
    /// recording whose symbols are its own.
    pub fn check(&self, source: &Source<'_>, at: usize) -> Checked {
        let mut all = Checked::default();
        let left = self.left_in(source);
        for program in &source.recording.programs {
            for rank in &program.ranks {
                let tree = source.recording.tree_of(program, *rank);
                let mut made = made(self, at, (*rank, &tree));
                let comms = source.recording.comms_of(*rank);
                let mut seen = Vec::new();
                let _ = walk::<()>(&tree, |event| {
                    let members = comms.get(event.leaf.comm as usize).filter(|_| event.leaf.comm > 1);
                    let world = |peer: i64| match members {
                        Some(comm) if peer >= 0 => comm.members.values().nth(peer as usize).unwrap_or(peer),
                        _ => peer,
                    };
                    if left.contains(&Key::of(event.leaf, event.leaf.site as usize)) {
                        all.calls += 1;
                        return ControlFlow::Continue(());
                    }
                    let peer = event.get(Field::Peer).map_or(-1, world);
                    let is_any = event.leaf.flags.has(Flags::ANY);
                    let of = (event.leaf.call, event.leaf.site as usize);
                    seen.push((of, if is_any { None } else { Some(peer) }, event.get(Field::Size), peer));
                    ControlFlow::Continue(())
                });
                if self.is_sorted {
                    let runs = seen.chunk_by_mut(|a, b| a.0 == b.0);
                    runs.for_each(|run| run.sort_by_key(|(_, peer, size, _)| (*peer, *size)));
                    let runs = made.chunk_by_mut(|a, b| (a.key.call, a.key.site) == (b.key.call, b.key.site));
                    runs.for_each(|run| run.sort_by_key(|one| (one.peer, one.size)));
                }
                all.calls += seen.len() as u64;
                for (((code, _), _, size, peer), own) in seen.iter().zip(&made) {
                    let is_right = own.key.call == *code && own.peer.is_none_or(|own| own == *peer);
                    all.calls_right += u64::from(is_right);
                    all.calls_modelled += u64::from(is_right && !self.is_left_out(*code));
                    let has_size = !is_silent(*code) && own.peer != Some(-1);
                    all.bytes_right += u64::from(is_right && (!has_size || size.is_none() || *size == own.size));
                }
            }
        }
        all
    }

    /// The calls that are left out, with the numbers that their call sites have in a recording.
    fn left_in(&self, source: &Source<'_>) -> HashSet<Key> {
        let mut all = HashSet::new();
        for (number, site) in source.recording.sites.iter().enumerate().filter(|_| !self.left.is_empty()) {
            let own = frames(site, source.recording);
            let here = self.left.iter().filter(|one| self.sites[one.key.site] == own);
            all.extend(here.map(|one| Key { site: number, ..one.key }));
        }
        all
    }

    /// The grid's sizes of another number of processes.
    pub fn sizes_at(&self, p: u32) -> Vec<i64> {
        self.grid.as_ref().map_or_else(Vec::new, |found| grid::sizes(p.into(), found.dims, found.rule))
    }
}

/// Finds which requests each wait completes, from the first rank of each position.
pub(super) fn requests(learnt: &mut Learnt, columns: &[Column], sources: &[Source<'_>]) {
    let mut completes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for column in columns {
        let Some(rank) = column.ranks.first().copied() else { continue };
        let recording = sources[column.recording].recording;
        let Some(program) = recording.programs.iter().find(|program| program.ranks.contains(&rank)) else { continue };
        let tree = recording.tree_of(program, rank);
        let made = made(learnt, column.recording, (rank, &tree));
        let left = learnt.left_in(&sources[column.recording]);
        // The call of the model that each call of the recording is; none of what is left out.
        let mut played: Vec<Option<usize>> = Vec::new();
        let mut next = 0;
        let _ = walk(&tree, |event| {
            if left.contains(&Key::of(event.leaf, event.leaf.site as usize)) {
                played.push(None);
                return ControlFlow::Continue(());
            }
            let Some(own) = made.get(next).filter(|own| own.key.call == event.leaf.call) else {
                return ControlFlow::Break(());
            };
            played.push(Some(next));
            next += 1;
            for distance in event.all(Field::Reqs) {
                let back = usize::try_from(*distance).ok().and_then(|distance| played.len().checked_sub(distance + 1));
                if let Some(poster) = back.and_then(|back| made.get(played[back]?)) {
                    completes.entry(own.item).or_default().insert(poster.item);
                }
            }
            ControlFlow::Continue(())
        });
    }
    let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    paths(&learnt.items, &mut Vec::new(), &mut places);
    let mut entangled: BTreeSet<usize> = BTreeSet::new();
    for (wait, posters) in &completes {
        for poster in posters {
            let (Some(own), Some(there)) = (places.get(wait), places.get(poster)) else { continue };
            let common = own.iter().zip(there).take_while(|(a, b)| a == b).count();
            entangled.extend(own[common..].iter().chain(&there[common..]));
            // Posted later in the body: it is a request of the turn before.
            if poster > wait && common > 0 {
                entangled.insert(own[common - 1]);
            }
        }
    }
    note(&mut learnt.items, &completes, &entangled);
}

fn paths(items: &[Item], path: &mut Vec<usize>, places: &mut BTreeMap<usize, Vec<usize>>) {
    for item in items {
        places.insert(item.number, path.clone());
        path.push(item.number);
        paths(&item.body, path, places);
        path.pop();
    }
}

fn note(items: &mut [Item], completes: &BTreeMap<usize, BTreeSet<usize>>, entangled: &BTreeSet<usize>) {
    for item in items {
        item.is_entangled = entangled.contains(&item.number);
        item.completes = completes.get(&item.number).map(|all| all.iter().copied().collect()).unwrap_or_default();
        note(&mut item.body, completes, entangled);
    }
}

/// Whether a call leaves a request behind.
pub(super) fn posts(key: Key) -> bool {
    key.flags.has(Flags::NONBLOCKING) && !(20..30).contains(&key.call)
}
