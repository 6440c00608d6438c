//! What a representative did with its time: intervals without gaps, and their sums.
//!
//! Why it was idle is known only when the wait is over; until then pieces are kept in order.

use crate::application::Site;
use crate::outcome::{ACTIVITIES, Activity, Cause, Interval, Observer};
use crate::tick::Tick;

/// Why a representative was idle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// A message that was sent at that time: before it is waiting, afterwards it is under way.
    Sent(Cause),
    /// The own message was under way until then; afterwards its receive was not posted.
    Arrived(Tick, Cause),
    /// This.
    As(Activity),
}

/// Pieces that are not told yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    up_to: Tick,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    from: Tick,
    to: Tick,
    activity: Option<Activity>,
    site: Site,
}

/// Sums of one representative.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sums {
    /// Ticks by activity.
    pub ticks: [u128; ACTIVITIES],
    /// Ticks by phase.
    pub phases: Vec<u128>,
    /// Phase that it is in.
    pub phase: Option<u32>,
    /// Thread-ticks of computing.
    pub thread_ticks: f64,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Operations done.
    pub operations: u64,
}

impl Ledger {
    /// At work from one time to another; idle before.
    pub fn work(&mut self, site: Site, from: Tick, to: Tick, activity: Activity) {
        self.idle_until(site, from);
        if to > self.up_to {
            self.pieces.push(Piece { from: self.up_to, to, activity: Some(activity), site });
            self.up_to = to;
        }
    }

    /// Idle up to then.
    pub fn idle_until(&mut self, site: Site, to: Tick) {
        if to > self.up_to {
            self.pieces.push(Piece { from: self.up_to, to, activity: None, site });
            self.up_to = to;
        }
    }

    /// Tells all pieces; idle ones were spent on this.
    pub fn tell(&mut self, process: u32, reason: Reason, sums: &mut Sums, observer: &mut dyn Observer) {
        let mut one = |piece: &Piece, from: Tick, to: Tick, activity: Activity, cause: Option<Cause>| {
            if to <= from {
                return;
            }
            let ticks = u128::from(to - from);
            sums.ticks[activity as usize] += ticks;
            if let Some(phase) = sums.phase {
                if sums.phases.len() <= phase as usize {
                    sums.phases.resize(phase as usize + 1, 0);
                }
                sums.phases[phase as usize] += ticks;
            }
            let collective = activity == Activity::Collective;
            let (site, phase) = (piece.site, sums.phase);
            observer.interval(process, Interval { activity, collective, from, to, site, phase, cause });
        };
        for piece in self.pieces.drain(..) {
            if let Some(activity) = piece.activity {
                one(&piece, piece.from, piece.to, activity, None);
                continue;
            }
            let (middle, first, second, cause) = match reason {
                Reason::Sent(cause) => (cause.at, Activity::Wait, Activity::Transfer, Some(cause)),
                Reason::Arrived(at, cause) => (at, Activity::Transfer, Activity::Wait, Some(cause)),
                Reason::As(activity) => (piece.to, activity, activity, None),
            };
            let middle = middle.clamp(piece.from, piece.to);
            one(&piece, piece.from, middle, first, cause);
            one(&piece, middle, piece.to, second, cause);
        }
    }

    /// Up to here all is told.
    pub fn told_to(&self) -> Tick {
        self.pieces.first().map_or(self.up_to, |piece| piece.from)
    }

    /// Changes all times.
    pub fn map(&mut self, change: &mut dyn FnMut(&mut Tick)) {
        change(&mut self.up_to);
        for piece in &mut self.pieces {
            change(&mut piece.from);
            change(&mut piece.to);
        }
    }
}

impl Sums {
    /// Adds what came since `before`, so many times over.
    pub fn repeat(&mut self, before: &Sums, times: u64) {
        let wide = u128::from(times);
        for (ticks, old) in self.ticks.iter_mut().zip(before.ticks) {
            *ticks += (*ticks - old) * wide;
        }
        for (at, ticks) in self.phases.iter_mut().enumerate() {
            *ticks += (*ticks - before.phases.get(at).copied().unwrap_or(0)) * wide;
        }
        self.thread_ticks += (self.thread_ticks - before.thread_ticks) * times as f64;
        for (now, old) in [
            (&mut self.messages, before.messages),
            (&mut self.bytes, before.bytes),
            (&mut self.operations, before.operations),
        ] {
            *now = now.saturating_add((*now - old).saturating_mul(times));
        }
    }
}
