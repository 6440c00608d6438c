//! Cells of a table, and a product of low rank through them.

use runcast_core::numeric::cholesky::Factor;
use runcast_core::numeric::dot;
use std::collections::BTreeMap;

/// More factors than these are not told apart by a table of a few programs.
pub const MOST_FACTORS: usize = 3;
/// Rounds of the offsets, and then of the factors.
const SWEEPS: usize = 200;
/// Every so many cells one is held out to choose the number of factors.
const HELD_OUT: usize = 5;

/// Logarithms by row and column.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    /// The configurations of the columns.
    pub columns: Vec<Vec<f64>>,
    known: BTreeMap<(usize, usize), f64>,
}

/// `ln T_ij = mean + a_i + b_j + U_i V_j`
pub struct Factored {
    mean: f64,
    a: Vec<f64>,
    b: Vec<f64>,
    u: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
}

impl Cells {
    pub fn add(&mut self, row: usize, at: Vec<f64>, value: f64) {
        let column = self.columns.iter().position(|known| *known == at).unwrap_or_else(|| {
            self.columns.push(at);
            self.columns.len() - 1
        });
        self.known.insert((row, column), value);
    }

    pub fn get(&self, row: usize, column: usize) -> Option<f64> {
        self.known.get(&(row, column)).copied()
    }

    pub fn has_row(&self, row: usize) -> bool {
        self.known.keys().any(|(other, _)| *other == row)
    }

    /// Rows that have a column.
    pub fn rows_of(&self, column: usize) -> usize {
        self.known.keys().filter(|(_, other)| *other == column).count()
    }

    /// The number of factors, and the errors of the cells that were held out to choose it: every fifth, row by row, of
    /// those whose row and column are known without it.
    pub fn choose(&self, wanted: Option<usize>, ridge: f64) -> (usize, Vec<f64>) {
        let mut rest = self.clone();
        let mut held = Vec::new();
        for (&cell, &value) in self.known.iter().skip(HELD_OUT - 1).step_by(HELD_OUT) {
            rest.known.remove(&cell);
            if rest.has_row(cell.0) && rest.rows_of(cell.1) > 0 {
                held.push((cell, value));
            } else {
                rest.known.insert(cell, value);
            }
        }
        let errors = |factors: usize| -> Vec<f64> {
            let filled = rest.factored(factors, ridge);
            held.iter().map(|((row, column), value)| value - filled.value(*row, *column)).collect()
        };
        let candidates = match wanted {
            Some(factors) => factors..=factors,
            None if held.is_empty() => 0..=0,
            None => 0..=MOST_FACTORS,
        };
        let tried = candidates.map(|factors| (factors, errors(factors)));
        let square = |errors: &[f64]| errors.iter().map(|error| error * error).sum::<f64>();
        tried.min_by(|a, b| square(&a.1).total_cmp(&square(&b.1))).unwrap_or_default()
    }

    /// Offsets by 200 rounds of means with a ridge, then factors by 200 rounds of least squares with it, rows first.
    pub fn factored(&self, factors: usize, ridge: f64) -> Factored {
        let rows = self.known.keys().map(|(row, _)| row + 1).max().unwrap_or(0);
        let mut by_row = vec![Vec::new(); rows];
        let mut by_column = vec![Vec::new(); self.columns.len()];
        for (&(row, column), &value) in &self.known {
            by_row[row].push((column, value));
            by_column[column].push((row, value));
        }
        let mean = self.known.values().sum::<f64>() / self.known.len().max(1) as f64;
        let (mut a, mut b) = (vec![0.0; rows], vec![0.0; self.columns.len()]);
        let offset = |cells: &[(usize, f64)], other: &[f64]| {
            cells.iter().map(|(k, value)| value - mean - other[*k]).sum::<f64>() / (cells.len() as f64 + ridge)
        };
        for _ in 0..SWEEPS {
            a = by_row.iter().map(|cells| offset(cells, &b)).collect();
            b = by_column.iter().map(|cells| offset(cells, &a)).collect();
        }
        let start = |column: usize| (0..factors).map(|k| ((column + 1) as f64 * (k + 1) as f64).cos()).collect();
        let mut v: Vec<Vec<f64>> = (0..self.columns.len()).map(start).collect();
        let mut u = vec![vec![0.0; factors]; rows];
        for _ in 0..if factors == 0 { 0 } else { SWEEPS } {
            let of_row = |(i, cells): (usize, &Vec<(usize, f64)>)| {
                ridge_of(cells.iter().map(|(j, value)| (v[*j].as_slice(), value - mean - a[i] - b[*j])), factors, ridge)
            };
            u = by_row.iter().enumerate().map(of_row).collect();
            let of_column = |(j, cells): (usize, &Vec<(usize, f64)>)| {
                ridge_of(cells.iter().map(|(i, value)| (u[*i].as_slice(), value - mean - a[*i] - b[j])), factors, ridge)
            };
            v = by_column.iter().enumerate().map(of_column).collect();
        }
        Factored { mean, a, b, u, v }
    }
}

impl Factored {
    /// ln T of a cell.
    pub fn value(&self, row: usize, column: usize) -> f64 {
        self.mean + self.a[row] + self.b[column] + dot(&self.u[row], &self.v[column])
    }
}

/// `(sum w w' + ridge I)^-1 sum w y`
fn ridge_of<'w>(pairs: impl Iterator<Item = (&'w [f64], f64)>, factors: usize, ridge: f64) -> Vec<f64> {
    let mut normal: Vec<Vec<f64>> = (0..factors).map(|k| vec![0.0; k + 1]).collect();
    let mut right = vec![0.0; factors];
    for (k, row) in normal.iter_mut().enumerate() {
        row[k] = ridge;
    }
    for (w, y) in pairs {
        for k in 0..factors {
            right[k] += w[k] * y;
            for l in 0..=k {
                normal[k][l] += w[k] * w[l];
            }
        }
    }
    Factor::of(normal).map_or(vec![0.0; factors], |factor| factor.solve(&right))
}
