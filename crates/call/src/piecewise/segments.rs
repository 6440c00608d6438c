//! Pieces along one variable, exactly: dynamic programming over all ways to cut the sorted configurations.
//!
//! ```text
//! cost(a, e) = least squares on z_a..z_e, at least (constants + 2) configurations
//! D[S][e]    = min over a of D[S-1][a-1] + cost(a, e)
//! choose S in 1..9 with the least  m ln(max(D[S]/m, 0.005^2)) + (S k + 3 (S-1)) ln m
//! ```

use super::data::Data;
use super::error::NoFit;
use super::settings::Method;
use super::shape::{Cut, Rules, Shape, estimate};
use super::triangle::{Solver, Triangle};
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) const MOST_PIECES: usize = 9;

/// Residuals below 0.5 % count as none.
pub(super) const FLOOR: f64 = 0.005 * 0.005;

/// The cost of a break besides its constants.
const BREAK_COSTS: f64 = 3.0;

/// With more distinct values than this, neighbors are merged for the search, and the cuts refined afterwards.
const MOST_DISTINCT: usize = 512;
const COARSE: usize = 128;

/// The criterion that chooses the number of pieces.
pub(super) fn criterion(squares: f64, m: usize, costs: f64) -> f64 {
    let m = m as f64;
    m * (squares / m).max(FLOOR).ln() + costs * m.ln()
}

/// Neighboring rows between which no cut is searched for.
pub(super) struct Blocks {
    /// First row of each, and the end.
    pub(super) starts: Vec<usize>,
    /// The triangle of each that has many rows.
    pub(super) reduced: Vec<Option<Triangle>>,
}

/// Rows of the weighted and scaled design in the order of the variable.
pub(super) struct Rows {
    pub(super) k: usize,
    lines: Vec<f64>,
    pub(super) right: Vec<f64>,
    /// First row of each distinct value, and the end.
    pub(super) starts: Vec<usize>,
    /// The distinct values.
    values: Vec<f64>,
}

/// The best pieces along the first variable.
pub(super) fn search(data: &Data, y: &[f64], rules: &Rules, stop: &AtomicBool) -> Result<Shape, NoFit> {
    let rows = Rows::new(data, y, rules);
    let distinct = rows.values.len();
    let blocks: Vec<usize> = if distinct > MOST_DISTINCT {
        (0..=COARSE).map(|block| rows.starts[block * distinct / COARSE]).collect()
    } else {
        rows.starts.clone()
    };
    let blocks =
        Blocks { reduced: blocks.windows(2).map(|pair| rows.reduced(pair[0], pair[1])).collect(), starts: blocks };
    let mut best: Option<(f64, Vec<usize>)> = None;
    for (mut ends, mut squares) in rows.best_cuts(&blocks, &rules.bounded, stop)? {
        if distinct > MOST_DISTINCT {
            squares = rows.refine(&mut ends, &blocks, &rules.bounded);
        }
        let criterion = rows.criterion(squares, ends.len() + 1);
        if best.as_ref().is_none_or(|(least, _)| criterion < *least) {
            best = Some((criterion, ends));
        }
    }
    let (bic, ends) = best.unwrap_or((f64::INFINITY, Vec::new()));
    let cuts = ends
        .iter()
        .map(|&row| {
            let place = rows.starts.partition_point(|&start| start < row);
            Cut::between(rows.values[place - 1], rows.values[place])
        })
        .collect();
    Ok(Shape { method: Method::Segments, cuts, steps: Vec::new(), bic })
}

/// All configurations in one piece.
pub(super) fn single(data: &Data, y: &[f64], rules: &Rules) -> Shape {
    let mut shape = Shape { method: Method::Single, cuts: Vec::new(), steps: Vec::new(), bic: 0.0 };
    let coefficients = estimate(data, y, &shape, rules);
    let weights = data.weights(y, rules.weights);
    let squares = (0..data.len())
        .map(|row| {
            let value: f64 = data.phi[row].iter().zip(&coefficients).map(|(phi, c)| phi * c).sum();
            (weights[row] * (y[row] - value)).powi(2)
        })
        .sum();
    shape.bic = criterion(squares, data.len(), data.constants() as f64);
    shape
}

impl Rows {
    fn new(data: &Data, y: &[f64], rules: &Rules) -> Rows {
        let (m, k) = (data.len(), data.constants());
        let z = &data.z[0];
        let weights = data.weights(y, rules.weights);
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&a, &b| z[a].total_cmp(&z[b]).then(a.cmp(&b)));
        let mut scale = vec![0.0f64; k];
        for (phi, weight) in data.phi.iter().zip(&weights) {
            for (scale, phi) in scale.iter_mut().zip(phi) {
                *scale = scale.max((phi * weight).abs());
            }
        }
        scale.iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = 1.0);
        let mut rows = Rows {
            k,
            lines: Vec::with_capacity(m * k),
            right: Vec::with_capacity(m),
            starts: Vec::new(),
            values: Vec::new(),
        };
        for (place, &row) in order.iter().enumerate() {
            rows.lines.extend(data.phi[row].iter().zip(&scale).map(|(phi, scale)| phi * weights[row] / scale));
            rows.right.push(y[row] * weights[row]);
            if rows.values.last().is_none_or(|last| !same(*last, z[row])) {
                rows.values.push(z[row]);
                rows.starts.push(place);
            }
        }
        rows.starts.push(m);
        rows
    }

    pub(super) fn add(&self, triangle: &mut Triangle, row: usize) {
        triangle.add(&self.lines[row * self.k..(row + 1) * self.k], self.right[row]);
    }

    fn criterion(&self, squares: f64, pieces: usize) -> f64 {
        let costs = (pieces * self.k) as f64 + BREAK_COSTS * (pieces - 1) as f64;
        criterion(squares, self.right.len(), costs)
    }

    /// For each number of pieces the first rows of all but the first, and the squares. Cuts lie at the ends of blocks.
    fn best_cuts(&self, blocks: &Blocks, bounded: &[bool], stop: &AtomicBool) -> Result<Vec<(Vec<usize>, f64)>, NoFit> {
        let count = blocks.reduced.len();
        let costs = self.costs(blocks, bounded, stop)?;
        // best[e]: the least squares of the blocks before e in as many pieces as rounds so far.
        let mut best: Vec<f64> = (0..=count).map(|e| if e == 0 { f64::INFINITY } else { costs[e - 1] }).collect();
        // from[S - 2][e]: where the last of S pieces began.
        let mut from: Vec<Vec<usize>> = Vec::new();
        let mut found = vec![(Vec::new(), best[count])];
        for _ in 2..=MOST_PIECES.min(self.right.len() / (self.k + 2)) {
            let mut next = vec![f64::INFINITY; count + 1];
            let mut place = vec![0; count + 1];
            for e in 1..=count {
                for a in 1..e {
                    let squares = best[a] + costs[a * count + e - 1];
                    if squares < next[e] {
                        next[e] = squares;
                        place[e] = a;
                    }
                }
            }
            best = next;
            from.push(place);
            if best[count].is_finite() {
                let mut ends = Vec::new();
                let mut e = count;
                for place in from.iter().rev() {
                    e = place[e];
                    ends.push(blocks.starts[e]);
                }
                ends.reverse();
                found.push((ends, best[count]));
            }
        }
        Ok(found)
    }

    /// Least squares of every interval of blocks `a..=e`, at `a * blocks + e`; infinite where there are too few
    /// configurations, or where its terms cannot be separated.
    fn costs(&self, blocks: &Blocks, bounded: &[bool], stop: &AtomicBool) -> Result<Vec<f64>, NoFit> {
        let (count, starts) = (blocks.reduced.len(), &blocks.starts);
        let m = self.right.len();
        let least = self.k + 2;
        let mut costs = vec![f64::INFINITY; count * count];
        let mut triangle = Triangle::new(self.k);
        let mut solver = Solver::new(bounded);
        for a in 0..count {
            if a > 0 && (starts[a] < least || m - starts[a] < least) {
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                return Err(NoFit::Interrupted);
            }
            triangle.clear();
            for e in a..count {
                match &blocks.reduced[e] {
                    Some(block) => triangle.add_triangle(block),
                    None => (starts[e]..starts[e + 1]).for_each(|row| self.add(&mut triangle, row)),
                }
                let after = m - starts[e + 1];
                let whole = a == 0 && after == 0;
                let allowed = starts[e + 1] - starts[a] >= least && (after == 0 || after >= least);
                if whole || allowed && triangle.is_independent() {
                    costs[a * count + e] = solver.solve(&triangle);
                }
            }
        }
        Ok(costs)
    }

    /// A block of many rows as its triangle.
    fn reduced(&self, from: usize, to: usize) -> Option<Triangle> {
        (to - from > self.k + 1).then(|| self.triangle(from, to))
    }

    pub(super) fn triangle(&self, from: usize, to: usize) -> Triangle {
        let mut triangle = Triangle::new(self.k);
        (from..to).for_each(|row| self.add(&mut triangle, row));
        triangle
    }
}

/// Whether two values of a variable are equal up to rounding.
pub(super) fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}
