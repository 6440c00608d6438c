//! Coefficients of a computational model from small real runs (docs/theory/sim.md, section 10): Levenberg-Marquardt on
//! relative errors, with bounds and several starts; coefficients that the runs cannot separate are refused.
//!
//! The simulation is a function argument, so that this module knows nothing about systems and scripts.

pub mod blocks;
#[cfg(test)]
mod coverage;
mod determined;
pub mod laws;
mod minimize;
mod noisy;

pub use noisy::{LEAST_NOISE, Moments, Noisy, Observed, with_noise};

use crate::model::Uncertainty;
use minimize::Least;
use nalgebra::DMatrix;
use runcast_core::numeric::student;
use runcast_core::random::SplitMix;
use runcast_core::{Problem, Warning};

/// Beyond this condition number of the scaled Jacobian, the runs cannot separate the coefficients.
pub const MOST_CONDITION: f64 = 1e8;

/// A coefficient to be found.
#[derive(Debug, Clone, PartialEq)]
pub struct Free {
    /// Its name: `c.sort`, `ID.KEY`, `noise.block.mean`.
    pub name: String,
    /// Where the search starts first.
    pub start: f64,
    /// It is not below this.
    pub low: f64,
    /// It is not above this.
    pub high: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Number of starts.
    pub starts: usize,
    /// Seed of the starts after the first.
    pub seed: u64,
    /// Level of the intervals.
    pub level: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { starts: 4, seed: 0, level: 0.9 }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// By coefficient, in the order of [`Free`].
    pub coefficients: Vec<Found>,
    /// What is not known of them, and of the model.
    pub uncertainty: Uncertainty,
    /// Condition number of the Jacobian whose columns are derivatives by the relative change of a coefficient.
    pub condition: f64,
    /// How often a row was simulated.
    pub evaluations: u64,
    /// Whether the search ended by itself.
    pub converged: bool,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
}

/// A coefficient that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub name: String,
    pub value: f64,
    /// Standard error: of the linearized fit, with as many degrees of freedom as rows beyond the coefficients.
    pub stderr: f64,
    /// Ends of the interval.
    pub low: f64,
    /// Ends of the interval.
    pub high: f64,
}

/// Simulated metrics of all rows at values of the coefficients, in the order of [`Free`].
pub type Simulate<'s> = dyn Fn(&[f64]) -> Result<Vec<f64>, Problem> + 's;

/// Finds the coefficients with the least sum of `((simulated - real)/real)^2`.
///
/// # Errors
/// `too_few_rows`; `not_determined`, if the rows cannot separate coefficients; those of the simulation.
pub fn calibrate(
    real: &[f64],
    free: &[Free],
    options: &Options,
    simulate: &Simulate<'_>,
) -> Result<Calibration, Problem> {
    if real.len() < free.len() {
        return Err(Problem::new("too_few_rows", "there are fewer runs than coefficients")
            .at("--free")
            .value(format!("{} configurations for {} coefficients", real.len(), free.len()))
            .hint("more runs, or fewer free coefficients: --fixed NAME=VALUE"));
    }
    if let Some(bad) = real.iter().find(|value| !(value.is_finite() && **value > 0.0)) {
        return Err(not_above_zero(*bad));
    }
    if let Some(one) = free.iter().find(|one| one.low.is_nan() || one.high.is_nan() || one.low > one.high) {
        return Err(Problem::new("bad_bounds", format!("the bounds of {} are reversed", one.name))
            .at("--free")
            .value(format!("{}..{}", one.low, one.high)));
    }
    let residuals = |values: &[f64]| -> Result<Vec<f64>, Problem> {
        Ok(simulate(values)?.iter().zip(real).map(|(simulated, real)| (simulated - real) / real).collect())
    };
    let mut evaluations = 0;
    let mut best: Option<Least> = None;
    let mut undetermined = None;
    for start in starts(free, options) {
        let mut least = minimize::minimize(&residuals, free, start)?;
        evaluations += least.evaluations;
        // Where nothing depends on a value, no search can find it: another start may lie elsewhere.
        if let Err(problem) = determined::check(&least.first_jacobian, &least.first_values, free) {
            undetermined.get_or_insert(problem);
            continue;
        }
        least.evaluations = 0;
        if best.as_ref().is_none_or(|best| least.sum < best.sum) {
            best = Some(least);
        }
    }
    let Some(best) = best else {
        return Err(undetermined.unwrap_or_else(nothing_free));
    };
    let condition = determined::check(&best.jacobian, &best.values, free)?;
    let degrees = real.len().saturating_sub(free.len()).max(1);
    let variance = 2.0 * best.sum / degrees as f64;
    let covariance = inverse_normal(&best.jacobian) * variance;
    Ok(Calibration {
        coefficients: found(&best, free, &covariance, student::two_sided(options.level, degrees)),
        uncertainty: uncertainty(&best, free, &covariance, degrees, variance.sqrt()),
        condition,
        evaluations: evaluations * real.len() as u64,
        converged: best.converged,
        warnings: warnings(&best, free),
    })
}

/// The problem of a run without a duration: errors are relative.
pub fn not_above_zero(value: f64) -> Problem {
    Problem::new("bad_value", "a measured value is not above 0").at("--table").value(value.to_string())
}

fn nothing_free() -> Problem {
    Problem::new("nothing_free", "no coefficient is free").at("--free").hint("--free c.NAME")
}

/// The first start is given; the others are drawn log-uniformly within bounds, or a factor of ten around the first.
fn starts(free: &[Free], options: &Options) -> Vec<Vec<f64>> {
    let first: Vec<f64> = free.iter().map(|one| one.start).collect();
    let more = (1..options.starts.max(1)).map(|index| {
        let mut random = SplitMix::new(options.seed, index as u64);
        let draw = |one: &Free| {
            let low = if one.low > 0.0 { one.low } else { one.start.abs() / 10.0 };
            let high = if one.high.is_finite() { one.high } else { one.start.abs() * 10.0 };
            if low > 0.0 && high > low { low * (high / low).powf(random.uniform()) } else { one.start }
        };
        free.iter().map(draw).collect()
    });
    std::iter::once(first).chain(more).collect()
}

/// What was found, from `(J'J)^-1` times a variance.
fn found(best: &Least, free: &[Free], covariance: &DMatrix<f64>, quantile: f64) -> Vec<Found> {
    free.iter()
        .enumerate()
        .map(|(index, one)| {
            let value = best.values[index];
            let stderr = covariance[(index, index)].sqrt();
            let half = quantile * stderr;
            Found {
                name: one.name.clone(),
                value,
                stderr,
                low: (value - half).max(one.low),
                high: (value + half).min(one.high),
            }
        })
        .collect()
}

/// Relative errors of what was found. What ended at 0 has none.
fn uncertainty(best: &Least, free: &[Free], covariance: &DMatrix<f64>, degrees: usize, misfit: f64) -> Uncertainty {
    let told: Vec<usize> = (0..free.len()).filter(|&index| best.values[index] != 0.0).collect();
    let relative = |row: usize, column: usize| covariance[(row, column)] / (best.values[row] * best.values[column]);
    let name = |index: &usize| free[*index].name.clone();
    Uncertainty {
        names: told.iter().map(name).collect(),
        signed: told.iter().filter(|index| free[**index].low < 0.0).map(name).collect(),
        covariance: told.iter().map(|&row| told.iter().map(|&column| relative(row, column)).collect()).collect(),
        degrees: degrees as u64,
        misfit,
        spread: 0.0,
    }
}

/// `(J'J)^-1`, through the singular values: normal equations would square the condition.
fn inverse_normal(jacobian: &DMatrix<f64>) -> DMatrix<f64> {
    let columns = jacobian.ncols();
    let svd = jacobian.clone().svd(false, true);
    let Some(v_t) = svd.v_t else { return DMatrix::from_element(columns, columns, f64::INFINITY) };
    let scaled = DMatrix::from_fn(v_t.nrows(), columns, |row, column| v_t[(row, column)] / svd.singular_values[row]);
    scaled.tr_mul(&scaled)
}

fn warnings(best: &Least, free: &[Free]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if !best.converged {
        warnings.push(Warning {
            code: "not_converged".to_owned(),
            message: "the search ended at its limit of steps; the errors of the fit show how good it is".to_owned(),
            ..Warning::default()
        });
    }
    for (one, value) in free.iter().zip(&best.values) {
        if *value <= one.low || *value >= one.high {
            warnings.push(Warning {
                code: "at_bound".to_owned(),
                message: format!("{} ended at its bound, {value}", one.name),
                ..Warning::default()
            });
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(name: &str, start: f64) -> Free {
        Free { name: format!("c.{name}"), start, low: 0.0, high: f64::INFINITY }
    }

    #[test]
    fn known_coefficients_are_recovered() {
        // T(p) = a/p + max(b*p, 0.3): a kink in the way, as waiting makes them.
        let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
        let model = |a: f64, b: f64| points.iter().map(|p| a / p + (b * p).max(0.3)).collect::<Vec<_>>();
        let real = model(40.0, 0.05);
        let found = calibrate(&real, &[free("a", 3.0), free("b", 0.5)], &Options::default(), &|values| {
            Ok(model(values[0], values[1]))
        })
        .expect("determined");
        assert!((found.coefficients[0].value / 40.0 - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found.coefficients[1].value / 0.05 - 1.0).abs() < 1e-6, "{found:?}");
        assert!(found.converged);
        assert!(found.condition < 1e4);
    }

    #[test]
    fn intervals_cover_as_often_as_their_level_says() {
        // 200 sets of noisy runs of a known model: at level 0.9 about 180 cover; binomial bounds at 4 standard deviations.
        let points = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let mut covered = 0;
        for trial in 0..200 {
            let mut random = SplitMix::new(7, trial);
            let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
            let real: Vec<f64> = points.iter().map(|p| (40.0 / p + 0.05 * p) * (1.0 + 0.01 * normal())).collect();
            let found = calibrate(
                &real,
                &[free("a", 3.0), free("b", 0.5)],
                &Options { starts: 1, ..Options::default() },
                &|values| Ok(points.iter().map(|p| values[0] / p + values[1] * p).collect()),
            )
            .expect("determined");
            let one = &found.coefficients[0];
            covered += usize::from(one.low <= 40.0 && 40.0 <= one.high);
        }
        assert!((163..=197).contains(&covered), "{covered}");
    }

    #[test]
    fn what_cannot_be_told_apart_is_named_with_what_is_determined() {
        let points: [f64; 4] = [1.0, 2.0, 4.0, 8.0];
        let real: Vec<f64> = points.iter().map(|p| 10.0 / p + 3.0 * p).collect();
        let both = [free("work", 1.0), free("split", 1.0), free("merge", 1.0)];
        let refused = calibrate(&real, &both, &Options::default(), &|values| {
            Ok(points.iter().map(|p| values[0] / p + (values[1] + 2.0 * values[2]) * p).collect())
        })
        .expect_err("only split + 2 merge is determined");
        assert_eq!(refused.code, "not_determined");
        assert!(refused.message.contains("c.split") && refused.message.contains("c.merge"), "{refused}");
        assert!(!refused.message.contains("c.work"), "{refused}");
        assert!(refused.hint.as_deref().is_some_and(|hint| hint.contains("c.split + 2*c.merge")), "{refused}");
        let none = [free("work", 1.0), free("unused", 1.0)];
        let refused =
            calibrate(&real, &none, &Options::default(), &|values| Ok(points.iter().map(|p| values[0] / p).collect()))
                .expect_err("unused");
        assert!(refused.message.contains("c.unused"), "{refused}");
    }

    #[test]
    fn bounds_hold() {
        let bounded = Free { name: "a".to_owned(), start: 2.0, low: 1.0, high: 5.0 };
        let found =
            calibrate(&[40.0, 20.0], &[bounded], &Options::default(), &|values| Ok(vec![values[0], values[0] / 2.0]))
                .expect("determined");
        assert_eq!(found.coefficients[0].value, 5.0);
        assert_eq!(found.warnings[0].code, "at_bound");
    }
}
