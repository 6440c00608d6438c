//! Where constants change, and their values on either side.

use super::data::Data;
use super::settings::{Method, Settings, Signs, Weights};
use super::triangle::{Solver, Triangle};

/// A place where constants change, between two measured values of a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cut {
    pub(super) at: f64,
    /// The last measured value up to it.
    pub(super) below: f64,
    /// The first measured value past it.
    pub(super) above: f64,
}

impl Cut {
    /// Between two neighbors: in the middle of their logarithms, or of the values if one is not above 0.
    pub(super) fn between(below: f64, above: f64) -> Cut {
        let middle = if below > 0.0 && above > 0.0 { below.sqrt() * above.sqrt() } else { 0.5 * below + 0.5 * above };
        // For two adjacent floating-point numbers the rounded middle may be the upper one.
        let at = if middle >= below && middle < above { middle } else { below };
        Cut { at, below, above }
    }
}

/// A step of one constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Step {
    pub(super) constant: usize,
    pub(super) variable: usize,
    pub(super) cut: Cut,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) method: Method,
    /// Of all constants along the first variable, ascending.
    pub(super) cuts: Vec<Cut>,
    /// Of single constants.
    pub(super) steps: Vec<Step>,
    /// Criterion of its choice; the smaller, the better.
    pub(super) bic: f64,
}

impl Shape {
    /// Number of pieces common to all constants.
    pub(super) fn pieces(&self) -> usize {
        self.cuts.len() + 1
    }

    /// The piece that a value of the first variable belongs to: pieces cover `from < z <= to`.
    pub(super) fn piece(&self, z: &[f64]) -> usize {
        match z.first() {
            Some(z) => self.cuts.iter().filter(|cut| *z > cut.at).count(),
            None => 0,
        }
    }

    /// The constants that hold where the variables have these values.
    pub(super) fn constants(&self, coefficients: &[f64], k: usize, z: &[f64]) -> Vec<f64> {
        let first = self.piece(z) * k;
        let mut constants = coefficients[first..first + k].to_vec();
        for (step, jump) in self.steps.iter().zip(&coefficients[self.pieces() * k..]) {
            if z[step.variable] > step.cut.at {
                constants[step.constant] += jump;
            }
        }
        constants
    }

    /// The value of the model.
    pub(super) fn value(&self, coefficients: &[f64], phi: &[f64], z: &[f64]) -> f64 {
        let constants = self.constants(coefficients, phi.len(), z);
        constants.iter().zip(phi).map(|(c, phi)| c * phi).sum()
    }
}

/// Which constants must not be negative.
pub(super) fn bounded(data: &Data, signs: Signs) -> Vec<bool> {
    data.terms
        .is_constant
        .iter()
        .map(|&is_constant| match signs {
            Signs::Auto => !is_constant,
            Signs::NonNeg => true,
            Signs::Free => false,
        })
        .collect()
}

/// How constants are found once the pieces are known.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) bounded: Vec<bool>,
    pub(super) weights: Weights,
    /// How far the criterion must fall for a step to be added.
    pub(super) step_must_gain: f64,
}

/// How far the criterion must fall for a step: more if every expression is tried, to allow for chance.
pub(super) fn step_must_gain(settings: &Settings, variables: usize) -> f64 {
    let tries_all = settings.segmentation_auto || settings.segmentation.is_empty();
    if tries_all { 2.0 + 2.0 * (variables.max(1) as f64).ln() } else { 2.0 }
}

/// The constants of each piece, then the jump of each step.
pub(super) fn estimate(data: &Data, y: &[f64], shape: &Shape, rules: &Rules) -> Vec<f64> {
    let weights = data.weights(y, rules.weights);
    let k = data.constants();
    let width = k + shape.steps.len();
    let bounded: Vec<bool> = if shape.method == Method::Steps { vec![false; width] } else { rules.bounded.clone() };
    let mut rows_of: Vec<Vec<usize>> = vec![Vec::new(); shape.pieces()];
    for row in 0..data.len() {
        let piece = data.z.first().map_or(0, |z| shape.piece(&[z[row]]));
        rows_of[piece].push(row);
    }
    let mut coefficients = Vec::with_capacity(shape.pieces() * k + shape.steps.len());
    for rows in &rows_of {
        coefficients.extend(solve(data, y, &weights, shape, rows, &bounded));
    }
    coefficients
}

fn solve(data: &Data, y: &[f64], weights: &[f64], shape: &Shape, rows: &[usize], bounded: &[bool]) -> Vec<f64> {
    let width = bounded.len();
    let k = data.constants();
    let mut scale = vec![0.0f64; width];
    let fill = |row: usize, line: &mut [f64]| {
        for (x, phi) in line.iter_mut().zip(&data.phi[row]) {
            *x = phi * weights[row];
        }
        for (x, step) in line[k..].iter_mut().zip(&shape.steps) {
            let past = data.z[step.variable][row] > step.cut.at;
            *x = if past { data.phi[row][step.constant] * weights[row] } else { 0.0 };
        }
    };
    let mut line = vec![0.0; width];
    for &row in rows {
        fill(row, &mut line);
        for (scale, x) in scale.iter_mut().zip(&line) {
            *scale = scale.max(x.abs());
        }
    }
    scale.iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = 1.0);
    let mut triangle = Triangle::new(width);
    for &row in rows {
        fill(row, &mut line);
        line.iter_mut().zip(&scale).for_each(|(x, scale)| *x /= scale);
        triangle.add(&line, y[row] * weights[row]);
    }
    let mut solver = Solver::new(bounded);
    solver.solve(&triangle);
    solver.solution.iter().zip(&scale).map(|(c, scale)| c / scale).collect()
}
