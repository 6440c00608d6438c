//! The LogGOPS rule: what a message costs in ticks, and how it moves the clocks of its sender and its receiver.
//!
//! A message of `n` bytes, `w = max(n, 1) - 1`, is sent when processor and NIC of the sender are free, and taken when its head
//! has arrived and processor and NIC of the receiver are free, whether or not its receive is posted.
//!
//! ```text
//! send at t:  processor free at t + o + w O    NIC at t + g + w G    head arrives at t + o + L
//! take at t:  processor free at t + o + max(w O, w G)    NIC at t + g + w G
//! n > S:      the sender waits; both its clocks are no earlier than the time when the receive is posted
//! ```
//!
//! Engines differ in how they find the next event, by a heap, in windows or by classes; all apply this step, so that they round
//! alike: a duration is computed in seconds in `f64` and rounded once.
//!
//! Source: A. Alexandrov et al., *LogGP*, SPAA 1995; T. Hoefler, T. Schneider, A. Lumsdaine, *LogGOPSim*, LSAP 2010.

use crate::application::{Application, Tag};
use crate::job::Job;
use crate::platform::{Endpoint, LinkId, LogGops, Platform, Sending};
use crate::tick::{Tick, TickLength};
use crate::world::node::Answered;
use crate::world::{Cost, Demand, DeviceId, Place, World};
use runcast_core::Problem;
use runcast_core::hash::MixMap;

/// A message that a process is about to send.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SendCall {
    pub to: u64,
    pub size: u64,
    pub tag: Tag,
    /// Request of the sender, or that of a blocking send.
    pub request: u32,
    pub sending: Sending,
}

/// A message on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flight {
    pub size: u64,
    pub tag: Tag,
    /// When the sender began.
    pub sent: Tick,
    /// When its head arrives.
    pub arrival: Tick,
    /// When processor and NIC of the receiver have taken it.
    pub taken: Tick,
    pub costs: MessageCosts,
}

/// Durations of a message of `n` bytes, with `w = max(n, 1) - 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MessageCosts {
    /// Processor of the sender: `o + w O`.
    pub send_cpu: Tick,
    /// NIC of the sender: `g + w G`.
    pub send_nic: Tick,
    /// Until the head arrives: `o + L`.
    pub head: Tick,
    /// Processor of the receiver: `o + max(w O, w G)`.
    pub take_cpu: Tick,
    /// The share of it in which bytes stream in and the processor need not work: `max(w O, w G) - w O`.
    pub stream: Tick,
    /// NIC of the receiver: `g + w G`.
    pub take_nic: Tick,
    /// Whether the sender waits for the receive to be posted: `n > S`.
    pub rendezvous: bool,
}

impl MessageCosts {
    /// The durations of a message of `size` bytes; `recv_o` is the overhead of the receiver.
    ///
    /// # Errors
    /// `time_overflow`.
    pub fn new(parameters: &LogGops, recv_o: f64, size: u64, tick: TickLength) -> Result<Self, Problem> {
        let more = size.max(1).saturating_sub(1) as f64;
        let LogGops { L, o, g, G, O, S } = *parameters;
        Ok(MessageCosts {
            send_cpu: tick.of(o + more * O)?,
            send_nic: tick.of(g + more * G)?,
            head: tick.of(o + L)?,
            take_cpu: tick.of(recv_o + more * O.max(G))?,
            stream: tick.of(more * (O.max(G) - O))?,
            take_nic: tick.of(g + more * G)?,
            rendezvous: size > S,
        })
    }
}

/// The clocks that messages move: from when on the processor of a process is free, and its NIC in each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clocks {
    pub cpu: Tick,
    pub send_nic: Tick,
    pub take_nic: Tick,
}

impl Clocks {
    /// When the process can send.
    #[inline]
    pub fn can_send(&self) -> Tick {
        self.cpu.max(self.send_nic)
    }

    /// When the process can take a message.
    #[inline]
    pub fn can_take(&self) -> Tick {
        self.cpu.max(self.take_nic)
    }

    /// A message leaves at `now`; when its head arrives. None: ticks do not reach that far.
    #[inline]
    pub fn send(&mut self, now: Tick, costs: &MessageCosts) -> Option<Tick> {
        self.cpu = now.checked_add(costs.send_cpu)?;
        self.send_nic = now.checked_add(costs.send_nic)?;
        now.checked_add(costs.head)
    }

    /// A message is taken at `now`; until when its bytes stream in, before the processor works. None: ticks do not reach that
    /// far.
    #[inline]
    pub fn take(&mut self, now: Tick, costs: &MessageCosts) -> Option<Tick> {
        self.cpu = now.checked_add(costs.take_cpu)?;
        self.take_nic = now.checked_add(costs.take_nic)?;
        Some(now + costs.stream)
    }

    /// The receive of a message beyond the eager limit is posted at `now`: its sender was busy until then.
    #[inline]
    pub fn release(&mut self, now: Tick) {
        self.cpu = self.cpu.max(now);
        self.send_nic = self.send_nic.max(now);
    }
}

/// The costs of messages between machines, each computed once.
#[derive(Debug)]
pub struct CostTable {
    entries: Vec<Entry>,
    links: Vec<LinkId>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: (u64, u64),
    costs: MessageCosts,
}

/// A key that no pair and size has: no message is that large.
const NOTHING: (u64, u64) = (u64::MAX, u64::MAX);
/// Entries of the table; a later one takes the place.
const ENTRIES: usize = 4096;

impl CostTable {
    /// A table that knows nothing yet.
    pub fn new() -> Self {
        CostTable { entries: vec![Entry { key: NOTHING, costs: MessageCosts::default() }; ENTRIES], links: Vec::new() }
    }

    /// The costs of a message between two places.
    ///
    /// # Errors
    /// `time_overflow`; those of a rule of the user.
    #[inline]
    pub fn of(
        &mut self,
        job: &Job<'_>,
        (size, sending): (u64, Sending),
        from: &Place,
        to: &Place,
    ) -> Result<MessageCosts, Problem> {
        if job.world.has_message_rule()
            && let Some(seconds) = job.world.message(size, from, to)?
        {
            return by_rule(seconds, job.tick);
        }
        // No message is so large that the upper bits are its own.
        let told = size | (sending as u64) << 60;
        let key = match job.platform.routing.class((*from).into(), (*to).into()) {
            Some(class) => (u64::from(class), told),
            None => (u64::from(from.device) << 32 | u64::from(to.device), told | 1 << 63),
        };
        let pair = key.0;
        let slot = (pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ told.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)) >> 52;
        let entry = &mut self.entries[slot as usize % ENTRIES];
        if entry.key != key {
            let costs = between(job.platform, (*from, *to), (size, sending), job.tick, &mut self.links)?;
            *entry = Entry { key, costs };
        }
        Ok(entry.costs)
    }
}

impl Default for CostTable {
    fn default() -> Self {
        CostTable::new()
    }
}

/// The costs of a message between two ends.
///
/// # Errors
/// `time_overflow`.
pub fn between(
    platform: &Platform,
    (from, to): (impl Into<Endpoint>, impl Into<Endpoint>),
    (size, sending): (u64, Sending),
    tick: TickLength,
    links: &mut Vec<LinkId>,
) -> Result<MessageCosts, Problem> {
    let way = platform.way(from, to, links);
    let (parameters, recv_o) = platform.loggops_of(&way, size, sending);
    MessageCosts::new(&parameters, recv_o, size, tick)
}

/// A rule of the user gives the whole time of the message: it costs no processor and no NIC anything.
///
/// # Errors
/// `time_overflow`, `bad_time`.
pub fn by_rule(seconds: f64, tick: TickLength) -> Result<MessageCosts, Problem> {
    Ok(MessageCosts { head: tick.of(seconds)?, ..MessageCosts::default() })
}

/// What blocks cost, and what they ask of the nodes that they share, by class of place; each computed once.
#[derive(Debug, Default)]
pub struct BlockCosts {
    costs: ByClass<Cost>,
    demands: ByClass<Demand>,
    /// By block, class and device.
    crowded: MixMap<(u32, u32, DeviceId), f64>,
    /// What rules have said of those that run together.
    pub answered: Answered,
}

/// Answers by class and block.
#[derive(Debug)]
struct ByClass<T>(Vec<Vec<Option<T>>>);

impl<T> Default for ByClass<T> {
    fn default() -> Self {
        ByClass(Vec::new())
    }
}

impl<T: Copy> ByClass<T> {
    #[inline]
    fn get(&mut self, class: u32, block: u32, find: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
        if let Some(Some(known)) = self.0.get(class as usize).and_then(|row| row.get(block as usize)) {
            return Ok(*known);
        }
        let found = find()?;
        if self.0.len() <= class as usize {
            self.0.resize_with(class as usize + 1, Vec::new);
        }
        let row = &mut self.0[class as usize];
        if row.len() <= block as usize {
            row.resize(block as usize + 1, None);
        }
        row[block as usize] = Some(found);
        Ok(found)
    }
}

impl BlockCosts {
    /// What a block costs at places of a class, without noise.
    ///
    /// # Errors
    /// Those of the formula.
    #[inline]
    pub fn of(
        &mut self,
        world: &dyn World,
        application: &Application,
        block: u32,
        class: u32,
    ) -> Result<Cost, Problem> {
        self.costs.get(class, block, || world.compute(&application.blocks[block as usize], class))
    }

    /// By how much it takes longer when all who are placed on the node of a device run the like.
    ///
    /// # Errors
    /// Those of the formula.
    pub fn crowded(
        &mut self,
        world: &dyn World,
        application: &Application,
        (block, class): (u32, u32),
        device: DeviceId,
    ) -> Result<f64, Problem> {
        if let Some(known) = self.crowded.get(&(block, class, device)) {
            return Ok(*known);
        }
        let found = world.crowded(&application.blocks[block as usize], class, device)?;
        self.crowded.insert((block, class, device), found);
        Ok(found)
    }

    /// What it asks of a node that it shares.
    ///
    /// # Errors
    /// Those of the formula.
    #[inline]
    pub fn demand(
        &mut self,
        world: &dyn World,
        application: &Application,
        block: u32,
        class: u32,
    ) -> Result<Demand, Problem> {
        self.demands.get(class, block, || world.demand(&application.blocks[block as usize], class))
    }
}
