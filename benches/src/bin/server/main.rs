//! The queue of the web application: tasks a second, and how much a long queue costs.
//!
//! ```text
//! cargo run --release -p runcast-benches --bin server                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin server -- --write     the same into docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin server -- depth       one part: tasks, depth
//! ```

mod depth;
mod load;
mod tasks;

use runcast_benches::page::{self, Part};

/// The parts of the section, by name.
const PARTS: [Part; 2] = [("tasks", tasks::section), ("depth", depth::section)];

fn main() -> Result<(), String> {
    page::run("server", "Queue of the web application", &PARTS)
}
