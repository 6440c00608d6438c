//! Folding calls into loops, one call after the other.
//!
//! After each call the last nodes are looked at: they may go on with the loop before them, make a loop within it, or
//! repeat the nodes before them. What is repeated is decided by *shapes* alone: the call, its flags, site,
//! communicator and number of values. So loops of varying trips fold, and a loop that was made too early goes on by
//! ones. The idea follows M. Noeth, P. Ratn, F. Mueller, M. Schulz, B. R. de Supinski, *ScalaTrace: Scalable
//! compression and replay of communication traces for high-performance computing*, JPDC 69, 2009.

mod queue;

use crate::stat::{LeafStat, RankStat, SEGMENTS, Time, bin_of};
use crate::stream::Stream;
use crate::tree::{Leaf, Node};
use crate::vocabulary::{Field, Flags};
use queue::Queue;

/// The longest sequence that is looked for, in nodes.
pub const WINDOW: usize = 256;

/// Times of one execution of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// Processor time of the block before it.
    pub block_s: f64,
    /// Wall time of that block.
    pub wall_s: f64,
    /// Wall time of the call.
    pub call_s: f64,
}

/// Folds the calls of a thread.
#[derive(Debug)]
pub struct Folder {
    queue: Queue,
    window: usize,
    events: u64,
    longest: usize,
}

impl Default for Folder {
    fn default() -> Self {
        Folder::new(WINDOW)
    }
}

impl Folder {
    /// Looks for repeated sequences of at most `window` nodes.
    pub fn new(window: usize) -> Self {
        Folder { queue: Queue::default(), window, events: 0, longest: 0 }
    }

    /// Appends a call.
    pub fn push(&mut self, leaf: Leaf, sample: Sample) {
        self.events += 1;
        self.queue.push(leaf, sample, self.window);
        self.longest = self.longest.max(self.queue.len());
    }

    /// The longest that the queue of nodes has been.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The tree, and the statistics of its leaves in preorder.
    pub fn finish(self) -> (Vec<Node>, Vec<LeafStat>) {
        self.queue.finish()
    }
}

/// One execution of a call, to be folded.
pub fn event(call: u16, flags: Flags, site: u32, comm: u32, fields: &[(Field, &[i64])]) -> Leaf {
    let mut fields = fields.to_vec();
    fields.sort_by_key(|(field, _)| *field);
    let mask = fields.iter().fold(0, |mask, (field, _)| mask | field.bit());
    let fields = fields.into_iter().map(|(_, values)| Stream::of(values.iter().copied())).collect();
    Leaf { call, flags, site, comm, mask, fields }
}

const LOOP_SEED: u64 = 0x6c6f_6f70;

/// Of a leaf that was executed once: the call, whatever the values of its fields.
fn leaf_shape(leaf: &Leaf) -> u64 {
    let head = [leaf.call.into(), leaf.flags.0.into(), leaf.site.into(), leaf.comm.into()];
    let lengths = leaf.fields.iter().map(Stream::len);
    head.into_iter().chain([leaf.mask.into()]).chain(lengths).fold(1, mix)
}

/// A step of a 64-bit hash: the finalizer of SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
fn mix(hash: u64, value: u64) -> u64 {
    let mut hash = hash ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_add(hash << 6).wrapping_add(hash >> 2);
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

/// Statistics while they are gathered, exactly.
#[derive(Debug, Clone, Default)]
struct Gathered {
    count: u64,
    block_s: f64,
    squares: f64,
    most_s: f64,
    wall_s: f64,
    call_s: f64,
    bins: Vec<(u8, u64)>,
    means: Vec<f64>,
    /// Executions that a segment holds, and those in the last.
    length: u64,
    in_last: u64,
}

impl Gathered {
    fn of(sample: Sample) -> Self {
        let mut gathered = Gathered {
            count: 1,
            block_s: sample.block_s,
            squares: sample.block_s * sample.block_s,
            most_s: sample.block_s,
            wall_s: sample.wall_s,
            call_s: sample.call_s,
            bins: vec![(bin_of(sample.block_s), 1)],
            length: 1,
            ..Gathered::default()
        };
        gathered.segment(sample.block_s, 1);
        gathered
    }

    /// Takes in executions that came later.
    fn join(&mut self, later: &Gathered) {
        self.count += later.count;
        self.block_s += later.block_s;
        self.squares += later.squares;
        self.most_s = self.most_s.max(later.most_s);
        self.wall_s += later.wall_s;
        self.call_s += later.call_s;
        for &(bin, count) in &later.bins {
            match self.bins.binary_search_by_key(&bin, |(bin, _)| *bin) {
                Ok(place) => self.bins[place].1 += count,
                Err(place) => self.bins.insert(place, (bin, count)),
            }
        }
        for (number, mean) in later.means.iter().enumerate() {
            self.segment(*mean, if number + 1 < later.means.len() { later.length } else { later.in_last });
        }
    }

    fn segment(&mut self, mean: f64, mut count: u64) {
        while count > 0 {
            if self.means.is_empty() || self.in_last == self.length {
                if self.means.len() == SEGMENTS {
                    self.means =
                        self.means.chunks(2).map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect();
                    self.length *= 2;
                }
                self.means.push(0.0);
                self.in_last = 0;
            }
            let now = count.min(self.length - self.in_last);
            if let Some(last) = self.means.last_mut() {
                *last += (mean - *last) * now as f64 / (self.in_last + now) as f64;
            }
            self.in_last += now;
            count -= now;
        }
    }

    fn finish(self) -> LeafStat {
        let count = self.count.max(1) as f64;
        let mean = self.block_s / count;
        let rank = RankStat {
            mean: Time::of_s(mean),
            deviation: Time::of_s((self.squares / count - mean * mean).max(0.0).sqrt()),
            most: Time::of_s(self.most_s),
            wall: Time::of_s(self.wall_s / count),
            call: Time::of_s(self.call_s / count),
        };
        let mut means = [Time::default(); SEGMENTS];
        means.iter_mut().zip(&self.means).for_each(|(kept, mean)| *kept = Time::of_s(*mean));
        LeafStat {
            executions: self.count,
            block_s: self.block_s,
            wall_s: self.wall_s,
            call_s: self.call_s,
            ranks: vec![rank],
            bins: self.bins,
            means,
        }
    }
}

#[cfg(test)]
mod tests;
