//! The linear program behind the least sum of absolute errors, solved exactly for thousands of points.
//!
//! ```text
//! minimize  f(z) = sum |1 - a_i . z|   over  z >= 0
//! ```
//!
//! `f` is convex and piecewise linear, so there is an optimal vertex: a curve through as many points as there are
//! coefficients that are not 0.
//! From vertex to vertex `f` is followed down along edges, each to its lowest place, which is a weighted
//! median of the points that the edge crosses. This is the dual simplex method with bound flipping for
//!
//! ```text
//! maximize  sum v_i   over  -1 <= v_i <= 1,   A'v + s = 0,   s >= 0
//! ```
//!
//! where `v_i` is the side on which point `i` lies. At the end `v` and `s` keep to their bounds, which proves the
//! optimum: no `f` is below a sum of such `v`. It takes a few tens of vertices, for any number of points.
//!
//! Source: I. Barrodale, F. D. K. Roberts, *An improved algorithm for discrete l1 linear approximation*, SIAM J. Numer.
//! Anal. 10 (1973), for the walk; here the coefficients keep their signs as well.

use super::design::TERMS;
use super::elimination::eliminated;
use runcast_core::numeric::dot;

/// Vertices without progress after which the first edge that leads down is taken, not the steepest, and no point is
/// passed: this cannot cycle (Bland's rule).
const PATIENCE: usize = 10;
/// Vertices without progress after which only rounding errors remain.
const GIVE_UP: usize = 300;
/// A side or slack this far beyond its bound is a rounding error.
const ROUNDING: f64 = 1e-10;
/// A change this much smaller than its parts is a rounding error.
const TINY: f64 = 1e-14;

/// The `z >= 0` with the least sum of `|1 - row . z|` of which only the coefficients in `support` may differ from 0.
///
/// Rows must be finite and not negative, and columns of about length one.
pub(super) fn solve(rows: &[[f64; TERMS]], support: &[usize]) -> [f64; TERMS] {
    let mut walk = Walk::start(rows, support);
    let (mut least, mut stalled) = (f64::INFINITY, 0);
    // Below that the curve goes through all points.
    while stalled < GIVE_UP && least > TINY * rows.len() as f64 {
        let sum = walk.sum();
        stalled = if sum < least * (1.0 - 1e-14) { 0 } else { stalled + 1 };
        least = least.min(sum);
        if !walk.step(stalled >= PATIENCE) {
            break;
        }
    }
    walk.coefficients()
}

/// A constraint that is active at a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    /// The curve goes through this point.
    Point(usize),
    /// The coefficient at this place of the support is 0.
    Zero(usize),
}

/// An edge that leads down from a vertex.
struct Edge {
    /// The basis position that leaves.
    place: usize,
    direction: [f64; TERMS],
    /// How fast the sum changes; below 0.
    slope: f64,
}

/// Where an edge crosses a point, or reaches a coefficient of 0.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    tie: Tie,
    at: f64,
    /// By how much the slope grows there.
    bend: f64,
}

struct Walk<'a> {
    rows: &'a [[f64; TERMS]],
    support: &'a [usize],
    /// The vertex: as many ties as the support has coefficients.
    basis: Vec<Tie>,
    /// The side of each point: 1 above the curve, -1 below; of points on it the one from which the walk came.
    sides: Vec<f64>,
    /// The coefficients in the support.
    z: [f64; TERMS],
}

impl<'a> Walk<'a> {
    /// All coefficients 0: every point is above the curve.
    fn start(rows: &'a [[f64; TERMS]], support: &'a [usize]) -> Self {
        let basis = (0..support.len()).map(Tie::Zero).collect();
        Walk { rows, support, basis, sides: vec![1.0; rows.len()], z: [0.0; TERMS] }
    }

    /// Goes to the lowest place of an edge; false when none leads down.
    fn step(&mut self, careful: bool) -> bool {
        let Some(edge) = self.edge(careful) else { return false };
        let mut crossings = self.crossings(&edge);
        crossings.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.tie.cmp(&b.tie)));
        let mut slope = edge.slope;
        let lowest = crossings.iter().position(|crossing| {
            slope += crossing.bend;
            slope >= 0.0 || careful
        });
        let Some(lowest) = lowest else { return false };
        for crossing in &crossings[..lowest] {
            if let Tie::Point(index) = crossing.tie {
                self.sides[index] = -self.sides[index];
            }
        }
        self.exchange(&edge, crossings[lowest].tie)
    }

    /// The steepest edge that leads down, or the first by name.
    fn edge(&self, first: bool) -> Option<Edge> {
        let values = self.basic_values()?;
        let slope = |place: usize| match self.basis[place] {
            Tie::Point(_) => 1.0 - values[place].abs(),
            Tie::Zero(_) => values[place],
        };
        let down = (0..self.basis.len()).filter(|&place| slope(place) < -ROUNDING);
        let place = match first {
            true => down.min_by_key(|&place| self.basis[place]),
            false => down.min_by(|&a, &b| slope(a).total_cmp(&slope(b))),
        }?;
        // A point moves to the side that its value implies; a coefficient can only grow.
        let change = if matches!(self.basis[place], Tie::Point(_)) { -values[place].signum() } else { 1.0 };
        let mut wanted = [0.0; TERMS];
        wanted[place] = change;
        Some(Edge { place, direction: eliminated(self.ties(), wanted)?, slope: slope(place) })
    }

    /// Where an edge crosses points, and where coefficients reach 0.
    fn crossings(&self, edge: &Edge) -> Vec<Crossing> {
        let crossing = |index: usize| {
            let row = self.own(&self.rows[index]);
            let approach = self.sides[index] * dot(&row, &edge.direction);
            let parts: f64 = row.iter().zip(&edge.direction).map(|(a, d)| (a * d).abs()).sum();
            let distance = self.sides[index] * (1.0 - dot(&row, &self.z));
            let tie = Tie::Point(index);
            let crosses = approach > TINY * parts && !self.basis.contains(&tie);
            crosses.then(|| Crossing { tie, at: distance.max(0.0) / approach, bend: 2.0 * approach })
        };
        let floor = |place: usize| {
            let (tie, fall) = (Tie::Zero(place), -edge.direction[place]);
            let falls = fall > 0.0 && !self.basis.contains(&tie);
            falls.then(|| Crossing { tie, at: self.z[place].max(0.0) / fall, bend: f64::INFINITY })
        };
        (0..self.rows.len()).filter_map(crossing).chain((0..self.support.len()).filter_map(floor)).collect()
    }

    /// Replaces the tie of an edge by another; false if the result is not a vertex.
    fn exchange(&mut self, edge: &Edge, entering: Tie) -> bool {
        if let Tie::Point(index) = self.basis[edge.place] {
            let own = self.own(&self.rows[index]);
            self.sides[index] = -dot(&own, &edge.direction).signum();
        }
        self.basis[edge.place] = entering;
        let wanted = |tie: &Tie| if matches!(tie, Tie::Point(_)) { 1.0 } else { 0.0 };
        let mut right = [0.0; TERMS];
        right.iter_mut().zip(&self.basis).for_each(|(right, tie)| *right = wanted(tie));
        let Some(z) = eliminated(self.ties(), right) else { return false };
        self.z = z;
        for tie in &self.basis {
            if let Tie::Zero(place) = tie {
                self.z[*place] = 0.0;
            }
        }
        true
    }

    /// The values of the basis in `A'v + s = 0`: sides of points on the curve, slacks of coefficients that are 0.
    fn basic_values(&self) -> Option<[f64; TERMS]> {
        let mut right = [0.0; TERMS];
        for (index, row) in self.rows.iter().enumerate() {
            if !self.basis.contains(&Tie::Point(index)) {
                right.iter_mut().zip(self.own(row)).for_each(|(right, value)| *right -= self.sides[index] * value);
            }
        }
        let ties = self.ties();
        let transposed = (0..ties.len()).map(|row| {
            let mut turned = [0.0; TERMS];
            turned.iter_mut().zip(&ties).for_each(|(entry, tie)| *entry = tie[row]);
            turned
        });
        eliminated(transposed.collect(), right)
    }

    /// The rows of the active constraints.
    fn ties(&self) -> Vec<[f64; TERMS]> {
        let row = |tie: &Tie| match *tie {
            Tie::Point(index) => self.own(&self.rows[index]),
            Tie::Zero(place) => {
                let mut unit = [0.0; TERMS];
                unit[place] = 1.0;
                unit
            }
        };
        self.basis.iter().map(row).collect()
    }

    /// The entries of a row in the support.
    fn own(&self, row: &[f64; TERMS]) -> [f64; TERMS] {
        let mut own = [0.0; TERMS];
        own.iter_mut().zip(self.support).for_each(|(entry, &column)| *entry = row[column]);
        own
    }

    /// The sum of the absolute errors here.
    fn sum(&self) -> f64 {
        self.rows.iter().map(|row| (1.0 - dot(&self.own(row), &self.z)).abs()).sum()
    }

    fn coefficients(&self) -> [f64; TERMS] {
        let mut all = [0.0; TERMS];
        self.support.iter().zip(self.z).for_each(|(&column, value)| all[column] = value.max(0.0));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Walk<'_> {
        /// All `v_i`.
        fn multipliers(&self) -> Vec<f64> {
            let mut all = self.sides.clone();
            for (tie, value) in self.basis.iter().zip(self.basic_values().expect("a vertex")) {
                if let Tie::Point(index) = tie {
                    all[*index] = value;
                }
            }
            all
        }
    }

    fn sum(rows: &[[f64; TERMS]], z: &[f64; TERMS]) -> f64 {
        rows.iter().map(|row| (1.0 - dot(row, z)).abs()).sum()
    }

    /// Tries every curve through as many points as coefficients: the slow, obvious way.
    fn by_enumeration(rows: &[[f64; TERMS]]) -> f64 {
        let mut best = rows.len() as f64;
        for support in [&[0][..], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
            for chosen in subsets(rows.len(), support.len()) {
                let pick = |index: &usize| {
                    let mut row = [0.0; TERMS];
                    support.iter().enumerate().for_each(|(place, &column)| row[place] = rows[*index][column]);
                    row
                };
                let Some(solution) = eliminated(chosen.iter().map(pick).collect(), [1.0; TERMS]) else { continue };
                let mut z = [0.0; TERMS];
                support.iter().enumerate().for_each(|(place, &column)| z[column] = solution[place]);
                if z.iter().all(|value| *value >= 0.0) {
                    best = best.min(sum(rows, &z));
                }
            }
        }
        best
    }

    fn subsets(of: usize, size: usize) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for _ in 0..size {
            let longer = |set: Vec<usize>| {
                let next = set.last().map_or(0, |last| last + 1);
                (next..of).map(move |index| [&set[..], &[index]].concat())
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }

    /// Terms that a table of times may have: `(1, 1/K, K)/T`, with steps and repeated columns among them.
    fn rows(points: std::ops::Range<usize>) -> impl Strategy<Value = Vec<[f64; TERMS]>> {
        let time =
            (0u8..4).prop_flat_map(|digits| (1u32..400).prop_map(move |t| f64::from(t) / 10f64.powi(digits.into())));
        let point = (1u64..60, time, prop::bool::ANY);
        prop::collection::vec(point, points).prop_map(|points| {
            let row = |(workers, time, steps): (u64, f64, bool)| {
                let share = if steps { 60u64.div_ceil(workers) as f64 / 60.0 } else { 1.0 / workers as f64 };
                [1.0 / time, share / time, workers as f64 / time]
            };
            points.into_iter().map(row).collect()
        })
    }

    proptest! {
        #[test]
        fn the_optimum_is_that_of_enumeration(rows in rows(1..9)) {
            let z = solve(&rows, &[0, 1, 2]);
            prop_assert!(z.iter().all(|value| *value >= 0.0));
            let (found, expected) = (sum(&rows, &z), by_enumeration(&rows));
            prop_assert!((found - expected).abs() <= 1e-9 * (1.0 + expected), "{found}, expected {expected}");
        }

        /// Any `v` with `A'v <= 0` and `|v_i| <= 1` proves that no sum is below the sum of `v`.
        #[test]
        fn the_optimum_is_proved_by_its_dual(rows in rows(3..300)) {
            let design = crate::fit::design::Design::new(&rows.iter().map(|row| (*row, 1.0)).collect::<Vec<_>>());
            let rows = design.expect("numbers in range").rows;
            let mut walk = Walk::start(&rows, &[0, 1, 2]);
            let mut steps = 0;
            while steps < 300 && walk.step(steps > 100) {
                steps += 1;
            }
            prop_assert!(steps < 100, "{steps} vertices");
            let v = walk.multipliers();
            prop_assert!(v.iter().all(|value| value.abs() <= 1.0 + 1e-9));
            for column in 0..TERMS {
                prop_assert!(rows.iter().zip(&v).map(|(row, v)| row[column] * v).sum::<f64>() <= 1e-9);
            }
            let (found, proved) = (sum(&rows, &walk.coefficients()), v.iter().sum::<f64>());
            prop_assert!(found - proved <= 1e-8 * (1.0 + found), "{found}, proved {proved}");
        }
    }

    #[test]
    fn exact_times_are_met_exactly() {
        let rows: Vec<[f64; TERMS]> = (1..50u32)
            .map(|workers| {
                let workers = f64::from(workers);
                let time = 0.5 + 100.0 / workers + 0.25 * workers;
                [1.0 / time, 1.0 / workers / time, workers / time]
            })
            .collect();
        let z = solve(&rows, &[0, 1, 2]);
        z.iter().zip([0.5, 100.0, 0.25]).for_each(|(found, c)| assert!((found / c - 1.0).abs() < 1e-12, "{z:?}"));
    }
}
