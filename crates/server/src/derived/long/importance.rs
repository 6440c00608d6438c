//! Which columns matter for a metric.
//!
//! ```text
//! S_j = Var(mean of ln y given j) / Var(ln y)          over a full grid; the rest is theirs together
//! ```
//!
//! Elsewhere: how much worse a forest of trees predicts when a column is shuffled (permutation importance).

use super::median;
use crate::derived::points::code;
use runcast_core::Table;
use runcast_core::random::SplitMix;
use serde::Serialize;
use std::collections::HashMap;

/// Points that are needed at least.
const LEAST_POINTS: usize = 12;
/// Points that a forest looks at, at most.
const MOST_POINTS: usize = 20_000;
const TREES: usize = 50;
const DEPTH: usize = 6;
const SEED: u64 = 0;

/// How the shares were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// By the variance of means, over a full grid.
    Grid,
    /// By shuffling columns before a forest of trees.
    Forest,
}

/// What matters.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Importance {
    /// How the shares were found; null with fewer than 12 points.
    pub method: Option<Method>,
    /// Points that were looked at.
    pub rows: u64,
    /// The largest first.
    pub shares: Vec<Share>,
    /// The share that columns have together only.
    pub together: Option<f64>,
}

/// The share of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Share {
    /// The column.
    pub column: String,
    /// Its share of the variance.
    pub share: f64,
}

/// What matters for `y` (above 0) among these columns; `rows` are those that count.
pub fn importance(table: &Table, columns: &[usize], rows: &[usize], y: impl Fn(usize) -> f64) -> Importance {
    let usable: Vec<usize> = rows.iter().copied().filter(|&row| y(row) > 0.0 && y(row).is_finite()).collect();
    let points = points(table, columns, &usable, &y);
    let none = Importance { method: None, rows: points.len() as u64, shares: Vec::new(), together: None };
    if points.len() < LEAST_POINTS || columns.is_empty() {
        return none;
    }
    let all: Vec<f64> = points.iter().map(|point| point.y).collect();
    let total = variance(&all);
    if total <= 0.0 {
        return none;
    }
    let (method, parts) = match is_grid(&points, columns.len()) {
        true => {
            (Method::Grid, (0..columns.len()).map(|column| main_effect(&points, column) / total).collect::<Vec<f64>>())
        }
        false => (Method::Forest, forest(&points, columns.len())),
    };
    let mut shares: Vec<Share> = columns
        .iter()
        .zip(&parts)
        .map(|(&column, &share)| Share { column: table.columns[column].name.clone(), share })
        .collect();
    shares.sort_by(|a, b| b.share.total_cmp(&a.share));
    let together = (method == Method::Grid).then(|| (1.0 - parts.iter().sum::<f64>()).max(0.0));
    Importance { method: Some(method), together, shares, ..none }
}

/// A configuration: the rank of each column's value, and ln y.
struct Point {
    at: Vec<u32>,
    y: f64,
}

/// Repetitions become one point, their median.
fn points(table: &Table, columns: &[usize], rows: &[usize], y: &impl Fn(usize) -> f64) -> Vec<Point> {
    let ranks: Vec<HashMap<u64, u32>> = columns.iter().map(|&column| ranks(table, column, rows)).collect();
    let mut found: HashMap<Vec<u32>, Vec<f64>> = HashMap::new();
    for &row in rows {
        let at = columns.iter().zip(&ranks).map(|(&column, ranks)| ranks[&code(table, column, row)]).collect();
        found.entry(at).or_default().push(y(row).ln());
    }
    let mut points: Vec<Point> = found.into_iter().map(|(at, mut ys)| Point { at, y: median(&mut ys) }).collect();
    points.sort_by(|a, b| a.at.cmp(&b.at));
    points
}

/// The place of each value of a column in their order.
fn ranks(table: &Table, column: usize, rows: &[usize]) -> HashMap<u64, u32> {
    let mut values: Vec<(u64, Option<f64>)> = rows
        .iter()
        .map(|&row| {
            let number = table.columns[column].as_numbers().map(|numbers| numbers[row]);
            (code(table, column, row), number)
        })
        .collect();
    values.sort_by(|a, b| match (a.1, b.1) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.0.cmp(&b.0),
    });
    values.dedup_by_key(|value| value.0);
    values.into_iter().zip(0..).map(|((code, _), rank)| (code, rank)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len().max(1) as f64
}

/// Whether every combination of values is there, once.
fn is_grid(points: &[Point], columns: usize) -> bool {
    let mut sizes =
        (0..columns).map(|column| points.iter().map(|point| point.at[column]).max().map_or(0, |most| most + 1));
    let combinations = sizes.try_fold(1usize, |all, size| all.checked_mul(usize::try_from(size).ok()?));
    combinations == Some(points.len())
}

fn main_effect(points: &[Point], column: usize) -> f64 {
    let mut groups: HashMap<u32, Vec<f64>> = HashMap::new();
    for point in points {
        groups.entry(point.at[column]).or_default().push(point.y);
    }
    let mut means: Vec<(u32, f64)> = groups.iter().map(|(value, ys)| (*value, mean(ys))).collect();
    means.sort_by_key(|(value, _)| *value);
    variance(&means.into_iter().map(|(_, mean)| mean).collect::<Vec<f64>>())
}

/// A tree: a leaf, or a question.
enum Tree {
    Leaf(f64),
    Split { column: usize, most: u32, below: Box<Tree>, above: Box<Tree> },
}

impl Tree {
    fn value(&self, at: impl Fn(usize) -> u32 + Copy) -> f64 {
        match self {
            Tree::Leaf(value) => *value,
            Tree::Split { column, most, below, above } => {
                if at(*column) <= *most {
                    below.value(at)
                } else {
                    above.value(at)
                }
            }
        }
    }

    fn grow(points: &[Point], of: &[usize], columns: usize, depth: usize) -> Tree {
        let ys: Vec<f64> = of.iter().map(|&index| points[index].y).collect();
        let best = (0..columns)
            .filter_map(|column| best_split(points, of, column))
            .reduce(|a, b| if b.2 < a.2 { b } else { a });
        match best {
            Some((column, most, error)) if depth > 0 && error < variance(&ys) * ys.len() as f64 * (1.0 - 1e-12) => {
                let (below, above): (Vec<usize>, Vec<usize>) =
                    of.iter().partition(|&&index| points[index].at[column] <= most);
                Tree::Split {
                    column,
                    most,
                    below: Box::new(Tree::grow(points, &below, columns, depth - 1)),
                    above: Box::new(Tree::grow(points, &above, columns, depth - 1)),
                }
            }
            _ => Tree::Leaf(mean(&ys)),
        }
    }
}

/// Where a column is best cut in two: column, largest value below, squared error left.
fn best_split(points: &[Point], of: &[usize], column: usize) -> Option<(usize, u32, f64)> {
    let mut order: Vec<(u32, f64)> = of.iter().map(|&index| (points[index].at[column], points[index].y)).collect();
    order.sort_by_key(|&(value, _)| value);
    let (sum, squares) = order.iter().fold((0.0, 0.0), |(sum, squares), (_, y)| (sum + y, squares + y * y));
    let (mut below, mut best) = (0.0, None);
    for (index, pair) in order.windows(2).enumerate() {
        below += pair[0].1;
        if pair[0].0 == pair[1].0 {
            continue;
        }
        let (count, others) = ((index + 1) as f64, (order.len() - index - 1) as f64);
        let error = squares - below * below / count - (sum - below).powi(2) / others;
        if best.is_none_or(|(_, _, least)| error < least) {
            best = Some((column, pair[0].0, error));
        }
    }
    best
}

/// By how much the error grows when a column is shuffled, over the sum of all.
fn forest(points: &[Point], columns: usize) -> Vec<f64> {
    let mut dice = SplitMix::new(SEED, 0);
    let mut grown = vec![0.0; columns];
    for _ in 0..TREES {
        let sample: Vec<usize> = (0..points.len().min(MOST_POINTS)).map(|_| dice.below(points.len())).collect();
        let tree = Tree::grow(points, &sample, columns, DEPTH);
        let error = |at: &dyn Fn(usize, usize) -> u32| {
            let each = sample
                .iter()
                .enumerate()
                .map(|(place, &index)| (tree.value(|column| at(place, column)) - points[index].y).powi(2));
            each.sum::<f64>()
        };
        let plain = error(&|place, column| points[sample[place]].at[column]);
        for (shuffled, grown) in grown.iter_mut().enumerate() {
            let mut other = sample.clone();
            for last in (1..other.len()).rev() {
                other.swap(last, dice.below(last + 1));
            }
            let from = |place: usize, column: usize| if column == shuffled { other[place] } else { sample[place] };
            *grown += (error(&|place, column| points[from(place, column)].at[column]) - plain).max(0.0);
        }
    }
    let total: f64 = grown.iter().sum();
    grown.into_iter().map(|grown| if total > 0.0 { grown / total } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(csv: &str) -> Importance {
        let table = Table::read("t.csv", csv.as_bytes(), &Default::default()).expect("a table");
        let rows: Vec<usize> = (0..table.rows()).collect();
        let values = table.column("time_s").and_then(|column| column.as_numbers()).expect("times");
        importance(&table, &[0, 1], &rows, |row| values[row])
    }

    fn law(p: f64, n: f64) -> String {
        format!("{p},{n},{}\n", n / p + 100.0 * p)
    }

    fn grid() -> String {
        let all = [1.0, 2.0, 4.0, 8.0].into_iter().flat_map(|p| [1000.0, 2000.0, 4000.0].map(|n| law(p, n)));
        format!("p,n,time_s\n{}", all.collect::<String>())
    }

    #[test]
    fn shares_of_a_grid_are_those_of_its_means() {
        let found = of(&grid());
        let share = |name: &str| found.shares.iter().find(|share| share.column == name).expect("a share").share;
        assert_eq!((found.method, found.rows), (Some(Method::Grid), 12));
        assert!((share("p") - 0.378_410).abs() < 1e-6 && (share("n") - 0.528_069).abs() < 1e-6);
        assert!((found.together.expect("a grid") - 0.093_521).abs() < 1e-6);
        assert_eq!(found.shares[0].column, "n");
    }

    #[test]
    fn without_a_full_grid_a_forest_decides_and_few_points_decide_nothing() {
        let lines: Vec<String> = grid().lines().map(str::to_owned).collect();
        assert_eq!(of(&lines[..12].join("\n")).method, None);
        let extra = format!("{}{}", grid(), law(16.0, 1000.0));
        let found = of(&extra);
        assert_eq!((found.method, found.rows, found.together), (Some(Method::Forest), 13, None));
        assert!((found.shares.iter().map(|share| share.share).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(of(&extra), found, "the same seed, the same shares");
    }

    #[test]
    fn a_column_that_nothing_depends_on_has_no_share() {
        let lines: String = (1..=40).map(|p| format!("{p},{},{}\n", p * 7 % 5, p * p)).collect();
        let found = of(&format!("p,n,time_s\n{lines}"));
        assert_eq!(found.shares[0].column, "p");
        assert!(found.shares[0].share > 0.9, "{found:?}");
    }
}
