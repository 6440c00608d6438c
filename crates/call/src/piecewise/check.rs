//! Whether the runs determine the constants at all.

use super::data::Data;
use super::error::NoFit;
use super::settings::{Settings, Signs};
use super::shape::{Rules, Shape};
use super::triangle::{Solver, Triangle, dot};
use nalgebra::DMatrix;

/// Above this condition the constants are determined by rounding errors.
const REFUSED: f64 = 1e10;

/// Above this condition single constants are uncertain.
pub(super) const ILL: f64 = 1e3;

/// Result of the check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Checked {
    /// Fewer configurations than constants, but the signs leave one solution.
    pub(super) underdetermined: bool,
    /// Largest singular value over smallest, columns scaled to 1; none where there are too few configurations.
    pub(super) condition: Option<f64>,
}

/// Refuses fits without a unique solution.
pub(super) fn check(data: &Data, settings: &Settings, rules: &Rules) -> Result<Checked, NoFit> {
    let constants: Vec<String> = (0..data.constants()).map(|k| name(settings, k)).collect();
    let zero: Vec<usize> = (0..data.constants()).filter(|&k| data.phi.iter().all(|phi| phi[k] == 0.0)).collect();
    if !zero.is_empty() {
        let terms = zero.iter().map(|&k| (constants[k].clone(), data.terms.texts[k].clone())).collect();
        return Err(NoFit::ZeroTerm { terms, cure: where_not_zero(data, settings, &zero) });
    }
    let all: Vec<usize> = (0..data.len()).collect();
    let triangle = triangle(data, rules, &all);
    if data.len() < data.constants() {
        if settings.signs != Signs::Free && is_only_solution(&triangle, rules) {
            return Ok(Checked { underdetermined: true, condition: None });
        }
        return Err(NoFit::TooFew { configurations: data.len(), constants });
    }
    let (condition, weakest) = singular(&triangle);
    if condition.is_nan() || condition > REFUSED {
        let most = weakest.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let dependent: Vec<usize> = (0..data.constants()).filter(|&k| weakest[k].abs() > 1e-3 * most).collect();
        let cure = how_to_tell_apart(data, &dependent);
        let constants = dependent.iter().map(|&k| constants[k].clone()).collect();
        return Err(NoFit::Dependent { constants, cure });
    }
    Ok(Checked { underdetermined: false, condition: Some(condition) })
}

/// `F[1]`
pub(super) fn name(settings: &Settings, constant: usize) -> String {
    format!("{}[{constant}]", settings.template.constants())
}

/// The largest condition of any piece.
pub(super) fn condition_of_pieces(data: &Data, shape: &Shape, rules: &Rules) -> f64 {
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); shape.pieces()];
    for row in 0..data.len() {
        rows[data.z.first().map_or(0, |z| shape.piece(&[z[row]]))].push(row);
    }
    rows.iter().map(|rows| singular(&triangle(data, rules, rows)).0).fold(1.0, f64::max)
}

/// The weighted rows, columns scaled to maximum 1.
fn triangle(data: &Data, rules: &Rules, rows: &[usize]) -> Triangle {
    let k = data.constants();
    let weights = data.weights(&data.y, rules.weights);
    let mut scale = vec![0.0f64; k];
    for &row in rows {
        for (scale, phi) in scale.iter_mut().zip(&data.phi[row]) {
            *scale = scale.max((phi * weights[row]).abs());
        }
    }
    let mut triangle = Triangle::new(k);
    for &row in rows {
        let line: Vec<f64> = data.phi[row]
            .iter()
            .zip(&scale)
            .map(|(phi, scale)| if *scale > 0.0 { phi * weights[row] / scale } else { 0.0 })
            .collect();
        triangle.add(&line, data.y[row] * weights[row]);
    }
    triangle
}

/// The condition, and the direction least determined by the rows.
fn singular(triangle: &Triangle) -> (f64, Vec<f64>) {
    let columns = triangle.columns();
    let k = columns.len();
    let matrix = DMatrix::from_fn(k, k, |i, j| columns[j][i]);
    if matrix.iter().any(|x| !x.is_finite()) {
        return (f64::INFINITY, vec![1.0; k]);
    }
    let svd = matrix.svd(false, true);
    let (mut least, mut most) = (0, 0);
    for index in 0..k {
        if svd.singular_values[index] < svd.singular_values[least] {
            least = index;
        }
        if svd.singular_values[index] > svd.singular_values[most] {
            most = index;
        }
    }
    let weakest = svd.v_t.map_or(vec![1.0; k], |v_t| (0..k).map(|j| v_t[(least, j)]).collect());
    let condition = svd.singular_values[most] / svd.singular_values[least];
    (if condition.is_nan() { f64::INFINITY } else { condition.max(1.0) }, weakest)
}

/// Whether the positive constants are independent, and each of the others would only make it worse.
fn is_only_solution(triangle: &Triangle, rules: &Rules) -> bool {
    let mut solver = Solver::new(&rules.bounded);
    solver.solve(triangle);
    let solution = &solver.solution;
    let columns = triangle.columns();
    let mut residual = triangle.right();
    for (column, c) in columns.iter().zip(solution) {
        residual.iter_mut().zip(column).for_each(|(r, x)| *r -= c * x);
    }
    let active: Vec<usize> = (0..columns.len()).filter(|&j| !rules.bounded[j] || solution[j] > 0.0).collect();
    let inactive_hurt = (0..columns.len()).filter(|j| !active.contains(j)).all(|j| -dot(&columns[j], &residual) > 1e-9);
    let matrix = DMatrix::from_fn(columns.len(), active.len(), |i, j| columns[active[j]][i]);
    // Empty or non-finite matrices have no singular values.
    if active.is_empty() || matrix.iter().any(|x| !x.is_finite()) {
        return false;
    }
    let values = matrix.singular_values();
    inactive_hurt && values.min() > values.max() / REFUSED
}

/// `P > 1`, for the names of these terms that never vary.
fn where_not_zero(data: &Data, settings: &Settings, zero: &[usize]) -> String {
    let mut told: Vec<String> = Vec::new();
    for &k in zero {
        for used in settings.template.factors()[k].names() {
            let Some(place) = data.terms.names.iter().position(|name| *name == used) else { continue };
            if let [value] = data.values_of(place)[..] {
                let cure = format!("{used} > {value}");
                if !told.contains(&cure) {
                    told.push(cure);
                }
            }
        }
    }
    if told.is_empty() { "configurations where it is not".to_owned() } else { told.join(" or ") }
}

fn how_to_tell_apart(data: &Data, dependent: &[usize]) -> String {
    let texts: Vec<&str> = dependent.iter().map(|&k| data.terms.texts[k].as_str()).collect();
    let fixed: Vec<String> = (0..data.terms.names.len())
        .filter_map(|place| match data.values_of(place)[..] {
            [value] => Some(format!("{} (always {value})", data.terms.names[place])),
            _ => None,
        })
        .collect();
    if fixed.is_empty() {
        format!("measure more values of {}, or drop one of {}", data.terms.names.join(", "), texts.join(", "))
    } else {
        format!("vary {}, or drop one of {}", fixed.join(", "), texts.join(", "))
    }
}
