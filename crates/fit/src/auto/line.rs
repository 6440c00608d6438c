//! `auto` along one parameter, with the panel whose spread determines its interval.

use super::{joined, joined_formula, log_spread};
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Spread};
use crate::models::log_linear::{Basis, LogLinear, LogLinearSpec, check_logs};
use crate::models::one_term::OneTerm;
use crate::models::pmnf_pt::fit_one_term;
use crate::models::power::{RECENCY, fit_power};
use crate::models::search::Folds;
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use crate::text::{name, number};
use runcast_core::model::Member;
use runcast_core::numeric::linear::Ridge;
use runcast_core::prediction::MemberValue;
use runcast_core::statistics::mean;

/// Fits the members and the panel.
pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
    let parameter = name(sample.series.parameters.get(sample.axis).map_or("p", String::as_str));
    if sample.len() == 1 {
        check_logs(sample, "auto", [])?;
        let only = Line { value: sample.y[0], power: None, pt: None, panel: Vec::new(), axis: sample.axis };
        let fitted = Fitted::new("auto", number(sample.y[0]), "constant".to_owned(), Box::new(only));
        return Ok(fitted.along_axis(sample));
    }
    let line = Line::fit(sample, options)?;
    let mut members = Vec::new();
    if let Some(power) = &line.power {
        members.push(Member { model: "power".to_owned(), formula: power.formula(), class: power.class() });
    }
    let mut terms = Vec::new();
    if let Some(pt) = &line.pt {
        let (formula, class) = (pt.formula(&parameter), pt.class(&parameter));
        terms = pt.terms(&sample.series.parameters[sample.axis]);
        members.push(Member { model: "pmnf-pt".to_owned(), formula, class });
    }
    let (formula, class) = match members.as_slice() {
        [a, b] => (joined_formula(&a.formula, &b.formula), b.class.clone()),
        [one] => (one.formula.clone(), one.class.clone()),
        _ => (number(line.value), "constant".to_owned()),
    };
    let mut fitted = Fitted::new("auto", formula, class, Box::new(line));
    fitted.members = members;
    fitted.terms = terms;
    Ok(fitted.along_axis(sample))
}

/// The fitted members.
pub struct Line {
    axis: usize,
    /// The value of a single configuration.
    value: f64,
    power: Option<LogLinear>,
    pt: Option<OneTerm>,
    panel: Vec<Box<dyn Predictor>>,
}

impl Line {
    /// Fits the members and, from three configurations on, the panel of seven.
    pub fn fit(sample: &Sample<'_>, options: &FitOptions) -> Result<Line, NoFit> {
        check_logs(sample, "auto", [sample.axis])?;
        let plain = FitOptions { robust: options.robust, ..FitOptions::default() };
        let power = fit_power(sample, &plain, Recency::Gentle(options.recency.unwrap_or(RECENCY)))?;
        let pt = fit_one_term(sample, &plain, Folds::ForwardLeaps).ok().map(|(model, ..)| model);
        let mut panel: Vec<Box<dyn Predictor>> = Vec::new();
        if sample.len() >= 3 {
            panel.push(Box::new(fit_power(sample, &plain, Recency::Gentle(4.0))?));
            panel.push(Box::new(fit_power(sample, &plain, Recency::Gentle(2.0))?));
            for (last, reach) in [(2, 2.05), (3, 4.2)] {
                panel.push(Box::new(through_last(sample, &plain, last, reach)?));
            }
            panel.extend(pt.clone().map(|model| Box::new(model) as Box<dyn Predictor>));
            if let Ok((model, ..)) = fit_one_term(sample, &plain, Folds::LeaveOneOut) {
                panel.push(Box::new(model));
            }
            panel.push(Box::new(shrunk_quadratic(sample, &plain)?));
        }
        Ok(Line { axis: sample.axis, value: f64::NAN, power: Some(power), pt, panel })
    }
}

impl Predictor for Line {
    fn predict(&self, at: &[f64]) -> Answer {
        let Some(power) = &self.power else {
            return Answer { value: self.value, ..Answer::default() };
        };
        let a = power.value(at);
        let b = self.pt.as_ref().map(|model| model.at(at[self.axis]));
        let (value, disagree) = b.map_or((a, false), |b| joined(a, b));
        let mut members = vec![MemberValue { model: "power".to_owned(), value: finite(a) }];
        members.extend(b.map(|b| MemberValue { model: "pmnf-pt".to_owned(), value: finite(b) }));
        let spread = log_spread(self.panel.iter().map(|member| member.value(at)));
        Answer {
            value,
            spread: spread.map_or(Spread::None, |spread| Spread::Panel { spread }),
            members,
            disagree,
            points: None,
            warnings: Vec::new(),
        }
    }

    fn value(&self, at: &[f64]) -> f64 {
        match (&self.power, &self.pt) {
            (Some(power), Some(pt)) => joined(power.value(at), pt.at(at[self.axis])).0,
            (Some(power), None) => power.value(at),
            _ => self.value,
        }
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A power law through the last points only, with equal weights: at least this many, and in a dense plan all points
/// within a factor `reach` of the largest.
fn through_last(sample: &Sample<'_>, options: &FitOptions, last: usize, reach: f64) -> Result<LogLinear, NoFit> {
    let mut order: Vec<usize> = (0..sample.len()).collect();
    order.sort_by(|&a, &b| sample.at[a][sample.axis].total_cmp(&sample.at[b][sample.axis]));
    let x = |k: usize| sample.at[k][sample.axis];
    let largest = order.last().map_or(1.0, |&k| x(k));
    let within = order.partition_point(|&k| x(k) < largest / reach);
    let keep = &order[within.min(order.len().saturating_sub(last))..];
    let part = Sample {
        at: keep.iter().map(|&k| sample.at[k].clone()).collect(),
        y: keep.iter().map(|&k| sample.y[k]).collect(),
        ..sample.clone()
    };
    fit_power(&part, options, Recency::Rank(1.0))
}

/// A quadratic in logs whose curvature is shrunk by `g2^2`, x centered.
fn shrunk_quadratic(sample: &Sample<'_>, options: &FitOptions) -> Result<LogLinear, NoFit> {
    let center = mean(&sample.x().iter().map(|x| x.log2()).collect::<Vec<_>>());
    let x = (sample.axis, center);
    let spec = LogLinearSpec {
        model: "auto",
        basis: vec![Basis(vec![]), Basis(vec![x]), Basis(vec![x, x])],
        recency: Recency::Rank(1.0),
        ridge: Some(Ridge { column: 2, lambda: 1.0 }),
        scale_columns: false,
    };
    LogLinear::fit(sample, options, spec)
}
