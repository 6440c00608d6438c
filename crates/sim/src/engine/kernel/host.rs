//! A volunteer's host: when it is on, and the copies of jobs that it computes.

use crate::noise::{Purpose, exponential};
use crate::tick::{Tick, TickLength};
use crate::volunteer::Crowd;
use runcast_core::random::SplitMix;

/// A copy of a job on a host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Copy {
    pub job: u32,
    /// Its number among all copies.
    pub number: u64,
    pub threads: f64,
    /// Ticks of computing that it still needs.
    left: Tick,
    /// Since when it computes; ahead while the host is off.
    began: Tick,
    /// Times that it was lost.
    lost: u32,
    /// Whether its deadline is over.
    pub late: bool,
}

impl Copy {
    /// A copy that begins.
    pub fn new(job: u32, number: u64, threads: f64, work: Tick, now: Tick) -> Self {
        Copy { job, number, threads, left: work, began: now, lost: 0, late: false }
    }

    fn end(&self) -> Tick {
        self.began.saturating_add(self.left)
    }
}

/// A host. It is on from `on` to `until`, and off before and after.
#[derive(Debug)]
pub struct Host {
    availability: SplitMix,
    results: SplitMix,
    pub on: Tick,
    until: Tick,
    /// Which of its times it is.
    nth: u64,
    pub free_cores: f64,
    pub copies: Vec<Copy>,
    /// Counts what changes its next event.
    pub version: u32,
}

/// Copies that are lost more often do not finish.
pub const MOST_LOST: u32 = 10_000_000;

impl Host {
    /// A host at the begin, in the state that a look at any time would find.
    pub fn new(crowd: &Crowd, number: u32, tick: TickLength) -> Self {
        let stream = |second| {
            let first = u64::from(crowd.component) << 32 | u64::from(number);
            crowd.key.stream(Purpose::Volunteer, first, second)
        };
        let mut host = Host {
            availability: stream(0),
            results: stream(1),
            on: 0,
            until: 0,
            nth: 0,
            free_cores: crowd.cores,
            copies: Vec::new(),
            version: 0,
        };
        if crowd.recorded.is_some() {
            host.record(crowd, number, tick);
        } else {
            let volunteer = &crowd.volunteer;
            let is_on = host.availability.uniform() < volunteer.availability();
            if !is_on {
                host.on = host.draw(volunteer.off_mean_s, tick);
            }
            host.until = host.on.saturating_add(host.draw(volunteer.on_mean_s, tick));
        }
        host
    }

    fn draw(&mut self, mean_s: f64, tick: TickLength) -> Tick {
        if mean_s.is_infinite() {
            return Tick::MAX;
        }
        // Beyond all ticks it is as good as never.
        tick.of(mean_s * exponential(&mut self.availability)).unwrap_or(Tick::MAX).max(1)
    }

    fn record(&mut self, crowd: &Crowd, number: u32, tick: TickLength) {
        let Some(recorded) = &crowd.recorded else { return };
        let (start_s, end_s) = recorded.time(number, self.nth);
        // What ticks do not reach does not come.
        let (on, until) = match (tick.of(start_s), tick.of(end_s)) {
            (Ok(on), Ok(until)) => (on, until.max(on.saturating_add(1))),
            (Ok(on), Err(_)) if end_s.is_infinite() => (on, Tick::MAX),
            _ => (Tick::MAX, Tick::MAX),
        };
        (self.on, self.until) = (on, until);
        self.nth += 1;
    }

    /// The next time that it is on.
    fn turn(&mut self, crowd: &Crowd, number: u32, tick: TickLength) {
        if crowd.recorded.is_some() {
            return self.record(crowd, number, tick);
        }
        self.on = match crowd.volunteer.off_mean_s {
            0.0 => self.until,
            mean => self.until.saturating_add(self.draw(mean, tick)),
        };
        self.until = self.on.saturating_add(self.draw(crowd.volunteer.on_mean_s, tick));
    }

    /// Looks at a host without copies: it was on and off since.
    pub fn look(&mut self, now: Tick, crowd: &Crowd, number: u32, tick: TickLength) {
        while self.copies.is_empty() && self.until <= now && self.until < Tick::MAX {
            self.turn(crowd, number, tick);
        }
    }

    /// When something happens to its copies.
    pub fn next(&self) -> Option<Tick> {
        let first = self.copies.iter().map(Copy::end).min()?;
        Some(first.min(self.until))
    }

    /// Copies whose computing is over now; otherwise it is switched off, and comes back. What its threads have computed,
    /// in ticks, is added to that of each copy that was interrupted. False: a copy is lost too often.
    pub fn go_on(
        &mut self,
        now: Tick,
        (crowd, number, tick): (&Crowd, u32, TickLength),
        ended: &mut Vec<Copy>,
        worked: &mut Vec<(u32, f64)>,
    ) -> bool {
        self.copies.retain(|copy| {
            let is_over = copy.end() <= now;
            if is_over {
                worked.push((copy.job, copy.left as f64 * copy.threads));
                ended.push(*copy);
            }
            !is_over
        });
        self.free_cores += ended.iter().map(|copy| copy.threads).sum::<f64>();
        if self.copies.is_empty() || self.until > now {
            return true;
        }
        self.turn(crowd, number, tick);
        let mut can_end = true;
        for copy in &mut self.copies {
            let done = now - copy.began;
            worked.push((copy.job, done as f64 * copy.threads));
            if crowd.volunteer.keeps_progress {
                copy.left -= done;
            } else {
                copy.lost += 1;
                can_end &= copy.lost < MOST_LOST;
            }
            copy.began = self.on;
        }
        can_end
    }

    /// Whether the next result is wrong.
    pub fn is_wrong(&mut self, error_rate: f64) -> bool {
        self.results.uniform() < error_rate
    }
}
