//! A process of Gauss over the logarithms of the parameters: a baseline that knows no law of scaling.
//!
//! \[RW\] C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning* (2006), Eqs. 2.41 and 2.42, and the
//! restricted likelihood of their Eq. 2.45.

use super::log_linear::check_logs;
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression, Spread};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::text;
use runcast_core::numeric::cholesky::Factor;
use runcast_core::numeric::dot;
use std::f64::consts::TAU;

/// Variances of the process that are tried: 10^-4, 10^-3.5, .. 10.
const VARIANCES: std::ops::RangeInclusive<i32> = -8..=2;
/// Lengths over which it changes, in doublings of a parameter.
const LENGTHS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
/// The least variance of a run: times are never known better than to a tenth of a percent.
const LEAST_NUGGET: f64 = 1e-6;
/// So many degrees of freedom make Student's t the normal law.
const NORMAL: usize = 1_000_000;
/// More configurations take too long: the time grows with their cube, for each of 55 pairs.
const MOST_POINTS: usize = 500;

/// With more configurations the formula, which has a term for each, is left out.
const MOST_IN_FORMULA: usize = 64;

/// `ln DF = b0 + sum b_i x_i + g(x)`, `x_i = log2` of a parameter, `g` a process with the covariance
/// `s2 exp(-|x - x'|^2/(2 l^2))`                                                              \[RW\], Eq. 2.40
///
/// The trend is that of generalized least squares, with a flat prior. The nugget is the variance of the logarithm of a run,
/// by repetitions; s2 and l are those of the largest restricted likelihood on a grid. The range is that of the process.
pub struct Gaussian;

impl Regression for Gaussian {
    fn name(&self) -> &'static str {
        "gp"
    }

    fn summary(&self) -> &'static str {
        "process of Gauss over log2 of the parameters, around a power law"
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        let needed = sample.dimensions.len() + 2;
        match sample.len() {
            count if count < needed => Err(format!("it needs {needed} configurations, and there are {count}")),
            count if count > MOST_POINTS => Err(format!("it takes at most {MOST_POINTS} configurations, not {count}")),
            _ => Ok(()),
        }
    }

    fn fit(&self, sample: &Sample<'_>, _: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        check_logs(sample, "gp", sample.dimensions.iter().copied())?;
        let nugget = sample.repetition_variance(f64::ln).max(LEAST_NUGGET);
        let of = |variance: f64, length: f64| Process::of(sample, Kernel { variance, length, nugget });
        let grid = VARIANCES.flat_map(|half| LENGTHS.map(|length| (10f64.powf(0.5 * f64::from(half)), length)));
        let processes = grid.filter_map(|(variance, length)| of(variance, length));
        let best = processes
            .reduce(|best, next| if next.ln_likelihood > best.ln_likelihood { next } else { best })
            .ok_or_else(|| NoFit::Unsuitable("no covariance suits these runs".to_owned()))?;
        let names: Vec<String> = sample.dimensions.iter().map(|&k| text::name(&sample.series.parameters[k])).collect();
        let formula = if best.x.len() <= MOST_IN_FORMULA { best.formula(&names) } else { String::new() };
        let power = |slope: &f64| text::number((slope / std::f64::consts::LN_2 * 1e3).round() / 1e3);
        let class: Vec<String> =
            names.iter().zip(&best.trend[1..]).map(|(name, slope)| format!("{name}^{}", power(slope))).collect();
        let kernel = best.kernel;
        let mut coefficients: Vec<(String, f64)> =
            best.trend.iter().enumerate().map(|(k, value)| (format!("b{k}"), *value)).collect();
        coefficients.extend([("s2".to_owned(), kernel.variance), ("l".to_owned(), kernel.length)]);
        coefficients.extend([("nugget".to_owned(), nugget), ("ln_likelihood".to_owned(), best.ln_likelihood)]);
        let seen = sample.dimensions.clone();
        let mut fitted = Fitted::new("gp", formula, class.join("*"), Box::new(best));
        fitted.coefficients = coefficients.into_iter().collect();
        fitted.unseen = (0..sample.series.parameters.len()).filter(|k| !seen.contains(k)).collect();
        Ok(fitted)
    }
}

/// The covariance of the logarithm at two configurations.
#[derive(Debug, Clone, Copy)]
struct Kernel {
    /// s2
    variance: f64,
    /// l, in doublings.
    length: f64,
    nugget: f64,
}

impl Kernel {
    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
        self.variance * (-square / (2.0 * self.length * self.length)).exp()
    }
}

/// The process, given the runs.
#[derive(Debug, Clone)]
struct Process {
    kernel: Kernel,
    /// The parameters that it sees.
    dimensions: Vec<usize>,
    /// log2 of the configurations.
    x: Vec<Vec<f64>>,
    /// b0, b1, ..
    trend: Vec<f64>,
    /// K^-1 (y - H b)
    residual: Vec<f64>,
    /// K
    factor: Factor,
    /// K^-1 H, by columns.
    weighted: Vec<Vec<f64>>,
    /// H' K^-1 H
    precision: Factor,
    ln_likelihood: f64,
}

impl Process {
    /// None where a covariance is not positive.
    fn of(sample: &Sample<'_>, kernel: Kernel) -> Option<Process> {
        let dimensions = sample.dimensions.clone();
        let x: Vec<Vec<f64>> = sample.at.iter().map(|at| dimensions.iter().map(|&k| at[k].log2()).collect()).collect();
        let y: Vec<f64> = sample.y.iter().map(|y| y.ln()).collect();
        let row = |k: usize| {
            let mut row: Vec<f64> = (0..=k).map(|l| kernel.between(&x[k], &x[l])).collect();
            row[k] += kernel.nugget;
            row
        };
        let factor = Factor::of((0..x.len()).map(row).collect())?;
        let columns: Vec<Vec<f64>> =
            (0..=dimensions.len()).map(|k| x.iter().map(|x| if k == 0 { 1.0 } else { x[k - 1] }).collect()).collect();
        let weighted: Vec<Vec<f64>> = columns.iter().map(|column| factor.solve(column)).collect();
        let normal = |k: usize| (0..=k).map(|l| dot(&columns[k], &weighted[l])).collect();
        let precision = Factor::of((0..columns.len()).map(normal).collect())?;
        let right: Vec<f64> = weighted.iter().map(|column| dot(column, &y)).collect();
        let trend = precision.solve(&right);
        let centered: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y - trend_at(&trend, x)).collect();
        let residual = factor.solve(&centered);
        let degrees = (x.len() - trend.len()) as f64;
        let ln_likelihood = -0.5
            * (factor.ln_determinant() + precision.ln_determinant() + dot(&residual, &centered) + degrees * TAU.ln());
        Some(Process { kernel, dimensions, x, trend, residual, factor, weighted, precision, ln_likelihood })
    }

    /// The median as a formula: the trend, and what each run says of its neighborhood.
    fn formula(&self, names: &[String]) -> String {
        let slopes = names.iter().zip(&self.trend[1..]);
        let trend: Vec<String> =
            slopes.map(|(name, slope)| format!(" + {}*log2({name})", text::number(*slope))).collect();
        let width = text::number(-0.5 / self.kernel.length.powi(2));
        let near = |x: &Vec<f64>| {
            let squares = names.iter().zip(x).map(|(name, at)| format!("(log2({name}) - {})^2", text::number(*at)));
            squares.collect::<Vec<_>>().join(" + ")
        };
        let runs = self.x.iter().zip(&self.residual).map(|(x, weight)| {
            format!(" + {}*exp({width}*({}))", text::number(self.kernel.variance * weight), near(x))
        });
        format!("exp({}{}{})", text::number(self.trend[0]), trend.concat(), runs.collect::<String>())
    }

    /// Mean and variance of the logarithm of a configuration's own time.
    fn at(&self, x: &[f64]) -> (f64, f64) {
        let with: Vec<f64> = self.x.iter().map(|other| self.kernel.between(x, other)).collect();
        let mean = trend_at(&self.trend, x) + dot(&with, &self.residual);
        let known = dot(&with, &self.factor.solve(&with));
        // What the trend leaves open, beside the process.
        let open: Vec<f64> = std::iter::once(1.0)
            .chain(x.iter().copied())
            .zip(&self.weighted)
            .map(|(own, weighted)| own - dot(&with, weighted))
            .collect();
        let of_trend = dot(&open, &self.precision.solve(&open));
        (mean, (self.kernel.variance - known).max(0.0) + of_trend)
    }
}

fn trend_at(trend: &[f64], x: &[f64]) -> f64 {
    trend[0] + dot(&trend[1..], x)
}

impl Predictor for Process {
    fn predict(&self, at: &[f64]) -> Answer {
        let x: Vec<f64> = self.dimensions.iter().map(|&k| at[k].log2()).collect();
        let (mean, variance) = self.at(&x);
        // A range is one of a run.
        let sd_ln = (variance + self.kernel.nugget).sqrt();
        Answer { value: mean.exp(), spread: Spread::Parametric { sd_ln, freedom: NORMAL }, ..Answer::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;
    use runcast_core::series::Aggregate;

    fn law(p: f64) -> f64 {
        40.0 / p + 0.5 + 0.2 * p.log2()
    }

    /// Numbers by an independent script of numerical linear algebra.
    #[test]
    fn five_doublings_with_a_given_covariance() {
        let points: Vec<(f64, f64)> = [2.0, 4.0, 8.0, 16.0, 32.0].iter().map(|&p| (p, law(p))).collect();
        let series = series(&points);
        let sample = Sample::new(&series, Aggregate::Median, &FitOptions::default());
        let process = Process::of(&sample, Kernel { variance: 0.05, length: 2.0, nugget: 1e-4 }).expect("positive");
        assert!((process.trend[0] - 3.525517).abs() < 1e-6, "{:?}", process.trend);
        assert!((process.trend[1] + 0.479122).abs() < 1e-6, "{:?}", process.trend);
        assert!((process.ln_likelihood - 2.638960).abs() < 1e-6, "{}", process.ln_likelihood);
        for (p, value, sd) in [(64.0_f64, 2.026951, 0.064848), (256.0, 0.839295, 0.303920)] {
            let (mean, variance) = process.at(&[p.log2()]);
            assert!((mean.exp() - value).abs() < 1e-6, "p={p}: {}", mean.exp());
            assert!((variance.sqrt() - sd).abs() < 1e-6, "p={p}: {}", variance.sqrt());
        }
    }

    #[test]
    fn a_power_law_comes_back_and_few_runs_are_refused() {
        let points: Vec<(f64, f64)> = (0..6).map(|k| (f64::powi(2.0, k), 8.0 * f64::powi(2.0, -k))).collect();
        let series = series(&points);
        let sample = Sample::new(&series, Aggregate::Median, &FitOptions::default());
        let fitted = Gaussian.fit(&sample, &FitOptions::default()).expect("fits");
        assert!((fitted.predictor.value(&[256.0]) * 32.0 - 1.0).abs() < 1e-6);
        let few = series_of_two();
        let sample = Sample::new(&few, Aggregate::Median, &FitOptions::default());
        assert!(Gaussian.applies(&sample).is_err());
    }

    fn series_of_two() -> runcast_core::Series {
        series(&[(1.0, 2.0), (2.0, 1.0)])
    }
}
