//! Times of the phases of an iteration, by rank.
//!
//! Taking them costs less than a microsecond per iteration and no memory: for a long run, samples are kept at growing
//! distances. The CPU clock of a thread takes a third of a microsecond to read (a system call), the wall clock a
//! tenth of that; so the CPU time of short iterations is taken only occasionally.

use runcast_core::statistics::median;
use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Part of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// The approximation goes out (master), or is passed on (worker in a tree).
    Send,
    /// Map and fold of the block.
    MapFold,
    /// Waiting for and taking partial results.
    Receive,
    /// Combining partial results.
    Reduce,
    /// Compute and StopCond.
    Compute,
    Iteration,
}

impl Phase {
    /// All phases, in their order.
    pub const ALL: [Phase; 6] =
        [Phase::Send, Phase::MapFold, Phase::Receive, Phase::Reduce, Phase::Compute, Phase::Iteration];

    /// Its name in the column `region`.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Send => "send",
            Phase::MapFold => "map_fold",
            Phase::Receive => "receive",
            Phase::Reduce => "reduce",
            Phase::Compute => "compute",
            Phase::Iteration => "iteration",
        }
    }
}

/// Times of the phases of one iteration at one rank \[s\]; negative where nothing was measured.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PhaseTimes {
    /// Wall times, in the order of [`Phase::ALL`].
    pub wall_s: [f64; 6],
    /// CPU times of the threads that did the work, in the same order; those of a worker's threads: the slowest one.
    pub cpu_s: [f64; 6],
}

impl Default for PhaseTimes {
    fn default() -> Self {
        PhaseTimes { wall_s: [-1.0; 6], cpu_s: [-1.0; 6] }
    }
}

impl PhaseTimes {
    pub(super) fn add(&mut self, phase: Phase, spent: Spent) {
        add(&mut self.wall_s[phase as usize], spent.wall_s);
        add(&mut self.cpu_s[phase as usize], spent.cpu_s);
    }

    /// Takes the larger of the two times, phase by phase.
    pub(super) fn raise(&mut self, other: &PhaseTimes) {
        for (own, other) in self.wall_s.iter_mut().zip(&other.wall_s).chain(self.cpu_s.iter_mut().zip(&other.cpu_s)) {
            *own = own.max(*other);
        }
    }

    /// The wall time of a phase, if the rank has that phase.
    pub fn wall(&self, phase: Phase) -> Option<f64> {
        Some(self.wall_s[phase as usize]).filter(|s| *s >= 0.0)
    }

    /// The CPU time of a phase, if it was taken.
    pub fn cpu(&self, phase: Phase) -> Option<f64> {
        Some(self.cpu_s[phase as usize]).filter(|s| *s >= 0.0)
    }
}

fn add(sum: &mut f64, more: f64) {
    if more >= 0.0 {
        *sum = sum.max(0.0) + more;
    }
}

/// Wall and CPU time spent; the CPU time negative where it was not taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    pub wall_s: f64,
    pub cpu_s: f64,
}

/// A clock that returns the time since it was last read.
#[derive(Debug)]
pub(super) struct Stopwatch {
    wall: Instant,
    cpu_s: Option<f64>,
}

impl Stopwatch {
    /// Starts; with the CPU time of this thread, or without.
    pub fn start(with_cpu: bool) -> Self {
        Stopwatch { wall: Instant::now(), cpu_s: with_cpu.then(thread_cpu_s) }
    }

    /// The time since the last reading.
    pub fn lap(&mut self) -> Spent {
        let now = Instant::now();
        let wall_s = now.duration_since(self.wall).as_secs_f64();
        self.wall = now;
        let cpu_s = self.cpu_s.as_mut().map_or(-1.0, |before| {
            let now = thread_cpu_s();
            now - std::mem::replace(before, now)
        });
        Spent { wall_s, cpu_s }
    }
}

/// CPU time of this thread since its start \[s\].
pub(crate) fn thread_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Iterations shorter than this have their CPU time taken once in [`CPU_STRIDE`] iterations.
const SHORT_S: f64 = 50e-6;
const CPU_STRIDE: u64 = 64;

/// Whether the CPU time of this iteration is to be taken.
pub(super) fn takes_cpu(iteration: u64, last_wall_s: f64, trace: bool) -> bool {
    trace || last_wall_s > SHORT_S || iteration.is_multiple_of(CPU_STRIDE) || iteration <= 2
}

/// Times of the phases over a run, by rank; rank 0 is the master.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// One for each rank, the master first. A serial run has the workers as ranks too.
    pub ranks: Vec<RankTimes>,
    /// Every iteration of every rank, if requested: its number, its rank, its times.
    pub trace: Vec<(u64, usize, PhaseTimes)>,
    keeps_trace: bool,
}

/// Times of the phases of one rank over a run.
#[derive(Debug, Clone)]
pub struct RankTimes {
    /// Of the first iteration of this run.
    pub first: PhaseTimes,
    /// Sums of the wall times over all iterations of this run \[s\].
    pub total_wall_s: [f64; 6],
    /// Iterations of this run.
    pub count: u64,
    /// The last iteration.
    last_s: f64,
    samples: Vec<PhaseTimes>,
    stride: u64,
}

/// Total number of samples kept, so that a run of many ranks does not exhaust memory.
const SAMPLES_MOST: usize = 1 << 17;

impl Times {
    pub(super) fn new(ranks: usize, keeps_trace: bool) -> Self {
        let capacity = (SAMPLES_MOST / (12 * ranks.max(1))).clamp(32, 1024) & !1;
        let rank = RankTimes {
            first: PhaseTimes::default(),
            total_wall_s: [0.0; 6],
            count: 0,
            last_s: 0.0,
            samples: Vec::new(),
            stride: 1,
        };
        let mut ranks = vec![rank; ranks];
        for rank in &mut ranks {
            rank.samples.reserve_exact(capacity);
        }
        Times { ranks, trace: Vec::new(), keeps_trace }
    }

    pub(super) fn record(&mut self, iteration: u64, rank: usize, times: &PhaseTimes) {
        if let Some(of_rank) = self.ranks.get_mut(rank) {
            of_rank.record(times);
        }
        if self.keeps_trace {
            self.trace.push((iteration, rank, *times));
        }
    }

    /// Iterations of this run.
    pub fn count(&self) -> u64 {
        self.ranks.first().map_or(0, |master| master.count)
    }

    /// The last iteration \[s\]; 0 before the first one.
    pub(super) fn last_iteration_s(&self) -> f64 {
        self.ranks.first().map_or(0.0, |master| master.last_s)
    }

    /// The median iteration, without the first one \[s\].
    pub fn iteration_s(&self) -> Option<f64> {
        self.ranks.first()?.median_wall_s(Phase::Iteration)
    }

    /// The first iteration of this run \[s\].
    pub fn first_iteration_s(&self) -> Option<f64> {
        self.ranks.first()?.first.wall(Phase::Iteration)
    }

    /// CPU time of map and fold of the slowest worker: the median without the first iteration \[s\].
    pub fn map_fold_cpu_s(&self) -> Option<f64> {
        self.ranks.iter().filter_map(|rank| rank.median_cpu_s(Phase::MapFold)).reduce(f64::max)
    }
}

impl RankTimes {
    fn record(&mut self, times: &PhaseTimes) {
        self.count += 1;
        self.last_s = times.wall(Phase::Iteration).unwrap_or(0.0);
        for (total, wall_s) in self.total_wall_s.iter_mut().zip(times.wall_s) {
            *total += wall_s.max(0.0);
        }
        if self.count == 1 {
            self.first = *times;
            return;
        }
        if !(self.count - 2).is_multiple_of(self.stride) {
            return;
        }
        if self.samples.len() == self.samples.capacity() {
            self.thin_out();
            if !(self.count - 2).is_multiple_of(self.stride) {
                return;
            }
        }
        self.samples.push(*times);
    }

    /// Drops every second sample.
    fn thin_out(&mut self) {
        let kept = self.samples.len() / 2;
        for place in 0..kept {
            self.samples[place] = self.samples[2 * place];
        }
        self.samples.truncate(kept);
        self.stride *= 2;
    }

    /// The median of the wall times of a phase, the first iteration left out unless it is the only one \[s\].
    pub fn median_wall_s(&self, phase: Phase) -> Option<f64> {
        self.median(|times| times.wall(phase))
    }

    /// The median of the CPU times of a phase, likewise \[s\].
    pub fn median_cpu_s(&self, phase: Phase) -> Option<f64> {
        self.median(|times| times.cpu(phase))
    }

    fn median(&self, of: impl Fn(&PhaseTimes) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.samples.iter().filter_map(&of).collect();
        if values.is_empty() { of(&self.first).filter(|_| self.count > 0) } else { Some(median(&values)) }
    }
}
