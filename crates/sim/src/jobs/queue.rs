//! The queue: at each instant jobs end, jobs arrive in the order of the log, then jobs start.

use super::Job;
use super::waiting::Waiting;
use crate::faults::Segments;
use crate::reliability::Checkpoint;
use runcast_core::Problem;
use runcast_core::random::SplitMix;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Who starts when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// First come, first served: nobody passes the head of the queue.
    Fcfs,
    /// Backfilling that never delays the head of the queue, by requested times.
    Easy,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Done,
    /// At its requested time.
    Killed,
}

impl Status {
    /// Its word in tables.
    pub fn word(self) -> &'static str {
        match self {
            Status::Done => "done",
            Status::Killed => "killed",
        }
    }
}

/// A job with its times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheduled {
    pub job: Job,
    /// Its last start.
    pub start_s: f64,
    pub end_s: f64,
    /// Processor-seconds that faults made void.
    pub lost_core_s: f64,
    /// Processor-seconds of checkpoints and restarts.
    pub saving_core_s: f64,
}

impl Scheduled {
    /// From submission to its last start.
    pub fn wait_s(&self) -> f64 {
        self.start_s - self.job.submit_s
    }

    /// How it ended.
    pub fn status(&self) -> Status {
        if self.job.is_killed { Status::Killed } else { Status::Done }
    }
}

/// Faults of the machine: each ends the job on the processor, which returns to the head of the queue, at its last checkpoint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Faults {
    /// Faults a second of one processor.
    pub rate_per_s: f64,
    pub seed: u64,
    /// How jobs save their state; none: they start over.
    pub saved: Option<crate::faults::Faults>,
}

impl Faults {
    /// A job from checkpoint to checkpoint.
    fn segments(&self, job: &Job) -> Segments {
        let once = crate::faults::Faults::default();
        Segments::of(job.run_s, self.rate_per_s * job.processors as f64, self.saved.as_ref().unwrap_or(&once))
    }

    fn checkpoint(&self) -> Checkpoint {
        self.saved.map_or_else(Checkpoint::default, |saved| saved.checkpoint)
    }

    /// Seconds until a job goes on where it was.
    fn restart_s(&self, is_again: bool) -> f64 {
        if is_again { self.checkpoint().restart_s } else { 0.0 }
    }
}

/// Attempts of one job beyond which it does not finish.
const MOST_ATTEMPTS: u32 = 10_000;

/// Instants between two looks of `watch`.
const WATCHED: u64 = 1024;

/// A time that orders.
#[derive(Debug, Clone, Copy, PartialEq)]
struct At(f64);

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

struct State<'j> {
    jobs: &'j [Job],
    size: u64,
    free: u64,
    faults: Option<Faults>,
    queue: Waiting,
    /// Running jobs by their end, and by their requested end.
    ends: BTreeSet<(At, u32)>,
    requested: BTreeSet<(At, u32)>,
    requested_end_s: Vec<f64>,
    start_s: Vec<f64>,
    end_s: Vec<f64>,
    lost_core_s: Vec<f64>,
    saving_core_s: Vec<f64>,
    attempts: Vec<u32>,
    /// Jobs that end by a fault.
    fails: Vec<bool>,
    /// What is left of each job from its last checkpoint; empty without faults.
    left: Vec<Segments>,
}

/// The times of all jobs, in their order; `jobs` are sorted by submission. `watch` is given now and then how many arrived, and
/// may stop the work.
///
/// # Errors
/// A job needs more than there is; faults let one never finish; what `watch` says.
pub fn schedule(
    jobs: &[Job],
    size: u64,
    policy: Policy,
    faults: Option<Faults>,
    watch: &mut dyn FnMut(usize) -> Result<(), Problem>,
) -> Result<Vec<Scheduled>, Problem> {
    if let Some(job) = jobs.iter().find(|job| job.processors > size) {
        let message = format!("job {} needs {} processors", job.number, job.processors);
        return Err(Problem::new("too_large", message).allowed(format!("at most {size}")));
    }
    let count = jobs.len();
    let mut state = State {
        jobs,
        size,
        free: size,
        faults: faults.filter(|faults| faults.rate_per_s > 0.0),
        queue: Waiting::new(count),
        ends: BTreeSet::new(),
        requested: BTreeSet::new(),
        requested_end_s: vec![f64::NAN; count],
        start_s: vec![f64::NAN; count],
        end_s: vec![f64::NAN; count],
        lost_core_s: vec![0.0; count],
        saving_core_s: vec![0.0; count],
        attempts: vec![0; count],
        fails: vec![false; count],
        left: Vec::new(),
    };
    if let Some(faults) = state.faults {
        state.left = jobs.iter().map(|job| faults.segments(job)).collect();
    }
    let (mut next, mut instants) = (0, 0_u64);
    loop {
        let arrival = jobs.get(next).map(|job| job.submit_s);
        let end = state.ends.first().map(|(At(end), _)| *end);
        let now = match (arrival, end) {
            (Some(arrival), Some(end)) => arrival.min(end),
            (Some(now), None) | (None, Some(now)) => now,
            (None, None) => break,
        };
        instants += 1;
        if instants % WATCHED == 0 {
            watch(next)?;
        }
        state.end_all(now);
        while jobs.get(next).is_some_and(|job| job.submit_s <= now) {
            state.queue.arrive(next as u32, &jobs[next]);
            next += 1;
        }
        state.start_heads(now)?;
        if policy == Policy::Easy {
            state.backfill(now)?;
        }
    }
    let one = |index: usize| Scheduled {
        job: jobs[index],
        start_s: state.start_s[index],
        end_s: state.end_s[index],
        lost_core_s: state.lost_core_s[index],
        saving_core_s: state.saving_core_s[index],
    };
    Ok((0..count).map(one).collect())
}

impl State<'_> {
    /// Ends what ends now; what a fault ended is at the head of the queue again.
    fn end_all(&mut self, now: f64) {
        while let Some(&(At(end), job)) = self.ends.first().filter(|(At(end), _)| *end <= now) {
            self.ends.pop_first();
            let index = job as usize;
            let processors = self.jobs[index].processors;
            self.requested.remove(&(At(self.requested_end_s[index]), job));
            self.free += processors;
            debug_assert!(self.free <= self.size);
            let Some(faults) = self.faults else { continue };
            let ran = end - self.start_s[index];
            let left = &mut self.left[index];
            let (before, mut lost, mut kept) = (left.work_s(), 0.0, left.work_s());
            if self.fails[index] {
                lost = left.stop(ran - faults.restart_s(self.attempts[index] > 1), &faults.checkpoint());
                kept = before - left.work_s();
                self.lost_core_s[index] += lost * processors as f64;
                self.queue.come_back(job);
            }
            self.saving_core_s[index] += (ran - lost - kept).max(0.0) * processors as f64;
        }
    }

    fn start(&mut self, job: u32, now: f64) -> Result<(), Problem> {
        let index = job as usize;
        let Job { processors, run_s, requested_s, number, .. } = self.jobs[index];
        let mut end = now + run_s;
        let mut requested_end = now + requested_s;
        self.fails[index] = false;
        if let Some(faults) = self.faults {
            let attempt = self.attempts[index];
            if attempt >= MOST_ATTEMPTS {
                let message = format!("job {number} does not finish: {MOST_ATTEMPTS} faults ended it");
                return Err(Problem::new("does_not_finish", message).hint("leave out --faults, or raise mtbf"));
            }
            end = now + faults.restart_s(attempt > 0) + self.left[index].smooth_s(&faults.checkpoint());
            // What it needs to save its state is granted.
            requested_end = requested_end.max(end);
            let fault = now + exponential(faults, u64::from(job), attempt) / processors as f64;
            if fault < end {
                end = fault;
                self.fails[index] = true;
            }
            self.attempts[index] += 1;
        }
        self.free -= processors;
        self.start_s[index] = now;
        self.end_s[index] = end;
        self.ends.insert((At(end), job));
        self.requested_end_s[index] = requested_end;
        self.requested.insert((At(requested_end), job));
        Ok(())
    }

    fn start_heads(&mut self, now: f64) -> Result<(), Problem> {
        while let Some(head) = self.queue.head() {
            if self.jobs[head as usize].processors > self.free {
                break;
            }
            self.queue.leave(head);
            self.start(head, now)?;
        }
        Ok(())
    }

    /// Starts jobs behind the head that do not delay it: those that end by `shadow`, when requested ends first free enough for
    /// the head, or need no more than what is `extra` then.
    fn backfill(&mut self, now: f64) -> Result<(), Problem> {
        let Some(head) = self.queue.head().filter(|_| self.free > 0) else { return Ok(()) };
        let need = self.jobs[head as usize].processors;
        let (mut then, mut shadow) = (self.free, f64::INFINITY);
        for &(At(end), job) in &self.requested {
            then += self.jobs[job as usize].processors;
            if then >= need {
                shadow = end;
                break;
            }
        }
        let mut extra = then.saturating_sub(need);
        let ends_before = |requested_s: f64| now + requested_s <= shadow;
        let fits = |free: u64, extra: u64| {
            move |(processors, requested_s)| processors <= free && (ends_before(requested_s) || processors <= extra)
        };
        while let Some(job) = self.queue.behind(head, self.jobs, fits(self.free, extra)) {
            let Job { processors, requested_s, .. } = self.jobs[job as usize];
            extra -= if ends_before(requested_s) { 0 } else { processors };
            self.queue.leave(job);
            self.start(job, now)?;
        }
        Ok(())
    }
}

/// Seconds to the next fault of one processor: a draw of its own for each attempt of each job.
fn exponential(faults: Faults, job: u64, attempt: u32) -> f64 {
    let uniform = SplitMix::new(faults.seed, (job << 16) | u64::from(attempt)).uniform();
    -(1.0 - uniform).ln() / faults.rate_per_s
}
