//! Plans: which configurations to run.
//!
//! A [`PlanSpec`] describes what is wanted, as a file `plan.toml` or as options; each key is both ([`KEYS`]).
//! [`PlanSpec::solve`] turns it into a [`Plan`]; [`PlanSpec::check`] measures how far given configurations deviate.
//!
//! ```text
//! w        = T_A(N, p) / p              work per process
//! C = the constant the target value of w; T_A(N0)/p0 when it is given as a configuration
//! deviation_pct = 100 (w/C - 1)         [M] Eq. 1 for rounded sizes
//! weak     N solves w = C, then becomes an allowed value (rounded to nearest, down or up)
//! strong   N is fixed; nothing is rounded, so the deviation is 0
//! grid     all combinations of given values; nothing is solved or rounded
//! wide     p is fixed; T_A(N_k) = T_A(N_0) ratio^k, k = 0..count-1; C above becomes T_A(N_0) ratio^k / p
//! ```
//!
//! Allowed are the multiples of `multiple` (a number or a formula of `p`; 1 unless the size is `real`) from `min` to
//! `max`; without `min`, from the smallest positive one. `nearest` takes the one with the least `|ln(w/C)|`. With
//! several sizes all allowed combinations compete. Equally good ones: the smallest first-named size wins, the first
//! named being the first `--size` or `[size.NAME]`, then the first in `complexity`.
//!
//! The order of the filters: `processes` within `min_p..max_p`, solved and rounded; `keep`; `max_deviation`; and of
//! what is left, `count` evenly by index. `min_p`, `max_p` and `count` do not affect the targets.
//! A `budget` comes last: it leaves out the most expensive training configurations ([`Price`]).
//!
//! # Limits
//! - The complexity must grow with each size over the whole range searched. This is checked on samples (every value of
//!   short ranges, a geometric sequence of long ones) and wherever the search looks, so a narrow dip may pass.
//! - At most [`MOST_CONFIGURATIONS`] configurations, [`MOST_COMBINATIONS`] combinations of all sizes but one, and a
//!   fixed amount of arithmetic: a plan that would take too long is an error, not a wait.
//! - Sizes that are not `real` stay below 2^53, where whole numbers are exact.
//!
//! \[M\] is K. S. Mokrov, *Development of a method for forecasting weak scalability of supercomputer applications*
//! (thesis, Moscow State University, 2020).
//!
//! # Examples
//! ```
//! use runcast_core::plan::PlanSpec;
//!
//! let spec = PlanSpec::from_toml("plan.toml", r#"
//!     scaling = "weak"
//!     complexity = "N^3"
//!     constant = 1e12
//!     processes = [6, 8, 12]
//!     targets = [225]
//!     [size.N]
//!     multiple = 100
//! "#)?;
//! let plan = spec.solve()?;
//! let sizes: Vec<_> = plan.configurations.iter().map(|planned| planned.at.get("N")).collect();
//! assert_eq!(sizes, [Some(18200.0), Some(20000.0), Some(22900.0), Some(60800.0)]);
//! # Ok::<(), runcast_core::Problems>(())
//! ```

mod axis;
mod check;
mod combine;
mod cross;
mod document;
mod grid;
mod inverse;
mod key;
mod layout;
mod monotone;
mod parse;
mod price;
mod read;
mod rounding;
mod solve;
mod spec;
mod strong;
mod weak;
mod wide;
mod work;
mod write;

pub use inverse::{Crossing, NotRising, crossing};
pub use key::{KEYS, Key};
pub use price::{Measured, Price};
pub use read::configurations_from;
pub use spec::{Constant, Multiple, PlanSpec, Rounding, Scaling, SizeSpec};

use crate::configuration::Configuration;
use crate::json;
use crate::problem::Warning;
use serde::Serialize;

/// Maximum number of configurations of a plan, even before `keep` and `count`.
pub const MOST_CONFIGURATIONS: usize = 1_000_000;

/// Maximum number of combinations tried, over all processes, when several sizes are chosen together.
pub const MOST_COMBINATIONS: u64 = 10_000_000;

/// Name of the parameter that counts processes.
pub const PROCESSES: &str = "p";

/// Name of the set of runs that models are fitted to.
pub const TRAIN: &str = "train";

/// Name of the set of runs to be predicted.
pub const TARGET: &str = "target";

/// Configurations to run, and how well they keep the work per process.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Which way the problem grows.
    pub scaling: Scaling,
    /// The formula of the sequential complexity, where there is one.
    pub complexity: Option<String>,
    /// The work per process that weak scaling holds constant.
    pub constant: Option<f64>,
    /// What it costs, where a measured configuration prices the others.
    pub price: Option<Price>,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// The training configurations, then the targets, each sorted by processes.
    pub configurations: Vec<PlannedConfiguration>,
}

/// A configuration chosen to run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlannedConfiguration {
    /// `train` or `target`.
    pub set: String,
    pub at: Configuration,
    /// The sizes before rounding, with one size parameter only.
    pub exact: Option<Configuration>,
    /// Sequential complexity per process, `T_A/p`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub work_per_process: Option<f64>,
    /// `100 (T_A/(C p) - 1)`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub deviation_pct: Option<f64>,
    /// What all of its repetitions cost \[core-hours\], where a measured configuration prices the others.
    #[serde(serialize_with = "json::as_optional_number", skip_serializing_if = "Option::is_none")]
    pub core_hours: Option<f64>,
    /// How many times to run it.
    pub repetitions: u32,
}

impl PlannedConfiguration {
    /// A configuration to run so many times, of which nothing else is known.
    pub fn new(set: &str, at: Configuration, repetitions: u32) -> Self {
        PlannedConfiguration {
            set: set.to_owned(),
            at,
            exact: None,
            work_per_process: None,
            deviation_pct: None,
            core_hours: None,
            repetitions,
        }
    }
}

impl Plan {
    /// The largest deviation, without its sign; `None` when none is known.
    pub fn max_deviation_pct(&self) -> Option<f64> {
        self.configurations.iter().filter_map(|planned| planned.deviation_pct).map(f64::abs).reduce(f64::max)
    }
}

/// `100 (w/C - 1)`, where differences due to rounding errors count as zero.
fn deviation_pct(work: f64, wanted: f64) -> f64 {
    let share = (work - wanted) / wanted;
    if share.abs() <= TOLERANCE { 0.0 } else { 100.0 * share }
}

/// Ratios of work that differ by less are equal: a few units in the last place.
const TOLERANCE: f64 = 1e-13;
