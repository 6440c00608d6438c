//! Writing plans: the JSON document and the CSV that `runcast bench` reads.

use super::Plan;
use crate::json;
use crate::table::{Column, Origins, Table};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use std::io;

/// The document of kind `plan`.
impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = |value: Option<f64>| value.map_or(serde_json::Value::Null, json::number);
        let mut document = serializer.serialize_struct("Plan", 9)?;
        document.serialize_field("kind", "plan")?;
        document.serialize_field("version", &1)?;
        document.serialize_field("scaling", &self.scaling)?;
        document.serialize_field("complexity", &self.complexity)?;
        document.serialize_field("constant", &number(self.constant))?;
        document.serialize_field("max_deviation_pct", &number(self.max_deviation_pct()))?;
        if let Some(price) = &self.price {
            document.serialize_field("price", price)?;
        }
        document.serialize_field("warnings", &self.warnings)?;
        document.serialize_field("configurations", &self.configurations)?;
        document.end()
    }
}

impl Plan {
    /// Names of the parameters, in the order of their first appearance.
    pub fn parameters(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.configurations.iter().flat_map(|planned| planned.at.0.keys()) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// The plan as a table: `set`, the parameters, `reps`, `work_per_process`, `deviation_pct`; `core_hours` where
    /// they are known.
    pub fn to_table(&self) -> Table {
        let rows = &self.configurations;
        let numbers = |name: &str, value: &dyn Fn(&super::PlannedConfiguration) -> Option<f64>| {
            Column::numbers(name, rows.iter().map(|planned| value(planned).unwrap_or(f64::NAN)).collect())
        };
        let mut columns = vec![Column::text("set", rows.iter().map(|planned| planned.set.as_str()))];
        columns.extend(self.parameters().into_iter().map(|name| numbers(name, &|planned| planned.at.get(name))));
        columns.push(numbers("reps", &|planned| Some(f64::from(planned.repetitions))));
        columns.push(numbers("work_per_process", &|planned| planned.work_per_process));
        columns.push(numbers("deviation_pct", &|planned| planned.deviation_pct));
        if self.price.is_some() {
            columns.push(numbers("core_hours", &|planned| planned.core_hours));
        }
        let origins = Origins::unknown(rows.len());
        Table { columns, origins, ..Table::default() }
    }

    /// Writes the plan as CSV, which [`configurations_from`](super::configurations_from) reads.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: impl io::Write) -> io::Result<()> {
        self.to_table().write_csv(out)
    }
}
