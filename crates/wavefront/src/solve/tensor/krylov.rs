//! Linear equations with I - P from the left, by GMRES: for the stationary law and for the sums over all later phases.
//!
//! P is singular there, but the equation is solved within the measures of weight 0, where I - P can be inverted, whatever
//! the period of the chain.

use runcast_core::numeric::dot;

/// Bytes that the vectors between restarts may take.
const BASIS_BYTES: usize = 1 << 28;

/// How many vectors are kept between restarts: where the wavefront forgets slowly, many are needed.
pub(super) fn basis(length: usize) -> usize {
    (BASIS_BYTES / 8 / length.max(1)).clamp(30, 300)
}

/// A correction and how it was found.
pub(super) struct Correction {
    /// d of d (I - P) = residual.
    pub value: Vec<f64>,
    /// What is left of the residual, in the sum of absolute values.
    pub left: f64,
    /// How strongly errors are amplified by slow mixing, as far as was seen: the norm of the inverse of I - P on what was
    /// searched.
    pub amplification: f64,
}

/// Solves d (I - P) = `residual` until what is left is below `goal` or no longer falls; none after `most` steps or when
/// `step` says that it was interrupted.
///
/// `step` applies P and returns false to stop; `center` takes out what rounding left of the weight.
pub(super) fn solve(
    residual: &[f64],
    goal: f64,
    most: usize,
    step: &mut dyn FnMut(&[f64], &mut [f64]) -> bool,
    center: &dyn Fn(&mut [f64]),
) -> Option<Correction> {
    let length = residual.len();
    let asked = absolute(residual);
    let mut value = vec![0.0; length];
    let mut rest = residual.to_vec();
    let mut left = asked;
    let mut steps = 0;
    let mut amplification = 1.0_f64;
    let mut image = vec![0.0; length];
    while left > goal {
        if steps >= most {
            return None;
        }
        let cycle = Cycle::run(&rest, goal, step, center)?;
        let mut next = value.clone();
        cycle.add(&mut next);
        center(&mut next);
        steps += cycle.steps + 1;
        amplification = amplification.max(cycle.inverse);
        if !step(&next, &mut image) {
            return None;
        }
        for (((rest, residual), next), image) in rest.iter_mut().zip(residual).zip(&next).zip(&image) {
            *rest = residual - (next - image);
        }
        center(&mut rest);
        let now = absolute(&rest);
        if now.is_nan() || now >= left {
            break;
        }
        value = next;
        let fell = now / left;
        left = now;
        if fell > 0.5 && left <= 1e4 * goal {
            break;
        }
    }
    if asked > 0.0 {
        amplification = amplification.max(absolute(&value) / asked);
    }
    Some(Correction { value, left, amplification })
}

/// The sum of absolute values.
pub(super) fn absolute(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum()
}

/// One run of GMRES between restarts.
struct Cycle {
    basis: Vec<Vec<f64>>,
    weights: Vec<f64>,
    steps: usize,
    /// The norm of the inverse of the triangle, and so of I - P within the basis.
    inverse: f64,
}

impl Cycle {
    fn run(
        residual: &[f64],
        goal: f64,
        step: &mut dyn FnMut(&[f64], &mut [f64]) -> bool,
        center: &dyn Fn(&mut [f64]),
    ) -> Option<Cycle> {
        let norm = dot(residual, residual).sqrt();
        // Beyond that, directions are of rounding errors, which P may leave alone; a restart continues.
        let goal = (goal / (residual.len() as f64).sqrt()).max(1e-11 * norm);
        let mut basis = vec![residual.iter().map(|value| value / norm).collect::<Vec<f64>>()];
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut turns: Vec<(f64, f64)> = Vec::new();
        let mut right = vec![norm];
        let most = self::basis(residual.len());
        while columns.len() < most {
            let current = &basis[columns.len()];
            let mut image = vec![0.0; current.len()];
            if !step(current, &mut image) {
                return None;
            }
            for (image, current) in image.iter_mut().zip(current) {
                *image = current - *image;
            }
            center(&mut image);
            let whole = dot(&image, &image).sqrt();
            let mut column = vec![0.0; basis.len() + 1];
            // Twice, since once leaves what rounding made.
            for _ in 0..2 {
                for (place, vector) in column.iter_mut().zip(&basis) {
                    let share = dot(&image, vector);
                    *place += share;
                    image.iter_mut().zip(vector).for_each(|(image, vector)| *image -= share * vector);
                }
            }
            let height = dot(&image, &image).sqrt();
            let last = basis.len();
            column[last] = height;
            for (index, (cosine, sine)) in turns.iter().enumerate() {
                let (upper, lower) = (column[index], column[index + 1]);
                column[index] = cosine * upper + sine * lower;
                column[index + 1] = cosine * lower - sine * upper;
            }
            let length = column[last - 1].hypot(height);
            if length == 0.0 {
                break;
            }
            let turn = (column[last - 1] / length, height / length);
            column[last - 1] = length;
            column.truncate(last);
            columns.push(column);
            turns.push(turn);
            let upper = right[last - 1];
            right[last - 1] = turn.0 * upper;
            right.push(-turn.1 * upper);
            if right[last].abs() <= goal || height <= 1e-12 * whole {
                break;
            }
            basis.push(image.into_iter().map(|value| value / height).collect());
        }
        let steps = columns.len();
        let mut weights = vec![0.0; steps];
        for row in (0..steps).rev() {
            let known: f64 = (row + 1..steps).map(|column| columns[column][row] * weights[column]).sum();
            weights[row] = (right[row] - known) / columns[row][row];
        }
        let inverse = inverse(&columns);
        Some(Cycle { basis, weights, steps, inverse })
    }

    fn add(&self, value: &mut [f64]) {
        for (weight, vector) in self.weights.iter().zip(&self.basis) {
            value.iter_mut().zip(vector).for_each(|(value, vector)| *value += weight * vector);
        }
    }
}

/// The norm of the inverse of an upper triangle, given by columns, from some steps of inverse iteration.
fn inverse(columns: &[Vec<f64>]) -> f64 {
    let size = columns.len();
    let mut vector = vec![1.0; size];
    let mut norm = 0.0_f64;
    for _ in 0..8 {
        let length = dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        // With the transpose, from the first row on, then with the triangle, from the last.
        for column in 0..size {
            let known = dot(&columns[column][..column], &vector[..column]);
            vector[column] = (vector[column] - known) / columns[column][column];
        }
        norm = norm.max(dot(&vector, &vector).sqrt());
        for row in (0..size).rev() {
            vector[row] /= columns[row][row];
            let (value, column) = (vector[row], &columns[row]);
            vector[..row].iter_mut().zip(column).for_each(|(place, entry)| *place -= value * entry);
        }
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk on a line that stays with probability 1 - 2 rate and turns around at both ends.
    fn walk(places: usize, rate: f64) -> impl FnMut(&[f64], &mut [f64]) -> bool {
        move |measure, out| {
            for (place, sum) in out.iter_mut().enumerate() {
                let below = if place > 0 { measure[place - 1] } else { measure[0] };
                let above = if place + 1 < places { measure[place + 1] } else { measure[places - 1] };
                *sum = (1.0 - 2.0 * rate) * measure[place] + rate * (below + above);
            }
            true
        }
    }

    fn center(measure: &mut [f64]) {
        let mean = measure.iter().sum::<f64>() / measure.len() as f64;
        measure.iter_mut().for_each(|value| *value -= mean);
    }

    #[test]
    fn a_slow_walk_is_solved_and_known_to_be_slow() {
        let (places, rate) = (60, 0.01);
        let mut residual = vec![0.0; places];
        (residual[0], residual[places - 1]) = (1.0, -1.0);
        let found = solve(&residual, 1e-14, 5000, &mut walk(places, rate), &center).expect("found");
        // d_i - d_(i+1) = 1 / rate all along.
        for (a, b) in found.value.iter().zip(&found.value[1..]) {
            assert!((a - b - 1.0 / rate).abs() < 1e-8, "{a} {b}");
        }
        let gap = 2.0 * rate * (1.0 - (std::f64::consts::PI / places as f64).cos());
        // In the sum of absolute values it is somewhat more than by the gap, which speaks of the Euclidean length.
        assert!((0.9..1.5).contains(&(found.amplification * gap)), "{} {}", found.amplification, 1.0 / gap);
    }

    #[test]
    fn a_cycle_is_solved() {
        let places = 25;
        let mut residual = vec![0.0; places];
        (residual[0], residual[7]) = (1.0, -1.0);
        let mut step = |measure: &[f64], out: &mut [f64]| {
            (0..places).for_each(|place| out[(place + 1) % places] = measure[place]);
            true
        };
        let found = solve(&residual, 1e-14, 5000, &mut step, &center).expect("found");
        for (place, wanted) in residual.iter().enumerate() {
            let before = found.value[(place + places - 1) % places];
            assert!((found.value[place] - before - wanted).abs() < 1e-12);
        }
    }
}
