//! Which bends a program has: added one by one, by least squares with all constants at least 0, while the criterion of
//! Schwarz (1978) falls.

use super::super::data::Data;
use super::super::triangle::{DEPENDENT, Solver, Triangle, dot};
use super::bend::{self, Bend};

/// Most bends.
const MOST: usize = 8;

/// How far the criterion must fall for another.
const MUST_GAIN: f64 = 2.0;

/// What a bend costs, in parameters: its place, its shape and its constant.
const PRICE: f64 = 3.0;

/// Closer fits than this to every value are not told apart.
const FLOOR: f64 = 0.005;

/// Of two candidates this close, relatively, the first is taken.
const TIE: f64 = 1e-9;

/// A sum of terms and of bends.
#[derive(Debug, Clone)]
pub(in super::super) struct Smooth {
    pub(in super::super) bends: Vec<Bend>,
    /// Of the terms, then of the bends.
    pub(in super::super) coefficients: Vec<f64>,
    pub(in super::super) bic: f64,
}

impl Smooth {
    pub(in super::super) fn value(&self, phi: &[f64], z: f64) -> f64 {
        self.value_with(&self.coefficients, phi, z)
    }

    pub(super) fn value_with(&self, coefficients: &[f64], phi: &[f64], z: f64) -> f64 {
        let terms: f64 = coefficients.iter().zip(phi).map(|(c, phi)| c * phi).sum();
        let bends = coefficients[phi.len()..].iter().zip(&self.bends);
        terms + bends.map(|(c, bend)| c * phi[bend.term] * bend.share(z)).sum::<f64>()
    }
}

/// The candidates at the measured configurations.
#[derive(Debug, Clone)]
pub(in super::super) struct Design {
    /// The factor of each term at each configuration.
    terms: Vec<Vec<f64>>,
    z: Vec<f64>,
    candidates: Vec<Bend>,
    /// Each candidate at each configuration, one candidate after the other.
    values: Vec<f64>,
}

impl Design {
    /// For data with one variable, above 0.
    pub(in super::super) fn new(data: &Data) -> Self {
        let z = data.z[0].clone();
        let least = z.iter().copied().fold(f64::INFINITY, f64::min);
        let most = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let terms = terms_of(data);
        let varying = (0..data.constants()).filter(|&k| !data.terms.is_constant[k]);
        let candidates: Vec<Bend> = varying.flat_map(|k| bend::candidates(k, least, most)).collect();
        let mut values = Vec::with_capacity(candidates.len() * z.len());
        for bend in &candidates {
            values.extend(terms[bend.term].iter().zip(&z).map(|(phi, &z)| phi * bend.share(z)));
        }
        Design { terms, z, candidates, values }
    }

    /// Without candidates: enough to estimate constants of known bends.
    pub(in super::super) fn of_bends(data: &Data) -> Self {
        Design { terms: terms_of(data), z: data.z[0].clone(), candidates: Vec::new(), values: Vec::new() }
    }

    fn column_of(&self, bend: &Bend) -> Vec<f64> {
        self.terms[bend.term].iter().zip(&self.z).map(|(phi, &z)| phi * bend.share(z)).collect()
    }
}

fn terms_of(data: &Data) -> Vec<Vec<f64>> {
    (0..data.constants()).map(|k| data.phi.iter().map(|phi| phi[k]).collect()).collect()
}

/// The columns so far in orthonormal directions.
struct Basis<'y> {
    y: &'y [f64],
    directions: Vec<Vec<f64>>,
    /// Each column in the directions up to its own.
    columns: Vec<Vec<f64>>,
    /// The target in each direction, and what is left of it.
    right: Vec<f64>,
    left: Vec<f64>,
    scales: Vec<f64>,
}

impl<'y> Basis<'y> {
    fn new(y: &'y [f64]) -> Self {
        let left = vec![1.0; y.len()];
        Basis { y, directions: Vec::new(), columns: Vec::new(), right: Vec::new(), left, scales: Vec::new() }
    }

    /// The column over the measured values, scaled to maximum 1, into `column`; its scale, and its shares of the
    /// directions, with what is left of it in `column`.
    fn split(&self, values: &[f64], column: &mut [f64], shares: &mut Vec<f64>) -> f64 {
        let mut scale = 0.0f64;
        for ((x, value), y) in column.iter_mut().zip(values).zip(self.y) {
            *x = value / y;
            scale = scale.max(x.abs());
        }
        if scale == 0.0 || !scale.is_finite() {
            scale = 1.0;
        }
        column.iter_mut().for_each(|x| *x /= scale);
        let length = dot(column, column).sqrt();
        shares.clear();
        shares.resize(self.directions.len() + 1, 0.0);
        // Twice is enough to be orthogonal to the last digit.
        for _ in 0..2 {
            for (share, direction) in shares.iter_mut().zip(&self.directions) {
                let along = dot(direction, column);
                *share += along;
                column.iter_mut().zip(direction).for_each(|(x, d)| *x -= along * d);
            }
        }
        let rest = dot(column, column).sqrt();
        if rest > DEPENDENT * length && rest > 0.0 {
            column.iter_mut().for_each(|x| *x /= rest);
            shares[self.directions.len()] = rest;
        } else {
            column.fill(0.0);
        }
        scale
    }

    fn add(&mut self, values: &[f64]) {
        let mut column = vec![0.0; values.len()];
        let mut shares = Vec::new();
        let scale = self.split(values, &mut column, &mut shares);
        let along = dot(&column, &self.left);
        self.left.iter_mut().zip(&column).for_each(|(r, d)| *r -= along * d);
        self.right.push(along);
        self.directions.push(column);
        self.columns.push(shares);
        self.scales.push(scale);
    }

    /// The least squares with one column more, which is not added.
    fn squares_with(&self, values: &[f64], work: &mut Work) -> f64 {
        self.split(values, &mut work.column, &mut work.shares);
        let along = dot(&work.column, &self.left);
        let rest = (dot(&self.left, &self.left) - along * along).max(0.0);
        let mut columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        columns.push(&work.shares);
        let mut right = self.right.clone();
        right.push(along);
        work.solver.solve(&Triangle::of_columns(&columns, &right, rest))
    }

    fn solve(&self) -> (f64, Vec<f64>) {
        let columns: Vec<&[f64]> = self.columns.iter().map(Vec::as_slice).collect();
        let mut solver = Solver::new(&vec![true; columns.len()]);
        let squares = solver.solve(&Triangle::of_columns(&columns, &self.right, dot(&self.left, &self.left)));
        (squares, solver.solution.iter().zip(&self.scales).map(|(c, scale)| c / scale).collect())
    }
}

struct Work {
    column: Vec<f64>,
    shares: Vec<f64>,
    solver: Solver,
}

/// The bends, the most useful first, with all constants.
pub(super) fn search(design: &Design, y: &[f64]) -> Smooth {
    let m = y.len();
    let terms = design.terms.len();
    let criterion = |squares: f64, bends: usize| {
        let parameters = terms as f64 + PRICE * bends as f64;
        m as f64 * (squares / m as f64).max(FLOOR * FLOOR).ln() + parameters * (m as f64).ln()
    };
    let mut basis = Basis::new(y);
    design.terms.iter().for_each(|term| basis.add(term));
    let mut bends: Vec<Bend> = Vec::new();
    let (squares, mut coefficients) = basis.solve();
    let mut bic = criterion(squares, 0);
    while bends.len() < MOST {
        let width = terms + bends.len() + 1;
        let mut work = Work { column: vec![0.0; m], shares: Vec::new(), solver: Solver::new(&vec![true; width]) };
        let mut best: Option<(usize, f64)> = None;
        for (index, values) in design.values.chunks(m).enumerate() {
            let squares = basis.squares_with(values, &mut work);
            if best.is_none_or(|(_, least)| squares < least * (1.0 - TIE)) {
                best = Some((index, squares));
            }
        }
        let Some((index, squares)) = best else { break };
        let next = criterion(squares, bends.len() + 1);
        let gains = bic - next > MUST_GAIN;
        if !gains {
            break;
        }
        basis.add(&design.values[index * m..(index + 1) * m]);
        bends.push(design.candidates[index]);
        (_, coefficients) = basis.solve();
        bic = next;
    }
    Smooth { bends, coefficients, bic }
}

/// The constants of these bends for other measured values.
pub(super) fn estimate(design: &Design, bends: &[Bend], y: &[f64]) -> Vec<f64> {
    let mut basis = Basis::new(y);
    design.terms.iter().for_each(|term| basis.add(term));
    bends.iter().for_each(|bend| basis.add(&design.column_of(bend)));
    basis.solve().1
}
