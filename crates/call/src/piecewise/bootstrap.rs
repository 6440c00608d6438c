//! Uncertainty of constants and breaks.
//!
//! Each resample has its own random numbers, so that the result does not depend on the number of threads.

use super::data::Data;
use super::error::NoFit;
use super::family::Search;
use super::regimes::{Design, Redrawn, Regimes};
use super::resample::Residuals;
use super::runs::Strata;
use super::settings::Method;
use super::shape::{self, Shape};
use rayon::prelude::*;
use runcast_core::random::SplitMix;
use runcast_core::statistics;
use std::sync::atomic::Ordering;

/// Resamples for constants and predictions, with the breaks held fixed.
const FOR_CONSTANTS: u64 = 400;

/// Resamples for breaks, each with a new search.
const FOR_BREAKS: u64 = 100;

/// Results of the resamples.
#[derive(Debug, Clone)]
pub(super) struct Bootstrap {
    /// Coefficients of each resample, in the order of the model's.
    pub(super) coefficients: Vec<Vec<f64>>,
    /// Regimes of each resample, if the model has regimes.
    pub(super) regimes: Vec<Redrawn>,
    /// Lower and upper bound of each cut or step.
    pub(super) breaks: Vec<Option<(f64, f64)>>,
    /// Share of the resamples with as many cuts or steps; none if no breaks were searched for.
    pub(super) stability: Option<f64>,
}

/// The data from which resamples are drawn.
pub(super) struct Origin<'a> {
    pub(super) data: &'a Data,
    pub(super) search: &'a Search<'a>,
    pub(super) strata: &'a Strata,
    pub(super) fitted: &'a [f64],
    pub(super) piece: &'a [usize],
    pub(super) residuals: &'a Residuals,
}

/// Draws and fits again; `for_breaks`: also searches for breaks again, which takes longest.
pub(super) fn run(
    origin: &Origin<'_>,
    shape: &Shape,
    regimes: Option<&Regimes>,
    for_breaks: bool,
) -> Result<Bootstrap, NoFit> {
    let search = origin.search;
    let design = regimes.map(|_| Design::of_bends(origin.data));
    let drawn = (0..FOR_CONSTANTS)
        .into_par_iter()
        .map(|stream| {
            if search.stop.load(Ordering::Relaxed) {
                return Err(NoFit::Interrupted);
            }
            let y = origin.draw(stream);
            let redrawn = regimes.zip(design.as_ref()).map(|(regimes, design)| regimes.redraw(design, &y));
            Ok((shape::estimate(origin.data, &y, shape, search.rules), redrawn))
        })
        .collect::<Result<Vec<_>, NoFit>>()?;
    let (coefficients, redrawn): (Vec<Vec<f64>>, Vec<Option<Redrawn>>) = drawn.into_iter().unzip();
    let regimes: Vec<Redrawn> = redrawn.into_iter().flatten().collect();
    if shape.method == Method::Single || !for_breaks {
        let breaks = vec![None; count(shape)];
        return Ok(Bootstrap { coefficients, regimes, breaks, stability: None });
    }
    let shapes = (FOR_CONSTANTS..FOR_CONSTANTS + FOR_BREAKS)
        .into_par_iter()
        .map(|stream| search.pieces(origin.data, &origin.draw(stream), shape.method))
        .collect::<Result<Vec<_>, NoFit>>()?;
    let alike = shapes.iter().filter(|other| count(other) == count(shape)).count();
    Ok(Bootstrap {
        coefficients,
        regimes,
        breaks: bounds_of_breaks(shape, &shapes, search.settings.level),
        stability: Some(alike as f64 / shapes.len() as f64),
    })
}

impl Origin<'_> {
    fn draw(&self, stream: u64) -> Vec<f64> {
        let settings = self.search.settings;
        let mut random = SplitMix::new(settings.seed, stream);
        let around = (self.fitted, self.piece, self.residuals);
        self.strata.draw(self.data, around, settings.aggregate, &mut random)
    }
}

fn count(shape: &Shape) -> usize {
    shape.cuts.len() + shape.steps.len()
}

/// Where a break lies in the resamples that have as many: of all constants, or of its own constant and variable.
fn bounds_of_breaks(shape: &Shape, shapes: &[Shape], level: f64) -> Vec<Option<(f64, f64)>> {
    let mut bounds = Vec::new();
    for (index, cut) in shape.cuts.iter().enumerate() {
        let alike = shapes.iter().filter(|other| other.cuts.len() == shape.cuts.len());
        let places: Vec<f64> = alike.map(|other| other.cuts[index].at).collect();
        bounds.push(interval(&places, cut.at, level));
    }
    for (index, step) in shape.steps.iter().enumerate() {
        let is_own = |other: &&shape::Step| other.constant == step.constant && other.variable == step.variable;
        let own = shape.steps.iter().filter(is_own).count();
        let before = shape.steps[..index].iter().filter(is_own).count();
        let places: Vec<f64> = shapes
            .iter()
            .filter(|other| other.steps.iter().filter(is_own).count() == own)
            .filter_map(|other| other.steps.iter().filter(is_own).nth(before))
            .map(|other| other.cut.at)
            .collect();
        bounds.push(interval(&places, step.cut.at, level));
    }
    bounds
}

/// The central share of the draws, widened to contain the value; none for fewer than 10 draws.
pub(super) fn interval(draws: &[f64], value: f64, level: f64) -> Option<(f64, f64)> {
    if draws.len() < 10 || draws.iter().any(|draw| !draw.is_finite()) {
        return None;
    }
    let mut sorted = draws.to_vec();
    sorted.sort_by(f64::total_cmp);
    let tail = 0.5 - 0.5 * level;
    let low = statistics::quantile_of_sorted(&sorted, tail).min(value);
    let high = statistics::quantile_of_sorted(&sorted, 1.0 - tail).max(value);
    Some((low, high))
}
