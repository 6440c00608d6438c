//! Models that are linear in logarithms: `log2 DF = sum_k c_k b_k`, each `b_k` a product of logs of parameters.

use crate::fitted::{Answer, NoFit, Predictor, Spread};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use crate::text;
use runcast_core::Warning;
use runcast_core::numeric::linear::{Design, LinearFit, Ridge, solve_robust};
use std::fmt::Write as _;
use std::sync::Arc;

/// A product of `log2(parameter) - shift`; the empty product is the intercept.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis(pub Vec<(usize, f64)>);

impl Basis {
    /// Its value at a configuration.
    pub fn at(&self, at: &[f64]) -> f64 {
        self.0.iter().map(|&(parameter, shift)| at[parameter].log2() - shift).product()
    }

    /// `log2(p)*(log2(N) - 3)`
    pub fn text(&self, names: &[String]) -> String {
        let factors: Vec<String> = self
            .0
            .iter()
            .map(|&(parameter, shift)| {
                let log = format!("log2({})", text::name(&names[parameter]));
                if shift == 0.0 { log } else { format!("({log} - {})", text::number(shift)) }
            })
            .collect();
        factors.join("*")
    }
}

/// A fitted model of this kind.
#[derive(Debug, Clone)]
pub struct LogLinear {
    names: Arc<[String]>,
    basis: Vec<Basis>,
    design: Design,
    pub fit: LinearFit,
    points: Vec<Vec<f64>>,
    /// The unit of the metric, in that of its values.
    unit: f64,
    /// Variance of a run on the log2 scale.
    variance: Option<f64>,
    freedom: usize,
}

/// Specification of the fit.
pub struct LogLinearSpec {
    /// Name of the model, for messages.
    pub model: &'static str,
    pub basis: Vec<Basis>,
    /// How much less the earlier configurations count than the last.
    pub recency: Recency,
    /// Penalty on a coefficient.
    pub ridge: Option<Ridge>,
    /// See [`Design::scale_columns`].
    pub scale_columns: bool,
    /// The unit that the metric is counted in; it matters where there is no intercept.
    pub unit: f64,
}

impl LogLinear {
    /// Fits the columns to the logs of the sample.
    ///
    /// # Errors
    /// [`NoFit::NotPositive`] and [`NoFit::Parameter`] for values without a logarithm.
    pub fn fit(sample: &Sample<'_>, options: &FitOptions, spec: LogLinearSpec) -> Result<Self, NoFit> {
        check_logs(sample, spec.model, spec.basis.iter().flat_map(|basis| basis.0.iter().map(|(k, _)| *k)))?;
        let design = Design {
            rows: sample.at.iter().map(|at| spec.basis.iter().map(|basis| basis.at(at)).collect()).collect(),
            y: sample.y.iter().map(|y| (y / spec.unit).log2()).collect(),
            weights: spec.recency.weights(&sample.x()),
            ridge: spec.ridge,
            scale_columns: spec.scale_columns,
        };
        let fit = solve_robust(&design, options.robust)
            .ok_or_else(|| NoFit::Unsuitable(format!("{} has no finite solution", spec.model)))?;
        let freedom = sample.len().saturating_sub(fit.rank);
        let variance = (freedom >= 1).then(|| {
            let noise = sample.repetition_variance(f64::log2);
            (fit.rss / freedom as f64).max(if noise.is_finite() { noise } else { 0.0 })
        });
        Ok(LogLinear {
            names: sample.series.parameters.clone(),
            basis: spec.basis,
            design,
            fit,
            points: sample.at.clone(),
            unit: spec.unit,
            variance,
            freedom,
        })
    }

    fn row(&self, at: &[f64]) -> Vec<f64> {
        self.basis.iter().map(|basis| basis.at(at)).collect()
    }

    /// log2 of the prediction in its unit.
    pub fn log2_at(&self, at: &[f64]) -> f64 {
        self.fit.at(&self.row(at))
    }

    /// `1 + x'(X'X)^-1 x` at a configuration.
    pub fn variance_factor(&self, at: &[f64]) -> f64 {
        1.0 + self.fit.variance_factor(&self.row(at))
    }

    /// `2^(c0 + c1*log2(p) + ..)`
    pub fn formula(&self) -> String {
        let mut exponent = String::new();
        for (coefficient, basis) in self.fit.coefficients.iter().zip(&self.basis) {
            if !exponent.is_empty() {
                exponent.push_str(" + ");
            }
            exponent.push_str(&text::number(*coefficient));
            if !basis.0.is_empty() {
                let _ = write!(exponent, "*{}", basis.text(&self.names));
            }
        }
        if self.unit == 1.0 { format!("2^({exponent})") } else { format!("{}*2^({exponent})", text::number(self.unit)) }
    }

    /// `p^0.31*N^1.2`, with other factors written as powers of two.
    pub fn class(&self) -> String {
        // Equal columns, as mokrov has them without a problem size, are one factor.
        let mut merged: Vec<(f64, &Basis)> = Vec::new();
        for (coefficient, basis) in self.fit.coefficients.iter().zip(&self.basis) {
            match merged.iter_mut().find(|(_, other)| *other == basis) {
                Some((sum, _)) => *sum += coefficient,
                None => merged.push((*coefficient, basis)),
            }
        }
        let mut factors = Vec::new();
        for (coefficient, basis) in merged {
            let rounded = (coefficient * 1e3).round() / 1e3;
            match basis.0.as_slice() {
                [] => {}
                _ if rounded == 0.0 => {}
                [(parameter, _)] => {
                    factors.push(format!("{}^{}", text::name(&self.names[*parameter]), text::number(rounded)))
                }
                product => {
                    let logs: Vec<String> =
                        product.iter().map(|(k, _)| format!("log2({})", text::name(&self.names[*k]))).collect();
                    factors.push(format!("2^({}*{})", text::number(rounded), logs.join("*")));
                }
            }
        }
        if factors.is_empty() { "constant".to_owned() } else { factors.join("*") }
    }

    /// A configuration with more than half of the leverage on its own fit, without which the prediction at the target
    /// would change by more than a quarter.
    fn leverage_warning(&self, row: &[f64]) -> Option<Warning> {
        let here = self.fit.at(row);
        self.fit.leverage.iter().enumerate().filter(|(_, hat)| **hat > 0.5).find_map(|(index, hat)| {
            let without = self.fit.at_without(row, index, &self.design)?;
            let factor = (without - here).abs().exp2();
            (factor > 1.25).then(|| {
                let at = runcast_core::Configuration::from_pairs(&self.names, &self.points[index]);
                Warning::new(
                    "high_leverage",
                    format!("the run at {at} alone determines the model there (leverage {hat:.2}); without it the prediction changes by a factor of {factor:.2}"),
                )
            })
        })
    }
}

impl Predictor for LogLinear {
    fn predict(&self, at: &[f64]) -> Answer {
        let row = self.row(at);
        let spread = match self.variance {
            Some(variance) => Spread::Parametric {
                sd_ln: std::f64::consts::LN_2 * (variance * (1.0 + self.fit.variance_factor(&row))).sqrt(),
                freedom: self.freedom,
            },
            None => Spread::None,
        };
        Answer {
            value: self.unit * self.fit.at(&row).exp2(),
            spread,
            warnings: self.leverage_warning(&row).into_iter().collect(),
            ..Answer::default()
        }
    }

    fn value(&self, at: &[f64]) -> f64 {
        self.unit * self.log2_at(at).exp2()
    }
}

/// Checks that the metric and these parameters have logarithms.
///
/// # Errors
/// The first without a logarithm, with its line.
pub fn check_logs(
    sample: &Sample<'_>,
    model: &'static str,
    parameters: impl IntoIterator<Item = usize>,
) -> Result<(), NoFit> {
    check_parameters(sample, model, parameters, "> 0", |value| value > 0.0)?;
    match sample.not_positive() {
        Some((point, line)) => Err(NoFit::NotPositive { model, line, value: sample.y[point] }),
        None => Ok(()),
    }
}

/// Checks every value of some parameters.
///
/// # Errors
/// [`NoFit::Parameter`] names the first that is not allowed.
pub fn check_parameters(
    sample: &Sample<'_>,
    model: &'static str,
    parameters: impl IntoIterator<Item = usize>,
    wanted: &'static str,
    allowed: impl Fn(f64) -> bool,
) -> Result<(), NoFit> {
    for parameter in parameters {
        for (point, at) in sample.series.points.iter().zip(&sample.at) {
            if !allowed(at[parameter]) {
                return Err(NoFit::Parameter {
                    model,
                    parameter: sample.series.parameters[parameter].clone(),
                    wanted,
                    line: point.lines.first().copied().unwrap_or(0),
                    value: at[parameter],
                });
            }
        }
    }
    Ok(())
}
