//! The curves that are held against measured times: fits to them, or predictions from costs.

use super::ModelArgs;
use super::choice::{chosen_forms, collectives, fitted_forms, requested};
use super::times::Times;
use super::warnings;
use crate::context::Context;
use crate::failure::Failure;
use crate::tables;
use runcast_bsf::cost::file::CostSpec;
use runcast_bsf::cost::{Collective, Costs, Draws, Form};
use runcast_bsf::fit::{Both, Coefficients, Fit, FitError, Intervals, Loss, Measured, Shape, fit_both};
use runcast_core::{Problem, Warning};
use std::path::Path;
use std::sync::Arc;

/// The curves, and what else is to be told.
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
    pub form: Form,
    pub collective: Collective,
    pub model: Model,
}

/// What a curve is computed from.
#[derive(Debug, Clone)]
pub(super) enum Model {
    /// Coefficients of a fit.
    Fit(Box<Fit>),
    /// Costs, and how they could be as well.
    Costs(Costs, Option<Arc<Draws>>),
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
        let forms = fitted_forms(&args.form, times.list_length)?;
        for collective in collectives(&args.collective, times.collective) {
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
        let model = CostSpec::from_toml(&name, &text)?.resolve()?.model;
        let costs = *model.costs();
        same_list(times, costs.list_length, &name)?;
        let requested = requested(times, args, Some(costs.list_length))?;
        times.check_workers(costs.list_length)?;
        let mut found = Found::empty("params", Some(costs.list_length), requested, args);
        let draws = model.draws(args.draws as usize, args.seed.seed).map(Arc::new);
        found.draws = draws.as_ref().map(|_| (args.draws, args.seed.seed));
        for collective in collectives(&args.collective, times.collective) {
            for form in chosen_forms(&args.form) {
                found.curves.push(Curve { form, collective, model: Model::Costs(costs, draws.clone()) });
            }
        }
        found.warnings.extend(warnings::of_costs(&costs));
        Ok(found)
    }

    fn empty(source: &'static str, list_length: Option<u64>, requested: Vec<u64>, args: &ModelArgs) -> Self {
        let level = args.level.level;
        Found { source, list_length, curves: Vec::new(), level, draws: None, requested, warnings: Vec::new() }
    }

    fn add_fit(&mut self, times: &Times, both: &Both, loss: Loss) {
        let fit = both.by(loss).clone();
        let shape = fit.shape();
        let curve = Curve { form: shape.form(), collective: shape.collective(), model: Model::Fit(Box::new(fit)) };
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
        format!("{}, {}", self.form, self.collective)
    }

    /// What it says with intervals of this level.
    pub(super) fn at_level(&self, level: f64) -> Leveled<'_> {
        let intervals = match &self.model {
            Model::Fit(fit) => Some(fit.at_level(level)),
            Model::Costs(..) => None,
        };
        Leveled { curve: self, level, intervals }
    }

    /// The scalability boundary.
    pub(super) fn k_max(&self) -> Option<f64> {
        match &self.model {
            Model::Fit(fit) => fit.k_max(),
            Model::Costs(costs, _) => boundary_of(self.collective)(costs),
        }
    }

    /// Its interval: none, or two ends, each of which may be open.
    pub(super) fn k_max_range(&self, level: f64) -> Option<(Option<f64>, Option<f64>)> {
        match &self.model {
            Model::Fit(fit) => Some(fit.at_level(level).k_max()),
            Model::Costs(_, draws) => {
                let range = draws.as_ref()?.interval(level, boundary_of(self.collective))?;
                Some((Some(range.low), Some(range.high)))
            }
        }
    }

    /// Loss and coefficients of a fit.
    pub(super) fn fitted(&self) -> Option<(Loss, Coefficients)> {
        match &self.model {
            Model::Fit(fit) => Some((fit.loss(), fit.coefficients())),
            Model::Costs(..) => None,
        }
    }

    /// How many times beyond the fitted numbers of workers: 1 within; none of costs, which know no range.
    pub(super) fn distance(&self, workers: u64) -> Option<f64> {
        let Model::Fit(fit) = &self.model else { return None };
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
    /// The time with so many workers.
    pub(super) fn time(&self, workers: u64) -> Predicted {
        let Curve { form, collective, model } = self.curve;
        match model {
            Model::Fit(fit) => {
                let range = self.intervals.map(|intervals| intervals.time(workers));
                Predicted { time_s: fit.time_s(workers), range_s: range.map(|range| (range.low_s, range.high_s)) }
            }
            Model::Costs(costs, draws) => {
                let range = draws.as_ref().and_then(|draws| draws.time_s(*form, *collective, workers, self.level));
                let time_s = costs.time_s(*form, *collective, workers);
                Predicted { time_s, range_s: range.map(|range| (range.low, range.high)) }
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
