//! Cuts at the ends of blocks, moved to their best places.

use super::segments::{Blocks, Rows};
use super::triangle::{Solver, Triangle};

impl Rows {
    /// Moves each cut to the best place between the neighboring ends of blocks, the others held, until none moves.
    /// Returns the remaining squares.
    pub(super) fn refine(&self, ends: &mut [usize], blocks: &Blocks, bounded: &[bool]) -> f64 {
        let m = self.right.len();
        for _ in 0..4 {
            let before = ends.to_vec();
            for index in 0..ends.len() {
                let from = if index == 0 { 0 } else { ends[index - 1] };
                let to = ends.get(index + 1).copied().unwrap_or(m);
                ends[index] = self.best_between(from, ends[index], to, blocks, bounded);
            }
            if before == ends {
                break;
            }
        }
        let mut solver = Solver::new(bounded);
        let mut squares = 0.0;
        for piece in 0..=ends.len() {
            let from = if piece == 0 { 0 } else { ends[piece - 1] };
            let to = ends.get(piece).copied().unwrap_or(m);
            squares += solver.solve(&self.gathered(from, to, blocks));
        }
        squares
    }

    fn best_between(&self, from: usize, cut: usize, to: usize, blocks: &Blocks, bounded: &[bool]) -> usize {
        let least = self.k + 2;
        let block = blocks.starts.partition_point(|&start| start < cut);
        let lowest = blocks.starts[block.saturating_sub(1)].max(from);
        let highest = blocks.starts[(block + 1).min(blocks.starts.len() - 1)].min(to);
        let places: Vec<usize> = self
            .starts
            .iter()
            .copied()
            .filter(|&place| place >= lowest && place <= highest && place - from >= least && to - place >= least)
            .collect();
        let squares = |triangle: &Triangle, solver: &mut Solver| {
            if triangle.is_independent() { solver.solve(triangle) } else { f64::INFINITY }
        };
        let mut solver = Solver::new(bounded);
        let Some((&first, &last)) = places.first().zip(places.last()) else { return cut };
        let mut left = self.gathered(from, first, blocks);
        let mut done = first;
        let mut totals = Vec::with_capacity(places.len());
        for &place in &places {
            (done..place).for_each(|row| self.add(&mut left, row));
            done = place;
            totals.push(squares(&left, &mut solver));
        }
        let mut right = self.gathered(last, to, blocks);
        let mut done = last;
        let mut best = (f64::INFINITY, cut);
        for (&place, total) in places.iter().zip(&totals).rev() {
            (place..done).for_each(|row| self.add(&mut right, row));
            done = place;
            let total = total + squares(&right, &mut solver);
            if total <= best.0 {
                best = (total, place);
            }
        }
        best.1
    }

    /// The triangle of some rows, from those of the blocks inside.
    fn gathered(&self, from: usize, to: usize, blocks: &Blocks) -> Triangle {
        let first = blocks.starts.partition_point(|&start| start < from);
        let last = blocks.starts.partition_point(|&start| start <= to) - 1;
        if first >= last {
            return self.triangle(from, to);
        }
        let mut triangle = self.triangle(from, blocks.starts[first]);
        for block in first..last {
            match &blocks.reduced[block] {
                Some(reduced) => triangle.add_triangle(reduced),
                None => {
                    (blocks.starts[block]..blocks.starts[block + 1]).for_each(|row| self.add(&mut triangle, row));
                }
            }
        }
        (blocks.starts[last]..to).for_each(|row| self.add(&mut triangle, row));
        triangle
    }
}
