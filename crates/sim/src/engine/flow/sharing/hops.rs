//! The links on the routes of flows, each in the list of its link: no list has memory of its own.

use crate::engine::kernel::slab::NONE;
use crate::flow::sharing::FlowId;
use crate::platform::LinkId;

/// A link on the route of a flow.
#[derive(Debug, Clone, Copy)]
struct Hop {
    link: LinkId,
    flow: FlowId,
    /// Neighbors in the list of the link.
    before: u32,
    after: u32,
    /// The first of the flow, and how many.
    first: u32,
    count: u32,
    /// That of the flow.
    limit: f64,
}

/// All hops. Those of a flow are in a row.
#[derive(Debug, Default)]
pub struct Hops {
    hops: Vec<Hop>,
    /// Vacant rows by length.
    vacant: Vec<Vec<u32>>,
}

impl Hops {
    /// Hops for a route, in no list yet: the first, and how many. A link that comes again is left out.
    pub fn allocate(&mut self, route: &[LinkId], flow: FlowId, limit: f64) -> (u32, u16) {
        let mut count = 0;
        for (at, link) in route.iter().enumerate() {
            count += usize::from(!route[..at].contains(link));
        }
        let first = match self.vacant.get_mut(count).and_then(Vec::pop) {
            Some(first) => first,
            None => {
                let first = self.hops.len();
                let none = Hop { link: 0, flow, before: NONE, after: NONE, first: 0, count: 0, limit };
                self.hops.resize(first + count, none);
                first as u32
            }
        };
        let count = count as u32;
        let mut to = first as usize;
        for (at, link) in route.iter().enumerate() {
            if !route[..at].contains(link) {
                self.hops[to] = Hop { link: *link, flow, before: NONE, after: NONE, first, count, limit };
                to += 1;
            }
        }
        (first, count as u16)
    }

    /// Gives a row back. It stays readable until it is given away again.
    pub fn free(&mut self, first: u32, count: u16) {
        let count = usize::from(count);
        if count == 0 {
            return;
        }
        if self.vacant.len() <= count {
            self.vacant.resize_with(count + 1, Vec::new);
        }
        self.vacant[count].push(first);
    }

    #[inline]
    pub fn link(&self, hop: u32) -> LinkId {
        self.hops[hop as usize].link
    }

    #[inline]
    pub fn flow(&self, hop: u32) -> FlowId {
        self.hops[hop as usize].flow
    }

    /// The other links on the route of the hop's flow, and the limit of the flow.
    #[inline]
    pub fn others(&self, hop: u32) -> (impl Iterator<Item = LinkId> + '_, f64) {
        let Hop { link, first, count, limit, .. } = self.hops[hop as usize];
        let row = &self.hops[first as usize..(first + count) as usize];
        (row.iter().map(|hop| hop.link).filter(move |other| *other != link), limit)
    }

    /// The next hop in the list of the link.
    #[inline]
    pub fn next(&self, hop: u32) -> u32 {
        self.hops[hop as usize].after
    }

    /// Puts a hop into the list of its link.
    #[inline]
    pub fn link_in(&mut self, hop: u32, head: &mut u32) {
        let after = *head;
        self.hops[hop as usize].before = NONE;
        self.hops[hop as usize].after = after;
        if after != NONE {
            self.hops[after as usize].before = hop;
        }
        *head = hop;
    }

    /// Takes a hop out of it.
    #[inline]
    pub fn link_out(&mut self, hop: u32, head: &mut u32) {
        let Hop { before, after, .. } = self.hops[hop as usize];
        if before == NONE {
            *head = after;
        } else {
            self.hops[before as usize].after = after;
        }
        if after != NONE {
            self.hops[after as usize].before = before;
        }
    }
}
