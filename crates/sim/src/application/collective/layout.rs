//! Where the members of a group are: as many on each of some machines.

use super::{members, process_of};
use crate::application::Application;
use crate::job::Job;
use crate::platform::{Endpoint, RailChoice, Way};
use crate::world::Place;

/// A group of `m g` members: g on each of m machines.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Machines, m.
    pub machines: u64,
    /// Members on each, g.
    pub each: u64,
    /// Whether the members are on devices other than processors.
    pub on_devices: bool,
    /// Rails that the members of a machine use, by bits; 0: there are none.
    pub rails: u64,
    /// The way between two members on one machine; none: there is one on each.
    pub inner: Option<Way>,
    /// The way between two members on two machines; none: all are on one.
    pub outer: Option<Way>,
    /// Seconds for the reduction of a byte.
    pub reduce_per_byte_s: f64,
    /// Numbers of the members, machine after machine, in each device after device; none: they are in this order already.
    order: Option<Vec<u64>>,
}

/// Larger groups are taken to be in order: all of a label.
const MOST_LISTED: u64 = 1 << 22;

impl Layout {
    /// The layout of a group; none: its machines have unlike numbers of members.
    pub fn new(application: &Application, job: &Job<'_>, group: u32) -> Option<Layout> {
        let count = members(application, group);
        let place = |member: u64| job.world.place(process_of(application, group, member));
        let first = place(0);
        let (each, order) = if count > MOST_LISTED {
            let each = (1..count).find(|member| place(*member).machine != first.machine).unwrap_or(count);
            let is_even = count.is_multiple_of(each) && place(count - each).machine != place(count - each - 1).machine;
            (is_even.then_some(each)?, None)
        } else {
            in_order(count, &place)?
        };
        let machines = count / each;
        let nth = |at: u64| place(order.as_ref().map_or(at, |order| order[at as usize]));
        let mut links = Vec::new();
        // Of one rail: how many there are is counted below.
        let mut way = |from: u64, to: u64| job.platform.way_on(nth(from).into(), nth(to).into(), None, &mut links);
        let inner = (each > 1).then(|| way(0, 1));
        let outer = (machines > 1).then(|| way(0, each));
        // Those of a machine alone are counted as if there were another.
        let other = |member: u64| match machines {
            1 => Endpoint::from((first.machine + 1) % job.platform.machines.max(1)),
            _ => nth(each + member).into(),
        };
        let rails = rails(job, each, &nth, &other);
        let on_devices = job.world.on_accelerator(first.class);
        let reduce_per_byte_s = job.world.reduce_per_byte(first.class);
        Some(Layout { machines, each, on_devices, rails, inner, outer, reduce_per_byte_s, order })
    }

    /// P: all members.
    pub fn count(&self) -> u64 {
        self.machines * self.each
    }

    /// R: rails that the members of a machine use together.
    pub fn rail_count(&self) -> u64 {
        u64::from(self.rails.count_ones().max(1))
    }

    /// The rails that a message of all is spread over, by bits; 0: it takes the usual one.
    pub fn spread(&self) -> u64 {
        if self.rail_count() > 1 { self.rails } else { 0 }
    }

    /// Number in the group of the member at a place of this order.
    pub fn member(&self, at: u64) -> u64 {
        self.order.as_ref().map_or(at, |order| order[at as usize])
    }

    /// The place in this order of a member of the group.
    pub fn position(&self, member: u64) -> u64 {
        let listed = self.order.as_ref().and_then(|order| order.iter().position(|other| *other == member));
        listed.map_or(member, |at| at as u64)
    }
}

/// Members on each machine, and their order.
fn in_order(count: u64, place: &dyn Fn(u64) -> Place) -> Option<(u64, Option<Vec<u64>>)> {
    let mut all: Vec<(Endpoint, u64)> = (0..count).map(|member| (place(member).into(), member)).collect();
    all.sort_unstable();
    let each = all.iter().take_while(|(end, _)| end.machine == all[0].0.machine).count();
    if !all.len().is_multiple_of(each) {
        return None;
    }
    let is_even = all.chunks(each).all(|chunk| chunk.iter().all(|(end, _)| end.machine == chunk[0].0.machine));
    let apart = all.chunks(each).zip(all.chunks(each).skip(1)).all(|(one, next)| one[0].0.machine != next[0].0.machine);
    let order: Vec<u64> = all.into_iter().map(|(_, member)| member).collect();
    let is_sorted = order.is_sorted();
    (is_even && apart).then_some((each as u64, (!is_sorted).then_some(order)))
}

/// The rails of the members on the first machine, towards the next.
fn rails(job: &Job<'_>, each: u64, nth: &dyn Fn(u64) -> Place, other: &dyn Fn(u64) -> Endpoint) -> u64 {
    let mut all = 0;
    for member in 0..each {
        let Some(rails) = job.platform.routing.rails(nth(member).into(), other(member)) else { break };
        if rails.choice != RailChoice::Affinity {
            return u64::MAX >> (64 - rails.count.clamp(1, 64));
        }
        all |= 1 << rails.usual.min(63);
    }
    all
}
