//! The run-time library in programs that a C or C++ compiler has made.
#![expect(clippy::print_stderr, reason = "a test that cannot run here says so")]

mod files;
mod memory;
mod metrics;
mod mpi;
mod samples;
mod support;
mod threads;
