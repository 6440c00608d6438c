//! Runs programs over a plan, locally, under an MPI launcher or under Slurm, into a table.
//!
//! A [`Bench`] takes a **plan**, a command **template** ([`Template`]) and a **launcher** ([`Launcher`]) and makes
//! every run of the plan, repetitions interleaved in a seeded random order ([`order`]). Each run is started and
//! watched by [`Supervised`], the one place in runcast where programs are launched.
//!
//! Two files come of it: the **table**, ready for `runcast fit`, and beside it the **journal**
//! (`runs.csv.bench.jsonl`), which also holds the machine, the environment and why runs failed. A run that has ended
//! is on disk in both before the next one starts; the same command resumes an interrupted benchmark.
//!
//! | to | use |
//! |---|---|
//! | run a plan | [`Bench::run`] |
//! | start and watch any program | [`Supervised`] |
//! | run one as if we were not there | [`plain`] |
//! | know which of several processes ends first | [`Ends`] |
//! | know the machine | [`Machine::observe`] |
//! | read what a benchmark recorded | [`journal::read`] |
//! | make one run inside a job | [`slurm::run_task`] |
//!
//! # Invariants
//!
//! - No program started here outlives its run, even if this process is killed (Linux).
//! - Nothing is printed: progress goes to an [`Observer`].
//! - Runs that fail are recorded, never dropped.

#![cfg_attr(test, allow(clippy::cast_possible_truncation, reason = "small numbers"))]

mod bench;
mod clock;
mod ends;
mod error;
mod figures;
pub mod journal;
mod launcher;
mod machine;
mod measure;
mod observer;
pub mod order;
pub mod plain;
mod roles;
mod session;
pub mod slurm;
mod store;
pub mod supervise;
mod sys;
pub mod template;

pub use bench::{Bench, Options, Outcome};
pub use clock::now_text;
pub use ends::Ends;
pub use error::BenchError;
pub use figures::{Choice, Figure, FigureRecord};
pub use launcher::{Launcher, MpiFamily, Mpirun, Slurm, Step, find_program};
pub use machine::Machine;
pub use measure::Measured;
pub use observer::{Event, Observer};
pub use store::journal_path;
pub use supervise::Supervised;
pub use template::Template;
