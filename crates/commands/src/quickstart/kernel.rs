//! The program that `quickstart` measures: a fixed-point iteration, bound by arithmetic, and a sweep over arrays, bound
//! by memory. Both are shared out over threads.
//!
//! ```text
//! iteration   x_i <- (1 - sum_j x_j / (1 + (i - j)^2)) / 4,  0 < |i - j| <= 64 log2(N),  5 times    640 N log2(N) terms
//! sweep       b_k <- b_k / 2 + a_k  over 32,768 N values, round and round in two arrays of 16 MiB   bound by memory
//! ```
//!
//! The sums of the matrix' rows beside the diagonal stay below 2.16, so the iteration converges. The work grows slowly
//! enough that the smallest run is long enough to be measured, and the largest short enough to be waited for.

use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use clap::Args;
use std::hint::black_box;
use std::time::Instant;

/// Arguments of the measured program.
#[derive(Debug, Clone, PartialEq, Args)]
pub struct KernelArgs {
    /// Threads
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: u16,
    /// Unknowns of the iteration
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000_000), hide_short_help = true)]
    pub size: u32,
}

/// How far a row of the matrix reaches, in binary logarithms of the size.
const REACH: f64 = 64.0;
/// How often the iteration is repeated.
const ITERATIONS: usize = 5;
/// Values of an array that is swept over: 16 MiB.
const WINDOW: usize = 4 << 20;
/// Values that are swept over for each unknown.
pub(super) const VALUES_PER_UNKNOWN: usize = 32_768;

/// The figures that `bench` picks out of what the program prints.
pub const FIGURES: [&str; 2] = ["iteration_s=^iteration: ([0-9.e+-]+) s", "sweep_s=^sweep: ([0-9.e+-]+) s"];

/// Runs both and tells how long each took.
///
/// # Errors
/// None.
pub fn run(args: &KernelArgs, _: &mut Context) -> Result<Output, Failure> {
    let (size, threads) = (args.size as usize, usize::from(args.threads));
    let (iteration_s, change) = iterate(size, threads);
    let (sweep_s, sum) = sweep(size * VALUES_PER_UNKNOWN, threads);
    let text =
        format!("iteration: {iteration_s} s, last change {change:.3e}\nsweep: {sweep_s} s, checksum {sum:.6e}\n");
    Ok(Output::default().human(text))
}

/// Time of the iteration, and how much its last step changed.
pub(super) fn iterate(size: usize, threads: usize) -> (f64, f64) {
    let mut now = vec![0.0; size];
    let mut next = vec![0.0; size];
    let rows = size.div_ceil(threads);
    let start = Instant::now();
    for _ in 0..ITERATIONS {
        std::thread::scope(|scope| {
            let now = &now;
            let mut parts = next.chunks_mut(rows).enumerate();
            let first = parts.next();
            for (part, next) in parts {
                scope.spawn(move || step(now, next, part * rows));
            }
            // This thread is one of them.
            if let Some((_, next)) = first {
                step(now, next, 0);
            }
        });
        std::mem::swap(&mut now, &mut next);
    }
    let seconds = start.elapsed().as_secs_f64();
    (seconds, now.iter().zip(&next).map(|(a, b): (&f64, &f64)| (a - b).abs()).fold(0.0, f64::max))
}

/// One step for the rows from `first` on.
fn step(now: &[f64], next: &mut [f64], first: usize) {
    let reach = (REACH * (now.len() as f64).log2()) as usize;
    for (row, next) in next.iter_mut().enumerate() {
        let i = first + row;
        let from = i.saturating_sub(reach);
        let mut sum = 0.0;
        let mut distance = from as f64 - i as f64;
        for x in now.iter().skip(from).take(i + reach + 1 - from) {
            sum += x / (1.0 + distance * distance);
            distance += 1.0;
        }
        let own = now.get(i).copied().unwrap_or(0.0);
        *next = 0.25 * (1.0 - (sum - own));
    }
}

/// Time of sweeping over so many values, and a checksum.
pub(super) fn sweep(values: usize, threads: usize) -> (f64, f64) {
    let a = vec![1.0_f32; WINDOW];
    let mut b = vec![0.5_f32; WINDOW];
    let part = WINDOW.div_ceil(threads);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let mut parts = b.chunks_mut(part).zip(a.chunks(part));
        let first = parts.next();
        for (b, a) in parts {
            scope.spawn(move || passes(a, b, values));
        }
        if let Some((b, a)) = first {
            passes(a, b, values);
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    (seconds, b.iter().step_by(1021).map(|value| f64::from(*value)).sum())
}

/// The share that one part of the arrays has in sweeping over `values`.
fn passes(a: &[f32], b: &mut [f32], values: usize) {
    let pass = |a: &[f32], b: &mut [f32]| {
        for (b, a) in b.iter_mut().zip(a) {
            *b = 0.5 * *b + a;
        }
        black_box(b);
    };
    for _ in 0..values / WINDOW {
        pass(a, b);
    }
    let rest = (values % WINDOW) * b.len() / WINDOW;
    pass(&a[..rest], &mut b[..rest]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_iteration_converges_and_threads_do_not_matter() {
        let (_, change) = iterate(50, 1);
        assert!(change < 0.1);
        for threads in [2, 3, 7, 64] {
            assert_eq!(iterate(50, threads).1, change, "{threads} threads");
        }
    }

    #[test]
    fn the_sweep_does_its_share_with_any_number_of_threads() {
        let sum = sweep(2 * WINDOW, 1).1;
        for threads in [2, 4, 8] {
            assert_eq!(sweep(2 * WINDOW, threads).1, sum, "{threads} threads");
        }
    }
}
