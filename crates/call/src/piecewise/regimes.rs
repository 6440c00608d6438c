//! Smooth regimes: terms whose constants change gradually along one variable, beside pieces that change at once.
//!
//! ```text
//! s = sum over k of c_k phi_k + sum over bends of d phi_k g(z)      all constants >= 0
//! v = (u(z) phi)^a s^(1 - a)                                        a = 1 where it was measured
//! ```
//!
//! `u` is the cost of a unit of the last term as measured, interpolated along `ln z`: between two measured sizes no
//! form is closer than its neighbors are. Beyond the measured range the smooth form takes over. The mathematics, and why
//! it is chosen over pieces, is in docs/theory/call.md.

mod bend;
mod greedy;
mod unit;

pub(super) use bend::Bend;
pub(super) use greedy::{Design, Smooth};
pub(super) use unit::Unit;

use super::data::Data;
use super::settings::{Settings, Signs, Weights};

/// Fewer configurations than this do not show how a program bends.
pub(super) const FEWEST: usize = 8;

/// More configurations than this are searched for pieces alone, to bound time.
const MOST: usize = 2_000;

/// More values of bends than this are not tabulated, to bound memory.
const MOST_VALUES: usize = 4_000_000;

/// Regimes that were fitted.
#[derive(Debug, Clone)]
pub(super) struct Regimes {
    pub(super) smooth: Smooth,
    pub(super) unit: Unit,
}

/// What of regimes is estimated anew in each resample: the shapes are held.
#[derive(Debug, Clone)]
pub(super) struct Redrawn {
    /// Of the terms, then of the bends.
    coefficients: Vec<f64>,
    /// The logarithm of the unit cost at each knot.
    ln_u: Vec<f64>,
}

/// Why these data have pieces only; none where they may have regimes.
pub(super) fn objection(data: &Data, settings: &Settings, fewest: usize) -> Option<String> {
    let Some(z) = single(data) else { return Some("regimes need one expression to segment by".to_owned()) };
    let terms = data.terms.is_constant.iter().filter(|is_constant| !**is_constant).count();
    match () {
        () if data.len() < fewest => {
            Some(format!("{} configurations are fewer than the {fewest} that regimes need", data.len()))
        }
        () if data.len() > MOST || terms * bend::COUNT * data.len() > MOST_VALUES => {
            Some(format!("{} configurations are too many to search for regimes", data.len()))
        }
        () if !z.iter().all(|z| *z > 0.0) => Some(format!("{} is not above 0 everywhere", variable(data))),
        () if z.iter().all(|other| *other == z[0]) => Some(format!("{} never varies", variable(data))),
        () if !data.y.iter().all(|y| *y > 0.0) => Some("a measured value is not above 0".to_owned()),
        () if terms == 0 => Some("the formula has no term that varies".to_owned()),
        () if unit::term(data).is_none() => Some("no term is above 0 everywhere".to_owned()),
        () if settings.signs == Signs::Free => Some("signs are free, and those of regimes are not".to_owned()),
        () if settings.weights != Weights::Relative => Some("regimes are fitted to relative errors".to_owned()),
        () => None,
    }
}

fn single(data: &Data) -> Option<&Vec<f64>> {
    match data.z.as_slice() {
        [z] => Some(z),
        _ => None,
    }
}

fn variable(data: &Data) -> &str {
    data.terms.variables.first().map_or("", |variable| variable.text())
}

impl Regimes {
    /// Searches for the shapes; none where [`objection`] has one.
    pub(super) fn search(data: &Data, settings: &Settings, fewest: usize) -> Option<Regimes> {
        if objection(data, settings, fewest).is_some() {
            return None;
        }
        let design = Design::new(data);
        let smooth = greedy::search(&design, &data.y);
        Some(Regimes { smooth, unit: Unit::new(data)? })
    }

    /// The same shapes for other measured values.
    pub(super) fn redraw(&self, design: &Design, y: &[f64]) -> Redrawn {
        Redrawn { coefficients: greedy::estimate(design, &self.smooth.bends, y), ln_u: self.unit.ln_costs(y) }
    }

    /// The value; not above 0 where there is none.
    pub(super) fn value(&self, phi: &[f64], z: f64) -> f64 {
        self.blend(&self.smooth.coefficients, &self.unit.ln_u, phi, z)
    }

    pub(super) fn value_of(&self, redrawn: &Redrawn, phi: &[f64], z: f64) -> f64 {
        self.blend(&redrawn.coefficients, &redrawn.ln_u, phi, z)
    }

    fn blend(&self, coefficients: &[f64], ln_u: &[f64], phi: &[f64], z: f64) -> f64 {
        if z.is_nan() || z <= 0.0 {
            return f64::NAN;
        }
        let share = self.unit.share(z);
        let mut ln = 0.0;
        if share > 0.0 {
            ln += share * (self.unit.interpolated(ln_u, z) + phi[self.unit.term].ln());
        }
        if share < 1.0 {
            ln += (1.0 - share) * self.smooth.value_with(coefficients, phi, z).ln();
        }
        let value = ln.exp();
        if value.is_finite() { value } else { f64::NAN }
    }
}
