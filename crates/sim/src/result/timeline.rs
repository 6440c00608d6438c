//! Timelines: every process is a track, every message an arrow, for trace viewers.
//!
//! A [`Recorder`] watches a run; `chrome` writes what it kept as trace events, which Perfetto and Chrome show, `paje` as a
//! Paje trace, which ViTE and pajeng read.

mod chrome;
mod paje;

use crate::application::Application;
use crate::outcome::{Activity, Delivered, Interval, Observer};
use crate::tick::{Tick, TickLength};
use runcast_core::Problem;

/// Intervals and messages that a timeline holds at most: what is beyond that, no viewer shows.
pub const MOST_EVENTS: usize = 5_000_000;

/// What of a run a timeline shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Process numbers, as ranges of which the ends belong to them; none: all.
    pub ranks: Option<Vec<(u64, u64)>>,
    /// From when to when, in seconds; what reaches into it is shown whole.
    pub span_s: Option<(f64, f64)>,
}

/// Keeps what a timeline shows.
#[derive(Debug)]
pub struct Recorder {
    ranks: Option<Vec<(u64, u64)>>,
    from: Tick,
    to: Tick,
    intervals: Vec<(u32, Interval)>,
    messages: Vec<Delivered>,
    left_out: u64,
}

/// A file format of timelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Trace events in JSON.
    Chrome,
    Paje,
}

impl Format {
    /// The format that a file name asks for.
    ///
    /// # Errors
    /// `unknown_format`: it ends in neither `.json` nor `.paje`.
    pub fn of(name: &str) -> Result<Format, Problem> {
        match name.rsplit('.').next() {
            Some("json") => Ok(Format::Chrome),
            Some("paje") => Ok(Format::Paje),
            _ => Err(Problem::new("unknown_format", "the name of a timeline must have the extension of its format")
                .at("--timeline")
                .value(name)
                .allowed("a name that ends in .json (Perfetto, Chrome) or .paje")),
        }
    }

    /// Writes what was kept.
    pub fn write(self, recorder: &Recorder, application: &Application, tick: TickLength) -> Vec<u8> {
        match self {
            Format::Chrome => chrome::write(recorder, application, tick),
            Format::Paje => paje::write(recorder, application, tick),
        }
    }
}

impl Recorder {
    /// A recorder for the requested part.
    ///
    /// # Errors
    /// The span lies outside what ticks reach.
    pub fn new(wanted: &Wanted, tick: TickLength) -> Result<Recorder, Problem> {
        let (from, to) = match wanted.span_s {
            Some((from, to)) => (tick.of(from)?, tick.of(to)?),
            None => (0, Tick::MAX),
        };
        Ok(Recorder { ranks: wanted.ranks.clone(), from, to, intervals: Vec::new(), messages: Vec::new(), left_out: 0 })
    }

    /// Intervals and messages that were beyond [`MOST_EVENTS`].
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Intervals and messages that were kept.
    pub fn kept(&self) -> usize {
        self.intervals.len() + self.messages.len()
    }

    fn shows(&self, process: u32) -> bool {
        let process = u64::from(process);
        self.ranks.as_ref().is_none_or(|ranges| ranges.iter().any(|(from, to)| (*from..=*to).contains(&process)))
    }

    fn has_room(&mut self) -> bool {
        if self.kept() < MOST_EVENTS {
            return true;
        }
        self.left_out += 1;
        false
    }

    /// Processes that are shown, ascending.
    fn processes(&self) -> Vec<u32> {
        let mut processes: Vec<u32> = self.intervals.iter().map(|(process, _)| *process).collect();
        processes.extend(self.messages.iter().flat_map(|message| [message.from, message.to]));
        processes.sort_unstable();
        processes.dedup();
        processes
    }
}

impl Observer for Recorder {
    fn interval(&mut self, process: u32, interval: Interval) {
        let meets = interval.to > interval.from && interval.from <= self.to && interval.to >= self.from;
        if meets && self.shows(process) && self.has_room() {
            self.intervals.push((process, interval));
        }
    }

    fn delivered(&mut self, message: Delivered) {
        let meets = message.sent <= self.to && message.received >= self.from;
        if meets && self.shows(message.from) && self.shows(message.to) && self.has_room() {
            self.messages.push(message);
        }
    }
}

pub fn word(activity: Activity) -> &'static str {
    match activity {
        Activity::Compute => "compute",
        Activity::Overhead => "overhead",
        Activity::Transfer => "transfer",
        Activity::Wait => "wait",
        Activity::Collective => "collective",
        Activity::Io => "io",
    }
}

/// All activities, in their order.
pub const ALL: [Activity; crate::outcome::ACTIVITIES] =
    [Activity::Compute, Activity::Overhead, Activity::Transfer, Activity::Wait, Activity::Collective, Activity::Io];

#[cfg(test)]
mod tests;
