//! Accesses to the memory of other processes: those not complete, and the holders of window locks.

use crate::tick::Tick;
use runcast_core::hash::MixMap;
use std::collections::VecDeque;

/// Accesses of a process to a window of another.
#[derive(Debug, Clone, Copy, Default)]
struct Open {
    count: u32,
    /// When the last of those that are done was.
    last: Tick,
}

/// The state of all windows.
#[derive(Debug, Default)]
pub struct Windows {
    /// By process, window and target.
    open: MixMap<(u32, u32, u32), Open>,
    /// Who holds the lock of a window at a process (the first), and who waits for it.
    locks: MixMap<(u32, u32), VecDeque<u32>>,
}

impl Windows {
    /// An access begins.
    pub fn begin(&mut self, own: u32, window: u32, target: u32) {
        self.open.entry((own, window, target)).or_default().count += 1;
    }

    /// An access is done.
    pub fn end(&mut self, own: u32, window: u32, target: u32, at: Tick) {
        let open = self.open.entry((own, window, target)).or_default();
        open.count = open.count.saturating_sub(1);
        open.last = open.last.max(at);
    }

    /// When all accesses of a process to a window were done, at one process or at all, and where the last was. None: they
    /// are not.
    pub fn done(&self, own: u32, window: u32, target: Option<u32>) -> Option<(Tick, u32)> {
        if let Some(target) = target {
            let open = self.open.get(&(own, window, target)).copied().unwrap_or_default();
            return (open.count == 0).then_some((open.last, target));
        }
        let mut last = (0, own);
        for ((_, _, target), open) in self.open.iter().filter(|(key, _)| (key.0, key.1) == (own, window)) {
            if open.count > 0 {
                return None;
            }
            last = last.max((open.last, *target));
        }
        Some(last)
    }

    /// A process asks for a lock: whether it gets it at once.
    pub fn lock(&mut self, own: u32, window: u32, target: u32) -> bool {
        let queue = self.locks.entry((window, target)).or_default();
        queue.push_back(own);
        queue.len() == 1
    }

    /// The holder gives a lock back: who gets it next.
    pub fn unlock(&mut self, window: u32, target: u32) -> Option<u32> {
        let queue = self.locks.get_mut(&(window, target))?;
        queue.pop_front();
        queue.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_go_first_come() {
        let mut windows = Windows::default();
        assert!(windows.lock(5, 0, 1) && !windows.lock(6, 0, 1) && !windows.lock(7, 0, 1));
        assert!(windows.lock(6, 0, 2) && windows.lock(6, 1, 1));
        assert_eq!((windows.unlock(0, 1), windows.unlock(0, 1), windows.unlock(0, 1)), (Some(6), Some(7), None));
    }

    #[test]
    fn accesses_are_done_by_target_and_together() {
        let mut windows = Windows::default();
        windows.begin(0, 3, 1);
        windows.begin(0, 3, 2);
        windows.end(0, 3, 1, 70);
        assert_eq!(windows.done(0, 3, Some(1)), Some((70, 1)));
        assert_eq!(
            (windows.done(0, 3, None), windows.done(0, 4, None), windows.done(1, 3, None)),
            (None, Some((0, 0)), Some((0, 1)))
        );
        windows.end(0, 3, 2, 50);
        assert_eq!(windows.done(0, 3, None), Some((70, 1)));
    }
}
