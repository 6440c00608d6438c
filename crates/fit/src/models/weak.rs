//! A weak-scaling regression that does not depend on the unit of the problem size.

use super::log_linear::{Basis, LogLinear, LogLinearSpec, check_logs};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use indexmap::IndexMap;
use runcast_core::Warning;
use runcast_core::model::DroppedColumn;
use runcast_core::numeric::dot;
use runcast_core::numeric::linear::{Design, Ridge, solve};
use runcast_core::statistics::mean;

/// `log2 DF = a0 + a1 x + a2 z + a3 x z`, `x = log2 p - mean`, `z = log2 N - mean`; a `z` and an `x z` for each size.
///
/// A column whose part orthogonal to the columns kept before it (in the order 1, x, z, xz) is below 3 % of its
/// centered norm is dropped: otherwise its coefficient
/// would be fitted to the rounding of N. When `z` was dropped and `xz`
/// kept, the rest, {1, x, xz}, is a quadratic in `x`; its curvature is shrunk by `(lambda a3)^2`, lambda in
/// {0, 1, 3, infinity} by the least mean |log2 error| of the two largest configurations, each predicted from all
/// smaller ones.
pub struct Weak;

impl Regression for Weak {
    fn name(&self) -> &'static str {
        "weak"
    }

    fn summary(&self) -> &'static str {
        "log p, log N and their product, centered: independent of the unit of N"
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        let p = sample.series.process_parameter;
        check_logs(sample, "weak", p.into_iter().chain(sample.sizes.iter().copied()))?;
        let center = |parameter: usize| mean(&sample.column(parameter).iter().map(|v| v.log2()).collect::<Vec<_>>());
        let mut columns = vec![Column { label: "1".into(), symbol: "a0".into(), basis: Basis(vec![]), size: None }];
        let x = p.map(|p| (p, center(p)));
        if let Some((p, shift)) = x {
            let label = format!("log2({})", sample.series.parameters[p]);
            columns.push(Column { label, symbol: "a1".into(), basis: Basis(vec![(p, shift)]), size: None });
        }
        for (index, &size) in sample.sizes.iter().enumerate() {
            let z = (size, center(size));
            let label = format!("log2({})", sample.series.parameters[size]);
            let symbol = |k: usize| if index == 0 { format!("a{k}") } else { format!("a{k}_{}", index + 1) };
            columns.push(Column { label: label.clone(), symbol: symbol(2), basis: Basis(vec![z]), size: Some(size) });
            if let Some((p, shift)) = x {
                let product = format!("log2({})*{label}", sample.series.parameters[p]);
                let basis = Basis(vec![(p, shift), z]);
                columns.push(Column { label: product, symbol: symbol(3), basis, size: None });
            }
        }
        let (kept, dropped) = keep_independent(sample, columns, options.collinear_tolerance);

        let dropped_sizes: Vec<usize> = dropped.iter().filter_map(|column| column.size).collect();
        let curvature = kept.iter().position(|column| column.basis.0.len() == 2);
        let is_quadratic = kept.len() == 3 && curvature == Some(2) && !dropped_sizes.is_empty();
        let mut basis: Vec<Basis> = kept.iter().map(|column| column.basis.clone()).collect();
        let mut symbols: Vec<String> = kept.iter().map(|column| column.symbol.clone()).collect();
        let mut ridge = None;
        if is_quadratic {
            match best_lambda(sample, &basis) {
                lambda if lambda.is_infinite() => {
                    basis.truncate(2);
                    symbols.truncate(2);
                }
                0.0 => {}
                lambda => ridge = Some(Ridge { column: 2, lambda }),
            }
        }
        let recency = Recency::Rank(options.recency.unwrap_or(1.0));
        let spec = LogLinearSpec { model: "weak", basis, recency, ridge, scale_columns: ridge.is_none(), unit: 1.0 };
        let model = LogLinear::fit(sample, options, spec)?;
        let coefficients: IndexMap<String, f64> =
            symbols.into_iter().zip(model.fit.coefficients.iter().copied()).collect();
        let (rank, condition) = (model.fit.rank, model.fit.condition);
        let mut fitted = Fitted::new("weak", model.formula(), model.class(), Box::new(model));
        fitted.coefficients = coefficients;
        fitted.rank = Some(rank);
        fitted.condition = Some(condition);
        // What never varied has no effect to learn: nothing to warn of.
        let varies = |parameter: usize| sample.at.iter().any(|at| at[parameter] != sample.at[0][parameter]);
        let of_varying = dropped.iter().filter(|column| column.basis.0.iter().all(|&(parameter, _)| varies(parameter)));
        let list: Vec<&str> = of_varying.map(|column| column.label.as_str()).collect();
        if !list.is_empty() {
            fitted.warnings.push(Warning::new(
                "collinear",
                format!(
                    "{} cannot be separated from the other columns and was dropped: vary it independently to learn its effect",
                    list.join(", ")
                ),
            ));
        }
        fitted.unseen = dropped_sizes;
        fitted.dropped = dropped
            .into_iter()
            .map(|column| DroppedColumn { column: column.label, reason: "collinear".to_owned() })
            .collect();
        Ok(fitted)
    }
}

struct Column {
    label: String,
    symbol: String,
    basis: Basis,
    /// The size parameter, if the column is its plain logarithm.
    size: Option<usize>,
}

/// Splits columns into those kept, in order, and those that lie in the span of the kept ones before them.
fn keep_independent(sample: &Sample<'_>, columns: Vec<Column>, tolerance: f64) -> (Vec<Column>, Vec<Column>) {
    let mut orthonormal: Vec<Vec<f64>> = Vec::new();
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for column in columns {
        let values: Vec<f64> = sample.at.iter().map(|at| column.basis.at(at)).collect();
        let center = mean(&values);
        let centered = values.iter().map(|v| (v - center).powi(2)).sum::<f64>().sqrt();
        let mut rest = values.clone();
        // Twice, to remove the rounding residue of the earlier columns.
        for _ in 0..2 {
            for direction in &orthonormal {
                let along = dot(&rest, direction);
                rest.iter_mut().zip(direction).for_each(|(value, d)| *value -= along * d);
            }
        }
        let norm = dot(&rest, &rest).sqrt();
        let is_intercept = column.basis.0.is_empty();
        if !is_intercept && (norm <= tolerance * centered || norm <= 1e-12 * dot(&values, &values).sqrt()) {
            dropped.push(column);
        } else {
            orthonormal.push(rest.iter().map(|value| value / norm).collect());
            kept.push(column);
        }
    }
    (kept, dropped)
}

/// How much to shrink the curvature of {1, x, xz}; infinity leaves it out.
fn best_lambda(sample: &Sample<'_>, basis: &[Basis]) -> f64 {
    let mut order: Vec<usize> = (0..sample.len()).collect();
    order.sort_by(|&a, &b| sample.at[a][sample.axis].total_cmp(&sample.at[b][sample.axis]));
    let error = |lambda: f64| -> f64 {
        let columns = if lambda.is_infinite() { 2 } else { 3 };
        let errors: Vec<f64> = crate::models::search::forward_folds(order.len())
            .filter_map(|held_out| {
                let row = |k: usize| basis[..columns].iter().map(|b| b.at(&sample.at[order[k]])).collect::<Vec<f64>>();
                let design = Design {
                    rows: (0..held_out).map(row).collect(),
                    y: (0..held_out).map(|k| sample.y[order[k]].log2()).collect(),
                    weights: vec![1.0; held_out],
                    ridge: (lambda > 0.0 && lambda.is_finite()).then_some(Ridge { column: 2, lambda }),
                    scale_columns: false,
                };
                Some((solve(&design)?.at(&row(held_out)) - sample.y[order[held_out]].log2()).abs())
            })
            .collect();
        if errors.is_empty() { f64::INFINITY } else { mean(&errors) }
    };
    // Of equal errors the larger lambda wins: it claims less.
    let mut best = (f64::INFINITY, error(f64::INFINITY));
    for lambda in [3.0, 1.0, 0.0] {
        let candidate = error(lambda);
        if candidate < best.1 {
            best = (lambda, candidate);
        }
    }
    best.0
}
