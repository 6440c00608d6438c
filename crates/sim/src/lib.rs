//! Simulates a model of an application on a model of a machine: time, energy, chance of failure and cost, for ten processes
//! or ten million.
//!
//! ```text
//! script, Rust ──record──> application ──cursor──> engine (label | loggops | flow) ──> outcome ──> energy, reliability, reasons
//! system file, catalogue ──> system ──> platform, world ─────────^
//! ```
//!
//! Source: P. Czarnul, J. Kuchta, M. Matuszek, J. Proficz, P. Rościszewski, M. Wójcik, J. Szymański, *MERPSYS: An environment
//! for simulation of parallel application execution on large scale HPC systems*, Simulation Modelling Practice and Theory 77,
//! 2017, cited as \[M\]; LogGP: A. Alexandrov et al., SPAA 1995; LogGOPS: T. Hoefler, T. Schneider, A. Lumsdaine, HPDC 2010.

pub mod application;
pub mod attributes;
pub mod build;
pub mod calibrate;
pub mod catalogue;
pub mod collective;
pub mod cost;
pub mod cursor;
pub mod deadlock;
#[cfg(feature = "luau")]
pub mod dry_run;
pub mod energy;
pub mod errors;
pub mod experiment;
pub mod explain;
pub mod farm;
pub mod fast;
pub mod flow;
pub mod goal;
pub mod job;
pub mod label;
pub mod loggops;
pub mod model;
pub mod noise;
pub mod optimize;
pub mod outcome;
pub mod place;
pub mod plain;
pub mod platform;
pub mod reliability;
pub mod run;
pub mod schedule;
#[cfg(feature = "luau")]
pub mod script;
pub mod simgrid;
pub mod sweep;
pub mod system;
pub mod templates;
pub mod ti;
pub mod tick;
pub mod timeline;
mod topology;
pub mod volunteer;
pub mod world;

pub use application::Application;
pub use outcome::Outcome;
pub use platform::Platform;
pub use tick::{Tick, TickLength};
