//! Finite Markov chains given as a matrix: strongly connected components, closed classes with their weights and periods,
//! elimination without subtraction, and the law in the long run.

mod classes;
mod components;
mod elimination;
mod long_run;

pub use classes::ClassOf;
pub(crate) use classes::{Classes, Matrix, Only, divisor};
pub(crate) use components::components;
pub(crate) use elimination::MOST_DENSE;
pub(crate) use long_run::LongRun;
