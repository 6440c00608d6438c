//! Measurements, as input of the fit.

use super::settings::SampleAggregate;
use indexmap::IndexMap;
use runcast_core::{Group, Metric, statistics};

/// The runs of one metric of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// The labels of the series.
    pub group: Group,
    /// The metric; values are in its SI unit.
    pub metric: Metric,
    /// Names of the parameters, in the order of [`Repeated::at`].
    pub parameters: Vec<String>,
    /// Index of the parameter that counts processes, if any.
    pub process_parameter: Option<String>,
    pub configurations: Vec<Repeated>,
    /// Samples excluded by the reader, by reason.
    pub rejected: IndexMap<String, usize>,
}

/// A configuration and its repetitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeated {
    /// A value for each parameter.
    pub at: Vec<f64>,
    /// The metric of every sample, in SI units.
    pub values: Vec<f64>,
    /// Number of visits that each sample represents: 1, or more for aggregates.
    pub visits: Vec<f64>,
    /// The run of each sample: samples of one run belong together, at all configurations. Empty: each is a run of its
    /// own.
    pub runs: Vec<u32>,
}

impl Repeated {
    /// Samples that stand for one visit each, and for a run each.
    pub fn new(at: Vec<f64>, values: Vec<f64>) -> Self {
        let visits = vec![1.0; values.len()];
        Repeated { at, values, visits, runs: Vec::new() }
    }

    /// One number for all samples; a sample is weighted by its visits.
    pub fn aggregated(&self, aggregate: SampleAggregate) -> f64 {
        Sorted::new(self).aggregated(aggregate)
    }
}

/// The samples of a configuration in order of their values, ready to be aggregated and drawn from.
#[derive(Debug, Clone)]
pub(super) struct Sorted {
    pub(super) values: Vec<f64>,
    /// Visits of each value, and of all values up to it.
    pub(super) visits: Vec<f64>,
    cumulative: Vec<f64>,
    /// Whether every value stands for one visit.
    single: bool,
    /// Effective number of visits.
    pub(super) effective: f64,
    /// The mean over visits, and its standard deviation.
    pub(super) mean: f64,
    pub(super) mean_sd: f64,
}

impl Sorted {
    pub(super) fn new(repeated: &Repeated) -> Self {
        let mut order: Vec<usize> = (0..repeated.values.len()).collect();
        order.sort_by(|&a, &b| {
            let by_value = repeated.values[a].total_cmp(&repeated.values[b]);
            by_value.then(repeated.visits[a].total_cmp(&repeated.visits[b]))
        });
        let values: Vec<f64> = order.iter().map(|&index| repeated.values[index]).collect();
        let visits: Vec<f64> = order.iter().map(|&index| repeated.visits[index]).collect();
        let cumulative = running(&visits);
        let single = visits.iter().all(|visits| *visits == 1.0);
        let mut sorted = Sorted { values, visits, cumulative, single, effective: 0.0, mean: 0.0, mean_sd: 0.0 };
        let total: f64 = sorted.visits.iter().sum();
        sorted.effective = total * total / sorted.visits.iter().map(|visits| visits * visits).sum::<f64>();
        let mean = sorted.aggregated(SampleAggregate::Mean);
        let pairs = sorted.values.iter().zip(&sorted.visits);
        let variance = pairs.map(|(value, visits)| visits * (value - mean).powi(2)).sum::<f64>() / total;
        sorted.mean = mean;
        sorted.mean_sd = (variance / sorted.effective).sqrt();
        sorted
    }

    pub(super) fn aggregated(&self, aggregate: SampleAggregate) -> f64 {
        aggregate_sorted(&self.values, &self.visits, &self.cumulative, aggregate)
    }

    /// The value at a share of all visits.
    pub(super) fn at_share(&self, share: f64) -> f64 {
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let index = self.cumulative.partition_point(|&sum| sum <= share * total);
        self.values[index.min(self.values.len() - 1)]
    }

    /// The aggregate of the values with the indices in `draws`, which are in order.
    pub(super) fn aggregated_draws(&self, draws: &mut [usize], aggregate: SampleAggregate) -> f64 {
        draws.sort_unstable();
        let quantile = match aggregate {
            SampleAggregate::Median => Some(0.5),
            SampleAggregate::Q25 => Some(0.25),
            SampleAggregate::Min | SampleAggregate::Max | SampleAggregate::Mean => None,
        };
        // The common case, without allocation.
        if let Some(q) = quantile.filter(|_| self.single) {
            let position = q * (draws.len() - 1) as f64;
            let below = position.floor();
            let share = position - below;
            let at = |place: usize| self.values[draws[place.min(draws.len() - 1)]];
            let low = at(below as usize);
            return if share == 0.0 { low } else { low + share * (at(below as usize + 1) - low) };
        }
        let values: Vec<f64> = draws.iter().map(|&index| self.values[index]).collect();
        let visits: Vec<f64> = draws.iter().map(|&index| self.visits[index]).collect();
        aggregate_sorted(&values, &visits, &running(&visits), aggregate)
    }
}

/// One number for the numbers of several runs, each of which counts once; they are put in order.
pub(super) fn aggregate_runs(values: &mut [f64], aggregate: SampleAggregate) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return f64::NAN };
    match aggregate {
        SampleAggregate::Median => statistics::quantile_of_sorted(values, 0.5),
        SampleAggregate::Q25 => statistics::quantile_of_sorted(values, 0.25),
        SampleAggregate::Min => *first,
        SampleAggregate::Max => *last,
        SampleAggregate::Mean => statistics::mean(values),
    }
}

fn running(visits: &[f64]) -> Vec<f64> {
    visits
        .iter()
        .scan(0.0, |sum, &visits| {
            *sum += visits;
            Some(*sum)
        })
        .collect()
}

fn aggregate_sorted(values: &[f64], visits: &[f64], cumulative: &[f64], aggregate: SampleAggregate) -> f64 {
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return f64::NAN };
    match aggregate {
        SampleAggregate::Median => weighted_quantile(values, cumulative, 0.5),
        SampleAggregate::Q25 => weighted_quantile(values, cumulative, 0.25),
        SampleAggregate::Min => *first,
        SampleAggregate::Max => *last,
        SampleAggregate::Mean => {
            let sum: f64 = values.iter().zip(visits).map(|(value, visits)| value * visits).sum();
            sum / visits.iter().sum::<f64>()
        }
    }
}

/// The quantile of the list in which each value occurs once per visit, interpolated linearly.
fn weighted_quantile(values: &[f64], cumulative: &[f64], q: f64) -> f64 {
    let total = cumulative.last().copied().unwrap_or(0.0);
    let position = q * (total - 1.0).max(0.0);
    let below = position.floor();
    let share = position - below;
    let at = |place: f64| {
        let index = cumulative.partition_point(|&sum| sum <= place);
        values[index.min(values.len() - 1)]
    };
    let low = at(below);
    if share == 0.0 { low } else { low + share * (at(below + 1.0) - low) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_counts_as_often_as_it_has_visits() {
        let repeated =
            Repeated { at: vec![], values: vec![3.0, 1.0, 2.0, 9.0], visits: vec![2.0, 1.0, 3.0, 2.0], runs: vec![] };
        let long = [3.0, 3.0, 1.0, 2.0, 2.0, 2.0, 9.0, 9.0];
        assert_eq!(repeated.aggregated(SampleAggregate::Median), statistics::median(&long));
        assert_eq!(repeated.aggregated(SampleAggregate::Q25), statistics::quantile(&long, 0.25));
        assert_eq!(repeated.aggregated(SampleAggregate::Mean), statistics::mean(&long));
        assert_eq!(repeated.aggregated(SampleAggregate::Min), 1.0);
        assert_eq!(repeated.aggregated(SampleAggregate::Max), 9.0);
        assert_eq!(Repeated::new(vec![], vec![4.0, 2.0]).aggregated(SampleAggregate::Median), 3.0);
    }
}
