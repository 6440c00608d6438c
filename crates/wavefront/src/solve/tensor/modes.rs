//! The chain of the modes alone: it does not depend on the wavefront, and it may be very slow.

use crate::model::Modes;
use nalgebra::{DMatrix, DVector};

/// How the modes are in the long run.
pub(super) struct LongRun {
    /// Closed classes that are reached.
    pub classes: Vec<Vec<usize>>,
    /// The stationary law, each class with its probability to be reached.
    pub law: Vec<f64>,
}

impl LongRun {
    pub fn of(modes: &Modes) -> LongRun {
        let count = modes.count();
        let reach = reach(&modes.transition);
        let started: Vec<usize> = (0..count).filter(|mode| modes.start[*mode] > 0.0).collect();
        let reached = |mode: usize| started.iter().any(|start| *start == mode || reach[*start][mode]);
        let back = |mode: usize| (0..count).all(|other| !reach[mode][other] || reach[other][mode]);
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for mode in (0..count).filter(|mode| reached(*mode) && back(*mode)) {
            match classes.iter_mut().find(|class| reach[class[0]][mode]) {
                Some(class) => class.push(mode),
                None => classes.push(vec![mode]),
            }
        }
        let weights = absorbed(modes, &classes, &reached);
        let mut law = vec![0.0; count];
        for (class, weight) in classes.iter().zip(weights) {
            for (mode, share) in class.iter().zip(eliminate(&modes.transition, class)) {
                law[*mode] = weight * share;
            }
        }
        LongRun { classes, law }
    }

    /// The measure m of weight 0 with m (I - Q) = `given`, within the only class there is.
    pub fn later(&self, modes: &Modes, given: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; given.len()];
        let [class] = self.classes.as_slice() else { return out };
        if class.len() < 2 {
            return out;
        }
        let size = class.len();
        let mut matrix = DMatrix::zeros(size, size);
        for (row, from) in class.iter().enumerate() {
            for (column, to) in class.iter().enumerate().filter(|(column, _)| *column != row) {
                matrix[(column, row)] -= modes.transition[*from][*to];
                // Not 1 - Q, whose digits are gone for slow modes.
                matrix[(row, row)] += modes.transition[*from][*to];
            }
        }
        matrix.row_mut(size - 1).fill(1.0);
        let mut right = DVector::from_iterator(size, class.iter().map(|mode| given[*mode]));
        right[size - 1] = 0.0;
        if let Some(solved) = matrix.lu().solve(&right) {
            class.iter().zip(solved.iter()).for_each(|(mode, value)| out[*mode] = *value);
        }
        out
    }
}

/// Which modes can follow which, in any number of steps from 1 on.
fn reach(transition: &[Vec<f64>]) -> Vec<Vec<bool>> {
    let mut reach: Vec<Vec<bool>> =
        transition.iter().map(|row| row.iter().map(|probability| *probability > 0.0).collect()).collect();
    for through in 0..reach.len() {
        let onward = reach[through].clone();
        for row in &mut reach {
            if row[through] {
                row.iter_mut().zip(&onward).for_each(|(to, onward)| *to |= onward);
            }
        }
    }
    reach
}

/// The probability to end in each class.
fn absorbed(modes: &Modes, classes: &[Vec<usize>], reached: &dyn Fn(usize) -> bool) -> Vec<f64> {
    let inside = |mode: usize| classes.iter().any(|class| class.contains(&mode));
    let outside: Vec<usize> = (0..modes.count()).filter(|mode| reached(*mode) && !inside(*mode)).collect();
    // Expected visits of the modes that are left for good.
    let mut matrix = DMatrix::identity(outside.len(), outside.len());
    for (row, from) in outside.iter().enumerate() {
        let leaving: f64 = (0..modes.count()).filter(|to| to != from).map(|to| modes.transition[*from][to]).sum();
        matrix[(row, row)] = leaving;
        for (column, to) in outside.iter().enumerate().filter(|(column, _)| *column != row) {
            matrix[(column, row)] = -modes.transition[*from][*to];
        }
    }
    let start = DVector::from_iterator(outside.len(), outside.iter().map(|mode| modes.start[*mode]));
    let visits = if outside.is_empty() { start } else { matrix.lu().solve(&start).unwrap_or(start) };
    let weight = |class: &Vec<usize>| -> f64 {
        let direct: f64 = class.iter().map(|mode| modes.start[*mode]).sum();
        let entered =
            |(visits, from): (&f64, &usize)| visits * class.iter().map(|to| modes.transition[*from][*to]).sum::<f64>();
        direct + visits.iter().zip(&outside).map(entered).sum::<f64>()
    };
    let weights: Vec<f64> = classes.iter().map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// The stationary law of a closed class, by elimination without subtractions.
fn eliminate(transition: &[Vec<f64>], class: &[usize]) -> Vec<f64> {
    let size = class.len();
    let mut rates: Vec<Vec<f64>> =
        class.iter().map(|from| class.iter().map(|to| transition[*from][*to]).collect()).collect();
    for last in (1..size).rev() {
        let (earlier, own) = rates.split_at_mut(last);
        let own = &own[0][..last];
        let leaving: f64 = own.iter().sum();
        for row in earlier {
            row[last] /= leaving;
            let through = row[last];
            row.iter_mut().zip(own).for_each(|(rate, onward)| *rate += through * onward);
        }
    }
    let mut law = vec![1.0; size];
    for index in 1..size {
        law[index] = (0..index).map(|from| law[from] * rates[from][index]).sum();
    }
    let sum: f64 = law.iter().sum();
    law.iter().map(|value| value / sum).collect()
}
