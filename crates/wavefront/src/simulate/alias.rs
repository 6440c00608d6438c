//! Draws from a law at the cost of one random number, one multiplication and one comparison.

use crate::model::law::Law;
use runcast_core::random::SplitMix;

/// A law as a table of equally likely cells, each shared by two values (A. J. Walker, ACM Trans. Math. Softw. 3(3),
/// 1977; made as by M. D. Vose, IEEE Trans. Softw. Eng. 17(9), 1991).
///
/// The upper half of a product of 128 bits is the cell, the lower half decides between its two values. The probability of
/// a value is off by no more than 2^-52, far below what 1e10 draws show (5e-6).
#[derive(Debug, Clone)]
pub struct Alias {
    cells: Vec<Cell>,
    /// Added to every value; of a constant it is all there is.
    least: i64,
    /// The values, where they spread over more than 2^32; cells then hold their places.
    wide: Option<Vec<i64>>,
}

#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Below it (of 2^64): the first value, else the second.
    threshold: u64,
    /// An array, so that the choice is an index instead of a branch that cannot be predicted.
    values: [u32; 2],
}

impl Alias {
    /// A table for `law`.
    pub fn new(law: &Law) -> Alias {
        let support = law.support();
        let least = law.least() as i64;
        if support.len() == 1 {
            return Alias { cells: Vec::new(), least, wide: None };
        }
        let weights: Vec<f64> = support.iter().map(|(_, probability)| *probability).collect();
        let mut cells = cells(&weights);
        if law.most() - law.least() <= u64::from(u32::MAX) {
            for cell in &mut cells {
                let offset = |place: u32| (support[place as usize].0 - law.least()) as u32;
                cell.values = cell.values.map(offset);
            }
            return Alias { cells, least, wide: None };
        }
        Alias { cells, least: 0, wide: Some(support.iter().map(|(ticks, _)| *ticks as i64).collect()) }
    }

    /// A table that draws the index of one of these weights, which sum to 1.
    pub fn of_weights(weights: &[f64]) -> Alias {
        match weights.iter().filter(|weight| **weight > 0.0).count() {
            0 | 1 => {
                let place = weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
                Alias { cells: Vec::new(), least: place as i64, wide: None }
            }
            _ => Alias { cells: cells(weights), least: 0, wide: None },
        }
    }

    /// A value; a constant takes no random number.
    #[inline(always)]
    pub fn draw(&self, random: &mut SplitMix) -> i64 {
        if self.cells.is_empty() {
            return self.least;
        }
        let product = u128::from(random.bits()) * self.cells.len() as u128;
        let cell = &self.cells[(product >> 64) as usize];
        let value = cell.values[usize::from(product as u64 >= cell.threshold)];
        match &self.wide {
            None => self.least + i64::from(value),
            Some(values) => values[value as usize],
        }
    }

    /// Whether it always gives the same.
    pub fn is_constant(&self) -> bool {
        self.cells.is_empty()
    }
}

/// A cell a weight; values are places.
fn cells(weights: &[f64]) -> Vec<Cell> {
    // 2^64 as a float; the conversion saturates.
    let threshold = |share: f64| (share * 18_446_744_073_709_551_616.0) as u64;
    let cell = |(share, places): (f64, [usize; 2])| Cell {
        threshold: threshold(share),
        values: places.map(|place| place as u32),
    };
    shares(weights).into_iter().map(cell).collect()
}

/// A cell a weight: the share of its first value, and the places of both.
pub(super) fn shares(weights: &[f64]) -> Vec<(f64, [usize; 2])> {
    let count = weights.len();
    let sum: f64 = weights.iter().sum();
    let mut left: Vec<f64> = weights.iter().map(|weight| weight / sum * count as f64).collect();
    let mut cells: Vec<(f64, [usize; 2])> = (0..count).map(|place| (1.0, [place; 2])).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|place| left[*place] < 1.0);
    while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
        small.pop();
        cells[poor] = (left[poor], [poor, rich]);
        left[rich] -= 1.0 - left[poor];
        if left[rich] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The law that a table draws from, from its cells.
    fn law_of(alias: &Alias) -> std::collections::BTreeMap<i64, f64> {
        let mut law = std::collections::BTreeMap::new();
        let share = 1.0 / alias.cells.len() as f64;
        for cell in &alias.cells {
            let near = cell.threshold as f64 / 18_446_744_073_709_551_616.0;
            let value =
                |value: u32| alias.wide.as_ref().map_or(alias.least + i64::from(value), |all| all[value as usize]);
            *law.entry(value(cell.values[0])).or_insert(0.0) += share * near;
            *law.entry(value(cell.values[1])).or_insert(0.0) += share * (1.0 - near);
        }
        law
    }

    #[test]
    fn cells_share_out_the_law() {
        let uneven: Vec<(u64, f64)> =
            (0..1000).map(|place| (3 + place * place, (place + 1) as f64 / 500_500.0)).collect();
        let laws = [
            vec![(4, 0.5), (5, 0.3), (8, 0.2)],
            vec![(1, 1e-9), (7, 1.0 - 1e-9)],
            uneven,
            vec![(1, 0.25), (1_000_000_000_000, 0.75)],
        ];
        for pairs in laws {
            let law = Law::new(pairs).expect("a law");
            let drawn = law_of(&Alias::new(&law));
            for (ticks, probability) in law.support() {
                let seen = drawn.get(&(*ticks as i64)).copied().unwrap_or(0.0);
                assert!((seen - probability).abs() < 1e-14, "{ticks}: {seen} instead of {probability}");
            }
            let sum: f64 = drawn.values().sum();
            assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn draws_follow_the_law() {
        let law = Law::new([(4, 0.5), (5, 0.3), (8, 0.2)]).expect("a law");
        let alias = Alias::new(&law);
        let mut random = SplitMix::new(3, 0);
        let mut counts = [0_u32; 9];
        for _ in 0..100_000 {
            counts[alias.draw(&mut random) as usize] += 1;
        }
        // Four standard errors of a frequency at 100,000 draws are below 0.0064.
        for (ticks, probability) in law.support() {
            assert!((f64::from(counts[*ticks as usize]) / 1e5 - probability).abs() < 0.0064);
        }
        assert_eq!(counts.iter().sum::<u32>(), 100_000);
    }

    #[test]
    fn a_constant_takes_no_random_number() {
        let (mut random, mut other) = (SplitMix::new(1, 1), SplitMix::new(1, 1));
        assert_eq!(Alias::new(&Law::constant(7)).draw(&mut random), 7);
        assert_eq!(Alias::of_weights(&[0.0, 1.0]).draw(&mut random), 1);
        assert_eq!(random.bits(), other.bits());
    }
}
