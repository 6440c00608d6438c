//! Platform files of SimGrid: XML 4.1 in and out.
//!
//! | SimGrid | here |
//! |---|---|
//! | zone, AS | group; its routes an `explicit` network |
//! | cluster | group with one machine line and its `count`; star, fat tree, torus, dragonfly; loopback: network of the machine |
//! | host | machine with a cpu; `speed` (first state) of a core, `core` |
//! | disk | storage |
//! | link, its sharing policy | link of an `explicit` network; `shared`, `duplex` |
//! | zoneRoute with gateways | `through`, and routes to the outside |
//! | wattage_per_state, wattage_off | `power_idle` and `power_load`, or `power_threads`; `power_off` |
//! | config `smpi/*`, `network/TCP-gamma` | segments, limits, `window` |
//!
//! What does not map is a warning each. Source: the reference of SimGrid 3.32, "Platform description".

mod config;
mod export;
mod import;
mod paths;
mod power;
mod units;
mod xml;

pub use export::export;
pub use import::import;

use crate::system::System;
use runcast_core::Warning;

/// A platform of SimGrid as a system.
#[derive(Debug, Clone)]
pub struct Imported {
    pub system: System,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

/// A system as a platform of SimGrid.
#[derive(Debug, Clone)]
pub struct Exported {
    pub text: String,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

#[cfg(test)]
mod tests;
