//! What a process did with its time: intervals without gaps.
//!
//! Why a process was idle is known only when its wait is over. Until then pieces are kept in order; then they become intervals.

use crate::application::Site;
use crate::outcome::{Activity, Cause, Interval};
use crate::tick::Tick;

/// What idle time was spent on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// Waiting until a message was sent, which the cause says; from then on it was under way.
    Sent(Cause),
    /// The head of the own message was under way until that time; from then on its receive was not posted.
    Arrived(Tick, Cause),
    As(Activity, Option<Cause>),
}

impl Reason {
    /// Whether idle time counts as blocked in communication.
    pub fn blocks(&self) -> bool {
        !matches!(self, Reason::As(activity, _) if !matches!(activity, Activity::Transfer | Activity::Collective))
    }
}

/// The step that a process is in: where it is in the script, and whether it is a message of a collective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub site: Site,
    pub collective: bool,
}

impl From<Site> for Step {
    fn from(site: Site) -> Step {
        Step { site, collective: false }
    }
}

/// Pieces that are not intervals yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Up to here all is in the pieces, or was taken out.
    up_to: Tick,
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    from: Tick,
    to: Tick,
    /// None: idle.
    activity: Option<Activity>,
    step: Step,
}

impl Ledger {
    /// At work from one time to another; idle before.
    #[inline]
    pub fn work(&mut self, step: impl Into<Step>, from: Tick, to: Tick, activity: Activity) {
        let step = step.into();
        self.idle_until(step, from);
        self.add(step, to, Some(activity));
    }

    /// Idle up to then.
    #[inline]
    pub fn idle_until(&mut self, step: impl Into<Step>, to: Tick) {
        self.add(step.into(), to, None);
    }

    #[inline]
    fn add(&mut self, step: Step, to: Tick, activity: Option<Activity>) {
        if to > self.up_to {
            self.pieces.push(Piece { from: self.up_to, to, activity, step });
            self.up_to = to;
        }
    }

    /// Takes all pieces out as intervals of a phase; idle ones were spent on this, and `each` gets to know that they were idle.
    #[inline]
    pub fn settle(&mut self, reason: Reason, phase: Option<u32>, mut each: impl FnMut(Interval, bool)) {
        for Piece { from, to, activity, step: Step { site, collective } } in self.pieces.drain(..) {
            let is_idle = activity.is_none();
            let mut one = |from: Tick, to: Tick, activity: Activity, cause: Option<Cause>| {
                if to > from {
                    each(Interval { activity, collective, from, to, site, phase, cause }, is_idle);
                }
            };
            let (middle, first, second, cause) = match (activity, reason) {
                (Some(activity), _) => (to, activity, activity, None),
                (None, Reason::Sent(cause)) => (cause.at, Activity::Wait, Activity::Transfer, Some(cause)),
                (None, Reason::Arrived(at, cause)) => (at, Activity::Transfer, Activity::Wait, Some(cause)),
                (None, Reason::As(activity, cause)) => (to, activity, activity, cause),
            };
            let middle = middle.clamp(from, to);
            one(from, middle, first, cause);
            one(middle, to, second, cause);
        }
    }

    /// Up to here all was taken out.
    pub fn settled_to(&self) -> Tick {
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
