//! Benchmarks and accuracy tables of runcast.

pub mod advised_runs;
pub mod dense_plans;
pub mod joint;
pub mod outcome;
pub mod page;
pub mod random;
pub mod ranges;
pub mod real_runs;
pub mod strangers;
pub mod synthetic;
