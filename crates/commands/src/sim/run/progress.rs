//! The progress bar of recording and simulating.

use crate::context::{Context, NoProgress, Progress};
use crate::human::{percent, quantity, significant};
use runcast_sim::budget::{Progress as Step, Show};
use runcast_sim::tick::TickLength;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is done sooner needs no bar.
const SOON: Duration = Duration::from_secs(1);

/// Shows how many simulations are done, and how far one of them is, while threads make them.
pub(crate) struct Bar {
    shown: Arc<Mutex<Shown>>,
    interrupt: Arc<AtomicBool>,
}

struct Shown {
    progress: Box<dyn Progress + Send>,
    start: Instant,
    /// What the bar is about and its steps, once it is shown.
    begun: Option<(&'static str, u64)>,
    done: u64,
}

impl Bar {
    /// Takes the progress of the context until [`Bar::end`].
    pub fn new(context: &mut Context) -> Bar {
        let progress = std::mem::replace(&mut context.progress, Box::new(NoProgress));
        let shown = Shown { progress, start: Instant::now(), begun: None, done: 0 };
        Bar { shown: Arc::new(Mutex::new(shown)), interrupt: Arc::clone(&context.interrupt) }
    }

    /// What is raised to stop.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.interrupt)
    }

    /// So many simulations are done, of how many.
    pub fn done(&self, done: u64, of: u64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.done = done;
        if of >= 2 {
            shown.step("simulating", of, "");
        }
    }

    /// So many simulations are done, besides those taken over; of how many is an estimate.
    pub fn count(&self, done: u64, taken_over: u64, about: u64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        shown.done = done;
        let passed_s = shown.start.elapsed().as_secs_f64();
        shown.step("simulating", 0, &counted(done, taken_over, about, passed_s));
    }

    /// Shows how far a recording or a simulation is, and how long it will still take; `of` simulations follow one another.
    pub fn show(&self, tick: TickLength, of: u64) -> Arc<Show> {
        let shown = Arc::clone(&self.shown);
        let of = if of < 2 { 0 } else { of };
        Arc::new(move |step| {
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            let passed_s = shown.start.elapsed().as_secs_f64();
            match step {
                Step::Recording { .. } => shown.step("recording", 0, &told(step, tick, passed_s)),
                Step::Simulating { .. } => shown.step("simulating", of, &told(step, tick, passed_s)),
            }
        })
    }

    /// Gives the progress back.
    pub fn end(&self, context: &mut Context) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if shown.begun.is_some() {
            shown.progress.end();
        }
        context.progress = std::mem::replace(&mut shown.progress, Box::new(NoProgress));
    }
}

impl Shown {
    fn step(&mut self, what: &'static str, of: u64, now: &str) {
        if self.start.elapsed() < SOON {
            return;
        }
        if self.begun != Some((what, of)) {
            self.progress.begin(what, of);
            self.begun = Some((what, of));
        }
        self.progress.step(self.done, now);
    }
}

/// `120 of about 600 simulations (200 taken over), about 5 s left`
fn counted(done: u64, taken_over: u64, about: u64, passed_s: f64) -> String {
    let left = about.saturating_sub(done + taken_over);
    let mut text = match left {
        0 => format!("{done} simulations"),
        _ => format!("{done} of about {} simulations", done + left),
    };
    if taken_over > 0 {
        text += &format!(" ({taken_over} taken over)");
    }
    if left > 0 && done > 0 {
        text += &format!(", about {} left", quantity(passed_s * left as f64 / done as f64, "s"));
    }
    text
}

/// `45.1 million events, 3.1 million/s, 1.2 s simulated, 3 % done, about 2 h left`
fn told(step: &Step<'_>, tick: TickLength, passed_s: f64) -> String {
    let left = |share: f64| match share {
        share if share > 0.0 => format!(", about {} left", quantity(passed_s * (1.0 - share) / share, "s")),
        _ => String::new(),
    };
    match *step {
        Step::Recording { label, rank, ranks } => {
            let (rank, ranks) = (rank as f64, ranks as f64);
            let left = left(rank / ranks);
            format!("{label}: {} of {} processes{left}", significant(rank, 15), significant(ranks, 15))
        }
        Step::Simulating { events, now, share } => {
            let events = events as f64;
            let mut text = format!(
                "{} million events, {} million/s, {} simulated",
                significant(events * 1e-6, 3),
                significant(events * 1e-6 / passed_s.max(1e-9), 2),
                quantity(tick.to_seconds(now), "s")
            );
            if let Some(share) = share {
                text += &format!(", {} done{}", percent(Some(100.0 * share)), left(share));
            }
            text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_sim::tick::PICOSECOND;

    #[test]
    fn simulations_are_counted_with_an_estimate() {
        // 400 of 600 are left when 200 of them are taken over and 100 done in 2 s: 300 more, 6 s.
        assert_eq!(counted(100, 200, 600, 2.0), "100 of about 400 simulations (200 taken over), about 6 s left");
        assert_eq!(counted(100, 0, 600, 2.0), "100 of about 600 simulations, about 10 s left");
        assert_eq!(counted(700, 0, 600, 2.0), "700 simulations", "an estimate that was passed is none");
    }

    #[test]
    fn progress_has_a_rate_and_an_estimate() {
        let simulating = Step::Simulating { events: 45_100_000, now: 1_200_000_000_000, share: Some(0.25) };
        let seen = told(&simulating, PICOSECOND, 10.0);
        assert_eq!(seen, "45.1 million events, 4.5 million/s, 1.2 s simulated, 25.0 % done, about 30 s left");
        let live = Step::Simulating { events: 1_000_000, now: 0, share: None };
        assert!(told(&live, PICOSECOND, 10.0).ends_with("simulated"), "no estimate where the end is not known");
        let recording = Step::Recording { label: "worker", rank: 1_000_000, ranks: 1_000_000_000 };
        let seen = told(&recording, PICOSECOND, 1.0);
        assert!(seen.starts_with("worker: 1,000,000 of 1,000,000,000 processes, about "), "{seen}");
    }
}
