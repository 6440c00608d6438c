//! The published cases of `testdata/papers/*.toml`, read by the tests of every method that claims them.
//!
//! A case is a method, what it is given, and what a publication or an independent program expects of it. A new case is
//! an entry in one of the files; a new method is a name in [`METHODS`] and a test that calls [`cases`].
//!
//! ```toml
//! tolerance = 1e-6                         # relative, for all cases of the file; a case may have its own
//! tolerances = { condition = 5e-4 }        # of single quantities
//! [given]                                  # what all cases of the file are given
//!
//! [[case]]
//! method = "fit"
//! name = "Amdahl's law with a sequential share of 5 %"
//! source = "[A] eq. 1"                     # table, equation or page, or how it was computed
//! [case.given]
//! model = "amdahl"
//! [case.expected]
//! predictions = [6.484375]
//! ```

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use toml::{Table, Value};

/// The methods that have cases, and how many each had when this was last changed: fewer means that one was lost.
pub const METHODS: [(&str, usize); 6] =
    [("bsf-cost", 10), ("bsf-fit", 12), ("fit", 19), ("piecewise", 1), ("plan-check", 9), ("plan-choose", 11)];

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case<Given, Expected> {
    /// One of [`METHODS`].
    pub method: String,
    /// What the case is about; unique among those of its method.
    pub name: String,
    /// Where the numbers come from.
    pub source: String,
    tolerance: Option<f64>,
    #[serde(default)]
    tolerances: BTreeMap<String, f64>,
    /// Inputs.
    pub given: Given,
    /// Results.
    pub expected: Expected,
}

impl<Given, Expected> Case<Given, Expected> {
    /// The tolerance of a quantity: its own, or that of the case.
    ///
    /// # Panics
    /// It has none.
    pub fn tolerance(&self, quantity: &str) -> f64 {
        let own = self.tolerances.get(quantity).copied().or(self.tolerance);
        own.unwrap_or_else(|| panic!("{}: no tolerance of {quantity}", self.name))
    }

    /// Holds a number against the published one; the tolerance is relative to the latter. `at` says which of several.
    ///
    /// # Panics
    /// It is further off.
    pub fn close(&self, quantity: &str, at: impl Display, found: f64, expected: f64) {
        self.within(self.tolerance(quantity) * expected.abs(), quantity, at, found, expected);
    }

    /// As [`Case::close`], with the tolerance as a difference.
    ///
    /// # Panics
    /// It is further off.
    pub fn near(&self, quantity: &str, at: impl Display, found: f64, expected: f64) {
        self.within(self.tolerance(quantity), quantity, at, found, expected);
    }

    fn within(&self, allowed: f64, quantity: &str, at: impl Display, found: f64, expected: f64) {
        let off = (found - expected).abs();
        let Case { name, source, .. } = self;
        assert!(
            off <= allowed,
            "{name} ({source}): {quantity} {at}: expected {expected}, found {found}, off by {off:e}"
        );
    }
}

/// A file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    tolerance: Option<Value>,
    #[serde(default)]
    tolerances: Table,
    #[serde(default)]
    given: Table,
    case: Vec<Table>,
}

/// All cases of a method, in the order of files and entries.
///
/// # Panics
/// A file cannot be read, a case has fields that the method does not know, or cases were lost.
pub fn cases<Given: DeserializeOwned, Expected: DeserializeOwned>(method: &str) -> Vec<Case<Given, Expected>> {
    let mut found: Vec<Case<Given, Expected>> = Vec::new();
    for case in all().into_iter().filter(|case| case.get("method").and_then(Value::as_str) == Some(method)) {
        let name = case.get("name").map(ToString::to_string).unwrap_or_default();
        found.push(Value::Table(case).try_into().unwrap_or_else(|error| panic!("{method}, {name}: {error}")));
    }
    let known = METHODS.iter().find(|(name, _)| *name == method);
    let (_, least) = known.unwrap_or_else(|| panic!("{method} is not one of METHODS"));
    assert!(found.len() >= *least, "{method}: {} cases, there were {least}", found.len());
    found
}

/// The cases of all files, with what their file gives to all of them.
fn all() -> Vec<Table> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/papers");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let suite: Suite = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for mut case in suite.case {
            if let Some(tolerance) = &suite.tolerance {
                case.entry("tolerance").or_insert_with(|| tolerance.clone());
            }
            for (key, shared) in [("tolerances", &suite.tolerances), ("given", &suite.given)] {
                let own = case.entry(key).or_insert_with(|| Value::Table(Table::new()));
                let Value::Table(own) = own else { panic!("{}: {key} is not a table", path.display()) };
                for (name, value) in shared {
                    own.entry(name.clone()).or_insert_with(|| value.clone());
                }
            }
            cases.push(case);
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_case_has_a_method_a_name_of_its_own_and_a_source() {
        let mut names = BTreeSet::new();
        for case in all() {
            let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (method, name) = (text("method"), text("name"));
            assert!(METHODS.iter().any(|(known, _)| *known == method), "{method}: {name}");
            assert!(!text("source").is_empty(), "{name} has no source");
            assert!(names.insert((method, name.clone())), "{name} is there twice");
        }
        for (method, least) in METHODS {
            assert!(cases::<Table, Table>(method).len() >= least);
        }
    }
}
