//! One link per port to an ideal switch, and a backbone that all share or none.

use super::{Common, LinkKind, Local, Paths, Port, direction};

/// A star; without a backbone also called a crossbar.
#[derive(Debug, Clone)]
pub(crate) struct Star {
    pub ports: u32,
    pub link: Common,
    /// Bandwidth and latency.
    pub backbone: Option<(f64, f64)>,
}

impl Star {
    fn up(&self, port: Port) -> Local {
        if self.link.full_duplex { 2 * port } else { port }
    }

    fn down(&self, port: Port) -> Local {
        if self.link.full_duplex { 2 * port + 1 } else { port }
    }

    /// Links of the ports.
    fn leaves(&self) -> u64 {
        u64::from(self.ports) * if self.link.full_duplex { 2 } else { 1 }
    }

    fn cross(&self, push: &mut dyn FnMut(Local)) {
        if self.backbone.is_some() {
            push(self.leaves() as Local);
        }
    }
}

impl Paths for Star {
    fn links(&self) -> u64 {
        self.leaves() + u64::from(self.backbone.is_some())
    }

    fn kinds(&self) -> Vec<LinkKind> {
        let backbone = self.backbone.map(|(bandwidth, latency_s)| LinkKind {
            bandwidth,
            latency_s,
            shared: true,
            name: "backbone".to_owned(),
        });
        std::iter::once(self.link.kind("link")).chain(backbone).collect()
    }

    fn kind_of(&self, link: Local) -> u32 {
        u32::from(u64::from(link) >= self.leaves())
    }

    fn name(&self, link: Local, port: &dyn Fn(Port) -> String) -> String {
        if u64::from(link) >= self.leaves() {
            return "backbone".to_owned();
        }
        match self.link.full_duplex {
            true => format!("{} {}", port(link / 2), direction(link.is_multiple_of(2))),
            false => port(link),
        }
    }

    fn route(&self, from: Port, to: Port, push: &mut dyn FnMut(Local)) {
        self.leave(from, push);
        push(self.down(to));
    }

    fn leave(&self, from: Port, push: &mut dyn FnMut(Local)) {
        push(self.up(from));
        self.cross(push);
    }

    fn enter(&self, to: Port, push: &mut dyn FnMut(Local)) {
        self.cross(push);
        push(self.down(to));
    }

    fn class(&self, _: Port, _: Port) -> Option<u32> {
        Some(0)
    }

    fn classes(&self) -> u32 {
        1
    }

    fn is_even(&self) -> bool {
        true
    }
}
