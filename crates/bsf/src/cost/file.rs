//! Files of costs: what `runcast bsf predict` reads and `runcast bsf calibrate` writes.
//!
//! ```toml
//! algorithm = "counts"          # jacobi, cimmino, gravity (these with size = 1500), counts or times
//! level = 0.9                   # of the intervals in this file
//! parameters = { N = 2000 }     # names for the formulas of counts
//! counts = { list_length = "N", send = "N", map = "3*N^2", fold = "N", receive = "N", compute = "4*N + 10" }
//! [machine]
//! latency = "15us"
//! overhead = "2us"              # optional
//! op_time = "29ns"
//! transfer_time = { value = "190ns", low = "150ns", high = "240ns" }
//! ```
//!
//! With `algorithm = "times"` the table `[times]` has `list_length`, `latency`, `send`, `work` or `map`, `fold`,
//! `receive`, `compute`, and `overhead` if it is known. [`KEYS`] lists all keys; each is also an option, which takes
//! precedence over the file. The tables `origin` and `messages` are for readers and other commands, and are ignored.

mod amount;
mod choice;
mod given;
mod keys;
mod lookup;
mod parameters;
mod read;
mod resolve;
mod source;
mod spec;
mod times_file;

pub use keys::{KEYS, Key};
pub use spec::{CostSpec, Described};
pub use times_file::TimesFile;
