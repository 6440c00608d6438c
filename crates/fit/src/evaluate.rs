//! Models judged on runs that they have not seen.

use crate::fitted::Regression;
use crate::options::FitOptions;
use crate::predict::Model;
use runcast_core::evaluation::EvaluationPoint;
use runcast_core::series::Aggregate;
use runcast_core::{Point, Series};
use std::sync::Arc;

/// Which configurations are held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HoldOut {
    /// The largest k along the process parameter.
    Top(usize),
    /// Everything beyond the largest over x.
    Factor(f64),
}

impl HoldOut {
    /// Splits a series along its process parameter into training and held-out configurations.
    pub fn split(self, series: Series) -> (Series, Series) {
        let p = series.process_parameter.unwrap_or(0);
        let mut counts: Vec<f64> = series.points.iter().filter_map(|point| point.at.get(p).copied()).collect();
        counts.sort_by(f64::total_cmp);
        counts.dedup();
        let largest = counts.last().copied().unwrap_or(f64::NAN);
        let is_held = |x: f64| match self {
            HoldOut::Top(k) => counts.len() - counts.partition_point(|count| *count < x) <= k,
            HoldOut::Factor(factor) => x > largest / factor,
        };
        // Runs without inputs are all alike: none of them is larger.
        let is_held_out = |point: &Point| point.at.get(p).is_some_and(|count| is_held(*count));
        let (held, kept): (Vec<_>, Vec<_>) = series.points.iter().cloned().partition(is_held_out);
        (Series { points: kept, ..series.clone() }, Series { points: held, ..series })
    }
}

/// Predicts the held-out configurations of one series with one model.
pub fn predict_held_out(
    train: &Arc<Series>,
    test: &Series,
    regression: &dyn Regression,
    options: &FitOptions,
    level: f64,
) -> Vec<EvaluationPoint> {
    points_of(Model::fit(train, regression, options).ok().as_ref(), regression.name(), test, level)
}

/// What a model says of the configurations of a series, beside what was measured there; nothing without a model.
pub fn points_of(model: Option<&Model>, name: &str, test: &Series, level: f64) -> Vec<EvaluationPoint> {
    let truth = test.aggregated(Aggregate::Median);
    test.points
        .iter()
        .zip(truth)
        .map(|(point, measured)| {
            let at = test.configuration(point);
            let prediction = model.and_then(|model| model.predict(&at, level).ok()).map(|(p, _)| p);
            EvaluationPoint {
                method: "fit".to_owned(),
                model: name.to_owned(),
                group: test.group.clone(),
                metric: test.metric.name.clone(),
                unit: test.metric.unit.clone(),
                at,
                measured,
                predicted: prediction.as_ref().and_then(|p| p.value),
                low: prediction.as_ref().and_then(|p| p.low),
                high: prediction.as_ref().and_then(|p| p.high),
                level: Some(level),
                ..EvaluationPoint::default()
            }
            .scored_by_runs(&point.values)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{over, series};

    #[test]
    fn the_largest_counts_are_held_out() {
        let runs = series(&[(1.0, 8.0), (2.0, 4.0), (4.0, 2.0), (8.0, 1.0)]);
        let counts = |series: &Series| series.points.iter().map(|point| point.at[0]).collect::<Vec<f64>>();
        let split = |rule: HoldOut| {
            let (train, test) = rule.split(runs.clone());
            (counts(&train), counts(&test))
        };
        assert_eq!(split(HoldOut::Top(1)), (vec![1.0, 2.0, 4.0], vec![8.0]));
        assert_eq!(split(HoldOut::Top(2)), (vec![1.0, 2.0], vec![4.0, 8.0]));
        assert_eq!(split(HoldOut::Factor(2.0)), (vec![1.0, 2.0, 4.0], vec![8.0]));
        assert_eq!(split(HoldOut::Factor(4.0)), (vec![1.0, 2.0], vec![4.0, 8.0]));
        let alike = over(&[], vec![(Vec::new(), 8.0)]);
        let (train, test) = HoldOut::Top(1).split(Series { process_parameter: None, ..alike });
        assert_eq!((train.points.len(), test.points.len()), (1, 0), "nothing varies");
    }
}
