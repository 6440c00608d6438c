//! Loop nests of C and C++, and what their bounds say of their complexity: candidates for pragmas.
//!
//! The scanner of the translator reads tokens, no types: what a bound means is taken from how it is written. Where that is
//! not enough, the nest has no size, and a reason in its place.

mod bound;
mod count;
mod growth;
mod nest;
mod patch;
mod size;
mod trips;

pub use count::{COUNT_HEADER, counted};
pub use growth::{Counts, Growth};
pub use nest::{Nest, nests};
pub use patch::{Placed, patch, with_pragmas};
pub use size::Size;
