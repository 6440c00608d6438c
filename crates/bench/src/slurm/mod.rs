//! Runs as tasks of job arrays.
//!
//! Each array has a folder of its own in the spool: `task-I.json` says what task I is to run, `result-KEY.json` what
//! came of a run. The batch script calls runcast again, which measures inside the job exactly as it would outside
//! ([`run_task`]); so nothing but `sbatch`, `squeue`, `scancel` and a shared file system is needed, no accounting.
//!
//! The journal knows an array by its name *before* it is submitted, and Slurm knows the same name: whatever moment a
//! benchmark is killed at, the next one finds its jobs again, collects what they did, and submits nothing twice.

pub mod jobs;
mod queue;
mod spool;
mod watch;

pub use spool::run_task;
pub(crate) use watch::run;
