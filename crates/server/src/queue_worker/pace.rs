//! How many tasks a worker takes.
//!
//! As many run at once as it has slots. Where tasks are over soon, it claims a few ahead, so that no slot waits for the
//! database. Those wait for moments only: where a slot is not free soon, they go back.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How much work waits at most for a slot: what another user launches meanwhile comes later by so much.
const AHEAD: Duration = Duration::from_millis(25);
/// Tasks that wait for a slot, at most.
const MOST_AHEAD: u64 = 8;
/// How long a task waits for a slot before it goes back.
const PATIENCE: Duration = Duration::from_millis(250);
/// What tasks are taken to last before the first has ended.
const UNKNOWN: Duration = Duration::from_secs(1);

/// The slots of a worker, and how fast tasks leave them.
#[derive(Debug)]
pub struct Pace {
    slots: Arc<Semaphore>,
    count: usize,
    /// Tasks that have been claimed, and whose process has not ended.
    open: AtomicUsize,
    /// How long a task lasts, in microseconds: rather too long.
    lasts: AtomicU64,
}

/// One task more, until this is dropped.
#[derive(Debug)]
pub struct Place(Arc<Pace>);

impl Pace {
    /// Of a worker with so many slots.
    pub fn new(count: usize) -> Arc<Pace> {
        let lasts = AtomicU64::new(micros(UNKNOWN));
        Arc::new(Pace { slots: Arc::new(Semaphore::new(count)), count, open: AtomicUsize::new(0), lasts })
    }

    /// How many tasks may be claimed now.
    pub fn room(&self) -> usize {
        let ahead = (micros(AHEAD) / self.lasts.load(Ordering::Relaxed).max(1)).min(MOST_AHEAD);
        (self.count * (1 + ahead as usize)).saturating_sub(self.open.load(Ordering::Relaxed))
    }

    /// Whether all slots have work, also when a task ends now.
    pub fn is_ahead(&self) -> bool {
        self.open.load(Ordering::Relaxed) > self.count
    }

    /// A place for a task that was claimed.
    pub fn place(self: &Arc<Pace>) -> Place {
        self.open.fetch_add(1, Ordering::Relaxed);
        Place(Arc::clone(self))
    }
}

impl Place {
    /// A slot, in the order of claims; none where they are kept for long.
    pub async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        match tokio::time::timeout(PATIENCE, Arc::clone(&self.0.slots).acquire_owned()).await {
            Ok(slot) => slot.ok(),
            Err(_) => {
                self.0.lasts.store(micros(UNKNOWN), Ordering::Relaxed);
                None
            }
        }
    }

    /// How long its process took: one that is slow counts for a while.
    pub fn took(&self, time: Duration) {
        let before = self.0.lasts.load(Ordering::Relaxed);
        self.0.lasts.store(micros(time).max(before / 2), Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_quick_tasks_are_claimed_ahead() {
        let pace = Pace::new(2);
        assert_eq!(pace.room(), 2, "nothing is known");
        let place = pace.place();
        // Six of 5 ms after the second that was taken for granted: 500, 250, 125, 62, 31, 15.
        for _ in 0..6 {
            place.took(Duration::from_millis(5));
        }
        assert_eq!(pace.room(), 2 * (1 + 1) - 1);
        place.took(Duration::from_millis(5));
        place.took(Duration::from_millis(5));
        assert_eq!(pace.room(), 2 * (1 + 5) - 1, "25 ms hold five of 5 ms");
        place.took(Duration::from_secs(2));
        assert_eq!(pace.room(), 1, "one slow task ends that");
        drop(place);
        assert_eq!(pace.room(), 2);
    }

    #[tokio::test]
    async fn what_waits_long_for_a_slot_goes_back() {
        let pace = Pace::new(1);
        let (first, second) = (pace.place(), pace.place());
        (0..20).for_each(|_| first.took(Duration::from_millis(1)));
        let slot = first.slot().await.expect("free");
        assert!(pace.is_ahead() && second.slot().await.is_none());
        assert_eq!(pace.room(), 0, "and nothing more is claimed ahead");
        drop((slot, first));
        assert!(!pace.is_ahead() && second.slot().await.is_some());
    }
}
