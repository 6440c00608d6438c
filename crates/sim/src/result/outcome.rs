//! The result of an engine: accounts by label, phase, device and link; and the notifications of observers.

use crate::application::Site;
use crate::platform::LinkId;
use crate::tick::Tick;
use runcast_core::Warning;

/// What a process does at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activity {
    Compute,
    /// The processor handles a message.
    Overhead,
    /// Waits for a message that is under way.
    Transfer,
    /// Waits for a message that is not sent yet, for a receive that is not posted yet, or for its start.
    Wait,
    /// Takes part in a collective.
    Collective,
    /// Copies, reads, writes.
    Io,
}

/// Number of activities.
pub const ACTIVITIES: usize = 6;

/// An interval of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// What it did. In a collective that is expanded this is still what it did; `collective` is set.
    pub activity: Activity,
    /// Whether it belongs to a collective.
    pub collective: bool,
    /// Start.
    pub from: Tick,
    /// End.
    pub to: Tick,
    /// Where in the script.
    pub site: Site,
    /// Phase, an index into [`crate::application::Application::phases`]; none before the first.
    pub phase: Option<u32>,
    /// What ended it, when that happened in another process.
    pub cause: Option<Cause>,
}

/// An event in another process that an interval waited for: the critical path continues there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cause {
    pub process: u32,
    /// When: the send, the posting, the entry of the last.
    pub at: Tick,
    /// The link that held a flow back, at `flow`.
    pub link: Option<LinkId>,
}

/// A message, once it was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delivered {
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Bytes.
    pub size: u64,
    /// When the sender began.
    pub sent: Tick,
    /// When the receiver had it.
    pub received: Tick,
}

/// Is notified what happens, process by process in order of time.
pub trait Observer {
    /// An interval of a process; those of a process follow one another without gaps from its start to its end.
    fn interval(&mut self, process: u32, interval: Interval);
    fn delivered(&mut self, message: Delivered);
    /// Whether it looks at all: otherwise engines may take a way that knows sums only. The label engine skips iterations that
    /// repeat when nobody does; if one does, it processes millions of events first, and reports the rest in aggregate.
    fn wants(&self) -> bool {
        true
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blind;

impl Observer for Blind {
    #[inline]
    fn interval(&mut self, _: u32, _: Interval) {}
    #[inline]
    fn delivered(&mut self, _: Delivered) {}
    fn wants(&self) -> bool {
        false
    }
}

/// The result of an engine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// End of the last process.
    pub end: Tick,
    /// End of each process. The label engine, which does not know processes, leaves it empty.
    pub finish: Vec<Tick>,
    pub labels: Vec<LabelAccount>,
    /// Sums over processes by phase and label, in the order of phase and label.
    pub phases: Vec<PhaseAccount>,
    /// By device; empty at label level, where [`LabelAccount`] is enough.
    pub devices: Vec<DeviceAccount>,
    /// By link; empty where links are not followed.
    pub links: Vec<LinkAccount>,
    pub counts: Counts,
    /// By crowd of volunteers; empty: none had a job.
    pub volunteers: Vec<Volunteered>,
    /// Messages never received, requests never waited for, and what an engine had to leave out.
    pub warnings: Vec<Warning>,
}

/// Sums over the processes of a label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelAccount {
    /// Ticks by [`Activity`], in its order; together they are `finish`. Time in expanded collectives counts as
    /// [`Activity::Collective`] whatever was done.
    pub ticks: [u128; ACTIVITIES],
    /// Sum of the times from 0 to the ends of its processes.
    pub finish: u128,
    /// End of its last process.
    pub last: Tick,
    /// Thread-ticks of computing.
    pub thread_ticks: f64,
    /// What devices with power states drew above their power at rest, in watt-ticks, by component; of engines that know no
    /// devices.
    pub drawn: Vec<(u32, f64)>,
    /// Messages sent.
    pub messages: u64,
    /// Bytes sent.
    pub bytes: u64,
    /// Classes that it was split into (processes, where each is simulated).
    pub classes: u64,
}

/// Adds watt-ticks of a component.
pub(crate) fn add_drawn(drawn: &mut Vec<(u32, f64)>, component: u32, watt_ticks: f64) {
    match drawn.iter_mut().find(|(known, _)| *known == component) {
        Some((_, sum)) => *sum += watt_ticks,
        None => drawn.push((component, watt_ticks)),
    }
}

/// Sum over the processes of a label in a phase.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PhaseAccount {
    /// Index into the phases of the application.
    pub phase: u32,
    /// Index of the label.
    pub label: u32,
    pub ticks: u128,
}

/// What happened on a device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceAccount {
    /// Ticks by number of computing threads, in steps of the number: `(threads, ticks)`, ascending, without 0.
    pub computing: Vec<(f64, u128)>,
    /// Thread-ticks blocked in communication (for `wait_activity`).
    pub blocked: u128,
    /// What it drew above its power at rest, in watt-ticks, if it has power states.
    pub drawn: f64,
}

/// What went over a link.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LinkAccount {
    pub link: LinkId,
    pub bytes: f64,
    /// Ticks in which something went over it.
    pub busy: Tick,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations of programs, loops counted in full.
    pub operations: u64,
    pub messages: u64,
    /// Bytes of all messages.
    pub bytes: u64,
    /// Collective calls, counted once per group.
    pub collectives: u64,
    /// Events of the engine.
    pub events: u64,
}

/// What volunteers did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Volunteered {
    pub jobs: u64,
    /// Copies of jobs that hosts took.
    pub copies: u64,
    /// Results that were wrong.
    pub wrong: u64,
    /// Copies that were not back at their deadline.
    pub late: u64,
    /// Computing, of what was lost and of copies too many as well.
    pub thread_ticks: f64,
}

impl Volunteered {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Volunteered) -> Volunteered {
        Volunteered {
            jobs: self.jobs + other.jobs,
            copies: self.copies + other.copies,
            wrong: self.wrong + other.wrong,
            late: self.late + other.late,
            thread_ticks: self.thread_ticks + other.thread_ticks,
        }
    }
}
