//! Windows of time over several series at once.

use super::series::Series;
use serde::Serialize;

/// Windows of equal width over the time in which all of some series were measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Windows {
    /// Where the first begins \[s\].
    #[serde(skip)]
    pub start_s: f64,
    /// How long each is \[s\].
    #[serde(rename = "window_s")]
    pub width_s: f64,
    /// How many there are.
    #[serde(rename = "windows")]
    pub count: usize,
}

impl Windows {
    /// Windows of about `samples` samples of the sparsest series; none where starts are not known, or the series do
    /// not overlap for two windows.
    pub fn over(series: &[&Series], samples: usize) -> Option<Windows> {
        let known = series.iter().all(|series| !series.start_s.is_empty());
        let start_s = bound(series, f64::max, |series| series.middle_s(0))?;
        let end_s = bound(series, f64::min, |series| series.middle_s(series.time_s.len() - 1))?;
        let length_s = end_s - start_s;
        if !known || length_s.is_nan() || length_s <= 0.0 {
            return None;
        }
        let inside = |series: &&Series| {
            (0..series.time_s.len()).filter(|index| (start_s..=end_s).contains(&series.middle_s(*index))).count()
        };
        let fewest = series.iter().map(inside).min()?;
        let count = fewest / samples.max(1);
        (count >= 2).then(|| Windows { start_s, width_s: length_s / count as f64, count })
    }

    /// The same time in this many windows at most.
    #[must_use]
    pub fn at_most(self, most: usize) -> Windows {
        let count = self.count.min(most.max(1));
        Windows { count, width_s: self.width_s * self.count as f64 / count as f64, ..self }
    }

    pub fn find(&self, moment_s: f64) -> Option<usize> {
        let place = (moment_s - self.start_s) / self.width_s;
        // The end of the last window is its last sample.
        let is_inside = (0.0..=self.count as f64).contains(&place);
        is_inside.then(|| (place as usize).min(self.count - 1))
    }

    /// The window of a moment; the first or last one of a moment outside.
    pub fn nearest(&self, moment_s: f64) -> usize {
        let place = ((moment_s - self.start_s) / self.width_s).clamp(0.0, (self.count - 1) as f64);
        place as usize
    }

    /// The mean time of a series in each window; none where it has no sample there.
    pub fn means(&self, series: &Series) -> Vec<Option<f64>> {
        let mut sums = vec![(0.0, 0u32); self.count];
        for (index, time_s) in series.time_s.iter().enumerate() {
            if let Some(window) = self.find(series.middle_s(index)) {
                sums[window].0 += time_s;
                sums[window].1 += 1;
            }
        }
        sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
    }
}

fn bound(series: &[&Series], of: impl Fn(f64, f64) -> f64, at: impl Fn(&Series) -> f64) -> Option<f64> {
    series.iter().filter(|series| !series.start_s.is_empty()).map(|series| at(series)).reduce(of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::series::Subject;

    fn series(first: f64, step: f64, count: usize) -> Series {
        Series {
            subject: Subject::Process("a".to_owned()),
            host: String::new(),
            start_s: (0..count).map(|index| first + step * index as f64).collect(),
            time_s: (0..count).map(|index| index as f64 * 1e-9).collect(),
            rows: (0..count).collect(),
        }
    }

    #[test]
    fn windows_lie_where_all_series_are() {
        let (fast, slow) = (series(0.0, 0.1, 1000), series(20.0, 1.0, 1000));
        let windows = Windows::over(&[&fast, &slow], 10).expect("80 s in common");
        assert_eq!(windows.count, 8, "80 samples of the slow one");
        assert!((windows.start_s - 20.0).abs() < 1e-6 && (windows.width_s - 79.9 / 8.0).abs() < 1e-6);
        assert_eq!((windows.find(19.0), windows.find(20.5), windows.find(99.8), windows.find(101.0)), {
            (None, Some(0), Some(7), None)
        });
        assert_eq!((windows.nearest(0.0), windows.nearest(1e9)), (0, 7));
        let fewer = windows.at_most(2);
        assert_eq!((fewer.count, fewer.find(59.0), fewer.find(61.0)), (2, Some(0), Some(1)));
        assert!(windows.means(&slow).iter().all(Option::is_some));
    }

    #[test]
    fn without_a_common_time_there_are_none() {
        assert_eq!(Windows::over(&[&series(0.0, 0.1, 100), &series(20.0, 1.0, 100)], 10), None);
        let mut unknown = series(0.0, 0.1, 100);
        unknown.start_s.clear();
        assert_eq!(Windows::over(&[&unknown], 10), None);
        assert_eq!(Windows::over(&[&series(0.0, 0.1, 19)], 10), None);
        let mut at_once = series(0.0, 0.0, 100);
        at_once.time_s = vec![0.0; 100];
        assert_eq!(Windows::over(&[&at_once], 10), None);
    }
}
