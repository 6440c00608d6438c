//! Benchmarks of small programs, from outside: what is in the files after whatever happened.

#![expect(clippy::print_stderr, reason = "a test that did not run must say so")]

mod child;
mod kill;
mod local;
mod mpirun;
mod slurm;
mod slurm_cluster;
mod support;
