//! One link for all: the inside of a machine, and a bus.

use super::{Common, LinkKind, Local, Paths, Port};

/// The inside of a machine: every message between its processes takes this one link.
#[derive(Debug, Clone)]
pub(crate) struct Inside(pub Common);

/// One link that all ports share, in both directions together.
#[derive(Debug, Clone)]
pub(crate) struct Bus(pub Common);

macro_rules! one_link {
    ($type:ty, $name:literal) => {
        impl Paths for $type {
            fn links(&self) -> u64 {
                1
            }

            fn kinds(&self) -> Vec<LinkKind> {
                vec![self.0.kind($name)]
            }

            fn kind_of(&self, _: Local) -> u32 {
                0
            }

            fn name(&self, _: Local, _: &dyn Fn(Port) -> String) -> String {
                $name.to_owned()
            }

            fn route(&self, _: Port, _: Port, push: &mut dyn FnMut(Local)) {
                push(0);
            }

            fn leave(&self, _: Port, push: &mut dyn FnMut(Local)) {
                push(0);
            }

            fn enter(&self, _: Port, push: &mut dyn FnMut(Local)) {
                push(0);
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
    };
}

one_link!(Inside, "inside");
one_link!(Bus, "bus");
