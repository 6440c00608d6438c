//! The linear problem behind a fit.

use runcast_core::numeric::{dot, norm, qr::Qr};

/// Number of coefficients: fixed, work, per worker.
pub(super) const TERMS: usize = 3;

/// Subsets of the coefficients: all non-empty ones, in order of preference if they fit equally well.
///
/// Fewer coefficients come first. Among equally many, work before fixed before per worker: if the measured times
/// cannot separate two of them, the one is chosen without which there would be no work to distribute.
pub(super) const SUPPORTS: [&[usize]; 7] = [&[1], &[0], &[2], &[0, 1], &[1, 2], &[0, 2], &[0, 1, 2]];

/// The terms of the model at every point, divided by the time measured there; columns scaled to length one.
///
/// The residual of a point is `rows[i] . z - 1`, its relative error; coefficients are `z[j]/lengths[j]`.
#[derive(Debug, Clone)]
pub(super) struct Design {
    /// A row per point.
    pub rows: Vec<[f64; TERMS]>,
    /// Scale factor of each column.
    pub lengths: [f64; TERMS],
}

impl Design {
    /// The design of points given as their terms and their times; `None` when numbers leave the range of `f64`.
    pub(super) fn new(points: &[([f64; TERMS], f64)]) -> Option<Self> {
        let mut rows: Vec<[f64; TERMS]> =
            points.iter().map(|(terms, time_s)| terms.map(|term| term / time_s)).collect();
        let lengths = [0, 1, 2].map(|column| norm(&rows.iter().map(|row| row[column]).collect::<Vec<_>>()));
        if lengths.iter().any(|length| !length.is_normal()) {
            return None;
        }
        rows.iter_mut().for_each(|row| row.iter_mut().zip(lengths).for_each(|(value, length)| *value /= length));
        Some(Design { rows, lengths })
    }

    /// The relative errors of coefficients of the columns of length one.
    pub(super) fn residuals<'a>(&'a self, z: &'a [f64; TERMS]) -> impl Iterator<Item = f64> + 'a {
        self.rows.iter().map(|row| dot(row, z) - 1.0)
    }

    /// `sum r^2`
    pub(super) fn squares(&self, z: &[f64; TERMS]) -> f64 {
        self.residuals(z).map(|residual| residual * residual).sum()
    }

    /// `sum |r|`
    pub(super) fn absolutes(&self, z: &[f64; TERMS]) -> f64 {
        self.residuals(z).map(f64::abs).sum()
    }

    /// Some columns factored, with a right-hand side of ones.
    pub(super) fn factored(&self, support: &[usize]) -> Qr {
        let columns = support.iter().map(|&column| self.rows.iter().map(|row| row[column]).collect()).collect();
        Qr::of(columns, vec![1.0; self.rows.len()])
    }

    /// The coefficients of the model.
    pub(super) fn unscaled(&self, z: &[f64; TERMS]) -> [f64; TERMS] {
        [0, 1, 2].map(|column| z[column] / self.lengths[column])
    }
}

/// The best of the solutions over supports, each with its objective value; the earlier one if the later one is better
/// only by rounding errors.
///
/// Without this, times computed without a cost per worker would be fitted with one of 1e-17, which would produce a
/// boundary if there is none.
pub(super) fn best_of(solutions: impl Iterator<Item = ([f64; TERMS], f64)>, rounding: f64) -> [f64; TERMS] {
    let mut best = ([0.0; TERMS], f64::INFINITY);
    for solution in solutions {
        if solution.1 < best.1 * (1.0 - 1e-12) - rounding || best.1 == f64::INFINITY {
            best = solution;
        }
    }
    best.0
}
