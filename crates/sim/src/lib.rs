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
pub mod engine;
pub mod exchange;
pub mod jobs;
pub mod result;
pub mod run;
pub mod search;
pub mod system;
pub mod tick;
pub mod world;

pub use application::{build, collective, farm, templates};
#[cfg(feature = "luau")]
pub use application::{dry_run, script};
pub use engine::{budget, cursor, deadlock, fast, flow, job, label, loggops, plain, platform, schedule};
pub use exchange::{goal, simgrid, ti};
pub use result::{applications, cost, energy, explain, faults, outcome, reliability, timeline};
pub use run::experiment;
pub use search::{calibrate, exchanged, optimize, sweep};
pub(crate) use system::topology;
pub use system::{attributes, catalogue};
pub use world::{model, noise, place, volunteer};

pub use application::Application;
pub use outcome::Outcome;
pub use platform::Platform;
pub use tick::{Tick, TickLength};
