//! A fitted model judged by its own forward folds: fitted again to fewer processes, it forecasts what was run on more.

use runcast_core::ranges::prefixes;
use runcast_core::{Direction, Series};
use runcast_fit::{Model, registry};

/// Process counts from which a model is fitted.
const LEAST: usize = 3;

/// Errors `ln(measured/predicted)`, of a rate of its reciprocal, on the runs beyond each prefix up to 4 times its largest.
pub(super) fn errors(model: &Model) -> Vec<f64> {
    let series = &model.series;
    let (Some(axis), Some(regression)) = (series.process_parameter, registry::find(model.fitted.model)) else {
        return Vec::new();
    };
    let mut positions: Vec<f64> = series.points.iter().map(|point| point.at[axis]).collect();
    positions.sort_by(f64::total_cmp);
    positions.dedup();
    let mut errors = Vec::new();
    for (seen, tests) in prefixes(&positions, LEAST).filter(|(_, tests)| !tests.is_empty()) {
        let is_known = |p: f64| p <= positions[seen - 1];
        let known = Series {
            points: series.points.iter().filter(|point| is_known(point.at[axis])).cloned().collect(),
            ..Series::clone(series)
        };
        let Some(refitted) = model.refitted(known, regression) else { continue };
        let last = positions[tests.end - 1];
        for point in series.points.iter().filter(|point| !is_known(point.at[axis]) && point.at[axis] <= last) {
            let Ok((said, _)) = refitted.predict(&series.configuration(point), 0.9) else { continue };
            let measured = model.aggregate.of(&point.values, &series.metric);
            let error = said.value.map(|value| (measured / value).ln()).filter(|error| error.is_finite());
            errors.extend(error.map(|error| if series.metric.direction == Direction::Higher { -error } else { error }));
        }
    }
    errors
}
