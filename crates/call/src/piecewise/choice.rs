//! Pieces or regimes: what predicts configurations better that it has not seen.
//!
//! ```text
//! d_i = |ln error| of regimes minus that of pieces, each configuration held out once, in 5 folds
//! regimes if the median of |ln error| is smaller, and  mean d <= sd(d) / sqrt(m)
//! ```
//!
//! The mean alone would take regimes where pieces are the truth: they follow a break closely enough to be nowhere far
//! off. The median asks for what is better at most places.

use super::data::Data;
use super::error::NoFit;
use super::family::{self, Family, Form, Search};
use rayon::prelude::*;
use runcast_core::{json, statistics};
use serde::Serialize;

/// Number of folds.
const FOLDS: usize = 5;

/// The error of a prediction that is not above 0.
const HOPELESS: f64 = 27.631_021_115_928_547;

/// How the family was chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// Median of `100 |ln error|` of regimes at configurations held out.
    #[serde(serialize_with = "json::as_optional_number")]
    pub regimes_median_pct: Option<f64>,
    /// The same of pieces.
    #[serde(serialize_with = "json::as_optional_number")]
    pub pieces_median_pct: Option<f64>,
    /// Mean difference, regimes minus pieces.
    #[serde(serialize_with = "json::as_optional_number")]
    pub mean_difference_pct: Option<f64>,
    /// Standard error of that mean.
    #[serde(serialize_with = "json::as_optional_number")]
    pub standard_error_pct: Option<f64>,
    /// Why there was nothing to choose; empty if there was.
    pub reason: String,
}

impl Choice {
    /// Pieces, for a reason that is not their error.
    pub(super) fn without(reason: String) -> Choice {
        Choice {
            regimes_median_pct: None,
            pieces_median_pct: None,
            mean_difference_pct: None,
            standard_error_pct: None,
            reason,
        }
    }
}

/// Compares the families.
pub(super) fn choose(data: &Data, search: &Search<'_>) -> Result<(Family, Choice), NoFit> {
    let folds = family::folds(data, FOLDS);
    let errors: Vec<Result<Vec<(f64, f64)>, NoFit>> = folds
        .par_iter()
        .map(|(held, kept)| {
            let kept = data.kept(kept);
            let fewest = data.constants() + 2;
            let [regimes, pieces] = [Family::Regimes, Family::Pieces].map(|family| search.fit(&kept, family, fewest));
            if matches!(pieces, Err(NoFit::Interrupted)) {
                return Err(NoFit::Interrupted);
            }
            Ok(held.iter().map(|&row| (error(&regimes, data, row), error(&pieces, data, row))).collect())
        })
        .collect();
    let mut pairs = Vec::with_capacity(data.len());
    for errors in errors {
        pairs.extend(errors?);
    }
    let regimes: Vec<f64> = pairs.iter().map(|(regimes, _)| *regimes).collect();
    let pieces: Vec<f64> = pairs.iter().map(|(_, pieces)| *pieces).collect();
    let differences: Vec<f64> = pairs.iter().map(|(regimes, pieces)| regimes - pieces).collect();
    let (median_of_regimes, median_of_pieces) = (statistics::median(&regimes), statistics::median(&pieces));
    let mean = statistics::mean(&differences);
    let standard_error = (statistics::sample_variance(&differences).unwrap_or(0.0) / differences.len() as f64).sqrt();
    let is_better = median_of_regimes < median_of_pieces && mean <= standard_error;
    let percent = |value: f64| Some(100.0 * value);
    let choice = Choice {
        regimes_median_pct: percent(median_of_regimes),
        pieces_median_pct: percent(median_of_pieces),
        mean_difference_pct: percent(mean),
        standard_error_pct: percent(standard_error),
        reason: String::new(),
    };
    Ok((if is_better { Family::Regimes } else { Family::Pieces }, choice))
}

/// `|ln(y / prediction)|`
fn error(form: &Result<Form, NoFit>, data: &Data, row: usize) -> f64 {
    let Ok(form) = form else { return HOPELESS };
    let value = form.value(&data.phi[row], &data.z_of(row));
    let error = (data.y[row] / value).ln().abs();
    if value > 0.0 && error.is_finite() { error } else { HOPELESS }
}
