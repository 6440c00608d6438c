//! Hosts of volunteers: they come and go, may lose progress, and may return wrong results (docs/theory/sim.md, section 9).
//!
//! A host alternates: on for an exponential time of mean a, off for one of mean b. A job of W seconds of computing that begins
//! when it is on takes on average
//!
//! ```text
//! W*(a+b)/a                   when progress is kept
//! (a+b)*(exp(W/a) - 1)        when it is lost
//! ```
//!
//! J jobs with r replicas on H hosts: `J*r*E[job]/H` when hosts are never short of jobs; the tail, when some have none, is not
//! in it. [`simulate`] has it: job by job, with wrong results and a quorum.

mod simulate;

pub use simulate::{Campaign, Finished, simulate};

use crate::attributes::Attributes;
use crate::noise::Distribution;
use runcast_core::random::SplitMix;

/// A kind of host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Volunteer {
    /// Mean time that it stays on, in seconds; infinite: always on.
    pub on_mean_s: f64,
    /// Mean time that it stays off, in seconds.
    pub off_mean_s: f64,
    /// Whether a job continues where it was interrupted.
    pub keeps_progress: bool,
    /// Share of its results that are wrong; below 1.
    pub error_rate: f64,
    /// How many equal results a job needs.
    pub replicas: u32,
}

impl Default for Volunteer {
    fn default() -> Self {
        Volunteer { on_mean_s: f64::INFINITY, off_mean_s: 0.0, keeps_progress: true, error_rate: 0.0, replicas: 1 }
    }
}

impl Volunteer {
    /// Those of a component. With `availability` alone, or with one of the means, the other follows from a/(a+b); with
    /// neither mean a host is on for an hour at a time, which the second value reports.
    pub fn of(attributes: &Attributes) -> (Self, Option<String>) {
        let (on, off) = (attributes.get("on_mean"), attributes.get("off_mean"));
        let share = attributes.get("availability").map(|share| share.clamp(1e-9, 1.0));
        let mut assumed = None;
        let (on_mean_s, off_mean_s) = match (on, off, share) {
            (Some(on), Some(off), _) => (on, off),
            (Some(on), None, Some(share)) => (on, on * (1.0 - share) / share),
            (None, Some(off), Some(share)) if share < 1.0 => (off * share / (1.0 - share), off),
            (None, None, Some(share)) if share < 1.0 => {
                assumed = Some("on_mean = 1 h".to_owned());
                (3600.0, 3600.0 * (1.0 - share) / share)
            }
            (Some(on), None, None) => {
                assumed = Some("off_mean = 0".to_owned());
                (on, 0.0)
            }
            (None, Some(off), None) => {
                assumed = Some("on_mean = off_mean".to_owned());
                (off, off)
            }
            (None, _, _) => (f64::INFINITY, 0.0),
        };
        let volunteer = Volunteer {
            on_mean_s,
            off_mean_s,
            keeps_progress: attributes.flag("keeps_progress").unwrap_or(true),
            error_rate: attributes.get("error_rate").unwrap_or(0.0).clamp(0.0, MOST_ERRORS),
            replicas: attributes.get("replicas").unwrap_or(1.0).clamp(1.0, 1e6) as u32,
        };
        (volunteer, assumed)
    }

    /// The share of time that it is on, `a/(a+b)`.
    pub fn availability(&self) -> f64 {
        if self.on_mean_s.is_infinite() { 1.0 } else { self.on_mean_s / (self.on_mean_s + self.off_mean_s) }
    }

    /// Mean time from the start of a job of this many seconds of computing to its end, in seconds.
    ///
    /// ```
    /// # use runcast_sim::volunteer::Volunteer;
    /// let h = 3600.0;
    /// let host = Volunteer { on_mean_s: 8.0 * h, off_mean_s: 16.0 * h, ..Volunteer::default() };
    /// assert_eq!(host.mean_job(2.0 * h) / h, 6.0);
    /// let host = Volunteer { keeps_progress: false, ..host };
    /// assert!((host.mean_job(2.0 * h) / h - 6.816_610_000_6).abs() < 2e-10);
    /// ```
    pub fn mean_job(&self, work_s: f64) -> f64 {
        if self.on_mean_s.is_infinite() {
            return work_s;
        }
        if self.keeps_progress {
            work_s * (self.on_mean_s + self.off_mean_s) / self.on_mean_s
        } else {
            (self.on_mean_s + self.off_mean_s) * (work_s / self.on_mean_s).exp_m1()
        }
    }

    /// Mean time of jobs on hosts that are never short of them, in seconds: `J*r*E[job]/H`. Wrong results, which must be done
    /// again, are not in it.
    pub fn mean_makespan(&self, jobs: u64, work_s: f64, hosts: u64) -> f64 {
        jobs as f64 * self.mean_work(work_s) / hosts as f64
    }

    /// Mean time for the replicas of one job, when one host makes them all, in seconds.
    pub fn mean_work(&self, work_s: f64) -> f64 {
        f64::from(self.replicas) * self.mean_job(work_s)
    }

    /// The same, a draw: right and wrong results one after the other, until there are enough right ones.
    pub fn draw_work(&self, work_s: f64, random: &mut SplitMix) -> f64 {
        let (mut valid, mut sum) = (0, 0.0);
        while valid < self.replicas {
            sum += self.draw_job(work_s, random);
            valid += u32::from(random.uniform() >= self.error_rate);
        }
        sum
    }

    /// Time from the start of a job, when the host is on, to its end: a draw.
    pub fn draw_job(&self, work_s: f64, random: &mut SplitMix) -> f64 {
        if self.on_mean_s.is_infinite() || work_s <= 0.0 {
            return work_s;
        }
        if self.keeps_progress { self.draw_kept(work_s, random) } else { self.draw_lost(work_s, random) }
    }

    /// The work, and an off time for each interruption: there are Poisson many.
    fn draw_kept(&self, work_s: f64, random: &mut SplitMix) -> f64 {
        let interruptions = crate::noise::Detour { rate_per_s: 1.0 / self.on_mean_s, mean_s: self.off_mean_s };
        work_s + interruptions.within(work_s, random)
    }

    /// As many interrupted attempts, each with the time off that follows, as a geometric law says; then the work.
    fn draw_lost(&self, work_s: f64, random: &mut SplitMix) -> f64 {
        let ratio = work_s / self.on_mean_s;
        // The chance that an on time is long enough is exp(-W/a); draw the number of those that are not.
        let short = -(-ratio).exp_m1();
        let attempts = if short <= 0.0 { 0.0 } else { ((1.0 - random.uniform()).ln() / short.ln()).floor() };
        if attempts.is_nan() || attempts.is_infinite() {
            return f64::INFINITY;
        }
        if attempts > MANY {
            // Of many attempts the sum is drawn: normal, with the moments of an on time below W and of an off time.
            let (mean, variance) = self.attempt(work_s);
            let off = self.off_mean_s;
            let normal = Distribution::Normal { mean: 0.0, sd: 1.0 }.draw(random);
            let deviation = (attempts * (variance + off * off)).sqrt();
            return work_s + (attempts * (mean + off) + deviation * normal).max(0.0);
        }
        let mut sum = work_s;
        for _ in 0..attempts as u64 {
            // An on time that is shorter than W, then an off time.
            sum += -self.on_mean_s * (-short * random.uniform()).ln_1p();
            sum += self.off_mean_s * crate::noise::exponential(random);
        }
        sum
    }

    /// Mean and variance of an on time that is shorter than W.
    fn attempt(&self, work_s: f64) -> (f64, f64) {
        let a = self.on_mean_s;
        let ratio = work_s / a;
        let below = ratio.exp_m1();
        let mean = a - work_s / below;
        let variance = a * a - work_s * work_s * ratio.exp() / (below * below);
        (mean, variance.max(0.0))
    }
}

/// From this many interrupted attempts on their sum is drawn.
const MANY: f64 = 4096.0;
/// Hosts that are wrong more often than this never end a job.
const MOST_ERRORS: f64 = 0.999;

#[cfg(test)]
mod tests;
