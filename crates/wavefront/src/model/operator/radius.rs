//! 1 - rho(|M|): for every square matrix, reducible and periodic ones too.
//!
//! rho(|M|) is the largest of those of the strongly connected components. In a component every positive v brackets it
//! (Collatz, Wielandt):
//!
//! ```text
//! min_i (|M|v)_i / v_i  <=  rho  <=  max_i (|M|v)_i / v_i
//! ```
//!
//! and v is improved by v <- (sigma I - |M|)^-1 v with sigma the upper end (T. Noda, *Note on the computation of the
//! maximal eigenvalue of a non-negative irreducible matrix*, Numer. Math. 17, 1971), which is monotone, converges
//! quadratically, and does not mind periods. sigma I - |M| is an M-matrix: its elimination needs no pivots. For
//! components that are too large for an elimination within a band, v is improved by |M| + sigma I, and then by
//! approximate solutions.

mod band;
mod krylov;
#[cfg(test)]
mod tests;

use crate::markov::components;
use band::Band;

/// Entries of a band that is eliminated, and about how many products that takes.
const MOST_BAND: usize = 10_000_000;
const MOST_PRODUCTS: f64 = 2e9;
/// Maximum number of products for the iteration of a large component.
const MOST_WORK: u64 = 3_000_000_000;
/// So often rows and columns are scaled to be alike.
const SWEEPS: usize = 40;
/// So often a vector is improved at most, and so often without much of an improvement.
const MOST_STEPS: usize = 500;
const MOST_IDLE: usize = 20;
/// Maximum number of products for all eliminations of a component.
const MOST_PRODUCTS_IN_ALL: f64 = 2e10;
/// Number of powers tried before systems are solved, and for each its share of the right-hand side and number of steps.
const POWERS: usize = 200;
const TOLERANCE: f64 = 1e-9;
const MOST_INNER: usize = 4000;
/// A bracket so narrow is as good as doubles allow.
const NARROW: f64 = 4e-16;
/// A bracket that iteration is done at.
const NARROW_ENOUGH: f64 = 1e-13;

/// A bracket of 1 - rho.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    pub low: f64,
    pub high: f64,
}

impl Gap {
    pub fn middle(self) -> f64 {
        self.low + 0.5 * (self.high - self.low)
    }

    /// How far the ends are apart.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

/// The bracket of 1 - rho(|M|) of a square matrix by rows.
///
/// # Examples
/// ```
/// use runcast_wavefront::model::operator::radius::gap;
/// // rho of [[0, 0.5], [0.5, 0]], which is periodic, is 0.5.
/// let gap = gap(&[vec![(1, -0.5)], vec![(0, 0.5)]]);
/// assert!((gap.middle() - 0.5).abs() < 1e-15 && gap.width() < 1e-14);
/// ```
pub fn gap(rows: &[Vec<(usize, f64)>]) -> Gap {
    let mut all = Gap { low: 1.0, high: 1.0 };
    // An entry that is 0 is not an edge.
    let edges = |row: usize| rows[row].iter().filter(|(_, entry)| *entry != 0.0).map(|(column, _)| *column);
    for members in components(rows.len(), rows.len(), edges) {
        let own = match members[..] {
            [only] => {
                let own: f64 = rows[only].iter().filter(|(column, _)| *column == only).map(|(_, v)| v.abs()).sum();
                Gap { low: 1.0 - own, high: 1.0 - own }
            }
            _ => Component::new(rows, &members).gap(),
        };
        all = Gap { low: all.low.min(own.low), high: all.high.min(own.high) };
    }
    all
}

/// A strongly connected component of |M|.
struct Component {
    /// 1 - |m_ii|.
    diagonal: Vec<f64>,
    /// The others of a row: column and size.
    others: Vec<Vec<(usize, f64)>>,
}

impl Component {
    fn new(rows: &[Vec<(usize, f64)>], members: &[usize]) -> Self {
        let place: std::collections::HashMap<usize, usize> =
            members.iter().enumerate().map(|(place, member)| (*member, place)).collect();
        let mut diagonal = vec![1.0; members.len()];
        let mut others = vec![Vec::new(); members.len()];
        for (own, member) in members.iter().enumerate() {
            for (column, value) in &rows[*member] {
                match place.get(column) {
                    Some(column) if *column == own => diagonal[own] -= value.abs(),
                    Some(column) if *value != 0.0 => others[own].push((*column, value.abs())),
                    _ => {}
                }
            }
        }
        let mut component = Component { diagonal, others };
        component.level();
        component.balance();
        component
    }

    /// Scales rows and columns by powers of 2 so that the entries (i, j) and (j, i) are alike along a tree through the
    /// component, where that brings them closer together in total. A drift, such as that of an iteration for a flow,
    /// makes the entries of an eigenvector grow from place to place; on a line, or a grid with a steady drift, this
    /// takes all of the growth away.
    fn level(&mut self) {
        let pairs = self.pairs();
        let mut heights: Vec<Option<f64>> = vec![None; self.diagonal.len()];
        let mut open = vec![0];
        heights[0] = Some(0.0);
        while let Some(own) = open.pop() {
            for (other, lean) in &pairs[own] {
                if heights[*other].is_none() {
                    heights[*other] = heights[own].map(|height| height + 0.5 * lean);
                    open.push(*other);
                }
            }
        }
        let height = |own: usize| heights[own].unwrap_or(0.0);
        let (mut before, mut after) = (0.0_f64, 0.0_f64);
        for (own, list) in pairs.iter().enumerate() {
            for (other, lean) in list {
                before = before.max(lean.abs());
                after = after.max((lean - 2.0 * (height(*other) - height(own))).abs());
            }
        }
        if after < 0.5 * before {
            // The heights are rounded, not their steps, so that what is rounded off does not add up.
            self.scale(|own| height(own).round() as i64);
        }
    }

    /// For each row the others with which there are entries both ways: how much larger, as a power of 2, the entry
    /// (j, i) is than (i, j).
    fn pairs(&self) -> Vec<Vec<(usize, f64)>> {
        let mut entries: Vec<(usize, usize, f64)> = Vec::new();
        for (own, row) in self.others.iter().enumerate() {
            entries.extend(row.iter().map(|(column, value)| (own, *column, *value)));
        }
        entries.sort_by_key(|(row, column, _)| (*row, *column));
        entries.dedup_by_key(|(row, column, _)| (*row, *column));
        let back = |row: usize, column: usize| {
            let found = entries.binary_search_by_key(&(column, row), |(row, column, _)| (*row, *column));
            found.ok().map(|index| entries[index].2)
        };
        let mut pairs = vec![Vec::new(); self.others.len()];
        for (row, column, value) in &entries {
            if let Some(back) = back(*row, *column) {
                pairs[*row].push((*column, back.log2() - value.log2()));
            }
        }
        pairs
    }

    /// Multiplies column i by 2 to the power of i, and divides row i by it.
    fn scale(&mut self, power: impl Fn(usize) -> i64) {
        for (own, row) in self.others.iter_mut().enumerate() {
            for (column, value) in row {
                let power = (power(*column) - power(own)).clamp(-1000, 1000) as i32;
                // In two halves, which stay within range where the result does.
                *value *= 2_f64.powi(power / 2);
                *value *= 2_f64.powi(power - power / 2);
            }
        }
    }

    /// Scales rows and columns by powers of 2, which changes neither eigenvalues nor digits, until the sizes in row and
    /// column i are alike: then the vector of ones is not a bad one to begin with.
    fn balance(&mut self) {
        for _ in 0..SWEEPS {
            let mut columns = vec![0.0; self.diagonal.len()];
            self.others.iter().flatten().for_each(|(column, value)| columns[*column] += value);
            let power = |(row, column): (&Vec<(usize, f64)>, &f64)| {
                let sum: f64 = row.iter().map(|(_, value)| value).sum();
                // Half of what would do it, since the neighbors move at the same time.
                let power = 0.25 * (sum / column).log2();
                if power.is_finite() { power.clamp(-60.0, 60.0).round() as i32 } else { 0 }
            };
            let powers: Vec<i32> = self.others.iter().zip(&columns).map(power).collect();
            if powers.iter().all(|power| *power == 0) {
                break;
            }
            self.scale(|own| i64::from(powers[own]));
        }
    }

    fn gap(&self) -> Gap {
        match Band::new(&self.others, MOST_BAND, MOST_PRODUCTS) {
            Some(band) => self.by_elimination(&band),
            None => self.by_iteration(),
        }
    }

    /// The bracket that a vector gives, and 1 - |M| v row by row over v.
    fn bracket(&self, v: &[f64]) -> Gap {
        let mut bracket = Gap { low: f64::INFINITY, high: f64::NEG_INFINITY };
        for ((own, diagonal), others) in v.iter().zip(&self.diagonal).zip(&self.others) {
            let sum: f64 = others.iter().map(|(column, value)| value * v[*column]).sum();
            let ratio = diagonal - sum / own;
            if ratio.is_nan() {
                return Gap { low: f64::NEG_INFINITY, high: f64::INFINITY };
            }
            bracket = Gap { low: bracket.low.min(ratio), high: bracket.high.max(ratio) };
        }
        bracket
    }

    fn by_elimination(&self, band: &Band) -> Gap {
        let mut v = vec![1.0; self.diagonal.len()];
        let mut best = self.bracket(&v);
        let mut idle = 0;
        let steps = (MOST_PRODUCTS_IN_ALL / band.products()).min(MOST_STEPS as f64) as usize;
        for _ in 0..steps {
            // Near the end rounding alone moves the ends.
            let patience = if best.width() <= NARROW_ENOUGH { 2 } else { MOST_IDLE };
            if best.width() <= NARROW || idle > patience {
                break;
            }
            // sigma I - |M| has 1 - |m_ii| - low on the diagonal, where sigma = 1 - low.
            let Some(next) = band.solved(&self.diagonal, best.low, &self.others, &v) else { break };
            v = next;
            let bracket = self.bracket(&v);
            let better = within(best, bracket);
            idle = if better.width() < 0.9 * best.width() { 0 } else { idle + 1 };
            best = better;
        }
        ordered(best)
    }

    /// The power method with a shift, which takes periods away; then approximate solutions, for what is left where the
    /// second eigenvalue is close.
    fn by_iteration(&self) -> Gap {
        let mut v = vec![1.0; self.diagonal.len()];
        let mut best = self.bracket(&v);
        let shift = 0.5 * (1.0 - best.low).max(0.0);
        let entries: u64 = self.others.iter().map(|row| row.len() as u64 + 1).sum();
        let mut work = 0;
        for _ in 0..POWERS {
            if best.width() <= NARROW_ENOUGH || work > MOST_WORK {
                return ordered(best);
            }
            let product = |own: usize| {
                let sum: f64 = self.others[own].iter().map(|(column, value)| value * v[*column]).sum();
                sum + (1.0 - self.diagonal[own] + shift) * v[own]
            };
            let next: Vec<f64> = (0..v.len()).map(product).collect();
            v = scaled(next);
            best = within(best, self.bracket(&v));
            work += 2 * entries;
        }
        while best.width() > NARROW_ENOUGH && work < MOST_WORK {
            let low = best.low;
            let product = |x: &[f64], to: &mut [f64]| {
                for (own, place) in to.iter_mut().enumerate() {
                    let sum: f64 = self.others[own].iter().map(|(column, value)| value * x[*column]).sum();
                    *place = (self.diagonal[own] - low) * x[own] - sum;
                }
            };
            let left = usize::try_from((MOST_WORK - work) / (2 * entries)).unwrap_or(usize::MAX);
            let (next, steps) = krylov::solved(product, &v, TOLERANCE, left.clamp(1, MOST_INNER));
            work += (2 * steps as u64 + 1) * entries;
            let next = scaled(next.into_iter().map(f64::abs).collect());
            let bracket = self.bracket(&next);
            let before = best.width();
            best = within(best, bracket);
            if best.width() > 0.9 * before {
                break;
            }
            v = next;
        }
        ordered(best)
    }
}

/// With a largest entry of 1.
fn scaled(v: Vec<f64>) -> Vec<f64> {
    let largest = v.iter().copied().fold(0.0, f64::max);
    v.into_iter().map(|entry| entry / largest).collect()
}

fn within(one: Gap, other: Gap) -> Gap {
    Gap { low: one.low.max(other.low), high: one.high.min(other.high) }
}

/// Rounding may let the ends pass each other by a little.
fn ordered(gap: Gap) -> Gap {
    Gap { low: gap.low.min(gap.high), high: gap.high.max(gap.low) }
}
