//! Costs from a file and options.

use super::given::Given;
use super::keys::{KEYS, Key, Kind};
use super::parameters;
use super::{read, resolve};
use crate::cost::CostModel;
use runcast_core::problem::shorten;
use runcast_core::{Problem, Problems};
use std::collections::BTreeMap;

/// Costs from a file, options, or both; options take precedence.
///
/// # Examples
/// ```
/// use runcast_bsf::cost::file::CostSpec;
/// let mut spec = CostSpec::from_toml("costs.toml", "
///     algorithm = 'jacobi'
///     size = 1500
///     machine = { latency = '15us', op_time = '29ns', transfer_time = '190ns' }
/// ")?;
/// let k_max = spec.resolve()?.model.costs().k_max().unwrap();
/// assert!((k_max / 14.2407 - 1.0).abs() < 1e-5);
/// spec.set("overhead", "5us")?;
/// let k_max = spec.resolve()?.model.costs().k_max().unwrap();
/// assert!((k_max / 14.4673 - 1.0).abs() < 1e-5);
/// # Ok::<(), runcast_core::Problems>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CostSpec {
    /// By table and key.
    pub(super) file: BTreeMap<(&'static str, &'static str), Given>,
    /// By the name of the key.
    pub(super) options: BTreeMap<&'static str, Given>,
    /// In the order in which they were named.
    pub(super) parameters: Vec<(String, Given)>,
    /// Name of the file, if there is one.
    pub(super) name: Option<String>,
}

/// Costs, and their algorithm.
#[derive(Debug, Clone, PartialEq)]
pub struct Described {
    /// `jacobi`, `cimmino`, `gravity`, `counts` or `times`.
    pub algorithm: String,
    /// Sizes of a built-in algorithm, or parameters of the counts.
    pub parameters: Vec<(String, f64)>,
    pub model: CostModel,
}

impl CostSpec {
    /// Reads a file; `name` is what problems call it. [`CostSpec::resolve`] interprets its values.
    ///
    /// # Errors
    /// Unknown keys, and values of the wrong type, each with line and column.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, Problems> {
        read::read(name, text)
    }

    /// Sets a key from the text of an option: `set("--op-time", "29ns,24ns,35ns")`.
    ///
    /// `-` and `_` are equivalent in keys, and a leading `--` is ignored. `parameters` adds to earlier values.
    ///
    /// # Errors
    /// The key does not exist, or a parameter is not an assignment.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), Problem> {
        let Some(key) = Key::find(key) else { return Err(unknown(key)) };
        if key.kind != Kind::Parameters {
            self.options.insert(key.name, Given::option(key.name, text));
            return Ok(());
        }
        let located = |problem: Problem| Given::option(key.name, "").place.locate(problem);
        for (name, text) in parameters::split(text).map_err(located)? {
            self.set_parameter(name, Given::option(key.name, &text));
        }
        Ok(())
    }

    /// The resulting costs.
    ///
    /// # Errors
    /// All values that are missing, not used by the algorithm, or not allowed.
    pub fn resolve(&self) -> Result<Described, Problems> {
        resolve::resolve(self)
    }

    pub(super) fn set_parameter(&mut self, name: String, given: Given) {
        match self.parameters.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = given,
            None => self.parameters.push((name, given)),
        }
    }
}

fn unknown(key: &str) -> Problem {
    let allowed: Vec<String> = KEYS.iter().map(|key| format!("--{}", key.option())).collect();
    let message = format!("\"{}\" is not a key of costs", shorten(key, 60));
    Problem::new("unknown_name", message).at(shorten(key, 60)).value(key).allowed(allowed.join(", "))
}
