//! MPI: the ranks of an MPI program as master and workers (feature `mpi`).
//!
//! Queries about MPI are available in every build, so that a program built without it can say so; the parts that use
//! MPI (`Session`, and the link of the skeleton) only with the feature. Section numbers are those of the MPI standard,
//! version 4.0.

#[cfg(feature = "mpi")]
mod link;
#[cfg(feature = "mpi")]
mod pause;
#[cfg(feature = "mpi")]
mod session;
#[cfg(all(test, feature = "mpi"))]
mod tests;
mod world;

#[cfg(feature = "mpi")]
pub(in crate::skeleton) use link::MpiLink;
#[cfg(feature = "mpi")]
pub use session::Session;
pub use world::{MpiFamily, World, under_launcher};

/// The MPI library that this program is linked with, such as `Open MPI v4.1.4` or `MPICH 4.0.2`; none without the
/// feature `mpi`. May be asked before MPI is initialized.
///
/// # Standard section(s)
/// 9.1.1
pub fn library_version() -> Option<String> {
    #[cfg(feature = "mpi")]
    return mpi::environment::library_version().ok().map(|text| world::short_version(&text));
    #[cfg(not(feature = "mpi"))]
    return None;
}

/// The family of the MPI library that this program is linked with; none without the feature `mpi`.
pub fn library_family() -> Option<MpiFamily> {
    library_version().map(|version| MpiFamily::of_version(&version))
}
