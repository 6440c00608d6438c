//! A collective whose time was measured as a whole.

use super::Route;
use super::messages::Messages;

/// Times of a collective over workers and sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCollective {
    pub route: Route,
    /// Numbers of workers, ascending.
    pub workers: Vec<u64>,
    /// For each number of workers the times over the sizes.
    pub times: Vec<Messages>,
}

impl MeasuredCollective {
    /// Its time \[s\]: linear in `log2(K+1)` between measured numbers of workers, the nearest one's below the first, and the
    /// last slope beyond; over the size as messages.
    pub fn time_s(&self, workers: u64, bytes: f64) -> f64 {
        let place = |workers: u64| (workers as f64 + 1.0).log2();
        let at = |index: usize| self.times[index].time_s(bytes);
        let count = self.workers.len();
        if count < 2 || workers <= self.workers[0] {
            return if count == 0 { f64::NAN } else { at(0) };
        }
        let right = self.workers.partition_point(|known| *known < workers).clamp(1, count - 1);
        let (from, to) = (place(self.workers[right - 1]), place(self.workers[right]));
        let share = (place(workers) - from) / (to - from);
        (at(right - 1) + share * (at(right) - at(right - 1))).max(0.0)
    }
}
