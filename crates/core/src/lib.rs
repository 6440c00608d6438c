//! The vocabulary that every method of runcast shares.
//!
//! A **table** of runs ([`table`]) gets **roles** ([`roles`]) and is split into **series** ([`series`]); a method
//! turns series into **models** ([`model`]) and these into **predictions** ([`prediction`]), which are compared with
//! runs by the same **error measures** ([`accuracy`]) for every method. A **plan** ([`plan`]) says which
//! configurations to run.
//!
//! This crate does no I/O beyond reading and writing tables and documents from given readers and writers. It knows no
//! command line, HTTP, MPI or database.

pub mod accuracy;
pub mod comparison;
pub mod configuration;
pub mod evaluation;
pub mod hash;
pub mod import;
pub mod json;
pub mod metric;
pub mod model;
pub mod numeric;
pub mod plan;
pub mod prediction;
pub mod problem;
pub mod random;
pub mod ranges;
pub mod roles;
pub mod series;
mod spelling;
pub mod table;
pub mod toml;
pub mod words;

pub use configuration::{Configuration, Group};
pub use metric::{Direction, Metric};
pub use numeric::statistics;
pub use prediction::Prediction;
pub use problem::{Problem, Problems, Warning};
pub use series::{Point, Series};
pub use table::Table;
