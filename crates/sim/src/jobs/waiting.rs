//! Waiting jobs in the order of the queue, found by their needs without looking at each.

use super::Job;
use std::collections::VecDeque;

/// Processors and requested seconds; of several jobs the least of each.
type Need = (u64, f64);

/// No job.
const NONE: Need = (u64::MAX, f64::INFINITY);

/// The queue: jobs that a fault ended, the last first; then all others in the order of their numbers, in which they arrive.
pub(super) struct Waiting {
    returned: VecDeque<u32>,
    /// A tree: the root at 1, below node i nodes 2i and 2i + 1, the jobs in its second half. [`NONE`] where nobody waits.
    least: Vec<Need>,
}

impl Waiting {
    /// An empty queue for so many jobs.
    pub fn new(jobs: usize) -> Self {
        Waiting { returned: VecDeque::new(), least: vec![NONE; 2 * jobs.next_power_of_two()] }
    }

    pub fn arrive(&mut self, number: u32, job: &Job) {
        self.set(number, (job.processors, job.requested_s));
    }

    /// Back at the head of the queue.
    pub fn come_back(&mut self, number: u32) {
        self.returned.push_front(number);
    }

    pub fn head(&self) -> Option<u32> {
        self.returned.front().copied().or_else(|| self.first_from(0, &|_| true))
    }

    /// The first job behind the head that fits. What does not fit would not fit with more processors or a longer request either.
    pub fn behind(&self, head: u32, jobs: &[Job], fits: impl Fn(Need) -> bool) -> Option<u32> {
        let need = |number: &u32| (jobs[*number as usize].processors, jobs[*number as usize].requested_s);
        let returned = self.returned.iter().skip(1).copied().find(|number| fits(need(number)));
        returned.or_else(|| self.first_from(if self.returned.is_empty() { head as usize + 1 } else { 0 }, &fits))
    }

    /// Takes a job out.
    pub fn leave(&mut self, number: u32) {
        match self.returned.iter().position(|returned| *returned == number) {
            Some(at) => drop(self.returned.remove(at)),
            None => self.set(number, NONE),
        }
    }

    fn set(&mut self, number: u32, need: Need) {
        let mut node = self.least.len() / 2 + number as usize;
        self.least[node] = need;
        while node > 1 {
            node /= 2;
            let (one, other) = (self.least[2 * node], self.least[2 * node + 1]);
            self.least[node] = (one.0.min(other.0), one.1.min(other.1));
        }
    }

    /// The first in the tree from a number on.
    fn first_from(&self, from: usize, fits: &dyn Fn(Need) -> bool) -> Option<u32> {
        self.first_below(1, 0, self.least.len() / 2, from, fits)
    }

    /// The same below a node, whose jobs are `count` from `low` on.
    fn first_below(
        &self,
        node: usize,
        low: usize,
        count: usize,
        from: usize,
        fits: &dyn Fn(Need) -> bool,
    ) -> Option<u32> {
        let least = self.least[node];
        if low + count <= from || least == NONE || !fits(least) {
            return None;
        }
        if count == 1 {
            return Some(low as u32);
        }
        let half = count / 2;
        self.first_below(2 * node, low, half, from, fits)
            .or_else(|| self.first_below(2 * node + 1, low + half, half, from, fits))
    }
}
