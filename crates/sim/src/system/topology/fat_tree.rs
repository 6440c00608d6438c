//! Levels of switches: ways go up until they are above the destination, by the port that the destination's number gives, and
//! down again.

use super::{Common, LinkKind, Local, Paths, Port, direction};

/// A fat tree, numbered as in SimGrid: a node of level `l` is a number of mixed radix, the first digit fastest, whose digits
/// before `l` count `up[..]` and whose others count `down[..]`. A parent differs from its child in digit `l` alone.
///
/// The up-port at level `l` is `destination / prod(up[i] * links[i], i < l) mod (up[l] * links[l])`: first all parents, then
/// the next cable to each. On the way down the cable is `source mod links[l]`.
#[derive(Debug, Clone)]
pub(crate) struct FatTree {
    pub down: Vec<u32>,
    pub up: Vec<u32>,
    pub links: Vec<u32>,
    pub link: Common,
    /// First cable of the links above each level.
    offsets: Vec<u64>,
}

impl FatTree {
    pub fn new(down: Vec<u32>, up: Vec<u32>, links: Vec<u32>, link: Common) -> Self {
        let mut tree = FatTree { down, up, links, link, offsets: vec![0] };
        for level in 0..tree.down.len() {
            let cables = tree.nodes(level).saturating_mul(u64::from(tree.up[level]) * u64::from(tree.links[level]));
            tree.offsets.push(tree.offsets[level].saturating_add(cables));
        }
        tree
    }

    /// Nodes of a level; 0 are the machines.
    fn nodes(&self, level: usize) -> u64 {
        let below = self.up[..level].iter();
        below.chain(&self.down[level..]).fold(1, |nodes: u64, &radix| nodes.saturating_mul(u64::from(radix)))
    }

    /// The cable from a node of a level to a parent.
    fn cable(&self, level: usize, node: u64, parent: u32, cable: u32, is_up: bool) -> Local {
        let cables = u64::from(self.links[level]);
        let index =
            self.offsets[level] + (node * u64::from(self.up[level]) + u64::from(parent)) * cables + u64::from(cable);
        let index = index as u32;
        if self.link.full_duplex { 2 * index + u32::from(!is_up) } else { index }
    }

    /// How many levels a way goes up.
    fn height(&self, from: Port, to: Port) -> usize {
        let (mut from, mut to, mut level) = (from, to, 0);
        while from != to && level < self.down.len() {
            from /= self.down[level];
            to /= self.down[level];
            level += 1;
        }
        level
    }

    /// Up to a level, with the parents that were chosen; the digits of the own number that are left.
    fn climb(&self, from: Port, by: Port, height: usize, chosen: &mut [u32], push: &mut dyn FnMut(Local)) {
        // Number of the node: digits chosen so far below, digits of the own number above.
        let (mut low, mut low_radix) = (0_u64, 1_u64);
        let mut high = from;
        let mut divided = by;
        for (level, chosen) in chosen.iter_mut().enumerate().take(height) {
            let node = low + u64::from(high) * low_radix;
            let ports = self.up[level] * self.links[level];
            let port = divided % ports;
            divided /= ports;
            let parent = port % self.up[level];
            push(self.cable(level, node, parent, port / self.up[level], true));
            *chosen = parent;
            high /= self.down[level];
            low += u64::from(parent) * low_radix;
            low_radix *= u64::from(self.up[level]);
        }
    }

    /// Down from a level below the parents that were chosen.
    fn descend(&self, from: Port, to: Port, height: usize, chosen: &[u32], push: &mut dyn FnMut(Local)) {
        for level in (0..height).rev() {
            // The child: chosen digits below its level, those of the destination from it on.
            let (mut low, mut radix, mut high) = (0_u64, 1_u64, to);
            for (below, chosen) in chosen.iter().enumerate().take(level) {
                low += u64::from(*chosen) * radix;
                radix *= u64::from(self.up[below]);
                high /= self.down[below];
            }
            let node = low + u64::from(high) * radix;
            push(self.cable(level, node, chosen[level], from % self.links[level], false));
        }
    }
}

/// More levels are not read from files.
pub(crate) const MOST_LEVELS: usize = 16;

impl Paths for FatTree {
    fn links(&self) -> u64 {
        let cables = self.offsets.last().copied().unwrap_or(0);
        cables.saturating_mul(if self.link.full_duplex { 2 } else { 1 })
    }

    fn kinds(&self) -> Vec<LinkKind> {
        vec![self.link.kind("link")]
    }

    fn kind_of(&self, _: Local) -> u32 {
        0
    }

    fn name(&self, link: Local, port: &dyn Fn(Port) -> String) -> String {
        let index = u64::from(if self.link.full_duplex { link / 2 } else { link });
        let way = if self.link.full_duplex { direction(link.is_multiple_of(2)) } else { "link" };
        let level = self.offsets.partition_point(|&first| first <= index) - 1;
        let at = index - self.offsets[level];
        let ports = u64::from(self.up[level]) * u64::from(self.links[level]);
        let node = at / ports;
        match level {
            0 if ports == 1 => format!("{} {way}", port(node as Port)),
            0 => format!("{} {way} {}", port(node as Port), at % ports + 1),
            1 => format!("leaf switch {} {way} {}", node + 1, at % ports + 1),
            _ => format!("switch {} of level {level} {way} {}", node + 1, at % ports + 1),
        }
    }

    fn route(&self, from: Port, to: Port, push: &mut dyn FnMut(Local)) {
        let height = self.height(from, to);
        let mut chosen = [0; MOST_LEVELS];
        self.climb(from, to, height, &mut chosen, push);
        self.descend(from, to, height, &chosen, push);
    }

    /// Up to a switch of the highest level, which joins the outside.
    fn leave(&self, from: Port, push: &mut dyn FnMut(Local)) {
        let mut chosen = [0; MOST_LEVELS];
        self.climb(from, from, self.down.len(), &mut chosen, push);
    }

    /// Down from the switch that the way out would end at.
    fn enter(&self, to: Port, push: &mut dyn FnMut(Local)) {
        let mut chosen = [0; MOST_LEVELS];
        self.climb(to, to, self.down.len(), &mut chosen, &mut |_| ());
        self.descend(to, to, self.down.len(), &chosen, push);
    }

    fn class(&self, from: Port, to: Port) -> Option<u32> {
        Some(self.height(from, to) as u32)
    }

    fn classes(&self) -> u32 {
        self.down.len() as u32 + 1
    }

    fn is_even(&self) -> bool {
        true
    }
}
