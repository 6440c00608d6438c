//! The level `flow` (docs/theory/sim.md): every process is simulated, and messages under way share links max-min fairly.
//!
//! [`sharing`] knows links and flows, and nothing of processes; `engine` executes the steps of programs over it. What several
//! share evenly, be it a link, the cores of a device or a storage, is a `pool`.

mod engine;
mod pool;
mod rails;
mod requests;
pub mod sharing;

pub use engine::engine;
