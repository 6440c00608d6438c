//! A model written out in the formula language.

use super::data::Terms;
use super::regimes::Smooth;
use super::settings::Settings;
use super::shape::Shape;
use runcast_formula::{Comparison, Expr, Formula};

/// The whole model, with `if` where constants change.
pub(super) fn formula(settings: &Settings, terms: &Terms, shape: &Shape, coefficients: &[f64]) -> Expr {
    if shape.steps.is_empty() {
        let pieces: Vec<Expr> =
            coefficients.chunks(terms.texts.len()).map(|values| settings.template.with_values(values)).collect();
        let cuts: Vec<f64> = shape.cuts.iter().map(|cut| cut.at).collect();
        return match terms.variables.first() {
            Some(variable) => choice(variable.formula.tree(), &cuts, pieces),
            None => settings.template.with_values(coefficients),
        };
    }
    let factors = settings.template.factors();
    Expr::sum((0..factors.len()).map(|k| {
        let constant = constant(terms, shape, coefficients, k);
        if terms.texts[k] == "1" { constant } else { constant * factors[k].clone() }
    }))
}

/// The smooth form: every bend as a share of its term. None if it is too long for a formula.
pub(super) fn smooth(settings: &Settings, terms: &Terms, smooth: &Smooth) -> Option<Expr> {
    let base = settings.template.with_values(&smooth.coefficients[..terms.texts.len()]);
    let z = terms.variables.first()?.text();
    let mut text = base.to_string();
    for (bend, c) in smooth.bends.iter().zip(&smooth.coefficients[terms.texts.len()..]) {
        let factor = &terms.texts[bend.term];
        let at = bend.at;
        text.push_str(&match bend.power() {
            None => format!(" + {c}*({factor})*max(0, 1 - {at}/({z}))"),
            Some(power) => format!(" + {c}*({factor})/(1 + ({at}/({z}))^{power})"),
        });
    }
    Formula::parse(&text).ok().map(|formula| formula.tree().clone())
}

/// A constant with its steps.
fn constant(terms: &Terms, shape: &Shape, coefficients: &[f64], k: usize) -> Expr {
    let jumps = &coefficients[terms.texts.len()..];
    let mut base = coefficients[k];
    let mut sum: Option<Expr> = None;
    for (variable, named) in terms.variables.iter().enumerate() {
        let mut value = base;
        let mut values = vec![Expr::number(value)];
        let mut cuts = Vec::new();
        for (step, jump) in shape.steps.iter().zip(jumps) {
            if step.constant == k && step.variable == variable {
                value += jump;
                values.push(Expr::number(value));
                cuts.push(step.cut.at);
            }
        }
        if cuts.is_empty() {
            continue;
        }
        // The base is in the first choice; the others are offsets from it.
        base = 0.0;
        let choice = choice(named.formula.tree(), &cuts, values);
        sum = Some(match sum {
            Some(sum) => sum + choice,
            None => choice,
        });
    }
    sum.unwrap_or(Expr::number(base))
}

/// `if(z <= cut, first, if(z <= next, second, ..))`
fn choice(z: &Expr, cuts: &[f64], mut pieces: Vec<Expr>) -> Expr {
    let mut whole = pieces.pop().unwrap_or(Expr::number(0.0));
    for (cut, piece) in cuts.iter().zip(pieces).rev() {
        whole = Expr::choose(z.clone().compare(Comparison::LessEqual, *cut), piece, whole);
    }
    whole
}
