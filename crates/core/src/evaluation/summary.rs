//! Summaries of the errors of many predictions.

use super::EvaluationPoint;
use crate::accuracy::smape_pct;
use crate::json;
use crate::ranges::{COVERAGE_LEVEL, Coverage};
use crate::statistics;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// How well a model predicted; null where no point allows a measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelSummary {
    /// The method that the model belongs to; empty where the predictions do not state it.
    pub method: String,
    /// Name of the model.
    pub model: String,
    /// Number of predictions.
    pub count: usize,
    /// Number of refused predictions.
    pub failed: usize,
    /// Mean of the relative errors.
    #[serde(serialize_with = "json::as_optional_number")]
    pub mean_error_pct: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub median_error_pct: Option<f64>,
    /// Their 90 % quantile.
    #[serde(serialize_with = "json::as_optional_number")]
    pub p90_error_pct: Option<f64>,
    /// The largest of them.
    #[serde(serialize_with = "json::as_optional_number")]
    pub max_error_pct: Option<f64>,
    /// Symmetric mean error.
    #[serde(serialize_with = "json::as_optional_number")]
    pub smape_pct: Option<f64>,
    /// Mean of the logarithmic errors.
    #[serde(serialize_with = "json::as_optional_number")]
    pub mean_re_log_pct: Option<f64>,
    /// Geometric mean of predicted/measured: above 1 when it overpredicts.
    #[serde(serialize_with = "json::as_optional_number")]
    pub bias_factor: Option<f64>,
    /// Share of the intervals that held the median of the runs.
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage_pct: Option<f64>,
    /// Number of intervals that held it.
    pub covered: usize,
    /// Number of predictions without an interval.
    pub no_range: usize,
    /// Exact interval of the coverage, at `coverage_level`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage_low_pct: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub coverage_high_pct: Option<f64>,
    /// Number of runs that have an interval.
    pub runs: usize,
    /// Number of runs inside it.
    pub covered_runs: usize,
    /// Their share.
    #[serde(serialize_with = "json::as_optional_number")]
    pub runs_coverage_pct: Option<f64>,
    /// Its exact interval, with the numbers of runs divided by `design_effect`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub runs_coverage_low_pct: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    pub runs_coverage_high_pct: Option<f64>,
    /// `1 + (runs of a configuration - 1) * correlation`: runs of a configuration share one prediction.
    #[serde(serialize_with = "json::as_optional_number")]
    pub design_effect: Option<f64>,
    /// Level of the exact intervals.
    #[serde(serialize_with = "json::as_number", deserialize_with = "json::number_or_nan")]
    pub coverage_level: f64,
    /// Typical width of the intervals: the median of `sqrt(high/low)`.
    #[serde(serialize_with = "json::as_optional_number")]
    pub interval_factor: Option<f64>,
}

/// How many relative errors of a model lie in `from_pct <= error < to_pct`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HistogramBin {
    /// The method that the model belongs to.
    pub method: String,
    /// Name of the model.
    pub model: String,
    /// Lower bound of the bin, inclusive.
    #[serde(serialize_with = "json::as_number")]
    pub from_pct: f64,
    /// Upper bound of the bin, exclusive; none for the last bin.
    #[serde(serialize_with = "json::as_optional_number")]
    pub to_pct: Option<f64>,
    /// Number of errors in the bin.
    pub count: usize,
}

/// A summary for each model of each method, in the order in which the models first appear.
pub fn summarize(points: &[EvaluationPoint]) -> Vec<ModelSummary> {
    by_model(points).into_iter().map(|(model, points)| summary_of(model, &points)).collect()
}

/// The errors of each model in bins of 5 % up to 30 %, and one bin above.
pub fn histogram(points: &[EvaluationPoint]) -> Vec<HistogramBin> {
    const WIDTH_PCT: f64 = 5.0;
    const BINS: usize = 6;
    let mut bins = Vec::new();
    for ((method, model), points) in by_model(points) {
        let mut counts = [0usize; BINS + 1];
        for error in points.iter().filter_map(|point| point.error_pct) {
            counts[((error / WIDTH_PCT).floor() as usize).min(BINS)] += 1;
        }
        bins.extend(counts.iter().enumerate().map(|(index, &count)| HistogramBin {
            method: method.to_owned(),
            model: model.to_owned(),
            from_pct: WIDTH_PCT * index as f64,
            to_pct: (index < BINS).then(|| WIDTH_PCT * (index + 1) as f64),
            count,
        }));
    }
    bins
}

pub(super) fn by_model(points: &[EvaluationPoint]) -> IndexMap<(&str, &str), Vec<&EvaluationPoint>> {
    let mut models: IndexMap<(&str, &str), Vec<&EvaluationPoint>> = IndexMap::new();
    for point in points {
        models.entry((&point.method, &point.model)).or_default().push(point);
    }
    models
}

fn summary_of((method, model): (&str, &str), points: &[&EvaluationPoint]) -> ModelSummary {
    let predicted: Vec<(f64, f64)> =
        points.iter().filter_map(|point| Some((point.predicted?, point.measured))).collect();
    let errors: Vec<f64> = points.iter().filter_map(|point| point.error_pct).collect();
    let log_errors: Vec<f64> = points.iter().filter_map(|point| point.re_log_pct).collect();
    let log_ratios: Vec<f64> = predicted
        .iter()
        .filter(|(predicted, measured)| *predicted > 0.0 && *measured > 0.0)
        .map(|(predicted, measured)| (predicted / measured).ln())
        .collect();
    let flags: Vec<(usize, usize)> =
        points.iter().filter_map(|point| point.covered).map(|covered| (1, usize::from(covered))).collect();
    let runs: Vec<(usize, usize)> = points.iter().filter_map(|point| Some((point.runs, point.covered_runs?))).collect();
    let (medians, runs) = (Coverage::of(&flags), Coverage::of(&runs));
    let pct = |share: f64| 100.0 * share;
    let factors: Vec<f64> = points
        .iter()
        .filter_map(|point| Some((point.low?, point.high?)))
        .filter(|&(low, high)| low > 0.0 && high >= low)
        .map(|(low, high)| (high / low).sqrt())
        .collect();
    ModelSummary {
        method: method.to_owned(),
        model: model.to_owned(),
        count: predicted.len(),
        failed: points.len() - predicted.len(),
        mean_error_pct: of(&errors, statistics::mean),
        median_error_pct: of(&errors, statistics::median),
        p90_error_pct: of(&errors, |errors| statistics::quantile(errors, 0.9)),
        max_error_pct: of(&errors, |errors| statistics::quantile(errors, 1.0)),
        smape_pct: (!predicted.is_empty()).then(|| smape_pct(predicted.iter().copied())),
        mean_re_log_pct: of(&log_errors, statistics::mean),
        bias_factor: of(&log_ratios, |ratios| statistics::mean(ratios).exp()),
        coverage_pct: medians.map(|found| pct(found.share())),
        covered: medians.map_or(0, |found| found.covered),
        no_range: predicted.len().saturating_sub(flags.len()),
        coverage_low_pct: medians.map(|found| pct(found.low)),
        coverage_high_pct: medians.map(|found| pct(found.high)),
        runs: runs.map_or(0, |found| found.runs),
        covered_runs: runs.map_or(0, |found| found.covered),
        runs_coverage_pct: runs.map(|found| pct(found.share())),
        runs_coverage_low_pct: runs.map(|found| pct(found.low)),
        runs_coverage_high_pct: runs.map(|found| pct(found.high)),
        design_effect: runs.map(|found| found.design_effect),
        coverage_level: COVERAGE_LEVEL,
        interval_factor: of(&factors, statistics::median),
    }
}

/// A statistic of the values; none if there are no values.
fn of(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Option<f64> {
    (!values.is_empty()).then(|| statistic(values)).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::EvaluationDocument;

    fn point(measured: f64, predicted: Option<f64>) -> EvaluationPoint {
        let low = predicted.map(|value| value / 2.0);
        let high = predicted.map(|value| value * 2.0);
        EvaluationPoint { model: "auto".to_owned(), measured, predicted, low, high, ..Default::default() }.scored()
    }

    #[test]
    fn refused_predictions_count_as_failed_only() {
        let points = [point(10.0, Some(11.0)), point(10.0, Some(5.0)), point(10.0, None)];
        let summary = &summarize(&points)[0];
        assert_eq!((summary.count, summary.failed), (2, 1));
        // Errors of 10 % and 50 %: mean and median 30 %, p90 46 %.
        assert!((summary.mean_error_pct.expect("a mean") - 30.0).abs() < 1e-9);
        assert!((summary.p90_error_pct.expect("a quantile") - 46.0).abs() < 1e-9);
        assert!((summary.mean_re_log_pct.expect("a mean") - 55.0).abs() < 1e-9);
        assert!((summary.bias_factor.expect("a bias") - 0.55f64.sqrt()).abs() < 1e-12);
        assert_eq!((summary.coverage_pct, summary.interval_factor), (Some(100.0), Some(2.0)));
    }

    #[test]
    fn what_is_undefined_is_none() {
        let document = EvaluationDocument::new(vec![point(0.0, Some(1.0)), point(5.0, None)], Vec::new());
        let summary = &document.models[0];
        assert_eq!((summary.count, summary.failed, summary.mean_error_pct), (1, 1, None));
        assert_eq!(summary.smape_pct, Some(200.0));
        assert_eq!(document.warnings[0].code, "zero_measured");
        let json = serde_json::to_value(&document).expect("JSON");
        assert!(json["points"][1]["predicted"].is_null() && json["points"][1]["covered"].is_null());
    }

    #[test]
    fn runs_are_judged_one_by_one() {
        let of = |(low, high): (f64, f64), runs: [f64; 3]| {
            let measured = statistics::median(&runs);
            let (predicted, low, high) = (Some(0.5 * (low + high)), Some(low), Some(high));
            EvaluationPoint { measured, predicted, low, high, ..Default::default() }.scored_by_runs(&runs)
        };
        let points =
            [of((9.5, 10.4), [10.0, 10.2, 10.6]), of((4.6, 5.4), [5.0, 5.1, 5.8]), of((2.4, 2.7), [2.9, 2.6, 2.95])];
        let summary = &summarize(&points)[0];
        assert_eq!((summary.covered, summary.count, summary.covered_runs, summary.runs), (2, 3, 5, 9));
        assert_eq!(summary.design_effect, Some(1.0));
        let (low, high) = (summary.runs_coverage_low_pct.expect("runs"), summary.runs_coverage_high_pct.expect("runs"));
        assert!((low - 21.2009).abs() < 1e-4 && (high - 86.3004).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn the_last_bin_is_open() {
        let points = [point(100.0, Some(104.0)), point(100.0, Some(105.0)), point(100.0, Some(400.0))];
        let bins = histogram(&points);
        let counts: Vec<usize> = bins.iter().map(|bin| bin.count).collect();
        assert_eq!(counts, [1, 1, 0, 0, 0, 0, 1]);
        assert_eq!((bins[6].from_pct, bins[6].to_pct), (30.0, None));
    }
}
