//! Waiting without MPI's blocking calls, which busy-wait.

use crate::skeleton::link::Patience;
use crate::skeleton::options::Waiting;
use crate::skeleton::times::thread_cpu_s;
use std::time::{Duration, Instant};

/// Initial time without a pause: a message in transit arrives within it, and the shortest pause on Linux takes twice
/// as long.
const EAGER: Duration = Duration::from_micros(30);
/// During it, the clock is read once per this many polls.
const EAGER_LOOKS: u32 = 16;
/// The first pause; each next one is half as long again.
const FIRST: Duration = Duration::from_micros(5);
/// The longest pause while polls are cheap.
const LONGEST: Duration = Duration::from_micros(100);
/// The longest pause in any case.
const LONGEST_OF_ALL: Duration = Duration::from_millis(1);
/// Where polls are expensive, pauses grow until polls take this share of the waiting time. The cost of a poll depends
/// on the MPI library and on the load of the machine: 3 us to 25 us were observed.
const SHARE: f64 = 0.025;
/// But no pause is longer than this share of the time waited so far, which bounds the delay of a message.
const LATE: f64 = 0.05;
/// A spinning thread reads the clock and yields once per this many polls.
const SPINS: u32 = 1024;

/// The pauses between polls for a message that has not arrived yet.
pub(super) struct Pauses {
    patience: Patience,
    since: Option<Instant>,
    /// CPU time of this thread before the first pause \[s\].
    began_s: Option<f64>,
    looks: u32,
    eager: bool,
    next: Duration,
}

impl Pauses {
    pub(super) fn new(patience: Patience) -> Self {
        Pauses { patience, since: None, began_s: None, looks: 0, eager: true, next: FIRST }
    }

    /// Pauses before the next poll, or returns how long it has waited on timeout \[s\].
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
        // Costs next to nothing on an idle core, and saves a time slice on a shared one.
        std::thread::yield_now();
        self.check()
    }

    fn sleep(&mut self) -> Result<(), f64> {
        if self.is_eager() {
            std::hint::spin_loop();
            return Ok(());
        }
        let began_s = *self.began_s.get_or_insert_with(thread_cpu_s);
        std::thread::sleep(self.next);
        let waited = self.since.get_or_insert_with(Instant::now).elapsed();
        self.next = (self.next * 3 / 2).min(longest(waited, thread_cpu_s() - began_s));
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

/// The longest next pause of a wait in which polls took `cpu_s` of CPU time \[s\] so far: until they are [`SHARE`] of
/// the time waited.
fn longest(waited: Duration, cpu_s: f64) -> Duration {
    let dear_s = cpu_s / SHARE - waited.as_secs_f64();
    let late_s = LATE * waited.as_secs_f64();
    Duration::from_secs_f64(dear_s.min(late_s).max(0.0)).clamp(LONGEST, LONGEST_OF_ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of a wait that looks take, each of which costs so much CPU time \[s\], and its longest pause \[s\].
    fn share(look_s: f64, wait_s: f64) -> (f64, f64) {
        let (mut waited_s, mut cpu_s, mut pause_s, mut longest_s) = (0.0, 0.0, FIRST.as_secs_f64(), 0.0_f64);
        while waited_s < wait_s {
            longest_s = longest_s.max(pause_s);
            waited_s += pause_s + look_s;
            cpu_s += look_s;
            pause_s = (1.5 * pause_s).min(longest(Duration::from_secs_f64(waited_s), cpu_s).as_secs_f64());
        }
        (cpu_s / waited_s, longest_s)
    }

    #[test]
    fn waits_cost_little_however_dear_a_look_is() {
        for (look_s, wait_s, most) in [(2e-6, 0.05, 0.03), (5e-6, 0.05, 0.035), (25e-6, 0.05, 0.05), (25e-6, 1.0, 0.03)]
        {
            let (share, longest_s) = share(look_s, wait_s);
            assert!(share <= most, "{look_s} s a look: {share} of {wait_s} s");
            assert!(longest_s <= 1e-3);
        }
    }

    #[test]
    fn cheap_looks_are_as_dense_as_ever() {
        assert_eq!(share(2e-6, 0.05).1, LONGEST.as_secs_f64());
    }
}
