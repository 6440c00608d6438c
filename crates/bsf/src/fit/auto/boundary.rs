//! The number of workers with the shortest time, and its interval.

use super::Auto;
use super::hypothesis::COLUMNS;
use super::member::Member;
use crate::candidates::{candidates, least};
use runcast_core::random::SplitMix;
use runcast_core::statistics::quantile_of_sorted;

/// Draws behind the interval of the boundary.
pub const BOUNDARY_DRAWS: u32 = 1_000;

/// The interval of the boundary; an end is none where it is not bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryRange {
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Auto {
    /// The number of workers with the shortest time on the curve of the mixture; ties go to fewer. None if no member has a
    /// cost that grows with the workers.
    pub fn k_max(&self) -> Option<u64> {
        let is_bounded = self.members.iter().any(|member| member.coefficients().per_worker_s > 0.0);
        is_bounded.then(|| least(&candidates(self.list_length, 1.01), |workers| self.time_s(workers)))
    }

    /// The interval of [`Auto::k_max`]: a thousand draws of a member, by weight, and of its coefficients.
    pub fn k_max_range(&self, level: f64, seed: u64) -> BoundaryRange {
        let places = candidates(self.list_length, 1.02);
        // Enough for quantiles: every number up to 2,000 for a thousand draws would take seconds.
        let mut next = 1.0;
        let places: Vec<u64> = places
            .into_iter()
            .filter(|&place| {
                let taken = place as f64 >= next;
                if taken {
                    next = (next * 1.02).max(next + 1.0);
                }
                taken
            })
            .collect();
        let roots: Vec<Option<Vec<Vec<f64>>>> =
            self.members.iter().map(|member| member.covariance().and_then(|matrix| root(&matrix))).collect();
        let drawn = |draw: u64| {
            let mut random = SplitMix::new(seed, draw);
            let chosen = self.chosen(random.uniform());
            let member = &self.members[chosen];
            boundary_of(member, &member.draw(roots[chosen].as_ref(), &mut random), &places)
        };
        let mut found: Vec<f64> = (0..u64::from(BOUNDARY_DRAWS)).map(drawn).collect();
        found.sort_by(f64::total_cmp);
        let end = |share: f64| Some(quantile_of_sorted(&found, share)).filter(|end| end.is_finite());
        BoundaryRange { low: end(0.5 * (1.0 - level)), high: end(0.5 * (1.0 + level)) }
    }

    /// The member at a share of the weights.
    fn chosen(&self, share: f64) -> usize {
        let mut passed = 0.0;
        let found = self.members.iter().position(|member| {
            passed += member.weight;
            passed > share
        });
        found.unwrap_or(self.members.len() - 1)
    }
}

/// Where a member with these coefficients has its shortest time; infinite where nothing grows.
fn boundary_of(member: &Member, coefficients: &[f64; COLUMNS], places: &[u64]) -> f64 {
    if coefficients[2] <= 0.0 {
        return f64::INFINITY;
    }
    least(places, |workers| member.time_of(coefficients, workers)) as f64
}

/// The lower triangular root of a covariance, by Cholesky; none where it is not positive.
fn root(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    let mut root = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| root[row][k] * root[column][k]).sum();
            let rest = matrix[row][column] - known;
            root[row][column] = match row == column {
                true if rest >= -1e-9 * matrix[row][row] => rest.max(0.0).sqrt(),
                true => return None,
                false if root[column][column] > 0.0 => rest / root[column][column],
                false => 0.0,
            };
        }
    }
    Some(root)
}
