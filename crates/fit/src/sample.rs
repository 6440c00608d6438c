//! A series as numbers, and the relations between its parameters.

use crate::options::FitOptions;
use runcast_core::numeric::dot;
use runcast_core::series::Aggregate;
use runcast_core::{Series, statistics};

/// A column whose part orthogonal to the others is below this share of its centered norm follows them.
///
/// Rounded weak-scaling tables of the literature have 0.4 to 1.5 %, real grids more than 30 %.
pub const COLLINEAR_TOLERANCE: f64 = 0.03;

/// One number per configuration, and the shape of the design.
#[derive(Debug, Clone)]
pub struct Sample<'a> {
    /// The runs behind it.
    pub series: &'a Series,
    /// A row per configuration, a value per parameter of the series.
    pub at: Vec<Vec<f64>>,
    /// The metric at each configuration, in SI units.
    pub y: Vec<f64>,
    /// How repetitions became `y`.
    pub aggregate: Aggregate,
    /// The parameter along which a one-dimensional model works: the process parameter if it varies, else the only
    /// other one that does.
    pub axis: usize,
    /// Whether the axis counts processes.
    pub along_processes: bool,
    /// Parameters other than the process parameter, in order.
    pub sizes: Vec<usize>,
    /// Parameters that vary on their own: the axis first.
    pub dimensions: Vec<usize>,
    /// Parameters that follow the axis, a constant included.
    pub followers: Vec<Follower>,
    pub scaling: Scaling,
}

/// A parameter determined by the axis: `log2 value = intercept + slope log2 x`.
#[derive(Debug, Clone, Copy)]
pub struct Follower {
    /// Index of the parameter.
    pub parameter: usize,
    /// Slope on the log-log line.
    pub slope: f64,
    /// Intercept on the log-log line.
    pub intercept: f64,
}

impl Follower {
    /// The value on the line at `x`, to twelve digits: 64000 rather than 63999.99999999998.
    pub fn at(&self, x: f64) -> f64 {
        let value = (self.intercept + self.slope * x.log2()).exp2();
        format!("{value:.11e}").parse().unwrap_or(value)
    }
}

/// The scaling of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// The problem is constant, the processes vary. So it is where a size falls as the processes grow: a size of each
    /// process, such as `N/p`.
    Strong,
    /// The problem grows with the processes.
    Weak,
    /// The processes are constant, the problem varies.
    Wide,
    /// Several parameters vary on their own.
    Grid,
    /// There is only the process parameter.
    Single,
}

impl Scaling {
    /// Its name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Scaling::Strong => "strong",
            Scaling::Weak => "weak",
            Scaling::Wide => "wide",
            Scaling::Grid => "grid",
            Scaling::Single => "single",
        }
    }
}

impl<'a> Sample<'a> {
    /// Aggregates the repetitions and determines which parameters vary independently.
    pub fn new(series: &'a Series, aggregate: Aggregate, options: &FitOptions) -> Self {
        let at: Vec<Vec<f64>> = series.points.iter().map(|point| point.at.clone()).collect();
        let y = series.aggregated(aggregate);
        let column = |k: usize| at.iter().map(|row| row[k]).collect::<Vec<f64>>();
        let varies = |k: usize| at.iter().any(|row| row[k] != at[0][k]);
        let count = series.parameters.len();
        let sizes: Vec<usize> = (0..count).filter(|k| Some(*k) != series.process_parameter).collect();
        let along_processes = series.process_parameter.is_some_and(varies)
            || (series.process_parameter.is_some() && !sizes.iter().any(|&k| varies(k)));
        let axis = match series.process_parameter {
            Some(p) if along_processes => p,
            _ => sizes.iter().copied().find(|&k| varies(k)).or(sizes.first().copied()).unwrap_or(0),
        };
        let x = column(axis);
        let mut dimensions = vec![axis];
        let mut followers = Vec::new();
        for parameter in (0..count).filter(|k| *k != axis) {
            match follow(parameter, &x, &column(parameter), options.collinear_tolerance) {
                Some(follower) => followers.push(follower),
                None => dimensions.push(parameter),
            }
        }
        let grows = |k: &usize| varies(*k) && !followers.iter().any(|of| of.parameter == *k && of.slope < 0.0);
        let scaling = if dimensions.len() > 1 {
            Scaling::Grid
        } else if !along_processes {
            Scaling::Wide
        } else if sizes.is_empty() {
            Scaling::Single
        } else if sizes.iter().any(grows) {
            Scaling::Weak
        } else {
            Scaling::Strong
        };
        Sample { series, at, y, aggregate, axis, along_processes, sizes, dimensions, followers, scaling }
    }

    /// Number of configurations.
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there is no configuration.
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// The values of a parameter, one per configuration.
    pub fn column(&self, parameter: usize) -> Vec<f64> {
        self.at.iter().map(|row| row[parameter]).collect()
    }

    /// The values along the axis.
    pub fn x(&self) -> Vec<f64> {
        self.column(self.axis)
    }

    /// The process counts, if there is a process parameter.
    pub fn processes(&self) -> Option<Vec<f64>> {
        self.series.process_parameter.map(|p| self.column(p))
    }

    /// Whether the metric falls from the smallest to the largest value along the axis.
    pub fn falls(&self) -> bool {
        let x = self.x();
        let first = (0..x.len()).min_by(|&a, &b| x[a].total_cmp(&x[b]));
        let last = (0..x.len()).max_by(|&a, &b| x[a].total_cmp(&x[b]));
        matches!((first, last), (Some(a), Some(b)) if self.y[b] < self.y[a])
    }

    /// Whether strong-scaling laws apply: the problem is constant, or only `p` is known and the metric falls.
    pub fn is_strong(&self) -> bool {
        match self.scaling {
            Scaling::Strong => true,
            Scaling::Single => self.falls(),
            _ => false,
        }
    }

    /// The first run whose metric is not positive, as (point, line).
    pub fn not_positive(&self) -> Option<(usize, u32)> {
        let point = self.y.iter().position(|y| *y <= 0.0)?;
        let run = &self.series.points[point];
        let worst = run.values.iter().position(|value| *value <= 0.0).unwrap_or(0);
        Some((point, run.lines.get(worst).copied().unwrap_or(0)))
    }

    /// Mean variance of the repetitions of `transform(value)`, over configurations with at least two; 0 for none.
    pub fn repetition_variance(&self, transform: impl Fn(f64) -> f64) -> f64 {
        let variances: Vec<f64> = self
            .series
            .points
            .iter()
            .filter_map(|point| {
                let values: Vec<f64> = point.values.iter().map(|value| transform(*value)).collect();
                statistics::sample_variance(&values)
            })
            .filter(|variance| variance.is_finite())
            .collect();
        if variances.is_empty() { 0.0 } else { statistics::mean(&variances) }
    }

    /// Only these configurations, in this order, with everything else recomputed.
    pub fn series_of(&self, keep: &[usize]) -> Series {
        Series { points: keep.iter().map(|&k| self.series.points[k].clone()).collect(), ..self.series.clone() }
    }

    /// Parameters that a model along the axis ignores.
    pub fn unseen_but_axis(&self) -> Vec<usize> {
        (0..self.series.parameters.len()).filter(|k| *k != self.axis).collect()
    }

    /// Smallest and largest measured value of a parameter.
    pub fn range(&self, parameter: usize) -> [f64; 2] {
        let column = self.column(parameter);
        [column.iter().copied().fold(f64::INFINITY, f64::min), column.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
    }
}

/// The line that `values` follows over `x`, both in log2, if it hardly deviates from it.
fn follow(parameter: usize, x: &[f64], values: &[f64], tolerance: f64) -> Option<Follower> {
    if values.iter().all(|value| *value == values[0]) {
        return Some(Follower { parameter, slope: 0.0, intercept: values[0].log2() });
    }
    if x.iter().chain(values).any(|value| *value <= 0.0) || x.len() < 3 {
        return None;
    }
    let centered = |column: &[f64]| -> (f64, Vec<f64>) {
        let logs: Vec<f64> = column.iter().map(|value| value.log2()).collect();
        let mean = statistics::mean(&logs);
        (mean, logs.iter().map(|value| value - mean).collect())
    };
    let ((x_mean, x), (z_mean, z)) = (centered(x), centered(values));
    let slope = dot(&x, &z) / dot(&x, &x);
    let left: f64 = x.iter().zip(&z).map(|(x, z)| (z - slope * x).powi(2)).sum();
    (slope.is_finite() && left.sqrt() < tolerance * dot(&z, &z).sqrt()).then_some(Follower {
        parameter,
        slope,
        intercept: z_mean - slope * x_mean,
    })
}
