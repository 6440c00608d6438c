//! What resamples draw: visits again, or residuals where there are too few runs.

use super::samples::Sorted;
use super::settings::SampleAggregate;
use runcast_core::random::SplitMix;
use std::f64::consts::TAU;

/// Beyond this number the quantile of a draw is drawn directly.
const MANY: usize = 32;

/// The relative residuals to draw from, piece by piece, widened for the degrees of freedom used by the fit.
#[derive(Debug, Clone)]
pub(super) struct Residuals {
    /// Measured over fitted.
    pub(super) ratios: Vec<Vec<f64>>,
}

impl Residuals {
    /// The residuals of each piece, of which `parameters` were fitted.
    pub(super) fn new(measured: &[f64], fitted: &[f64], piece: &[usize], pieces: usize, parameters: f64) -> Self {
        let mut ratios = vec![Vec::new(); pieces];
        for ((y, f), piece) in measured.iter().zip(fitted).zip(piece) {
            let ratio = y / f;
            if ratio.is_finite() && ratio > 0.0 {
                ratios[*piece].push(ratio);
            }
        }
        for ratios in &mut ratios {
            let n = ratios.len() as f64;
            let widening = if n > parameters { (n / (n - parameters)).sqrt() } else { 1.0 };
            ratios.iter_mut().for_each(|ratio| *ratio = ratio.powf(widening));
            if ratios.is_empty() {
                ratios.push(1.0);
            }
        }
        Residuals { ratios }
    }

    /// The logarithms of them all.
    pub(super) fn logarithms(&self) -> Vec<f64> {
        self.ratios.iter().flatten().map(|ratio| ratio.ln()).collect()
    }

    pub(super) fn draw(&self, piece: usize, random: &mut SplitMix) -> f64 {
        let ratios = &self.ratios[piece];
        ratios[random.below(ratios.len())]
    }
}

/// The aggregate of as many of these, drawn again.
pub(super) fn draw_visits(
    repetitions: &Sorted,
    aggregate: SampleAggregate,
    random: &mut SplitMix,
    draws: &mut Vec<usize>,
) -> f64 {
    let count = repetitions.values.len();
    if count > MANY {
        return draw_many(repetitions, aggregate, random);
    }
    draws.clear();
    draws.extend((0..count).map(|_| random.below(count)));
    repetitions.aggregated_draws(draws, aggregate)
}

/// The aggregate of a draw from many repetitions, by its distribution: the share of visits at which the quantile of a
/// draw lies is normal, and the mean is.
fn draw_many(repetitions: &Sorted, aggregate: SampleAggregate, random: &mut SplitMix) -> f64 {
    let effective = repetitions.effective;
    let quantile = |q: f64, random: &mut SplitMix| {
        let share = q + (q * (1.0 - q) / effective).sqrt() * normal(random);
        repetitions.at_share(share.clamp(0.0, 1.0))
    };
    match aggregate {
        SampleAggregate::Median => quantile(0.5, random),
        SampleAggregate::Q25 => quantile(0.25, random),
        // The least of n draws from 0..1 is above u with probability (1 - u)^n.
        SampleAggregate::Min => repetitions.at_share(1.0 - random.uniform().powf(1.0 / effective)),
        SampleAggregate::Max => repetitions.at_share((1.0 - random.uniform()).powf(1.0 / effective)),
        SampleAggregate::Mean => repetitions.mean + repetitions.mean_sd * normal(random),
    }
}

/// A normal number (Box and Muller, 1958).
pub(super) fn normal(random: &mut SplitMix) -> f64 {
    let radius = (-2.0 * (1.0 - random.uniform()).ln()).sqrt();
    radius * (TAU * random.uniform()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::piecewise::Repeated;
    use runcast_core::statistics;

    #[test]
    fn the_distribution_of_draws_is_that_of_drawing_one_by_one() {
        let mut random = SplitMix::new(3, 0);
        let values: Vec<f64> = (0..60).map(|_| (0.3 * normal(&mut random)).exp()).collect();
        let repetitions = Sorted::new(&Repeated::new(vec![], values));
        for aggregate in SampleAggregate::ALL {
            let many: Vec<f64> = (0..4000).map(|_| draw_many(&repetitions, aggregate, &mut random)).collect();
            let single = |random: &mut SplitMix| {
                let mut draws: Vec<usize> = (0..60).map(|_| random.below(60)).collect();
                repetitions.aggregated_draws(&mut draws, aggregate)
            };
            let one_by_one: Vec<f64> = (0..4000).map(|_| single(&mut random)).collect();
            let (a, b) = (statistics::mean(&many), statistics::mean(&one_by_one));
            let spread = statistics::population_sd(&one_by_one);
            assert!((a - b).abs() < 0.25 * spread, "{}: {a} {b}", aggregate.name());
            let ratio = statistics::population_sd(&many) / spread;
            assert!((0.8..1.25).contains(&ratio), "{}: {ratio}", aggregate.name());
        }
    }
}
