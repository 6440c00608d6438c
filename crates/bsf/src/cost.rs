//! The cost model: time, speedup and the scalability boundary of an algorithm from its costs.
//!
//! An iterative algorithm over a list of `l` elements: each iteration sends the approximation to every one of `K`
//! workers, maps and folds on them, collects the partial results and computes the next approximation on the master.
//! There are `K + 1` processes. With the times of [`Costs`],
//!
//! ```text
//! T(K) = comm(K) + fold(K) + work(K) + t_p
//! flat       comm = 2 (L - o) + K (2 o + t_s + t_r)     fold = (K-1) t_a
//! tree       comm = d (2 L + t_s + t_r)                 fold = (d-1) t_a          d = ceil(log2(K+1))
//! smooth     work = W/K                                                           [S, Eq. 8-10]
//! exact      work = W/K - t_a                                                     [S, Algorithm 2]
//! granular   work = ceil(l/K) W/l
//! a(K)  = T(1)/T(K)                                                               against one worker
//! K_max = sqrt(W / (2 o + t_s + t_r + t_a))                                       [S, Eq. 17]
//! ```
//!
//! | to | use |
//! |---|---|
//! | compute times, speedups and boundaries from times | [`Costs`] |
//! | derive the times from counts of operations and a machine | [`Counts`], [`Machine`], [`algorithm`] |
//! | compute intervals from uncertain times | [`CostModel`], [`Uncertain`], [`Draws`] |
//! | read and write files of costs | [`mod@file`] |
//!
//! # Errata of \[S\]
//!
//! - Erratum Eq. 7: it exceeds the exact schedule by `t_a (1 - 1/K)`, Eq. 9 by `t_a`. Eq. 9 is nevertheless exact
//!   where a worker folds its elements into an identity: hence commands show [`Form::Smooth`] first.
//! - Erratum Theorem 1: "extremum of (9)" means of Eq. 10, and it lies inside (1, inf) only if
//!   `W > 2L + t_s + t_r + t_a`: [`Costs::applicable`].
//! - Section 6 mentions "K_max = 0", which never occurs with positive times.
//! - Speedup in \[S\] is against a master with one worker, which flatters: hence [`Costs::speedup_serial`].

pub mod algorithm;
mod best;
mod boundary;
mod costs;
mod crossover;
mod draws;
mod error;
pub mod file;
mod form;
mod model;
mod time;
mod uncertain;

pub use algorithm::{Algorithm, Counts, Machine};
pub use best::Best;
pub use costs::{Costs, MOST_ELEMENTS, Times, Work};
pub use draws::{Draws, Interval};
pub use error::CostError;
pub use form::{Collective, Form};
pub use model::{CostModel, Source};
pub use time::tree_depth;
pub use uncertain::Uncertain;

#[cfg(test)]
mod tests;
