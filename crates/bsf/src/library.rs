//! The skeleton as a library for C, C++ and Fortran: `libbsf.a` and `libbsf.so`, declared in `bsf.h`.
//!
//! The root of the crate `runcast-bsf-c`, which shares its sources with `runcast-bsf`.

pub mod c;
pub mod cost;
pub mod skeleton;
