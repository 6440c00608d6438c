//! Processes as ranks of MPI (feature `mpi`). Section numbers are those of the MPI standard, version 4.0.
//!
//! ```no_run
//! # #[cfg(feature = "mpi")] {
//! use runcast_wavefront::run::mpi::Session;
//! use runcast_wavefront::run::{Linear, Settings};
//! let session = Session::open()?;
//! let operator = Linear::uniform(0.9, &vec![10; session.size()]);
//! let settings = Settings { updates: vec![(1, 1); session.size()], ..Settings::default() };
//! if let Some(recording) = session.run(&operator, &settings)?.recording {
//!     println!("rank 0 has all {} phases", recording.phases());
//! }
//! # }
//! # Ok::<(), runcast_wavefront::run::RunError>(())
//! ```

#[cfg(feature = "mpi")]
mod clock;
#[cfg(feature = "mpi")]
mod gather;
#[cfg(feature = "mpi")]
mod ranks;
#[cfg(feature = "mpi")]
mod session;
#[cfg(feature = "mpi")]
mod slot;
#[cfg(all(test, feature = "mpi"))]
mod tests;

#[cfg(feature = "mpi")]
pub use session::{Ran, Session};
