//! The adapter `pub.h` in real C programs, under each MPI of this machine.

mod support;

mod builds;
mod scenarios;
mod wrong;
