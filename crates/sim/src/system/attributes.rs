//! Attributes of components, networks and catalogue entries: a value in SI base units, with where it comes from.

mod known;
mod read;
mod states;

pub use known::{Bound, KNOWN, Known, What, known};
pub(crate) use read::{Defaults, attribute_table, attributes};
pub use states::PowerState;
pub(crate) use states::unknown_state;

use indexmap::IndexMap;
use runcast_core::Problem;
use runcast_formula::units::{Quantity, QuantityError, parse_quantity};
use serde::Serialize;
use std::fmt;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quality {
    /// The maker's product page or data sheet.
    Vendor,
    Standard,
    /// Computed from other attributes by its formula.
    Derived,
    /// Measured, by whom the source says.
    Measured,
    /// Unknown; a plausible value.
    Assumed,
    /// Given by the system file.
    Given,
}

impl Quality {
    /// What a file may say.
    pub const WORDS: [&'static str; 5] = ["vendor", "standard", "derived", "measured", "assumed"];
    const ALL: [Quality; 5] =
        [Quality::Vendor, Quality::Standard, Quality::Derived, Quality::Measured, Quality::Assumed];

    /// As written.
    pub fn word(self) -> &'static str {
        match self {
            Quality::Vendor => "vendor",
            Quality::Standard => "standard",
            Quality::Derived => "derived",
            Quality::Measured => "measured",
            Quality::Assumed => "assumed",
            Quality::Given => "given",
        }
    }

    pub(crate) fn nth(index: usize) -> Self {
        Self::ALL[index]
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number, in SI base units.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// One of a few words.
    Word(String),
    /// Watts against busy threads: points by ascending threads.
    Curve(Vec<(f64, f64)>),
    /// Power states, the fastest first.
    States(Vec<PowerState>),
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attribute {
    pub value: Value,
    /// Unit in SI base units: `B/s`, `W`; empty for none.
    pub unit: String,
    /// Where it comes from.
    pub quality: Quality,
    /// The document, with its date.
    pub source: String,
    /// How it is computed, where it is derived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
}

/// Attributes by key, in the order in which they were given.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Attributes {
    entries: IndexMap<String, Attribute>,
}

impl Attributes {
    /// The number of a key, in SI base units.
    pub fn get(&self, key: &str) -> Option<f64> {
        match self.entries.get(key)?.value {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// Yes or no.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.entries.get(key)?.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    pub fn word(&self, key: &str) -> Option<&str> {
        match &self.entries.get(key)?.value {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Points of a curve, such as `power_threads`.
    pub fn curve(&self, key: &str) -> Option<&[(f64, f64)]> {
        match &self.entries.get(key)?.value {
            Value::Curve(points) => Some(points),
            _ => None,
        }
    }

    pub fn attribute(&self, key: &str) -> Option<&Attribute> {
        self.entries.get(key)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.entries.iter().map(|(key, attribute)| (key.as_str(), attribute))
    }

    /// Numbers by key: what formulas see as `hw.KEY`.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        self.entries.iter().filter_map(|(key, attribute)| match attribute.value {
            Value::Number(number) => Some((key.as_str(), number)),
            Value::Flag(flag) => Some((key.as_str(), f64::from(u8::from(flag)))),
            _ => None,
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets one.
    pub fn insert(&mut self, key: impl Into<String>, attribute: Attribute) {
        self.entries.insert(key.into(), attribute);
    }

    /// Sets a number given by the system file or the caller.
    pub fn give(&mut self, key: &str, value: f64) {
        self.give_value(key, Value::Number(value));
    }

    fn give_value(&mut self, key: &str, value: Value) {
        let unit = known(key).map_or("", Known::unit).to_owned();
        let attribute = Attribute { value, unit, quality: Quality::Given, source: String::new(), formula: None };
        self.insert(key, attribute);
    }

    /// Sets a number from a text such as `3.4GHz`, or a name.
    ///
    /// # Errors
    /// A unit that the key does not have, a number out of its bounds.
    pub fn give_text(&mut self, key: &str, text: &str) -> Result<(), Problem> {
        let wrong = |error: QuantityError| {
            let problem = Problem::new("bad_quantity", error.to_string());
            error.hint().map_or(problem.clone(), |hint| problem.hint(hint))
        };
        let value = match known(key) {
            Some(Known { what: What::Quantity(dimension), bound, .. }) => {
                let value = parse_quantity(text, *dimension).map_err(wrong)?;
                if !bound.allows(value) {
                    return Err(Problem::new("out_of_range", format!("{key} cannot be {text}")).allowed(bound.words()));
                }
                value
            }
            Some(Known { what: What::Name, .. }) => {
                self.give_value(key, Value::Word(text.to_owned()));
                return Ok(());
            }
            Some(_) => return Err(Problem::new("wrong_type", format!("{key} is no number")).allowed("a figure")),
            None if runcast_formula::is_name(key) => Quantity::parse(text).map_err(wrong)?.value,
            None => return Err(Problem::new("bad_name", "this is no attribute").allowed("ID.KEY, such as cpu.clock")),
        };
        self.give(key, value);
        Ok(())
    }

    /// Those of some keys.
    #[must_use]
    pub fn only(mut self, keep: impl Fn(&str) -> bool) -> Self {
        self.entries.retain(|key, _| keep(key));
        self
    }

    /// These, with `over` in place of what has the same key.
    #[must_use]
    pub fn with(mut self, over: &Attributes) -> Self {
        for (key, attribute) in &over.entries {
            self.entries.insert(key.clone(), attribute.clone());
        }
        self
    }
}
