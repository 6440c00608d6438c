//! Uncertainty of constants and breaks.
//!
//! Each resample has its own random numbers, so that the result does not depend on the number of threads.

use super::data::Data;
use super::error::NoFit;
use super::resample::{self, Residuals};
use super::settings::{Method, Settings};
use super::shape::{self, Rules, Shape};
use super::{segments, steps};
use rayon::prelude::*;
use runcast_core::random::SplitMix;
use runcast_core::statistics;
use std::sync::atomic::{AtomicBool, Ordering};

/// Resamples for constants and predictions, with the breaks held fixed.
const FOR_CONSTANTS: u64 = 400;

/// Resamples for breaks, each with a new search.
const FOR_BREAKS: u64 = 100;

/// Results of the resamples.
#[derive(Debug, Clone)]
pub(super) struct Bootstrap {
    /// Coefficients of each resample, in the order of the model's.
    pub(super) coefficients: Vec<Vec<f64>>,
    /// Lower and upper bound of each cut or step.
    pub(super) breaks: Vec<Option<(f64, f64)>>,
    /// Share of the resamples with as many cuts or steps; none if no breaks were searched for.
    pub(super) stability: Option<f64>,
}

/// The data from which resamples are drawn.
pub(super) struct Origin<'a> {
    pub(super) data: &'a Data,
    pub(super) settings: &'a Settings,
    pub(super) rules: &'a Rules,
    pub(super) fitted: &'a [f64],
    pub(super) piece: &'a [usize],
    pub(super) residuals: &'a Residuals,
}

/// Draws and fits again.
pub(super) fn run(origin: &Origin<'_>, shape: &Shape, stop: &AtomicBool) -> Result<Bootstrap, NoFit> {
    let coefficients = (0..FOR_CONSTANTS)
        .into_par_iter()
        .map(|stream| {
            if stop.load(Ordering::Relaxed) {
                return Err(NoFit::Interrupted);
            }
            Ok(shape::estimate(origin.data, &origin.draw(stream), shape, origin.rules))
        })
        .collect::<Result<Vec<_>, NoFit>>()?;
    if shape.method == Method::Single {
        return Ok(Bootstrap { coefficients, breaks: Vec::new(), stability: None });
    }
    let shapes = (FOR_CONSTANTS..FOR_CONSTANTS + FOR_BREAKS)
        .into_par_iter()
        .map(|stream| search(origin.data, &origin.draw(stream), shape.method, origin.rules, stop))
        .collect::<Result<Vec<_>, NoFit>>()?;
    let alike = shapes.iter().filter(|other| count(other) == count(shape)).count();
    Ok(Bootstrap {
        coefficients,
        breaks: bounds_of_breaks(shape, &shapes, origin.settings.level),
        stability: Some(alike as f64 / shapes.len() as f64),
    })
}

pub(super) fn search(data: &Data, y: &[f64], method: Method, rules: &Rules, stop: &AtomicBool) -> Result<Shape, NoFit> {
    match method {
        Method::Steps => steps::search(data, y, rules, stop),
        Method::Segments => segments::search(data, y, rules, stop),
        Method::Single => Ok(segments::single(data, y, rules)),
    }
}

impl Origin<'_> {
    fn draw(&self, stream: u64) -> Vec<f64> {
        let mut random = SplitMix::new(self.settings.seed, stream);
        resample::draw(self.data, self.fitted, self.piece, self.residuals, self.settings.aggregate, &mut random)
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
