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
//! A host that is looked at at any time is on with the chance a/(a+b); when it is off, b seconds more pass in the mean.
//! Engines hand jobs out one by one: each block of a process on volunteers is one.

mod recorded;

pub use recorded::Recorded;

use crate::attributes::Attributes;
use crate::noise::RunKey;
use runcast_core::Problem;
use std::sync::Arc;

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
    /// How many right results a job needs, each from another host.
    pub quorum: u32,
    /// Seconds from the start of a copy of a job, after which another is made; infinite: none is.
    pub deadline_s: f64,
}

impl Default for Volunteer {
    fn default() -> Self {
        Volunteer {
            on_mean_s: f64::INFINITY,
            off_mean_s: 0.0,
            keeps_progress: true,
            error_rate: 0.0,
            quorum: 1,
            deadline_s: f64::INFINITY,
        }
    }
}

/// What an experiment says about its volunteers; it comes before what the system says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Handling {
    pub quorum: Option<u32>,
    pub deadline_s: Option<f64>,
    pub recorded: Option<Arc<Recorded>>,
}

/// All hosts of a component, which take the jobs of the processes that are placed there.
#[derive(Debug, Clone, PartialEq)]
pub struct Crowd {
    /// Id of the component.
    pub name: String,
    /// Its number in the system.
    pub component: u32,
    pub hosts: u32,
    /// Cores of a host.
    pub cores: f64,
    pub volunteer: Volunteer,
    /// When hosts are on, in place of random times.
    pub recorded: Option<Arc<Recorded>>,
    /// Streams of random numbers are those of this run.
    pub key: RunKey,
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
        let quorum = attributes.get("quorum").or_else(|| attributes.get("replicas"));
        let volunteer = Volunteer {
            on_mean_s,
            off_mean_s,
            keeps_progress: attributes.flag("keeps_progress").unwrap_or(true),
            error_rate: attributes.get("error_rate").unwrap_or(0.0).clamp(0.0, MOST_ERRORS),
            quorum: quorum.unwrap_or(1.0).clamp(1.0, 1e6) as u32,
            deadline_s: attributes.get("deadline").unwrap_or(f64::INFINITY),
        };
        (volunteer, assumed)
    }

    /// The share of time that it is on, `a/(a+b)`.
    pub fn availability(&self) -> f64 {
        if self.on_mean_s.is_infinite() { 1.0 } else { self.on_mean_s / (self.on_mean_s + self.off_mean_s) }
    }
}

impl Crowd {
    /// Whether jobs can be done at all.
    ///
    /// # Errors
    /// More hosts than are followed one by one; a quorum of more hosts than there are.
    pub fn check(&self) -> Result<(), Problem> {
        if self.hosts > MOST_HOSTS {
            let problem = Problem::new("too_many_hosts", format!("{}: too many volunteers to follow", self.name));
            return Err(problem.value(self.hosts.to_string()).allowed(format!("at most {MOST_HOSTS}")));
        }
        if self.volunteer.quorum > self.hosts {
            let message = format!("{}: a quorum of more hosts than there are", self.name);
            let problem = Problem::new("bad_quorum", message).at("quorum").value(self.volunteer.quorum.to_string());
            return Err(problem.allowed(format!("at most the {} hosts of {}", self.hosts, self.name)));
        }
        Ok(())
    }
}

/// Hosts that are wrong more often than this never end a job.
const MOST_ERRORS: f64 = 0.999;
/// Hosts of a component that are followed one by one.
const MOST_HOSTS: u32 = 1 << 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_on_for_their_share_of_the_time() {
        let host = Volunteer { on_mean_s: 8.0 * 3600.0, off_mean_s: 16.0 * 3600.0, ..Volunteer::default() };
        assert_eq!(host.availability(), 1.0 / 3.0);
    }
}
