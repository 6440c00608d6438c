//! A point of a curve, whatever its costs come from: in documents, in the table for people, as a prediction.

use super::{PredictArgs, workers};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human::{self, Table, quantity, significant};
use runcast_core::ranges::RangeEntry;
use runcast_core::{Configuration, Prediction, Problem, Warning};
use runcast_formula::numbers::NumberList;
use serde::Serialize;

/// A point of a curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Point {
    /// Worker count.
    pub workers: u64,
    /// Workers and the master.
    pub processes: u64,
    /// Time of an iteration.
    pub time_s: f64,
    pub time_low_s: Option<f64>,
    pub time_high_s: Option<f64>,
    /// Against one worker.
    pub speedup: f64,
    /// Against one process without messages; a fit knows of none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup_serial: Option<f64>,
    /// Speedup for each worker.
    pub efficiency: f64,
    /// Of a fit: how many times beyond the numbers of workers that were measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizon: Option<f64>,
    /// What the range is made of, where its parts are known; null where they give none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Option<RangeEntry>>,
}

impl Point {
    /// A time without a range, beside the time of one worker.
    pub(super) fn new(workers: u64, time_s: f64, one_worker_s: f64) -> Self {
        let speedup = one_worker_s / time_s;
        let processes = workers + 1;
        Point { workers, processes, time_s, speedup, efficiency: speedup / workers as f64, ..Point::default() }
    }
}

/// The worker counts that were asked for, else powers of 2 up to twice the boundary.
///
/// # Errors
/// Counts that the list cannot occupy.
pub(super) fn counts(asked: Option<&NumberList>, boundary: f64, list_length: u64) -> Result<Vec<u64>, Problem> {
    match asked {
        Some(list) => workers::counts(list, list_length),
        None => Ok(workers::up_to_twice(boundary, list_length)),
    }
}

/// The points as predictions of a model.
pub(super) fn predictions<'a>(
    points: &'a [Point],
    model: &'a str,
    level: f64,
) -> impl Iterator<Item = Prediction> + use<'a> {
    points.iter().map(move |point| {
        let at = Configuration([("workers".to_owned(), point.workers as f64)].into_iter().collect());
        let told = Prediction::new("bsf", model, "time_s", at, Some(point.time_s));
        let told = told.within(level, point.time_low_s, point.time_high_s);
        match point.horizon {
            Some(horizon) => told.beyond(horizon),
            None => told,
        }
    })
}

/// Gives the points of curves the ranges that the scores of `--ranges` need; a warning where these are too few.
///
/// # Errors
/// What is wrong with the file.
pub(super) fn widened<'a>(
    curves: impl Iterator<Item = &'a mut Vec<Point>>,
    args: &PredictArgs,
    context: &mut Context,
) -> Result<Option<Warning>, Failure> {
    args.ranges.widen(context, |with| {
        for point in curves.flatten() {
            let range = with.time(point.time_s, args.level.level, &mut point.time_low_s, &mut point.time_high_s);
            if let (Some(range), Some(Some(entry))) = (range, &mut point.range) {
                *entry = RangeEntry::of(&range, entry.class, &entry.parts.parts, entry.parts.g, Some(with.scores));
            }
        }
    })
}

/// The points for people.
pub(super) fn table(points: &[Point], level: f64, screen: Screen) -> String {
    let has_serial = points.iter().all(|point| point.speedup_serial.is_some());
    let range = format!("{} % range", significant(100.0 * level, 4));
    let mut table = Table::new().number("workers").number("time").number(range).number("speedup");
    if has_serial {
        table = table.number("over serial");
    }
    let mut table = table.number("efficiency");
    for point in points {
        let ends = point.time_low_s.zip(point.time_high_s);
        let start = [
            human::parameter(point.workers as f64),
            quantity(point.time_s, "s"),
            ends.map_or(String::new(), |(low, high)| format!("{} to {}", quantity(low, "s"), quantity(high, "s"))),
            significant(point.speedup, 3),
        ];
        let serial = point.speedup_serial.filter(|_| has_serial).map(|speedup| significant(speedup, 3));
        let end = human::percent(Some(100.0 * point.efficiency));
        table.row(start.into_iter().chain(serial).chain([end]));
    }
    table.render(screen)
}
