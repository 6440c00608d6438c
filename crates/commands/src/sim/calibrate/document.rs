//! The document of `runcast sim calibrate`.

use super::laws::Tried;
use super::names::Wanted;
use super::runs::Configuration;
use super::{CalibrateArgs, MetricArg, Outcome};
use runcast_core::Warning;
use runcast_sim::calibrate::Found;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The document of `sim calibrate`.
#[derive(Debug, Clone, Serialize)]
pub struct Document {
    /// `sim-calibrate`.
    pub kind: &'static str,
    /// Version of this shape.
    pub version: u32,
    /// Level of the intervals.
    pub level: f64,
    /// Coefficients and attributes that were found.
    pub coefficients: Vec<Coefficient>,
    /// Sizes of noise that were found.
    pub noise: Vec<Size>,
    /// Laws that were tried, by type.
    pub laws: Vec<Tried>,
    /// Relative error that remains beside the noise, in percent; none: noise was not sought.
    pub misfit_pct: Option<f64>,
    /// Simulations of a configuration at the end.
    pub seeds: u64,
    /// Configurations that cannot be placed.
    pub rows_unplaced: usize,
    /// The entry of the catalogue that was written, by id.
    pub entry: Option<String>,
    /// Errors on the configurations that it was found on.
    pub train: Errors,
    /// Errors on those held out.
    pub holdout: Option<Errors>,
    /// By configuration.
    pub rows: Vec<Row>,
    /// Condition number of the Jacobian by relative changes.
    pub condition: f64,
    /// Simulations.
    pub evaluations: u64,
    /// Whether the search ended by itself.
    pub converged: bool,
    /// What should be known.
    pub warnings: Vec<Warning>,
}

/// A size of noise.
#[derive(Debug, Clone, Serialize)]
pub struct Size {
    /// `noise.NAME`.
    pub name: String,
    /// None: it cannot be distinguished from 0.
    pub value: Option<f64>,
    /// Ends of its interval.
    pub low: Option<f64>,
    /// Ends of its interval.
    pub high: Option<f64>,
}

/// A coefficient or an attribute.
#[derive(Debug, Clone, Serialize)]
pub struct Coefficient {
    /// `c.NAME`, `ID.KEY`.
    pub name: String,
    /// Its value in SI base units.
    pub value: f64,
    /// Its standard error.
    pub stderr: f64,
    /// Ends of its interval.
    pub low: f64,
    /// Ends of its interval.
    pub high: f64,
}

/// Errors `|real - simulated|/real` over configurations, in percent (\[M\], section 4).
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Errors {
    /// Configurations.
    pub rows: usize,
    /// Their mean.
    pub d_avg_pct: f64,
    /// Their largest.
    pub d_max_pct: f64,
}

/// A configuration.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Its parameters.
    pub params: Map<String, Value>,
    /// `train`, `holdout`, or what the column `set` says.
    pub set: String,
    /// Measured and simulated, named by the metric, and the error in percent.
    #[serde(flatten)]
    pub values: Map<String, Value>,
}

impl Document {
    pub(super) fn new(
        args: &CalibrateArgs,
        level: f64,
        wanted: &Wanted,
        found: &Outcome,
        configurations: &[Configuration],
        simulated: &[f64],
    ) -> Document {
        let unit = match args.metric {
            MetricArg::Time => "s",
            MetricArg::Energy => "j",
        };
        let errors: Vec<f64> = configurations
            .iter()
            .zip(simulated)
            .map(|(one, value)| 100.0 * (one.real - value).abs() / one.real)
            .collect();
        let of = |held_out: bool| {
            let chosen = configurations.iter().zip(&errors).filter(|(one, _)| one.is_held_out == held_out);
            let chosen: Vec<f64> = chosen.map(|(_, error)| *error).collect();
            (!chosen.is_empty()).then(|| Errors {
                rows: chosen.len(),
                d_avg_pct: runcast_core::statistics::mean(&chosen),
                d_max_pct: chosen.iter().copied().fold(0.0, f64::max),
            })
        };
        let row = |((one, value), error): ((&Configuration, &f64), &f64)| {
            let parameter = |(name, value): &(String, runcast_sim::experiment::Value)| (name.clone(), json!(value));
            let set = one.set.clone().unwrap_or_else(|| if one.is_held_out { "holdout" } else { "train" }.to_owned());
            let values = [
                (format!("real_{unit}"), json!(one.real)),
                (format!("simulated_{unit}"), json!(value)),
                ("d_pct".to_owned(), json!(error)),
            ];
            Row { params: one.parameters.iter().map(parameter).collect(), set, values: values.into_iter().collect() }
        };
        let (mut coefficients, mut noise) = (Vec::new(), Vec::new());
        for (free, one) in wanted.free.iter().zip(&found.found) {
            let name = free.name.clone();
            match one {
                Some(Found { value, stderr, low, high, .. }) if !name.starts_with("noise.") => {
                    coefficients.push(Coefficient { name, value: *value, stderr: *stderr, low: *low, high: *high });
                }
                one => noise.push(Size {
                    name,
                    value: one.as_ref().map(|one| one.value),
                    low: one.as_ref().map(|one| one.low),
                    high: one.as_ref().map(|one| one.high),
                }),
            }
        }
        Document {
            kind: "sim-calibrate",
            version: 1,
            level,
            coefficients,
            noise,
            laws: Vec::new(),
            misfit_pct: found.misfit.map(|misfit| 100.0 * misfit),
            seeds: found.seeds,
            rows_unplaced: 0,
            entry: None,
            train: of(false).unwrap_or(Errors { rows: 0, d_avg_pct: 0.0, d_max_pct: 0.0 }),
            holdout: of(true),
            rows: configurations.iter().zip(simulated).zip(&errors).map(row).collect(),
            condition: found.condition,
            evaluations: found.evaluations,
            converged: found.converged,
            warnings: found.warnings.clone(),
        }
    }
}
