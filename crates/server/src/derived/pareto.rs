//! Pareto fronts of two metrics.

use super::points::{code, columns, named_metric, numbers, rest, roles, usable_rows};
use super::{Choice, Curve, Figure, FigureAxis, FigureKind, FigurePoint};
use runcast_core::{Metric, Problem, Problems, Table, statistics};
use runcast_sim::optimize::pareto;
use std::collections::{HashMap, HashSet};

/// The metrics chosen by default, in this order.
const USUAL: [&str; 5] = ["time_s", "energy_j", "expected_time_s", "cost", "failure_probability"];

/// Configurations as points of two metrics; those on the front first, in the order of the first metric.
pub(super) fn figure(table: &Table, choice: &Choice) -> Result<Figure, Problems> {
    let roles = roles(table)?;
    let (x, y) = chosen(table, &roles.metrics, choice)?;
    let (xs, ys) = (numbers(table, x.0), numbers(table, y.0));
    let usable = usable_rows(table, &roles);
    let fields: Vec<usize> = roles.parameters.iter().chain(&roles.by).copied().collect();
    let mut index: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut found: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::new();
    for row in (0..table.rows()).filter(|row| usable[*row] && !xs[*row].is_nan() && !ys[*row].is_nan()) {
        let key: Vec<u64> = match fields.is_empty() {
            true => vec![row as u64],
            false => fields.iter().map(|column| code(table, *column, row)).collect(),
        };
        let at = *index.entry(key).or_insert_with(|| {
            found.push((row, Vec::new(), Vec::new()));
            found.len() - 1
        });
        found[at].1.push(xs[row] * x.1.scale);
        found[at].2.push(ys[row] * y.1.scale);
    }
    let points: Vec<(f64, f64)> =
        found.iter().map(|(_, xs, ys)| (statistics::mean(xs), statistics::mean(ys))).collect();
    let on = front(&points, x.1.is_rate(), y.1.is_rate());
    let set: HashSet<usize> = on.iter().copied().collect();
    let order = on.iter().copied().chain((0..points.len()).filter(|index| !set.contains(index)));
    let points = order.map(|index| FigurePoint {
        x: points[index].0,
        y: points[index].1,
        rows: found[index].1.len() as u64,
        front: Some(set.contains(&index)),
        at: rest(table, &roles, found[index].0, &[x.0, y.0]),
        ..FigurePoint::default()
    });
    let axis = |metric: &Metric| FigureAxis { name: metric.name.clone(), unit: metric.unit.clone() };
    Ok(Figure {
        kind: FigureKind::Pareto,
        x: axis(&x.1),
        y: axis(&y.1),
        metric: None,
        by: Vec::new(),
        series: vec![Curve { name: "configurations".to_owned(), base: None, points: points.collect() }],
        columns: columns(table, &roles),
    })
}

type Named = (usize, Metric);

fn chosen(table: &Table, metrics: &[Named], choice: &Choice) -> Result<(Named, Named), Problem> {
    let filled = |(index, _): &&Named| numbers(table, *index).iter().any(|value| !value.is_nan());
    let mut usual: Vec<&Named> = metrics.iter().filter(filled).collect();
    usual.sort_by_key(|(_, metric)| USUAL.iter().position(|name| *name == metric.name).unwrap_or(USUAL.len()));
    let other = |than: Option<&str>, option: &str| {
        let found = usual.iter().find(|(_, metric)| Some(metric.name.as_str()) != than);
        found.map(|found| (*found).clone()).ok_or_else(|| {
            Problem::new("no_metric", "a Pareto front needs two metrics, and the table has fewer").at(option)
        })
    };
    let y_name = choice.y.as_deref();
    let x = match &choice.x {
        Some(name) => named_metric(table, name, "x")?,
        None => other(y_name, "x")?,
    };
    let y = match y_name {
        Some(name) => named_metric(table, name, "y")?,
        None => other(Some(&x.1.name), "y")?,
    };
    Ok((x, y))
}

/// Indices of the points that no other equals or betters in both and betters in one, in the order of the first metric.
/// Equal points are on the front together.
pub(super) fn front(points: &[(f64, f64)], higher_x: bool, higher_y: bool) -> Vec<usize> {
    let signed = |value: f64, higher: bool| if higher { -value } else { value } + 0.0;
    let values: Vec<Vec<f64>> =
        points.iter().map(|point| vec![signed(point.0, higher_x), signed(point.1, higher_y)]).collect();
    let mut same: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
    for (index, value) in values.iter().enumerate() {
        same.entry((value[0].to_bits(), value[1].to_bits())).or_default().push(index);
    }
    let key = |index: usize| (values[index][0].to_bits(), values[index][1].to_bits());
    pareto::front(&values).into_iter().flat_map(|index| same.get(&key(index)).cloned().unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_what_nobody_betters_and_equals_stay_together() {
        let points = [(10.0, 5.0), (8.0, 7.0), (8.0, 6.0), (12.0, 5.0), (7.0, 9.0)];
        let found: Vec<(f64, f64)> = front(&points, false, false).into_iter().map(|index| points[index]).collect();
        assert_eq!(found, [(7.0, 9.0), (8.0, 6.0), (10.0, 5.0)]);
        assert_eq!(front(&[(1.0, 1.0), (1.0, 1.0)], false, false), [0, 1]);
        assert_eq!(front(&[(1.0, 1.0), (2.0, 2.0)], false, true), [0, 1], "more of the second is better");
        assert!(front(&[], false, false).is_empty());
    }

    #[test]
    fn configurations_of_a_table_time_against_energy() {
        let csv = "p,time_s,energy_j\n1,10,5\n2,8,7\n3,8,6\n4,12,5\n5,7,9\n";
        let table = Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table");
        let found = figure(&table, &Choice::default()).expect("a figure");
        let on: Vec<(f64, f64)> = found.series[0]
            .points
            .iter()
            .filter(|point| point.front == Some(true))
            .map(|point| (point.x, point.y))
            .collect();
        assert_eq!(on, [(7.0, 9.0), (8.0, 6.0), (10.0, 5.0)]);
        assert_eq!(found.series[0].points[0].at["p"], "5");
        assert_eq!((found.x.name.as_str(), found.y.unit.as_str()), ("time_s", "J"));
    }
}
