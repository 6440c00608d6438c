//! The time of blocks over their size, with the step of a cache where there is one.

use super::ElementTime;
use runcast_core::numeric::{norm, qr::Qr};

/// The time of map and fold of a block:
///
/// ```text
/// t(b) = start + b * (in_cache if b <= largest that fits, else out_of_cache)          all >= 0, in_cache <= out_of_cache
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockTime {
    /// What a block takes whatever its size \[s\].
    pub start_s: f64,
    pub in_cache_s: f64,
    pub out_of_cache_s: f64,
    /// The largest block that fits, in elements; none where no step was seen.
    pub fits: Option<u64>,
}

/// Relative errors below this are the clock's: no step explains them.
const CLOCK: f64 = 0.005;
/// On each side of a step there must be as many blocks.
const LEAST_BESIDE: usize = 2;
/// Elements beyond the step take at least so many times longer.
const LEAST_STEP: f64 = 1.1;

impl BlockTime {
    /// Fits blocks `(elements, time [s])`, ascending, by least relative squares; a step and a start are taken only where
    /// the Bayesian criterion `n ln(RSS/n) + parameters ln n` gains by them. None without a block of positive time.
    ///
    /// # Examples
    /// ```
    /// use runcast_bsf::pieces::BlockTime;
    /// let blocks = [8, 16, 32, 64, 128, 256].map(|b| (b, b as f64 * if b <= 32 { 4e-7 } else { 9e-7 }));
    /// let found = BlockTime::of(&blocks).unwrap();
    /// assert_eq!(found.fits, Some(32));
    /// assert!((found.in_cache_s - 4e-7).abs() < 1e-12 && (found.out_of_cache_s - 9e-7).abs() < 1e-12);
    /// ```
    pub fn of(blocks: &[(u64, f64)]) -> Option<BlockTime> {
        let blocks: Vec<(u64, f64)> = blocks.iter().copied().filter(|(size, time)| *size > 0 && *time > 0.0).collect();
        let inner = LEAST_BESIDE..blocks.len().saturating_sub(LEAST_BESIDE - 1);
        let steps = inner.map(|count| Some(blocks[count - 1].0));
        let count = blocks.len() as f64;
        let judged = steps.chain([None]).flat_map(|fits| [false, true].map(|has_start| (fits, has_start)));
        let judged = judged.filter_map(|(fits, has_start)| {
            let (found, squares) = solved(&blocks, fits, has_start)?;
            // The place of a step is chosen, too.
            let parameters = 1 + usize::from(has_start) + 2 * usize::from(fits.is_some());
            let spread = (squares / count).max(CLOCK * CLOCK);
            Some((found, count * spread.ln() + parameters as f64 * count.ln()))
        });
        judged.reduce(|best, next| if next.1 < best.1 - 1e-9 { next } else { best }).map(|(found, _)| found)
    }

    /// As costs in pieces have it; an element touches `element_bytes` of memory.
    pub fn element_time(&self, element_bytes: f64) -> ElementTime {
        ElementTime {
            in_cache_s: self.in_cache_s,
            out_of_cache_s: self.out_of_cache_s,
            cache_bytes: self.fits.map_or(f64::INFINITY, |fits| fits as f64 * element_bytes),
        }
    }
}

/// The times of least relative squares with or without a step and a start, and the sum of the squares; none where one
/// of them is negative, or the step too small.
fn solved(blocks: &[(u64, f64)], fits: Option<u64>, has_start: bool) -> Option<(BlockTime, f64)> {
    let is_inside = |size: u64| fits.is_none_or(|fits| size <= fits);
    let column = |of: &dyn Fn(u64) -> f64| blocks.iter().map(|(size, time)| of(*size) / time).collect::<Vec<f64>>();
    let mut columns = vec![column(&|size| if is_inside(size) { size as f64 } else { 0.0 })];
    if fits.is_some() {
        columns.push(column(&|size| if is_inside(size) { 0.0 } else { size as f64 }));
    }
    if has_start {
        columns.push(column(&|_| 1.0));
    }
    let lengths: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
    let scaled =
        columns.iter().zip(&lengths).map(|(column, length)| column.iter().map(|value| value / length).collect());
    let mut values = Qr::of(scaled.collect(), vec![1.0; blocks.len()]).solve()?;
    values.iter_mut().zip(&lengths).for_each(|(value, length)| *value /= length);
    let at = |row: usize| columns.iter().zip(&values).map(|(column, value)| column[row] * value).sum::<f64>();
    let squares = (0..blocks.len()).map(|row| (at(row) - 1.0).powi(2)).sum();
    let start_s = if has_start { values.pop()? } else { 0.0 };
    let (in_cache_s, out_of_cache_s) = (values[0], *values.last()?);
    let is_allowed = start_s >= 0.0 && in_cache_s > 0.0;
    let is_step = fits.is_none() || out_of_cache_s >= LEAST_STEP * in_cache_s;
    (is_allowed && is_step).then_some((BlockTime { start_s, in_cache_s, out_of_cache_s, fits }, squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(of: impl Fn(f64) -> f64) -> Vec<(u64, f64)> {
        [16_u64, 21, 32, 43, 64, 85, 128, 171, 256, 341, 512, 1024].map(|size| (size, of(size as f64))).to_vec()
    }

    #[test]
    fn without_a_step_none_is_found() {
        let found = BlockTime::of(&blocks(|size| 3e-6 * size)).expect("a fit");
        assert!((found.in_cache_s - 3e-6).abs() < 1e-15 && found.start_s == 0.0, "{found:?}");
        assert_eq!((found.fits, found.element_time(8.0).cache_bytes), (None, f64::INFINITY));
        // Noise of 3 % that happens to be on one side is none, either.
        let noisy = BlockTime::of(&blocks(|size| 3e-6 * size * (1.0 + 0.03 * size.sin()))).expect("a fit");
        assert_eq!(noisy.fits, None);
    }

    #[test]
    fn a_start_and_a_step_are_told_apart() {
        let found = BlockTime::of(&blocks(|size| 2e-6 + 1e-7 * size)).expect("a fit");
        assert!((found.start_s - 2e-6).abs() < 1e-12 && found.fits.is_none(), "{found:?}");
        let of = |size: f64| 2e-6 + size * if size <= 128.0 { 4e-7 } else { 9e-7 };
        let found = BlockTime::of(&blocks(of)).expect("a fit");
        assert_eq!(found.fits, Some(128));
        assert!((found.out_of_cache_s - 9e-7).abs() < 1e-12 && (found.start_s - 2e-6).abs() < 1e-11, "{found:?}");
        assert_eq!(found.element_time(1000.0).cache_bytes, 128_000.0);
    }

    #[test]
    fn few_blocks_give_a_constant() {
        assert_eq!(BlockTime::of(&[]), None);
        assert_eq!(BlockTime::of(&[(0, 1.0), (4, 0.0)]), None);
        let one = BlockTime::of(&[(4, 2.0)]).expect("a fit");
        assert_eq!((one.in_cache_s, one.start_s), (0.5, 0.0));
    }
}
