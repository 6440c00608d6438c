//! A series in a few numbers.

use super::series::Series;
use runcast_core::statistics::{mean, quantile_of_sorted, sample_variance};
use serde::Serialize;

/// A series in a few numbers; times in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// How many samples there are.
    pub count: usize,
    pub mean_s: f64,
    /// Their standard deviation (divided by count - 1); none of one sample.
    pub sd_s: Option<f64>,
    pub min_s: f64,
    pub p50_s: f64,
    /// The quantile 0.95.
    pub p95_s: f64,
    /// The quantile 0.99.
    pub p99_s: f64,
    pub max_s: f64,
}

impl Summary {
    /// Of a series, which has a sample.
    pub fn of(series: &Series) -> Summary {
        let mut sorted = series.time_s.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |q: f64| quantile_of_sorted(&sorted, q);
        Summary {
            count: sorted.len(),
            mean_s: mean(&sorted),
            sd_s: sample_variance(&sorted).map(f64::sqrt),
            min_s: at(0.0),
            p50_s: at(0.5),
            p95_s: at(0.95),
            p99_s: at(0.99),
            max_s: at(1.0),
        }
    }
}
