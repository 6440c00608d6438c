//! Links and routes by name.

use super::{LinkKind, Local, Paths, Port};
use std::collections::HashMap;

/// The port that stands for what is outside.
pub(crate) const OUTSIDE: Port = Port::MAX;

/// Routes listed by the user. Links that are full duplex are two.
#[derive(Debug, Clone)]
pub(crate) struct Explicit {
    /// Links by number, with their names.
    pub links: Vec<LinkKind>,
    /// Links from port to port.
    pub routes: HashMap<(Port, Port), Vec<Local>>,
}

impl Explicit {
    fn walk(&self, from: Port, to: Port, push: &mut dyn FnMut(Local)) {
        for link in self.routes.get(&(from, to)).into_iter().flatten() {
            push(*link);
        }
    }
}

impl Paths for Explicit {
    fn links(&self) -> u64 {
        self.links.len() as u64
    }

    fn kinds(&self) -> Vec<LinkKind> {
        self.links.clone()
    }

    fn kind_of(&self, link: Local) -> u32 {
        link
    }

    fn name(&self, link: Local, _: &dyn Fn(Port) -> String) -> String {
        self.links[link as usize].name.clone()
    }

    fn route(&self, from: Port, to: Port, push: &mut dyn FnMut(Local)) {
        self.walk(from, to, push);
    }

    fn leave(&self, from: Port, push: &mut dyn FnMut(Local)) {
        self.walk(from, OUTSIDE, push);
    }

    fn enter(&self, to: Port, push: &mut dyn FnMut(Local)) {
        self.walk(OUTSIDE, to, push);
    }

    fn class(&self, _: Port, _: Port) -> Option<u32> {
        None
    }

    fn classes(&self) -> u32 {
        0
    }

    fn is_even(&self) -> bool {
        false
    }
}
