//! Jobs handed out to volunteers one by one.

use super::Volunteer;
use crate::noise::{Purpose, RunKey, exponential};
use runcast_core::Problem;
use runcast_core::random::SplitMix;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

/// Jobs, and hosts that take them.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    pub jobs: u64,
    /// Seconds of computing of a job on a host.
    pub work_s: f64,
    pub hosts: u32,
    /// What hosts are like.
    pub volunteer: Volunteer,
}

/// The result.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Finished {
    /// Seconds until the last job was done.
    pub makespan_s: f64,
    /// Mean seconds from the first start of a job to its last result.
    pub mean_job_s: f64,
    /// Results returned, wrong ones too.
    pub results: u64,
    /// Wrong ones.
    pub wrong: u64,
}

/// More results are not followed one by one.
const MOST_RESULTS: u64 = 1 << 32;
/// A time from which on hosts are said not to finish.
const NEVER_S: f64 = 1e300;

/// A time with what happens then: the order of a heap.
#[derive(Debug, Clone, Copy, PartialEq)]
struct At(f64);

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct JobState {
    valid: u32,
    out: u32,
    started_s: f64,
}

/// Hands out jobs in order to idle hosts that are on. A job is done when `replicas` right results are there; for each wrong
/// one another is asked for, at the end of the queue. Wrong results never agree.
///
/// # Errors
/// Too many results to follow; hosts that never finish; interrupted.
pub fn simulate(campaign: &Campaign, key: RunKey, interrupt: &AtomicBool) -> Result<Finished, Problem> {
    let volunteer = &campaign.volunteer;
    let quorum = volunteer.replicas.max(1);
    if campaign.hosts == 0 {
        return Err(Problem::new("no_host", "there are jobs, but no volunteer to take them"));
    }
    if campaign.jobs == 0 {
        return Ok(Finished::default());
    }
    let expected = campaign.jobs as f64 * f64::from(quorum) / (1.0 - volunteer.error_rate);
    if expected.is_nan() || expected > MOST_RESULTS as f64 {
        let problem =
            Problem::new("too_many_jobs", format!("{expected:.3e} results are too many to follow one by one"));
        return Err(problem.hint("try --fidelity label"));
    }
    let mut hosts: Vec<Host> = (0..campaign.hosts).map(|host| Host::new(volunteer, key, host)).collect();
    let mut jobs = vec![JobState::default(); campaign.jobs as usize];
    // Replicas of a job stand side by side, so that it is done soon.
    let mut fresh = (0..campaign.jobs).flat_map(|job| std::iter::repeat_n(job, quorum as usize));
    let mut again: VecDeque<u64> = VecDeque::new();
    // When hosts are done, with the job; ties by host.
    let mut busy: BinaryHeap<Reverse<(At, u32, u64)>> = BinaryHeap::new();
    let mut idle: VecDeque<u32> = VecDeque::new();
    let mut finished = Finished::default();
    let mut waiting = 0.0;
    for (index, host) in hosts.iter_mut().enumerate() {
        match fresh.next() {
            Some(job) => busy.push(Reverse((At(host.take(0.0, &mut jobs, job, campaign)), index as u32, job))),
            None => idle.push_back(index as u32),
        }
    }
    let mut left = campaign.jobs;
    while let Some(Reverse((At(now), index, job))) = busy.pop() {
        if finished.results & 0xfff == 0 && interrupt.load(Ordering::Relaxed) {
            return Err(Problem::new("interrupted", "the simulation was interrupted"));
        }
        if now.is_nan() || now > NEVER_S {
            return Err(Problem::new(
                "does_not_finish",
                "a volunteer does not finish a job: it loses it again and again",
            )
            .hint("smaller jobs, or keeps_progress = true"));
        }
        finished.results += 1;
        let host = &mut hosts[index as usize];
        let state = &mut jobs[job as usize];
        state.out -= 1;
        if host.random.uniform() < volunteer.error_rate {
            finished.wrong += 1;
            again.push_back(job);
        } else {
            state.valid += 1;
            if state.valid == quorum {
                finished.makespan_s = now;
                waiting += now - state.started_s;
                left -= 1;
            }
        }
        if left == 0 {
            break;
        }
        idle.push_back(index);
        while let Some(&host) = idle.front() {
            let Some(next) = fresh.next().or_else(|| again.pop_front()) else { break };
            idle.pop_front();
            let until = hosts[host as usize].take(now, &mut jobs, next, campaign);
            busy.push(Reverse((At(until), host, next)));
        }
    }
    finished.mean_job_s = waiting / campaign.jobs as f64;
    Ok(finished)
}

/// One host, with a stream of its own.
struct Host {
    random: SplitMix,
    /// When its state was last known, and that it was on then.
    on_at: f64,
}

impl Host {
    fn new(volunteer: &Volunteer, key: RunKey, host: u32) -> Self {
        let mut random = key.stream(Purpose::Volunteer, u64::from(host), u64::MAX);
        // In the long run it is on with this chance; what is left of an off time is again exponential.
        let is_on = random.uniform() < volunteer.availability();
        let on_at = if is_on { 0.0 } else { volunteer.off_mean_s * exponential(&mut random) };
        Host { random, on_at }
    }

    /// Takes a job as soon as it is on, and says when its result is there.
    fn take(&mut self, now: f64, jobs: &mut [JobState], job: u64, campaign: &Campaign) -> f64 {
        let volunteer = &campaign.volunteer;
        if now > self.on_at && volunteer.on_mean_s.is_finite() {
            // It was idle since. On and off as a chain of two states, started on.
            let (a, b) = (volunteer.on_mean_s, volunteer.off_mean_s);
            let share = volunteer.availability();
            let fade = if b > 0.0 { (-(1.0 / a + 1.0 / b) * (now - self.on_at)).exp() } else { 0.0 };
            let is_on = self.random.uniform() < share + (1.0 - share) * fade;
            self.on_at = if is_on { now } else { now + b * exponential(&mut self.random) };
        }
        let start = now.max(self.on_at);
        let state = &mut jobs[job as usize];
        if state.valid == 0 && state.out == 0 {
            state.started_s = start;
        }
        state.out += 1;
        self.on_at = start + volunteer.draw_job(campaign.work_s, &mut self.random);
        self.on_at
    }
}
