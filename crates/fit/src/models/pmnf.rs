//! The performance-model normal form with one term, chosen by cross-validation.
//!
//! [C] A. Calotoiu et al., *Using automated performance modeling to find scalability bugs in complex codes* (SC13), and
//! the rule of its tool Extra-P 4.2.

use super::log_linear::check_parameters;
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Regression, Spread};
use crate::linear::{Design, Robust, solve_robust};
use crate::options::{FitOptions, Recency};
use crate::sample::Sample;
use crate::terms::{self, DEFAULT_TERMS, NEGATIVE_TERMS, PmnfTerm};
use crate::text;
use runcast_core::Warning;
use runcast_core::accuracy::smape_pct;
use runcast_core::model::{Factor, Term};
use runcast_core::series::Aggregate;
use runcast_core::statistics::mean;

/// A constant below this share of the smallest value is zero, and a term that never reaches this share is nothing.
pub const NEGLIGIBLE: f64 = 0.0005;

/// A model of a positive metric must stay positive up to this many times the largest measured value.
pub const POSITIVE_UP_TO: f64 = 16.0;

/// `DF = c0 + c1 p^i log2(p)^j`, or `c0` alone.
pub struct Pmnf;

impl Regression for Pmnf {
    fn name(&self) -> &'static str {
        "pmnf"
    }

    fn summary(&self) -> &'static str {
        "constant + one term p^i*log2(p)^j chosen by cross-validation, as Extra-P"
    }

    fn aggregate(&self) -> Aggregate {
        Aggregate::Mean
    }

    fn applies(&self, sample: &Sample<'_>) -> Result<(), String> {
        if sample.dimensions.len() > 4 {
            return Err(format!("it takes up to 4 parameters that vary on their own, not {}", sample.dimensions.len()));
        }
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        self.applies(sample).map_err(NoFit::Unsuitable)?;
        if sample.dimensions.len() > 1 {
            return super::pmnf_multi::fit(sample, options, &sample.y, super::pmnf_multi::Scale::Metric);
        }
        let (terms, warning) = candidate_terms(sample, "pmnf", options)?;
        let choice = select(&Problem::new(&sample.x(), &sample.y, &terms, Folds::LeaveOneOut));
        let model = choice.refit(sample, options, Transform::None);
        Ok(describe("pmnf", sample, model, choice.score, warning))
    }
}

/// The terms to try for this sample: those with logs only where every x is at least 1, falling ones where the series
/// falls or on request.
///
/// # Errors
/// [`NoFit::Parameter`] for a negative parameter.
pub fn candidate_terms(
    sample: &Sample<'_>,
    model: &'static str,
    options: &FitOptions,
) -> Result<(Vec<PmnfTerm>, Option<Warning>), NoFit> {
    check_parameters(sample, model, [sample.axis], ">= 0", |value| value >= 0.0)?;
    Ok(terms_for(sample, sample.axis, options.negative || sample.falls()))
}

/// The terms that can be tried along a parameter, and a warning when logs could not.
pub fn terms_for(sample: &Sample<'_>, parameter: usize, falling: bool) -> (Vec<PmnfTerm>, Option<Warning>) {
    let least = sample.range(parameter)[0];
    let falling = falling && least > 0.0;
    let mut terms: Vec<PmnfTerm> = DEFAULT_TERMS.to_vec();
    if falling {
        terms.extend(NEGATIVE_TERMS);
    }
    if least >= 1.0 {
        return (terms, None);
    }
    terms.retain(|term| term.log_power == 0);
    let name = &sample.series.parameters[parameter];
    let warning = Warning::new(
        "log_terms_off",
        format!("the smallest {name} is {least}, below 1: terms with logarithms were left out"),
    );
    (terms, Some(warning))
}

/// Which points are left out to score a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folds {
    /// Each in turn.
    LeaveOneOut,
    /// The two largest, each predicted from all smaller ones.
    ForwardChaining,
    /// The two largest, each predicted from those at least 1.9 times smaller, where there are two: the same where x
    /// doubles from one configuration to the next; in a denser plan it asks for a real extrapolation.
    ForwardLeaps,
}

/// The indices to predict from all before them: the last two of `n`, as long as two remain to fit a term.
pub fn forward_folds(n: usize) -> impl Iterator<Item = usize> {
    let first = n.saturating_sub(2).max(2).min(n);
    (first..n).rev()
}

/// What counts as a leap along the axis: a doubling, with room for rounded plans.
const LEAP: f64 = 1.9;

/// A search for one term.
pub struct Problem<'d> {
    x: &'d [f64],
    y: &'d [f64],
    terms: &'d [PmnfTerm],
    folds: Folds,
    /// Where a model of a positive metric must be positive; empty when the metric is not.
    probes: Vec<f64>,
    /// Indices in ascending order of x.
    order: Vec<usize>,
}

impl<'d> Problem<'d> {
    /// A search over `terms` for `y` at `x`.
    pub fn new(x: &'d [f64], y: &'d [f64], terms: &'d [PmnfTerm], folds: Folds) -> Self {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let positive = y.iter().all(|value| *value > 0.0);
        let probes = match order.last() {
            // Every candidate is monotone here but for x^-a*log2(x), which has one maximum: the ends decide.
            Some(&last) if positive => vec![x[last], x[last] * POSITIVE_UP_TO],
            _ => Vec::new(),
        };
        Problem { x, y, terms, folds, probes, order }
    }
}

impl Problem<'_> {
    /// The points that stand before a held-out one, by its place in the order.
    fn learnt_from(&self, held_out: usize) -> &[usize] {
        let before = &self.order[..held_out];
        if self.folds != Folds::ForwardLeaps {
            return before;
        }
        let limit = self.x[self.order[held_out]] / LEAP;
        match before.partition_point(|&k| self.x[k] <= limit) {
            0 | 1 => before,
            count => &before[..count],
        }
    }
}

/// The outcome of a search: a term, or none for the constant.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The term.
    pub term: Option<PmnfTerm>,
    /// Its constant and coefficient, by plain least squares over all points.
    pub line: Line,
    /// Its SMAPE on points left out; of the constant: in sample.
    pub score: f64,
}

/// `c0 + c1 t`
#[derive(Debug, Clone, Copy, Default)]
pub struct Line {
    /// Intercept.
    pub c0: f64,
    /// Slope.
    pub c1: f64,
}

impl Line {
    fn at(&self, t: f64) -> f64 {
        self.c0 + self.c1 * t
    }

    /// Least squares by orthogonalizing against the constant; `None` when t does not vary.
    fn through(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Line> {
        let (mut n, mut t_sum, mut y_sum) = (0.0, 0.0, 0.0);
        for (t, y) in points.clone() {
            n += 1.0;
            t_sum += t;
            y_sum += y;
        }
        let (t_mean, y_mean) = (t_sum / n, y_sum / n);
        let (mut tt, mut ty) = (0.0, 0.0);
        for (t, y) in points {
            tt += (t - t_mean) * (t - t_mean);
            ty += (t - t_mean) * (y - y_mean);
        }
        let c1 = ty / tt;
        c1.is_finite().then_some(Line { c0: y_mean - c1 * t_mean, c1 })
    }
}

/// Extra-P's rule: the term with the least score, when that is better than the constant's SMAPE over all points.
///
/// Score: mean SMAPE over the folds, each fitted by plain least squares, its constant taken for zero when it is below
/// 0.05 % of the smallest value there. A term that never contributes 0.05 % of the metric is out.
pub fn select(problem: &Problem<'_>) -> Choice {
    let constant = mean(problem.y);
    let constant_score = smape_pct(problem.y.iter().map(|y| (constant, *y)));
    let mut best = Choice { term: None, line: Line { c0: constant, c1: 0.0 }, score: constant_score };
    let mut t = vec![0.0; problem.x.len()];
    for term in problem.terms {
        for (value, x) in t.iter_mut().zip(problem.x) {
            *value = term.at(*x);
        }
        if let Some((line, score)) = try_term(problem, term, &t, best.score) {
            best = Choice { term: Some(*term), line, score };
        }
    }
    best
}

/// The line and score of a term, when it beats `to_beat`.
fn try_term(problem: &Problem<'_>, term: &PmnfTerm, t: &[f64], to_beat: f64) -> Option<(Line, f64)> {
    let score = score(problem, t, to_beat)?;
    let line = Line::through(t.iter().copied().zip(problem.y.iter().copied()))?;
    let contributes = t.iter().zip(problem.y).any(|(t, y)| (line.c1 * t / y).abs() >= NEGLIGIBLE);
    let stays_positive = problem.probes.iter().all(|x| {
        let value = line.at(term.at(*x));
        value > 0.0 && value.is_finite()
    });
    (line.c1 != 0.0 && contributes && stays_positive).then_some((line, score))
}

/// Mean SMAPE over the folds; `None` when it reaches `to_beat` or cannot be computed.
fn score(problem: &Problem<'_>, t: &[f64], to_beat: f64) -> Option<f64> {
    let (y, n) = (problem.y, problem.y.len());
    let fold_error = |held_out: usize, line: Option<Line>, least: f64| -> Option<f64> {
        let mut line = line?;
        if line.c0.abs() < NEGLIGIBLE * least {
            line.c0 = 0.0;
        }
        let predicted = line.at(t[held_out]);
        let size = predicted.abs() + y[held_out].abs();
        Some(if size > 0.0 { 200.0 * (predicted - y[held_out]).abs() / size } else { 0.0 })
    };
    let least_of = |indices: &mut dyn Iterator<Item = usize>| {
        indices.map(|k| y[k]).filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min)
    };
    let mut sum = 0.0;
    match problem.folds {
        Folds::LeaveOneOut => {
            if n < 3 {
                return None;
            }
            let limit = to_beat * n as f64;
            for held_out in 0..n {
                let rest = (0..n).filter(move |k| *k != held_out);
                let line = Line::through(rest.clone().map(|k| (t[k], y[k])));
                sum += fold_error(held_out, line, least_of(&mut rest.clone()))?;
                if sum.is_nan() || sum >= limit {
                    return None;
                }
            }
            Some(sum / n as f64)
        }
        Folds::ForwardChaining | Folds::ForwardLeaps => {
            let mut count = 0.0;
            for held_out in forward_folds(n) {
                let before = problem.learnt_from(held_out);
                let line = Line::through(before.iter().map(|&k| (t[k], y[k])));
                sum += fold_error(problem.order[held_out], line, least_of(&mut before.iter().copied()))?;
                count += 1.0;
            }
            let score = sum / count;
            (score < to_beat).then_some(score)
        }
    }
}

/// What a model is fitted to instead of the metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transform {
    /// The metric itself.
    None,
    /// `p T`: the time of all processes together.
    TimesX,
    /// `p / R`: the same for a rate.
    XOverRate,
    /// `1 / R`.
    Reciprocal,
}

impl Transform {
    /// What the term is fitted to.
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

    /// The formula of the metric, from that of what was fitted.
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
    /// Its coefficients.
    pub line: Line,
    /// What they were fitted to.
    pub transform: Transform,
    fit: Option<crate::linear::LinearFit>,
    variance: Option<f64>,
    freedom: usize,
}

impl Choice {
    /// The chosen term refitted to all points, with what is needed for an interval.
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

fn row(term: Option<PmnfTerm>, x: f64) -> Vec<f64> {
    match term {
        Some(term) => vec![1.0, term.at(x)],
        None => vec![1.0],
    }
}

impl OneTerm {
    /// What was fitted, at x.
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

    /// How the metric grows: its fastest part.
    pub fn class(&self, parameter: &str) -> String {
        let growth = match self.term {
            // A term that falls towards a constant, or a constant.
            Some(term) if term.power() > 0.0 || (term.power() == 0.0 && term.log_power > 0) || self.line.c0 <= 0.0 => {
                term
            }
            _ => PmnfTerm { numerator: 0, denominator: 1, log_power: 0 },
        };
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

    /// The terms of the metric, where it is a sum of such.
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
        // A plain constant is told by c0; terms lists what stands beside it.
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
    fitted.unseen = sample.unseen_but_axis();
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::series;

    #[test]
    fn each_of_the_42_terms_comes_back_from_five_doublings() {
        for term in DEFAULT_TERMS {
            let points: Vec<(f64, f64)> =
                [2.0, 4.0, 8.0, 16.0, 32.0].iter().map(|&p| (p, 200.0 + 10.0 * term.at(p))).collect();
            let series = series(&points);
            let sample = Sample::new(&series, Aggregate::Mean, &FitOptions::default());
            let fitted = Pmnf.fit(&sample, &FitOptions::default()).expect("fits");
            assert_eq!(fitted.class, term.class("p"));
            assert!((fitted.coefficients["c0"] / 200.0 - 1.0).abs() < 1e-6);
            assert!((fitted.coefficients["c1"] / 10.0 - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_constant_metric_gives_the_constant() {
        for points in [vec![(1.0, 5.0)], vec![(1.0, 5.0), (2.0, 5.0)], vec![(1.0, 5.0), (2.0, 5.0), (4.0, 5.0)]] {
            let series = series(&points);
            let sample = Sample::new(&series, Aggregate::Mean, &FitOptions::default());
            let fitted = Pmnf.fit(&sample, &FitOptions::default()).expect("fits");
            assert_eq!((fitted.class.as_str(), fitted.formula.as_str()), ("constant", "5"));
        }
    }

    #[test]
    fn folds_of_forward_chaining() {
        let folds = |n| forward_folds(n).collect::<Vec<_>>();
        assert_eq!(folds(5), [4, 3]);
        assert_eq!(folds(4), [3, 2]);
        assert_eq!(folds(3), [2]);
        assert!(folds(2).is_empty() && folds(1).is_empty() && folds(0).is_empty());
    }
}
