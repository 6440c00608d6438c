//! What bounds the joint law of a grid beyond the processes that were run.

use super::slices::key;
use crate::sample::Sample;
use runcast_core::hash::MixMap;

/// So many measured steps outside it show that a program leaves the envelope.
const SHOWN: usize = 2;

/// Ideal scaling below and growth with the processes above, from the most processes that were run on, with all other
/// parameters as they are: for a time, `y(p_n) p_n/p <= y(p) <= y(p_n) p/p_n`; for a rate the same. A side that two
/// measured steps left bounds nothing.
pub(super) struct Envelope {
    process: usize,
    most: f64,
    below: bool,
    above: bool,
}

impl Envelope {
    /// None for a metric that neither is a time nor a rate, and where the processes do not vary.
    pub(super) fn of(sample: &Sample<'_>) -> Option<Envelope> {
        let metric = &sample.series.metric;
        if !sample.along_processes || !(metric.is_time() || metric.is_rate()) {
            return None;
        }
        let process = sample.axis;
        let held: Vec<usize> = (0..sample.series.parameters.len()).filter(|k| *k != process).collect();
        let mut lines: MixMap<Vec<u64>, Vec<(f64, f64)>> = MixMap::default();
        for (at, y) in sample.at.iter().zip(&sample.y) {
            lines.entry(key(at, &held)).or_default().push((at[process], *y));
        }
        let (mut below, mut above) = (0, 0);
        for line in lines.values_mut() {
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in line.windows(2) {
                let (h, z) = ((pair[1].0 / pair[0].0).ln(), (pair[1].1 / pair[0].1).ln());
                below += usize::from(z < -h);
                above += usize::from(z > h);
            }
        }
        let most = sample.at.iter().map(|at| at[process]).fold(f64::NEG_INFINITY, f64::max);
        Some(Envelope { process, most, below: below < SHOWN, above: above < SHOWN })
    }

    /// The target with the most processes that were run; none where it has no more than these.
    pub(super) fn nearest(&self, at: &[f64]) -> Option<Vec<f64>> {
        (at[self.process] > self.most).then(|| {
            let mut nearest = at.to_vec();
            nearest[self.process] = self.most;
            nearest
        })
    }

    /// A value beyond `nearest`, within the bounds that hold.
    pub(super) fn cut(&self, at: &[f64], value: f64, nearest: f64) -> f64 {
        if !(value > 0.0 && nearest > 0.0 && nearest.is_finite()) {
            return value;
        }
        let h = (at[self.process] / self.most).ln();
        let z = (value / nearest).ln();
        let low = if self.below { -h } else { f64::NEG_INFINITY };
        let high = if self.above { h } else { f64::INFINITY };
        nearest * z.clamp(low, high).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::FitOptions;
    use crate::testing::grid;
    use runcast_core::series::Aggregate;

    #[test]
    fn steps_that_left_it_open_it() {
        let of = |law: fn(f64, f64) -> f64| {
            let runs = grid(&[1.0, 2.0, 4.0], &[10.0, 20.0], law);
            Envelope::of(&Sample::new(&runs, Aggregate::Median, &FitOptions::default())).expect("processes vary")
        };
        let ideal = of(|p, n| n / p + 1.0);
        assert_eq!(ideal.nearest(&[4.0, 80.0]), None, "measured counts have no bound");
        assert_eq!(ideal.nearest(&[16.0, 80.0]), Some(vec![4.0, 80.0]));
        assert_eq!(ideal.cut(&[16.0, 80.0], 1.0, 20.0), 5.0, "ideal scaling");
        assert_eq!(ideal.cut(&[16.0, 80.0], 200.0, 20.0), 80.0);
        assert_eq!(ideal.cut(&[16.0, 80.0], 12.0, 20.0), 12.0);
        let steep = of(|p, n| n + p * p * p);
        assert!((steep.cut(&[16.0, 80.0], 900.0, 20.0) - 900.0).abs() < 1e-9, "two steps grew faster");
        assert_eq!(steep.cut(&[16.0, 80.0], 1.0, 20.0), 5.0);
    }
}
