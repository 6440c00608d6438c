//! Statistics of a schedule of jobs.

use super::Scheduled;

/// Sums over all jobs of a schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// From the first submission to the last end.
    pub makespan_s: f64,
    /// Processor-seconds of the jobs, faults included, over those of the machine.
    pub utilization: f64,
    pub wait_mean_s: f64,
    /// Mean of max(1, (wait + run)/max(run, 10 s)).
    pub slowdown_bounded_mean: f64,
    /// Processor-seconds that were used.
    pub used_core_s: f64,
    /// Processor-seconds that faults made void.
    pub lost_core_s: f64,
    /// Jobs that ended at their requested time.
    pub killed: u64,
}

/// Shorter jobs count as this long in a slowdown.
const SHORTEST_S: f64 = 10.0;

impl Statistics {
    /// Of a schedule on this many processors; no jobs: zeros.
    pub fn of(jobs: &[Scheduled], size: u64) -> Statistics {
        let count = jobs.len().max(1) as f64;
        let mean = |of: &dyn Fn(&Scheduled) -> f64| jobs.iter().map(of).sum::<f64>() / count;
        let first = jobs.iter().map(|one| one.job.submit_s).fold(f64::INFINITY, f64::min);
        let last = jobs.iter().map(|one| one.end_s).fold(f64::NEG_INFINITY, f64::max);
        let makespan_s = if jobs.is_empty() { 0.0 } else { last - first };
        let lost_core_s: f64 = jobs.iter().map(|one| one.lost_core_s).sum();
        let useful: f64 = jobs.iter().map(|one| one.job.run_s * one.job.processors as f64).sum();
        let saving_core_s: f64 = jobs.iter().map(|one| one.saving_core_s).sum();
        let used_core_s = useful + lost_core_s + saving_core_s;
        let could = makespan_s * size as f64;
        Statistics {
            makespan_s,
            utilization: if could > 0.0 { used_core_s / could } else { 0.0 },
            wait_mean_s: mean(&|one| one.wait_s()),
            slowdown_bounded_mean: mean(&|one| {
                ((one.wait_s() + one.job.run_s) / one.job.run_s.max(SHORTEST_S)).max(1.0)
            }),
            used_core_s,
            lost_core_s,
            killed: jobs.iter().filter(|one| one.job.is_killed).count() as u64,
        }
    }
}
