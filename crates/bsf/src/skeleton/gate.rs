//! Threads that wait for each other.

use super::options::Waiting;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Looks before a waiting thread leaves its core: a hand-over that is about to come is not worth a system call.
const LOOKS: u32 = 64;
/// Looks before a spinning thread lets others in, for the case that there are more threads than cores.
const LOOKS_SPINNING: u32 = 1 << 14;

/// A number that only grows, and threads that wait for it.
///
/// What was written before [`Gate::open`] is seen after [`Gate::wait`].
#[derive(Debug)]
pub(super) struct Gate {
    reached: AtomicU64,
    sleepers: Mutex<()>,
    changed: Condvar,
    wait: Waiting,
}

impl Gate {
    pub fn new(wait: Waiting) -> Self {
        Gate { reached: AtomicU64::new(0), sleepers: Mutex::new(()), changed: Condvar::new(), wait }
    }

    /// Lets those pass who wait for `number` or less.
    pub fn open(&self, number: u64) {
        self.reached.store(number, Ordering::Release);
        if self.wait == Waiting::Sleep {
            // Nobody can be between its last look and its sleep while this is held.
            drop(lock(&self.sleepers));
            self.changed.notify_all();
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
        let mut guard = lock(&self.sleepers);
        while self.reached.load(Ordering::Acquire) < number {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Locks even when another thread panicked with the lock: what it holds is looked at only after errors were.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
