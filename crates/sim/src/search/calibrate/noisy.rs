//! Calibration on runs with noise: means and spreads of repetitions against means and spreads of simulations, which draw the
//! same random numbers at every point of the search.
//!
//! ```text
//! m_i, v_i   mean and standard deviation of the r_i runs of configuration i       M_i, V_i   those of S simulations
//! residuals  (ln M_i - ln m_i)/sqrt(u_i)          u_i = (V_i/M_i)^2*(1/r_i + 1/S) + misfit^2
//!            (ln V_i - ln v_i)*sqrt(2(r_i-1))     where r_i >= 3, and a size of noise is free
//! ```
//!
//! The logarithm of a standard deviation of r normal draws has about the variance 1/(2(r-1)). `misfit` is what the model
//! cannot say: 0 or more, so that the squares sum up to the degrees of freedom. Sources: common random numbers, A. Law,
//! *Simulation Modeling and Analysis*, 11.2; simulated moments, D. McFadden, Econometrica 57 (1989).

use super::minimize::{self, Least};
use super::{Found, Free, Options, determined, inverse_normal, nothing_free, starts, warnings};
use crate::model::Uncertainty;
use nalgebra::DMatrix;
use runcast_core::numeric::student;
use runcast_core::{Problem, Warning};

/// A size of noise whose range begins at or below this cannot be distinguished from no noise.
pub const LEAST_NOISE: f64 = 1e-4;
/// Simulations of a configuration at each point of the search, and at its end.
const SEEDS: [u64; 2] = [16, 64];
/// Runs of a configuration that tell a spread.
const MOST_UNTOLD: usize = 2;

/// What was measured of a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observed {
    pub mean: f64,
    /// Standard deviation of the runs; 0 of one.
    pub sd: f64,
    /// How many there were.
    pub runs: usize,
}

/// What was simulated of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    pub mean: f64,
    pub sd: f64,
}

/// Moments of all configurations at values of names, from this many simulations of each.
pub type Simulate<'s> = dyn Fn(&[Free], &[f64], u64) -> Result<Vec<Moments>, Problem> + 's;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Noisy {
    /// By name, in the order of [`Free`]; none: a size of noise that cannot be distinguished from no noise.
    pub found: Vec<Option<Found>>,
    /// What is not known of them, and of the model.
    pub uncertainty: Uncertainty,
    pub condition: f64,
    /// How often a configuration was simulated.
    pub evaluations: u64,
    pub converged: bool,
    /// Relative error that remains beside the noise.
    pub misfit: f64,
    /// Simulations of a configuration.
    pub seeds: u64,
    pub warnings: Vec<Warning>,
}

/// Whether a name is a size of noise.
fn is_noise(free: &Free) -> bool {
    free.name.starts_with("noise.")
}

/// Finds coefficients and sizes of noise.
///
/// # Errors
/// `too_few_rows`, `too_few_repetitions`; `not_determined`; those of the simulation.
pub fn with_noise(
    observed: &[Observed],
    free: &[Free],
    options: &Options,
    simulate: &Simulate<'_>,
) -> Result<Noisy, Problem> {
    let told = observed.iter().filter(|one| one.runs > MOST_UNTOLD && one.sd > 0.0).count();
    if told == 0 {
        let most = observed.iter().map(|one| one.runs).max().unwrap_or(0);
        let message = format!("the runs tell no noise: there are at most {most} of a configuration");
        return Err(Problem::new("too_few_repetitions", message)
            .at("--table")
            .value(most.to_string())
            .allowed("3 or more, with different results")
            .hint("run each configuration 3 to 10 times: runcast bench --repetitions 10"));
    }
    if observed.len() + told < free.len() {
        return Err(Problem::new("too_few_rows", "there are fewer runs than coefficients")
            .at("--free")
            .value(format!("{} configurations for {} names", observed.len(), free.len())));
    }
    if let Some(bad) = observed.iter().find(|one| !(one.mean.is_finite() && one.mean > 0.0)) {
        return Err(super::not_above_zero(bad.mean));
    }
    let search = Search { observed, simulate, evaluations: std::cell::Cell::new(0) };
    let mut wanted: Vec<Free> = free.to_vec();
    loop {
        let ended = search.find(&wanted, options)?;
        // Sizes of noise that might as well be nothing go, the least certain first.
        let untold = ended.found.iter().position(|one| one.name.starts_with("noise.") && one.low <= LEAST_NOISE);
        let Some(untold) = untold else {
            let found =
                free.iter().map(|one| ended.found.iter().find(|found| found.name == one.name).cloned()).collect();
            let mut warnings = warnings(&ended.least, &wanted);
            for one in free.iter().filter(|one| wanted.iter().all(|left| left.name != one.name)) {
                let text = format!("{} is not told from none: the runs vary no more without it", one.name);
                warnings.push(Warning::new("noise_not_told", text));
            }
            return Ok(Noisy {
                found,
                uncertainty: ended.uncertainty,
                condition: ended.condition,
                evaluations: search.evaluations.get() * observed.len() as u64,
                converged: ended.least.converged,
                misfit: ended.misfit,
                seeds: SEEDS[1],
                warnings,
            });
        };
        let gone = wanted.remove(untold);
        if wanted.is_empty() {
            let message = format!("{} is not told from none, and nothing else is free", gone.name);
            return Err(Problem::new("nothing_free", message).at("--free").hint("--free c.NAME"));
        }
    }
}

struct Search<'s> {
    observed: &'s [Observed],
    simulate: &'s Simulate<'s>,
    evaluations: std::cell::Cell<u64>,
}

/// Where a search ended.
struct Ended {
    least: Least,
    found: Vec<Found>,
    uncertainty: Uncertainty,
    condition: f64,
    misfit: f64,
}

impl Search<'_> {
    /// Two rounds, between which the weights follow, and a descent with more simulations.
    fn find(&self, free: &[Free], options: &Options) -> Result<Ended, Problem> {
        let mut at: Vec<Vec<f64>> = starts(free, options);
        let mut misfit = 0.0;
        // At first the spreads that were measured are the weights: those at a start may be anything.
        let pooled = self.pooled();
        let mut spreads: Vec<f64> = self.observed.iter().map(|one| self.spread_of(one, pooled)).collect();
        let mut last: Option<Least> = None;
        for seeds in [SEEDS[0], SEEDS[0], SEEDS[1]] {
            let weights = self.weights(&spreads, misfit, seeds);
            let (mut best, mut undetermined): (Option<Least>, _) = (None, None);
            for start in &at {
                let residuals = |values: &[f64]| self.residuals(free, values, &weights, seeds);
                let least = minimize::minimize(&residuals, free, start.clone())?;
                // Where nothing depends on a value, no search can find it: another start may lie elsewhere.
                if let Err(problem) = determined::check(&least.first_jacobian, &least.first_values, free) {
                    undetermined.get_or_insert(problem);
                    continue;
                }
                if best.as_ref().is_none_or(|best| least.sum < best.sum) {
                    best = Some(least);
                }
            }
            let Some(best) = best else {
                return Err(undetermined.unwrap_or_else(nothing_free));
            };
            let moments = self.moments(free, &best.values, seeds)?;
            spreads =
                moments.iter().zip(&spreads).map(|(one, before)| (one.sd / one.mean).max(1e-3 * before)).collect();
            misfit = self.misfit(&moments, &spreads, seeds, free);
            at = vec![best.values.clone()];
            last = Some(best);
        }
        let least = last.ok_or_else(nothing_free)?;
        let condition = determined::check(&least.jacobian, &least.values, free)?;
        // The Jacobian of the last round, by the weights that follow from it.
        let rows = self.observed.len();
        let (old, new) = (self.weights(&spreads, 0.0, SEEDS[1]), self.weights(&spreads, misfit, SEEDS[1]));
        let scaled = DMatrix::from_fn(least.jacobian.nrows(), least.jacobian.ncols(), |row, column| {
            let factor = if row < rows { new[row] / old[row] } else { 1.0 };
            least.jacobian[(row, column)] * factor
        });
        let covariance = inverse_normal(&scaled);
        let degrees = least.jacobian.nrows().saturating_sub(free.len()).max(1);
        let found = super::found(&least, free, &covariance, student::two_sided(options.level, degrees));
        let uncertainty = super::uncertainty(&least, free, &covariance, degrees, misfit);
        Ok(Ended { least, found, uncertainty, condition, misfit })
    }

    fn moments(&self, free: &[Free], values: &[f64], seeds: u64) -> Result<Vec<Moments>, Problem> {
        self.evaluations.set(self.evaluations.get() + seeds);
        (self.simulate)(free, values, seeds)
    }

    /// The relative spread of configurations that tell one.
    fn pooled(&self) -> f64 {
        let told = self.observed.iter().filter(|one| one.runs > MOST_UNTOLD);
        let (sum, degrees) = told.fold((0.0, 0.0), |(sum, degrees), one| {
            let free = one.runs as f64 - 1.0;
            (sum + free * (one.sd / one.mean).powi(2), degrees + free)
        });
        if degrees > 0.0 { (sum / degrees).sqrt() } else { 0.0 }
    }

    fn spread_of(&self, one: &Observed, pooled: f64) -> f64 {
        if one.runs > MOST_UNTOLD && one.sd > 0.0 { one.sd / one.mean } else { pooled }
    }

    /// `1/sqrt(u_i)`.
    fn weights(&self, spreads: &[f64], misfit: f64, seeds: u64) -> Vec<f64> {
        let of = |(one, spread): (&Observed, &f64)| {
            let of_mean = spread * spread * (1.0 / one.runs as f64 + 1.0 / seeds as f64);
            // Simulations are exact to a part in 10^12 or so.
            1.0 / (of_mean + misfit * misfit).sqrt().max(1e-9)
        };
        self.observed.iter().zip(spreads).map(of).collect()
    }

    fn residuals(&self, free: &[Free], values: &[f64], weights: &[f64], seeds: u64) -> Result<Vec<f64>, Problem> {
        let moments = self.moments(free, values, seeds)?;
        let means = moments.iter().zip(self.observed).zip(weights);
        let mut all: Vec<f64> = means.map(|((one, seen), weight)| (one.mean / seen.mean).ln() * weight).collect();
        if free.iter().any(is_noise) {
            all.extend(self.spreads(&moments));
        }
        Ok(all)
    }

    fn spreads<'m>(&'m self, moments: &'m [Moments]) -> impl Iterator<Item = f64> + 'm {
        let told = moments.iter().zip(self.observed).filter(|(_, seen)| seen.runs > MOST_UNTOLD && seen.sd > 0.0);
        told.map(|(one, seen)| {
            let spread = one.sd.max(1e-9 * one.mean);
            (spread / seen.sd).ln() * (2.0 * (seen.runs as f64 - 1.0)).sqrt()
        })
    }

    /// The relative error beside the noise with which the squares of the means sum up to their degrees of freedom.
    fn misfit(&self, moments: &[Moments], spreads: &[f64], seeds: u64, free: &[Free]) -> f64 {
        let coefficients = free.iter().filter(|one| !is_noise(one)).count();
        let degrees = self.observed.len().saturating_sub(coefficients).max(1) as f64;
        let chi = |misfit: f64| -> f64 {
            let weights = self.weights(spreads, misfit, seeds);
            let means = moments.iter().zip(self.observed).zip(&weights);
            means.map(|((one, seen), weight)| ((one.mean / seen.mean).ln() * weight).powi(2)).sum()
        };
        if chi(0.0) <= degrees {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 1e-6);
        while chi(high) > degrees && high < 1e6 {
            high *= 4.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if chi(middle) > degrees { low = middle } else { high = middle }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::random::SplitMix;

    /// The first output of SplitMix64 from a state.
    fn splitmix(state: u64) -> u64 {
        let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 50 phases in which the slowest of p processes counts: 8 ns an operation, exponential noise of 5 %.
    fn measured(p: u64, repetition: u64) -> f64 {
        let phase = |k: u64| -> f64 {
            let of = |i: u64| {
                let bits = splitmix(((p * 64 + repetition) * 256 + k) * 4096 + i) >> 11;
                let u = (bits as f64 + 0.5) / 2.0_f64.powi(53);
                8e-9 * 1e9 / (50.0 * p as f64) * (1.0 - 0.05 * u.ln())
            };
            (0..p).map(of).fold(0.0, f64::max)
        };
        (0..50).map(phase).sum()
    }

    fn simulated(p: u64, seed: u64, c: f64, mean: f64) -> f64 {
        let phase = |k: u64| -> f64 {
            let of = |i: u64| {
                let u = SplitMix::new(SplitMix::new(seed * 64 + p, k).bits(), i).uniform();
                c * 1e9 / (50.0 * p as f64) * (1.0 - mean * (1.0 - u).ln())
            };
            (0..p).map(of).fold(0.0, f64::max)
        };
        (0..50).map(phase).sum()
    }

    fn moments(all: &[f64]) -> (f64, f64) {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (mean, (all.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (all.len() as f64 - 1.0)).sqrt())
    }

    fn observed(p: u64) -> Observed {
        let all: Vec<f64> = (0..10).map(|repetition| measured(p, repetition)).collect();
        let (mean, sd) = moments(&all);
        Observed { mean, sd, runs: 10 }
    }

    fn model(processes: &[u64], values: &[f64], seeds: u64) -> Vec<Moments> {
        let one = |p: &u64| {
            let all: Vec<f64> = (0..seeds).map(|seed| simulated(*p, seed, values[0], values[1])).collect();
            let (mean, sd) = moments(&all);
            Moments { mean, sd }
        };
        processes.iter().map(one).collect()
    }

    fn free(name: &str, start: f64) -> Free {
        Free { name: name.to_owned(), start, low: 0.0, high: f64::INFINITY }
    }

    #[test]
    fn a_coefficient_and_its_noise_are_told_apart() {
        assert!((measured(1, 0) - 8.338_225_5).abs() < 1e-6);
        let processes = [1, 2, 4, 8];
        let seen: Vec<Observed> = processes.iter().map(|p| observed(*p)).collect();
        let means = [8.395_224_1, 4.306_468_2, 2.199_744_9, 1.132_812_8];
        assert!(seen.iter().zip(means).all(|(one, mean)| (one.mean - mean).abs() < 1e-6));
        let names = [free("c.work", 1e-8), free("noise.block.mean", 0.02)];
        let found =
            with_noise(&seen, &names, &Options::default(), &|_, values, seeds| Ok(model(&processes, values, seeds)))
                .expect("determined");
        let value = |index: usize| found.found[index].as_ref().expect("told").clone();
        // Another program with draws of its own: 8.017 ns and 0.0478.
        assert!((value(0).value / 8e-9 - 1.0).abs() < 0.01, "{found:?}");
        assert!((value(1).value / 0.05 - 1.0).abs() < 0.10, "{found:?}");
        assert!(value(0).low <= 8e-9 && 8e-9 <= value(0).high, "{found:?}");
        assert!(value(1).low <= 0.05 && 0.05 <= value(1).high, "{found:?}");
        assert!(found.misfit < 0.01 && found.seeds == 64);
        // Held out at four times the processes.
        let at = model(&[16, 32], &[value(0).value, value(1).value], 64);
        for (one, mean) in at.iter().zip([0.585_120_1, 0.299_894_0]) {
            assert!((one.mean / mean - 1.0).abs() < 0.015, "{one:?}");
        }
    }

    #[test]
    fn noise_that_is_not_there_is_left_out() {
        // Runs that vary by a hundred-thousandth: no block is noisy.
        let processes = [1_u64, 2, 4, 8];
        let seen: Vec<Observed> =
            processes.iter().map(|p| Observed { mean: 8.0 / *p as f64, sd: 1e-6 / *p as f64, runs: 5 }).collect();
        let names = [free("c.work", 1e-8), free("noise.block.mean", 0.02)];
        let found = with_noise(&seen, &names, &Options::default(), &|_, values, seeds| {
            let noise = values.get(1).copied().unwrap_or(0.0);
            Ok(model(&processes, &[values[0], noise], seeds))
        })
        .expect("determined");
        assert_eq!(found.found[1], None, "{found:?}");
        assert!((found.found[0].as_ref().expect("told").value / 8e-9 - 1.0).abs() < 1e-3, "{found:?}");
        assert_eq!(found.warnings[0].code, "noise_not_told");
    }

    #[test]
    fn too_few_repetitions_are_told() {
        let seen = [Observed { mean: 1.0, sd: 0.1, runs: 2 }; 4];
        let names = [free("c.work", 1e-8), free("noise.block.mean", 0.02)];
        let refused = with_noise(&seen, &names, &Options::default(), &|_, _, _| Ok(Vec::new())).expect_err("refused");
        assert_eq!(refused.code, "too_few_repetitions");
    }
}
