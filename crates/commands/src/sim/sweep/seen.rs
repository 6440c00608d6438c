//! Finds which of the varied quantities change the results of a sweep, as far as its rows show.

use runcast_sim::exchanged;
use runcast_sim::optimize::Objective;
use runcast_sim::run::RunResult;
use runcast_sim::sweep::{Axis, Point};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// So many rows are looked at: what changes nothing in them is looked at by itself.
const MOST: usize = 4096;

/// Results of rows, by their points.
#[derive(Default)]
pub(super) struct Seen(Mutex<Vec<(Point, [Option<f64>; Objective::ALL.len()])>>);

impl Seen {
    /// Takes the result of a point.
    pub(super) fn take(&self, point: &Point, result: &RunResult) {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rows.len() < MOST {
            rows.push((point.clone(), Objective::ALL.map(|objective| objective.of(result))));
        }
    }

    /// For each axis, whether two rows that differ in nothing else have other results.
    pub(super) fn changed(&self, axes: &[Axis]) -> Vec<bool> {
        let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |one: &Option<f64>, other: &Option<f64>| match (one, other) {
            (Some(one), Some(other)) => exchanged::is_same(*one, *other),
            (one, other) => one.is_some() == other.is_some(),
        };
        let changes = |axis: usize| {
            let mut first: HashMap<String, &[Option<f64>]> = HashMap::new();
            rows.iter().any(|(point, values)| {
                let others = point.values.iter().enumerate().filter(|(number, _)| *number != axis);
                let others: Vec<String> = others.map(|(_, value)| value.to_string()).collect();
                let known = first.entry(format!("{}\n{}", point.repetition, others.join("\n"))).or_insert(values);
                !known.iter().zip(values).all(|(one, other)| is_same(one, other))
            })
        };
        (0..axes.len()).map(changes).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_sim::experiment::Value;

    #[test]
    fn rows_that_differ_in_one_name_show_whether_it_matters() {
        let axes = ["n", "m"].map(|name| Axis { name: name.to_owned(), values: Vec::new() });
        let seen = Seen::default();
        let row = |n: f64, m: f64, time_s: f64| {
            let point = Point { values: vec![Value::Number(n), Value::Number(m)], repetition: 0 };
            seen.take(&point, &RunResult { time_s, ..RunResult::default() });
        };
        row(1.0, 1.0, 5.0);
        row(2.0, 2.0, 6.0);
        assert_eq!(seen.changed(&axes), [false, false], "which of the two it was is not known");
        row(2.0, 1.0, 6.0);
        assert_eq!(seen.changed(&axes), [true, false]);
    }
}
