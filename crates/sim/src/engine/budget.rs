//! The budget of a simulation, its progress, and the partial result of a stopped one.
//!
//! Engines call [`Budget::spend`] at regular intervals of events, recorders check a [`Monitor`]. Both end the work
//! with a problem when the user interrupts it; the budget also when the simulation exceeds its limits of events or
//! memory.

pub mod memory;

use crate::outcome::Outcome;
use crate::tick::Tick;
use runcast_core::Problem;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Default limit of events of one simulation: a few hours of work.
pub const MOST_EVENTS: u64 = 10_000_000_000;

/// Time between two checks of the memory, and between two reports of progress.
pub(crate) const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// Progress of the work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Progress<'a> {
    /// The operations of a process are being recorded.
    Recording {
        /// Name of its label.
        label: &'a str,
        /// Processes of the label that are recorded.
        rank: u64,
        /// Processes that the label has.
        ranks: u64,
    },
    Simulating {
        /// Events so far.
        events: u64,
        /// Simulated time so far.
        now: Tick,
        /// Part of the operations that are done, 0 to 1; none if their number is not known in advance.
        share: Option<f64>,
    },
}

pub type Show = dyn Fn(&Progress<'_>) + Send + Sync;

/// Observes the progress of work, and may stop it.
#[derive(Clone, Default)]
pub struct Monitor {
    /// Set from outside to stop.
    pub interrupt: Arc<AtomicBool>,
    /// Shows progress; called at most every tenth of a second.
    pub show: Option<Arc<Show>>,
}

impl Monitor {
    /// # Errors
    /// `interrupted`.
    pub fn check(&self) -> Result<(), Problem> {
        if self.interrupt.load(Ordering::Relaxed) { Err(interrupted()) } else { Ok(()) }
    }
}

impl fmt::Debug for Monitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Monitor").field("interrupt", &self.interrupt).finish_non_exhaustive()
    }
}

/// All are equal: no result depends on the observer.
impl PartialEq for Monitor {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The budget of one simulation; several threads may spend it.
pub struct Budget<'a> {
    interrupt: &'a AtomicBool,
    max_events: u64,
    max_memory: Option<u64>,
    show: Option<&'a Show>,
    operations: Option<f64>,
    events: AtomicU64,
    done: AtomicU64,
    now: AtomicU64,
    start: Instant,
    /// Milliseconds from the start to the last report.
    reported: AtomicU64,
    kept: Mutex<Option<Outcome>>,
}

/// Is never interrupted.
impl Default for Budget<'_> {
    fn default() -> Self {
        static NEVER: AtomicBool = AtomicBool::new(false);
        Budget::new(&NEVER)
    }
}

impl<'a> Budget<'a> {
    /// [`MOST_EVENTS`] events, any memory.
    pub fn new(interrupt: &'a AtomicBool) -> Self {
        Budget {
            interrupt,
            max_events: MOST_EVENTS,
            max_memory: None,
            show: None,
            operations: None,
            events: AtomicU64::new(0),
            done: AtomicU64::new(0),
            now: AtomicU64::new(0),
            start: Instant::now(),
            reported: AtomicU64::new(0),
            kept: Mutex::default(),
        }
    }

    /// At most this many events, and bytes of memory of the whole process.
    #[must_use]
    pub fn limited(self, max_events: u64, max_memory: Option<u64>) -> Self {
        Budget { max_events, max_memory, ..self }
    }

    /// Progress is shown; `operations` are those of all processes, if their number is known.
    #[must_use]
    pub fn shown(self, show: Option<&'a Show>, operations: Option<f64>) -> Self {
        Budget { show, operations, ..self }
    }

    /// Whether the user wants the simulation to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Spends further events, and operations of programs, up to a point of simulated time.
    ///
    /// # Errors
    /// `interrupted`; `too_many_events` or `too_much_memory` if a limit is reached.
    pub fn spend(&self, events: u64, operations: u64, now: Tick) -> Result<(), Problem> {
        let spent = self.events.fetch_add(events, Ordering::Relaxed).saturating_add(events);
        let done = self.done.fetch_add(operations, Ordering::Relaxed).saturating_add(operations);
        self.now.fetch_max(now, Ordering::Relaxed);
        if self.is_interrupted() {
            return Err(interrupted());
        }
        if spent > self.max_events {
            let problem =
                Problem::new("too_many_events", format!("the simulation takes more than {} events", self.max_events));
            return Err(problem.hint(
                "is there a loop without an end? If not, raise --max-events, or try --fidelity label, where like processes \
                 are one",
            ));
        }
        let elapsed = self.start.elapsed();
        let (passed, last) = (elapsed.as_millis() as u64, self.reported.load(Ordering::Relaxed));
        if passed < last + BETWEEN_REPORTS.as_millis() as u64
            || self.reported.compare_exchange(last, passed, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return Ok(());
        }
        if let Some(most) = self.max_memory.filter(|most| memory::resident_bytes().is_some_and(|taken| taken > *most)) {
            return Err(too_much_memory(most));
        }
        if let Some(show) = self.show {
            let share = self.operations.filter(|all| *all > 0.0).map(|all| (done as f64 / all).min(1.0));
            show(&Progress::Simulating { events: spent, now: self.now.load(Ordering::Relaxed), share });
        }
        Ok(())
    }

    /// Checks whether this many more bytes would be too many.
    ///
    /// # Errors
    /// `too_much_memory`.
    pub fn room_for(&self, bytes: u64) -> Result<(), Problem> {
        let taken = memory::resident_bytes().unwrap_or(0);
        match self.max_memory {
            Some(most) if taken.saturating_add(bytes) > most => Err(too_much_memory(most)),
            _ => Ok(()),
        }
    }

    /// The problem that ends a simulation; a stopped one keeps its partial result.
    pub fn stopped(&self, problem: Problem, outcome: impl FnOnce() -> Result<Outcome, Problem>) -> Problem {
        if is_stop(&problem)
            && let Ok(outcome) = outcome()
        {
            let now = self.now.load(Ordering::Relaxed);
            let kept = Outcome { end: if now > 0 { now } else { outcome.end }, ..outcome };
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
        }
        problem
    }

    /// The partial result of a stopped simulation.
    pub fn kept(&self) -> Option<Outcome> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Whether a problem means that a simulation was stopped, by the user or by its budget, rather than wrong.
pub fn is_stop(problem: &Problem) -> bool {
    ["interrupted", "too_many_events", "too_much_memory"].contains(&problem.code.as_str())
}

fn interrupted() -> Problem {
    Problem::new("interrupted", "interrupted")
}

fn too_much_memory(most: u64) -> Problem {
    let message = format!("the simulation needs more than {:.1} GB of memory", most as f64 * 1e-9);
    Problem::new("too_much_memory", message).hint(
        "try --fidelity label, where identical processes are merged; --max-memory allows more than nine tenths of what was free",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_memory_and_interrupts_end_it() {
        let interrupt = AtomicBool::new(false);
        let budget = Budget::new(&interrupt).limited(100, None);
        assert!(budget.spend(100, 0, 5).is_ok());
        let problem = budget.spend(1, 0, 7).expect_err("one too many");
        assert_eq!(problem.code, "too_many_events");
        assert!(problem.message.contains("more than 100 events"), "{}", problem.message);
        assert!(problem.hint.as_ref().is_some_and(|hint| hint.contains("--max-events")));
        let problem = budget.stopped(problem, || Ok(Outcome { end: 1000, ..Outcome::default() }));
        assert!(is_stop(&problem));
        assert_eq!(budget.kept().map(|outcome| outcome.end), Some(7), "time is what was reached");
        let other = budget.stopped(Problem::new("deadlock", ""), || Ok(Outcome::default()));
        assert_eq!((other.code.as_str(), budget.kept()), ("deadlock", None));

        let small = Budget::new(&interrupt).limited(u64::MAX, Some(1));
        if memory::resident_bytes().is_some() {
            std::thread::sleep(2 * BETWEEN_REPORTS);
            assert_eq!(small.spend(1, 0, 0).expect_err("a byte").code, "too_much_memory");
            assert!(small.room_for(0).is_err());
        }
        interrupt.store(true, Ordering::Relaxed);
        assert_eq!(Budget::new(&interrupt).spend(1, 0, 0).expect_err("raised").code, "interrupted");
    }

    #[test]
    fn progress_has_events_time_and_share() {
        let interrupt = AtomicBool::new(false);
        let seen = Mutex::new(Vec::new());
        let seen = Arc::new(seen);
        let into = seen.clone();
        let show = move |progress: &Progress<'_>| {
            if let Progress::Simulating { events, now, share } = progress {
                into.lock().expect("unpoisoned").push((*events, *now, *share));
            }
        };
        let budget = Budget::new(&interrupt).shown(Some(&show), Some(400.0));
        budget.spend(10, 5, 1).expect("a budget");
        std::thread::sleep(2 * BETWEEN_REPORTS);
        budget.spend(10, 95, 2).expect("a budget");
        budget.spend(10, 0, 3).expect("a budget");
        assert_eq!(*seen.lock().expect("unpoisoned"), [(20, 2, Some(0.25))], "at most every tenth of a second");
    }
}
