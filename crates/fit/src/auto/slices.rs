//! Slices of a grid: the runs that share all parameters but one with a target.

use crate::fitted::NoFit;
use crate::options::FitOptions;
use crate::predict::OFF_LINE_WARNS;
use crate::sample::{Follower, Sample};
use indexmap::IndexMap;
use runcast_core::Series;
use runcast_core::series::Aggregate;
use std::sync::OnceLock;

/// A grid of runs, and what was fitted to its slices so far.
///
/// Which runs a slice has is looked up once for each set of parameters that are held, and each slice is fitted once, when
/// a target first lies in it: a hundred thousand targets in a grid cost as many look-ups.
pub struct Slices<T> {
    pub series: Series,
    pub aggregate: Aggregate,
    /// Parameters that vary on their own, the axis first.
    pub dimensions: Vec<usize>,
    options: FitOptions,
    /// Minimum number of configurations of a slice.
    least: usize,
    fit: fn(&Sample<'_>, &FitOptions) -> Result<T, NoFit>,
    /// The series without its points: what all slices share.
    shell: Series,
    /// In the order in which they are tried for a target.
    directions: Vec<Direction<T>>,
}

/// All slices along one parameter that hold the same others.
struct Direction<T> {
    along: usize,
    held: Vec<usize>,
    /// By the bits of what is held, in the order of the runs.
    groups: OnceLock<IndexMap<Vec<u64>, Group<T>>>,
}

struct Group<T> {
    /// Indices of its runs.
    points: Vec<u32>,
    /// Where the slice goes along its parameter alone; none if it does not.
    shape: OnceLock<Option<Shape>>,
    fitted: OnceLock<Option<T>>,
}

struct Shape {
    axis: usize,
    followers: Vec<Follower>,
}

/// The slice through a target.
pub struct Slice<'s, T> {
    /// What was fitted to it; none where that failed.
    pub fitted: Option<&'s T>,
    /// The parameter that varies.
    pub along: usize,
    /// Number of its configurations.
    pub points: usize,
    /// Which of the directions it has, for [`Slices::parallel`].
    pub direction: usize,
    /// Whether all other parameters are held.
    pub is_whole: bool,
}

impl<T> Slices<T> {
    /// The slices of a sample, none of them fitted yet.
    pub fn of(
        sample: &Sample<'_>,
        options: &FitOptions,
        least: usize,
        fit: fn(&Sample<'_>, &FitOptions) -> Result<T, NoFit>,
    ) -> Self {
        let dimensions = sample.dimensions.clone();
        let mut directions = Vec::new();
        for &along in &dimensions {
            let others: Vec<usize> = dimensions.iter().copied().filter(|k| *k != along).collect();
            let mut choices: Vec<u32> = (1..1u32 << others.len()).collect();
            choices.sort_by_key(|bits| std::cmp::Reverse(bits.count_ones()));
            directions.extend(choices.into_iter().map(|bits| Direction {
                along,
                held: others.iter().enumerate().filter(|(k, _)| bits >> k & 1 == 1).map(|(_, &d)| d).collect(),
                groups: OnceLock::new(),
            }));
        }
        let series = sample.series.clone();
        let shell = shell_of(&series);
        let aggregate = sample.aggregate;
        Slices { series, aggregate, dimensions, options: options.clone(), least, fit, shell, directions }
    }

    /// The slice through a target: along the processes first, with as many other parameters equal as possible.
    pub fn through(&self, at: &[f64]) -> Option<Slice<'_, T>> {
        self.directions.iter().enumerate().find_map(|(index, direction)| {
            let group = self.groups(direction).get(&key(at, &direction.held))?;
            if group.points.len() < self.least {
                return None;
            }
            let shape = group.shape.get_or_init(|| self.shape(direction.along, group)).as_ref()?;
            let is_on_line = shape.followers.iter().all(|follower| {
                let line = follower.at(at[shape.axis]);
                (at[follower.parameter] / line - 1.0).abs() <= OFF_LINE_WARNS
            });
            is_on_line.then(|| Slice {
                fitted: self.fitted(group),
                along: direction.along,
                points: group.points.len(),
                direction: index,
                is_whole: direction.held.len() + 1 == self.dimensions.len(),
            })
        })
    }

    /// What was fitted to each slice of a direction that has a run at `x`, in the order of the runs.
    pub fn parallel(&self, direction: usize, x: f64) -> Vec<&T> {
        let Some(direction) = self.directions.get(direction) else { return Vec::new() };
        let has_run =
            |group: &&Group<T>| group.points.iter().any(|&k| self.series.points[k as usize].at[direction.along] == x);
        let long_enough = |group: &&Group<T>| group.points.len() >= self.least;
        let groups = self.groups(direction).values().filter(long_enough).filter(has_run);
        groups.filter_map(|group| self.fitted(group)).collect()
    }

    fn groups<'s>(&'s self, direction: &'s Direction<T>) -> &'s IndexMap<Vec<u64>, Group<T>> {
        direction.groups.get_or_init(|| {
            let mut groups: IndexMap<Vec<u64>, Group<T>> = IndexMap::new();
            for (index, point) in (0u32..).zip(&self.series.points) {
                let group = groups.entry(key(&point.at, &direction.held)).or_insert_with(|| Group {
                    points: Vec::new(),
                    shape: OnceLock::new(),
                    fitted: OnceLock::new(),
                });
                group.points.push(index);
            }
            groups
        })
    }

    fn fitted<'s>(&self, group: &'s Group<T>) -> Option<&'s T> {
        let fit = || {
            let series = self.series_of(group);
            (self.fit)(&Sample::new(&series, self.aggregate, &self.options), &self.options).ok()
        };
        group.fitted.get_or_init(fit).as_ref()
    }

    fn shape(&self, along: usize, group: &Group<T>) -> Option<Shape> {
        let series = self.series_of(group);
        let sample = Sample::new(&series, self.aggregate, &self.options);
        (sample.dimensions == [along]).then(|| Shape { axis: sample.axis, followers: sample.followers.clone() })
    }

    fn series_of(&self, group: &Group<T>) -> Series {
        let points = group.points.iter().map(|&k| self.series.points[k as usize].clone()).collect();
        Series { points, ..self.shell.clone() }
    }
}

fn shell_of(series: &Series) -> Series {
    Series {
        group: series.group.clone(),
        metric: series.metric.clone(),
        parameters: series.parameters.clone(),
        process_parameter: series.process_parameter,
        points: Vec::new(),
        file: series.file.clone(),
        warnings: series.warnings.clone(),
    }
}

/// The values of some parameters, as bits that are equal where the numbers are.
pub fn key(at: &[f64], parameters: &[usize]) -> Vec<u64> {
    parameters.iter().map(|&k| (at[k] + 0.0).to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::over;
    use std::sync::atomic::{AtomicUsize, Ordering};

    static FITS: AtomicUsize = AtomicUsize::new(0);

    fn counted(sample: &Sample<'_>, _: &FitOptions) -> Result<usize, NoFit> {
        FITS.fetch_add(1, Ordering::Relaxed);
        Ok(sample.len())
    }

    #[test]
    fn a_slice_is_fitted_once_for_all_its_targets() {
        let points = [1.0, 2.0, 4.0, 8.0]
            .iter()
            .flat_map(|&p| [10.0, 20.0, 30.0].iter().map(move |&n| (vec![p, n], n / p)))
            .filter(|(at, _)| at[1] < 30.0 || at[0] < 4.0)
            .collect();
        let runs = over(&["p", "N"], points);
        let options = FitOptions::default();
        let sample = Sample::new(&runs, Aggregate::Median, &options);
        let slices = Slices::of(&sample, &options, 3, counted);
        for p in 16..1000 {
            let slice = slices.through(&[f64::from(p), 20.0]).expect("a slice");
            assert_eq!((slice.fitted, slice.along, slice.points), (Some(&4), 0, 4));
        }
        assert_eq!(FITS.load(Ordering::Relaxed), 1);
        let along_sizes = slices.through(&[2.0, 55.0]).expect("a slice");
        assert_eq!((along_sizes.along, along_sizes.points, along_sizes.is_whole), (1, 3, true));
        assert!(slices.through(&[64.0, 30.0]).is_none(), "two runs are no slice");
        assert!(slices.through(&[64.0, 55.0]).is_none());
        assert_eq!(slices.parallel(0, 8.0).len(), 2);
        assert_eq!(FITS.load(Ordering::Relaxed), 3, "the slice of 10 and the one along N were new");
    }
}
