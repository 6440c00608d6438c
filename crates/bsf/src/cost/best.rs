//! The worker count with the shortest time, found without trying them all.

mod granular;

use super::costs::Costs;
use super::form::{Collective, Form};
use super::time::tree_depth;

/// The best worker count of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Best {
    /// The count; of several with the same time the smallest.
    pub workers: u64,
    /// Its time of an iteration \[s\].
    pub time_s: f64,
    /// Its speedup against one worker.
    pub speedup: f64,
    /// Its speedup against one process without messages.
    pub speedup_serial: f64,
}

impl Costs {
    /// The integer in 1 to `list_length` with the shortest time on a curve; ties go to fewer workers.
    ///
    /// | curve | candidates |
    /// |---|---|
    /// | flat, smooth and exact | the integers beside the boundary; never the rounded boundary |
    /// | flat, granular | `K = ceil(l/q)` near the boundary: others have superfluous workers |
    /// | tree | for each depth the maximum number of workers, or the fewest with the same blocks |
    pub fn best(&self, form: Form, collective: Collective) -> Best {
        let workers = match (collective, form) {
            (Collective::Flat, Form::Granular) => granular::best_flat(self),
            (Collective::Flat, Form::Smooth | Form::Exact) => self.best_beside_boundary(),
            (Collective::Tree, _) => self.best_on_tree(form),
        };
        Best {
            workers,
            time_s: self.time_s(form, collective, workers),
            speedup: self.speedup(form, collective, workers),
            speedup_serial: self.speedup_serial(form, collective, workers),
        }
    }

    /// One more worker pays off while `per_worker K (K+1) < W`; the last that pays is beside the boundary.
    fn best_beside_boundary(&self) -> u64 {
        let below = self.k_max_clamped().floor() as u64;
        let count = below as f64;
        let pays = below < self.list_length && self.per_worker_s() * count * (count + 1.0) < self.work_s;
        if pays { below + 1 } else { below }
    }

    fn best_on_tree(&self, form: Form) -> u64 {
        // Times without the part common to all counts, which would swallow small differences.
        let time_s =
            |workers: u64| f64::from(tree_depth(workers)) * self.per_level_s() + self.work_of_block_s(form, workers);
        let candidates = (1..=tree_depth(self.list_length)).map(|depth| self.best_of_depth(form, depth));
        least(candidates, time_s)
    }

    /// The fewest workers with the least work of a block, of all that the tree has room for.
    fn best_of_depth(&self, form: Form, depth: u32) -> u64 {
        let most = (u64::MAX >> (u64::BITS - depth)).min(self.list_length);
        match form {
            Form::Smooth => most,
            Form::Granular => granular::fewest_alike(self.list_length, most),
            // Beyond this the form has no work left: see `work_of_block_s`.
            Form::Exact => most.min(((self.work_s / self.fold_s).ceil() as u64).max(1 << (depth - 1))),
        }
    }
}

/// The first of the candidates with the least time.
fn least(candidates: impl Iterator<Item = u64>, time_s: impl Fn(u64) -> f64) -> u64 {
    let better = |best: (u64, f64), next: (u64, f64)| if next.1 < best.1 { next } else { best };
    candidates.map(|workers| (workers, time_s(workers))).reduce(better).map_or(1, |(workers, _)| workers)
}
