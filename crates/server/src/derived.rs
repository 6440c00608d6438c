//! Numbers that result pages show beside those of a table: curves, speedup, efficiency, Pareto fronts, simulated over
//! measured values. Pages, pictures and CSV all take them from here.
//!
//! A [`Figure`] is what one plot shows, as numbers; [`picture`] draws it.

pub mod compare;
pub mod csv;
pub mod facts;
pub mod leaf;
pub mod long;
mod pareto;
pub mod picture;
mod points;
mod speedup;

use points::Points;
pub(crate) use points::{numbers, numeric};
use runcast_core::{Problem, Problems, Table};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Curves in one figure.
const MOST_CURVES: usize = 500;

/// What is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FigureKind {
    /// A metric against a parameter.
    #[default]
    Line,
    /// T(base)/T(p).
    Speedup,
    /// speedup * base/p.
    Efficiency,
    /// Two metrics against each other, and the points that no other equals or betters in all and betters in one.
    Pareto,
    /// Simulated over measured values.
    Compare,
}

/// What is chosen of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choice {
    /// What is shown.
    pub kind: FigureKind,
    /// The parameter on the horizontal axis (a metric for a Pareto front).
    pub x: Option<String>,
    /// The metric on the vertical axis.
    pub y: Option<String>,
    /// The columns that make curves.
    pub by: Option<Vec<String>>,
    /// The base of speedups; the smallest present where absent.
    pub base: Option<f64>,
}

/// What one plot shows, as numbers in SI units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Figure {
    /// What is shown.
    pub kind: FigureKind,
    /// The horizontal axis.
    pub x: FigureAxis,
    /// The vertical axis.
    pub y: FigureAxis,
    /// The metric that speedups and efficiencies are of; null elsewhere.
    pub metric: Option<String>,
    /// Columns that make curves.
    pub by: Vec<String>,
    /// The curves.
    pub series: Vec<Curve>,
    /// Columns that may stand on either axis.
    pub columns: FigureColumns,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FigureAxis {
    /// The column.
    pub name: String,
    /// SI unit of the numbers; empty for a bare number.
    pub unit: String,
}

/// Columns that may be chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FigureColumns {
    /// Numbers that vary or may vary.
    pub parameters: Vec<String>,
    /// What was measured or predicted.
    pub metrics: Vec<String>,
    /// Texts.
    pub labels: Vec<String>,
}

/// A curve.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Curve {
    /// Its name: the values of the columns that make curves.
    pub name: String,
    /// The base of its speedups.
    pub base: Option<f64>,
    /// Its points, in the order of the horizontal axis.
    pub points: Vec<FigurePoint>,
}

/// A point; repetitions are one, their mean.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct FigurePoint {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// Lower end of its interval: that of the table, or the least of the repetitions.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// How many repetitions it stands for.
    pub rows: u64,
    /// Whether no other point is as good in all and better in one (Pareto fronts only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front: Option<bool>,
    /// How far simulated and measured are apart, in percent (comparisons only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub d_pct: Option<f64>,
    /// The other columns (Pareto fronts and comparisons only).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, String>,
}

/// What a plot of this table shows.
///
/// # Errors
/// Columns that are not there or are not numbers, a table without a metric, more curves than a picture can show.
pub fn figure(table: &Table, choice: &Choice) -> Result<Figure, Problems> {
    if choice.kind == FigureKind::Pareto {
        return pareto::figure(table, choice);
    }
    let points = Points::of(table, choice)?;
    let mut figure = points.curves()?;
    figure.kind = choice.kind;
    match choice.kind {
        FigureKind::Speedup => speedup::speedups(&mut figure, choice.base, points.metric.is_rate())?,
        FigureKind::Efficiency => {
            speedup::speedups(&mut figure, choice.base, points.metric.is_rate())?;
            speedup::efficiencies(&mut figure);
        }
        _ => {}
    }
    Ok(figure)
}

fn too_many(curves: usize) -> Problem {
    Problem::new("too_many", format!("{curves} curves are more than can be looked at"))
        .at("by")
        .value(curves.to_string())
        .allowed(format!("up to {MOST_CURVES}"))
        .hint("choose fewer columns by by=")
}
