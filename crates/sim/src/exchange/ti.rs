//! SimGrid time-independent traces: what each rank of an MPI program computed, sent and received, without times.
//!
//! ```text
//! 0 init
//! 0 compute 1e9
//! 0 send 1 0 1000 2
//! 1 recv 0 0 1000 2
//! 0 finalize
//! ```
//!
//! Source: F. Desprez, G. Markomanolis, M. Quinson, F. Suter, *Assessing the performance of MPI applications through
//! time-independent trace replay*, ICPP workshops 2011; format as of SimGrid 3.32.

mod parse;
mod write;

pub use parse::{Parsed, Text, is_list, parse};
pub use write::{Exported, export};

/// Sizes in bytes of the types of data, by number: double, int, char, short, long, float, byte, long long, two more chars,
/// unsigned short, unsigned, unsigned long.
const TYPE_SIZES: [u64; 13] = [8, 4, 1, 2, 8, 4, 1, 8, 1, 1, 2, 4, 8];
/// The type of a number of bytes.
const BYTE: u32 = 6;
