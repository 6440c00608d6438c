//! States eliminated one by one, without a subtraction (W. K. Grassmann, M. I. Taksar, D. P. Heyman, 1985).
//!
//! When state k is eliminated, what went to it goes on to where it goes next:
//!
//! ```text
//! S_k = sum over j < k of p_kj        c_ik = p_ik / S_k        p_ij <- p_ij + c_ik * p_kj     for i, j < k
//! ```
//!
//! S_k is summed rather than taken as 1 - p_kk, so every number keeps nearly all its digits, however slowly the chain
//! mixes, and whatever its period. The diagonal is never looked at.

use rayon::prelude::*;

/// The largest matrix: 290 MB.
pub(crate) const MOST_DENSE: usize = 6_000;

/// Rows that are worked on together, so that each row above them is read once for all of them.
const TOGETHER: usize = 16;

/// A matrix after the elimination: in row i, p_ij for j < i and c_ik for k > i.
#[derive(Debug)]
pub(crate) struct Elimination {
    size: usize,
    /// The first states are never eliminated.
    kept: usize,
    rows: Vec<f64>,
    /// S_k; 1 for those that are kept.
    out: Vec<f64>,
}

impl Elimination {
    /// Eliminates all but the first `kept` states of a stochastic matrix, given by rows.
    pub fn new(rows: Vec<f64>, size: usize, kept: usize) -> Elimination {
        let mut elimination = Elimination { size, kept, rows, out: vec![1.0; size] };
        let group = TOGETHER * rayon::current_num_threads().clamp(1, 8);
        let mut end = size;
        while end > 0 {
            // Groups do not depend on the number of threads in what they compute, only in who computes it.
            let start = end.saturating_sub(group);
            elimination.block(start, end);
            end = start;
        }
        elimination
    }

    fn block(&mut self, start: usize, end: usize) {
        let (size, kept) = (self.size, self.kept);
        let (unfinished, finished) = self.rows.split_at_mut(end * size);
        let block = &mut unfinished[start * size..];
        let out = &self.out;
        let done = |index: usize| &finished[(index - end) * size..(index - end) * size + index];
        block.par_chunks_mut(TOGETHER * size).for_each(|rows| {
            for k in (end.max(kept)..size).rev() {
                for row in rows.chunks_exact_mut(size) {
                    reroute(row, k, out[k], done(k));
                }
            }
        });
        for index in (start..end).rev() {
            let (before, after) = block.split_at_mut((index - start + 1) * size);
            let row = &mut before[(index - start) * size..];
            for k in (index + 1..end).rev().filter(|k| *k >= kept) {
                let place = (k - index - 1) * size;
                reroute(row, k, self.out[k], &after[place..place + k]);
            }
            if index >= kept {
                self.out[index] = row[..index].iter().sum::<f64>().max(f64::MIN_POSITIVE);
            }
        }
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.size..(index + 1) * self.size]
    }

    /// The stationary law of an irreducible matrix of which one state is kept.
    pub fn stationary(&self) -> Vec<f64> {
        let mut law = vec![0.0; self.size];
        law[0] = 1.0;
        for from in 0..self.size {
            let weight = law[from];
            for (to, share) in law.iter_mut().zip(self.row(from)).skip(from + 1) {
                *to += weight * share;
            }
        }
        let sum: f64 = law.iter().sum();
        law.iter_mut().for_each(|probability| *probability /= sum);
        law
    }

    /// The probabilities to end in the states that are kept, from a law over all.
    pub fn absorbed(&self, mut start: Vec<f64>) -> Vec<f64> {
        for k in (self.kept..self.size).rev() {
            reroute(&mut start, k, self.out[k], &self.row(k)[..k]);
        }
        start.truncate(self.kept);
        let sum: f64 = start.iter().sum();
        start.iter_mut().for_each(|probability| *probability /= sum);
        start
    }

    /// g = f + P g with pi g = 0, where pi f = 0, for an irreducible matrix of which one state is kept.
    pub fn poisson(&self, mut f: Vec<f64>, law: &[f64]) -> Vec<f64> {
        for index in (0..self.size).rev() {
            let on: f64 = f.iter().zip(self.row(index)).skip(index + 1).map(|(value, share)| value * share).sum();
            f[index] += on;
        }
        let mut g = f;
        g[0] = 0.0;
        for index in 1..self.size {
            let on: f64 = g.iter().zip(&self.row(index)[..index]).map(|(value, probability)| value * probability).sum();
            g[index] = (g[index] + on) / self.out[index];
        }
        let mean: f64 = g.iter().zip(law).map(|(value, probability)| value * probability).sum();
        g.iter_mut().for_each(|value| *value -= mean);
        g
    }
}

/// What goes to `k` goes on to where `k` goes; its share stays in its place.
fn reroute(row: &mut [f64], k: usize, out: f64, next: &[f64]) {
    let share = row[k] / out;
    row[k] = share;
    if share > 0.0 {
        row[..k].iter_mut().zip(next).for_each(|(to, probability)| *to += share * probability);
    }
}
