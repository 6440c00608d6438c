//! `runcast bsf predict` of a fit that `bsf validate --fit -o FILE.toml` has saved.

use super::{PredictArgs, workers};
use crate::answer::{self, Answer, Outputs};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human::{self, Table, quantity, significant};
use crate::output::Output;
use runcast_bsf::cost::MOST_ELEMENTS;
use runcast_bsf::fit::{Auto, file};
use runcast_core::ranges::RangeEntry;
use runcast_core::{Configuration, Prediction, Warning, json};
use runcast_report::plot::{Axis, Band, Ink, Line, Plot, Points};
use serde::Serialize;

/// What a mixture of forms and collectives is called.
const AUTO: &str = "auto";

/// The document of kind `bsf-predict` of a fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    algorithm: &'static str,
    list_length: Option<u64>,
    level: f64,
    /// The number of workers with the least time; null where nothing bounds the speedup.
    k_max: Option<u64>,
    k_max_interval: Interval,
    warnings: Vec<Warning>,
    curves: Vec<Curve>,
    #[serde(skip)]
    trained: Vec<(f64, f64)>,
}

/// An open end is null.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct Interval {
    #[serde(serialize_with = "json::as_optional_number")]
    low: Option<f64>,
    #[serde(serialize_with = "json::as_optional_number")]
    high: Option<f64>,
    level: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Curve {
    form: &'static str,
    collective: &'static str,
    points: Vec<Point>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Point {
    workers: u64,
    processes: u64,
    time_s: f64,
    time_low_s: Option<f64>,
    time_high_s: Option<f64>,
    speedup: f64,
    efficiency: f64,
    /// How many times beyond the numbers of workers that were measured.
    horizon: f64,
    range: Option<RangeEntry>,
}

/// The fit of the file, if it is one.
///
/// # Errors
/// What is wrong with the file; options that it does not use.
pub(super) fn read(args: &PredictArgs, context: &mut Context) -> Result<Option<Auto>, Failure> {
    super::complete(args, context, "a fit does", file::read)
}

/// Predicts.
///
/// # Errors
/// Numbers of workers that the list cannot occupy.
pub(super) fn run(auto: &Auto, args: &PredictArgs, context: &mut Context) -> Result<Output, Failure> {
    let level = args.level.level;
    let most = auto.list_length().unwrap_or(MOST_ELEMENTS);
    let measured = auto.points().last().map_or(1, |point| point.workers);
    let k_max = auto.k_max();
    let counts = match &args.workers {
        Some(list) => workers::counts(list, most)?,
        None => workers::up_to_twice(k_max.unwrap_or(2 * measured) as f64, most),
    };
    let range = auto.k_max_range(level, args.seed.seed);
    let points = counts.into_iter().map(|count| Point::of(auto, count, level)).collect();
    let document = Document {
        kind: "bsf-predict",
        version: 1,
        algorithm: "fit",
        list_length: auto.list_length(),
        level,
        k_max,
        k_max_interval: Interval { low: range.low, high: range.high, level },
        warnings: Vec::new(),
        curves: vec![Curve { form: AUTO, collective: AUTO, points }],
        trained: auto.points().iter().map(|point| (point.workers as f64, point.time_s)).collect(),
    };
    answer::give(document, Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() }, context.screen)
}

impl Point {
    fn of(auto: &Auto, workers: u64, level: f64) -> Self {
        let time_s = auto.time_s(workers);
        let range = auto.range(workers, level);
        let speedup = auto.time_s(1) / time_s;
        Point {
            workers,
            processes: workers + 1,
            time_s,
            time_low_s: range.map(|range| range.low),
            time_high_s: range.map(|range| range.high),
            speedup,
            efficiency: speedup / workers as f64,
            horizon: auto.distance(workers),
            range: range.map(|range| RangeEntry::of(&range, "bsf/fit", &auto.parts(workers), 1.0, None)),
        }
    }
}

impl Answer for Document {
    fn predictions(&self) -> Vec<Prediction> {
        let prediction = |point: &Point| {
            let at = Configuration([("workers".to_owned(), point.workers as f64)].into_iter().collect());
            let prediction = Prediction::new("bsf", "fit-auto", "time_s", at, Some(point.time_s));
            prediction.within(self.level, point.time_low_s, point.time_high_s).beyond(point.horizon)
        };
        self.curves.iter().flat_map(|curve| &curve.points).map(prediction).collect()
    }

    fn text(&self, screen: Screen) -> String {
        let best = match self.k_max {
            Some(best) => format!("fastest with {} workers", human::parameter(best as f64)),
            None => "nothing bounds the speedup".to_owned(),
        };
        let range = format!("{} % range", significant(100.0 * self.level, 4));
        let table = Table::new().number("workers").number("time").number(range.as_str()).number("speedup");
        let mut table = table.number("efficiency");
        for point in self.curves.iter().flat_map(|curve| &curve.points) {
            let ends = point.time_low_s.zip(point.time_high_s);
            table.row([
                human::parameter(point.workers as f64),
                quantity(point.time_s, "s"),
                ends.map_or(String::new(), |(a, b)| format!("{} to {}", quantity(a, "s"), quantity(b, "s"))),
                significant(point.speedup, 3),
                human::percent(Some(100.0 * point.efficiency)),
            ]);
        }
        format!("fitted to {} numbers of workers; {best}\n\n{}", self.trained.len(), table.render(screen))
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }

    fn plot(&self) -> Result<Plot, Failure> {
        let points: Vec<&Point> = self.curves.iter().flat_map(|curve| &curve.points).collect();
        let band =
            points.iter().filter_map(|point| Some((point.workers as f64, point.time_low_s?, point.time_high_s?)));
        let values = band.collect();
        let line = Line::new("fit", points.iter().map(|point| (point.workers as f64, point.time_s)));
        let plot = Plot::new("fit", Axis::new("workers", ""), Axis::new("time", "s"))
            .with(Band { name: "fit".to_owned(), label: String::new(), values, ink: Ink::Auto })
            .with(line);
        Ok(plot.with(Points::new("fitted to", self.trained.iter().copied()).inked(Ink::Measured)))
    }
}
