//! A recording in memory.

use crate::container::{JOINED, PARTIAL, PROFILE};
use crate::meta::Meta;
use crate::stat::LeafStat;
use crate::tables::{Comm, Module, Site};
use crate::tree::Node;
use crate::vocabulary::{Field, Flags};
use runcast_core::Warning;

/// What a run left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// Bits of [`crate::container`].
    pub flags: u16,
    /// Processes of the run.
    pub p: u32,
    /// The run.
    pub meta: Meta,
    /// Files of code.
    pub modules: Vec<Module>,
    /// Call sites.
    pub sites: Vec<Site>,
    /// Communicators; see [`Recording::comms_of`].
    pub comms: Vec<Comm>,
    /// Threads of ranks.
    pub programs: Vec<Program>,
    /// What concerns the file.
    pub warnings: Vec<Warning>,
}

/// What a thread of one rank did, or of several ranks that did the same.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Program {
    /// The ranks, ascending.
    pub ranks: Vec<u32>,
    /// Number of the thread.
    pub thread: u32,
    /// Calls and loops.
    pub tree: Vec<Node>,
    /// Statistics of the leaves, in preorder.
    pub stats: Vec<LeafStat>,
}

impl Recording {
    /// Whether the program ended abnormally, or its end is missing.
    pub fn is_partial(&self) -> bool {
        self.flags & PARTIAL != 0
    }

    /// Whether it holds all ranks that were found, with shared trees.
    pub fn is_joined(&self) -> bool {
        self.flags & JOINED != 0
    }

    /// Whether the order of calls was given up.
    pub fn is_profile(&self) -> bool {
        self.flags & PROFILE != 0
    }

    /// The ranks, ascending.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks: Vec<u32> = self.programs.iter().flat_map(|program| &program.ranks).copied().collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// The share of the wall time of blocks that is no processor time; none where no wall time is known.
    pub fn off_core_share(&self) -> Option<f64> {
        let stats = || self.programs.iter().flat_map(|program| &program.stats);
        let wall: f64 = stats().map(|stat| stat.wall_s).sum();
        let blocks: f64 = stats().map(|stat| stat.block_s).sum();
        (wall > 0.0).then(|| ((wall - blocks) / wall).max(0.0))
    }

    /// Sums of the blocks of each of these ranks, in seconds.
    pub fn useful_s(&self) -> Vec<f64> {
        let ranks = self.ranks();
        let mut sums = vec![0.0; ranks.len()];
        for program in &self.programs {
            for (place, rank) in program.ranks.iter().enumerate() {
                if let Ok(number) = ranks.binary_search(rank) {
                    sums[number] += program.stats.iter().map(|stat| stat.block_of(place)).sum::<f64>();
                }
            }
        }
        sums
    }

    /// Ranks of the run that left nothing.
    pub fn missing(&self) -> u32 {
        self.p.saturating_sub(self.ranks().len() as u32)
    }

    /// The communicators of a rank, by the numbers that the rank gives them: the world, itself, then those that it is
    /// a member of in the order of the table.
    pub fn comms_of(&self, rank: u32) -> Vec<&Comm> {
        let is_member = |comm: &&Comm| !self.is_joined() || comm.rank_of(rank).is_some();
        self.comms.iter().take(2).chain(self.comms.iter().skip(2).filter(is_member)).collect()
    }

    /// The local ranks of a rank in its communicators.
    pub fn places_of(&self, rank: u32) -> Vec<u64> {
        let place = |(number, comm): (usize, &Comm)| match number {
            0 => u64::from(rank),
            1 => 0,
            _ => comm.rank_of(rank).unwrap_or(0),
        };
        self.comms_of(rank).into_iter().enumerate().map(place).collect()
    }

    /// The tree of a program as one of its ranks executed it: peers as ranks of their communicators.
    pub fn tree_of(&self, program: &Program, rank: u32) -> Vec<Node> {
        let mut tree = program.tree.clone();
        let places = self.places_of(rank);
        crate::tree::for_each_leaf(&mut tree, &mut |leaf| {
            if leaf.flags.has(Flags::RELATIVE) {
                leaf.flags = leaf.flags.without(Flags::RELATIVE);
                let place = places.get(leaf.comm as usize).copied().unwrap_or(0) as i64;
                for field in [Field::Peer, Field::Peer2] {
                    if let Some(stream) = leaf.field_mut(field) {
                        *stream = stream.shifted(place);
                    }
                }
            }
        });
        tree
    }
}
