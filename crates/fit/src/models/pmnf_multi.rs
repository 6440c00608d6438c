//! The normal form in two to four parameters: sums of products of one term per parameter.

use super::log_linear::check_parameters;
use super::multi_search::{Form, TermTable, best_term, forms, lines_along};
use super::one_term::{Transform, constant_or};
use super::pmnf::{own_terms, terms_for};
use super::pmnf_pt::transform_of;
use crate::fitted::{Answer, Fitted, NoFit, Predictor, Spread};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::terms::{self, PmnfTerm};
use crate::text;
use runcast_core::model::{Factor, Term};
use runcast_core::numeric::linear::{Design, LinearFit, solve};
use std::sync::Arc;

/// The quantity that the products are fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    Metric,
    /// Its transform along the process count, as in `pmnf-pt`.
    ProcessTime(Transform),
}

/// The model on `p T`.
///
/// # Errors
/// As [`fit`].
pub fn fit_pt(sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
    super::log_linear::check_logs(sample, "pmnf-pt", [])?;
    let transform = transform_of(sample);
    if transform != Transform::None {
        check_parameters(sample, "pmnf-pt", [sample.axis], "> 0", |p| p > 0.0)?;
    }
    let y: Vec<f64> = sample.at.iter().zip(&sample.y).map(|(at, y)| transform.forward(at[sample.axis], *y)).collect();
    fit(sample, options, &y, Scale::ProcessTime(transform))
}

/// The best term per parameter, by its least score averaged over the lines of three and more points along it; then
/// every sum of products of these terms, refitted on all points and chosen by cross-validated SMAPE.
///
/// # Errors
/// [`NoFit`] when a parameter is negative or no line is long enough.
pub fn fit(sample: &Sample<'_>, options: &FitOptions, y: &[f64], scale: Scale) -> Result<Fitted, NoFit> {
    let name = if scale == Scale::Metric { "pmnf" } else { "pmnf-pt" };
    check_parameters(sample, name, sample.dimensions.iter().copied(), ">= 0", |value| value >= 0.0)?;
    let mut warnings = Vec::new();
    let mut best_terms = Vec::new();
    let mut lines_found = false;
    for &parameter in &sample.dimensions {
        let lines = lines_along(sample, parameter);
        lines_found |= !lines.is_empty();
        let falls = lines.iter().any(|line| matches!((line.first(), line.last()), (Some(&a), Some(&b)) if y[b] < y[a]));
        let (terms, warning) = match &options.terms {
            Some(own) => own_terms(sample, parameter, own),
            None => terms_for(sample, parameter, options.negative || falls),
        };
        warnings.extend(warning);
        best_terms.push(best_term(sample, parameter, &lines, y, &terms));
    }
    if !lines_found {
        return Err(NoFit::Unsuitable(format!(
            "{name} in several parameters needs three configurations in a line along at least one of them"
        )));
    }
    let table = TermTable::new(sample, &best_terms);
    let mut best: Option<(f64, Form)> = None;
    for form in forms(&best_terms) {
        let Some(candidate) = table.fit(&form, y) else { continue };
        let score = candidate.cross_validated_smape(y);
        let better = score.is_finite() && best.as_ref().is_none_or(|(least, _)| score < *least);
        if better && candidate.all_contribute(y) && table.stays_positive(&form, &candidate.coefficients, y) {
            best = Some((score, form));
        }
    }
    let found = best.and_then(|(score, form)| Some((score, Products::fit(sample, y, scale, &best_terms, form)?)));
    let (score, model) =
        found.ok_or_else(|| NoFit::Unsuitable(format!("{name}: no sum of products fits these runs")))?;
    let mut fitted = Fitted::new(name, model.formula(), model.class(), Box::new(model.clone()));
    fitted.coefficients = (0..).map(|k| format!("c{k}")).zip(model.fit.coefficients.iter().copied()).collect();
    fitted.terms = model.document_terms();
    fitted.rank = Some(model.fit.rank);
    fitted.condition = Some(model.fit.condition);
    fitted.validation_smape_pct = Some(score);
    fitted.warnings = warnings;
    fitted.unseen = sample.followers.iter().map(|follower| follower.parameter).collect();
    Ok(fitted)
}

/// A fitted sum of products.
#[derive(Clone)]
struct Products {
    names: Arc<[String]>,
    axis: usize,
    transform: Transform,
    /// Per dimension: the parameter and its term.
    terms: Vec<(usize, Option<PmnfTerm>)>,
    form: Form,
    fit: LinearFit,
    variance: Option<f64>,
    freedom: usize,
}

impl Products {
    fn fit(
        sample: &Sample<'_>,
        y: &[f64],
        scale: Scale,
        best_terms: &[Option<PmnfTerm>],
        form: Form,
    ) -> Option<Products> {
        let terms: Vec<(usize, Option<PmnfTerm>)> =
            sample.dimensions.iter().copied().zip(best_terms.iter().copied()).collect();
        let design = Design {
            rows: sample.at.iter().map(|at| row(&terms, &form, at)).collect(),
            y: y.to_vec(),
            weights: vec![1.0; y.len()],
            ridge: None,
            scale_columns: true,
        };
        if sample.len() <= form.len() {
            return None;
        }
        let fit = solve(&design)?;
        if fit.rank < form.len() + 1 {
            return None;
        }
        let freedom = sample.len() - fit.rank;
        let (transform, noise) = match scale {
            Scale::Metric => (Transform::None, sample.repetition_variance(|y| y)),
            Scale::ProcessTime(transform) => (transform, 0.0),
        };
        let variance = (freedom >= 1).then(|| (fit.rss / freedom as f64).max(noise));
        let names = sample.series.parameters.clone();
        Some(Products { names, axis: sample.axis, transform, terms, form, fit, variance, freedom })
    }

    fn factors(&self, product: u8) -> impl Iterator<Item = (usize, PmnfTerm)> + '_ {
        self.terms
            .iter()
            .enumerate()
            .filter(move |(k, _)| product >> k & 1 == 1)
            .filter_map(|(_, (parameter, term))| term.map(|term| (*parameter, term)))
    }

    fn product_text(&self, product: u8) -> String {
        let factors: Vec<String> =
            self.factors(product).map(|(parameter, term)| term.class(&text::name(&self.names[parameter]))).collect();
        factors.join("*")
    }

    fn formula(&self) -> String {
        let terms: Vec<(f64, String)> = self
            .form
            .iter()
            .zip(&self.fit.coefficients[1..])
            .map(|(product, c)| (*c, self.product_text(*product)))
            .collect();
        let sum = terms::sum(self.fit.coefficients[0], &terms);
        self.transform.formula(&sum, &text::name(&self.names[self.axis]))
    }

    /// A single product with its power of p adjusted: `p^(3/4)` for `p^(7/4)/p`.
    fn class_of_one(&self) -> Option<String> {
        if self.form.len() > 1 || !matches!(self.transform, Transform::None | Transform::TimesX) {
            return None;
        }
        let shift = i8::from(self.transform == Transform::TimesX);
        let mut factors: Vec<(usize, PmnfTerm)> = self.form.iter().flat_map(|product| self.factors(*product)).collect();
        match factors.iter_mut().find(|(parameter, _)| *parameter == self.axis) {
            Some((_, term)) => term.numerator -= shift * term.denominator,
            None if shift == 1 => {
                factors.insert(0, (self.axis, PmnfTerm { numerator: -1, denominator: 1, log_power: 0 }));
            }
            None => {}
        }
        let texts: Vec<String> = factors
            .iter()
            .map(|(parameter, term)| term.class(&text::name(&self.names[*parameter])))
            .filter(|class| !class.is_empty())
            .collect();
        Some(constant_or(texts.join("*")))
    }

    /// All products of the sum, without the constant: no single one grows fastest everywhere.
    fn class(&self) -> String {
        if let Some(class) = self.class_of_one() {
            return class;
        }
        let products: Vec<String> = self.form.iter().map(|product| self.product_text(*product)).collect();
        let class = constant_or(products.join(" + "));
        let p = text::name(&self.names[self.axis]);
        match self.transform {
            Transform::None => class,
            _ if self.form.is_empty() => self.transform.formula("1", &p),
            _ => self.transform.formula(&class, &p),
        }
    }

    fn document_terms(&self) -> Vec<Term> {
        if self.transform != Transform::None {
            return Vec::new();
        }
        self.form
            .iter()
            .zip(&self.fit.coefficients[1..])
            .map(|(product, coefficient)| Term {
                coefficient: *coefficient,
                factors: self
                    .factors(*product)
                    .map(|(parameter, term)| Factor {
                        parameter: self.names[parameter].clone(),
                        power: term.power(),
                        log_power: f64::from(term.log_power),
                    })
                    .collect(),
            })
            .collect()
    }
}

fn row(terms: &[(usize, Option<PmnfTerm>)], form: &[u8], at: &[f64]) -> Vec<f64> {
    let values: Vec<f64> =
        terms.iter().map(|(parameter, term)| term.map_or(1.0, |term| term.at(at[*parameter]))).collect();
    let product = |bits: &u8| (0..terms.len()).filter(|k| bits >> k & 1 == 1).map(|k| values[k]).product::<f64>();
    std::iter::once(1.0).chain(form.iter().map(product)).collect()
}

impl Predictor for Products {
    fn predict(&self, at: &[f64]) -> Answer {
        let row = row(&self.terms, &self.form, at);
        let fitted = self.fit.at(&row);
        let spread = match self.variance {
            Some(variance) => Spread::Parametric {
                sd_ln: (variance * (1.0 + self.fit.variance_factor(&row))).sqrt() / fitted.abs(),
                freedom: self.freedom,
            },
            None => Spread::None,
        };
        Answer { value: self.transform.back(at[self.axis], fitted), spread, ..Answer::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitted::Regression;
    use crate::models::pmnf::Pmnf;
    use crate::testing::grid;
    use runcast_core::series::Aggregate;

    #[test]
    fn a_product_and_a_sum_come_back_from_a_full_grid() {
        let p = [4.0, 8.0, 16.0, 32.0, 64.0];
        let n = [10.0, 20.0, 30.0, 40.0, 50.0];
        for (law, class) in [
            ((|p: f64, n: f64| 5.0 + 0.1 * p.log2() * n * n) as fn(f64, f64) -> f64, "log2(p)*N^2"),
            (|p, n| 3.0 + 2.0 * p.sqrt() + 0.5 * n, "p^(1/2) + N"),
            (|_, n| 3.0 + 0.5 * n, "N"),
        ] {
            let runs = grid(&p, &n, law);
            let sample = Sample::new(&runs, Aggregate::Mean, &FitOptions::default());
            let fitted = Pmnf.fit(&sample, &FitOptions::default()).expect("fits");
            assert_eq!(fitted.class, class);
            assert!((fitted.predictor.value(&[256.0, 100.0]) / law(256.0, 100.0) - 1.0).abs() < 1e-6);
        }
    }
}
