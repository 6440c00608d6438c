//! A curve of the cost model at some worker counts.

use super::point::Point;
use super::workers;
use rayon::prelude::*;
use runcast_bsf::cost::{Collective, Costs, Draws, Form};
use runcast_core::Problem;
use runcast_formula::numbers::NumberList;
use serde::Serialize;

/// What is wanted of every curve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub costs: &'a Costs,
    /// None without uncertain inputs.
    pub draws: Option<&'a Draws>,
    pub level: f64,
    /// None: the default of each curve.
    pub workers: Option<&'a NumberList>,
}

/// A curve in the document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// How the work of a block counts.
    pub form: Form,
    /// How messages travel.
    pub collective: Collective,
    /// One process without messages.
    pub serial_time_s: f64,
    /// The worker count with the least time.
    pub best_workers: u64,
    pub best_time_s: f64,
    /// Its speedup against one worker.
    pub best_speedup: f64,
    /// Its speedup against one process without messages.
    pub best_speedup_serial: f64,
    /// The curve at the counts that were asked for.
    pub points: Vec<Point>,
}

impl Curve {
    /// What tells it from the others: `smooth, flat`.
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.form, self.collective)
    }
}

impl Wanted<'_> {
    /// The curve of a form and a collective.
    pub(super) fn curve(&self, form: Form, collective: Collective) -> Result<Curve, Problem> {
        let best = self.costs.best(form, collective);
        let counts = match self.workers {
            Some(list) => workers::counts(list, self.costs.list_length)?,
            None => workers::default(self.costs, collective),
        };
        Ok(Curve {
            form,
            collective,
            serial_time_s: self.costs.serial_time_s(form),
            best_workers: best.workers,
            best_time_s: best.time_s,
            best_speedup: best.speedup,
            best_speedup_serial: best.speedup_serial,
            points: counts.into_par_iter().map(|workers| self.point(form, collective, workers)).collect(),
        })
    }

    fn point(&self, form: Form, collective: Collective, workers: u64) -> Point {
        let interval = self.draws.and_then(|draws| draws.time_s(form, collective, workers, self.level));
        Point {
            workers,
            processes: workers + 1,
            time_s: self.costs.time_s(form, collective, workers),
            time_low_s: interval.map(|interval| interval.low),
            time_high_s: interval.map(|interval| interval.high),
            speedup: self.costs.speedup(form, collective, workers),
            speedup_serial: Some(self.costs.speedup_serial(form, collective, workers)),
            efficiency: self.costs.efficiency(form, collective, workers),
            ..Point::default()
        }
    }
}
