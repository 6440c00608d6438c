//! The document of kind `bsf-predict`.

use super::curve::{Curve, Wanted};
use super::{PredictArgs, picture, point, words};
use crate::answer::Answer;
use crate::context::Screen;
use crate::failure::Failure;
use indexmap::IndexMap;
use runcast_bsf::cost::file::Described;
use runcast_bsf::cost::{Collective, Costs, Draws, Interval};
use runcast_core::{Prediction, Warning, json};
use runcast_report::plot::Plot;
use serde::Serialize;

/// The document of kind `bsf-predict`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    kind: &'static str,
    version: u32,
    /// Its name.
    pub algorithm: String,
    /// Sizes of a built-in algorithm, or parameters of the counts.
    #[serde(serialize_with = "json::numbers_by_name")]
    pub parameters: IndexMap<String, f64>,
    /// The costs that all of it follows from.
    #[serde(flatten)]
    pub costs: Costs,
    /// Eq. 17 as it comes; none where there is no boundary.
    pub k_max: Option<f64>,
    k_max_clamped: f64,
    /// The boundary of the tree, as it comes.
    pub k_max_tree: Option<f64>,
    /// Quantiles over the draws; none without uncertain inputs.
    pub k_max_interval: Option<Interval>,
    /// Over the corners of the intervals of the inputs; none without uncertain ones.
    pub k_max_bounds: Option<Bounds>,
    /// Whether a second worker can help.
    pub applicable: bool,
    /// Whose best smooth time is less.
    pub best_collective: Collective,
    /// From how many workers on the tree is faster.
    pub crossover_workers: Option<u64>,
    /// Level of the intervals.
    pub level: f64,
    /// Level of the intervals of the inputs.
    input_level: f64,
    #[serde(rename = "draws")]
    drawn: u32,
    seed: u64,
    /// What concerns the result.
    pub warnings: Vec<Warning>,
    pub curves: Vec<Curve>,
    /// None without uncertain inputs.
    #[serde(skip)]
    draws: Option<Draws>,
    /// Whether worker counts were asked for.
    #[serde(skip)]
    pub(super) shows_points: bool,
}

/// A range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Document {
    /// The answer to what was asked.
    pub(super) fn new(described: &Described, draws: Option<Draws>, args: &PredictArgs, curves: Vec<Curve>) -> Self {
        let (model, costs) = (&described.model, *described.model.costs());
        Document {
            kind: "bsf-predict",
            version: 1,
            algorithm: described.algorithm.clone(),
            parameters: described.parameters.iter().cloned().collect(),
            costs,
            k_max: costs.k_max(),
            k_max_clamped: costs.k_max_clamped(),
            k_max_tree: costs.k_max_tree(),
            k_max_interval: draws.as_ref().and_then(|draws| draws.k_max(args.level.level)),
            k_max_bounds: model.k_max_bounds().map(|(low, high)| Bounds { low, high }),
            applicable: costs.applicable(),
            best_collective: costs.best_collective(),
            crossover_workers: costs.crossover_workers(),
            level: args.level.level,
            input_level: model.input_level(),
            drawn: args.draws,
            seed: args.seed.seed,
            warnings: warnings(&costs, &curves),
            curves,
            draws,
            shows_points: args.workers.is_some(),
        }
    }
}

impl Answer for Document {
    fn predictions(&self) -> Vec<Prediction> {
        let of_curve = |curve: &Curve| {
            let model = format!("{}-{}", curve.form, curve.collective);
            point::predictions(&curve.points, &model, self.level).collect::<Vec<_>>()
        };
        self.curves.iter().flat_map(of_curve).collect()
    }

    fn text(&self, screen: Screen) -> String {
        words::text(self, screen)
    }

    fn warnings(&self) -> Vec<Warning> {
        self.warnings.clone()
    }

    fn plot(&self) -> Result<Plot, Failure> {
        let wanted = Wanted { costs: &self.costs, draws: self.draws.as_ref(), level: self.level, workers: None };
        Ok(picture::plot(&words::title(self), &wanted, &self.curves))
    }
}

fn warnings(costs: &Costs, curves: &[Curve]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if costs.k_max().is_none() {
        let message =
            "messages and folds cost nothing, so that each worker up to the length of the list makes it faster";
        warnings.push(Warning::new("no_boundary", message));
    }
    if !costs.applicable() {
        let (work, per_worker) = (seconds(costs.work_s), seconds(costs.per_worker_s()));
        let message = format!(
            "each worker costs {per_worker} an iteration, no less than the {work} of work that they share: one worker \
             is best"
        );
        warnings.push(Warning::new("communication_bound", message));
    }
    let best = curves.iter().map(|curve| curve.best_speedup_serial).fold(0.0, f64::max);
    if best < 1.0 {
        let message = format!(
            "even the best of these is slower than one process without messages, by a factor of {}",
            if best > 0.0 { crate::human::significant(1.0 / best, 3) } else { "any size".to_owned() }
        );
        warnings.push(Warning::new("slower_than_serial", message));
    }
    warnings
}

fn seconds(value: f64) -> String {
    crate::human::quantity(value, "s")
}
