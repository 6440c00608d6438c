//! Groups of chassis of routers, minimal ways.

use super::{Common, LinkKind, Local, Paths, Port, direction};

/// A dragonfly as SimGrid builds it: all routers of a chassis are joined, routers of the same number in all chassis of a
/// group are joined, and router `j` of group `i`'s first chassis is joined to router `i` of group `j`'s. Parallel cables
/// count as one link of their joint bandwidth.
///
/// Erratum (SimGrid 3.32): between two chassis other than by the first, after the hop to another router of the own chassis,
/// its way continues in the first chassis, and leaves out, or adds, the link between the chassis. Ours passes it.
#[derive(Debug, Clone)]
pub(crate) struct Dragonfly {
    pub groups: u32,
    pub chassis: u32,
    pub routers: u32,
    pub nodes: u32,
    pub group_links: u32,
    pub chassis_links: u32,
    pub router_links: u32,
    pub link: Common,
}

/// Where a router is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Router {
    group: u32,
    chassis: u32,
    router: u32,
}

/// Kinds of links.
const LOCAL: u32 = 0;
const IN_CHASSIS: u32 = 1;
const IN_GROUP: u32 = 2;
const BETWEEN: u32 = 3;

impl Dragonfly {
    fn ports(&self) -> u64 {
        [self.groups, self.chassis, self.routers, self.nodes].iter().map(|&count| u64::from(count)).product()
    }

    /// Cables of each kind.
    fn cables(&self) -> [u64; 4] {
        let [groups, chassis, routers] = [self.groups, self.chassis, self.routers].map(u64::from);
        [self.ports(), groups * chassis * pairs(routers), groups * pairs(chassis) * routers, pairs(groups)]
    }

    fn link(&self, kind: u32, cable: u64, is_up: bool) -> Local {
        let first: u64 = self.cables()[..kind as usize].iter().sum();
        let index = (first + cable) as u32;
        if self.link.full_duplex { 2 * index + u32::from(!is_up) } else { index }
    }

    fn router_of(&self, port: Port) -> Router {
        let router = port / self.nodes;
        let in_group = router % (self.chassis * self.routers);
        Router {
            group: router / (self.chassis * self.routers),
            chassis: in_group / self.routers,
            router: in_group % self.routers,
        }
    }

    fn to_router(&self, at: &mut Router, router: u32, push: &mut dyn FnMut(Local)) {
        if at.router == router {
            return;
        }
        let base = u64::from(at.group * self.chassis + at.chassis) * pairs(u64::from(self.routers));
        push(self.link(IN_CHASSIS, base + pair(at.router, router, self.routers), at.router < router));
        at.router = router;
    }

    fn to_chassis(&self, at: &mut Router, chassis: u32, push: &mut dyn FnMut(Local)) {
        if at.chassis == chassis {
            return;
        }
        let pairs = pairs(u64::from(self.chassis));
        let base = (u64::from(at.group) * pairs + pair(at.chassis, chassis, self.chassis)) * u64::from(self.routers);
        push(self.link(IN_GROUP, base + u64::from(at.router), at.chassis < chassis));
        at.chassis = chassis;
    }

    fn to_group(&self, at: &mut Router, group: u32, push: &mut dyn FnMut(Local)) {
        if at.group == group {
            return;
        }
        self.to_router(at, group, push);
        self.to_chassis(at, 0, push);
        push(self.link(BETWEEN, pair(at.group, group, self.groups), at.group < group));
        *at = Router { group, chassis: 0, router: at.group };
    }

    fn walk(&self, at: &mut Router, to: Router, push: &mut dyn FnMut(Local)) {
        self.to_group(at, to.group, push);
        self.to_router(at, to.router, push);
        self.to_chassis(at, to.chassis, push);
    }

    /// Links between routers by kind, at most 2, 2 and 1 of them.
    fn hops(&self, from: Port, to: Port) -> (u32, u32, u32) {
        let (mut at, to) = (self.router_of(from), self.router_of(to));
        let mut count = [0; 4];
        self.walk(&mut at, to, &mut |link| count[self.kind_of(link) as usize] += 1);
        (count[IN_CHASSIS as usize], count[IN_GROUP as usize], count[BETWEEN as usize])
    }
}

fn pairs(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// Number of an unordered pair among all of this many.
fn pair(a: u32, b: u32, count: u32) -> u64 {
    let (low, high, count) = (u64::from(a.min(b)), u64::from(a.max(b)), u64::from(count));
    low * (2 * count - low - 1) / 2 + (high - low - 1)
}

impl Paths for Dragonfly {
    fn links(&self) -> u64 {
        self.cables().iter().sum::<u64>() * if self.link.full_duplex { 2 } else { 1 }
    }

    fn kinds(&self) -> Vec<LinkKind> {
        let kind = |name: &str, cables: u32| {
            let kind = self.link.kind(name);
            LinkKind { bandwidth: kind.bandwidth * f64::from(cables), ..kind }
        };
        vec![
            kind("link of a machine", 1),
            kind("link in a chassis", self.router_links),
            kind("link between chassis", self.chassis_links),
            kind("link between groups", self.group_links),
        ]
    }

    fn kind_of(&self, link: Local) -> u32 {
        let index = u64::from(if self.link.full_duplex { link / 2 } else { link });
        let mut first = 0;
        for (kind, cables) in self.cables().iter().enumerate() {
            first += cables;
            if index < first {
                return kind as u32;
            }
        }
        BETWEEN
    }

    fn name(&self, link: Local, port: &dyn Fn(Port) -> String) -> String {
        let index = u64::from(if self.link.full_duplex { link / 2 } else { link });
        let way = if self.link.full_duplex { direction(link.is_multiple_of(2)) } else { "link" };
        let kind = self.kind_of(link);
        let cable = index - self.cables()[..kind as usize].iter().sum::<u64>();
        match kind {
            LOCAL => format!("{} {way}", port(cable as Port)),
            IN_CHASSIS => format!("link {} in a chassis {way}", cable + 1),
            IN_GROUP => format!("link {} between chassis {way}", cable + 1),
            _ => format!("link {} between groups {way}", cable + 1),
        }
    }

    fn route(&self, from: Port, to: Port, push: &mut dyn FnMut(Local)) {
        push(self.link(LOCAL, u64::from(from), true));
        let mut at = self.router_of(from);
        self.walk(&mut at, self.router_of(to), push);
        push(self.link(LOCAL, u64::from(to), false));
    }

    /// To the first router of all, which joins the outside.
    fn leave(&self, from: Port, push: &mut dyn FnMut(Local)) {
        push(self.link(LOCAL, u64::from(from), true));
        let mut at = self.router_of(from);
        self.walk(&mut at, self.router_of(0), push);
    }

    fn enter(&self, to: Port, push: &mut dyn FnMut(Local)) {
        let mut at = self.router_of(0);
        self.walk(&mut at, self.router_of(to), push);
        push(self.link(LOCAL, u64::from(to), false));
    }

    fn class(&self, from: Port, to: Port) -> Option<u32> {
        let (in_chassis, in_group, between) = self.hops(from, to);
        Some((in_chassis * 3 + in_group) * 2 + between)
    }

    fn classes(&self) -> u32 {
        18
    }

    fn is_even(&self) -> bool {
        false
    }
}
