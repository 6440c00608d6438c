//! Makes the recording of one rank of its calls: for readers of other tools' traces.

use crate::fold::{Folder, Sample, event};
use crate::meta::Meta;
use crate::recording::{Program, Recording};
use crate::stream::Stream;
use crate::tables::{Comm, Module, Site};
use crate::vocabulary::{Field, Flags};
use indexmap::IndexSet;

/// A rank whose calls come one after the other.
#[derive(Debug)]
pub struct Builder {
    rank: u32,
    p: u32,
    meta: Meta,
    comms: Vec<Comm>,
    sites: IndexSet<u64>,
    folder: Folder,
    wall_s: f64,
}

impl Builder {
    /// A rank of so many.
    pub fn new(rank: u32, p: u32) -> Self {
        let world = Comm { members: Stream::of((0..p).map(i64::from)), ..Comm::default() };
        let itself = Comm { kind: 1, members: Stream::of([i64::from(rank)]), ..Comm::default() };
        Builder {
            rank,
            p,
            meta: Meta { p: p.into(), ..Meta::default() },
            comms: vec![world, itself],
            sites: IndexSet::new(),
            folder: Folder::default(),
            wall_s: 0.0,
        }
    }

    /// What is said of the run.
    pub fn meta(&mut self) -> &mut Meta {
        &mut self.meta
    }

    /// Makes a communicator; its number.
    pub fn comm(&mut self, comm: Comm) -> u32 {
        self.comms.push(comm);
        self.comms.len() as u32 - 1
    }

    /// A call at the place `site` of the program: the processor time of the block before it, the wall time of the call.
    pub fn call(
        &mut self,
        call: u16,
        flags: Flags,
        (site, comm): (u64, u32),
        fields: &[(Field, &[i64])],
        [block_s, call_s]: [f64; 2],
    ) {
        let site = self.sites.insert_full(site).0 as u32;
        self.wall_s += block_s + call_s;
        self.folder.push(event(call, flags, site, comm, fields), Sample { block_s, wall_s: block_s, call_s });
    }

    /// The recording.
    pub fn finish(mut self) -> Recording {
        let (tree, stats) = self.folder.finish();
        self.meta.wall_s = vec![self.wall_s];
        let module = Module { path: self.meta.program.clone(), build_id: self.meta.build_id.clone().into_bytes() };
        Recording {
            p: self.p,
            meta: self.meta,
            modules: vec![module],
            sites: self.sites.into_iter().map(|offset| Site { frames: vec![(0, offset)] }).collect(),
            comms: self.comms,
            programs: vec![Program { ranks: vec![self.rank], thread: 0, tree, stats }],
            ..Recording::default()
        }
    }
}
