//! What an answer took: processor time, time on the wall, memory.

use runcast_sim::run::CostOfSimulation;
use rustix::time::{ClockId, clock_gettime};
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::sync::{Mutex, OnceLock};
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
            peak_memory_bytes: peak_memory_bytes(),
        }
    }
}

fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// What the system tells of this process; it stays open, for a process that later has no right to open files.
static STATUS: OnceLock<Option<Mutex<File>>> = OnceLock::new();

fn status() -> Option<&'static Mutex<File>> {
    STATUS.get_or_init(|| File::open("/proc/self/status").ok().map(Mutex::new)).as_ref()
}

/// Called by a process that is about to give up its right to open files: its memory can be told afterwards, too.
pub fn keep_memory_in_sight() {
    let _ = status();
}

/// `VmHWM` of Linux, in kibibytes; none elsewhere.
fn peak_memory_bytes() -> Option<u64> {
    let mut file = status()?.lock().ok()?;
    file.rewind().ok()?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes * 1024)
}
