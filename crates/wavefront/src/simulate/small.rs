//! Draws from small laws: two from one random number, without a branch.

use super::alias;
use crate::model::law::Law;
use runcast_core::random::SplitMix;

/// The most values of a small law; a power of 2.
const CELLS: usize = 128;

/// A law of at most 128 values as a table of 2^k equally likely cells, drawn from by 32 random bits.
///
/// The low k bits are the cell, the others decide between its two values. The probability of a value is off by no more
/// than 2^-32 for each cell that it is in: 3e-8 in total, where 1e10 draws show 5e-6.
#[derive(Debug, Clone)]
pub struct Small {
    /// Added to every value.
    least: i64,
    /// Cells in use, less 1.
    mask: u32,
    /// In place: a pointer would be one load more for each draw.
    cells: [Cell; CELLS],
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(align(8))]
struct Cell {
    /// Below it: the first value, else the second.
    threshold: u32,
    /// An array, so that the choice is an index instead of a branch that cannot be predicted.
    values: [u16; 2],
}

impl Small {
    /// A table for `law`; none where it has too many values, or they lie too far apart.
    pub fn new(law: &Law) -> Option<Small> {
        let support = law.support();
        if support.len() > CELLS || law.most() - law.least() > u64::from(u16::MAX) {
            return None;
        }
        let count = support.len().next_power_of_two();
        let mut weights: Vec<f64> = support.iter().map(|(_, probability)| *probability).collect();
        weights.resize(count, 0.0);
        let shift = count.trailing_zeros();
        let mut cells = [Cell::default(); CELLS];
        for (cell, (share, places)) in cells.iter_mut().zip(alias::shares(&weights)) {
            // Comparing all 32 bits is comparing those above the low k.
            let steps = (share * 2.0_f64.powi(32 - shift as i32)).round() as u64;
            cell.threshold = u32::try_from(steps << shift).unwrap_or(u32::MAX);
            cell.values = places.map(|place| (support[place.min(support.len() - 1)].0 - law.least()) as u16);
            if steps << shift > u64::from(u32::MAX) {
                cell.values[1] = cell.values[0];
            }
        }
        Some(Small { least: law.least() as i64, mask: count as u32 - 1, cells })
    }

    #[inline(always)]
    pub fn draw(&self, bits: u32) -> i64 {
        let cell = &self.cells[(bits & self.mask) as usize % CELLS];
        self.least + i64::from(cell.values[usize::from(bits >= cell.threshold)])
    }
}

/// 32 bits of the next random number; the others go to `spare`.
#[inline(always)]
pub fn halves(random: &mut SplitMix, spare: &mut u32) -> u32 {
    let bits = random.bits();
    *spare = (bits >> 32) as u32;
    bits as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_share_out_the_law() {
        let uneven: Vec<(u64, f64)> = (0..100).map(|place| (3 + place * place, (place + 1) as f64 / 5050.0)).collect();
        for pairs in [vec![(4, 0.5), (5, 0.3), (8, 0.2)], vec![(1, 1e-9), (7, 1.0 - 1e-9)], vec![(9, 1.0)], uneven] {
            let law = Law::new(pairs).expect("a law");
            let small = Small::new(&law).expect("a small law");
            let mut drawn = std::collections::BTreeMap::new();
            // Every cell has the same share of the 2^32 draws; the draws of a cell are 2^k apart.
            let count = f64::from(small.mask) + 1.0;
            for (place, cell) in small.cells[..=small.mask as usize].iter().enumerate() {
                let near = (f64::from(cell.threshold) - place as f64).max(0.0) / count;
                let near = near.ceil() * count / 4_294_967_296.0;
                *drawn.entry(small.least as u64 + u64::from(cell.values[0])).or_insert(0.0) += near / count;
                *drawn.entry(small.least as u64 + u64::from(cell.values[1])).or_insert(0.0) += (1.0 - near) / count;
            }
            for (ticks, probability) in law.support() {
                let seen: f64 = drawn.get(ticks).copied().unwrap_or(0.0);
                assert!((seen - probability).abs() < 1e-9, "{ticks}: {seen} instead of {probability}");
            }
        }
    }

    #[test]
    fn draws_stay_within_the_law() {
        let small = Small::new(&Law::new([(4, 0.5), (5, 0.3), (8, 0.2)]).expect("a law")).expect("a small law");
        let mut random = SplitMix::new(3, 0);
        let (mut spare, mut sum) = (0, 0);
        for _ in 0..50_000 {
            for bits in [halves(&mut random, &mut spare), spare] {
                let value = small.draw(bits);
                assert!([4, 5, 8].contains(&value));
                sum += value;
            }
        }
        // Mean 5.1, deviation 1.513: four standard errors of 100,000 draws are 0.019.
        assert!((sum as f64 / 1e5 - 5.1).abs() < 0.019);
    }

    #[test]
    fn large_laws_are_not_small() {
        assert!(Small::new(&Law::new([(1, 0.5), (70_000, 0.5)]).expect("a law")).is_none());
        let wide = Law::new((1..=129).map(|ticks| (ticks, 1.0 / 129.0))).expect("a law");
        assert!(Small::new(&wide).is_none());
    }
}
