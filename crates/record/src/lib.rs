//! What a run of an MPI program leaves behind: a *recording*.
//!
//! For each thread of each rank a recording holds the MPI calls in order, folded into loops ([`tree`], [`fold`]), the
//! fields of these calls as streams of integers ([`stream`]), and statistics of the processor time between them
//! ([`stat`]). [`mod@file`] reads and writes one, [`join()`] makes one of the files of all ranks, in which ranks that do the
//! same share a tree. [`dump`] shows it as text.
//!
//! The crate reads and writes bytes that it is given. It starts no program, and neither simulates nor fits.

pub mod builder;
pub mod container;
mod crc;
pub mod dump;
pub mod factors;
pub mod file;
pub mod fold;
pub mod foreign;
pub mod formula;
pub mod join;
pub mod learn;
pub mod meta;
pub mod recording;
pub mod stat;
pub mod stream;
pub mod symbols;
pub mod tables;
pub mod timeline;
pub mod tree;
pub mod trend;
pub mod turns;
pub mod vocabulary;
pub mod walk;
mod wire;

pub use file::{read, write};
pub use join::join;
pub use recording::{Program, Recording};
