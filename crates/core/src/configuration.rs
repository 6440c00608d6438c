//! Configurations and groups, which identify a run.

use crate::json;
use crate::problem::Problem;
use crate::table::number::to_text;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A value for each parameter, in the order in which the user named them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Configuration(#[serde(serialize_with = "json::numbers_by_name")] pub IndexMap<String, f64>);

impl Configuration {
    /// Pairs names with values; extra names or values are ignored.
    pub fn from_pairs(names: &[String], values: &[f64]) -> Self {
        Configuration(names.iter().cloned().zip(values.iter().copied()).collect())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}

/// The largest number of processes that a target may have: 10^15.
const MOST_PROCESSES: f64 = 1e15;
/// Upper bound of anything counted or measured.
const LARGEST: f64 = 1e30;

/// Checks that a target can have this value: finite, not absurdly large, at least zero where all measured values are
/// positive, and positive for a number of processes.
///
/// # Errors
/// `out_of_range` or `not_a_number`, with what is allowed.
pub fn check_target(name: &str, value: f64, least_measured: f64, counts_processes: bool) -> Result<(), Problem> {
    let most = if counts_processes { MOST_PROCESSES } else { LARGEST };
    let is_allowed = match (counts_processes, least_measured > 0.0) {
        (true, _) => value > 0.0,
        (false, true) => value >= 0.0,
        (false, false) => true,
    };
    if value.abs() <= most && is_allowed {
        return Ok(());
    }
    let shown = if value.is_nan() { "NaN".to_owned() } else { to_text(value) };
    let least = match (counts_processes, least_measured > 0.0) {
        (true, _) => "above 0".to_owned(),
        (false, true) => "from 0".to_owned(),
        (false, false) => format!("from {}", to_text(-most)),
    };
    let code = if value.is_finite() { "out_of_range" } else { "not_a_number" };
    let problem = Problem::new(code, format!("{name} = {shown} cannot be a target")).value(shown);
    Err(problem.allowed(format!("{least}, up to {}", to_text(most))))
}

/// `p=64, N=20000`
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{name}={}", to_text(*value))?;
        }
        Ok(())
    }
}

/// The labels that distinguish one series from another: `region=main, app=hpl`. Values are text.
pub type Group = IndexMap<String, String>;

/// `region=main, app=hpl`; the empty text for the only group.
pub fn group_name(group: &Group) -> String {
    group.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}
