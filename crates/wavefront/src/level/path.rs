//! Paths of the level over a run.

use super::law::{SEGMENTS, middles};
use super::{Entry, Level, Posterior};
use runcast_core::numeric::cholesky::Factor;
use runcast_core::numeric::normal;
use runcast_core::random::SplitMix;

/// Pairs of the grid less probable than this are left out.
const LEAST_WEIGHT: f64 = 1e-4;
/// Added to variances so that a level that hardly moves has a factor, relative to the largest.
const JITTER: f64 = 1e-10;
/// The golden ratio: its multiples fill an interval evenly.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// The law of the level over a run: at the middles of its segments, linear between.
#[derive(Debug, Clone)]
pub struct Paths {
    parts: Vec<Part>,
    segment_s: f64,
}

/// What one pair of the grid says.
#[derive(Debug, Clone)]
struct Part {
    /// The probability of this pair and of those before it.
    up_to: f64,
    mean: Vec<f64>,
    factor: Factor,
}

/// One path.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    values: Vec<f64>,
    segment_s: f64,
}

impl Paths {
    /// Over a run that begins `start_in_s` after the last sample and takes about `run_s`. None where nothing is known.
    pub fn over(level: &Level, start_in_s: f64, run_s: f64) -> Option<Paths> {
        let segment_s = run_s / SEGMENTS as f64;
        let mut parts: Vec<Part> = match level {
            Level::Fixed { sd, mean } => {
                let factor = Factor::of(vec![vec![(sd * sd).max(f64::MIN_POSITIVE)]])?;
                vec![Part { up_to: 1.0, mean: vec![*mean], factor }]
            }
            Level::Observed(observed) => {
                let posterior = Posterior::of(observed)?;
                let times_s = middles(observed.end_s + start_in_s, run_s);
                let likely = posterior.entries.iter().filter(|entry| entry.weight > LEAST_WEIGHT);
                likely.filter_map(|entry| Part::of(entry, &observed.times_s, &times_s)).collect()
            }
        };
        let total: f64 = parts.iter().map(|part| part.up_to).sum();
        parts.iter_mut().fold(0.0, |sum, part| {
            part.up_to = sum + part.up_to / total;
            part.up_to
        });
        (!parts.is_empty()).then_some(Paths { parts, segment_s })
    }

    /// Path `index` of `count`: the pairs come in proportion to their probabilities, and where a path begins is spread evenly
    /// over its law.
    pub fn draw(&self, index: u64, count: u64, random: &mut SplitMix) -> Path {
        let share = (index as f64 + 0.5) / count as f64;
        let place = self.parts.partition_point(|part| part.up_to < share).min(self.parts.len() - 1);
        let part = &self.parts[place];
        let even = ((index as f64 + 0.5) * GOLDEN).fract();
        let first = std::iter::once(even).chain(std::iter::repeat_with(|| random.uniform()));
        let normals: Vec<f64> =
            first.take(part.mean.len()).map(|share| normal::quantile(share.clamp(1e-15, 1.0 - 1e-15))).collect();
        let values = part.factor.times(&normals).iter().zip(&part.mean).map(|(off, mean)| mean + off).collect();
        Path { values, segment_s: self.segment_s }
    }
}

impl Part {
    fn of(entry: &Entry, windows_s: &[f64], times_s: &[f64]) -> Option<Part> {
        let (mean, mut covariance) = entry.together(windows_s, times_s);
        let most = covariance.iter().enumerate().map(|(row, cells)| cells[row]).fold(0.0, f64::max);
        let jitter = (most * JITTER).max(f64::MIN_POSITIVE);
        covariance.iter_mut().enumerate().for_each(|(row, cells)| cells[row] += jitter);
        Some(Part { up_to: entry.weight, mean, factor: Factor::of(covariance)? })
    }
}

impl Path {
    /// The level at a time after the start of the run; before the first middle and after the last as there.
    #[inline]
    pub fn at(&self, time_s: f64) -> f64 {
        let place = (time_s / self.segment_s - 0.5).max(0.0);
        let last = self.values.len() - 1;
        // A run without length, too, is somewhere.
        let below = if place < last as f64 { place as usize } else { return self.values[last] };
        let share = place - below as f64;
        self.values[below] * (1.0 - share) + self.values[below + 1] * share
    }
}

#[cfg(test)]
mod tests {
    use super::super::Observed;
    use super::*;

    fn walk() -> Level {
        let windows = || (0..30).map(f64::from);
        Level::Observed(Observed {
            times_s: windows().map(|k| 10.0 * k).collect(),
            end_s: 295.0,
            log_factor: windows().map(|k| 0.1 * (0.4 * k).sin()).collect(),
            variance: vec![1e-3; 30],
            messages: true,
        })
    }

    /// The average of a path has the mean and the variance that kriging gives for the average.
    #[test]
    fn paths_have_the_law_of_the_level() {
        let level = walk();
        let Level::Observed(observed) = &level else { unreachable!("measured") };
        let paths = Paths::over(&level, 5.0, 100.0).expect("windows");
        let count = 4000;
        let mut random = SplitMix::new(1, 0);
        let averages: Vec<f64> = (0..count)
            .map(|index| paths.draw(index, count, &mut random))
            .map(|path| path.values.iter().sum::<f64>() / path.values.len() as f64)
            .collect();
        let law = Posterior::of(observed).expect("windows").averages(&middles(300.0, 100.0));
        let mean: f64 = law.iter().map(|(weight, mean, _)| weight * mean).sum();
        let variance: f64 = law.iter().map(|(weight, own, v)| weight * (v + (own - mean).powi(2))).sum();
        let found = runcast_core::statistics::mean(&averages);
        assert!((found - mean).abs() < 4.0 * (variance / count as f64).sqrt(), "{found}, expected {mean}");
        let spread = runcast_core::statistics::sample_variance(&averages).expect("many");
        assert!((spread / variance - 1.0).abs() < 0.15, "{spread}, expected {variance}");
    }

    /// A random walk from 0, q = 1e-4/s, over 100 s of work: 20,000 paths of an independent script.
    #[test]
    fn the_time_of_a_walk() {
        let observed =
            Observed { times_s: vec![0.0], log_factor: vec![0.0], variance: vec![1e-12], ..Observed::default() };
        let mut entry = Entry::of(&observed, 1e-4, 0.0).expect("positive");
        entry.weight = 1.0;
        let part = Part::of(&entry, &observed.times_s, &middles(0.0, 100.0)).expect("a factor");
        let paths = Paths { parts: vec![part], segment_s: 100.0 / SEGMENTS as f64 };
        let mut random = SplitMix::new(2, 0);
        let mut times: Vec<f64> = (0..20_000)
            .map(|index| paths.draw(index, 20_000, &mut random))
            // 1,000 pieces of work of 0.1 s.
            .map(|path| (0..1000).fold(0.0, |now, _| now + 0.1 * path.at(now).exp()))
            .collect();
        times.sort_by(f64::total_cmp);
        for (share, expected) in [(0.05, 91.25), (0.5, 100.0), (0.95, 110.5)] {
            let found = runcast_core::statistics::quantile_of_sorted(&times, share);
            assert!((found - expected).abs() < 0.2, "{share}: {found}, expected {expected}");
        }
    }

    #[test]
    fn a_path_is_linear_between_the_middles() {
        let path = Path { values: vec![1.0, 2.0, 4.0], segment_s: 10.0 };
        for (time_s, expected) in
            [(0.0, 1.0), (5.0, 1.0), (10.0, 1.5), (15.0, 2.0), (20.0, 3.0), (25.0, 4.0), (1e9, 4.0)]
        {
            assert_eq!(path.at(time_s), expected, "{time_s}");
        }
        let constant = Paths::over(&Level::Fixed { sd: 0.0, mean: 0.3 }, 0.0, 0.0).expect("fixed");
        assert!((constant.draw(0, 1, &mut SplitMix::new(0, 0)).at(0.0) - 0.3).abs() < 1e-12);
    }
}
