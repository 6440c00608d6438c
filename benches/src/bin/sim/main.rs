//! The simulator: schedules, programs of processes, shared links, labels, nodes; beside SimGrid where Debian ships it.
//!
//! ```text
//! cargo run --release -p runcast-benches --bin sim                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin sim -- --write     the same into docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin sim -- flows       one part: schedules, processes, flows, labels, nodes, accuracy
//! ```

mod accuracy;
mod flows;
mod labels;
mod nodes;
mod processes;
mod schedules;

use runcast_benches::page::{self, Part};

/// The parts of the section, by name.
const PARTS: [Part; 6] = [
    // First: a program that others have grown before hides what it takes, and what its children take.
    ("flows", flows::section),
    ("schedules", schedules::section),
    ("processes", processes::section),
    ("labels", labels::section),
    ("nodes", nodes::section),
    ("accuracy", accuracy::section),
];

fn main() -> Result<(), String> {
    page::run("sim", "Simulator", &PARTS)
}
