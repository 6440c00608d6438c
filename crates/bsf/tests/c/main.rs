//! Programs in C, C++ and Fortran on the skeleton, with the compilers that are here.
#![expect(clippy::print_stderr, reason = "tests say what they leave out")]

mod layout;
mod programs;
mod support;
