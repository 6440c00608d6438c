//! What a system offers to messages: machines, links, routes between machines, and factors by the size of a message.
//!
//! [`crate::system`] makes a [`Platform`] of a system file; engines and tests may make one by hand.

use std::fmt::Debug;

/// Number of a machine.
pub type MachineId = u32;
/// Number of a link.
pub type LinkId = u32;

/// Where messages leave and enter: a machine, and the device of it that the process is on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    pub machine: MachineId,
    /// Number of the device among those of the machine.
    pub slot: u32,
}

impl From<MachineId> for Endpoint {
    /// The first device of a machine.
    fn from(machine: MachineId) -> Self {
        Endpoint { machine, slot: 0 }
    }
}

/// Machines joined by links.
#[derive(Debug)]
pub struct Platform {
    /// Number of machines.
    pub machines: u32,
    /// All links; both directions of a full-duplex link are two.
    pub links: Vec<Link>,
    /// Ways from machine to machine, and inside a machine.
    pub routing: Box<dyn Routing>,
    /// Laws of the networks: factors by size, limits; LogGOPS parameters where the network sets them.
    pub laws: Vec<NetworkLaw>,
}

/// A link, in one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Name for people: `galera: leaf 1 up 3`.
    pub name: String,
    /// Which network it belongs to: an index into [`Platform::laws`].
    pub network: u32,
    /// Bytes per second.
    pub bandwidth: f64,
    /// Seconds.
    pub latency_s: f64,
    /// Whether flows share it; otherwise it limits each alone.
    pub shared: bool,
}

/// Which links a message takes. Routes are computed, not stored: there are machines^2 of them.
pub trait Routing: Debug + Send + Sync {
    /// Appends the links from one end to another (of the same machine: inside it), in order, and returns whose law holds:
    /// an index into [`Platform::laws`]. Where machines have several rails, the message takes this one; none: the one that
    /// its ends usually take.
    fn route(&self, from: Endpoint, to: Endpoint, rail: Option<u32>, links: &mut Vec<LinkId>) -> u32;

    /// Pairs of the same class have the same latency, bandwidth and law, so that engines may remember them by
    /// class. `None`: no such classes; ask for each pair.
    fn class(&self, _from: Endpoint, _to: Endpoint) -> Option<u32> {
        None
    }

    /// The rails between two machines; none: there is one way.
    fn rails(&self, _from: Endpoint, _to: Endpoint) -> Option<Rails> {
        None
    }
}

/// Parallel ways between two machines, each with ports of its own (docs/theory/sim.md, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rails {
    /// How many there are.
    pub count: u32,
    pub choice: RailChoice,
    /// The one that the sender's end usually takes.
    pub usual: u32,
    /// What sends, and what receives, over them: equal numbers share the rails.
    pub ports: (u64, u64),
}

/// How a message chooses among rails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RailChoice {
    /// By the device that its process is on: device i of D takes floor(i*R/D).
    Affinity,
    /// The one with the fewest bytes under way, the first of equals.
    Load,
    /// (from + to) mod R, by the numbers of the processes.
    Hash,
    /// In R parts, from this many bytes on; smaller ones by load.
    Stripe(u64),
}

/// What a network does to messages by their size (docs/theory/sim.md), or LogGOPS parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkLaw {
    pub name: String,
    /// Segments by ascending `from`, the first from 0. Never empty.
    pub segments: Vec<Segment>,
    /// Transfers start without a posted receive below this size, in bytes.
    pub eager_limit: u64,
    /// Senders need not wait below this size, in bytes; at least `eager_limit`.
    pub detach_limit: u64,
    /// A flow is never faster than this over twice its latency, in bytes.
    pub window: Option<f64>,
    /// Parameters that hold in place of those that follow from links and segments at `loggops`.
    pub loggops: Option<LogGops>,
}

/// Factors from a size on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// In force for messages of this many bytes and more.
    pub from: u64,
    /// Factor on the latency of the route.
    pub latency_factor: f64,
    /// Factor on the bandwidth of the route.
    pub bandwidth_factor: f64,
    /// Seconds of the sender, and per byte.
    pub send_overhead_s: f64,
    /// Seconds per byte of the sender.
    pub send_overhead_per_byte_s: f64,
    /// Those of a non-blocking send, where they differ.
    pub isend_overhead_s: Option<f64>,
    pub isend_overhead_per_byte_s: Option<f64>,
    /// That of a send whose request was prepared before, where it differs.
    pub persistent_overhead_s: Option<f64>,
    /// Seconds of the receiver.
    pub recv_overhead_s: f64,
    /// Seconds per byte of the receiver.
    pub recv_overhead_per_byte_s: f64,
}

impl Default for Segment {
    fn default() -> Self {
        Segment {
            from: 0,
            latency_factor: 1.0,
            bandwidth_factor: 1.0,
            send_overhead_s: 0.0,
            send_overhead_per_byte_s: 0.0,
            isend_overhead_s: None,
            isend_overhead_per_byte_s: None,
            persistent_overhead_s: None,
            recv_overhead_s: 0.0,
            recv_overhead_per_byte_s: 0.0,
        }
    }
}

/// Parameters of LogGOPS, in seconds and bytes (Alexandrov et al. 1995; Hoefler et al. 2010).
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(non_snake_case, missing_docs)]
pub struct LogGops {
    /// Latency.
    pub L: f64,
    /// Overhead of a message.
    pub o: f64,
    /// Gap between messages.
    pub g: f64,
    /// Gap per byte.
    pub G: f64,
    /// Overhead per byte.
    pub O: f64,
    /// Eager limit: larger messages wait for their receive.
    pub S: u64,
}

impl Default for LogGops {
    /// Those of LogGOPSim's examples: L 2500, o 1500, g 1000, G 6, O 0 ns, S 65535.
    fn default() -> Self {
        LogGops { L: 2500e-9, o: 1500e-9, g: 1000e-9, G: 6e-9, O: 0.0, S: 65_535 }
    }
}

/// How a process sends a message: its overhead may depend on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sending {
    #[default]
    Blocking,
    Nonblocking,
    /// Non-blocking, by a request that was prepared before.
    Persistent,
}

impl Sending {
    pub fn nonblocking(is_persistent: bool) -> Self {
        if is_persistent { Sending::Persistent } else { Sending::Nonblocking }
    }
}

impl Segment {
    /// Seconds of the sender's processor for a message of this many bytes.
    pub fn send_overhead(&self, sending: Sending, bytes: f64) -> f64 {
        let blocking = (self.send_overhead_s, self.send_overhead_per_byte_s);
        let (fixed, per_byte) = match sending {
            Sending::Blocking => blocking,
            _ => (self.isend_overhead_s.unwrap_or(blocking.0), self.isend_overhead_per_byte_s.unwrap_or(blocking.1)),
        };
        let fixed = match self.persistent_overhead_s {
            Some(prepared) if sending == Sending::Persistent => prepared,
            _ => fixed,
        };
        fixed + bytes * per_byte
    }

    /// Whether it matters how a message is sent.
    pub fn tells_sendings(&self) -> bool {
        self.isend_overhead_s.is_some()
            || self.isend_overhead_per_byte_s.is_some()
            || self.persistent_overhead_s.is_some()
    }
}

impl NetworkLaw {
    /// No factors, no limits.
    pub fn plain(name: impl Into<String>) -> Self {
        NetworkLaw {
            name: name.into(),
            segments: vec![Segment::default()],
            eager_limit: u64::MAX,
            detach_limit: u64::MAX,
            window: None,
            loggops: None,
        }
    }

    /// The segment in force for a message of this many bytes.
    #[inline]
    pub fn segment(&self, size: u64) -> &Segment {
        let after = self.segments.partition_point(|segment| segment.from <= size);
        &self.segments[after.saturating_sub(1)]
    }
}

/// Latency and least bandwidth of a route without sharing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Way {
    /// Sum of the latencies, in seconds.
    pub latency_s: f64,
    /// Least bandwidth, in bytes per second; infinite without links.
    pub bandwidth: f64,
    pub law: u32,
    /// Messages of this many bytes and more are cut into so many parts, which go side by side.
    pub stripe: Option<(u64, u32)>,
}

impl Platform {
    /// Every pair of machines has the same LogGOPS parameters, also a machine with itself.
    pub fn uniform(machines: u32, parameters: LogGops) -> Self {
        let mut law = NetworkLaw::plain("loggops");
        law.loggops = Some(parameters);
        Platform { machines, links: Vec::new(), routing: Box::new(NoLinks), laws: vec![law] }
    }

    /// The way from end to end, walked through its links.
    pub fn way(&self, from: impl Into<Endpoint>, to: impl Into<Endpoint>, links: &mut Vec<LinkId>) -> Way {
        let (from, to) = (from.into(), to.into());
        let stripe = self.routing.rails(from, to).and_then(|rails| match rails.choice {
            RailChoice::Stripe(least) => Some((least, rails.count)),
            _ => None,
        });
        Way { stripe, ..self.way_on(from, to, None, links) }
    }

    /// The same on a rail.
    pub fn way_on(&self, from: Endpoint, to: Endpoint, rail: Option<u32>, links: &mut Vec<LinkId>) -> Way {
        links.clear();
        let law = self.routing.route(from, to, rail, links);
        let mut way = Way { latency_s: 0.0, bandwidth: f64::INFINITY, law, stripe: None };
        for link in links.iter() {
            let link = &self.links[*link as usize];
            way.latency_s += link.latency_s;
            way.bandwidth = way.bandwidth.min(link.bandwidth);
        }
        way
    }

    /// LogGOPS parameters of a message of this many bytes on a way: where the network sets none,
    /// L is the latency with its factor, G the reciprocal of the effective bandwidth, o the overhead of the sender, and the
    /// second value that of the receiver.
    pub fn loggops(&self, way: &Way, size: u64) -> (LogGops, f64) {
        self.loggops_of(way, size, Sending::Blocking)
    }

    /// The same for a message that is sent in some way.
    pub fn loggops_of(&self, way: &Way, size: u64, sending: Sending) -> (LogGops, f64) {
        let law = &self.laws[way.law as usize];
        if let Some(parameters) = law.loggops {
            return (parameters, parameters.o);
        }
        let segment = law.segment(size);
        let bytes = size as f64;
        let parts = way.stripe.filter(|(least, _)| size >= *least).map_or(1.0, |(_, parts)| f64::from(parts));
        (
            LogGops {
                L: segment.latency_factor * way.latency_s,
                o: segment.send_overhead(sending, bytes),
                g: 0.0,
                G: if way.bandwidth.is_finite() {
                    1.0 / (parts * segment.bandwidth_factor * way.bandwidth)
                } else {
                    0.0
                },
                O: 0.0,
                S: law.detach_limit.saturating_sub(1),
            },
            segment.recv_overhead_s + bytes * segment.recv_overhead_per_byte_s,
        )
    }
}

/// All pairs are one class, and no link is there.
#[derive(Debug, Clone, Copy)]
pub struct NoLinks;

impl Routing for NoLinks {
    fn route(&self, _: Endpoint, _: Endpoint, _: Option<u32>, _: &mut Vec<LinkId>) -> u32 {
        0
    }

    fn class(&self, _: Endpoint, _: Endpoint) -> Option<u32> {
        Some(0)
    }
}
