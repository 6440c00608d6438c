//! Programs in C, C++ and Fortran on the skeleton, with the compilers that are here.

mod layout;
mod programs;
mod support;
