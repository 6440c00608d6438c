//! The specification of a plan: the keys of a `plan.toml`, each of which is also an option.

use super::key::{self, Place};
use super::price::Measured;
use crate::Configuration;
use crate::problem::{Problem, Problems};
use indexmap::IndexMap;
use runcast_formula::Formula;
use runcast_formula::numbers::NumberList;
use serde::Serialize;

/// The specification of a plan.
///
/// Made from a file, from options, or from both: options override what the file says.
///
/// # Examples
/// ```
/// use runcast_core::plan::PlanSpec;
/// let mut spec = PlanSpec::from_toml("plan.toml", "scaling = 'strong'\nprocesses = 'list:1,2,4'\n")?;
/// spec.set("fixed", "N=50000")?;
/// spec.set("--processes", "powers:2")?;
/// spec.set("--max-p", "64")?;
/// assert_eq!(spec.solve()?.configurations.len(), 7);
/// # Ok::<(), runcast_core::Problems>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PlanSpec {
    /// How the problem grows; when absent, [`PlanSpec::scaling`] infers it from the other keys.
    pub scaling: Option<Scaling>,
    /// Sequential complexity `T_A`, over the sizes and, if it must, `p`.
    pub complexity: Option<Formula>,
    /// Work per process.
    pub constant: Option<Constant>,
    /// How many times to run each configuration; once when absent.
    pub repetitions: Option<u32>,
    /// Numbers of processes to train with.
    pub processes: Option<NumberList>,
    /// Lower bound of `processes`.
    pub min_p: Option<f64>,
    /// Upper bound of `processes`.
    pub max_p: Option<f64>,
    /// How many configurations to train with, evenly by index among the allowed ones; wide scaling: how many steps.
    pub count: Option<usize>,
    /// The values of each parameter of a grid; `p` may come from `processes`, too.
    pub grid: IndexMap<String, Vec<NumberList>>,
    /// Numbers of processes to predict; wide scaling: sizes.
    pub targets: Option<NumberList>,
    /// The values of parameters to predict; those of the grid, where it names none.
    pub target_grid: IndexMap<String, Vec<NumberList>>,
    /// Which configurations are possible: a formula over `p` and the sizes.
    pub keep: Option<Formula>,
    /// How the exact size is rounded to an allowed one.
    pub round: Rounding,
    /// The sizes in the order in which they were named, and their allowed values.
    pub sizes: IndexMap<String, SizeSpec>,
    /// Parameters that do not vary.
    pub fixed: IndexMap<String, f64>,
    /// The first size of wide scaling.
    pub start: IndexMap<String, f64>,
    /// Growth factor of the work in each step of wide scaling; 2 when absent.
    pub ratio: Option<f64>,
    /// Configurations that deviate more are dropped; a share (0.05 is 5 %).
    pub max_deviation: Option<f64>,
    /// A configuration whose time is known; it prices the others.
    pub measured: Option<Measured>,
    /// What all training runs may cost together \[core-hours\].
    pub budget_core_hours: Option<f64>,
    pub(super) places: IndexMap<String, Place>,
}

/// How the problem grows with the number of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scaling {
    /// Work per process is constant.
    Weak,
    /// The problem size is constant.
    Strong,
    /// The number of processes is constant.
    Wide,
    /// All combinations of some numbers of processes and some sizes.
    Grid,
}

/// How the exact size is rounded to an allowed one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Rounding {
    /// The allowed value with the least `|ln(T_A/(C p))|`.
    #[default]
    Nearest,
    /// The largest with no more work than wanted.
    Down,
    /// The smallest with no less work than wanted.
    Up,
}

/// Work per process.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    Number(f64),
    /// As much as in this configuration.
    At(Configuration),
}

/// The allowed values of a size.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SizeSpec {
    /// The values are multiples of this; 1 when absent, and unrestricted when absent and `real`.
    pub multiple: Option<Multiple>,
    /// The smallest value; the smallest positive one when absent.
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// Whether fractions are allowed.
    pub real: bool,
}

/// What a size is a multiple of.
#[derive(Debug, Clone, PartialEq)]
pub enum Multiple {
    /// The same number for all processes.
    Number(f64),
    /// A formula of `p`, such as `50*sqrt(p)`.
    Formula(Formula),
}

impl PlanSpec {
    /// Sets one key from the text of an option: `set("--constant", "p=8,N=20000")`.
    ///
    /// `-` and `_` are equivalent in keys, and a leading `--` is ignored. `size`, `fixed`, `start` and `grid` add to
    /// earlier values; the other keys replace them.
    ///
    /// # Errors
    /// Names the option, the value seen, and what is allowed.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), Problem> {
        key::set_option(self, key, text)
    }

    /// Reads a `plan.toml`; `name` is what problems call it.
    ///
    /// # Errors
    /// All errors in it, each with line and column.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, Problems> {
        super::document::read(name, text)
    }

    /// How the problem grows. If not given: a grid if there is one, wide if there is a start or a fixed `p`, strong if there is neither a
    /// constant nor a size to choose, else weak.
    pub fn scaling(&self) -> Scaling {
        self.scaling.unwrap_or_else(|| {
            let is_strong = self.constant.is_none() && (!self.fixed.is_empty() || self.complexity.is_none());
            if !self.grid.is_empty() {
                Scaling::Grid
            } else if !self.start.is_empty() || self.fixed.contains_key(super::PROCESSES) {
                Scaling::Wide
            } else if is_strong {
                Scaling::Strong
            } else {
                Scaling::Weak
            }
        })
    }

    /// How many times to run each configuration.
    pub fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or(1)
    }

    /// A problem with a key, at the position where the key was given.
    pub(super) fn problem(&self, key: &str, code: &str, message: impl Into<String>) -> Problem {
        self.place(key, Problem::new(code, message))
    }

    /// Returns where a key was given: `complexity`, `size/N/multiple`, the nearest known position.
    pub(super) fn place(&self, key: &str, problem: Problem) -> Problem {
        let given = std::iter::successors(Some(key), |key| key.rsplit_once('/').map(|(parent, _)| parent))
            .find_map(|key| self.places.get(key));
        match given {
            Some(place) => place.locate(problem),
            None => problem.at(key::option_name(key)),
        }
    }
}

impl Scaling {
    /// Its name in options and documents.
    pub fn name(self) -> &'static str {
        match self {
            Scaling::Weak => "weak",
            Scaling::Strong => "strong",
            Scaling::Wide => "wide",
            Scaling::Grid => "grid",
        }
    }
}
