//! Changes that a replay makes to a recording or a system: `--what-if`, `--scale-compute`.

use crate::failure::Failure;
use runcast_core::{Problem, Problems};
use runcast_sim::catalogue::{Catalogue, Entry};
use runcast_sim::experiment::Value;
use runcast_sim::platform::LogGops;
use runcast_sim::run::{Prepared, Variation};
use std::fmt;

/// A change that a replay is made with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// Bandwidths times this.
    Bandwidth(f64),
    /// Latencies times this.
    Latency(f64),
    /// Every rank computes as long as the mean of all.
    Balanced,
    /// The network costs nothing.
    Ideal,
}

impl Change {
    /// `bandwidth=2`, `latency=0`, `balanced`, `ideal`.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<Change, String> {
        let wrong = || "bandwidth=FACTOR above 0, latency=FACTOR from 0 on, balanced and ideal are allowed".to_owned();
        let factor = |text: &str| crate::options::number(text).ok().filter(|factor| factor.is_finite());
        match text.trim().split_once('=') {
            None if text.trim() == "balanced" => Ok(Change::Balanced),
            None if text.trim() == "ideal" => Ok(Change::Ideal),
            Some(("bandwidth", value)) => {
                factor(value).filter(|factor| *factor > 0.0).map(Change::Bandwidth).ok_or_else(wrong)
            }
            Some(("latency", value)) => {
                factor(value).filter(|factor| *factor >= 0.0).map(Change::Latency).ok_or_else(wrong)
            }
            _ => Err(wrong()),
        }
    }

    /// The keys of networks that it scales, with the power of the factor.
    fn keys(self) -> (f64, &'static [(&'static str, i32)]) {
        match self {
            Change::Bandwidth(factor) => (factor, &[("bandwidth", 1), ("G", -1)]),
            Change::Latency(factor) => (factor, &[("latency", 1), ("L", 1)]),
            Change::Balanced | Change::Ideal => (1.0, &[]),
        }
    }

    /// LogGOPS parameters with the change.
    pub(super) fn of_loggops(self, mut loggops: LogGops) -> LogGops {
        match self {
            Change::Bandwidth(factor) => loggops.G /= factor,
            Change::Latency(factor) => loggops.L *= factor,
            Change::Balanced | Change::Ideal => {}
        }
        loggops
    }

    /// Sets the changed figures of all networks of the system.
    ///
    /// # Errors
    /// No network gives such a figure.
    pub(super) fn of_system(self, prepared: &Prepared, variation: &mut Variation) -> Result<(), Failure> {
        let (factor, keys) = self.keys();
        let networks = prepared.system.as_ref().map_or(&[][..], |read| read.system.networks.as_slice());
        let mut changed = false;
        for network in networks {
            for (key, power) in keys {
                if let Some(value) = network.attributes.get(key) {
                    let name = format!("{}.{key}", network.id);
                    let set = variation.set(&name, Value::Number(value * factor.powi(*power)));
                    set.map_err(|problem| Failure::input(Problems::from(problem)))?;
                    changed = true;
                }
            }
        }
        if changed || keys.is_empty() {
            return Ok(());
        }
        let problem = Problem::new("nothing_to_change", "no network of the system gives what is to be changed");
        let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        Err(problem
            .at("--what-if")
            .value(self.to_string())
            .allowed(format!("a network with {}", names.join(" or ")))
            .into())
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Bandwidth(factor) => write!(f, "bandwidth={factor}"),
            Change::Latency(factor) => write!(f, "latency={factor}"),
            Change::Balanced => f.write_str("balanced"),
            Change::Ideal => f.write_str("ideal"),
        }
    }
}

/// What limits blocks that are scaled from one processor to another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bound {
    /// Operations of a core.
    Cpu,
    /// What a core takes from memory.
    Memory,
    /// The slower of both.
    #[default]
    Max,
}

runcast_core::words!(Bound::word: Cpu = "cpu", Memory = "memory", Max = "max");

/// `FROM=TO`: two processors of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaled {
    from: String,
    to: String,
}

impl Scaled {
    /// # Errors
    /// There is no `=`, or nothing beside it.
    pub fn parse(text: &str) -> Result<Scaled, String> {
        match text.split_once('=').map(|(from, to)| (from.trim(), to.trim())) {
            Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                Ok(Scaled { from: from.to_owned(), to: to.to_owned() })
            }
            _ => Err("two entries of the catalogue are allowed, such as intel-xeon-e5345=amd-epyc-9654".to_owned()),
        }
    }

    /// What blocks are multiplied by: the ratio of what a core of either does in a second,
    /// `flops_double efficiency / cores` or `mem_bandwidth_core`; with `max` the greater of the two times.
    ///
    /// # Errors
    /// An entry that is not in the catalogue, or does not give the figure.
    pub(super) fn factor(&self, bound: Bound, catalogue: &Catalogue) -> Result<f64, Problem> {
        let entry = |id: &str| catalogue.find(id, &["cpu"]).map_err(|problem| problem.at("--scale-compute"));
        let (from, to) = (entry(&self.from)?, entry(&self.to)?);
        let ratio = |of: fn(&Entry) -> Option<f64>, what: &str| {
            let of = |entry: &Entry| {
                of(entry).ok_or_else(|| {
                    let message = format!("{} gives no {what}, which the times of blocks are scaled by", entry.id);
                    Problem::new("missing_figure", message)
                        .at("--scale-compute")
                        .value(entry.id.as_str())
                        .hint("--bound cpu or --bound memory takes the other figure")
                })
            };
            Ok::<f64, Problem>(of(from)? / of(to)?)
        };
        let cpu = || ratio(operations_per_s, "flops_double");
        let memory = || ratio(|entry| entry.attributes.get("mem_bandwidth_core"), "mem_bandwidth_core");
        match bound {
            Bound::Cpu => cpu(),
            Bound::Memory => memory(),
            Bound::Max => Ok(f64::max(cpu()?, memory()?)),
        }
    }
}

/// Operations per second of one core.
fn operations_per_s(entry: &Entry) -> Option<f64> {
    let get = |key: &str| entry.attributes.get(key);
    let efficiency = get("efficiency_double").or_else(|| get("efficiency")).unwrap_or(1.0);
    Some(get("flops_double")? * efficiency / get("cores").unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_as_they_are_written() {
        for text in ["bandwidth=2", "latency=0", "balanced", "ideal"] {
            assert_eq!(Change::parse(text).map(|change| change.to_string()).as_deref(), Ok(text));
        }
        for text in ["bandwidth=0", "bandwidth", "latency=-1", "faster", "ideal=1", "latency=inf"] {
            assert!(Change::parse(text).is_err(), "{text}");
        }
    }
}
