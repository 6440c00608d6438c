//! The cost of a unit of a term as it was measured, along the variable.

use super::super::data::Data;

/// Above the measured range, the table has no say from this many times its end on; below it, from this many times.
const ABOVE: f64 = 2.0;
const BELOW: f64 = 8.0;

/// The unit cost at each measured value of the variable.
#[derive(Debug, Clone)]
pub(in super::super) struct Unit {
    /// The term that it is the cost of.
    pub(in super::super) term: usize,
    pub(in super::super) z: Vec<f64>,
    ln_z: Vec<f64>,
    pub(in super::super) ln_u: Vec<f64>,
    /// The factor of the term at each configuration, and the knot that it belongs to.
    ln_phi: Vec<f64>,
    knot: Vec<usize>,
}

/// The last term that is above 0 everywhere, if that is the last of all; else the largest of those.
pub(super) fn term(data: &Data) -> Option<usize> {
    let is_positive = |k: &usize| data.phi.iter().all(|phi| phi[*k] > 0.0);
    let last = data.constants().checked_sub(1)?;
    if is_positive(&last) {
        return Some(last);
    }
    // At the largest configuration, where the terms differ most.
    let row = (0..data.len()).max_by(|&a, &b| data.z[0][a].total_cmp(&data.z[0][b]))?;
    (0..last).filter(is_positive).max_by(|&a, &b| data.phi[row][a].total_cmp(&data.phi[row][b]))
}

impl Unit {
    pub(super) fn new(data: &Data) -> Option<Self> {
        let term = term(data)?;
        let mut z: Vec<f64> = data.z[0].clone();
        z.sort_by(f64::total_cmp);
        z.dedup();
        let knot = data.z[0].iter().map(|here| z.partition_point(|other| other < here)).collect();
        let ln_z = z.iter().map(|z| z.ln()).collect();
        let ln_phi = data.phi.iter().map(|phi| phi[term].ln()).collect();
        let mut unit = Unit { term, z, ln_z, ln_u: Vec::new(), ln_phi, knot };
        unit.ln_u = unit.ln_costs(&data.y);
        Some(unit)
    }

    /// The logarithm of the unit cost at each knot: of several configurations, the mean.
    pub(super) fn ln_costs(&self, y: &[f64]) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.z.len()];
        for ((y, ln_phi), &knot) in y.iter().zip(&self.ln_phi).zip(&self.knot) {
            sums[knot].0 += y.ln() - ln_phi;
            sums[knot].1 += 1.0;
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }

    /// Between two knots linear in `ln z`; beyond the ends constant.
    pub(super) fn interpolated(&self, ln_u: &[f64], z: f64) -> f64 {
        let above = self.z.partition_point(|knot| *knot < z);
        match (above.checked_sub(1), ln_u.get(above)) {
            (None, Some(first)) => *first,
            (Some(below), None) => ln_u[below],
            (Some(below), Some(high)) => {
                let share = (z.ln() - self.ln_z[below]) / (self.ln_z[above] - self.ln_z[below]);
                ln_u[below] + share * (high - ln_u[below])
            }
            (None, None) => f64::NAN,
        }
    }

    /// The say that the table has: all within the measured range, less beyond it, soon none.
    pub(super) fn share(&self, z: f64) -> f64 {
        let (Some(least), Some(most)) = (self.z.first(), self.z.last()) else { return 0.0 };
        match () {
            () if z > *most => (1.0 - (z / most).ln() / ABOVE.ln()).max(0.0),
            () if z < *least => (1.0 - (least / z).ln() / BELOW.ln()).max(0.0),
            () => 1.0,
        }
    }
}
