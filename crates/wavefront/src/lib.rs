//! Iterative algorithms on machines shared with others: how long a phase takes, synchronous or asynchronous, and how
//! sure that is.
//!
//! Processes iterate on pieces of one vector and wait for each other's pieces once per phase. Given the law of the time of
//! an update and of a message, the offsets of the processes at the starts of phases (the **wavefront**) are a finite
//! Markov chain; [`model`] says which.
//!
//! ```text
//! markov     finite chains given as a matrix: classes, elimination, the long run
//! model      the model file, laws on a lattice, the operator of the iteration
//! solve      from a model to numbers: the chain, its moments, rates, the law of the time, the critical path
//! simulate   the same numbers by drawing times
//! level      a slowdown that processes share, and the time of a run under it
//! sample     measures updates and messages on real machines, and makes a model of them
//! run        a real iteration on threads or under MPI, held against its prediction
//! ```
//!
//! Source: H. Casanova, M. G. Thomason, J. J. Dongarra, *Stochastic performance prediction for iterative algorithms in
//! distributed environments*, J. Parallel Distrib. Comput. 58(1), 1999, cited as \[C\]; resting on G. Baudet,
//! *Asynchronous iterative methods for multiprocessors*, J. ACM 25(2), 1978.

pub mod cases;
pub mod level;
mod markov;
pub mod model;
pub mod run;
pub mod sample;
pub mod simulate;
pub mod solve;

pub use model::{Law, Model, Operator};
pub use solve::Solution;
