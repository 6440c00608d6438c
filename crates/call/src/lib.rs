//! CALL and OBSP*: the cost of a program, from formulas annotated in its source.
//!
//! | module | does |
//! |---|---|
//! | [`bsp`] | calculates programs of supersteps, with barriers (BSP) and with oblivious synchronization (OBSP*) |
//! | [`compiler`] | reads command lines of compilers, for the wrapper of `runcast cll cc` |
//! | [`translate`] | turns annotated C and C++ into programs that record variables and times |
//! | [`trace`] | reads the traces of such programs |
//! | [`piecewise`] | finds the constants of a formula, and the range in which each is valid |
//!
//! Source: Gonzalez, Leon, Piccoli, Printista, Roda, Rodriguez, Rodriguez, Sande: *Analysis and Tools for Performance
//! Prediction* (2001), "the paper" in what follows.

pub mod bsp;
pub mod compiler;
pub mod loops;
pub mod piecewise;
pub mod trace;
pub mod translate;
