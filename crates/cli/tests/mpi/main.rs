//! `runcast bsf run --backend mpi` and `wavefront run` from the command line, with Open MPI and with MPICH.
//!
//! `RUNCAST_OPENMPI` and `RUNCAST_MPICH` name the two programs, which `.ci/mpi` builds. The number of rounds of the
//! tests that kill is in `RUNCAST_KILL_ROUNDS` (default 3).
#![expect(clippy::print_stderr, reason = "whoever runs the tests without MPI should know")]

mod calibrate;
mod digests;
mod idle;
mod kill;
mod ranks;
mod slurm;
mod stop;
mod support;
mod usage;
mod wavefront;
mod wavefront_sample;
