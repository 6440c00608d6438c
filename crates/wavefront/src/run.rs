//! Real iterations: processes that update their pieces, send them to each other and wait, synchronously or not.
//!
//! [`FixedPoint`] is what a user writes; [`Linear`] and [`Gradient`] come with it. Every process goes through the same
//! phases: A updates, a broadcast, further updates while it waits. Nothing is reduced over the processes
//! on the way, which would synchronize them: the number of phases is fixed, and errors are combined afterwards.
//!
//! ```text
//! threads()      processes are threads; messages go through slots in memory
//! mpi::run()     processes are ranks of MPI (feature `mpi`)
//! ```
//!
//! With [`Pace::Emulated`] the times are drawn from a model: updates sleep, messages are delivered at a stamped time. So
//! a prediction can be held against a real run whose laws are known.

mod csv;
mod emulate;
mod error;
mod fixed_point;
mod gradient;
mod laws;
mod linear;
mod link;
mod measured;
pub mod mpi;
mod process;
mod reached;
mod record;
mod settings;
mod threads;

pub use csv::{MESSAGES_HEADER, Names, PHASES_HEADER, UPDATES_HEADER, messages, phases, updates};
pub use error::RunError;
pub use fixed_point::{FixedPoint, Poll, Updated};
pub use gradient::Gradient;
pub use laws::{Laws, NotEnough};
pub use linear::Linear;
pub use measured::{Adding, Measured, Span};
pub use reached::{Reached, initial_error};
pub use record::{Message, Overshoot, Phase, Recording, Rows, Update};
pub use settings::{Pace, Settings};
pub use threads::threads;

#[cfg(test)]
mod tests;

/// The guide, whose code is tested as it is there.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/wavefront-run.md")]
struct Guide;
