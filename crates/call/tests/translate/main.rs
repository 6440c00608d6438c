//! Annotated sources through the translator and real compilers: a program does what it did before, and records.

mod clauses;
mod cpp;
mod exits;
mod hidden;
mod jumps;
mod lines;
mod names;
mod nesting;
mod parallel;
mod properties;
mod statements;
mod support;
