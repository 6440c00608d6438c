//! Archives (zip): read with distrust, and written so that the same files give the same bytes.
//!
//! # Invariants
//! - Nothing is stored before every entry is known to be harmless: its path, that it is a plain file, that no two
//!   entries differ by case only, and how long it really is.

mod read;
mod write;

pub use read::{MOST_BYTES, MOST_ENTRIES, Refused, read};
pub use write::Writer;
