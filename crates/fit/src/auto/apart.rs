//! Last runs of a grid that lie far from what the runs beside them say.

use super::slices::key;
use crate::sample::Sample;
use runcast_core::hash::MixMap;
use runcast_core::statistics::median;

/// A bend of the last step by less than this factor is never far.
const LEAST: f64 = 2.0;
/// So many robust standard deviations of the others are far.
const FAR: f64 = 5.0;
/// So many other slices tell it.
const LEAST_OTHERS: usize = 2;

/// The indices of configurations that end a slice along the axis and bend it away from all slices beside it.
///
/// With `s_k = ln(y_k/y_(k-1)) / ln(x_k/x_(k-1))`, the bend of a slice in its last step, by which factor, is
/// `b = (s_n - s_(n-1)) ln(x_n/x_(n-1))`; those of the other slices at the same three x have the median m and the robust
/// standard deviation `1.4826 median |b - m|`. A run is apart where it was slower than the one before it, and `b - m` above
/// `ln 2` and five of these: one that was disturbed, for a law would bend the others, too, and where a size stops to scale
/// its time levels off. Rates count by their reciprocals. A slice of less than four runs has no last one to spare.
pub(super) fn last_runs(sample: &Sample<'_>) -> Vec<usize> {
    let metric = &sample.series.metric;
    if !(metric.is_time() || metric.is_rate()) {
        return Vec::new();
    }
    let held: Vec<usize> = sample.dimensions.iter().copied().filter(|k| *k != sample.axis).collect();
    let mut slices: MixMap<Vec<u64>, Vec<usize>> = MixMap::default();
    for (index, at) in sample.at.iter().enumerate() {
        slices.entry(key(at, &held)).or_default().push(index);
    }
    let x = |index: usize| sample.at[index][sample.axis];
    let mut slices: Vec<Vec<usize>> = slices.into_values().collect();
    slices.iter_mut().for_each(|slice| slice.sort_by(|a, b| x(*a).total_cmp(&x(*b))));
    let mut apart: Vec<usize> = Vec::new();
    for slice in slices.iter().filter(|slice| slice.len() >= 4) {
        let last = slice[slice.len() - 3..].to_vec();
        let at: Vec<f64> = last.iter().map(|&index| x(index)).collect();
        let bends: Vec<f64> = slices
            .iter()
            .filter(|other| other[0] != slice[0])
            .filter_map(|other| {
                let same = |x_k: &f64| other.iter().copied().find(|&index| x(index) == *x_k);
                bend(&at.iter().map(same).collect::<Option<Vec<usize>>>()?, sample)
            })
            .collect();
        let is_slower = slowness(last[2], sample) > slowness(last[1], sample);
        let Some(own) = bend(&last, sample).filter(|_| is_slower && bends.len() >= LEAST_OTHERS) else { continue };
        let middle = median(&bends);
        let distances: Vec<f64> = bends.iter().map(|bend| (bend - middle).abs()).collect();
        if own - middle > LEAST.ln().max(FAR * 1.4826 * median(&distances)) {
            apart.extend(last.last());
        }
    }
    apart.sort_unstable();
    apart
}

/// The logarithm of the time, or of the reciprocal of the rate.
fn slowness(run: usize, sample: &Sample<'_>) -> f64 {
    let ln = sample.y[run].ln();
    if sample.series.metric.is_rate() { -ln } else { ln }
}

/// The bend of three runs in order; none where they have no logarithms or one x.
fn bend(runs: &[usize], sample: &Sample<'_>) -> Option<f64> {
    let &[a, b, c] = runs else { return None };
    let h = |from: usize, to: usize| (sample.at[to][sample.axis] / sample.at[from][sample.axis]).ln();
    let rise = |from: usize, to: usize| slowness(to, sample) - slowness(from, sample);
    let bend = rise(b, c) - rise(a, b) * h(b, c) / h(a, b);
    bend.is_finite().then_some(bend)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::FitOptions;
    use crate::testing::grid;
    use runcast_core::series::Aggregate;

    #[test]
    fn one_disturbed_run_is_apart_and_a_break_of_all_is_not() {
        let of = |law: fn(f64, f64) -> f64, sizes: &[f64]| {
            let runs = grid(&[1.0, 2.0, 4.0, 8.0], sizes, law);
            let sample = Sample::new(&runs, Aggregate::Median, &FitOptions::default());
            last_runs(&sample).iter().map(|&index| runs.points[index].at.clone()).collect::<Vec<_>>()
        };
        let sizes = [10.0, 20.0, 40.0, 80.0];
        let disturbed = |p: f64, n: f64| (1.0 + n / p) * if p == 8.0 && n == 40.0 { 3.0 } else { 1.0 };
        assert_eq!(of(disturbed, &sizes), [[8.0, 40.0]]);
        assert!(of(|p, n| (1.0 + n / p) * if p == 8.0 { 3.0 } else { 1.0 }, &sizes).is_empty());
        // The smallest size has the largest share that does not scale.
        assert!(of(|p, n| 4.0 + n / p + 0.2 * p, &sizes).is_empty());
        let leveled = |p: f64, n: f64| if p == 8.0 && n == 10.0 { 0.99 * (1.0 + 2.5) } else { 1.0 + n / p };
        assert!(of(leveled, &sizes).is_empty(), "no slower than on half the processes");
        assert!(of(disturbed, &[20.0, 40.0]).is_empty(), "one other slice tells nothing");
    }
}
