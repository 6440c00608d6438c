//! Why a run takes as long as it does: the path from its last event back to its start, split by cause.
//!
//! A [`Watch`] keeps, for each process, what it did and what ended each wait. [`Watch::path`] starts at the end of the process
//! that finishes last and walks back: through what the process did itself, and where it waited for another, through the
//! message to whom it waited for. Every moment of the run lies on exactly one step, so the shares add up to 1.

mod walk;

use crate::application::Site;
use crate::outcome::{Activity, Delivered, Interval, Observer};
use crate::platform::LinkId;
use crate::tick::Tick;
use serde::Serialize;

pub use walk::{Context, Path};

/// Intervals that a watch keeps at most, of all processes together (48 B each).
pub const MOST_INTERVALS: usize = 20_000_000;

/// Causes that limit a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Compute,
    /// Processors handle messages.
    Overhead,
    /// Messages are under way, whatever their size.
    Latency,
    /// Bytes pass through a link.
    Link,
    /// A process sleeps, or has not started yet.
    Wait,
    /// Copies, reads, writes.
    Io,
}

impl Kind {
    /// Its word in documents.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Compute => "compute",
            Kind::Overhead => "overhead",
            Kind::Latency => "latency",
            Kind::Link => "link",
            Kind::Wait => "wait",
            Kind::Io => "io",
        }
    }
}

/// A part of the path: all its steps of one cause.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// What kind of cause.
    pub kind: Kind,
    /// Which: a block of a label, a link, a label.
    pub what: String,
    /// Seconds of the path.
    pub time_s: f64,
    /// Share of the path.
    pub share: f64,
}

/// An interval as it is kept: it begins where the one before ends.
#[derive(Debug, Clone, Copy)]
struct Kept {
    to: Tick,
    activity: Activity,
    collective: bool,
    site: Site,
    cause: Option<KeptCause>,
}

#[derive(Debug, Clone, Copy)]
struct KeptCause {
    process: u32,
    at: Tick,
    link: Option<LinkId>,
}

/// A message as its receiver had it.
#[derive(Debug, Clone, Copy)]
struct Message {
    from: u32,
    received: Tick,
    size: u64,
}

/// Keeps what the walk back needs.
#[derive(Debug, Default)]
pub struct Watch {
    intervals: Vec<Vec<Kept>>,
    messages: Vec<Vec<Message>>,
    kept: usize,
    overflown: bool,
}

impl Watch {
    /// An empty watch.
    pub fn new() -> Self {
        Watch::default()
    }

    /// Whether there was more than it keeps: then there is no path.
    pub fn has_overflown(&self) -> bool {
        self.overflown
    }

    fn room(&mut self) -> bool {
        if self.kept >= MOST_INTERVALS {
            if !self.overflown {
                self.overflown = true;
                self.intervals = Vec::new();
                self.messages = Vec::new();
            }
            return false;
        }
        self.kept += 1;
        true
    }
}

/// The list of a process, made when it is first needed.
fn of<T>(lists: &mut Vec<Vec<T>>, process: u32) -> &mut Vec<T> {
    let index = process as usize;
    if index >= lists.len() {
        lists.resize_with(index + 1, Vec::new);
    }
    &mut lists[index]
}

impl Observer for Watch {
    fn interval(&mut self, process: u32, interval: Interval) {
        if interval.to == interval.from {
            return;
        }
        let kept = Kept {
            to: interval.to,
            activity: interval.activity,
            collective: interval.collective,
            site: interval.site,
            cause: interval.cause.map(|cause| KeptCause { process: cause.process, at: cause.at, link: cause.link }),
        };
        if !self.overflown
            && let Some(last) = self.intervals.get_mut(process as usize).and_then(|list| list.last_mut())
            && last.cause.is_none()
            && kept.cause.is_none()
            && (last.activity, last.collective, last.site) == (kept.activity, kept.collective, kept.site)
        {
            last.to = kept.to;
            return;
        }
        if self.room() {
            of(&mut self.intervals, process).push(kept);
        }
    }

    fn delivered(&mut self, message: Delivered) {
        if self.room() {
            let kept = Message { from: message.from, received: message.received, size: message.size };
            of(&mut self.messages, message.to).push(kept);
        }
    }
}

#[cfg(test)]
mod tests;
