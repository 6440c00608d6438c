//! Options of a fit.

use crate::sample::COLLINEAR_TOLERANCE;
use crate::terms::PmnfTerms;
use runcast_core::numeric::linear::Robust;
use serde::{Deserialize, Serialize};

/// Settings that affect a fit, besides the table and the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FitOptions {
    /// How repetitions become one number; none: the default of each model.
    pub aggregate: Option<String>,
    /// Residual `k` of `n` (by rank along the axis) is multiplied by `recency^(k-n)`; none: the default of each model.
    pub recency: Option<f64>,
    /// Loss of the linear models.
    pub robust: Robust,
    /// Whether `pmnf` also tries negative powers, regardless of the series.
    pub negative: bool,
    /// Whether the coefficients of `ka-*` and `formula` may be negative.
    pub free_signs: bool,
    /// The unit of sizes for `mokrov`, which depends on it.
    pub size_unit: f64,
    /// The unit of the metric for `mokrov`, in that of the values; none: of a rate the column's.
    pub metric_unit: Option<f64>,
    /// The terms that `pmnf` tries, in place of its own.
    pub terms: Option<PmnfTerms>,
    /// A column that lies within this share of the span of the others is dropped by `weak`.
    pub collinear_tolerance: f64,
    /// The formula of the model `formula`.
    pub formula: Option<String>,
    /// Names of its unknown coefficients.
    pub unknown: Vec<String>,
}

impl Default for FitOptions {
    fn default() -> Self {
        FitOptions {
            aggregate: None,
            recency: None,
            robust: Robust::None,
            negative: false,
            free_signs: false,
            size_unit: 1.0,
            metric_unit: None,
            terms: None,
            collinear_tolerance: COLLINEAR_TOLERANCE,
            formula: None,
            unknown: Vec::new(),
        }
    }
}

/// How much less the earlier configurations count than the last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recency {
    /// Residual `k` of `n`, by rank along the axis, is multiplied by `r^(k-n)`.
    Rank(f64),
    /// As by rank, but never less than by distance: `r^max(k-n, log2(x_k/x_n))`. The same where x doubles from one
    /// configuration to the next; in a denser plan several of the largest count, not only the last two or three.
    Gentle(f64),
}

impl Recency {
    /// The factor of each residual.
    pub fn weights(self, x: &[f64]) -> Vec<f64> {
        let mut distinct = x.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let Some(&last) = distinct.last() else { return Vec::new() };
        x.iter()
            .map(|value| {
                let below = distinct.partition_point(|other| other < value);
                let by_rank = below as f64 - (distinct.len() - 1) as f64;
                match self {
                    Recency::Rank(r) => r.powf(by_rank),
                    Recency::Gentle(r) => r.powf(by_rank.max((value / last).log2())),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_recencies_agree_on_doublings_and_part_in_dense_plans() {
        let doublings = [8.0, 16.0, 32.0, 64.0];
        assert_eq!(Recency::Rank(4.0).weights(&doublings), [1.0 / 64.0, 1.0 / 16.0, 0.25, 1.0]);
        assert_eq!(Recency::Gentle(4.0).weights(&doublings), Recency::Rank(4.0).weights(&doublings));
        let dense = [30.0, 40.0, 50.0, 60.0];
        assert!((Recency::Gentle(4.0).weights(&dense)[0] - 0.25).abs() < 1e-12, "half as many processes");
        assert_eq!(Recency::Rank(4.0).weights(&dense)[0], 1.0 / 64.0);
    }
}
