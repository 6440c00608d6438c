//! How far another run may lie from a prediction: between runs, off the form, and beyond what was measured.
//!
//! ```text
//! e_i   = ln(y_i / prediction of i without its fold)          10 folds; only within the range of the others
//! q     = max(1/4, sqrt(max(0, 1 - v / mean e^2)))            v: the part of e^2 that the runs themselves make
//! k^2   = (2 0.3^2 + sum k_f^2) / (2 + F)                     k_f^2 = mean (ln(y/prediction) / ln h)^2 beyond a cut
//! draw  = f(x; c*) exp(+-q |e_J|) exp(d*) exp(k ln(horizon) normal)
//! ```

use super::data::Data;
use super::error::NoFit;
use super::family::{self, Family, Search};
use super::regimes::FEWEST;
use super::resample::normal;
use super::runs::RunSpread;
use rayon::prelude::*;
use runcast_core::random::SplitMix;
use runcast_core::statistics;

/// Configurations are held out in so many folds at most.
const FOLDS: usize = 10;

/// Fewer configurations than this are not held out.
const FEWEST_TO_HOLD: usize = 4;

/// The errors of so many neighbors make the misfit at a place.
const NEIGHBORS: usize = 16;

/// At least this share of the errors is misfit.
const LEAST_MISFIT: f64 = 0.25;

/// The usual error for each factor of e beyond the range, known as well as from this many further cuts.
const USUAL_DISTANCE: f64 = 0.3;
const USUAL_CUTS: f64 = 2.0;

/// The shares of the range that forms are fitted to, and predictions this far beyond count.
const CUTS: [f64; 4] = [2.0, 4.0, 8.0, 16.0];
const FAR_ENOUGH: f64 = 1.4;

/// With this many degrees of freedom the deviations of runs are drawn as they are.
const ENOUGH_DEVIATIONS: f64 = 10.0;

/// What makes a range around the value of the form.
#[derive(Debug, Clone)]
pub(super) struct Spread {
    pub(super) runs: RunSpread,
    /// `e_i`, with the logarithm of the variable; 0 where there is not one.
    errors: Vec<(f64, f64)>,
    has_variable: bool,
    /// The error for each factor of e beyond the range: along the variable if there is one, else along each name.
    distance: Vec<f64>,
}

/// The spread around a place.
pub(super) struct Around<'s> {
    runs: &'s RunSpread,
    /// `q |e_J|` of the neighbors.
    misfits: Vec<f64>,
    /// `k ln(horizon)`
    distance: f64,
}

impl Spread {
    /// Refits the family without parts of the data. `in_sample`: the residuals, widened, where too few are held out.
    pub(super) fn new(
        data: &Data,
        search: &Search<'_>,
        family: Family,
        in_sample: impl Fn() -> Vec<f64>,
    ) -> Result<Spread, NoFit> {
        let has_variable = data.z.len() == 1 && data.z[0].iter().all(|z| *z > 0.0);
        let place = |row: usize| if has_variable { data.z[0][row].ln() } else { 0.0 };
        let held = if data.len() < FEWEST_TO_HOLD { Vec::new() } else { held_out(data, search, family)? };
        let mut errors: Vec<(f64, f64)> = match held.as_slice() {
            [] => in_sample().into_iter().enumerate().map(|(row, e)| (place(row), e)).collect(),
            held => held.iter().map(|&(row, e)| (place(row), e)).collect(),
        };
        errors.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let axes: Vec<Vec<f64>> = match has_variable {
            true => vec![data.z[0].clone()],
            false => (0..data.terms.names.len()).map(|name| data.at.iter().map(|at| at[name]).collect()).collect(),
        };
        let distance = axes.iter().map(|axis| distance(data, search, family, axis)).collect::<Result<_, NoFit>>()?;
        let runs = RunSpread::new(data, search.settings.aggregate);
        Ok(Spread { runs, errors, has_variable, distance })
    }

    /// Share of the errors that is misfit, and their root mean square.
    fn misfit(&self, errors: &[(f64, f64)]) -> (f64, f64) {
        if errors.is_empty() {
            return (LEAST_MISFIT, 0.0);
        }
        let mean = errors.iter().map(|(_, e)| e * e).sum::<f64>() / errors.len() as f64;
        let left = if mean > 0.0 { (1.0 - self.runs.variance / mean).max(0.0) } else { 0.0 };
        (left.sqrt().max(LEAST_MISFIT), mean.sqrt())
    }

    /// `100 q rms e`
    pub(super) fn misfit_pct(&self) -> f64 {
        let (share, size) = self.misfit(&self.errors);
        100.0 * share * size
    }

    /// `k`: the largest, where there are several names.
    pub(super) fn distance_per_e(&self) -> f64 {
        self.distance.iter().copied().reduce(f64::max).unwrap_or(USUAL_DISTANCE)
    }

    /// The errors of the nearest neighbors of a place.
    fn near(&self, here: f64) -> &[(f64, f64)] {
        let mut from = self.errors.partition_point(|(place, _)| *place < here);
        let mut to = from;
        while to - from < NEIGHBORS.min(self.errors.len()) {
            let below = from.checked_sub(1).map(|index| here - self.errors[index].0);
            let above = self.errors.get(to).map(|(place, _)| place - here);
            match (below, above) {
                (Some(below), Some(above)) if below <= above => from -= 1,
                (Some(_), None) => from -= 1,
                _ => to += 1,
            }
        }
        &self.errors[from..to]
    }

    /// At a value of the variables, so far beyond along the variable or along a name.
    pub(super) fn around(&self, z: &[f64], (axis, horizon): (usize, f64)) -> Around<'_> {
        let near = if self.has_variable { self.near(z[0].ln()) } else { &self.errors };
        let (share, _) = self.misfit(near);
        let k = self.distance.get(if self.has_variable { 0 } else { axis }).copied().unwrap_or(USUAL_DISTANCE);
        let distance = if horizon > 1.0 { k * horizon.ln() } else { 0.0 };
        Around { runs: &self.runs, misfits: near.iter().map(|(_, e)| share * e.abs()).collect(), distance }
    }
}

impl Around<'_> {
    /// The logarithm of a factor on the value of the form.
    pub(super) fn draw(&self, random: &mut SplitMix) -> f64 {
        let sign = if random.bits() & 1 == 0 { 1.0 } else { -1.0 };
        let misfit = match self.misfits.len() {
            0 => 0.0,
            count => sign * self.misfits[random.below(count)],
        };
        let run = match self.runs.deviations.len() {
            count if count > 0 && self.runs.freedom >= ENOUGH_DEVIATIONS => self.runs.deviations[random.below(count)],
            _ => self.runs.tau * normal(random),
        };
        let distance = if self.distance > 0.0 { self.distance * normal(random) } else { 0.0 };
        misfit + run + distance
    }
}

/// Each configuration with its error without its fold.
fn held_out(data: &Data, search: &Search<'_>, family: Family) -> Result<Vec<(usize, f64)>, NoFit> {
    let parts: Vec<Result<Vec<(usize, f64)>, NoFit>> = family::folds(data, FOLDS.min(data.len()))
        .par_iter()
        .map(|(held, kept)| {
            let kept = data.kept(kept);
            let form = match search.fit(&kept, family, FEWEST) {
                Ok(form) => form,
                Err(NoFit::Interrupted) => return Err(NoFit::Interrupted),
                Err(_) => return Ok(Vec::new()),
            };
            let inside = held.iter().filter(|&&row| is_inside(data, row, &kept));
            let errors = inside.map(|&row| (row, (data.y[row] / form.value(&data.phi[row], &data.z_of(row))).ln()));
            Ok(errors.filter(|(_, e)| e.is_finite()).collect())
        })
        .collect();
    let mut errors = Vec::with_capacity(data.len());
    for part in parts {
        errors.extend(part?);
    }
    errors.sort_by_key(|(row, _)| *row);
    Ok(errors)
}

/// Whether a configuration lies within the range of others: of the variable, else of each name.
fn is_inside(data: &Data, row: usize, kept: &Data) -> bool {
    if let ([z], [others]) = (data.z.as_slice(), kept.z.as_slice()) {
        return others.iter().any(|other| *other <= z[row]) && others.iter().any(|other| *other >= z[row]);
    }
    (0..data.terms.names.len()).all(|name| {
        let values = kept.values_of(name);
        values.first().is_some_and(|least| *least <= data.at[row][name])
            && values.last().is_some_and(|most| *most >= data.at[row][name])
    })
}

/// `k`: how far predictions from the lower end of an axis are off beyond it.
fn distance(data: &Data, search: &Search<'_>, family: Family, axis: &[f64]) -> Result<f64, NoFit> {
    let most = axis.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let usual = USUAL_CUTS * USUAL_DISTANCE * USUAL_DISTANCE;
    if axis.iter().any(|value| *value <= 0.0) || axis.iter().all(|value| *value == most) {
        return Ok((usual / USUAL_CUTS).sqrt());
    }
    let cuts: Vec<Result<Option<f64>, NoFit>> =
        CUTS.par_iter().map(|cut| beyond(data, search, family, axis, most / cut)).collect();
    let (mut sum, mut count) = (usual, USUAL_CUTS);
    for squares in cuts {
        if let Some(squares) = squares? {
            sum += squares;
            count += 1.0;
        }
    }
    Ok((sum / count).sqrt())
}

/// `k_f^2` beyond a cut; none where too little is on either side.
fn beyond(data: &Data, search: &Search<'_>, family: Family, axis: &[f64], to: f64) -> Result<Option<f64>, NoFit> {
    let rows: Vec<usize> = (0..data.len()).filter(|&row| axis[row] <= to).collect();
    if rows.len() < data.constants() + 2 {
        return Ok(None);
    }
    let end = rows.iter().map(|&row| axis[row]).fold(f64::NEG_INFINITY, f64::max);
    let form = match search.fit(&data.kept(&rows), family, FEWEST) {
        Ok(form) => form,
        Err(NoFit::Interrupted) => return Err(NoFit::Interrupted),
        Err(_) => return Ok(None),
    };
    let squares: Vec<f64> = (0..data.len())
        .filter(|&row| axis[row] / end >= FAR_ENOUGH)
        .map(|row| (data.y[row] / form.value(&data.phi[row], &data.z_of(row))).ln() / (axis[row] / end).ln())
        .map(|error| error * error)
        .filter(|square| square.is_finite())
        .collect();
    Ok((!squares.is_empty()).then(|| statistics::mean(&squares)))
}
