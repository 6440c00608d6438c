//! GOAL: schedules as text, read and written.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: send 8b to 1 tag 0 cpu 0 nic 0
//! l2: calc 100
//! l2 requires l1
//! }
//! rank 1 {
//! recv 8b from 0
//! }
//! ```
//!
//! Comments are `//` and `/* */`; options stand in any order; -1 is any source or any tag of a receive; a tag that is not given
//! is 0. Source: T. Hoefler, C. Siebert, A. Lumsdaine, *Group Operation Assembly Language*, ICPP 2009.

mod export;
mod parse;
mod write;

pub use export::{Exported, export};
pub use parse::{Parsed, line_of, parse};
pub use write::write;
