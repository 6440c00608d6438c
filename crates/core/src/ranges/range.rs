//! Turns a scale into a range.

use super::scale::Parts;
use super::scores::Scores;
use crate::comparison::deviate;

/// Where a range comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// From the scores of the class.
    Calibrated,
    /// From quantiles of the normal distribution.
    Normal,
}

/// Where a run is expected with a probability.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Range {
    pub low: f64,
    pub high: f64,
    pub level: f64,
    pub source: Source,
    /// The level that the scores support, where it is below `level`.
    pub level_reached: Option<f64>,
}

impl Range {
    /// The range of a value with a scale. With enough scores of its class it is calibrated, else normal. None for a value
    /// that is not positive, a scale that is not finite, or a level that is no probability.
    ///
    /// Of a rate, a run that is worse than forecast is lower: `value / exp(..)`, ends exchanged.
    pub fn of(value: f64, scale: f64, level: f64, scores: Option<&Scores>, is_rate: bool) -> Option<Range> {
        let z = deviate(level)?;
        let quantiles = scores.filter(|scores| scores.suffice()).and_then(|scores| scores.quantiles(level));
        let (source, low, high, level_reached) = match quantiles {
            Some(found) => (Source::Calibrated, found.low.min(0.0), found.high.max(0.0), found.capped),
            None => (Source::Normal, -z, z, None),
        };
        let (low, high) = if is_rate { (-high, -low) } else { (low, high) };
        let (low, high) = (value * (low * scale).exp(), value * (high * scale).exp());
        let is_known = value > 0.0 && scale >= 0.0 && low > 0.0 && high.is_finite();
        is_known.then_some(Range { low, high, level, source, level_reached })
    }
}

/// What a range comes from, as documents state it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct RangeEntry {
    pub source: Source,
    /// Method and kind of series whose scores are alike.
    pub class: &'static str,
    /// Number of scores behind it; 0 of a normal range.
    pub scores: usize,
    /// Number of clusters that they are from.
    pub clusters: usize,
    pub parts: PartsEntry,
    /// The level that the scores support, where it is below the one asked for.
    pub level_reached: Option<f64>,
}

/// The parts of a scale, as documents state them.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PartsEntry {
    #[serde(flatten)]
    pub parts: Parts,
    /// How much larger the method's errors are on its own folds than the class's.
    pub g: f64,
}

impl RangeEntry {
    /// The entry of a range made of these parts.
    pub fn of(range: &Range, class: &'static str, parts: &Parts, g: f64, scores: Option<&Scores>) -> RangeEntry {
        let counted = scores.filter(|_| range.source == Source::Calibrated);
        RangeEntry {
            source: range.source,
            class,
            scores: counted.map_or(0, Scores::len),
            clusters: counted.map_or(0, Scores::clusters),
            parts: PartsEntry { parts: *parts, g },
            level_reached: range.level_reached,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranges::Score;

    #[test]
    fn quantiles_of_scores_times_the_scale() {
        // 21 scores of 21 clusters, of which -1.1 and 1.4 are second from the ends: the quantiles at 0.8.
        let mut list = vec![-2.0, -1.2, -1.1, 1.4, 1.6, 2.0];
        list.extend((0..15).map(|k| f64::from(k) / 100.0));
        let list: Vec<Score> = list.iter().enumerate().map(|(k, d)| Score { cluster: k.to_string(), d: *d }).collect();
        let scores = Scores::new(&list);
        let level = 2.0 * 19.0 / 22.0 - 1.0;
        let range = Range::of(100.0, 0.393_560, level, Some(&scores), false).expect("a range");
        assert_eq!(range.source, Source::Calibrated);
        assert!((range.low - 64.8615).abs() < 5e-4 && (range.high - 173.496).abs() < 5e-4, "{range:?}");
        let rate = Range::of(100.0, 0.393_560, level, Some(&scores), true).expect("a range");
        assert!((rate.low * range.high - 1e4).abs() < 1e-6 && (rate.high * range.low - 1e4).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_range_is_none() {
        for (value, scale, level) in [(0.0, 0.1, 0.9), (1.0, f64::NAN, 0.9), (1.0, 0.1, 1.0), (1.0, 1e9, 0.9)] {
            assert_eq!(Range::of(value, scale, level, None, false), None);
        }
        let point = Range::of(2.0, 0.0, 0.9, None, false).expect("a point");
        assert_eq!((point.low, point.high), (2.0, 2.0));
    }
}
