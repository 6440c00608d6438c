//! The budget of an answer: what is simulated is interrupted when it is used up.

use runcast_core::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the watch looks at the time.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Stack of the thread that watches.
const STACK: usize = 64 << 10;
/// The least time for a quick look at one point, however small the budget.
const QUICK_MS: u64 = 100;
/// Budgets after which no further point is begun.
const FAR: u64 = 4;

/// Raises the interrupt of a simulation when its time is over.
pub struct Clock {
    interrupt: Arc<AtomicBool>,
    start: Instant,
    budget_ms: u64,
    /// Milliseconds after the start.
    deadline_ms: Arc<AtomicU64>,
    is_done: Arc<AtomicBool>,
}

impl Clock {
    /// Begins now.
    ///
    /// # Errors
    /// There is no thread to watch.
    pub fn start(interrupt: Arc<AtomicBool>, budget: Duration) -> Result<Clock, Problem> {
        let budget_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        let clock = Clock {
            interrupt,
            start: Instant::now(),
            budget_ms,
            deadline_ms: Arc::new(AtomicU64::new(budget_ms)),
            is_done: Arc::default(),
        };
        let (interrupt, deadline, is_done) =
            (Arc::clone(&clock.interrupt), Arc::clone(&clock.deadline_ms), Arc::clone(&clock.is_done));
        let start = clock.start;
        let watch = move || {
            while !is_done.load(Ordering::Relaxed) {
                if passed_ms(start) >= deadline.load(Ordering::Relaxed) {
                    interrupt.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(LOOK_EVERY);
            }
        };
        let thread = std::thread::Builder::new().name("budget".to_owned()).stack_size(STACK).spawn(watch);
        thread.map_err(|error| Problem::new("internal", format!("no thread watches the budget: {error}")))?;
        Ok(clock)
    }

    /// What is raised.
    pub fn interrupt(&self) -> &AtomicBool {
        &self.interrupt
    }

    /// Whether the budget is used up.
    pub fn is_over(&self) -> bool {
        passed_ms(self.start) >= self.budget_ms
    }

    /// Whether even quick looks took too long.
    pub fn is_far_over(&self) -> bool {
        passed_ms(self.start) >= self.budget_ms.saturating_mul(FAR).max(QUICK_MS * FAR)
    }

    /// Gives one more point a moment.
    pub fn extend(&self) {
        let until = passed_ms(self.start) + self.budget_ms.max(QUICK_MS);
        self.deadline_ms.store(until, Ordering::Relaxed);
        self.interrupt.store(false, Ordering::Relaxed);
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
    }
}

fn passed_ms(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
