//! One recording of the files of all ranks.
//!
//! Ranks whose trees are equal, once the ranks of partners are written as differences from the rank's own place in the
//! communicator, share one tree. Call sites and communicators are unified: sites by their addresses, communicators by
//! their members and the order in which each rank made them.

mod comms;

use crate::container::JOINED;
use crate::recording::{Program, Recording};
use crate::tables::{Module, Site};
use crate::tree::{Leaf, for_each_leaf, put_tree};
use crate::vocabulary::{Field, Flags};
use comms::{Own, unify};
use indexmap::{IndexMap, IndexSet};
use runcast_core::{Problem, Warning};

/// Joins recordings of one rank each, in any order.
///
/// # Errors
/// There is none; a rank comes twice; they are of different runs or programs, both of which are named.
pub fn join(mut parts: Vec<Recording>) -> Result<Recording, Problem> {
    parts.sort_by_key(|part| part.ranks().first().copied());
    check(&parts)?;
    let own: Vec<Own> = parts.iter().map(Own::of).collect();
    let (comms, in_order) = unify(&own);
    let mut joined = Recording { flags: JOINED, comms, ..Recording::default() };
    if !in_order {
        let message = "ranks made communicators in orders that contradict each other: their numbers may be wrong";
        joined.warnings.push(Warning::new("communicators", message));
    }
    let mut modules: IndexSet<Module> = IndexSet::new();
    let mut sites: IndexSet<Site> = IndexSet::new();
    let mut programs: IndexMap<(u32, Vec<u8>), Program> = IndexMap::new();
    for (number, part) in parts.into_iter().enumerate() {
        let numbers = renumbered(&part, &mut modules, &mut sites);
        let places: IndexMap<u32, Vec<u64>> =
            part.ranks().into_iter().map(|rank| (rank, part.places_of(rank))).collect();
        joined.flags |= part.flags;
        joined.p = part.p;
        joined.warnings.extend(part.warnings.into_iter().filter(|warning| !part.meta.warnings.contains(warning)));
        match number {
            0 => joined.meta = part.meta,
            _ => joined.meta.merge(part.meta),
        }
        for mut program in part.programs {
            let places = program.ranks.first().and_then(|rank| places.get(rank));
            for_each_leaf(&mut program.tree, &mut |leaf| {
                leaf.site = numbers.get(leaf.site as usize).copied().unwrap_or(leaf.site);
                make_relative(leaf, places.map_or(&[], Vec::as_slice));
            });
            add(&mut programs, program);
        }
    }
    joined.meta.close();
    joined.modules = modules.into_iter().collect();
    joined.sites = sites.into_iter().collect();
    joined.programs = programs.into_values().collect();
    if joined.missing() > 0 {
        let message = format!("{} of {} ranks left no recording", joined.missing(), joined.p);
        joined.warnings.push(Warning::new("ranks_missing", message));
    }
    Ok(joined)
}

/// A program joins the one that does the same.
fn add(programs: &mut IndexMap<(u32, Vec<u8>), Program>, program: Program) {
    let mut key = Vec::new();
    put_tree(&mut key, &program.tree);
    match programs.entry((program.thread, key)) {
        indexmap::map::Entry::Occupied(mut known) => {
            let known = known.get_mut();
            known.ranks.extend(program.ranks);
            known.stats.iter_mut().zip(&program.stats).for_each(|(stat, more)| stat.merge(more));
        }
        indexmap::map::Entry::Vacant(new) => {
            new.insert(program);
        }
    }
}

/// Peers as differences, unless one is no rank (`MPI_PROC_NULL`, or a wildcard that nothing matched).
fn make_relative(leaf: &mut Leaf, places: &[u64]) {
    let Some(place) = places.get(leaf.comm as usize) else { return };
    let is_message = leaf.call < 20 || (30..40).contains(&leaf.call) || (70..80).contains(&leaf.call);
    let is_rank = |leaf: &Leaf, field| {
        leaf.field(field).is_none_or(|stream| stream.is_exact() && stream.range().is_some_and(|(least, _)| least >= 0))
    };
    let has_peer = leaf.field(Field::Peer).is_some();
    if !is_message
        || !has_peer
        || leaf.flags.has(Flags::RELATIVE)
        || !is_rank(leaf, Field::Peer)
        || !is_rank(leaf, Field::Peer2)
    {
        return;
    }
    leaf.flags = leaf.flags.and(Flags::RELATIVE);
    for field in [Field::Peer, Field::Peer2] {
        if let Some(stream) = leaf.field_mut(field) {
            *stream = stream.shifted(-(*place as i64));
        }
    }
}

/// The numbers that the sites of a part have among all.
fn renumbered(part: &Recording, modules: &mut IndexSet<Module>, sites: &mut IndexSet<Site>) -> Vec<u32> {
    let module_numbers: Vec<u32> =
        part.modules.iter().map(|module| modules.insert_full(module.clone()).0 as u32).collect();
    let number = |site: &Site| {
        let frames = site.frames.iter().map(|(module, offset)| (module_numbers[*module as usize], *offset));
        sites.insert_full(Site { frames: frames.collect() }).0 as u32
    };
    part.sites.iter().map(number).collect()
}

fn check(parts: &[Recording]) -> Result<(), Problem> {
    let Some(first) = parts.first() else {
        return Err(Problem::new("no_ranks", "there is no recording of any rank")
            .hint("the program may be static, built for another MPI library, or may never have called MPI_Init"));
    };
    for part in parts {
        if part.p != first.p {
            return Err(mixed("numbers of processes", first.p, part.p));
        }
        if part.meta.build_id != first.meta.build_id {
            return Err(mixed("programs", &first.meta.build_id, &part.meta.build_id));
        }
    }
    let mut ranks: Vec<u32> = parts.iter().flat_map(Recording::ranks).collect();
    ranks.sort_unstable();
    match ranks.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Problem::new("rank_twice", format!("rank {} comes twice", pair[0]))),
        None => Ok(()),
    }
}

fn mixed(what: &str, one: impl std::fmt::Display, other: impl std::fmt::Display) -> Problem {
    Problem::new("mixed", format!("recordings of different {what}: {one} and {other}"))
        .hint("record each run into a folder of its own")
}

#[cfg(test)]
mod tests;
