//! Iterative algorithms on machines shared with others: how long a phase takes, synchronous or asynchronous, and how
//! sure that is.
//!
//! Processes iterate on pieces of one vector and wait for each other's pieces once a phase. Given the law of the time of
//! an update and of a message, the offsets of the processes at the starts of phases (the **wavefront**) are a finite
//! Markov chain; [`model`] says which.
//!
//! Source: H. Casanova, M. G. Thomason, J. J. Dongarra, *Stochastic performance prediction for iterative algorithms in
//! distributed environments*, J. Parallel Distrib. Comput. 58(1), 1999, cited as \[C\]; resting on G. Baudet,
//! *Asynchronous iterative methods for multiprocessors*, J. ACM 25(2), 1978.

pub mod bound;
pub mod cases;
pub mod chain;
pub mod constant;
pub mod growth;
pub mod law;
pub mod lump;
pub mod model;
pub mod operator;
pub mod phase;
pub mod rates;
pub mod run;
pub mod sample;
pub mod sensitivity;
pub mod simulate;
pub mod solution;
pub mod solve;
mod stages;
pub mod tensor;
pub mod time;

#[cfg(test)]
mod oracle;

pub use law::Law;
pub use model::Model;
pub use operator::Operator;
pub use solution::Solution;
