//! The time of an iteration in pieces: messages by a measured table, work with the step of a cache.
//!
//! ```text
//! T(K)         = comm(K) + fold(K) + work(K) + compute
//! flat           comm = m(s) + (K-1) u(s) + m(r) + (K-1) u(r)      fold = (K-1) t_fold
//!   overlapping  T(K) - compute = max( K (u(s) + u(r)) + (K-1) t_fold,
//!                                      first + max(u(s), u(r)) + (K-2) u(r) + (K-1) t_fold,
//!                                      first + (K-1) u(s) + t_fold ),          first = m(s) + work(K) + m(r); K = 1: first
//! tree           comm = d (m(s) + m(r)), d = ceil(log2(K+1))       fold = (d-1) t_fold
//! allreduce      comm = measured                                    fold = 0
//! work(K)      = ceil(l/K) * (in_cache if ceil(l/K) element_bytes <= cache else out_of_cache)
//! T_serial     = work(1) + compute
//! ```
//!
//! `m(b)` is the time of a message of b bytes, `u(b)` how long it occupies its sender ([`Messages`]); s and r are the bytes
//! of an order and of a partial result. A master that overlaps sends to the next workers while the first compute, and takes
//! their results in this order: it waits for itself, for the first worker, or for the last. A measured collective replaces `comm`, and for `allreduce` there is no other.

mod collective;
mod file;
mod measured;
mod messages;
mod step;
mod write;

pub use collective::MeasuredCollective;
pub use file::read;
pub use messages::Messages;
pub use step::BlockTime;
pub use write::to_text;

use crate::candidates::{candidates, least};
use crate::cost::tree_depth;
use runcast_core::ranges::{Parts, Range};

/// What every prediction of the class misses, and what more for each unit of ln K.
const FLOOR: f64 = 0.005;
const RATE: f64 = 0.02;
/// Error per unit of distance of costs that no run has confirmed.
const FOLD: f64 = 0.05;

/// How messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// The master sends to each worker and receives from each, one by one.
    Flat,
    /// Along a binomial tree with the master at the root.
    Tree,
    /// Every process computes; results are combined by all.
    Allreduce,
}

runcast_core::words!(Route::name: Flat = "flat", Tree = "tree", Allreduce = "allreduce");

/// The time of map and fold of one element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ElementTime {
    /// While a worker's block fits into its cache \[s\].
    pub in_cache_s: f64,
    /// When it does not \[s\].
    pub out_of_cache_s: f64,
    /// The cache of one worker \[bytes\]; infinite where there is no step.
    pub cache_bytes: f64,
}

/// Costs of an iteration in pieces.
#[derive(Debug, Clone, PartialEq)]
pub struct Pieces {
    pub list_length: u64,
    /// An order to one worker \[bytes\].
    pub send_bytes: f64,
    /// One partial result \[bytes\].
    pub receive_bytes: f64,
    /// Memory that an element touches \[bytes\].
    pub element_bytes: f64,
    pub map: ElementTime,
    /// One combination at the master \[s\].
    pub fold_s: f64,
    /// The master's own work in an iteration \[s\].
    pub compute_s: f64,
    pub messages: Messages,
    /// Whether the master of flat messages sends while the first workers compute already.
    pub overlaps: bool,
    /// Collectives that were measured as a whole.
    pub collectives: Vec<MeasuredCollective>,
}

impl Pieces {
    /// The time of an iteration with this many workers \[s\]; none of an allreduce that was not measured.
    pub fn time_s(&self, route: Route, workers: u64) -> Option<f64> {
        let workers = workers.max(1);
        let measured = self.measured(route).map(|collective| collective.time_s(workers, self.send_bytes));
        let (send, receive) = (self.send_bytes, self.receive_bytes);
        let message = |bytes| self.messages.time_s(bytes);
        let (comm, folds) = match route {
            Route::Flat if self.overlaps && measured.is_none() => {
                return Some(self.overlapped_s(workers) + self.compute_s);
            }
            Route::Flat => {
                let others = (workers - 1) as f64;
                let busy = self.messages.busy_s(send) + self.messages.busy_s(receive);
                (measured.unwrap_or(message(send) + message(receive) + others * busy), others)
            }
            Route::Tree => {
                let depth = f64::from(tree_depth(workers));
                (measured.unwrap_or(depth * (message(send) + message(receive))), depth - 1.0)
            }
            Route::Allreduce => (measured?, 0.0),
        };
        Some(comm + folds * self.fold_s + self.work_s(workers) + self.compute_s)
    }

    /// The time of flat messages, of the work and of the folds \[s\], when orders are sent while others compute.
    fn overlapped_s(&self, workers: u64) -> f64 {
        let [send_s, receive_s] = [self.send_bytes, self.receive_bytes].map(|bytes| self.messages.busy_s(bytes));
        let [there_s, back_s] = [self.send_bytes, self.receive_bytes].map(|bytes| self.messages.time_s(bytes));
        let first_s = there_s + self.work_s(workers) + back_s;
        if workers == 1 {
            return first_s;
        }
        let (all, others) = (workers as f64, (workers - 1) as f64);
        // The master has enough to do, or the first result is late, or the last order.
        let folds_s = others * self.fold_s;
        let own_s = all * (send_s + receive_s) + folds_s;
        let late_s = first_s + send_s.max(receive_s) + (others - 1.0) * receive_s + folds_s;
        own_s.max(late_s).max(first_s + others * send_s + self.fold_s)
    }

    /// The work of the largest block \[s\].
    pub fn work_s(&self, workers: u64) -> f64 {
        let block = self.list_length.div_ceil(workers.max(1)) as f64;
        let fits = block * self.element_bytes <= self.map.cache_bytes;
        block * if fits { self.map.in_cache_s } else { self.map.out_of_cache_s }
    }

    /// One process without messages \[s\].
    pub fn serial_time_s(&self) -> f64 {
        self.work_s(1) + self.compute_s
    }

    /// The ways that there are times for.
    pub fn routes(&self) -> Vec<Route> {
        Route::ALL.into_iter().filter(|route| *route != Route::Allreduce || self.measured(*route).is_some()).collect()
    }

    /// The number of workers with the least time; of several the fewest.
    pub fn best(&self, route: Route) -> u64 {
        let places = candidates(Some(self.list_length), 1.01);
        least(&places, |workers| self.time_s(route, workers).unwrap_or(f64::INFINITY))
    }

    /// What contributes to the uncertainty: the distance from one worker, with which the pieces were measured.
    pub fn parts(workers: u64) -> Parts {
        Parts { fold: FOLD, floor: FLOOR, rate: RATE, h: (workers.max(1) as f64).ln(), ..Parts::default() }
    }

    /// Where a run is expected.
    pub fn range(&self, route: Route, workers: u64, level: f64) -> Option<Range> {
        Range::of(self.time_s(route, workers)?, Self::parts(workers).scale(1.0), level, None, false)
    }

    fn measured(&self, route: Route) -> Option<&MeasuredCollective> {
        self.collectives.iter().find(|collective| collective.route == route)
    }
}

#[cfg(test)]
mod tests;
