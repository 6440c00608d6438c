//! The systems; all have the solution `x_j = 1`.

/// Which system.
///
/// ```text
/// i from 1      dominant     a_ij = 1, a_ii = n+i                                            b_i = 2n+i-1
///               triangular   a_ij = 1 (j<i), 0 (j>i), a_11 = 1, a_ii = 2(i-1)      b_1 = 1,  b_i = 3(i-1)
///               published    a_ij = 1, a_ii = i                                              b_i = n+i-1
/// ```
///
/// `dominant` converges with `rho(C)` close to `ln 2` for large n. `triangular`, the matrix of the published program, has
/// a nilpotent C: it converges in any case, though steps may grow for a while.
///
/// Erratum \[S\], section 5: the matrix printed there (`published`) is claimed to be dominant for n >= 2. That is false
/// from n = 3 on: `rho(C)` is 0.707107 for n = 2 and 1.13716 for n = 3, and the method of Jacobi diverges. The published
/// program uses another one (`triangular`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Strictly dominant diagonal.
    Dominant,
    /// Lower triangle.
    Triangular,
    /// As printed in \[S\].
    Published,
}

impl System {
    pub(super) const ALL: [System; 3] = [System::Dominant, System::Triangular, System::Published];
    pub(super) const NAMES: [&str; 3] = ["dominant", "triangular", "published"];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// `c_ij` of `x' = C x + d`, rows and columns from 0.
    #[inline]
    pub fn c(self, row: u64, column: u64, size: u64) -> f64 {
        let is_zero = row == column || (self == System::Triangular && column > row);
        if is_zero { 0.0 } else { -1.0 / self.diagonal(row, size) }
    }

    /// `d_i` of `x' = C x + d`.
    #[inline]
    pub fn d(self, row: u64, size: u64) -> f64 {
        self.right_side(row, size) / self.diagonal(row, size)
    }

    fn diagonal(self, row: u64, size: u64) -> f64 {
        match (self, row) {
            (System::Dominant, _) => (size + row + 1) as f64,
            (System::Triangular, 0) => 1.0,
            (System::Triangular, _) => 2.0 * row as f64,
            (System::Published, _) => (row + 1) as f64,
        }
    }

    fn right_side(self, row: u64, size: u64) -> f64 {
        match (self, row) {
            (System::Dominant, _) => (2 * size + row) as f64,
            (System::Triangular, 0) => 1.0,
            (System::Triangular, _) => 3.0 * row as f64,
            (System::Published, _) => (size + row) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_solve_every_system() {
        for system in System::ALL {
            for size in [1, 2, 3, 11, 100] {
                for row in 0..size {
                    let row_sum: f64 = (0..size).map(|column| system.c(row, column, size)).sum();
                    let x = row_sum + system.d(row, size);
                    assert!((x - 1.0).abs() < 1e-13, "{system:?}, n = {size}, row {row}: {x}");
                }
            }
        }
    }

    #[test]
    fn the_published_matrix_is_as_printed() {
        // n = 3, row 3: 1 1 3, right side 5.
        assert_eq!(System::Published.c(2, 0, 3), -1.0 / 3.0);
        assert_eq!(System::Published.d(2, 3), 5.0 / 3.0);
    }
}
