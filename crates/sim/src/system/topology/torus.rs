//! A grid closed in every dimension.

use super::{Common, LinkKind, Local, Paths, Port};

/// A torus: the first dimension runs fastest. Ways go dimension by dimension, in each the shorter way round, and upwards
/// where both are equally long.
#[derive(Debug, Clone)]
pub(crate) struct Torus {
    pub dims: Vec<u32>,
    pub link: Common,
}

impl Torus {
    /// The cable from a node upwards in a dimension; `down`: passed the other way.
    fn cable(&self, node: Port, dimension: usize, down: bool) -> Local {
        let cable = node * self.dims.len() as u32 + dimension as u32;
        if self.link.full_duplex { 2 * cable + u32::from(down) } else { cable }
    }

    fn hops(&self, from: Port, to: Port) -> u32 {
        let mut stride = 1;
        let mut hops = 0;
        for &extent in &self.dims {
            let (a, b) = ((from / stride) % extent, (to / stride) % extent);
            let up = (b + extent - a) % extent;
            hops += up.min(extent - up);
            stride *= extent;
        }
        hops
    }
}

impl Paths for Torus {
    fn links(&self) -> u64 {
        let nodes: u64 = self.dims.iter().map(|&extent| u64::from(extent)).product();
        nodes * self.dims.len() as u64 * if self.link.full_duplex { 2 } else { 1 }
    }

    fn kinds(&self) -> Vec<LinkKind> {
        vec![self.link.kind("link")]
    }

    fn kind_of(&self, _: Local) -> u32 {
        0
    }

    fn name(&self, link: Local, port: &dyn Fn(Port) -> String) -> String {
        let (cable, sign) = match self.link.full_duplex {
            true => (link / 2, if link.is_multiple_of(2) { "+" } else { "-" }),
            false => (link, ""),
        };
        let dimensions = self.dims.len() as u32;
        format!("{} dimension {}{sign}", port(cable / dimensions), cable % dimensions + 1)
    }

    fn route(&self, from: Port, to: Port, push: &mut dyn FnMut(Local)) {
        let mut stride = 1;
        let mut node = from;
        for (dimension, &extent) in self.dims.iter().enumerate() {
            let mut at = (node / stride) % extent;
            let base = node - at * stride;
            let target = (to / stride) % extent;
            let up = (target + extent - at) % extent;
            if up <= extent - up {
                for _ in 0..up {
                    push(self.cable(base + at * stride, dimension, false));
                    at = if at + 1 == extent { 0 } else { at + 1 };
                }
            } else {
                for _ in 0..extent - up {
                    at = if at == 0 { extent - 1 } else { at - 1 };
                    push(self.cable(base + at * stride, dimension, true));
                }
            }
            node = base + target * stride;
            stride *= extent;
        }
    }

    /// The way to the first node, which joins the outside.
    fn leave(&self, from: Port, push: &mut dyn FnMut(Local)) {
        self.route(from, 0, push);
    }

    fn enter(&self, to: Port, push: &mut dyn FnMut(Local)) {
        self.route(0, to, push);
    }

    fn class(&self, from: Port, to: Port) -> Option<u32> {
        Some(self.hops(from, to))
    }

    fn classes(&self) -> u32 {
        self.dims.iter().map(|extent| extent / 2).sum::<u32>() + 1
    }

    fn is_even(&self) -> bool {
        false
    }
}
