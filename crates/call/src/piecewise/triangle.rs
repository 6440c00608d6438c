//! Least squares updated row by row: a triangle maintained by rotations, never normal equations.
//!
//! The triangle holds `R` of `[A | b] = Q R`; `min |A c - b|^2` needs nothing else. Adding a row costs `O(k^2)`, so
//! that all intervals of a list are solved in the time of reading them.

/// A diagonal element below this share of its column's length means that the column depends on those before it.
pub(super) const DEPENDENT: f64 = 1e-10;

/// The triangle of some rows.
#[derive(Debug, Clone)]
pub(super) struct Triangle {
    /// Unknowns.
    k: usize,
    /// `(k + 1) x (k + 1)`, row by row; the last column is the right side.
    r: Vec<f64>,
    work: Vec<f64>,
}

impl Triangle {
    pub(super) fn new(k: usize) -> Self {
        Triangle { k, r: vec![0.0; (k + 1) * (k + 1)], work: vec![0.0; k + 1] }
    }

    /// The triangle whose columns are known in orthonormal directions: column `j` in the first `j + 1` of them, the right
    /// side in all, with `rest` the squares that no direction has.
    pub(super) fn of_columns(columns: &[&[f64]], right: &[f64], rest: f64) -> Self {
        let k = columns.len();
        let mut triangle = Triangle::new(k);
        for (j, column) in columns.iter().enumerate() {
            for (i, value) in column.iter().enumerate() {
                triangle.r[i * (k + 1) + j] = *value;
            }
        }
        for (i, value) in right.iter().enumerate() {
            triangle.r[i * (k + 1) + k] = *value;
        }
        triangle.r[k * (k + 1) + k] = rest.sqrt();
        triangle
    }

    pub(super) fn clear(&mut self) {
        self.r.fill(0.0);
    }

    /// Adds the row `a . c = b`.
    pub(super) fn add(&mut self, a: &[f64], b: f64) {
        self.work[..self.k].copy_from_slice(a);
        self.work[self.k] = b;
        self.rotate_in(0);
    }

    /// Adds all rows behind another triangle.
    pub(super) fn add_triangle(&mut self, other: &Triangle) {
        let width = self.k + 1;
        for row in 0..width {
            self.work.copy_from_slice(&other.r[row * width..(row + 1) * width]);
            self.rotate_in(row);
        }
    }

    fn rotate_in(&mut self, first: usize) {
        let width = self.k + 1;
        for j in first..width {
            let x = self.work[j];
            if x == 0.0 {
                continue;
            }
            let row = &mut self.r[j * width + j..(j + 1) * width];
            let d = row[0];
            if d == 0.0 {
                row.copy_from_slice(&self.work[j..]);
                return;
            }
            let length = (d * d + x * x).sqrt();
            let (cos, sin) = (d / length, x / length);
            row[0] = length;
            for (r, w) in row[1..].iter_mut().zip(&mut self.work[j + 1..]) {
                let above = *r;
                *r = cos * above + sin * *w;
                *w = cos * *w - sin * above;
            }
        }
    }

    /// The minimum sum of squares.
    pub(super) fn rest(&self) -> f64 {
        let last = self.r[self.r.len() - 1];
        last * last
    }

    /// Whether the columns are independent.
    pub(super) fn is_independent(&self) -> bool {
        let width = self.k + 1;
        (0..self.k).all(|j| {
            let squares: f64 = (0..=j).map(|i| self.r[i * width + j].powi(2)).sum();
            let diagonal = self.r[j * width + j].abs();
            diagonal > DEPENDENT * squares.sqrt() && diagonal > 0.0
        })
    }

    /// The unconstrained solution of an independent triangle.
    pub(super) fn solve_into(&self, solution: &mut [f64]) {
        let width = self.k + 1;
        for i in (0..self.k).rev() {
            let row = &self.r[i * width..(i + 1) * width];
            let known: f64 = (i + 1..self.k).map(|j| row[j] * solution[j]).sum();
            solution[i] = (row[self.k] - known) / row[i];
        }
    }

    /// Column `j` has elements `0..=j`, filled up with zeros.
    pub(super) fn columns(&self) -> Vec<Vec<f64>> {
        let width = self.k + 1;
        (0..self.k).map(|j| (0..self.k).map(|i| if i <= j { self.r[i * width + j] } else { 0.0 }).collect()).collect()
    }

    pub(super) fn right(&self) -> Vec<f64> {
        (0..self.k).map(|i| self.r[i * (self.k + 1) + self.k]).collect()
    }
}

/// Least squares with some unknowns not below 0, by an active set (Lawson, Hanson: Solving least squares problems,
/// 1974, chapter 23); unknowns without a bound are never taken out.
///
/// One solver serves many triangles: the set of the last one is tried first, since neighboring intervals mostly share
/// it. For any start, it ends where no unknown at its bound would lower the squares by becoming positive.
#[derive(Debug, Clone)]
pub(super) struct Solver {
    bounded: Vec<bool>,
    inside: Vec<bool>,
    /// Columns of the triangle, one after the other, and its right side.
    columns: Vec<f64>,
    right: Vec<f64>,
    lengths: Vec<f64>,
    /// Orthonormal directions of the columns inside, and the columns in these.
    directions: Vec<f64>,
    coefficients: Vec<f64>,
    members: Vec<usize>,
    residual: Vec<f64>,
    trial: Vec<f64>,
    /// Where the least squares are.
    pub(super) solution: Vec<f64>,
}

impl Solver {
    pub(super) fn new(bounded: &[bool]) -> Self {
        let k = bounded.len();
        Solver {
            bounded: bounded.to_vec(),
            inside: bounded.iter().map(|bounded| !bounded).collect(),
            columns: vec![0.0; k * k],
            right: vec![0.0; k],
            lengths: vec![0.0; k],
            directions: vec![0.0; k * k],
            coefficients: vec![0.0; k * k],
            members: Vec::with_capacity(k),
            residual: vec![0.0; k],
            trial: vec![0.0; k],
            solution: vec![0.0; k],
        }
    }

    /// The least sum of squares.
    pub(super) fn solve(&mut self, triangle: &Triangle) -> f64 {
        if triangle.is_independent() {
            triangle.solve_into(&mut self.solution);
            if self.is_allowed(&self.solution) {
                return triangle.rest();
            }
        }
        self.load(triangle);
        // A column that was dependent in the last triangle need not be in this one.
        self.inside.iter_mut().zip(&self.bounded).for_each(|(inside, bounded)| *inside |= !bounded);
        self.solve_inside();
        if !self.is_allowed(&self.trial) || self.entering(true).is_some() {
            self.start_over();
        }
        self.settle();
        dot(&self.residual, &self.residual) + triangle.rest()
    }

    fn is_allowed(&self, solution: &[f64]) -> bool {
        self.bounded.iter().zip(solution).all(|(bounded, c)| !bounded || *c >= 0.0)
    }

    fn load(&mut self, triangle: &Triangle) {
        let k = self.bounded.len();
        for j in 0..k {
            for i in 0..k {
                self.columns[j * k + i] = if i <= j { triangle.r[i * (k + 1) + j] } else { 0.0 };
            }
            self.right[j] = triangle.r[j * (k + 1) + k];
            self.lengths[j] = dot(&self.columns[j * k..(j + 1) * k], &self.columns[j * k..(j + 1) * k]).sqrt();
        }
    }

    /// Leaves the answer in `trial`.
    fn start_over(&mut self) {
        let k = self.bounded.len();
        for j in 0..k {
            self.inside[j] = !self.bounded[j];
        }
        self.solve_inside();
        self.solution.copy_from_slice(&self.trial);
        // Each round lowers the squares, so no set recurs; the bound only guards against rounding.
        for _ in 0..10 * (k + 1) {
            let Some(entering) = self.entering(false) else { break };
            self.inside[entering] = true;
            self.solve_inside();
            while self.step_back() {
                self.solve_inside();
            }
            self.solution.copy_from_slice(&self.trial);
            if !self.inside[entering] {
                // It could only enter by rounding.
                break;
            }
        }
        self.trial.copy_from_slice(&self.solution);
    }

    /// From the solution towards the trial as far as the bounds allow; an unknown that reaches its bound leaves the set.
    fn step_back(&mut self) -> bool {
        let k = self.bounded.len();
        let leaves = |solver: &Self, j: usize| solver.bounded[j] && solver.inside[j] && solver.trial[j] <= 0.0;
        let mut step = 1.0f64;
        let mut any = false;
        for j in 0..k {
            if leaves(self, j) {
                any = true;
                let share = self.solution[j] / (self.solution[j] - self.trial[j]);
                step = step.min(if share.is_finite() { share.max(0.0) } else { 0.0 });
            }
        }
        if !any {
            return false;
        }
        let most = self.solution.iter().fold(0.0f64, |most, c| most.max(c.abs()));
        let mut left = false;
        let leaving: Vec<usize> = (0..k).filter(|&j| leaves(self, j)).collect();
        for j in 0..k {
            self.solution[j] += step * (self.trial[j] - self.solution[j]);
        }
        for j in leaving {
            if self.solution[j] <= 1e-15 * most {
                self.inside[j] = false;
                self.solution[j] = 0.0;
                left = true;
            }
        }
        left
    }

    /// The unknown at its bound that would lower the squares most; of `trial` or of `solution`.
    fn entering(&mut self, of_trial: bool) -> Option<usize> {
        self.residual_of(of_trial);
        let k = self.bounded.len();
        let scale = dot(&self.right, &self.right).sqrt();
        let mut best: Option<(usize, f64)> = None;
        for j in 0..k {
            if self.bounded[j] && !self.inside[j] {
                let gain = dot(&self.columns[j * k..(j + 1) * k], &self.residual);
                let gain = gain / self.lengths[j].max(f64::MIN_POSITIVE);
                if gain > 1e-12 * scale && best.is_none_or(|(_, most)| gain > most) {
                    best = Some((j, gain));
                }
            }
        }
        best.map(|(j, _)| j)
    }

    fn residual_of(&mut self, of_trial: bool) {
        let k = self.bounded.len();
        self.residual.copy_from_slice(&self.right);
        let solution = if of_trial { &self.trial } else { &self.solution };
        for (column, c) in self.columns.chunks(k).zip(solution) {
            if *c != 0.0 {
                self.residual.iter_mut().zip(column).for_each(|(r, x)| *r -= c * x);
            }
        }
    }

    fn settle(&mut self) {
        self.residual_of(true);
        self.solution.copy_from_slice(&self.trial);
    }

    /// Least squares over the columns inside, into `trial`; a column that depends on earlier ones is removed.
    fn solve_inside(&mut self) {
        let k = self.bounded.len();
        self.members.clear();
        self.residual.copy_from_slice(&self.right);
        for j in 0..k {
            if !self.inside[j] {
                continue;
            }
            let size = self.members.len();
            let (done, rest) = self.directions.split_at_mut(size * k);
            let column = &mut rest[..k];
            column.copy_from_slice(&self.columns[j * k..(j + 1) * k]);
            let shares = &mut self.coefficients[size * k..size * k + size + 1];
            shares.fill(0.0);
            // Twice is enough to be orthogonal to the last digit.
            for _ in 0..2 {
                for (share, direction) in shares.iter_mut().zip(done.chunks(k)) {
                    let along = dot(direction, column);
                    *share += along;
                    column.iter_mut().zip(direction).for_each(|(c, d)| *c -= along * d);
                }
            }
            let rest = dot(column, column).sqrt();
            if rest <= DEPENDENT * self.lengths[j] || rest == 0.0 {
                self.inside[j] = false;
                continue;
            }
            column.iter_mut().for_each(|c| *c /= rest);
            shares[size] = rest;
            self.members.push(j);
        }
        self.trial.fill(0.0);
        let size = self.members.len();
        let mut along = [0.0; 16];
        let mut spilled;
        let along = if size <= along.len() {
            &mut along[..size]
        } else {
            spilled = vec![0.0; size];
            &mut spilled[..]
        };
        for (along, direction) in along.iter_mut().zip(self.directions.chunks(k)) {
            *along = dot(direction, &self.residual);
            self.residual.iter_mut().zip(direction).for_each(|(r, d)| *r -= *along * d);
        }
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|j| self.coefficients[j * k + i] * self.trial[self.members[j]]).sum();
            self.trial[self.members[i]] = (along[i] - known) / self.coefficients[i * k + i];
        }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::random::SplitMix;

    /// Tries every set of unknowns that are not 0, each by elimination on the normal equations.
    fn by_enumeration(rows: &[Vec<f64>], right: &[f64], bounded: &[bool]) -> f64 {
        let k = bounded.len();
        let mut best = f64::INFINITY;
        for set in 0u32..1 << k {
            let members: Vec<usize> = (0..k).filter(|j| set >> j & 1 == 1).collect();
            let size = members.len();
            let mut system: Vec<Vec<f64>> = members
                .iter()
                .map(|&i| {
                    let mut line: Vec<f64> =
                        members.iter().map(|&j| rows.iter().map(|row| row[i] * row[j]).sum()).collect();
                    line.push(rows.iter().zip(right).map(|(row, b)| row[i] * b).sum());
                    line
                })
                .collect();
            for i in 0..size {
                let pivot = system[i].clone();
                for line in system.iter_mut().skip(i + 1) {
                    let factor = line[i] / pivot[i];
                    for (x, p) in line.iter_mut().zip(&pivot) {
                        *x -= factor * p;
                    }
                }
            }
            let mut c = vec![0.0; k];
            for i in (0..size).rev() {
                let known: f64 = (i + 1..size).map(|j| system[i][j] * c[members[j]]).sum();
                c[members[i]] = (system[i][size] - known) / system[i][i];
            }
            if (0..k).any(|j| bounded[j] && c[j] < 0.0) || c.iter().any(|c| !c.is_finite()) {
                continue;
            }
            let squares = rows.iter().zip(right).map(|(row, b)| (b - dot(row, &c)).powi(2)).sum();
            best = best.min(squares);
        }
        best
    }

    #[test]
    fn the_active_set_finds_what_trying_every_set_finds() {
        let mut random = SplitMix::new(5, 0);
        for case in 0..400 {
            let k = 1 + random.below(5);
            let m = k + random.below(6);
            let mut draw = || 2.0 * random.uniform() - 0.7;
            let rows: Vec<Vec<f64>> = (0..m).map(|_| (0..k).map(|_| draw()).collect()).collect();
            let right: Vec<f64> = (0..m).map(|_| draw()).collect();
            let bounded: Vec<bool> = (0..k).map(|j| (case + j) % 3 != 0).collect();
            let mut triangle = Triangle::new(k);
            rows.iter().zip(&right).for_each(|(row, b)| triangle.add(row, *b));
            let mut solver = Solver::new(&bounded);
            // Whatever set it starts from.
            solver.inside.iter_mut().enumerate().for_each(|(j, inside)| *inside |= (case + j) % 2 == 0);
            let squares = solver.solve(&triangle);
            let c = solver.solution.clone();
            let wanted = by_enumeration(&rows, &right, &bounded);
            assert!((squares - wanted).abs() <= 1e-9 * (1.0 + wanted), "case {case}: {squares} {wanted}");
            let direct: f64 = rows.iter().zip(&right).map(|(row, b)| (b - dot(row, &c)).powi(2)).sum();
            assert!((squares - direct).abs() <= 1e-9 * (1.0 + wanted), "case {case}");
            assert!(bounded.iter().zip(&c).all(|(bounded, c)| !bounded || *c >= 0.0), "case {case}");
        }
    }

    #[test]
    fn triangles_add_up() {
        let mut random = SplitMix::new(6, 0);
        let rows: Vec<[f64; 3]> = (0..9).map(|_| std::array::from_fn(|_| random.uniform())).collect();
        let (mut whole, mut first, mut second) = (Triangle::new(2), Triangle::new(2), Triangle::new(2));
        for (index, row) in rows.iter().enumerate() {
            whole.add(&row[..2], row[2]);
            if index < 4 { first.add(&row[..2], row[2]) } else { second.add(&row[..2], row[2]) }
        }
        first.add_triangle(&second);
        let (mut a, mut b) = (vec![0.0; 2], vec![0.0; 2]);
        whole.solve_into(&mut a);
        first.solve_into(&mut b);
        assert!((whole.rest() - first.rest()).abs() < 1e-14);
        assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-13));
    }

    #[test]
    fn dependent_columns_are_seen() {
        let mut triangle = Triangle::new(2);
        for x in [1.0, 2.0, 5.0] {
            triangle.add(&[x, 3.0 * x], 1.0);
        }
        assert!(!triangle.is_independent());
    }

    #[test]
    fn a_solver_forgets_what_was_dependent() {
        let mut triangle = Triangle::new(3);
        let rows = [[1.0, 1.0, 0.5], [1.0, 1.0, 2.0], [1.0, 1.0, 1.0]];
        rows.iter().for_each(|row| triangle.add(row, 1.0));
        let bounded = [false, false, true];
        let mut solver = Solver::new(&bounded);
        solver.solve(&triangle);
        let rows = [[1.0, 3.0, -2.0], [1.0, 1.0, 2.0], [1.0, 0.0, 1.0], [1.0, 7.0, 0.5]];
        triangle.clear();
        rows.iter().for_each(|row| triangle.add(row, 2.0 + row[1] - row[2]));
        let again = solver.solve(&triangle);
        let fresh = Solver::new(&bounded).solve(&triangle);
        assert!((again - fresh).abs() <= 1e-12 * fresh && fresh > 1e-3, "{again} {fresh}");
    }
}
