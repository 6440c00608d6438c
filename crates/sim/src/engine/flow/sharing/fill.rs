//! Progressive filling of the links that are joined by flows: the link with the least share is full first; its flows have their
//! rates, and leave the rest to others.

use super::{FlowId, Sharing, UNKNOWN};
use crate::engine::kernel::slab::NONE;
use crate::tick::Tick;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Lists of the solver, kept for the next time.
#[derive(Debug, Default)]
pub struct Scratch {
    links: Vec<u32>,
    flows: Vec<FlowId>,
    shares: BinaryHeap<Reverse<Share>>,
    near: Vec<u32>,
}

/// What each open flow of a link would get.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share(f64, u32);

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Share {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl Sharing {
    /// Solves all busy links that are joined to one by flows.
    pub(super) fn solve_component(&mut self, now: Tick, first: u32) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.collect(first, &mut scratch);
        self.fill(&mut scratch);
        for at in 0..scratch.flows.len() {
            self.place(now, scratch.flows[at]);
        }
        // All that flows have left and where they are now is among them.
        self.touched.clear();
        for busy in &scratch.links {
            self.set_rates(now, *busy);
        }
        self.scratch = scratch;
    }

    /// The component: its links, and its flows by ascending limit.
    fn collect(&mut self, first: u32, scratch: &mut Scratch) {
        let Scratch { links, flows, near, .. } = scratch;
        links.clear();
        flows.clear();
        links.push(first);
        self.busy[first].mark = self.epoch;
        let mut at = 0;
        let mut sorted = true;
        let mut limit = 0.0;
        while at < links.len() {
            let busy = links[at];
            at += 1;
            let link = &self.links[self.busy[busy].link as usize];
            let mut hop = link.head;
            let state = &mut self.busy[busy];
            state.room = link.capacity;
            state.open = link.flows;
            state.slack = UNKNOWN;
            self.levels[state.link as usize] = f64::INFINITY;
            while hop != NONE {
                let flow = self.hops.flow(hop);
                hop = self.hops.next(hop);
                let state = &mut self.flows[flow];
                if state.mark == self.epoch {
                    continue;
                }
                state.mark = self.epoch;
                sorted &= state.limit >= limit;
                limit = state.limit;
                let alone = state.busy < 2;
                flows.push(flow);
                if !alone {
                    near.clear();
                    near.extend(self.busy_links(flow));
                    for other in near.iter() {
                        if self.busy[*other].mark != self.epoch {
                            self.busy[*other].mark = self.epoch;
                            links.push(*other);
                        }
                    }
                }
            }
        }
        if !sorted {
            let states = &self.flows;
            flows.sort_by(|a, b| states[*a].limit.total_cmp(&states[*b].limit));
        }
    }

    /// Levels of the links.
    fn fill(&mut self, scratch: &mut Scratch) {
        let Scratch { links, flows, shares, near } = scratch;
        shares.clear();
        for busy in links.iter() {
            let state = &self.busy[*busy];
            shares.push(Reverse(Share(state.room / f64::from(state.open), *busy)));
        }
        let mut limited = 0;
        // Rounding must not make a later level less than an earlier one.
        let mut floor: f64 = 0.0;
        while let Some(Reverse(Share(share, busy))) = shares.pop() {
            let state = &self.busy[busy];
            if state.open == 0 {
                continue;
            }
            let current = (state.room / f64::from(state.open)).max(floor);
            if current > share {
                shares.push(Reverse(Share(current, busy)));
                continue;
            }
            let before = limited;
            while let Some(flow) = flows.get(limited).copied() {
                let limit = self.flows[flow].limit;
                if limit > current {
                    break;
                }
                limited += 1;
                if self.flows[flow].mark == self.epoch {
                    self.fix(flow, limit, near);
                }
            }
            if limited > before {
                shares.push(Reverse(Share(current, busy)));
                continue;
            }
            floor = current;
            let link = self.busy[busy].link as usize;
            self.levels[link] = current;
            let mut hop = self.links[link].head;
            while hop != NONE {
                let flow = self.hops.flow(hop);
                hop = self.hops.next(hop);
                if self.flows[flow].mark == self.epoch {
                    self.fix(flow, current, near);
                }
            }
        }
    }

    fn fix(&mut self, flow: FlowId, rate: f64, near: &mut Vec<u32>) {
        self.flows[flow].mark = self.epoch + 1;
        near.clear();
        near.extend(self.busy_links(flow));
        for busy in near.iter() {
            let state = &mut self.busy[*busy];
            state.room -= rate;
            state.open -= 1;
        }
    }

    /// Puts a flow where its rate is the least level of its route. It stays where it is if that gives the same.
    pub(super) fn place(&mut self, now: Tick, flow: FlowId) {
        let state = &self.flows[flow];
        if state.place.class().is_some() {
            let home = state.home;
            let rate = self.route(flow).fold(state.limit, |least, link| least.min(self.levels[link as usize]));
            if self.level(home).min(state.limit) == rate {
                return;
            }
            self.take_out(now, flow);
            self.touched.push(home);
        }
        let mut best = NONE;
        let mut level = f64::INFINITY;
        for busy in self.busy_links(flow) {
            if best == NONE || self.level(busy) < level {
                best = busy;
                level = self.level(busy);
            }
        }
        self.enter(now, flow, best);
        self.touched.push(best);
    }
}
