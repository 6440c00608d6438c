//! CALL and OBSP*: what instrumentation costs, what segmentation finds, how fast the parts are.
//!
//! ```text
//! cargo run --release -p runcast-benches --bin call                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin call -- --write     the same into docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin call -- overhead    one part: overhead, values, segments, translate, load, supersteps
//! ```

mod load;
mod overhead;
mod segments;
mod supersteps;
mod translate;
mod values;

use runcast_benches::page::{self, Part};

/// The parts of the section, by name.
const PARTS: [Part; 6] = [
    ("overhead", overhead::section),
    ("values", values::section),
    ("segments", segments::section),
    ("translate", translate::section),
    ("load", load::section),
    ("supersteps", supersteps::section),
];

fn main() -> Result<(), String> {
    page::run("call", "CALL and OBSP*", &PARTS)
}
