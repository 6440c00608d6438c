//! The wavefront chain: sizes and speeds of the solver, speed of the simulation, accuracy of rates and spreads.
//!
//! ```text
//! cargo run --release -p runcast-benches --bin wavefront                the section of docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin wavefront -- --write     the same into docs/benchmarks.md
//! cargo run --release -p runcast-benches --bin wavefront -- solver      one part: solver, simulation, rates, emulation
//! ```

mod emulation;
mod rates;
mod simulation;
mod solver;

use runcast_benches::page::{self, Part};

/// The parts of the section, by name.
const PARTS: [Part; 4] = [
    ("solver", solver::section),
    ("simulation", simulation::section),
    ("rates", rates::section),
    ("emulation", emulation::section),
];

fn main() -> Result<(), String> {
    page::run("wavefront", "Wavefront", &PARTS)
}
