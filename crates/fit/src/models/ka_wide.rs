//! The function of \[K\] for growing problems on a constant number of processes.
//!
//! \[K\] Kazmina, Antonov, *Vestnik komp. i inf. tekhn.* 12, 2018, as described in section 3.5 of Mokrov's thesis.

use super::profile::{Nonlinear, minimize};
use super::relative::{rank_weights, times_along_one_axis};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::{Sample, Scaling};
use crate::text::{name, number};
use runcast_core::numeric::linear::{Design, solve, solve_nonnegative};
use runcast_core::series::Aggregate;
use std::sync::Arc;

/// `T(s) = b (1+a)^s + c`, `b > 0`, `a > -1`, `c >= 0`; squares weighted by `k / T_k^2`.                       \[K\]
///
/// `s` is undefined in the publication; here `s = log2(N / N_min)`.
pub struct KaWide;

impl Regression for KaWide {
    fn name(&self) -> &'static str {
        "ka-wide"
    }

    fn summary(&self) -> &'static str {
        "Kazmina and Antonov 2018: b*(1+a)^s + c over the problem size"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Best
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        times_along_one_axis(sample)?;
        if sample.scaling == Scaling::Wide {
            Ok(())
        } else {
            Err("it needs a growing problem on a constant number of processes".to_owned())
        }
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        super::log_linear::check_logs(sample, "ka-wide", [sample.axis])?;
        let least = sample.range(sample.axis)[0];
        let axis = sample.axis;
        let curve = Curve::fit(&sample.x(), &sample.y, options)?;
        let (g, b, c) = (curve.growth, curve.b, curve.c);
        let free = options.free_signs;
        let gradient = Arc::new(move |k: &[f64], at: &[f64]| {
            let s = (at[axis] / least).log2();
            let power = (k[0] * s).exp();
            let mut row = vec![k[1] * s * power, power];
            let mut value = k[1] * power;
            if let Some(c) = k.get(2) {
                row.push(1.0);
                value += c;
            }
            (value, row)
        });
        let start = if c == 0.0 { vec![g, b] } else { vec![g, b, c] };
        let weights: Vec<f64> = rank_weights(&sample.x()).iter().zip(&sample.y).map(|(w, y)| w / y).collect();
        let noise = sample.repetition_variance(f64::ln);
        let model = Nonlinear::polish(start, gradient, &sample.at, &sample.y, &weights, noise, |k| {
            free || (k[1] > 0.0 && k.get(2).is_none_or(|c| *c >= 0.0))
        });
        let (g, b) = (model.coefficients()[0], model.coefficients()[1]);
        let c = model.coefficients().get(2).copied().unwrap_or(0.0);
        let n = name(&sample.series.parameters[axis]);
        let a = g.exp_m1();
        let formula = format!("{}*{}^log2({n}/{}) + {}", number(b), number(1.0 + a), number(least), number(c));
        // (1+a)^log2(N) = N^log2(1+a)
        let class = if g > 0.0 {
            format!("{n}^{}", number((g / std::f64::consts::LN_2 * 1e3).round() / 1e3))
        } else {
            "constant".to_owned()
        };
        let fitted =
            Fitted::new("ka-wide", formula, class, Box::new(model)).with_coefficients([("a", a), ("b", b), ("c", c)]);
        Ok(fitted.along_axis(sample))
    }
}

/// `b exp(growth s) + c`
#[derive(Debug, Clone, Copy)]
pub struct Curve {
    /// `ln(1+a)`
    pub growth: f64,
    /// Factor of the power.
    pub b: f64,
    /// Constant.
    pub c: f64,
    least: f64,
}

impl Curve {
    /// At each growth the other two coefficients are a linear problem; the growth is searched for.
    ///
    /// # Errors
    /// [`NoFit`] for fewer than two sizes or values that no curve fits.
    pub fn fit(sizes: &[f64], y: &[f64], options: &FitOptions) -> Result<Curve, NoFit> {
        let least = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let s: Vec<f64> = sizes.iter().map(|n| (n / least).log2()).collect();
        if s.iter().all(|value| *value == s[0]) {
            return Err(NoFit::Unsuitable("ka-wide needs more than one problem size".to_owned()));
        }
        let weights: Vec<f64> = rank_weights(sizes).iter().zip(y).map(|(w, y)| w / y).collect();
        let linear = |g: f64| -> Option<(f64, f64, f64)> {
            let design = Design {
                rows: s.iter().map(|s| vec![(g * s).exp(), 1.0]).collect(),
                y: y.to_vec(),
                weights: weights.clone(),
                ridge: None,
                scale_columns: true,
            };
            if options.free_signs {
                let fit = solve(&design)?;
                return Some((fit.coefficients[0], fit.coefficients[1], fit.rss));
            }
            let (active, fit) = solve_nonnegative(&design, runcast_core::numeric::linear::Robust::None)?;
            let mut coefficients = [0.0; 2];
            for (&k, c) in active.iter().zip(&fit.coefficients) {
                coefficients[k] = *c;
            }
            Some((coefficients[0], coefficients[1], fit.rss))
        };
        // Growth per doubling of the size from 1/1024 to 1024; 0 would be a second constant.
        let loss =
            |g: f64| linear(g).map_or(f64::INFINITY, |(b, _, rss)| if b == 0.0 { rss * (1.0 + 1e-9) } else { rss });
        let most = 10.0 * std::f64::consts::LN_2;
        let growth = minimize(-most, most, 401, loss);
        let (b, c, _) =
            linear(growth).ok_or_else(|| NoFit::Unsuitable("ka-wide: no coefficients fit these runs".to_owned()))?;
        Ok(Curve { growth, b, c, least })
    }

    /// The value for a problem of this size.
    pub fn at(&self, size: f64) -> f64 {
        self.b * (self.growth * (size / self.least).log2()).exp() + self.c
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sizes;

    #[test]
    fn the_function_comes_back() {
        let runs = sizes(&[0, 1, 2, 3, 4].map(|s| (1000.0 * f64::from(1 << s), 3.0 * 1.5f64.powi(s) + 2.0)));
        let sample = Sample::new(&runs, KaWide.aggregate(), &FitOptions::default());
        let fitted = KaWide.fit(&sample, &FitOptions::default()).expect("fits");
        let value = fitted.predictor.value(&[64_000.0]);
        assert!((value / 36.171875 - 1.0).abs() < 1e-6, "{value}");
    }
}
