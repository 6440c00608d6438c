//! Steps of single constants along several variables: forward selection, then backward.
//!
//! A candidate is the column `phi_k * [z > t]`. How much it would reduce the squares follows from sums over the rows
//! past `t`, so that all thresholds of a variable are tried in one pass over its sorted rows.

use super::data::Data;
use super::error::NoFit;
use super::segments::{criterion, same};
use super::settings::Method;
use super::shape::{Cut, Rules, Shape, Step};
use super::triangle::dot;
use std::sync::atomic::{AtomicBool, Ordering};

const MOST_STEPS: usize = 8;

/// The cost of a step, compared with 1 for a constant.
const STEP_COSTS: f64 = 2.5;

/// Configurations in which the term is not 0, on each side.
const LEAST_ON_A_SIDE: usize = 4;

/// A column whose part orthogonal to the others is below this share of its squares adds nothing new.
const NOTHING_NEW: f64 = 1e-9;

/// The rows in the order of a variable, and the places where a step may stand.
struct Order {
    variable: usize,
    rows: Vec<usize>,
    /// Position of the first row past each threshold.
    places: Vec<usize>,
    cuts: Vec<Cut>,
}

/// A column-wise design.
struct Search<'d> {
    data: &'d Data,
    /// Weighted columns of the constants, of length one.
    columns: Vec<Vec<f64>>,
    right: Vec<f64>,
    orders: Vec<Order>,
    /// For each constant: whether its term is not 0.
    present: Vec<Vec<bool>>,
}

pub(super) fn search(data: &Data, y: &[f64], rules: &Rules, stop: &AtomicBool) -> Result<Shape, NoFit> {
    let search = Search::new(data, y, rules);
    let mut steps = search.forward(rules.step_must_gain, stop)?;
    search.backward(&mut steps);
    steps.sort_by(|a, b| {
        a.constant.cmp(&b.constant).then(a.variable.cmp(&b.variable)).then(a.cut.at.total_cmp(&b.cut.at))
    });
    let bic = search.criterion(search.squares(&steps), steps.len());
    Ok(Shape { method: Method::Steps, cuts: Vec::new(), steps, bic })
}

impl<'d> Search<'d> {
    fn new(data: &'d Data, y: &[f64], rules: &Rules) -> Self {
        let weights = data.weights(y, rules.weights);
        let columns = (0..data.constants())
            .map(|k| {
                let mut column: Vec<f64> = data.phi.iter().zip(&weights).map(|(phi, weight)| phi[k] * weight).collect();
                let most = column.iter().fold(0.0f64, |most, x| most.max(x.abs()));
                column.iter_mut().for_each(|x| *x /= most);
                column
            })
            .collect();
        let present = (0..data.constants()).map(|k| data.phi.iter().map(|phi| phi[k] != 0.0).collect()).collect();
        Search {
            data,
            columns,
            right: y.iter().zip(&weights).map(|(y, weight)| y * weight).collect(),
            orders: (0..data.z.len()).map(|variable| Order::new(variable, &data.z[variable])).collect(),
            present,
        }
    }

    fn criterion(&self, squares: f64, steps: usize) -> f64 {
        criterion(squares, self.right.len(), self.columns.len() as f64 + STEP_COSTS * steps as f64)
    }

    fn forward(&self, must_gain: f64, stop: &AtomicBool) -> Result<Vec<Step>, NoFit> {
        let mut steps = Vec::new();
        let mut basis = self.basis(&steps);
        let mut now = self.criterion(basis.squares(), 0);
        while steps.len() < MOST_STEPS {
            let Some(step) = self.best_addition(&basis, stop)? else { break };
            basis.add(self.column(&step));
            let next = self.criterion(basis.squares(), steps.len() + 1);
            if now - next <= must_gain {
                break;
            }
            steps.push(step);
            now = next;
        }
        Ok(steps)
    }

    fn backward(&self, steps: &mut Vec<Step>) {
        let mut now = self.criterion(self.squares(steps), steps.len());
        while !steps.is_empty() {
            let without =
                |index: usize| -> Vec<Step> { (0..steps.len()).filter(|&i| i != index).map(|i| steps[i]).collect() };
            let best = (0..steps.len())
                .map(|index| (index, self.criterion(self.squares(&without(index)), steps.len() - 1)))
                .min_by(|a, b| a.1.total_cmp(&b.1));
            match best {
                Some((index, next)) if next < now => {
                    steps.remove(index);
                    now = next;
                }
                _ => break,
            }
        }
    }

    fn column(&self, step: &Step) -> Vec<f64> {
        let z = &self.data.z[step.variable];
        let column = &self.columns[step.constant];
        column.iter().zip(z).map(|(x, z)| if *z > step.cut.at { *x } else { 0.0 }).collect()
    }

    fn basis(&self, steps: &[Step]) -> Basis {
        let mut basis = Basis { directions: Vec::new(), residual: self.right.clone() };
        self.columns.iter().for_each(|column| basis.add(column.clone()));
        steps.iter().for_each(|step| basis.add(self.column(step)));
        basis
    }

    fn squares(&self, steps: &[Step]) -> f64 {
        self.basis(steps).squares()
    }

    /// The step that reduces the squares most.
    fn best_addition(&self, basis: &Basis, stop: &AtomicBool) -> Result<Option<Step>, NoFit> {
        let mut best: Option<(Step, f64)> = None;
        for constant in 0..self.columns.len() {
            for order in &self.orders {
                if stop.load(Ordering::Relaxed) {
                    return Err(NoFit::Interrupted);
                }
                if let Some((place, gain)) = self.best_place(basis, constant, order)
                    && best.as_ref().is_none_or(|(_, most)| gain > *most)
                {
                    best = Some((Step { constant, variable: order.variable, cut: order.cuts[place] }, gain));
                }
            }
        }
        Ok(best.map(|(step, _)| step))
    }

    fn best_place(&self, basis: &Basis, constant: usize, order: &Order) -> Option<(usize, f64)> {
        let column = &self.columns[constant];
        let present = &self.present[constant];
        let total = present.iter().filter(|present| **present).count();
        let (mut past, mut squares, mut along) = (0, 0.0, 0.0);
        let mut shares = vec![0.0; basis.directions.len()];
        let mut best: Option<(usize, f64)> = None;
        let mut row_place = order.rows.len();
        for place in (0..order.places.len()).rev() {
            while row_place > order.places[place] {
                row_place -= 1;
                let row = order.rows[row_place];
                let x = column[row];
                past += usize::from(present[row]);
                squares += x * x;
                along += x * basis.residual[row];
                for (share, direction) in shares.iter_mut().zip(&basis.directions) {
                    *share += x * direction[row];
                }
            }
            if past < LEAST_ON_A_SIDE || total - past < LEAST_ON_A_SIDE {
                continue;
            }
            let new = squares - dot(&shares, &shares);
            if new > NOTHING_NEW * squares {
                let gain = along * along / new;
                if best.is_none_or(|(_, most)| gain > most) {
                    best = Some((place, gain));
                }
            }
        }
        best
    }
}

impl Order {
    fn new(variable: usize, z: &[f64]) -> Self {
        let mut rows: Vec<usize> = (0..z.len()).collect();
        rows.sort_by(|&a, &b| z[a].total_cmp(&z[b]).then(a.cmp(&b)));
        let mut order = Order { variable, rows, places: Vec::new(), cuts: Vec::new() };
        for place in 1..z.len() {
            let (below, above) = (z[order.rows[place - 1]], z[order.rows[place]]);
            if !same(below, above) {
                order.places.push(place);
                order.cuts.push(Cut::between(below, above));
            }
        }
        order
    }
}

/// An orthonormal basis of the columns so far, and the residual of the right-hand side.
struct Basis {
    directions: Vec<Vec<f64>>,
    residual: Vec<f64>,
}

impl Basis {
    fn add(&mut self, mut column: Vec<f64>) {
        let length = dot(&column, &column).sqrt();
        // Twice is enough to be orthogonal to the last digit.
        for _ in 0..2 {
            for direction in &self.directions {
                let share = dot(direction, &column);
                column.iter_mut().zip(direction).for_each(|(x, d)| *x -= share * d);
            }
        }
        let rest = dot(&column, &column).sqrt();
        if rest <= 1e-10 * length {
            return;
        }
        column.iter_mut().for_each(|x| *x /= rest);
        let share = dot(&column, &self.residual);
        self.residual.iter_mut().zip(&column).for_each(|(r, d)| *r -= share * d);
        self.directions.push(column);
    }

    fn squares(&self) -> f64 {
        dot(&self.residual, &self.residual)
    }
}
