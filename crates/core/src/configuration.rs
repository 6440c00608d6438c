//! Configurations and groups: which run is meant.

use crate::json;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A value for each parameter, in the order in which the user named them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Configuration(#[serde(serialize_with = "json::numbers_by_name")] pub IndexMap<String, f64>);

impl Configuration {
    /// Pairs names with values; surplus names or values are ignored.
    pub fn from_pairs(names: &[String], values: &[f64]) -> Self {
        Configuration(names.iter().cloned().zip(values.iter().copied()).collect())
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }
}

/// `p=64, N=20000`
impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{name}={value}")?;
        }
        Ok(())
    }
}

/// The labels that tell one series from another: `region=main, app=hpl`. Values are text.
pub type Group = IndexMap<String, String>;

/// `region=main, app=hpl`; the empty text for the only group.
pub fn group_name(group: &Group) -> String {
    group.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}
