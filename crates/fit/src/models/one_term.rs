//! A model of one term and a constant, ready to predict.

use super::search::{Choice, Line};
use crate::fitted::{Answer, Fitted, Predictor, Spread};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use crate::terms::{self, PmnfTerm};
use crate::text;
use runcast_core::Warning;
use runcast_core::model::{Factor, Term};
use runcast_core::numeric::linear::{Design, Robust, solve_robust};

/// The quantity that a model is fitted to instead of the metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    None,
    /// `p T`: the time of all processes together.
    TimesX,
    /// `p / R`: the same for a rate.
    XOverRate,
    /// `1 / R`.
    Reciprocal,
}

impl Transform {
    /// The transformed metric, to which the term is fitted.
    pub fn forward(self, x: f64, y: f64) -> f64 {
        match self {
            Transform::None => y,
            Transform::TimesX => x * y,
            Transform::XOverRate => x / y,
            Transform::Reciprocal => 1.0 / y,
        }
    }

    /// Back to the metric.
    pub fn back(self, x: f64, fitted: f64) -> f64 {
        match self {
            Transform::None => fitted,
            Transform::TimesX => fitted / x,
            Transform::XOverRate => x / fitted,
            Transform::Reciprocal => 1.0 / fitted,
        }
    }

    /// The formula of the metric, from that of the fitted quantity.
    pub fn formula(self, fitted: &str, parameter: &str) -> String {
        match self {
            Transform::None => fitted.to_owned(),
            Transform::TimesX => format!("({fitted})/{parameter}"),
            Transform::XOverRate => format!("{parameter}/({fitted})"),
            Transform::Reciprocal => format!("1/({fitted})"),
        }
    }
}

/// A chosen term with its coefficients, ready to predict.
#[derive(Debug, Clone)]
pub struct OneTerm {
    axis: usize,
    /// The term; none for the constant.
    pub term: Option<PmnfTerm>,
    pub line: Line,
    /// The quantity that they were fitted to.
    pub transform: Transform,
    fit: Option<runcast_core::numeric::linear::LinearFit>,
    variance: Option<f64>,
    freedom: usize,
}

impl Choice {
    /// The chosen term refitted to all points, with the data for an interval.
    pub fn refit(&self, sample: &Sample<'_>, options: &FitOptions, transform: Transform) -> OneTerm {
        let x = sample.x();
        let recency = options.recency.unwrap_or(1.0);
        let robust = if transform == Transform::None { options.robust } else { Robust::None };
        let design = Design {
            rows: x.iter().map(|x| row(self.term, *x)).collect(),
            y: x.iter().zip(&sample.y).map(|(x, y)| transform.forward(*x, *y)).collect(),
            weights: if transform == Transform::None { Recency::Rank(recency).weights(&x) } else { vec![1.0; x.len()] },
            ridge: None,
            scale_columns: true,
        };
        let fit = solve_robust(&design, robust);
        let freedom = fit.as_ref().map_or(0, |fit| sample.len().saturating_sub(fit.rank));
        let variance = fit.as_ref().filter(|_| freedom >= 1).map(|fit| {
            let noise = if transform == Transform::None { sample.repetition_variance(|y| y) } else { 0.0 };
            (fit.rss / freedom as f64).max(noise)
        });
        let plain = recency == 1.0 && robust == Robust::None;
        let line = match &fit {
            Some(fit) if !plain => {
                Line { c0: fit.coefficients[0], c1: fit.coefficients.get(1).copied().unwrap_or(0.0) }
            }
            _ => self.line,
        };
        OneTerm { axis: sample.axis, term: self.term, line, transform, fit, variance, freedom }
    }
}

/// The fastest-growing part of a constant and a term: a term that falls towards a constant is none.
pub fn fastest(term: Option<PmnfTerm>, line: Line) -> PmnfTerm {
    let grows = |term: &PmnfTerm| term.power() > 0.0 || (term.power() == 0.0 && term.log_power > 0) || line.c0 <= 0.0;
    term.filter(grows).unwrap_or(PmnfTerm { numerator: 0, denominator: 1, log_power: 0 })
}

fn row(term: Option<PmnfTerm>, x: f64) -> Vec<f64> {
    match term {
        Some(term) => vec![1.0, term.at(x)],
        None => vec![1.0],
    }
}

impl OneTerm {
    pub fn fitted_at(&self, x: f64) -> f64 {
        match self.term {
            Some(term) => self.line.at(term.at(x)),
            None => self.line.c0,
        }
    }

    /// The metric at x.
    pub fn at(&self, x: f64) -> f64 {
        self.transform.back(x, self.fitted_at(x))
    }

    /// The metric in the formula language.
    pub fn formula(&self, parameter: &str) -> String {
        let term: Vec<(f64, String)> = self.term.iter().map(|term| (self.line.c1, term.class(parameter))).collect();
        self.transform.formula(&terms::sum(self.line.c0, &term), parameter)
    }

    /// Growth class of the metric: its fastest-growing part.
    pub fn class(&self, parameter: &str) -> String {
        let growth = fastest(self.term, self.line);
        match self.transform {
            Transform::None => constant_or(growth.class(parameter)),
            Transform::TimesX => {
                constant_or(PmnfTerm { numerator: growth.numerator - growth.denominator, ..growth }.class(parameter))
            }
            Transform::XOverRate => constant_or(
                PmnfTerm { numerator: growth.denominator - growth.numerator, log_power: -growth.log_power, ..growth }
                    .class(parameter),
            ),
            Transform::Reciprocal => constant_or(
                PmnfTerm { numerator: -growth.numerator, log_power: -growth.log_power, ..growth }.class(parameter),
            ),
        }
    }

    /// The terms of the metric, if it is a sum of terms.
    pub fn terms(&self, parameter: &str) -> Vec<Term> {
        let shift = match self.transform {
            Transform::None => 0.0,
            Transform::TimesX => -1.0,
            Transform::XOverRate | Transform::Reciprocal => return Vec::new(),
        };
        let factor = |power: f64, log_power: f64| {
            if power == 0.0 && log_power == 0.0 {
                return Vec::new();
            }
            vec![Factor { parameter: parameter.to_owned(), power, log_power }]
        };
        let mut terms = vec![Term { coefficient: self.line.c0, factors: factor(shift, 0.0) }];
        if let Some(term) = self.term {
            let factors = factor(term.power() + shift, f64::from(term.log_power));
            terms.push(Term { coefficient: self.line.c1, factors });
        }
        // A plain constant is given by c0; `terms` lists the others.
        if self.transform == Transform::None {
            terms.remove(0);
        }
        terms
    }
}

/// `constant` for the empty product.
pub fn constant_or(class: String) -> String {
    if class.is_empty() { "constant".to_owned() } else { class }
}

impl Predictor for OneTerm {
    fn predict(&self, at: &[f64]) -> Answer {
        let x = at[self.axis];
        let fitted = self.fitted_at(x);
        let spread = match (&self.fit, self.variance) {
            (Some(fit), Some(variance)) => Spread::Parametric {
                sd_ln: (variance * (1.0 + fit.variance_factor(&row(self.term, x)))).sqrt() / fitted.abs(),
                freedom: self.freedom,
            },
            _ => Spread::None,
        };
        Answer { value: self.transform.back(x, fitted), spread, ..Answer::default() }
    }

    fn value(&self, at: &[f64]) -> f64 {
        self.at(at[self.axis])
    }
}

/// The description of a one-term model.
pub fn describe(
    name: &'static str,
    sample: &Sample<'_>,
    model: OneTerm,
    score: f64,
    warning: Option<Warning>,
) -> Fitted {
    let raw = sample.series.parameters.get(sample.axis).map_or("p", String::as_str);
    let parameter = text::name(raw);
    let mut coefficients = vec![("c0", model.line.c0)];
    if model.term.is_some() {
        coefficients.push(("c1", model.line.c1));
    }
    let (rank, condition) = (model.fit.as_ref().map(|fit| fit.rank), model.fit.as_ref().map(|fit| fit.condition));
    let (formula, class, terms) = (model.formula(&parameter), model.class(&parameter), model.terms(raw));
    let mut fitted = Fitted::new(name, formula, class, Box::new(model)).with_coefficients(coefficients);
    fitted.terms = terms;
    fitted.rank = rank;
    fitted.condition = condition;
    fitted.validation_smape_pct = Some(score);
    fitted.warnings.extend(warning);
    fitted.along_axis(sample)
}
