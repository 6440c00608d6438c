//! Sweeps over a grid in which each cell reads its neighbors: the bytes that they move depend on what the cache holds.

use runcast_core::Problem;

/// A sweep over a grid of cells, the first dimension fastest.
///
/// ```text
/// bytes = cells*element*(reads*m + writes*(2; streaming: 1))          u = element*reads, r = radius
/// m     3-D: 1 if (2r+1)*nx*ny*u <= share/2, else 2r+1 if (4r+1)*nx*u <= share/2, else 4r+1
///       2-D: 1 if (2r+1)*nx*u <= share/2, else 2r+1                   1-D: 1
/// ```
///
/// A cell that is written is read before, unless stores go past the cache. Source: layer conditions (H. Stengel, J. Treibig,
/// G. Hager, G. Wellein, *Quantifying performance bottlenecks of stencil computations*, ICS 2015).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stencil {
    /// Cells in each dimension; 0: no such dimension.
    pub sizes: [f64; 3],
    /// Cells that are swept.
    pub cells: f64,
    /// How far neighbors are.
    pub radius: f64,
    /// Grids that are read, with neighbors.
    pub reads: f64,
    /// Grids that are written.
    pub writes: f64,
    /// Bytes of an element of a cell.
    pub element: f64,
    /// Whether stores go past the cache.
    pub streaming: bool,
}

impl Stencil {
    /// A sweep over a whole grid with the nearest neighbors: one grid of doubles read, one written.
    ///
    /// # Errors
    /// `bad_grid`: no size, more than three, or one below 1.
    pub fn new(sizes: &[f64]) -> Result<Stencil, Problem> {
        if sizes.is_empty() || sizes.len() > 3 || sizes.iter().any(|size| !(*size >= 1.0 && size.is_finite())) {
            let seen: Vec<String> = sizes.iter().map(f64::to_string).collect();
            return Err(Problem::new("bad_grid", "`dims` of a stencil is not a grid")
                .value(seen.join(", "))
                .allowed("1 to 3 numbers of cells, each 1 or more")
                .hint("stencil{ dims = { 400, 400, 400 } }"));
        }
        let mut all = [0.0; 3];
        all[..sizes.len()].copy_from_slice(sizes);
        Ok(Stencil {
            sizes: all,
            cells: sizes.iter().product(),
            radius: 1.0,
            reads: 1.0,
            writes: 1.0,
            element: 8.0,
            streaming: false,
        })
    }

    /// Bytes between memory and processor, given the bytes of the cache that its threads have.
    ///
    /// ```
    /// use runcast_sim::application::Stencil;
    /// let cube = |n| Stencil::new(&[n, n, n]).expect("a grid");
    /// let share = 2.0 * 1024.0 * 1024.0;
    /// assert_eq!(cube(200.0).bytes(share) / 200.0_f64.powi(3), 24.0);
    /// assert_eq!(cube(400.0).bytes(share) / 400.0_f64.powi(3), 40.0);
    /// ```
    pub fn bytes(&self, share: f64) -> f64 {
        let (r, u) = (self.radius, self.element * self.reads);
        let [nx, ny, nz] = self.sizes;
        let fits = |bytes: f64| bytes <= share / 2.0;
        let loads = if ny == 0.0 {
            1.0
        } else if nz == 0.0 {
            if fits((2.0 * r + 1.0) * nx * u) { 1.0 } else { 2.0 * r + 1.0 }
        } else if fits((2.0 * r + 1.0) * nx * ny * u) {
            1.0
        } else if fits((4.0 * r + 1.0) * nx * u) {
            2.0 * r + 1.0
        } else {
            4.0 * r + 1.0
        };
        let stores = if self.streaming { 1.0 } else { 2.0 };
        self.cells * self.element * (self.reads * loads + self.writes * stores)
    }

    /// Bytes that it works on.
    pub fn working_set(&self) -> f64 {
        self.cells * self.element * (self.reads + self.writes)
    }

    /// Whether its bytes depend on the cache.
    pub fn needs_cache(&self) -> bool {
        self.sizes[1] > 0.0
    }

    /// Its numbers.
    pub(crate) fn numbers(&self) -> [f64; 9] {
        let [nx, ny, nz] = self.sizes;
        let streaming = f64::from(u8::from(self.streaming));
        [nx, ny, nz, self.cells, self.radius, self.reads, self.writes, self.element, streaming]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_cell_follow_the_layer_conditions() {
        // By hand; without and with streaming stores.
        let mib = 1024.0 * 1024.0;
        let cases = [
            (2.0 * mib, vec![200.0; 3], [24.0, 16.0]),
            (2.0 * mib, vec![400.0; 3], [40.0, 32.0]),
            (mib, vec![50_000.0, 50_000.0, 10.0], [56.0, 48.0]),
            (mib, vec![65_536.0, 1_024.0], [40.0, 32.0]),
            (0.0, vec![1e6], [24.0, 16.0]),
        ];
        for (share, sizes, expected) in cases {
            for (streaming, expected) in [false, true].into_iter().zip(expected) {
                let stencil = Stencil { streaming, ..Stencil::new(&sizes).expect("a grid") };
                assert_eq!(stencil.bytes(share) / stencil.cells, expected, "{sizes:?}");
            }
        }
    }

    #[test]
    fn grids_have_one_to_three_dimensions() {
        for sizes in [vec![], vec![1.0; 4], vec![0.5], vec![f64::NAN], vec![f64::INFINITY]] {
            assert_eq!(Stencil::new(&sizes).expect_err("no grid").code, "bad_grid");
        }
    }
}
