//! `runcast bsf predict` of a fit that `bsf validate --fit -o FILE.toml` has saved.

use super::PredictArgs;
use super::point::{self, Point};
use crate::answer::{self, Answer, Outputs};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human;
use crate::output::Output;
use runcast_bsf::cost::MOST_ELEMENTS;
use runcast_bsf::fit::{Auto, file};
use runcast_core::ranges::RangeEntry;
use runcast_core::{Prediction, Warning, json};
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
    let counts = point::counts(args.workers.as_ref(), k_max.unwrap_or(2 * measured) as f64, most)?;
    let range = auto.k_max_range(level, args.seed.seed);
    let points = counts.into_iter().map(|count| point_of(auto, count, level)).collect();
    let mut document = Document {
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
    let points = document.curves.iter_mut().map(|curve| &mut curve.points);
    document.warnings.extend(point::widened(points, args, context)?);
    answer::give(document, Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() }, context.screen)
}

fn point_of(auto: &Auto, workers: u64, level: f64) -> Point {
    let range = auto.range(workers, level);
    Point {
        time_low_s: range.map(|range| range.low),
        time_high_s: range.map(|range| range.high),
        horizon: Some(auto.distance(workers)),
        range: Some(range.map(|range| RangeEntry::of(&range, "bsf/fit", &auto.parts(workers), 1.0, None))),
        ..Point::new(workers, auto.time_s(workers), auto.time_s(1))
    }
}

impl Answer for Document {
    fn predictions(&self) -> Vec<Prediction> {
        let points = self.curves.iter().map(|curve| &curve.points);
        points.flat_map(|points| point::predictions(points, "fit-auto", self.level)).collect()
    }

    fn text(&self, screen: Screen) -> String {
        let best = match self.k_max {
            Some(best) => format!("fastest with {} workers", human::parameter(best as f64)),
            None => "nothing bounds the speedup".to_owned(),
        };
        let tables: String = self.curves.iter().map(|curve| point::table(&curve.points, self.level, screen)).collect();
        format!("fitted to {} numbers of workers; {best}\n\n{tables}", self.trained.len())
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
