//! Asymptotic covariances from sums over batches of phases.

use super::tally::Batch;
use crate::solve::solution::Moments;

/// A coarser size of batches is looked at while there are this many in total.
const FEWEST: usize = 128;
/// Neighbouring batches that are no more correlated than this, beside the chance of it, are long enough.
const CORRELATION: f64 = 0.05;

/// Covariances per phase of sums over many phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Asymptotic {
    /// From all batches.
    pub whole: Moments,
    /// From the batches of each piece.
    pub pieces: Vec<Moments>,
    /// Whether even the longest batches are correlated: then the covariances are too small or too large.
    pub is_short: bool,
}

/// A batch without its mean.
type Centered = (f64, f64);

/// From the batches of each piece (`length` phases each); none where there are fewer than two batches a piece. `means`
/// are those of a phase.
///
/// With S a sum over L phases less its mean, a(L) = E\[S S'\]/L differs from its limit by c/L, as soon as L is long beside
/// the correlations; the limit is therefore 2a(2L) - a(L) = a(L) + 2 E\[S_1 S_2'\]/L with neighbours 1 and 2. L is twice
/// the least multiple of `length` from which on neighbours are hardly correlated.
pub fn asymptotic(pieces: &[Vec<Batch>], length: u64, means: &Moments) -> Option<Asymptotic> {
    let length = length as f64;
    let center = |batch: &Batch| -> Centered {
        (batch.ticks as f64 - length * means.phase_mean, batch.iterations as f64 - length * means.iterations_mean)
    };
    let mut level: Vec<Vec<Centered>> = pieces.iter().map(|piece| piece.iter().map(center).collect()).collect();
    if level.is_empty() || level.iter().any(|piece| piece.len() < 2) {
        return None;
    }
    let mut levels = Vec::new();
    let mut factor = 1.0;
    loop {
        let is_independent = correlation(&level) <= CORRELATION + 2.5 / (batches(&level) as f64).sqrt();
        let next: Vec<Vec<Centered>> = level.iter().map(|piece| doubled(piece)).collect();
        let has_next = batches(&next) >= FEWEST && next.iter().all(|piece| piece.len() >= 2);
        levels.push((level, factor, is_independent));
        if !has_next {
            break;
        }
        level = next;
        factor *= 2.0;
    }
    let correlated = levels.iter().rposition(|(_, _, is_independent)| !is_independent);
    // Twice as long as would do: what is left of the correlations is squared, and the interval hardly wider.
    let chosen = correlated.map_or(1, |place| place + 2).min(levels.len() - 1);
    let (level, factor, is_independent) = &levels[chosen];
    let moments = |pieces: &[Vec<Centered>]| corrected(pieces, length * factor, means);
    let pieces = level.iter().map(|piece| moments(std::slice::from_ref(piece))).collect();
    let mut whole = moments(level);
    (whole.phase_var, whole.iterations_var) = (whole.phase_var.max(0.0), whole.iterations_var.max(0.0));
    Some(Asymptotic { whole, pieces, is_short: !is_independent })
}

fn batches(level: &[Vec<Centered>]) -> usize {
    level.iter().map(Vec::len).sum()
}

fn doubled(piece: &[Centered]) -> Vec<Centered> {
    piece.chunks_exact(2).map(|pair| (pair[0].0 + pair[1].0, pair[0].1 + pair[1].1)).collect()
}

/// The larger of the correlations of neighbours in Phi and in N, without its sign.
fn correlation(level: &[Vec<Centered>]) -> f64 {
    let of = |part: fn(&Centered) -> f64| {
        let square: f64 = level.iter().flatten().map(|batch| part(batch).powi(2)).sum();
        let next: f64 = neighbors(level).map(|(one, two)| part(one) * part(two)).sum();
        if square > 0.0 { (next / square).abs() } else { 0.0 }
    };
    of(|batch| batch.0).max(of(|batch| batch.1))
}

fn neighbors(level: &[Vec<Centered>]) -> impl Iterator<Item = (&Centered, &Centered)> {
    level.iter().flat_map(|piece| piece.windows(2).map(|pair| (&pair[0], &pair[1])))
}

/// 2a(2L) - a(L).
fn corrected(level: &[Vec<Centered>], length: f64, means: &Moments) -> Moments {
    let count = batches(level) as f64;
    let pairs = neighbors(level).count() as f64;
    let limit = |product: fn(&Centered, &Centered) -> f64| {
        let own: f64 = level.iter().flatten().map(|batch| product(batch, batch)).sum();
        let next: f64 = neighbors(level).map(|(one, two)| product(one, two) + product(two, one)).sum();
        (own / count + next / pairs) / length
    };
    Moments {
        phase_var: limit(|one, two| one.0 * two.0),
        iterations_var: limit(|one, two| one.1 * two.1),
        cov: limit(|one, two| one.0 * two.1),
        ..*means
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::random::SplitMix;

    const MEANS: Moments =
        Moments { phase_mean: 0.0, phase_var: 0.0, iterations_mean: 0.0, iterations_var: 0.0, cov: 0.0 };

    /// Sums over batches of 8 of x_k = r x_{k-1} + noise of variance 1, in 1/1024: the limit is 1/(1-r)^2.
    fn pieces(rate: f64, phases: usize) -> Vec<Vec<Batch>> {
        let mut random = SplitMix::new(7, 0);
        let mut piece = || {
            let mut value = 0.0;
            let mut batch = |_| {
                let mut sum = 0.0;
                for _ in 0..8 {
                    let noise: f64 = (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
                    value = rate * value + noise;
                    sum += value;
                }
                let ticks = (sum * 1024.0).round() as i128;
                Batch { ticks, iterations: -ticks }
            };
            (0..phases / 8).map(&mut batch).collect()
        };
        (0..20).map(|_| piece()).collect()
    }

    #[test]
    fn correlated_sums() {
        for rate in [0.0_f64, 0.9, -0.5] {
            let found = asymptotic(&pieces(rate, 8000), 8, &MEANS).expect("there are batches");
            let limit = 1024.0 * 1024.0 / (1.0 - rate).powi(2);
            let off = found.whole.phase_var / limit - 1.0;
            assert!(off.abs() < 0.15, "{rate}: off by {off}");
            assert!((found.whole.cov + found.whole.phase_var).abs() < 1e-6 * limit);
            assert!(!found.is_short);
        }
    }

    #[test]
    fn correlations_that_are_longer_than_the_batches_are_told() {
        let found = asymptotic(&pieces(0.9999, 8000), 8, &MEANS).expect("there are batches");
        assert!(found.is_short);
    }

    #[test]
    fn one_batch_tells_nothing() {
        assert!(asymptotic(&[vec![Batch { ticks: 1, iterations: 1 }]], 8, &MEANS).is_none());
    }
}
