//! `auto1`: the first version of `auto`, to compare with.

use super::joint::Joint;
use super::slices::Slices;
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression};
use crate::models::log_linear::{LogLinear, check_logs};
use crate::models::one_term::OneTerm;
use crate::models::pmnf_pt::fit_one_term;
use crate::models::power::{RECENCY, fit_power};
use crate::models::search::Folds;
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use crate::text::name;
use runcast_core::model::Member;
use runcast_core::prediction::MemberValue;

/// A power law weighted towards the last points, and a normal form on `p T`, combined where they agree.
///
/// ```text
/// A = power (r = 4)     B = pmnf-pt (forward chained)     ratio = max(A,B)/min(A,B) at the target
/// value = sqrt(A B)                     verdict "ok"        when ratio <= 2
/// value = B, members not combined       verdict "disagree"  when ratio > 2
/// ```
/// In a grid it works in the slice through the target, of at least four configurations; if there is none, A is the
/// joint [`crate::models::weak`] and B the normal form in several parameters. It has no interval.
pub struct Baseline;

/// Minimum number of configurations of a slice.
const LEAST_SLICE: usize = 4;

impl Regression for Baseline {
    fn name(&self) -> &'static str {
        "auto1"
    }

    fn summary(&self) -> &'static str {
        "the first version of auto: power and pmnf-pt, to compare with"
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        if sample.dimensions.len() > 1 {
            let joint = Joint::fit(sample, options)?;
            let slices = Slices::of(sample, options, LEAST_SLICE, Line::fit);
            return Ok(joint.described("auto1", joined_formula, |joint| Box::new(Grid { slices, joint })));
        }
        let x = name(sample.series.parameters.get(sample.axis).map_or("p", String::as_str));
        let line = Line::fit(sample, options)?;
        let mut members =
            vec![Member { model: "power".to_owned(), formula: line.power.formula(), class: line.power.class() }];
        members.extend(line.pt.as_ref().map(|pt| Member {
            model: "pmnf-pt".to_owned(),
            formula: pt.formula(&x),
            class: pt.class(&x),
        }));
        let (formula, class) = match members.as_slice() {
            [a, b] => (joined_formula(&a.formula, &b.formula), b.class.clone()),
            _ => (line.power.formula(), line.power.class()),
        };
        let mut fitted = Fitted::new("auto1", formula, class, Box::new(line));
        fitted.members = members;
        Ok(fitted.along_axis(sample))
    }
}

/// The rule that joins two members, as a formula.
fn joined_formula(a: &str, b: &str) -> String {
    format!("if({b} <= 0, {a}, if(max({a}, {b}) <= 2*min({a}, {b}), sqrt(({a})*({b})), {b}))")
}

/// The rule that joins two members, as (value, whether they disagree).
fn joined(a: f64, b: Option<f64>) -> (f64, bool) {
    let usable = |value: f64| value > 0.0 && value.is_finite();
    match (usable(a), b.filter(|b| usable(*b))) {
        (_, None) if b.is_none() => (a, false),
        (true, Some(b)) if a.max(b) <= 2.0 * a.min(b) => ((a * b).sqrt(), false),
        (_, Some(b)) => (b, true),
        (true, None) => (a, true),
        (false, None) => (f64::NAN, true),
    }
}

struct Line {
    axis: usize,
    power: LogLinear,
    pt: Option<OneTerm>,
}

impl Line {
    fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Line, NoFit> {
        check_logs(sample, "auto1", [sample.axis])?;
        let plain = FitOptions { robust: options.robust, ..FitOptions::default() };
        let power = fit_power(sample, &plain, Recency::Gentle(options.recency.unwrap_or(RECENCY)))?;
        let pt = fit_one_term(sample, &plain, Folds::ForwardLeaps).ok().map(|(model, ..)| model);
        Ok(Line { axis: sample.axis, power, pt })
    }
}

impl Predictor for Line {
    fn predict(&self, at: &[f64]) -> Answer {
        let (a, b) = (self.power.value(at), self.pt.as_ref().map(|pt| pt.at(at[self.axis])));
        let (value, disagree) = joined(a, b);
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut members = vec![MemberValue { model: "power".to_owned(), value: finite(a) }];
        members.extend(b.map(|b| MemberValue { model: "pmnf-pt".to_owned(), value: finite(b) }));
        Answer { value, members, disagree, ..Answer::default() }
    }
}

struct Grid {
    slices: Slices<Line>,
    joint: Joint,
}

impl Predictor for Grid {
    fn predict(&self, at: &[f64]) -> Answer {
        if let Some(slice) = self.slices.through(at)
            && let Some(line) = slice.fitted
        {
            return Answer { points: Some(slice.points), ..line.predict(at) };
        }
        let (a, b) = self.joint.values(at);
        let (value, disagree) = joined(a, b);
        Answer { value, members: self.joint.member_values(at), disagree, ..Answer::default() }
    }

    fn law(&self, at: &[f64]) -> f64 {
        let (a, b) = self.joint.values(at);
        joined(a, b).0
    }
}
