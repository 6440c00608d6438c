//! Blocks at work on a node, some of which slow others down: each kind progresses at a rate of its own, which changes
//! whenever a block begins or ends.

use super::device::Shared;
use crate::application::Block;
use crate::outcome::add_drawn;
use crate::tick::Tick;
use crate::world::node::{Answered, AtWork, Running};
use crate::world::{Demand, DeviceId, World};
use runcast_core::Problem;
use runcast_core::hash::MixMap;

/// Blocks at work on a node.
#[derive(Debug, Default)]
pub struct Node {
    /// Kinds of blocks at work: like ones on one domain.
    running: Vec<Running>,
    /// The work of each kind, in ticks.
    work: Vec<Shared>,
    /// When the next of a kind ends.
    due: Vec<Option<Tick>>,
    rates: Vec<f64>,
    /// Parts that are left of blocks on several domains.
    parts: MixMap<u32, u32>,
    /// Counts changes, so that an outdated event is recognized.
    pub version: u32,
    /// What devices with power states draw now above their power at rest, in watts.
    draws: Vec<(DeviceId, f64)>,
    /// The same up to `counted`, in watt-ticks.
    drawn: Vec<(DeviceId, f64)>,
    counted: Tick,
    domains: Vec<(u32, f64)>,
}

/// A block that begins.
#[derive(Debug, Clone, Copy)]
pub struct Begins {
    /// Its process, and who computes it: see [`super::streams::Who`].
    pub own: u32,
    pub who: u32,
    /// Its number, and the class of its place.
    pub block: u32,
    pub class: u32,
    pub device: DeviceId,
    /// Its time, without others, in ticks.
    pub work: f64,
}

impl Node {
    /// Counts the work up to now.
    pub fn advance(&mut self, now: Tick) {
        self.work.iter_mut().for_each(|work| work.advance(now));
        let ticks = now.saturating_sub(self.counted) as f64;
        self.counted = now;
        for (device, watts) in &self.draws {
            add_drawn(&mut self.drawn, *device, watts * ticks);
        }
    }

    /// A block begins. Work is counted up to now.
    pub fn begin(&mut self, world: &dyn World, now: Tick, demand: &Demand, begins: Begins) {
        let seat = world.node(begins.device);
        let one = |domain: u32, threads: f64| Running {
            domain,
            count: 1.0,
            threads,
            block: begins.block,
            class: begins.class,
            seconds: demand.seconds,
            need: demand.need,
        };
        if seat.domains == 1 {
            self.add(now, one(seat.domain, demand.threads), begins);
            return;
        }
        let mut domains = std::mem::take(&mut self.domains);
        domains.clear();
        world.domains_of(u64::from(begins.own), begins.device, demand.threads, &mut domains);
        if domains.len() > 1 {
            self.parts.insert(begins.who, domains.len() as u32);
        }
        for (domain, threads) in &domains {
            let need = demand.need.part(threads / demand.threads);
            self.add(now, Running { need, ..one(*domain, *threads) }, begins);
        }
        self.domains = domains;
    }

    fn add(&mut self, now: Tick, new: Running, begins: Begins) {
        let like = |known: &Running| Running { count: 1.0, ..*known } == new;
        let at = self.running.iter().position(like).unwrap_or_else(|| {
            self.running.push(Running { count: 0.0, ..new });
            let mut work = Shared::default();
            work.advance(now);
            self.work.push(work);
            self.due.push(None);
            self.running.len() - 1
        });
        self.running[at].count += 1.0;
        self.work[at].add(begins.work, begins.who);
    }

    /// Others are at work than before: when the next block ends. None: nobody is at work.
    ///
    /// # Errors
    /// Those of rules; `late`, if an end does not fit.
    pub fn changed(
        &mut self,
        world: &dyn World,
        node: DeviceId,
        blocks: &[Block],
        answered: &Answered,
        late: &dyn Fn() -> Problem,
    ) -> Result<Option<Tick>, Problem> {
        self.version = self.version.wrapping_add(1);
        self.draws.clear();
        if self.running.is_empty() {
            return Ok(None);
        }
        let at_work = AtWork { node, blocks, running: &self.running, answered };
        if world.has_states() {
            world.draws(at_work, &mut self.draws)?;
        }
        self.rates.clear();
        world.progress(at_work, &mut self.rates)?;
        let mut first = Tick::MAX;
        for ((work, rate), due) in self.work.iter_mut().zip(&self.rates).zip(&mut self.due) {
            *due = work.set_rate(*rate);
            first = first.min(due.ok_or_else(late)?);
        }
        Ok(Some(first))
    }

    /// What devices drew above their power at rest, in watt-ticks.
    pub fn drawn(&self) -> &[(DeviceId, f64)] {
        &self.drawn
    }

    /// Whether nobody is at work.
    pub fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Who ends now ([`Begins::who`]), all parts included. Work is counted up to now.
    pub fn ended(&mut self, now: Tick, all: &mut Vec<u32>) {
        all.clear();
        let mut some = Vec::new();
        for kind in (0..self.running.len()).rev() {
            if self.due[kind].is_none_or(|due| due > now) {
                continue;
            }
            self.work[kind].ended(&mut some);
            self.running[kind].count -= some.len() as f64;
            all.append(&mut some);
            if self.work[kind].at_work() == 0 {
                self.running.swap_remove(kind);
                self.work.swap_remove(kind);
                self.due.swap_remove(kind);
            }
        }
        if !self.parts.is_empty() {
            all.retain(|who| match self.parts.get_mut(who) {
                None => true,
                Some(1) => self.parts.remove(who).is_some(),
                Some(left) => {
                    *left -= 1;
                    false
                }
            });
        }
    }
}
