//! The two families of forms, each fitted to some of the configurations.

use super::check;
use super::data::Data;
use super::error::NoFit;
use super::regimes::Regimes;
use super::settings::{Method, Settings};
use super::shape::{self, Rules, Shape};
use super::{segments, steps};
use serde::Serialize;
use std::sync::atomic::AtomicBool;

/// How constants change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// At once, where a piece ends and the next begins; also one piece, and steps.
    Pieces,
    /// Gradually.
    Regimes,
}

/// A form that was fitted.
pub(super) enum Form {
    Pieces(Shape, Vec<f64>),
    Regimes(Box<Regimes>),
}

impl Form {
    /// Its value, which need not be above 0.
    pub(super) fn value(&self, phi: &[f64], z: &[f64]) -> f64 {
        match self {
            Form::Pieces(shape, coefficients) => shape.value(coefficients, phi, z),
            Form::Regimes(regimes) => regimes.value(phi, z[0]),
        }
    }
}

/// How forms are looked for.
pub(super) struct Search<'a> {
    pub(super) settings: &'a Settings,
    pub(super) rules: &'a Rules,
    /// How pieces are looked for.
    pub(super) method: Method,
    pub(super) stop: &'a AtomicBool,
}

impl Search<'_> {
    /// A family fitted to some of the configurations; pieces where there are fewer than regimes need.
    pub(super) fn fit(&self, data: &Data, family: Family, fewest: usize) -> Result<Form, NoFit> {
        if family == Family::Regimes
            && let Some(regimes) = Regimes::search(data, self.settings, fewest)
        {
            return Ok(Form::Regimes(Box::new(regimes)));
        }
        let checked = check::check(data, self.settings, self.rules)?;
        let method = if checked.underdetermined { Method::Single } else { self.method };
        let shape = self.pieces(data, &data.y, method)?;
        let coefficients = shape::estimate(data, &data.y, &shape, self.rules);
        Ok(Form::Pieces(shape, coefficients))
    }

    pub(super) fn pieces(&self, data: &Data, y: &[f64], method: Method) -> Result<Shape, NoFit> {
        match method {
            Method::Steps => steps::search(data, y, self.rules, self.stop),
            Method::Segments => segments::search(data, y, self.rules, self.stop),
            Method::Single | Method::Regimes => Ok(segments::single(data, y, self.rules)),
        }
    }
}

/// The configurations in the order of the variable, if there is one, else in their own.
pub(super) fn sorted(data: &Data) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..data.len()).collect();
    if let [z] = data.z.as_slice() {
        rows.sort_by(|&a, &b| z[a].total_cmp(&z[b]).then(a.cmp(&b)));
    }
    rows
}

/// The configurations by fold: those with the same index modulo their number are held out together. Each with those
/// that are kept, in their order.
pub(super) fn folds(data: &Data, count: usize) -> Vec<(Vec<usize>, Vec<usize>)> {
    let rows = sorted(data);
    let mut fold_of = vec![0; data.len()];
    rows.iter().enumerate().for_each(|(index, &row)| fold_of[row] = index % count);
    (0..count)
        .map(|fold| {
            let held = rows.iter().copied().skip(fold).step_by(count).collect();
            let kept = (0..data.len()).filter(|&row| fold_of[row] != fold).collect();
            (held, kept)
        })
        .collect()
}
