//! The cost of an answer: processor time, wall time, memory.

use runcast_sim::budget::memory;
use runcast_sim::run::CostOfSimulation;
use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Begins when it is made.
pub(crate) struct Meter {
    wall: Instant,
    cpu_s: f64,
}

impl Meter {
    /// Begins now.
    pub fn start() -> Meter {
        Meter { wall: Instant::now(), cpu_s: cpu_s() }
    }

    /// What was taken since; the memory is the most that the process had at any time.
    pub fn read(&self) -> CostOfSimulation {
        CostOfSimulation {
            cpu_s: Some(cpu_s() - self.cpu_s),
            wall_s: self.wall.elapsed().as_secs_f64(),
            peak_memory_bytes: memory::peak_bytes(),
        }
    }
}

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
