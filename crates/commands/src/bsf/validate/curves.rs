//! The curves that are held against measured times: fits to them, or predictions from costs.

use super::ModelArgs;
use super::choice::{chosen_forms, collectives, fitted_forms, is_auto, requested};
use super::times::Times;
use super::warnings;
use crate::bsf::predict::FormArg;
use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_bsf::cost::file::CostSpec;
use runcast_bsf::cost::{Collective, Costs, Draws, Form};
use runcast_bsf::fit::{Auto, Both, Coefficients, Fit, FitError, Intervals, Loss, Measured, Shape, fit_auto, fit_both};
use runcast_bsf::pieces::{self, Pieces, Route};
use runcast_core::ranges::RangeEntry;
use runcast_core::{Problem, Warning};
use std::path::Path;
use std::sync::Arc;

/// The curves, and what else is reported.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Where the curves come from.
    pub source: &'static str,
    /// Length of the list that they stand for, where it is known.
    pub list_length: Option<u64>,
    /// The curves, flat ones first.
    pub curves: Vec<Curve>,
    /// Level of their intervals.
    pub level: f64,
    /// Draws and seed behind the intervals, where costs are uncertain.
    pub draws: Option<(u32, u64)>,
    /// Numbers of workers that were asked for, without those that were measured.
    pub requested: Vec<u64>,
    /// What was noticed.
    pub warnings: Vec<Warning>,
}

/// A curve over workers.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    /// Form and collective; none of a mixture, which weighs several.
    pub kind: Option<(Form, Collective)>,
    pub model: Model,
}

/// The name of a form or collective that is chosen from the times.
const AUTO: &str = "auto";

/// What a curve is computed from.
#[derive(Debug, Clone)]
pub(super) enum Model {
    /// Several fits, weighed by what they predict.
    Auto(Box<Auto>, u64),
    /// Coefficients of a fit.
    Fit(Box<Fit>),
    /// Costs, and how they could be as well.
    Costs(Costs, Option<Arc<Draws>>),
    /// Costs in pieces, and how messages travel.
    Pieces(Arc<Pieces>, Route),
}

/// A predicted time \[s\]; the upper bound may be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Predicted {
    pub time_s: f64,
    pub range_s: Option<(f64, f64)>,
}

impl Found {
    /// Fits, or reads costs, as the options say.
    pub(super) fn of(times: &Times, args: &ModelArgs, context: &mut Context) -> Result<Self, Failure> {
        let mut found = match &args.params {
            Some(path) => Found::from_costs(times, path, args, context)?,
            None => Found::from_fits(times, args)?,
        };
        found.warnings.splice(0..0, times.warnings.iter().cloned());
        Ok(found)
    }

    fn from_fits(times: &Times, args: &ModelArgs) -> Result<Self, Failure> {
        let requested = requested(times, args, times.list_length)?;
        let runs: Vec<Measured> = times.train.iter().map(|run| run.measured).collect();
        let mut found = Found::empty("fit", times.list_length, requested, args);
        if is_auto(args) {
            let auto = fit_auto(&runs, times.list_length).map_err(|error| refused(&error, times))?;
            found.add_auto(times, auto, args.seed.seed);
            if args.form == [FormArg::Auto] {
                return Ok(found);
            }
        }
        let forms = fitted_forms(&args.form, times.list_length)?;
        for collective in collectives(&args.collectives(), times.collective) {
            for &form in &forms {
                let shape = Shape::new(form, collective, times.list_length).map_err(|error| refused(&error, times))?;
                let both = fit_both(&runs, shape).map_err(|error| refused(&error, times))?;
                found.add_fit(times, &both, args.loss);
            }
        }
        Ok(found)
    }

    fn from_costs(times: &Times, path: &Path, args: &ModelArgs, context: &mut Context) -> Result<Self, Failure> {
        let name = tables::name_of(path);
        let text = context.read_text(path)?;
        if let Some(pieces) = pieces::read(&name, &text)? {
            return Found::from_pieces(times, pieces, &name, args);
        }
        let model = CostSpec::from_toml(&name, &text)?.resolve()?.model;
        let costs = *model.costs();
        same_list(times, costs.list_length, &name)?;
        let requested = requested(times, args, Some(costs.list_length))?;
        times.check_workers(costs.list_length)?;
        let mut found = Found::empty("params", Some(costs.list_length), requested, args);
        let draws = model.draws(args.draws as usize, args.seed.seed).map(Arc::new);
        found.draws = draws.as_ref().map(|_| (args.draws, args.seed.seed));
        for collective in collectives(&args.collectives(), times.collective) {
            for form in chosen_forms(&args.form) {
                let model = Model::Costs(costs, draws.clone());
                found.curves.push(Curve { kind: Some((form, collective)), model });
            }
        }
        found.warnings.extend(warnings::of_costs(&costs));
        Ok(found)
    }

    fn from_pieces(times: &Times, pieces: Pieces, name: &str, args: &ModelArgs) -> Result<Self, Failure> {
        same_list(times, pieces.list_length, name)?;
        let requested = requested(times, args, Some(pieces.list_length))?;
        times.check_workers(pieces.list_length)?;
        let mut found = Found::empty("params", Some(pieces.list_length), requested, args);
        let pieces = Arc::new(pieces);
        let curves = collectives(&args.collectives(), times.collective).into_iter().map(|collective| {
            let route = match collective {
                Collective::Flat => Route::Flat,
                Collective::Tree => Route::Tree,
            };
            Curve { kind: None, model: Model::Pieces(Arc::clone(&pieces), route) }
        });
        found.curves.extend(curves);
        Ok(found)
    }

    fn empty(source: &'static str, list_length: Option<u64>, requested: Vec<u64>, args: &ModelArgs) -> Self {
        let level = args.level.level;
        Found { source, list_length, curves: Vec::new(), level, draws: None, requested, warnings: Vec::new() }
    }

    fn add_auto(&mut self, times: &Times, auto: Auto, seed: u64) {
        self.draws = Some((runcast_bsf::fit::BOUNDARY_DRAWS, seed));
        let curve = Curve { kind: None, model: Model::Auto(Box::new(auto), seed) };
        self.warnings.extend(warnings::boundary(&curve, self.level));
        self.warnings.extend(warnings::few_points(times));
        self.curves.push(curve);
    }

    fn add_fit(&mut self, times: &Times, both: &Both, loss: Loss) {
        let fit = both.by(loss).clone();
        let shape = fit.shape();
        let kind = Some((shape.form(), shape.collective()));
        let curve = Curve { kind, model: Model::Fit(Box::new(fit)) };
        self.warnings.extend(warnings::outlier(times, both, &self.requested, &curve));
        self.warnings.extend(warnings::boundary(&curve, self.level));
        self.warnings.extend(warnings::undetermined(&curve));
        if self.curves.is_empty() {
            self.warnings.extend(warnings::few_points(times));
        }
        self.curves.push(curve);
    }
}

impl Curve {
    /// `granular, flat`
    pub(super) fn name(&self) -> String {
        match self.model {
            Model::Auto(..) => AUTO.to_owned(),
            _ => format!("{}, {}", self.form_name(), self.collective_name()),
        }
    }

    pub(super) fn form_name(&self) -> &'static str {
        match &self.model {
            Model::Pieces(..) => "pieces",
            _ => self.kind.map_or(AUTO, |(form, _)| form.name()),
        }
    }

    pub(super) fn collective_name(&self) -> &'static str {
        match &self.model {
            Model::Pieces(_, route) => route.name(),
            _ => self.kind.map_or(AUTO, |(_, collective)| collective.name()),
        }
    }

    fn collective(&self) -> Collective {
        self.kind.map_or(Collective::Flat, |(_, collective)| collective)
    }

    /// The mixture, if it is one.
    pub(super) fn auto(&self) -> Option<&Auto> {
        match &self.model {
            Model::Auto(auto, _) => Some(auto),
            _ => None,
        }
    }

    /// The most workers that were fitted.
    pub(super) fn most_fitted(&self) -> Option<u64> {
        let points = match &self.model {
            Model::Auto(auto, _) => auto.points(),
            Model::Fit(fit) => fit.points(),
            Model::Costs(..) | Model::Pieces(..) => return None,
        };
        points.last().map(|point| point.workers)
    }

    /// What it says with intervals of this level.
    pub(super) fn at_level(&self, level: f64) -> Leveled<'_> {
        let intervals = match &self.model {
            Model::Fit(fit) => Some(fit.at_level(level)),
            Model::Costs(..) | Model::Pieces(..) | Model::Auto(..) => None,
        };
        Leveled { curve: self, level, intervals }
    }

    /// The scalability boundary.
    pub(super) fn k_max(&self) -> Option<f64> {
        match &self.model {
            Model::Auto(auto, _) => auto.k_max().map(|workers| workers as f64),
            Model::Fit(fit) => fit.k_max(),
            Model::Costs(costs, _) => boundary_of(self.collective())(costs),
            Model::Pieces(pieces, route) => Some(pieces.best(*route) as f64),
        }
    }

    /// Its interval: none, or two ends, each of which may be open.
    pub(super) fn k_max_range(&self, level: f64) -> Option<(Option<f64>, Option<f64>)> {
        match &self.model {
            Model::Auto(auto, seed) => {
                let range = auto.k_max_range(level, *seed);
                Some((range.low, range.high))
            }
            Model::Fit(fit) => Some(fit.at_level(level).k_max()),
            Model::Costs(_, draws) => {
                let range = draws.as_ref()?.interval(level, boundary_of(self.collective()))?;
                Some((Some(range.low), Some(range.high)))
            }
            Model::Pieces(..) => None,
        }
    }

    /// Loss and coefficients of a fit.
    pub(super) fn fitted(&self) -> Option<(Loss, Coefficients)> {
        match &self.model {
            Model::Fit(fit) => Some((fit.loss(), fit.coefficients())),
            Model::Costs(..) | Model::Pieces(..) | Model::Auto(..) => None,
        }
    }

    /// How many times beyond the fitted numbers of workers: 1 within; none of costs, which know no range.
    pub(super) fn distance(&self, workers: u64) -> Option<f64> {
        let fit = match &self.model {
            Model::Auto(auto, _) => return Some(auto.distance(workers)),
            Model::Fit(fit) => fit,
            Model::Costs(..) | Model::Pieces(..) => return None,
        };
        let (least, most) = (fit.points().first()?.workers, fit.points().last()?.workers);
        let workers = workers as f64;
        Some((workers / most as f64).max(least as f64 / workers).max(1.0))
    }
}

/// A curve with the level of its intervals, on which something is computed but once.
pub(super) struct Leveled<'a> {
    pub curve: &'a Curve,
    level: f64,
    intervals: Option<Intervals<'a>>,
}

impl Leveled<'_> {
    /// What the range of a mixture comes from.
    pub(super) fn range_entry(&self, workers: u64) -> Option<RangeEntry> {
        if let Model::Pieces(pieces, route) = &self.curve.model {
            let range = pieces.range(*route, workers, self.level)?;
            return Some(RangeEntry::of(&range, "bsf/pieces", &Pieces::parts(workers), 1.0, None));
        }
        let auto = self.curve.auto()?;
        let range = auto.range(workers, self.level)?;
        Some(RangeEntry::of(&range, "bsf/fit", &auto.parts(workers), 1.0, None))
    }

    /// The time with so many workers.
    pub(super) fn time(&self, workers: u64) -> Predicted {
        match &self.curve.model {
            Model::Auto(auto, _) => {
                let range = auto.range(workers, self.level);
                Predicted { time_s: auto.time_s(workers), range_s: range.map(|range| (range.low, range.high)) }
            }
            Model::Fit(fit) => {
                let range = self.intervals.map(|intervals| intervals.time(workers));
                Predicted { time_s: fit.time_s(workers), range_s: range.map(|range| (range.low_s, range.high_s)) }
            }
            Model::Costs(costs, draws) => {
                let (form, collective) = self.curve.kind.unwrap_or((Form::Smooth, Collective::Flat));
                let range = draws.as_ref().and_then(|draws| draws.time_s(form, collective, workers, self.level));
                let time_s = costs.time_s(form, collective, workers);
                Predicted { time_s, range_s: range.map(|range| (range.low, range.high)) }
            }
            Model::Pieces(pieces, route) => {
                let range = pieces.range(*route, workers, self.level).map(|range| (range.low, range.high));
                // Flat and tree follow from the messages; no other route is asked for.
                Predicted { time_s: pieces.time_s(*route, workers).unwrap_or(f64::INFINITY), range_s: range }
            }
        }
    }
}

fn boundary_of(collective: Collective) -> fn(&Costs) -> Option<f64> {
    match collective {
        Collective::Flat => Costs::k_max,
        Collective::Tree => Costs::k_max_tree,
    }
}

/// Why there is no fit, as far as the table was not looked through already.
fn refused(error: &FitError, times: &Times) -> Problem {
    let code = if matches!(error, FitError::TooFewWorkerCounts { .. }) { "too_few_points" } else { "fit" };
    let problem = Problem::new(code, error.to_string()).at("workers").allowed(error.allowed());
    let problem = match &times.file {
        Some(file) => problem.in_file(file.as_str()),
        None => problem,
    };
    match times.test.is_empty() {
        true => problem,
        false => problem.hint("let --train take more rows"),
    }
}

fn same_list(times: &Times, list_length: u64, file: &str) -> Result<(), Problem> {
    match times.list_length.filter(|measured| *measured != list_length) {
        Some(measured) => {
            let message = format!("the costs are of a list of {list_length} elements, the times of one of {measured}");
            let problem = Problem::new("another_list", message).in_file(file).at("list_length");
            Err(problem.value(list_length.to_string()).allowed(measured.to_string()))
        }
        None => Ok(()),
    }
}
