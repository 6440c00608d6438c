//! `fit`: from a table of the session to a model.

use super::grammar::{Fit, Seg};
use super::runs::Runs;
use super::samples::{self, Question, Ranks};
use crate::context::Context;
use crate::failure::Failure;
use runcast_call::piecewise::{self, Method, NoFit, Piecewise, SampleAggregate, Settings, Signs, Weights};
use runcast_core::model::{ModelDocument, TableSummary};
use runcast_core::problem::shorten;
use runcast_core::{Problem, Warning};
use runcast_formula::Formula;
use runcast_formula::template::Template;

/// A model of the session.
#[derive(Debug, Clone)]
pub struct Kept {
    pub model: Piecewise,
    /// The table that it was fitted to.
    pub table: String,
    /// The files of that table.
    pub files: Vec<String>,
    /// What was noticed while they were read.
    pub warnings: Vec<Warning>,
}

impl Kept {
    /// Rows that count, as they stand in the model.
    pub fn samples(&self) -> usize {
        self.model.samples().configurations.iter().map(|repeated| repeated.values.len()).sum()
    }

    /// The document of `runcast fit`.
    pub fn document(&self) -> ModelDocument {
        let entry = self.model.entry();
        ModelDocument {
            kind: "llac".to_owned(),
            version: self.model.document_version(),
            table: TableSummary {
                files: self.files.clone(),
                rows: self.samples(),
                configurations: entry.points,
                parameters: self.model.samples().parameters.clone(),
            },
            warnings: self.warnings.clone(),
            failed: Vec::new(),
            models: vec![entry],
        }
    }
}

/// Fits.
///
/// # Errors
/// What is wrong with the options (input), or stands in the way of a fit (undone).
pub fn fit(fit: &Fit, table: &str, runs: &Runs, seed: u64, context: &mut Context) -> Result<Kept, Failure> {
    let experiment = fit.experiment.as_deref();
    // The formula of the trace is known once it is known which experiment is meant.
    let settings = settings(fit, runs, seed)?;
    let question = Question {
        experiment,
        template: &settings.template,
        segmentation: &settings.segmentation,
        looks_everywhere: settings.segmentation_auto
            || (settings.method == Some(Method::Steps) && settings.segmentation.is_empty()),
        metric: fit.metric.as_deref(),
        ranks: match fit.ranks {
            Some("max") => Ranks::Max,
            Some("mean") => Ranks::Mean,
            _ => Ranks::All,
        },
    };
    let samples = samples::samples(runs, &question)?;
    let model = piecewise::fit_with(&samples, &settings, &context.interrupt).map_err(no_fit)?;
    let (files, warnings) = (runs.table.files.clone(), runs.table.warnings.clone());
    Ok(Kept { model, table: table.to_owned(), files, warnings })
}

/// Why there is no fit, as a failure: a setting that cannot be is wrong input, runs that do not tell are not.
pub fn no_fit(reason: NoFit) -> Failure {
    match &reason {
        NoFit::Interrupted => Failure::interrupted(),
        NoFit::UnknownName { .. } | NoFit::Variables { .. } | NoFit::Setting { .. } => Failure::input(reason.problem()),
        _ => Failure::undone(reason.problem()),
    }
}

fn settings(fit: &Fit, runs: &Runs, seed: u64) -> Result<Settings, Failure> {
    let experiment = {
        let rows = samples::rows_of(runs, fit.experiment.as_deref())?;
        rows.group.get("region").and_then(|name| runs.metadata.experiments.get(name))
    };
    let template = match (&fit.formula, experiment.and_then(|experiment| experiment.template.as_ref())) {
        (Some(text), _) => template(text)?,
        (None, Some(template)) => template.clone(),
        (None, None) => {
            let problem = Problem::new("no_formula", "the table does not tell a formula").at("fit");
            return Err(problem.hint("give one: fit formula \"c[0] + c[1]*n\"").into());
        }
    };
    let mut settings = Settings::new(template);
    let texts: &[String] = match (&fit.seg, experiment) {
        (Some(Seg::By(list)), _) => list,
        (Some(Seg::Auto), _) => {
            settings.segmentation_auto = true;
            &[]
        }
        (None, Some(experiment)) if fit.method != Some("single") => &experiment.seg,
        (None, _) => &[],
    };
    settings.segmentation = texts.iter().map(|text| expression(text)).collect::<Result<_, Failure>>()?;
    settings.method = fit.method.and_then(|name| Method::ALL.into_iter().find(|method| method.name() == name));
    let find = |name: Option<&str>| name.unwrap_or_default().to_owned();
    let (signs, weights, aggregate) = (find(fit.signs), find(fit.weights), find(fit.aggregate));
    settings.signs = Signs::ALL.into_iter().find(|rule| rule.name() == signs).unwrap_or_default();
    settings.weights = Weights::ALL.into_iter().find(|rule| rule.name() == weights).unwrap_or_default();
    settings.aggregate = SampleAggregate::ALL.into_iter().find(|rule| rule.name() == aggregate).unwrap_or_default();
    settings.level = fit.level.unwrap_or(settings.level);
    settings.seed = seed;
    Ok(settings)
}

fn template(text: &str) -> Result<Template, Failure> {
    Template::parse(text).map_err(|error| {
        let problem = Problem::new(error.code(), format!("character {}: {error}", error.column()));
        let problem = problem.at("formula").value(shorten(text, 200));
        Failure::input(match error.hint_text() {
            Some(hint) => problem.hint(hint),
            None => problem,
        })
    })
}

fn expression(text: &str) -> Result<Formula, Failure> {
    // As in sources, a->b is the name a.b.
    let text = text.replace("->", ".");
    Formula::parse(&text).map_err(|error| {
        let problem = Problem::new("formula", error.to_string()).at("seg").value(shorten(&text, 200));
        Failure::input(match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        })
    })
}

/// A warning about a model, with its name.
pub fn warnings(name: &str, model: &Piecewise) -> Vec<Warning> {
    let told = |warning: &Warning| Warning { message: format!("{name}: {}", warning.message), ..warning.clone() };
    model.warnings().iter().map(told).collect()
}
