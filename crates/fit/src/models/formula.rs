//! The user's own formula: a sum of unknown coefficients times known terms.

use super::relative::{Known, KnownSum, Signs, weights};
use crate::fitted::{Fitted, NoFit, Regression};
use crate::options::FitOptions;
use crate::sample::Sample;
use crate::text::{name, number};
use runcast_formula::{Formula, canonical};
use std::sync::Arc;

/// `DF = sum_k c_k g_k(parameters)`, least squares of relative residuals, coefficients at least zero unless the user
/// frees them.
///
/// A formula based on the algorithm's complexity extrapolates better than any free form.
pub struct UserFormula;

impl Regression for UserFormula {
    fn name(&self) -> &'static str {
        "formula"
    }

    fn summary(&self) -> &'static str {
        "your own terms: --formula 'a*p + b*N^3/p + c' --unknown a,b,c"
    }

    fn applies(&self, _: &Sample<'_>) -> Result<(), String> {
        Ok(())
    }

    fn fit(&self, sample: &Sample<'_>, options: &FitOptions) -> Result<Fitted, NoFit> {
        let source = options
            .formula
            .as_deref()
            .ok_or_else(|| NoFit::Options("the model formula needs --formula and --unknown".to_owned()))?;
        let formula = Formula::parse(source).map_err(|error| NoFit::Options(format!("--formula: {error}")))?;
        let unknown: Vec<&str> = options.unknown.iter().map(String::as_str).collect();
        if unknown.is_empty() {
            return Err(NoFit::Options("--formula needs --unknown with the names of its coefficients".to_owned()));
        }
        let form = canonical::linear_terms(formula.tree(), &unknown)
            .map_err(|error| NoFit::Options(format!("--formula: {error}")))?;
        let names: Vec<String> = sample.series.parameters.iter().map(|parameter| name(parameter)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let compile = |text: &str| -> Result<Known, NoFit> {
            let program = Formula::parse(text)
                .and_then(|formula| formula.compile(&names))
                .map_err(|error| NoFit::Options(format!("--formula: {error}")))?;
            Ok(Arc::new(move |at: &[f64]| program.row(at)))
        };
        let mut known = Vec::new();
        let mut texts = Vec::new();
        for term in &form.terms {
            texts.push(term.factor.to_string());
            known.push(compile(&term.factor.to_string())?);
        }
        if form.offset.to_string() != "0" {
            return Err(NoFit::Options(format!("--formula: {} has no unknown coefficient; give it one", form.offset)));
        }
        let signs = if options.free_signs { Signs::Free } else { Signs::Nonnegative };
        let sum = KnownSum::fit(sample, "formula", known, &weights(sample, options), signs, options)?;
        let mut parts: Vec<String> = sum
            .coefficients
            .iter()
            .zip(&texts)
            .filter(|(c, _)| **c != 0.0)
            .map(|(c, text)| match text.as_str() {
                "1" => number(*c),
                name if runcast_formula::is_name(name) => format!("{}*{name}", number(*c)),
                _ => format!("{}*({text})", number(*c)),
            })
            .collect();
        if parts.is_empty() {
            parts.push("0".to_owned());
        }
        let coefficients: Vec<(&str, f64)> =
            form.terms.iter().map(|term| term.unknown.as_str()).zip(sum.coefficients.iter().copied()).collect();
        let class: Vec<&str> = sum
            .coefficients
            .iter()
            .zip(&texts)
            .filter(|(c, text)| **c != 0.0 && text.as_str() != "1")
            .map(|(_, text)| text.as_str())
            .collect();
        let class = if class.is_empty() { "constant".to_owned() } else { class.join(" + ") };
        let (rank, condition) = (sum.fit.rank, sum.fit.condition);
        let (full_rank, unknowns) = (sum.full_rank, texts.len());
        let mut fitted =
            Fitted::new("formula", parts.join(" + "), class, Box::new(sum.clone())).with_coefficients(coefficients);
        fitted.rank = Some(rank);
        fitted.condition = Some(condition);
        fitted.warnings.extend(super::rank_warning(full_rank, unknowns));
        Ok(fitted)
    }
}
