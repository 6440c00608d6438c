//! What a change does around it: levels are found anew from the changed links outwards, as far as anything differs.
//!
//! Rates are max-min fair exactly if each link has the level that the least of the other levels on the routes of its flows, and
//! their limits, leave it. A link whose flows come or go gets its level anew; where that differs, so do the links that share a
//! flow with it whose rate this can change: one whose level, and the levels elsewhere on its route, are above the less of old and
//! new. Links come in the order of their levels, since no level depends on higher ones; most are looked at once. Of 780 flows
//! that are joined on a fat tree, a message that comes or goes changes the rates of 35.

use super::{FlowId, Place, Sharing, UNKNOWN};
use crate::engine::kernel::slab::NONE;
use crate::platform::LinkId;
use crate::tick::Tick;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Levels that differ by less than this share are the same: what sums of other flows in another order give.
const SAME: f64 = 1e-14;

type Near = BinaryHeap<Reverse<(u64, u32)>>;

/// A link that has less than this share of its capacity left may be full after rounding.
const SPARE: f64 = 1e-9;

/// Lists of the search, kept for the next time.
#[derive(Debug, Default)]
pub struct Ripple {
    /// Links whose level may differ, by the level that they had: numbers above 0 are in the order of their bits.
    near: Near,
    /// Links whose level differs, now and then twice.
    changed: Vec<u32>,
    caps: Vec<f64>,
}

impl Sharing {
    /// Finds the levels of the links that are joined to changed ones, and places the flows there.
    pub(super) fn ripple(&mut self, now: Tick, dirty: &[u32], pending: &[FlowId]) {
        let mut ripple = std::mem::take(&mut self.ripple);
        ripple.changed.clear();
        for busy in dirty {
            self.queue(*busy, &mut ripple.near);
        }
        if self.spread(&mut ripple) {
            self.regroup(now, dirty, pending, &ripple.changed);
        } else {
            // One link pulls another back and forth: all that is joined is solved from nothing.
            for Reverse((_, busy)) in ripple.near.drain() {
                self.busy[busy].queued = false;
            }
            for busy in dirty {
                if self.busy[*busy].coupled > 0 && self.busy[*busy].mark != self.epoch {
                    self.solve_component(now, *busy);
                }
            }
        }
        self.ripple = ripple;
    }

    /// A changed link is to be looked at, in the order of its level, or of the least that it can have.
    fn queue(&mut self, busy: u32, near: &mut Near) {
        let state = &mut self.busy[busy];
        let link = &self.links[state.link as usize];
        let level = self.levels[state.link as usize];
        // Flows have only left it: it is not full, as before.
        if state.coupled == 0 || (level == f64::INFINITY && state.slack >= 0.0) {
            return;
        }
        state.queued = true;
        let key = if level < f64::INFINITY { level } else { link.capacity / f64::from(link.flows.max(1)) };
        near.push(Reverse((key.to_bits(), busy)));
    }

    /// Lets levels follow one another until none differs; false: that takes longer than solving everything.
    fn spread(&mut self, ripple: &mut Ripple) -> bool {
        let mut patience = 64 + 8 * self.busy.len();
        while let Some(Reverse((_, busy))) = ripple.near.pop() {
            self.busy[busy].queued = false;
            if patience == 0 {
                return false;
            }
            patience -= 1;
            let link = self.busy[busy].link;
            let before = self.levels[link as usize];
            let (after, slack) = self.level_of(link, &mut ripple.caps);
            self.busy[busy].slack = slack;
            if before == after || (before - after).abs() <= SAME * before.min(after) {
                continue;
            }
            self.levels[link as usize] = after;
            ripple.changed.push(busy);
            self.tell(link, before, after, &mut ripple.near);
        }
        true
    }

    /// Queues the links that another level of a link can matter to.
    fn tell(&mut self, link: LinkId, before: f64, after: f64, near: &mut Near) {
        let low = before.min(after);
        let mut hop = self.links[link as usize].head;
        while hop != NONE {
            let at = hop;
            hop = self.hops.next(hop);
            let (others, limit) = self.hops.others(at);
            let elsewhere = others.fold(limit, |least, other| least.min(self.levels[other as usize]));
            // Where it is slower anyway, nothing of it changes.
            if elsewhere <= low {
                continue;
            }
            let more = after.min(elsewhere) - before.min(elsewhere);
            let (others, _) = self.hops.others(at);
            for other in others {
                let state = &self.links[other as usize];
                if state.busy == NONE {
                    continue;
                }
                let (level, capacity) = (self.levels[other as usize], state.capacity);
                let busy = &mut self.busy[state.busy];
                if busy.queued {
                    continue;
                }
                if level == f64::INFINITY {
                    // A link that is not full stays so when its flows get less, or no more than it has left.
                    if more > 0.0 {
                        busy.slack -= more;
                    }
                    if more <= 0.0 || busy.slack > SPARE * capacity {
                        continue;
                    }
                }
                busy.queued = true;
                let key = if level < f64::INFINITY { level } else { low.max(capacity / f64::from(state.flows)) };
                near.push(Reverse((key.to_bits(), state.busy)));
            }
        }
    }

    /// The most that a flow gets at a link, where each is held back by its limit and the levels elsewhere on its route:
    /// `sum of min(level, what holds it back) = capacity`. Infinite if they cannot fill it; then also what they leave.
    fn level_of(&self, link: LinkId, caps: &mut Vec<f64>) -> (f64, f64) {
        let state = &self.links[link as usize];
        caps.clear();
        let mut hop = state.head;
        while hop != NONE {
            let (others, limit) = self.hops.others(hop);
            hop = self.hops.next(hop);
            let cap = others.fold(limit, |least, other| least.min(self.levels[other as usize]));
            if cap <= state.capacity {
                caps.push(cap);
            }
        }
        // Sorted, and equal ones at once: the same flows give the same digits whatever their order.
        caps.sort_unstable_by(f64::total_cmp);
        let mut room = state.capacity;
        let mut open = f64::from(state.flows);
        let mut at = 0;
        while let Some(cap) = caps.get(at).copied() {
            if cap * open > room {
                break;
            }
            let equal = caps[at..].iter().take_while(|other| **other == cap).count();
            room -= cap * equal as f64;
            open -= equal as f64;
            at += equal;
        }
        if open > 0.0 { (room / open, UNKNOWN) } else { (f64::INFINITY, room) }
    }

    /// Flows go where their least level is now, and classes run at their new rates.
    fn regroup(&mut self, now: Tick, dirty: &[u32], pending: &[FlowId], changed: &[u32]) {
        for busy in changed {
            let mut hop = self.links[self.busy[*busy].link as usize].head;
            while hop != NONE {
                let flow = self.hops.flow(hop);
                hop = self.hops.next(hop);
                self.place(now, flow);
            }
        }
        for flow in pending {
            if self.flows[*flow].place == Place::PENDING && self.flows[*flow].busy > 1 {
                self.place(now, *flow);
            }
        }
        let mut touched = std::mem::take(&mut self.touched);
        for busy in changed.iter().chain(&touched) {
            self.set_rates(now, *busy);
        }
        touched.clear();
        self.touched = touched;
        for busy in dirty {
            if self.busy[*busy].coupled > 0 {
                self.set_rates(now, *busy);
            }
        }
    }
}
