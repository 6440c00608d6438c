//! Flat or tree.

use super::costs::Costs;
use super::form::{Collective, Form};
use super::time::tree_depth;

/// Differences below this part of a time are rounding.
const RELATIVE: f64 = 1e-12;

impl Costs {
    /// The least number of workers, from 2 on, with which the tree is faster than the flat collective (smooth form, by
    /// more than 1e-12 of the time); none where it never is.
    ///
    /// With `o = L` the tree is never slower, and equal at 1 and 2 workers. With a small `o` flat wins for few workers.
    pub fn crossover_workers(&self) -> Option<u64> {
        (2..=tree_depth(self.list_length)).find_map(|depth| {
            let (first, last) = (1u64 << (depth - 1), (u64::MAX >> (u64::BITS - depth)).min(self.list_length));
            self.tree_wins(last).then(|| self.first_win(first, last))
        })
    }

    /// Whose best smooth time is less; flat where they are equal.
    pub fn best_collective(&self) -> Collective {
        let best_s = |collective| self.best(Form::Smooth, collective).time_s;
        if is_less(best_s(Collective::Tree), best_s(Collective::Flat)) { Collective::Tree } else { Collective::Flat }
    }

    /// The first win among counts of one depth, the last of which wins: each worker more makes the flat collective
    /// slower, and not the tree.
    fn first_win(&self, mut first: u64, mut last: u64) -> u64 {
        while first < last {
            let middle = first + (last - first) / 2;
            if self.tree_wins(middle) {
                last = middle;
            } else {
                first = middle + 1;
            }
        }
        last
    }

    fn tree_wins(&self, workers: u64) -> bool {
        let time_s = |collective| self.time_s(Form::Smooth, collective, workers);
        is_less(time_s(Collective::Tree), time_s(Collective::Flat))
    }
}

fn is_less(one_s: f64, other_s: f64) -> bool {
    one_s < other_s * (1.0 - RELATIVE)
}
