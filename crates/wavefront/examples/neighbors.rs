//! An operator of one's own: the temperature of a square plate, one edge of which is warm, by rows of the plate.
//!
//! ```text
//! cargo run --release -p runcast-wavefront --example neighbors           synchronous, then with up to 2 updates more
//! mpirun -n 3 target/release/examples/neighbors                          on ranks, where built with --features mpi
//! ```
#![expect(clippy::print_stdout, reason = "a program whose result is its output")]

use runcast_wavefront::model::operator::{Operator, Rate};
use runcast_wavefront::run::{FixedPoint, Measured, Poll, Recording, RunError, Settings, Span, Updated};
use std::ops::Range;

/// Rows and columns inside the edges.
const SIDE: usize = 24;
const PROCESSES: usize = 3;
const PHASES: u64 = 400;

/// Every point becomes the mean of its four neighbors.
struct Plate {
    fixed_point: Vec<f64>,
}

impl Plate {
    /// Without a formula for it, the fixed point is what many sweeps over the whole plate come to.
    fn new() -> Self {
        let mut vector = vec![0.0; SIDE * SIDE];
        for _ in 0..4 * SIDE * SIDE {
            (0..vector.len()).for_each(|point| vector[point] = Plate::mean(point, &vector));
        }
        Plate { fixed_point: vector }
    }

    /// The points of a process: some rows of the plate.
    fn points(piece: usize) -> Range<usize> {
        let row = |piece: usize| piece * SIDE / PROCESSES;
        row(piece) * SIDE..row(piece + 1) * SIDE
    }

    /// The neighbors of a point inside the plate.
    fn neighbors(point: usize) -> impl Iterator<Item = usize> {
        let (row, column) = (point / SIDE, point % SIDE);
        let above = (row > 0).then(|| point - SIDE);
        let below = (row + 1 < SIDE).then_some(point + SIDE);
        let left = (column > 0).then(|| point - 1);
        let right = (column + 1 < SIDE).then_some(point + 1);
        [above, below, left, right].into_iter().flatten()
    }

    fn mean(point: usize, vector: &[f64]) -> f64 {
        let warm = if point < SIDE { 1.0 } else { 0.0 };
        (warm + Plate::neighbors(point).map(|neighbor| vector[neighbor]).sum::<f64>()) / 4.0
    }
}

impl FixedPoint for Plate {
    fn dimension(&self) -> usize {
        SIDE * SIDE
    }

    fn pieces(&self) -> Vec<Vec<usize>> {
        (0..PROCESSES).map(|piece| Plate::points(piece).collect()).collect()
    }

    fn update(&self, piece: usize, vector: &[f64], new: &mut [f64], poll: &mut Poll<'_>) -> Updated {
        for (number, point) in new.iter_mut().zip(Plate::points(piece)) {
            // Once a row of the plate is often enough: that is less than a microsecond.
            if point % SIDE == 0 && poll.is_over() {
                return Updated::GivenUp;
            }
            *number = Plate::mean(point, vector);
        }
        Updated::Done
    }

    fn polls(&self) -> bool {
        true
    }

    fn fixed_point(&self) -> Option<Vec<f64>> {
        Some(self.fixed_point.clone())
    }

    fn bound(&self) -> Option<Operator> {
        let row = |point: usize| Plate::neighbors(point).map(|neighbor| (neighbor, 0.25)).collect();
        let owners = (0..PROCESSES).flat_map(|piece| Plate::points(piece).map(move |_| piece));
        // The spectral radius of this matrix is cos(pi / (SIDE + 1)).
        let angle = std::f64::consts::PI / (SIDE + 1) as f64;
        Some(Operator {
            rows: (0..self.dimension()).map(row).collect(),
            owner: owners.collect(),
            gap: 1.0 - angle.cos(),
            rate: Rate::Auto,
        })
    }
}

fn main() -> Result<(), RunError> {
    let plate = Plate::new();
    let mut run = runner()?;
    for beta in [0, 2] {
        let settings = Settings { updates: vec![(1, beta); PROCESSES], phases: PHASES, ..Settings::default() };
        // Of ranks, the first one has the recording.
        if let Some(recording) = run(&plate, &settings)? {
            println!("{}", told(&recording, beta));
        }
    }
    Ok(())
}

type Runner = Box<dyn FnMut(&Plate, &Settings) -> Result<Option<Recording>, RunError>>;

#[cfg(feature = "mpi")]
fn runner() -> Result<Runner, RunError> {
    let session = runcast_wavefront::run::mpi::Session::open()?;
    if session.size() == 1 {
        // Nobody has started ranks.
        return on_threads();
    }
    Ok(Box::new(move |plate, settings| session.run(plate, settings).map(|ran| ran.recording)))
}

#[cfg(not(feature = "mpi"))]
fn runner() -> Result<Runner, RunError> {
    on_threads()
}

fn on_threads() -> Result<Runner, RunError> {
    Ok(Box::new(|plate, settings| runcast_wavefront::run::threads(plate, settings).map(Some)))
}

fn told(recording: &Recording, beta: u32) -> String {
    let mut adding = Measured::adding(PROCESSES, Span::All, 1e-6);
    adding.add(recording);
    let Some(measured) = adding.end() else { return "no phase".to_owned() };
    let (phase_us, iterations) = (1e6 * measured.phase_mean_s, measured.iterations_mean);
    let rate = measured.rate_per_phase.unwrap_or(0.0);
    format!("B = {beta}: {phase_us:.1} us a phase, {iterations:.2} iterations and {rate:.5} digits in it")
}
