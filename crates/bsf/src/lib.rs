//! Iterative algorithms as Map and Reduce over a list: how many workers they can use, and a skeleton that runs them.
//!
//! The **cost model** ([`cost`]) turns counts of operations and messages, or measured times, into time, speedup and
//! the scalability boundary, before a line is written. The **skeleton** ([`skeleton`]) runs an algorithm of some 30
//! lines on one core, on threads or under MPI, and times its phases. [`fit`] fits the model to measured times over
//! worker counts, [`pieces`] composes times from measured messages and blocks. [`programs`] are ready to run, on loops as fast as
//! the memory ([`kernels`]).
//!
//! Source: L. B. Sokolinsky, *BSF: a parallel computation model for scalability estimation of iterative numerical
//! algorithms on cluster computing systems*, J. Parallel Distrib. Comput. 149 (2021), cited as \[S\].

mod candidates;
pub mod cost;
pub mod fit;
pub mod kernels;
pub mod pieces;
pub mod programs;
pub mod skeleton;
mod text;

/// The guide, whose code is tested.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/bsf-skeleton.md")]
struct Guide;
