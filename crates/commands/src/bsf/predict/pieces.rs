//! `runcast bsf predict` of costs in pieces.

use super::PredictArgs;
use super::point::{self, Point};
use crate::answer::{self, Answer, Outputs};
use crate::context::{Context, Screen};
use crate::failure::Failure;
use crate::human::{self, Table, quantity, significant};
use crate::output::Output;
use runcast_bsf::cost::Collective;
use runcast_bsf::pieces::{self, Pieces, Route};
use runcast_core::ranges::RangeEntry;
use runcast_core::{Prediction, Problem, Warning};
use runcast_report::plot::{Axis, Line, Plot, Points};
use serde::Serialize;

/// The document of kind `bsf-predict` of costs in pieces.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Document {
    kind: &'static str,
    version: u32,
    algorithm: &'static str,
    list_length: u64,
    level: f64,
    /// The number of workers with the least time when messages are flat.
    k_max: u64,
    k_max_tree: u64,
    best_collective: Route,
    warnings: Vec<Warning>,
    curves: Vec<Curve>,
}

/// A way of messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Curve {
    form: &'static str,
    collective: Route,
    serial_time_s: f64,
    best_workers: u64,
    best_time_s: f64,
    best_speedup: f64,
    best_speedup_serial: f64,
    points: Vec<Point>,
}

/// The costs of the file, if they are in pieces.
///
/// # Errors
/// What is wrong with the file; options that it does not use.
pub(super) fn read(args: &PredictArgs, context: &mut Context) -> Result<Option<Pieces>, Failure> {
    super::complete(args, context, "costs in pieces do", pieces::read)
}

/// Predicts.
///
/// # Errors
/// Numbers of workers that the list cannot occupy.
pub(super) fn run(pieces: &Pieces, args: &PredictArgs, context: &mut Context) -> Result<Output, Failure> {
    let wanted = |route: &Route| {
        let named = match route {
            Route::Flat => Some(Collective::Flat),
            Route::Tree => Some(Collective::Tree),
            Route::Allreduce => None,
        };
        args.collective.is_empty() || named.is_some_and(|named| args.collective.contains(&named))
    };
    let routes = pieces.routes().into_iter().filter(wanted);
    let curves = routes.map(|route| Curve::of(pieces, route, args)).collect::<Result<Vec<_>, _>>()?;
    let mut document = Document::new(pieces, args, curves);
    let points = document.curves.iter_mut().map(|curve| &mut curve.points);
    document.warnings.extend(point::widened(points, args, context)?);
    answer::give(document, Outputs { table: args.out.path(), plot: args.plot.plot.as_deref() }, context.screen)
}

impl Document {
    fn new(pieces: &Pieces, args: &PredictArgs, curves: Vec<Curve>) -> Self {
        let least = curves.iter().min_by(|a, b| a.best_time_s.total_cmp(&b.best_time_s));
        let mut warnings = Vec::new();
        if let Some(best) = least.filter(|best| best.best_speedup_serial < 1.0) {
            let message = format!(
                "even the best of these is slower than one process without messages, by a factor of {}",
                significant(1.0 / best.best_speedup_serial, 3)
            );
            warnings.push(Warning::new("slower_than_serial", message));
        }
        Document {
            kind: "bsf-predict",
            version: 1,
            algorithm: "pieces",
            list_length: pieces.list_length,
            level: args.level.level,
            k_max: pieces.best(Route::Flat),
            k_max_tree: pieces.best(Route::Tree),
            best_collective: least.map_or(Route::Flat, |best| best.collective),
            warnings,
            curves,
        }
    }
}

impl Curve {
    fn of(pieces: &Pieces, route: Route, args: &PredictArgs) -> Result<Self, Problem> {
        let best_workers = pieces.best(route);
        let counts = point::counts(args.workers.as_ref(), best_workers as f64, pieces.list_length)?;
        let best = point_of(pieces, route, best_workers, args.level.level);
        Ok(Curve {
            form: "pieces",
            collective: route,
            serial_time_s: pieces.serial_time_s(),
            best_workers,
            best_time_s: best.time_s,
            best_speedup: best.speedup,
            best_speedup_serial: pieces.serial_time_s() / best.time_s,
            points: counts.into_iter().map(|count| point_of(pieces, route, count, args.level.level)).collect(),
        })
    }
}

fn point_of(pieces: &Pieces, route: Route, workers: u64, level: f64) -> Point {
    // Only routes that have times are asked for.
    let time_s = |workers| pieces.time_s(route, workers).unwrap_or(f64::INFINITY);
    let range = pieces.range(route, workers, level);
    let own_s = time_s(workers);
    Point {
        time_low_s: range.map(|range| range.low),
        time_high_s: range.map(|range| range.high),
        speedup_serial: Some(pieces.serial_time_s() / own_s),
        range: Some(range.map(|range| RangeEntry::of(&range, "bsf/pieces", &Pieces::parts(workers), 1.0, None))),
        ..Point::new(workers, own_s, time_s(1))
    }
}

impl Answer for Document {
    fn predictions(&self) -> Vec<Prediction> {
        let of_curve = |curve: &Curve| {
            point::predictions(&curve.points, &format!("pieces-{}", curve.collective), self.level).collect::<Vec<_>>()
        };
        self.curves.iter().flat_map(of_curve).collect()
    }

    fn text(&self, screen: Screen) -> String {
        let mut text = format!("pieces: a list of {} elements\n\n", self.list_length);
        let table = Table::new().text("collective").number("best workers").number("time").number("speedup");
        let mut best = table.number("over serial");
        for curve in &self.curves {
            best.row([
                curve.collective.name().to_owned(),
                human::parameter(curve.best_workers as f64),
                quantity(curve.best_time_s, "s"),
                significant(curve.best_speedup, 3),
                significant(curve.best_speedup_serial, 3),
            ]);
        }
        text.push_str(&best.render(screen));
        for curve in &self.curves {
            text.push_str(&format!("\n{}\n{}", curve.collective, point::table(&curve.points, self.level, screen)));
        }
        text
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }

    fn plot(&self) -> Result<Plot, Failure> {
        let axis = Axis::new("speedup against one worker", "");
        let mut plot = Plot::new("pieces", Axis::new("workers", ""), axis);
        for curve in &self.curves {
            let name = curve.collective.name();
            plot = plot.with(Line::new(name, curve.points.iter().map(|point| (point.workers as f64, point.speedup))));
            plot = plot.with(Points::new(name, [(curve.best_workers as f64, curve.best_speedup)]));
        }
        Ok(plot)
    }
}
