//! Slices of a grid: the runs that share all parameters but one with a target.

use crate::options::FitOptions;
use crate::predict::OFF_LINE_WARNS;
use crate::sample::Sample;
use runcast_core::Series;
use runcast_core::series::Aggregate;

/// A grid of runs.
#[derive(Debug, Clone)]
pub struct Runs {
    pub series: Series,
    pub options: FitOptions,
    pub aggregate: Aggregate,
    /// Parameters that vary on their own, the axis first.
    pub dimensions: Vec<usize>,
}

/// A slice and the parameters that name it.
pub struct Slice {
    pub series: Series,
    /// The parameter that varies.
    pub along: usize,
    /// Those that are held.
    pub held: Vec<usize>,
}

impl Runs {
    /// The runs of a sample.
    pub fn of(sample: &Sample<'_>, options: &FitOptions) -> Runs {
        Runs {
            series: sample.series.clone(),
            options: options.clone(),
            aggregate: sample.aggregate,
            dimensions: sample.dimensions.clone(),
        }
    }

    /// The slice through a target with at least so many configurations: along the processes first, with as many other
    /// parameters equal as possible.
    pub fn slice(&self, at: &[f64], least: usize) -> Option<Slice> {
        for &along in &self.dimensions {
            let others: Vec<usize> = self.dimensions.iter().copied().filter(|k| *k != along).collect();
            let mut choices: Vec<u32> = (1..1u32 << others.len()).collect();
            choices.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
            for bits in choices {
                let held: Vec<usize> =
                    others.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1).map(|(_, &d)| d).collect();
                let points: Vec<_> =
                    self.series.points.iter().filter(|run| held.iter().all(|&d| run.at[d] == at[d])).cloned().collect();
                if points.len() < least {
                    continue;
                }
                let series = Series { points, ..self.series.clone() };
                let sample = Sample::new(&series, self.aggregate, &self.options);
                let on_line = sample.followers.iter().all(|follower| {
                    let line = follower.at(at[sample.axis]);
                    (at[follower.parameter] / line - 1.0).abs() <= OFF_LINE_WARNS
                });
                if sample.dimensions == [along] && on_line {
                    return Some(Slice { series, along, held });
                }
            }
        }
        None
    }

    /// Every slice along one parameter with all others held, of at least so many configurations.
    pub fn parallel(&self, along: usize, least: usize) -> Vec<Series> {
        let others: Vec<usize> = self.dimensions.iter().copied().filter(|k| *k != along).collect();
        let mut lines: indexmap::IndexMap<Vec<u64>, Vec<runcast_core::Point>> = indexmap::IndexMap::new();
        for point in &self.series.points {
            lines.entry(others.iter().map(|&d| point.at[d].to_bits()).collect()).or_default().push(point.clone());
        }
        lines
            .into_values()
            .filter(|points| points.len() >= least)
            .map(|points| Series { points, ..self.series.clone() })
            .collect()
    }
}
