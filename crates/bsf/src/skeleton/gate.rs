//! Threads that wait for each other.

use super::options::Waiting;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Number of polls before a waiting thread leaves its core: an imminent hand-over is not worth a system call.
const LOOKS: u32 = 64;
/// Number of polls before a spinning thread yields, in case there are more threads than cores.
const LOOKS_SPINNING: u32 = 1 << 14;

/// A number that only grows, and threads that wait for it.
///
/// Writes before [`Gate::open`] are visible after [`Gate::wait`].
#[derive(Debug)]
pub(super) struct Gate {
    reached: AtomicU64,
    sleepers: Mutex<Sleepers>,
    changed: Condvar,
    wait: Waiting,
}

/// Threads that have left their cores.
#[derive(Debug, Default)]
struct Sleepers {
    count: usize,
    /// The largest number that one of them waits for.
    last: u64,
}

impl Gate {
    pub fn new(wait: Waiting) -> Self {
        Gate { reached: AtomicU64::new(0), sleepers: Mutex::default(), changed: Condvar::new(), wait }
    }

    /// Releases the threads that wait for `number` or less.
    pub fn open(&self, number: u64) {
        self.reached.store(number, Ordering::Release);
        if self.wait == Waiting::Sleep {
            // No thread can be between its last poll and its sleep while this is held.
            let sleepers = lock(&self.sleepers);
            if number < sleepers.last {
                self.changed.notify_all();
            } else if sleepers.count > 0 {
                // The first one to wake wakes the others. Until then this thread, which has nothing more to do, has left
                // its core; if it woke all of them itself, there would be one core less, and two of them would share
                // one for as long as the system needs to notice.
                self.changed.notify_one();
            }
        }
    }

    /// Waits until `number` is reached.
    pub fn wait(&self, number: u64) {
        let mut looks = 0;
        while self.reached.load(Ordering::Acquire) < number {
            std::hint::spin_loop();
            looks += 1;
            match self.wait {
                Waiting::Sleep if looks > LOOKS => return self.sleep(number),
                Waiting::Spin if looks.is_multiple_of(LOOKS_SPINNING) => std::thread::yield_now(),
                _ => {}
            }
        }
    }

    fn sleep(&self, number: u64) {
        let mut sleepers = lock(&self.sleepers);
        sleepers.count += 1;
        sleepers.last = sleepers.last.max(number);
        while self.reached.load(Ordering::Acquire) < number {
            sleepers = self.changed.wait(sleepers).unwrap_or_else(PoisonError::into_inner);
        }
        sleepers.count -= 1;
        let is_last = sleepers.count == 0;
        drop(sleepers);
        if !is_last {
            self.changed.notify_all();
        }
    }
}

/// Locks even if another thread panicked while holding the lock: the content is only used after errors are checked.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    /// Sleepers pass when their number comes, whichever thread wakes them; a lost one would hang this test.
    #[test]
    fn all_who_wait_for_a_number_pass_and_the_others_stay() {
        for wait in [Waiting::Sleep, Waiting::Spin] {
            let (gate, passed) = (Gate::new(wait), [0; 6].map(AtomicU64::new));
            thread::scope(|scope| {
                for (place, passed) in passed.iter().enumerate() {
                    let gate = &gate;
                    scope.spawn(move || {
                        for step in 1..=50 {
                            // Half of them are always a number ahead.
                            gate.wait(step + place as u64 % 2);
                            passed.store(step, Ordering::Release);
                        }
                    });
                }
                for number in 1..=51 {
                    gate.open(number);
                    for (place, passed) in passed.iter().enumerate() {
                        let least = (number - place as u64 % 2).min(50);
                        while passed.load(Ordering::Acquire) < least {
                            thread::sleep(Duration::from_micros(20));
                        }
                        assert!(passed.load(Ordering::Acquire) <= least);
                    }
                }
            });
        }
    }
}
