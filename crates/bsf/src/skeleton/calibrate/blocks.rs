//! Times of map and fold over the size of a block.

use super::pulse::Pulse;
use super::sample::{Estimate, Sample};
use crate::cost::Collective;
use crate::skeleton::error::RunError;
use crate::skeleton::fleet::Fleet;
use crate::skeleton::lane::{Jobs, Order, Shape};
use crate::skeleton::serial::Serial;
use crate::skeleton::times::Phase;
use std::time::{Duration, Instant};

/// Blocks are those of the first of so many workers.
const WORKERS: [usize; 12] = [64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1];
/// Each is mapped and folded so many times at least, and for so long.
const PASSES: usize = 5;
const TIME: Duration = Duration::from_millis(100);
/// Below this, reading the CPU clock would dominate the measurement.
const SHORT_S: f64 = 10e-6;

/// Elements and CPU time \[s\] of growing blocks of the first job, by a worker in this thread. A block is mapped again and
/// again, as in a run: it stays in the caches that it fits into.
pub(super) fn measure<X: Clone>(
    jobs: &Jobs<'_, X>,
    first: &X,
    threads: usize,
    fleet: &mut dyn Fleet<X>,
    pulse: &mut Pulse<'_>,
) -> Result<Vec<(u64, Estimate)>, RunError> {
    let length = jobs[0].list_length();
    let mut blocks: Vec<(u64, Estimate)> = Vec::new();
    for workers in WORKERS.into_iter().filter(|workers| *workers as u64 <= length) {
        let elements = length.div_ceil(workers as u64);
        if blocks.last().is_some_and(|(known, _)| *known == elements) {
            continue;
        }
        let shape = Shape { workers, threads, on_grid: false };
        let mut block = Serial::set_up(jobs, first.clone(), shape, 1..2)?;
        let (mut times, start) = (Vec::new(), Instant::now());
        // The first pass faults pages in.
        for pass in 0.. {
            pulse.beat(fleet)?;
            block.iterate(&Order { iteration: pass, job: 0, collective: Collective::Flat, with_cpu: true })?;
            let spent = block.times()[1];
            let (wall_s, cpu_s) = (spent.wall(Phase::MapFold), spent.cpu(Phase::MapFold));
            let time_s = if wall_s.is_some_and(|wall_s| wall_s < SHORT_S) { wall_s } else { cpu_s.or(wall_s) };
            times.extend(time_s.filter(|_| pass > 0));
            if times.len() >= PASSES && start.elapsed() >= TIME {
                break;
            }
        }
        blocks.push((elements, Sample::new(times).estimate()));
    }
    Ok(blocks)
}
