//! Levenberg-Marquardt with bounds, on residuals whose derivatives are differences (K. Levenberg 1944; D. Marquardt 1963;
//! steps are cut back to the box, as in projected methods).

use super::Free;
use nalgebra::{DMatrix, DVector};
use runcast_core::Problem;

/// Steps after which the search gives up.
const MOST_STEPS: usize = 100;
/// Relative change of a coefficient for a derivative: simulated times are exact to 1e-12 or so, and kinked.
const CHANGE: f64 = 1e-4;
/// The search has ended when no coefficient moves by more than this, relatively.
const STILL: f64 = 1e-10;

/// Where a search ended.
#[derive(Debug, Clone)]
pub(super) struct Least {
    pub values: Vec<f64>,
    /// Half the sum of squares of the residuals.
    pub sum: f64,
    /// Derivatives of the residuals there.
    pub jacobian: DMatrix<f64>,
    /// Derivatives at the start, and where that was.
    pub first_jacobian: DMatrix<f64>,
    pub first_values: Vec<f64>,
    pub evaluations: u64,
    pub converged: bool,
}

type Residuals<'r> = dyn Fn(&[f64]) -> Result<Vec<f64>, Problem> + 'r;

pub(super) fn minimize(residuals: &Residuals<'_>, free: &[Free], start: Vec<f64>) -> Result<Least, Problem> {
    let mut values: Vec<f64> = start.iter().zip(free).map(|(value, one)| value.clamp(one.low, one.high)).collect();
    let first_values = values.clone();
    let mut now = DVector::from_vec(residuals(&values)?);
    let mut jacobian = derivatives(residuals, free, &values, &now)?;
    let first_jacobian = jacobian.clone();
    let mut evaluations = 1 + free.len() as u64;
    let mut damping = 1e-3;
    let mut converged = false;
    for _ in 0..MOST_STEPS {
        let Some((next, moved)) = step(&jacobian, &now, &values, free, damping) else {
            converged = true;
            break;
        };
        let there = DVector::from_vec(residuals(&next)?);
        evaluations += 1;
        if there.norm_squared() < now.norm_squared() {
            values = next;
            now = there;
            damping = (damping / 10.0_f64).max(1e-12);
            jacobian = derivatives(residuals, free, &values, &now)?;
            evaluations += free.len() as u64;
            if moved < STILL {
                converged = true;
                break;
            }
        } else {
            damping *= 10.0;
            if moved < STILL || damping > 1e16 {
                converged = true;
                break;
            }
        }
    }
    let sum = 0.5 * now.norm_squared();
    Ok(Least { values, sum, jacobian, first_jacobian, first_values, evaluations, converged })
}

/// A step of the damped problem, through the singular values of the scaled Jacobian, and the largest relative move.
/// Coefficients that would leave the box stay at its edge; none is left to move: no step.
fn step(
    jacobian: &DMatrix<f64>,
    now: &DVector<f64>,
    values: &[f64],
    free: &[Free],
    damping: f64,
) -> Option<(Vec<f64>, f64)> {
    if !is_finite(jacobian) || !now.iter().all(|part| part.is_finite()) {
        return None;
    }
    let gradient = jacobian.tr_mul(now);
    let at_edge = |index: usize| {
        (values[index] <= free[index].low && gradient[index] > 0.0)
            || (values[index] >= free[index].high && gradient[index] < 0.0)
    };
    let moving: Vec<usize> = (0..values.len()).filter(|&index| !at_edge(index)).collect();
    if moving.is_empty() {
        return None;
    }
    let scaled = DMatrix::from_fn(jacobian.nrows(), moving.len(), |row, column| {
        jacobian[(row, moving[column])] * scale(values[moving[column]], &free[moving[column]])
    });
    let svd = scaled.svd(true, true);
    let (u, v_t) = (svd.u?, svd.v_t?);
    let along = u.tr_mul(now);
    let mut weights = DVector::zeros(svd.singular_values.len());
    let largest = svd.singular_values.max();
    for (index, sigma) in svd.singular_values.iter().enumerate() {
        weights[index] = -along[index] * sigma / (sigma * sigma + damping * largest * largest);
    }
    let relative = v_t.tr_mul(&weights);
    let mut next = values.to_vec();
    let mut moved = 0.0_f64;
    for (column, &index) in moving.iter().enumerate() {
        let size = scale(values[index], &free[index]);
        next[index] = (values[index] + relative[column] * size).clamp(free[index].low, free[index].high);
        moved = moved.max(((next[index] - values[index]) / size).abs());
    }
    (next.iter().all(|value| value.is_finite())).then_some((next, moved))
}

/// Whether a matrix holds numbers only: singular values of others are none.
pub(super) fn is_finite(matrix: &DMatrix<f64>) -> bool {
    matrix.iter().all(|part| part.is_finite())
}

/// What a relative change is relative to: a coefficient that has reached 0 still has its start.
fn scale(value: f64, free: &Free) -> f64 {
    let start = free.start.abs();
    let size = value.abs().max(1e-3 * start);
    if size > 0.0 { size } else { 1.0 }
}

/// Forward differences, or backward ones at the upper bound.
fn derivatives(
    residuals: &Residuals<'_>,
    free: &[Free],
    values: &[f64],
    now: &DVector<f64>,
) -> Result<DMatrix<f64>, Problem> {
    let mut jacobian = DMatrix::zeros(now.len(), values.len());
    for (column, one) in free.iter().enumerate() {
        let change = CHANGE * scale(values[column], one);
        let change = if values[column] + change > one.high { -change } else { change };
        let mut there = values.to_vec();
        there[column] += change;
        // What was really added.
        let change = there[column] - values[column];
        let changed = residuals(&there)?;
        for (row, value) in changed.iter().enumerate() {
            jacobian[(row, column)] = (value - now[row]) / change;
        }
    }
    Ok(jacobian)
}
