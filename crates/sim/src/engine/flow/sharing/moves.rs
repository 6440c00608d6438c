//! Moves flows into classes, out of them, and to themselves; links become busy, and idle again.

use super::{Busy, FlowId, Place, Sharing, UNKNOWN, units_of, valid};
use crate::engine::kernel::slab::NONE;
use crate::platform::LinkId;
use crate::tick::Tick;
use std::cmp::Reverse;

impl Sharing {
    pub(super) fn set_alone(&mut self, now: Tick, flow: FlowId) {
        let state = &mut self.flows[flow];
        state.place = Place::ALONE;
        state.home = NONE;
        state.since = now;
        let sequence = state.sequence;
        self.alone.push(Reverse((self.end_alone(flow), sequence, flow)));
    }

    /// A flow must be placed again; what is left becomes its amount.
    pub(super) fn unsettle(&mut self, now: Tick, flow: FlowId) {
        let place = self.flows[flow].place;
        if place == Place::ALONE {
            self.flows[flow].amount = self.left_alone(now, flow);
        } else if place.class().is_some() {
            self.take_out(now, flow);
        } else {
            return;
        }
        self.flows[flow].place = Place::PENDING;
        self.pending.push(flow);
    }

    /// Takes a flow out of its class.
    pub(super) fn take_out(&mut self, now: Tick, flow: FlowId) {
        let Some(class) = self.flows[flow].place.class() else { return };
        let state = &mut self.classes[class];
        state.pool.advance(now, self.tick);
        state.touched = true;
        state.members -= 1;
        let flow_state = &mut self.flows[flow];
        flow_state.amount = state.pool.left(flow_state.amount);
        flow_state.place = Place::PENDING;
        let home = std::mem::replace(&mut flow_state.home, NONE);
        if state.members == 0 {
            self.close(class, home);
        } else if state.pool.entries() > 4 * state.members as usize + 64 {
            let flows = &self.flows;
            state.pool.purge(|member| valid(flows, class, member));
        }
    }

    /// A class without members is gone.
    pub(super) fn close(&mut self, class: u32, home: u32) {
        self.order.remove(class);
        self.classes[class].pool.clear();
        self.classes.remove(class);
        self.busy[home].classes.retain(|(_, other)| *other != class);
    }

    /// Puts a pending flow into a class of a busy link.
    pub(super) fn enter(&mut self, now: Tick, flow: FlowId, home: u32) {
        let limit = self.flows[flow].limit;
        let classes = &self.busy[home].classes;
        let at = classes.partition_point(|(other, _)| *other < limit);
        let class = match classes.get(at) {
            Some((other, class)) if *other == limit => *class,
            _ => {
                let class = self.classes.reuse();
                self.busy[home].classes.insert(at, (limit, class));
                class
            }
        };
        let state = &mut self.classes[class];
        state.pool.advance(now, self.tick);
        state.members += 1;
        state.touched = true;
        let flow_state = &mut self.flows[flow];
        flow_state.amount = state.pool.join(flow_state.amount, flow_state.sequence, flow);
        flow_state.place = Place(class);
        flow_state.home = home;
    }

    /// A link may be filled by its flows from now on.
    pub(super) fn wake(&mut self, now: Tick, link: LinkId) {
        let busy = self.busy.insert(Busy {
            link,
            coupled: 0,
            classes: Vec::new(),
            dirty: false,
            queued: false,
            slack: UNKNOWN,
            mark: 1,
            room: 0.0,
            open: 0,
        });
        self.links[link as usize].busy = busy;
        self.soil(busy);
        let mut hop = self.links[link as usize].head;
        let mut coupled = 0;
        while hop != NONE {
            let flow = self.hops.flow(hop);
            hop = self.hops.next(hop);
            self.flows[flow].busy += 1;
            match self.flows[flow].busy {
                1 => self.unsettle(now, flow),
                2 => {
                    coupled += 1;
                    let other = self.busy_links(flow).find(|other| *other != busy);
                    if let Some(other) = other {
                        self.busy[other].coupled += 1;
                        self.soil(other);
                    }
                }
                _ => coupled += 1,
            }
        }
        self.busy[busy].coupled += coupled;
    }

    /// A link cannot be filled any longer.
    pub(super) fn sleep(&mut self, now: Tick, busy: u32) {
        let link = self.busy[busy].link;
        let mut hop = self.links[link as usize].head;
        while hop != NONE {
            let flow = self.hops.flow(hop);
            hop = self.hops.next(hop);
            if self.flows[flow].busy == 2 {
                let other = self.busy_links(flow).find(|other| *other != busy);
                if let Some(other) = other {
                    self.busy[other].coupled -= 1;
                    self.busy[other].slack = UNKNOWN;
                    self.soil(other);
                }
            } else if self.flows[flow].busy > 2 {
                let others: Vec<u32> = self.busy_links(flow).filter(|other| *other != busy).collect();
                for other in others {
                    self.busy[other].slack = UNKNOWN;
                    self.soil(other);
                }
            }
            self.flows[flow].busy -= 1;
            if self.flows[flow].home == busy {
                self.unsettle(now, flow);
            }
        }
        while let Some((_, class)) = self.busy[busy].classes.pop() {
            self.order.remove(class);
            self.classes[class].pool.clear();
            self.classes.remove(class);
        }
        self.links[link as usize].busy = NONE;
        self.levels[link as usize] = f64::INFINITY;
        self.busy[busy].dirty = false;
        self.busy.remove(busy);
    }

    /// A flow is over: its links have one less.
    pub(super) fn leave(&mut self, now: Tick, flow: FlowId) {
        let state = &mut self.flows[flow];
        let (first, count, busy) = (state.first_hop, state.hops, state.busy);
        let units = units_of(state.limit, self.scale);
        if let Some(class) = state.place.class() {
            let class_state = &mut self.classes[class];
            class_state.members -= 1;
            class_state.touched = true;
        }
        state.place = Place::ENDED;
        for hop in first..first + u32::from(count) {
            let link = self.hops.link(hop);
            let state = &mut self.links[link as usize];
            state.flows -= 1;
            state.limits = if state.flows == 0 { 0 } else { state.limits.saturating_sub(units) };
            if state.flows == 0 {
                state.used += now - state.since;
            }
            self.hops.link_out(hop, &mut state.head);
            if state.busy != NONE {
                let at = state.busy;
                self.busy[at].coupled -= u32::from(busy > 1);
                self.soil(at);
            }
        }
        self.hops.free(first, count);
        self.flows.remove(flow);
    }
}
