//! The operator of an iteration x <- Mx + c, or the bound of one that is not linear.

pub mod matrix;
pub(crate) mod pieces;
pub mod polynomial;
pub mod radius;

use radius::Gap;

/// A square matrix by rows, and which process owns which row.
#[derive(Debug, Clone, PartialEq)]
pub struct Operator {
    /// The entries of each row that are not 0: column and value; signed.
    pub rows: Vec<Vec<(usize, f64)>>,
    /// The process (counted from 0) that owns each row.
    pub owner: Vec<usize>,
    /// 1 - rho(|M|), where it is known; positive for a contraction.
    pub gap: f64,
    /// How the operator-aware rate is found.
    pub rate: Rate,
}

/// How the operator-aware rate is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rate {
    /// The first moment for a matrix without negative entries, Lyapunov else.
    #[default]
    Auto,
    /// The growth of the first moment of |M|: nearly sharp without negative entries, else a safe bound.
    FirstMoment,
    /// The growth of a long random product with the signs of M, with an interval.
    Lyapunov,
}

impl Operator {
    /// The operator with these rows, 1 - rho(|M|) found from them, and how sharply that is known.
    pub fn new(rows: Vec<Vec<(usize, f64)>>, owner: Vec<usize>, rate: Rate) -> (Operator, Gap) {
        let gap = radius::gap(&rows);
        (Operator { rows, owner, gap: gap.middle(), rate }, gap)
    }

    /// rho(|M|).
    pub fn rho(&self) -> f64 {
        1.0 - self.gap
    }

    /// How many rows (and columns) it has.
    pub fn dimension(&self) -> usize {
        self.rows.len()
    }

    /// Whether no entry is negative.
    pub fn is_nonnegative(&self) -> bool {
        self.rows.iter().flatten().all(|(_, value)| *value >= 0.0)
    }

    /// L = -log10 rho(|M|), from 1 - rho; none where |M| is not a contraction, and none where rho is 0: there the
    /// iteration ends after finitely many steps, and has no rate.
    pub fn digits_per_application(&self) -> Option<f64> {
        (self.gap > 0.0 && self.gap < 1.0).then(|| -(-self.gap).ln_1p() / std::f64::consts::LN_10)
    }
}
