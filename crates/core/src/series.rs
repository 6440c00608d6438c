//! Series: the runs of one metric in one group, as the methods see them.

mod from_table;
pub(crate) mod groups;
mod outliers;

pub use from_table::{SeriesSet, series_of};

use crate::configuration::{Configuration, Group};
use crate::metric::Metric;
use crate::problem::Warning;
use crate::statistics;
use std::sync::Arc;

/// One metric of one group over all its configurations.
#[derive(Debug, Clone)]
pub struct Series {
    /// The labels of the group.
    pub group: Group,
    /// The metric; values are in its SI unit.
    pub metric: Metric,
    /// Names of the parameters, in the order of [`Point::at`].
    pub parameters: Arc<[String]>,
    /// Index of the parameter that counts processes, if any.
    pub process_parameter: Option<usize>,
    /// Measured configurations, ordered by the process parameter, then by the others in their order.
    pub points: Vec<Point>,
    /// The file that the lines of the points belong to.
    pub file: Option<Arc<str>>,
    /// Warnings from building the series (outliers among repetitions, rows without the metric).
    pub warnings: Vec<Warning>,
}

/// A configuration and its repetitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// A value for each parameter of the series.
    pub at: Vec<f64>,
    /// The metric of every repetition, in SI units, in the order of the table.
    pub values: Vec<f64>,
    /// The line of every repetition, counted from 1.
    pub lines: Vec<u32>,
}

/// How repetitions become one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The median; a single wrongly fast run does not affect it.
    Median,
    Min,
    Max,
    Mean,
    /// The best by the metric's direction: the smallest time, the largest rate.
    Best,
}

impl Aggregate {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Median => "median",
            Aggregate::Min => "min",
            Aggregate::Max => "max",
            Aggregate::Mean => "mean",
            Aggregate::Best => "best",
        }
    }

    /// The aggregate of these repetitions, which must not be empty.
    pub fn of(self, values: &[f64], metric: &Metric) -> f64 {
        let smallest = || values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = || values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        match self {
            Aggregate::Median => statistics::median(values),
            Aggregate::Mean => statistics::mean(values),
            Aggregate::Min => smallest(),
            Aggregate::Max => largest(),
            Aggregate::Best if metric.is_rate() => largest(),
            Aggregate::Best => smallest(),
        }
    }
}

impl Series {
    /// The configuration of a point, with the names of its parameters.
    pub fn configuration(&self, point: &Point) -> Configuration {
        Configuration::from_pairs(&self.parameters, &point.at)
    }

    /// The index of a parameter.
    pub fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|parameter| parameter == name)
    }

    /// One number per point.
    pub fn aggregated(&self, aggregate: Aggregate) -> Vec<f64> {
        self.points.iter().map(|point| aggregate.of(&point.values, &self.metric)).collect()
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.points.iter().map(|point| point.values.len()).sum()
    }
}
