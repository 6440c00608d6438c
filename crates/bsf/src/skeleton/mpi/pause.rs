//! Waiting without MPI's blocking calls, which keep their core busy.

use crate::skeleton::link::Patience;
use crate::skeleton::options::Waiting;
use std::time::{Duration, Instant};

/// So long without a pause: a message that is on its way comes within it, and the shortest pause that Linux gives takes
/// twice as long.
const EAGER: Duration = Duration::from_micros(30);
/// Meanwhile the clock is looked at once in so many looks.
const EAGER_LOOKS: u32 = 16;
/// The first pause; each next one is half as long again.
const FIRST: Duration = Duration::from_micros(5);
/// The longest pause of a short wait.
const LONGEST: Duration = Duration::from_micros(100);
/// The longest pause at all.
const LONGEST_OF_ALL: Duration = Duration::from_millis(1);
/// A pause is never longer than this part of the time waited so far: a message is noticed at most 0.5 % late.
const PART: u32 = 200;
/// Who spins looks at the clock, and lets others run, once in so many looks.
const SPINS: u32 = 1024;

/// The pauses between looks at a message that has not come yet.
pub(super) struct Pauses {
    patience: Patience,
    since: Option<Instant>,
    looks: u32,
    eager: bool,
    next: Duration,
}

impl Pauses {
    pub(super) fn new(patience: Patience) -> Self {
        Pauses { patience, since: None, looks: 0, eager: true, next: FIRST }
    }

    /// Pauses before the next look, or tells for how long it was waited when the patience has ended \[s\].
    pub(super) fn pause(&mut self) -> Result<(), f64> {
        self.looks = self.looks.saturating_add(1);
        match self.patience.wait {
            Waiting::Spin => self.spin(),
            Waiting::Sleep => self.sleep(),
        }
    }

    fn spin(&mut self) -> Result<(), f64> {
        std::hint::spin_loop();
        if !self.looks.is_multiple_of(SPINS) {
            return Ok(());
        }
        self.looks = 0;
        // Costs next to nothing when nobody else wants this core, and saves a time slice when somebody does.
        std::thread::yield_now();
        self.check()
    }

    fn sleep(&mut self) -> Result<(), f64> {
        if self.is_eager() {
            std::hint::spin_loop();
            return Ok(());
        }
        std::thread::sleep(self.next);
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        self.next = (self.next * 3 / 2).min((waited / PART).clamp(LONGEST, LONGEST_OF_ALL));
        self.check()
    }

    /// Whether it is too early for a pause.
    fn is_eager(&mut self) -> bool {
        if self.eager && self.looks.is_multiple_of(EAGER_LOOKS) {
            self.eager = self.since.get_or_insert_with(Instant::now).elapsed() < EAGER;
        }
        self.eager
    }

    fn check(&mut self) -> Result<(), f64> {
        let Some(limit) = self.patience.limit else { return Ok(()) };
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        if waited < limit { Ok(()) } else { Err(waited.as_secs_f64()) }
    }
}
