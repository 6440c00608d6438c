//! The method of Jacobi on the skeleton, as the guide builds it: `cargo run --release --example jacobi -- threads 4`.
//!
//! Under MPI: `cargo build --release -p runcast-bsf --features mpi --example jacobi`, then
//! `mpirun -n 5 target/release/examples/jacobi mpi`.

#![allow(clippy::print_stdout, reason = "a program for people")]

use runcast_bsf::kernels::add_columns;
use runcast_bsf::skeleton::{Algorithm, Backend, Outcome, RunOptions, run};
use runcast_bsf::skeleton::{Element, Iteration, Job, JobError, Presence, Step};
use std::error::Error;
use std::ops::Range;

// The system: ones, and n + i on the diagonal; all unknowns are 1.

fn c(i: u64, j: u64, n: u64) -> f64 {
    if i == j { 0.0 } else { -1.0 / (n + i + 1) as f64 }
}

fn d(i: u64, n: u64) -> f64 {
    (2 * n + i) as f64 / (n + i + 1) as f64
}

// The problem: x' = C x + d, until a step is short.

struct Jacobi {
    n: u64,
    epsilon: f64,
}

impl Job for Jacobi {
    type Approximation = Vec<f64>;
    type Block = Vec<f64>;
    type Partial = Vec<f64>;
    fn list_length(&self) -> u64 {
        self.n
    }
    fn set_up(&self, columns: Range<u64>) -> Result<Vec<f64>, JobError> {
        Ok((columns.start * self.n..columns.end * self.n).map(|k| c(k % self.n, k / self.n, self.n)).collect())
    }
    fn identity(&self) -> Vec<f64> {
        vec![0.0; self.n as usize]
    }
    fn map_fold(&self, at: Element<'_, Vec<f64>>, x: &Vec<f64>, sum: &mut Vec<f64>) -> Result<Presence, JobError> {
        add_columns(sum, &at.block[at.offset * x.len()..][..x.len()], &[x[at.index as usize]]);
        Ok(Presence::Present)
    }
    fn combine(&self, left: &mut Vec<f64>, right: &Vec<f64>) {
        left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    }
    fn compute(&self, x: &mut Vec<f64>, sum: &Vec<f64>, _: &Iteration) -> Result<Step, JobError> {
        let next: Vec<f64> = sum.iter().zip(0..).map(|(sum, i)| sum + d(i, self.n)).collect();
        let step = std::mem::replace(x, next).iter().zip(&*x).map(|(old, new)| (new - old).powi(2)).sum::<f64>().sqrt();
        Ok(Step::converged_if(step < self.epsilon).with_norm(step))
    }
}

// The run: the same problem on every backend.

/// Runs it from the first approximation d.
pub fn solve(n: u64, options: &RunOptions) -> Result<Option<Outcome<Vec<f64>>>, Box<dyn Error>> {
    let first = (0..n).map(|i| d(i, n)).collect();
    let algorithm = Algorithm::new("jacobi", first).parameters(&format!("n = {n}")).job(Jacobi { n, epsilon: 1e-9 });
    Ok(run(algorithm, options)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let backend = match arguments.next().as_deref() {
        None | Some("serial") => Backend::Serial,
        Some("threads") => Backend::Threads,
        Some("mpi") => Backend::Mpi,
        Some(other) => return Err(format!("{other}: serial, threads or mpi are allowed").into()),
    };
    // Under MPI the launcher says how many.
    let workers = arguments.next().map_or(Ok(usize::from(backend != Backend::Mpi)), |workers| workers.parse())?;
    let options = RunOptions { backend, workers, ..RunOptions::default() };
    if let Some(outcome) = solve(1500, &options)? {
        let error = outcome.approximation.iter().fold(0.0, |most: f64, x| most.max((x - 1.0).abs()));
        println!("{} after {} iterations, largest error {error:.1e}", outcome.status.name(), outcome.iterations);
    }
    Ok(())
}
