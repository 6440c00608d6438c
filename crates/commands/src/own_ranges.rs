//! `--ranges FILE`: ranges as wide as runs have shown them to need, whatever method they come from.

use crate::context::Context;
use crate::failure::Failure;
use crate::options::paths::InputFile;
use crate::tables;
use clap::{Args, ValueHint};
use runcast_core::configuration::group_name;
use runcast_core::evaluation::EvaluationPoint;
use runcast_core::prediction::Prediction;
use runcast_core::ranges::{OWN_SCALE, Range, Scores, own_file, own_scale, recalibrated};
use runcast_core::series::SeriesSet;
use runcast_core::{Direction, Metric, Warning};
#[cfg(feature = "methods")]
use std::cell::Cell;

/// A calibration of one's own.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub struct RangesArgs {
    /// Make ranges as wide as the scores in FILE need, which evaluate --write-ranges has written
    #[arg(long, value_name = "FILE.tsv", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub ranges: Option<InputFile>,
}

impl RangesArgs {
    /// The scores; a warning in their place where they are too few.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub(crate) fn read(&self, context: &mut Context) -> Result<(Option<Scores>, Option<Warning>), Failure> {
        let Some(file) = &self.ranges else { return Ok((None, None)) };
        let name = tables::name_of(file);
        let read = Scores::parse(&context.read_text(file)?, OWN_SCALE);
        let scores = read.map_err(|problem| problem.in_file(name.as_str()))?;
        if scores.suffice() {
            return Ok((Some(scores), None));
        }
        let message = format!(
            "ranges stay as they are: {name} has {} scores of {} groups, and 20 of 5 are needed",
            scores.len(),
            scores.clusters()
        );
        Ok((None, Some(Warning::new("few_scores", message))))
    }

    /// Hands the scores to whoever has ranges; a warning in their place where they are too few.
    ///
    /// # Errors
    /// What is wrong with the file.
    #[cfg(feature = "methods")]
    pub(crate) fn widen(
        &self,
        context: &mut Context,
        ranges: impl FnOnce(&Widen<'_>),
    ) -> Result<Option<Warning>, Failure> {
        let (scores, few) = self.read(context)?;
        let Some(scores) = &scores else { return Ok(few) };
        let with = Widen { scores, changed: Cell::new(0) };
        ranges(&with);
        let has_none = with.changed.get() == 0;
        let message = "--ranges changes nothing: none of these predictions has a range of its own";
        Ok(has_none.then(|| Warning::new("no_interval", message)))
    }
}

/// Scores of one's own.
#[cfg(feature = "methods")]
pub(crate) struct Widen<'a> {
    pub scores: &'a Scores,
    /// Ranges that were set.
    changed: Cell<usize>,
}

#[cfg(feature = "methods")]
impl Widen<'_> {
    /// Sets the ends of a time's range to those that the scores need; none, and no change, where it has no range.
    pub fn time(&self, value: f64, level: f64, low: &mut Option<f64>, high: &mut Option<f64>) -> Option<Range> {
        let range = recalibrated((value, (*low)?, (*high)?, level), level, self.scores, false)?;
        (*low, *high) = (Some(range.low), Some(range.high));
        self.changed.set(self.changed.get() + 1);
        Some(range)
    }
}

/// With the range that the scores need.
pub(crate) fn apply(prediction: &mut Prediction, scores: &Scores, level: f64) {
    let Prediction { value, low, high, level: of_level, .. } = *prediction;
    let Some(range) = ranged(value, low, high, of_level, level, scores, &prediction.metric) else { return };
    (prediction.low, prediction.high, prediction.level) = (Some(range.low), Some(range.high), level);
    prediction.interval = Some("calibrated".to_owned());
}

/// The same of points beside their runs.
pub(crate) fn apply_to_points(points: &mut [EvaluationPoint], runs: &[SeriesSet], scores: &Scores, level: f64) {
    for point in points {
        let EvaluationPoint { predicted, low, high, level: of_level, .. } = *point;
        let of_level = of_level.unwrap_or(level);
        let Some(range) = ranged(predicted, low, high, of_level, level, scores, &point.metric) else { continue };
        (point.low, point.high, point.level) = (Some(range.low), Some(range.high), Some(level));
        let values = runs.iter().find_map(|set| values_at(point, set));
        *point = point.clone().scored_by_runs(&values.unwrap_or_else(|| vec![point.measured]));
    }
}

/// The runs of a point.
fn values_at(point: &EvaluationPoint, set: &SeriesSet) -> Option<Vec<f64>> {
    let of_series = set.series.iter().filter(|one| one.metric.name == point.metric && one.group == point.group);
    of_series.flat_map(|one| one.points.iter().map(move |run| (one.configuration(run), run))).find_map(|(at, run)| {
        let is_same = point.at.0.iter().all(|(name, value)| at.get(name).is_none_or(|known| known == *value));
        is_same.then(|| run.values.clone())
    })
}

/// The scores of points that have a range, as a file; how many have none.
pub(crate) fn written(points: &[EvaluationPoint]) -> (String, usize) {
    let names: Vec<(String, f64, f64, f64, &str)> = points
        .iter()
        .filter_map(|point| {
            let scale = own_scale(point.low?, point.high?, point.level?)?;
            let error = (point.measured / point.predicted?).ln();
            let error = if is_rate(&point.metric) { -error } else { error };
            error.is_finite().then(|| (group_name(&point.group), 0.0, scale, error, point.metric.as_str()))
        })
        .collect();
    let lines: Vec<_> = names.iter().map(|(group, h, s, e, metric)| (group.as_str(), *metric, *h, *s, *e)).collect();
    (own_file(&lines), points.len() - lines.len())
}

fn ranged(
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    of_level: f64,
    level: f64,
    scores: &Scores,
    metric: &str,
) -> Option<Range> {
    recalibrated((value?, low?, high?, of_level), level, scores, is_rate(metric))
}

fn is_rate(metric: &str) -> bool {
    Metric::named(metric, None).is_ok_and(|metric| metric.direction == Direction::Higher)
}
