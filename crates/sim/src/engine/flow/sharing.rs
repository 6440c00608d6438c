//! Max-min fair sharing of links (docs/theory/sim.md): all rates are raised together, and a flow stops at its first full link, or at its
//! own limit.
//!
//! A link whose flows cannot fill it even at their limits takes no part. The others have a *level*: the most that a flow
//! gets there. A flow runs at the least level on its route, or at its limit. Flows that have their least level at the same link,
//! and the same limit, make a *class*: one virtual clock for all (a pool), so that a change on a link with ten thousand
//! flows costs the same as with ten. Only links that are joined to the changed one by flows are looked at again, as far as
//! anything differs there; a link whose flows cross no other is solved by itself, from the numbers of its classes.
//!
//! Changes at one point of time are combined: [`Sharing::settle`] is called once before time continues.

mod fill;
mod hops;
mod moves;
mod order;
mod ripple;

use crate::engine::kernel::slab::{NONE, Slab};
use crate::flow::pool::{Amount, Pool, amount, ticks, value};
use crate::platform::{Link, LinkId};
use crate::tick::{Tick, TickLength};
use hops::Hops;
use order::Order;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of a flow.
pub type FlowId = u32;

pub const NO_LINK: LinkId = LinkId::MAX;

/// No slack that is known.
const UNKNOWN: f64 = -1.0;

/// Links and flows.
#[derive(Debug)]
pub struct Sharing {
    tick: TickLength,
    /// Bytes per second to whole numbers, so that sums of limits stay exact.
    scale: f64,
    links: Vec<LinkState>,
    /// Of each link, the most that a flow gets there; infinite where it takes no part.
    levels: Vec<f64>,
    busy: Slab<Busy>,
    flows: Slab<Flow>,
    hops: Hops,
    classes: Slab<Class>,
    /// Ends of classes.
    order: Order,
    /// Ends of flows that no link holds back: time, number, flow.
    alone: BinaryHeap<Reverse<(Tick, u64, FlowId)>>,
    /// Flows that are in no class and not alone.
    pending: Vec<FlowId>,
    /// Busy links with changes.
    dirty: Vec<u32>,
    scratch: fill::Scratch,
    ripple: ripple::Ripple,
    /// Busy links that flows have left for another, and those where they are now; empty between two searches.
    touched: Vec<u32>,
    /// Marks what the current search has seen.
    epoch: u32,
    /// How often the levels of several links were found together.
    fills: u64,
}

/// A flow that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub sequence: u64,
    /// The caller's name for it.
    pub who: u32,
    /// The link that held it back in the end; [`NO_LINK`] if that was its own limit.
    pub link: LinkId,
}

#[derive(Debug)]
struct LinkState {
    capacity: f64,
    /// The same in whole units, rounded down; not shared: as large as possible.
    units: u64,
    /// Sum of the limits of its flows, in units.
    limits: u64,
    flows: u32,
    /// First of its hops.
    head: u32,
    /// Where it takes part: a number in `busy`.
    busy: u32,
    /// Since when there are flows.
    since: Tick,
    /// Ticks with flows, before that.
    used: Tick,
    bytes: f64,
}

/// What is known of a link that its flows may fill.
#[derive(Debug)]
struct Busy {
    link: LinkId,
    /// Flows that cross another busy link.
    coupled: u32,
    /// Its classes by ascending limit.
    classes: Vec<(f64, u32)>,
    dirty: bool,
    /// Whether its level is to be found again.
    queued: bool,
    /// Of an infinite level: what its flows leave at least; below 0 where that is not known.
    slack: f64,
    mark: u32,
    /// Of the solver: bytes per second not given away, and flows without a rate.
    room: f64,
    open: u32,
}

/// Flows that have their least level at one link, and the same limit.
#[derive(Debug, Default)]
struct Class {
    pool: Pool,
    members: u32,
    /// A flow came or went.
    touched: bool,
}

/// Where a flow is: a class, or one of the constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place(u32);

impl Place {
    /// Not started.
    const READY: Place = Place(u32::MAX);
    /// Waits for [`Sharing::settle`]; its amount is what is left.
    const PENDING: Place = Place(u32::MAX - 1);
    /// At its limit; its amount is what was left when it got there.
    const ALONE: Place = Place(u32::MAX - 2);
    const ENDED: Place = Place(u32::MAX - 3);

    /// In a class; its amount is where the clock stands when it ends.
    fn class(self) -> Option<u32> {
        (self.0 < Place::ENDED.0).then_some(self.0)
    }
}

#[derive(Debug)]
struct Flow {
    amount: Amount,
    /// When it came to be alone.
    since: Tick,
    sequence: u64,
    limit: f64,
    who: u32,
    place: Place,
    /// Busy link of the class.
    home: u32,
    first_hop: u32,
    hops: u16,
    /// Busy links on the route.
    busy: u16,
    mark: u32,
}

impl Sharing {
    /// Links without flows.
    pub fn new(links: &[Link], tick: TickLength) -> Self {
        let most = links.iter().map(|link| link.bandwidth).filter(|b| b.is_finite()).fold(0.0, f64::max);
        let scale = if most > 0.0 { (1u64 << 40) as f64 / most } else { 1.0 };
        let levels = vec![f64::INFINITY; links.len()];
        let links = links
            .iter()
            .map(|link| LinkState {
                capacity: link.bandwidth,
                units: if link.shared && link.bandwidth.is_finite() {
                    (link.bandwidth * scale).floor() as u64
                } else {
                    u64::MAX
                },
                limits: 0,
                flows: 0,
                head: NONE,
                busy: NONE,
                since: 0,
                used: 0,
                bytes: 0.0,
            })
            .collect();
        Sharing {
            tick,
            scale,
            links,
            levels,
            busy: Slab::default(),
            flows: Slab::default(),
            hops: Hops::default(),
            classes: Slab::default(),
            order: Order::default(),
            alone: BinaryHeap::new(),
            pending: Vec::new(),
            dirty: Vec::new(),
            scratch: fill::Scratch::default(),
            ripple: ripple::Ripple::default(),
            touched: Vec::new(),
            epoch: 0,
            fills: 0,
        }
    }

    /// A flow of this many bytes over some links that is never faster than `limit` bytes per second, to be started later. `who`
    /// identifies it when its end is reported. A link that stands twice in the route counts once.
    pub fn prepare(&mut self, route: &[LinkId], bytes: f64, limit: f64, who: u32) -> FlowId {
        let least = route.iter().map(|link| self.links[*link as usize].capacity).fold(limit, f64::min);
        let flow = self.flows.insert(Flow {
            amount: amount(bytes),
            since: 0,
            sequence: 0,
            limit: least,
            who,
            place: Place::READY,
            home: NONE,
            first_hop: NONE,
            hops: 0,
            busy: 0,
            // Odd: seen by no search.
            mark: 1,
        });
        let (first, hops) = self.hops.allocate(route, flow, least);
        self.flows[flow].first_hop = first;
        self.flows[flow].hops = hops;
        flow
    }

    /// Bytes start to flow. `sequence` orders flows that end together; links count `payload` bytes, which is less than what
    /// flows where a network takes longer than its bandwidth says.
    pub fn start(&mut self, now: Tick, flow: FlowId, sequence: u64, payload: f64) {
        let state = &mut self.flows[flow];
        state.sequence = sequence;
        state.place = Place::PENDING;
        let (first, count) = (state.first_hop, u32::from(state.hops));
        let units = units_of(state.limit, self.scale);
        let mut crowded = 0;
        let mut busy = 0u16;
        for hop in first..first + count {
            let link = self.hops.link(hop);
            let state = &mut self.links[link as usize];
            if state.flows == 0 {
                state.since = now;
            }
            state.flows += 1;
            state.limits = state.limits.saturating_add(units);
            state.bytes += payload;
            self.hops.link_in(hop, &mut state.head);
            if state.busy != NONE {
                busy += 1;
            } else if state.flows > 1 && state.limits > state.units {
                crowded += 1;
            }
        }
        self.flows[flow].busy = busy;
        if busy == 0 && crowded == 0 {
            self.set_alone(now, flow);
            return;
        }
        self.pending.push(flow);
        if busy > 0 {
            for hop in first..first + count {
                let at = self.links[self.hops.link(hop) as usize].busy;
                if at != NONE {
                    self.busy[at].coupled += u32::from(busy > 1);
                    self.busy[at].slack = UNKNOWN;
                    self.soil(at);
                }
            }
        }
        if crowded > 0 {
            for hop in first..first + count {
                let link = self.hops.link(hop);
                let state = &self.links[link as usize];
                if state.busy == NONE && state.flows > 1 && state.limits > state.units {
                    self.wake(now, link);
                }
            }
        }
    }

    /// Shares the links again after all changes at this time. Must be called before time continues.
    pub fn settle(&mut self, now: Tick) {
        if self.dirty.is_empty() && self.pending.is_empty() {
            return;
        }
        let mut at = 0;
        // Links that fall asleep make others dirty.
        while at < self.dirty.len() {
            let busy = self.dirty[at];
            at += 1;
            let state = &self.links[self.busy[busy].link as usize];
            if state.flows <= 1 || state.limits <= state.units / 2 {
                self.sleep(now, busy);
            }
        }
        let pending = std::mem::take(&mut self.pending);
        for flow in &pending {
            let flow = *flow;
            if self.flows[flow].place != Place::PENDING {
                continue;
            }
            match self.flows[flow].busy {
                0 => self.set_alone(now, flow),
                1 => {
                    let home = self.busy_links(flow).next().unwrap_or(NONE);
                    self.enter(now, flow, home);
                    self.soil(home);
                }
                // The solver of its component places it.
                _ => {}
            }
        }
        // One number for what was seen, one for what has its rate.
        self.epoch = self.epoch.wrapping_add(2);
        let mut dirty = std::mem::take(&mut self.dirty);
        // Each is there once, unless it fell asleep since.
        dirty.retain(|busy| std::mem::replace(&mut self.busy[*busy].dirty, false));
        let mut are_joined = false;
        for busy in &dirty {
            if self.busy[*busy].coupled == 0 {
                self.solve_one(now, *busy);
            } else {
                are_joined = true;
            }
        }
        if are_joined {
            self.fills += 1;
            self.ripple(now, &dirty, &pending);
        }
        // Their room is used again.
        self.dirty = dirty;
        self.dirty.clear();
        self.pending = pending;
        self.pending.clear();
    }

    /// When the next flow ends, if nothing changes before.
    pub fn next_end(&mut self) -> Option<Tick> {
        while let Some(Reverse((end, sequence, flow))) = self.alone.peek() {
            if self.is_alone(*flow, *sequence, *end) {
                let end = *end;
                return Some(self.order.first().map_or(end, |(other, _)| other.min(end)));
            }
            self.alone.pop();
        }
        self.order.first().map(|(end, _)| end)
    }

    /// Removes the flows that end now, in the order of their sequence numbers.
    pub fn take_ended(&mut self, now: Tick, ended: &mut Vec<Ended>) {
        let first = ended.len();
        while let Some(Reverse((end, sequence, flow))) = self.alone.peek() {
            let (end, sequence, flow) = (*end, *sequence, *flow);
            let valid = self.is_alone(flow, sequence, end);
            if valid && end > now {
                break;
            }
            self.alone.pop();
            if valid {
                ended.push(self.ended(flow));
                self.leave(now, flow);
            }
        }
        while let Some((end, class)) = self.order.first() {
            if end > now {
                break;
            }
            self.classes[class].pool.advance(now, self.tick);
            loop {
                let flows = &self.flows;
                let member = self.classes[class].pool.pop_ended(self.tick, |member| valid(flows, class, member));
                let Some((_, _, flow)) = member else { break };
                ended.push(self.ended(flow));
                self.leave(now, flow);
            }
            self.reorder(class);
        }
        ended[first..].sort_unstable_by_key(|ended| ended.sequence);
    }

    /// Rate of a flow, once settled.
    pub fn rate(&self, flow: FlowId) -> f64 {
        let state = &self.flows[flow];
        match state.place.class() {
            Some(class) => self.classes[class].pool.rate(),
            None if state.place == Place::ALONE => state.limit,
            None => 0.0,
        }
    }

    /// What is left of a flow.
    pub fn left(&self, now: Tick, flow: FlowId) -> f64 {
        let state = &self.flows[flow];
        if let Some(class) = state.place.class() {
            let pool = &self.classes[class].pool;
            return value(pool.left(state.amount)) - pool.rate() * self.tick.to_seconds(now - pool.since());
        }
        match state.place {
            Place::ALONE => value(self.left_alone(now, flow)),
            Place::ENDED => 0.0,
            _ => value(state.amount),
        }
    }

    /// The link that holds a flow back; none if that is its own limit.
    pub fn bottleneck(&self, flow: FlowId) -> Option<LinkId> {
        let state = &self.flows[flow];
        if state.home != NONE && self.level(state.home) < state.limit {
            return Some(self.busy[state.home].link);
        }
        self.route(flow).find(|link| self.links[*link as usize].capacity <= state.limit)
    }

    /// Bytes over a link, and ticks in which something went over it, up to now.
    pub fn account(&self, now: Tick, link: LinkId) -> (f64, Tick) {
        let state = &self.links[link as usize];
        (state.bytes, state.used + if state.flows > 0 { now.saturating_sub(state.since) } else { 0 })
    }

    /// How often the levels of several links had to be found together.
    pub fn fills(&self) -> u64 {
        self.fills
    }

    fn route(&self, flow: FlowId) -> impl Iterator<Item = LinkId> + '_ {
        let state = &self.flows[flow];
        (state.first_hop..state.first_hop + u32::from(state.hops)).map(|hop| self.hops.link(hop))
    }

    /// Busy links on the route of a flow.
    fn busy_links(&self, flow: FlowId) -> impl Iterator<Item = u32> + '_ {
        self.route(flow).map(|link| self.links[link as usize].busy).filter(|busy| *busy != NONE)
    }

    fn soil(&mut self, busy: u32) {
        let state = &mut self.busy[busy];
        if !state.dirty {
            state.dirty = true;
            self.dirty.push(busy);
        }
    }

    fn ended(&self, flow: FlowId) -> Ended {
        let state = &self.flows[flow];
        Ended { sequence: state.sequence, who: state.who, link: self.bottleneck(flow).unwrap_or(NO_LINK) }
    }

    /// Whether an entry of those that are alone still stands for a flow.
    fn is_alone(&self, flow: FlowId, sequence: u64, end: Tick) -> bool {
        let state = &self.flows[flow];
        state.sequence == sequence && state.place == Place::ALONE && self.end_alone(flow) == end
    }

    fn end_alone(&self, flow: FlowId) -> Tick {
        let state = &self.flows[flow];
        state.since.saturating_add(ticks(state.amount, state.limit, self.tick))
    }

    fn left_alone(&self, now: Tick, flow: FlowId) -> Amount {
        let state = &self.flows[flow];
        state.amount.saturating_sub(amount(state.limit * self.tick.to_seconds(now - state.since)))
    }

    /// A link whose flows cross no other busy one: `sum of min(level, limit) = capacity`.
    fn solve_one(&mut self, now: Tick, busy: u32) {
        let state = &self.busy[busy];
        let link = &self.links[state.link as usize];
        let mut room = link.capacity;
        let mut open = f64::from(link.flows);
        let mut level = f64::INFINITY;
        for (limit, class) in &state.classes {
            if *limit * open > room {
                level = room / open;
                break;
            }
            let members = f64::from(self.classes[*class].members);
            room -= *limit * members;
            open -= members;
        }
        self.levels[self.busy[busy].link as usize] = level;
        self.busy[busy].slack = UNKNOWN;
        self.set_rates(now, busy);
    }

    /// The most that a flow gets at a busy link.
    #[inline]
    fn level(&self, busy: u32) -> f64 {
        self.levels[self.busy[busy].link as usize]
    }

    /// Sets the rates of the classes of a link by its level.
    fn set_rates(&mut self, now: Tick, busy: u32) {
        let level = self.level(busy);
        let mut at = 0;
        while let Some((limit, class)) = self.busy[busy].classes.get(at).copied() {
            at += 1;
            let rate = limit.min(level);
            let state = &mut self.classes[class];
            if state.members == 0 {
                self.close(class, busy);
                at -= 1;
            } else if state.touched || state.pool.rate() != rate {
                state.touched = false;
                state.pool.advance(now, self.tick);
                state.pool.set_rate(rate);
                self.reorder(class);
            }
        }
    }

    /// The end of the first flow of a class has changed.
    fn reorder(&mut self, class: u32) {
        let flows = &self.flows;
        let end = self.classes[class].pool.next(self.tick, |member| valid(flows, class, member));
        match end {
            Some(end) => self.order.set(class, end),
            None => self.order.remove(class),
        }
    }
}

/// Whether an entry of a class still stands for a flow there.
#[inline]
fn valid(flows: &Slab<Flow>, class: u32, member: &(Amount, u64, u32)) -> bool {
    let flow = &flows[member.2];
    flow.sequence == member.1 && flow.place == Place(class) && flow.amount == member.0
}

/// A limit in whole units, rounded up.
fn units_of(limit: f64, scale: f64) -> u64 {
    if limit.is_finite() { (limit * scale).ceil() as u64 } else { 0 }
}

#[cfg(test)]
mod tests;
