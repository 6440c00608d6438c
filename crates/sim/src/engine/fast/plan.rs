//! What all parts share: the application, its code, the kinds of messages, costs of blocks, the width of a window.

use super::code::Code;
use super::kinds::{Kinds, Memory};
use crate::application::Application;
use crate::job::Job;
use crate::tick::Tick;
use crate::world::Cost;
use runcast_core::Problem;
use std::sync::OnceLock;

/// What all parts share.
pub(super) struct Plan<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) application: &'a Application,
    pub(super) code: &'a Code,
    pub(super) kinds: &'a Kinds,
    /// Number of processes.
    pub(super) processes: u64,
    /// No message arrives sooner after its send than this: the width of a window.
    pub(super) lookahead: Tick,
    /// When processes start, by label.
    pub(super) starts: &'a [Tick],
    /// Processes of a part, as a power of two.
    pub(super) shift: u32,
    /// Whether blocks differ from process to process.
    pub(super) noisy: bool,
    /// Class of the place of each process; empty if all are alike.
    pub(super) classes: &'a [u32],
    /// Device of each process; none if none shares its own, and all blocks have the same threads and stay there.
    pub(super) devices: Option<&'a [u32]>,
    /// Costs of blocks by class and block, as far as they fit.
    pub(super) costs: &'a [OnceLock<(Cost, Tick)>],
}

/// A message to another part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet {
    /// When its head arrives.
    pub(super) arrival: Tick,
    /// Sender.
    pub(super) from: u32,
    /// Receiver.
    pub(super) to: u32,
    /// Number of its kind.
    pub(super) kind: u32,
    /// Which of the messages of the sender it is.
    pub(super) number: u16,
}

/// What a thread keeps while it works off parts.
pub(super) struct Worker<'p> {
    /// What all of them work off.
    pub(super) plan: &'p Plan<'p>,
    /// Kinds it met.
    pub(super) memory: Memory,
    /// Messages to other parts.
    pub(super) out: Vec<Packet>,
    pub(super) events: u64,
    /// Operations of programs.
    pub(super) operations: u64,
    /// Those of these that the budget knows.
    pub(super) told: u64,
    /// Rounds of loops.
    pub(super) turns: u64,
}

impl<'p> Worker<'p> {
    pub(super) fn new(plan: &'p Plan<'p>) -> Self {
        Worker { plan, memory: Memory::default(), out: Vec::new(), events: 0, operations: 0, told: 0, turns: 0 }
    }
}

/// Why the engine stops early.
#[derive(Debug)]
pub(super) enum Halt {
    /// Something that the plain engine has to do.
    Unsupported,
    /// A message was faster than the width of a window.
    TooSoon(Tick),
    /// It cannot be done.
    Problem(Box<Problem>),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Halt {
        Halt::Problem(Box::new(problem))
    }
}

impl Plan<'_> {
    /// The window that a time lies in.
    #[inline]
    pub(super) fn window_of(&self, time: Tick) -> u64 {
        time / self.lookahead
    }

    /// The part that a process belongs to.
    #[inline]
    pub(super) fn part_of(&self, process: u32) -> usize {
        (process >> self.shift) as usize
    }

    /// A time from which any duration can be added.
    ///
    /// # Errors
    /// `time_overflow`.
    #[inline]
    pub(super) fn reachable(&self, time: Tick) -> Result<Tick, Halt> {
        if time < 1 << 62 { Ok(time) } else { Err(Halt::Unsupported) }
    }

    /// Ticks that a process computes a block.
    ///
    /// # Errors
    /// Those of the formula.
    #[inline]
    pub(super) fn duration(&self, process: u32, block: u32, ordinal: u32) -> Result<Tick, Halt> {
        let class = self.classes.get(process as usize).copied().unwrap_or(0);
        let at = class as usize * self.application.blocks.len() + block as usize;
        let known = match self.costs.get(at) {
            Some(cell) => match cell.get() {
                Some(known) => *known,
                None => *cell.get_or_init(|| self.cost(class, block).unwrap_or((FAILED, 0))),
            },
            None => self.cost(class, block)?,
        };
        let (cost, ticks) = known;
        if cost.seconds.is_nan() {
            return self.cost(class, block).map(|(_, ticks)| ticks);
        }
        if !self.noisy || (cost.spread.is_none() && !self.job.world.is_noisy()) {
            return Ok(ticks);
        }
        Ok(self.job.tick.of(self.job.world.noisy(cost.seconds, u64::from(process), u64::from(ordinal), cost.spread))?)
    }

    #[cold]
    fn cost(&self, class: u32, block: u32) -> Result<(Cost, Tick), Halt> {
        let cost = self.job.world.compute(&self.application.blocks[block as usize], class)?;
        let draws = cost.spread.is_some() || self.job.world.is_noisy();
        // With noise the time without it need not be one.
        let ticks = if draws { 0 } else { self.job.tick.of(cost.seconds)? };
        Ok((cost, ticks))
    }

    /// The device that a process computes a block on.
    pub(super) fn device(&self, process: u32, block: u32) -> u32 {
        let block = &self.application.blocks[block as usize];
        let own = self.devices.and_then(|devices| devices.get(process as usize)).copied().unwrap_or(process);
        match block.device.as_str() {
            "" => own,
            name => self.job.world.device_of(u64::from(process), name).unwrap_or(own),
        }
    }
}

/// A cost that could not be computed: it is tried again where it is needed, for its error.
const FAILED: Cost = Cost { seconds: f64::NAN, spread: None };
