//! Kinds of messages: whatever has the same way, size and tag costs the same, and is computed once.

use crate::application::Tag;
use crate::engine::kernel::rule::MessageCosts;
use crate::job::Job;
use crate::platform::{Endpoint, Way};
use runcast_core::Problem;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

/// What messages of a kind have in common.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Kind {
    pub(super) costs: MessageCosts,
    /// Bytes.
    pub(super) size: u64,
    pub(super) tag: Tag,
}

/// All kinds seen so far. They are only ever added, so that reading takes no lock.
#[derive(Debug)]
pub(super) struct Kinds {
    chunks: [OnceLock<Box<[OnceLock<Kind>]>>; 32],
    known: Mutex<Known>,
    /// Whether all pairs of processes have the same way.
    uniform: bool,
    /// Machine of each process; empty where all pairs are alike.
    ends: Vec<Endpoint>,
}

#[derive(Debug, Default)]
struct Known {
    kinds: HashMap<(u32, u64, Tag), u32>,
    ways: HashMap<Course, u32>,
    list: Vec<Way>,
}

/// What a thread remembers of it.
#[derive(Debug)]
pub(super) struct Memory {
    kinds: Vec<(u32, u64, Tag, u32)>,
    /// Ways by class of pair.
    classes: Vec<u32>,
    /// Where pairs have no classes: ways by pair, a later one takes the place.
    pairs: Vec<(Endpoint, Endpoint, u32)>,
    ways: HashMap<Course, u32>,
    links: Vec<u32>,
}

const REMEMBERED: usize = 256;
const PAIRS: usize = 1 << 14;
const MOST_CLASSES: usize = 1 << 16;
const UNKNOWN: u32 = u32::MAX;

impl Default for Memory {
    fn default() -> Self {
        Memory {
            kinds: vec![(u32::MAX, 0, 0, 0); REMEMBERED],
            classes: Vec::new(),
            pairs: Vec::new(),
            ways: HashMap::new(),
            links: Vec::new(),
        }
    }
}

/// Latency, bandwidth, law and stripes of a way.
type Course = (u64, u64, u32, Option<(u64, u32)>);

const NOWHERE: Endpoint = Endpoint { machine: u32::MAX, slot: u32::MAX };

/// Chunk of a number and place in it: chunk c holds 2^c kinds.
#[inline]
fn locate(id: u32) -> (usize, usize) {
    let chunk = (id + 1).ilog2();
    (chunk as usize, (id + 1 - (1 << chunk)) as usize)
}

impl Kinds {
    /// No kinds yet.
    pub(super) fn new(job: &Job<'_>, processes: u64) -> Kinds {
        let uniform = job.platform.links.is_empty() && job.platform.laws.len() == 1;
        let ends =
            if uniform { Vec::new() } else { (0..processes).map(|process| job.world.place(process).into()).collect() };
        Kinds { chunks: std::array::from_fn(|_| OnceLock::new()), known: Mutex::default(), uniform, ends }
    }

    /// A kind by its number.
    #[inline]
    pub(super) fn get(&self, id: u32) -> &Kind {
        let (chunk, at) = locate(id);
        static NONE: OnceLock<Kind> = OnceLock::new();
        self.chunks[chunk].get().and_then(|chunk| chunk[at].get()).unwrap_or_else(|| NONE.get_or_init(Kind::default))
    }

    /// The kind of a message.
    ///
    /// # Errors
    /// Those of times that ticks cannot count.
    #[inline]
    pub(super) fn of(
        &self,
        job: &Job<'_>,
        memory: &mut Memory,
        from: u32,
        to: u32,
        size: u64,
        tag: Tag,
    ) -> Result<u32, Problem> {
        let way = if self.uniform { 0 } else { self.way(job, memory, from, to) };
        let hash = (size ^ (tag as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(u64::from(way) << 3);
        let slot = (hash ^ (hash >> 17) ^ (hash >> 40)) as usize % REMEMBERED;
        let found = memory.kinds[slot];
        if (found.0, found.1, found.2) == (way, size, tag) {
            return Ok(found.3);
        }
        let id = self.make(job, way, size, tag)?;
        memory.kinds[slot] = (way, size, tag, id);
        Ok(id)
    }

    /// The number of the way between the ends of two processes.
    #[inline]
    fn way(&self, job: &Job<'_>, memory: &mut Memory, from: u32, to: u32) -> u32 {
        let (from, to) = (self.ends[from as usize], self.ends[to as usize]);
        if let Some(class) = job.platform.routing.class(from, to) {
            match memory.classes.get(class as usize) {
                Some(way) if *way != UNKNOWN => return *way,
                _ => {}
            }
            let way = self.walk(job, memory, from, to);
            if (class as usize) < MOST_CLASSES {
                if memory.classes.len() <= class as usize {
                    memory.classes.resize(class as usize + 1, UNKNOWN);
                }
                memory.classes[class as usize] = way;
            }
            return way;
        }
        let whole = |end: Endpoint| u64::from(end.slot) << 32 | u64::from(end.machine);
        let hash = whole(from).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ whole(to).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        let slot = (hash >> 32) as usize % PAIRS;
        if memory.pairs.is_empty() {
            memory.pairs.resize(PAIRS, (NOWHERE, NOWHERE, 0));
        }
        let found = memory.pairs[slot];
        if (found.0, found.1) == (from, to) {
            return found.2;
        }
        let way = self.walk(job, memory, from, to);
        memory.pairs[slot] = (from, to, way);
        way
    }

    /// The same, link by link.
    fn walk(&self, job: &Job<'_>, memory: &mut Memory, from: Endpoint, to: Endpoint) -> u32 {
        let way = job.platform.way(from, to, &mut memory.links);
        let key = (way.latency_s.to_bits(), way.bandwidth.to_bits(), way.law, way.stripe);
        if let Some(id) = memory.ways.get(&key) {
            return *id;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let next = known.list.len() as u32;
        let id = *known.ways.entry(key).or_insert(next);
        if id == next {
            known.list.push(way);
        }
        memory.ways.insert(key, id);
        id
    }

    #[cold]
    fn make(&self, job: &Job<'_>, way: u32, size: u64, tag: Tag) -> Result<u32, Problem> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = known.kinds.get(&(way, size, tag)) {
            return Ok(*id);
        }
        let course = if self.uniform {
            Way { latency_s: 0.0, bandwidth: f64::INFINITY, law: 0, stripe: None }
        } else {
            known.list[way as usize]
        };
        let (parameters, receive_overhead) = job.platform.loggops(&course, size);
        let costs = MessageCosts::new(&parameters, receive_overhead, size, job.tick)?;
        let id = known.kinds.len() as u32;
        let (chunk, at) = locate(id);
        let chunk = self.chunks[chunk].get_or_init(|| (0..1usize << chunk).map(|_| OnceLock::new()).collect());
        // It is empty: numbers are given once, under the lock.
        let _ = chunk[at].set(Kind { costs, size, tag });
        known.kinds.insert((way, size, tag), id);
        Ok(id)
    }
}
