//! Fitted models in programs of supersteps: what `fit` and `llac` have saved, as names in formulas.

use super::draws::{Draw, Errors, LEVEL};
use crate::context::Context;
use crate::failure::Failure;
use crate::models::{reload, saved_models};
use runcast_call::bsp::{Model, Models, Program};
use runcast_call::piecewise::{Piecewise, is_of_llac};
use runcast_core::prediction::{Prediction, Verdict};
use runcast_core::{Configuration, Problem, Warning};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Different warnings of a model shown at most.
const MOST_WARNINGS: usize = 10;

/// What the models said beside their predictions.
#[derive(Debug, Clone, Default)]
pub(super) struct Said(Arc<Mutex<BTreeMap<(String, String), Remark>>>);

#[derive(Debug, Clone)]
struct Remark {
    message: String,
    times: usize,
}

/// A model with its name in the program.
struct Fitted {
    name: String,
    parameters: Vec<String>,
    model: Saved,
    said: Said,
    errors: Errors,
}

/// A saved model, as the method that fitted it knows it: one of `llac` may be a constant, without any parameter.
enum Saved {
    OfFit(Box<runcast_fit::Model>),
    OfLlac(Box<Piecewise>),
}

/// The models that a program names, from files relative to its own.
pub(super) fn load(program: &Program, file: &Path, context: &mut Context) -> Result<(Models, Said, Draw), Failure> {
    let (said, draw) = (Said::default(), Draw::default());
    let mut models = Models::new();
    for (name, named) in program.models() {
        let path = match file.parent().filter(|_| file.as_os_str() != "-") {
            Some(folder) => folder.join(&named.file),
            None => named.file.clone().into(),
        };
        let located = |problem: Problem| Failure::input(program.model_problem(name, problem));
        let bytes = context.read(&path).map_err(|failure| {
            let told = failure.problems.0.first().map_or("cannot be read", |problem| problem.message.as_str());
            located(
                Problem::new("cannot_read", format!("models {name}: {}: {told}", path.display())).value(&named.file),
            )
        })?;
        let model = reloaded(&path.display().to_string(), &bytes).map_err(|problem| {
            let message = format!("models {name}: {}: {}", path.display(), problem.message);
            let mut located = Problem { message, file: None, line: None, column: None, pointer: None, ..problem };
            located.value = located.value.or(Some(named.file.clone()));
            Failure::input(program.model_problem(name, located))
        })?;
        let errors = Errors::new(&draw, models.len() as u64);
        let fitted = Fitted { name: name.clone(), parameters: model.parameters(), model, said: said.clone(), errors };
        models.insert(name.clone(), Box::new(fitted));
    }
    Ok((models, said, draw))
}

/// The one model of a document.
fn reloaded(name: &str, bytes: &[u8]) -> Result<Saved, Problem> {
    let first = |failure: Failure| failure.problems.0.into_iter().next().unwrap_or_default();
    let not_one =
        || Problem::new("not_a_model", "no document of models").allowed("what fit -o, or save of llac, writes");
    let document = saved_models(name, bytes).map_err(first)?.ok_or_else(not_one)?;
    match document.models.as_slice() {
        [entry] if is_of_llac(&entry.model) => Piecewise::reload(entry).map(|model| Saved::OfLlac(Box::new(model))),
        [entry] => reload(entry).map(|model| Saved::OfFit(Box::new(model))),
        [] => Err(Problem::new("no_model", "there is no model in it").allowed("one model")),
        several => {
            let message = format!("there are {} models in it", several.len());
            Err(Problem::new("several_models", message)
                .allowed("one model")
                .hint("save one: runcast fit --model NAME -o"))
        }
    }
}

impl Saved {
    fn parameters(&self) -> Vec<String> {
        match self {
            Saved::OfFit(model) => model.series.parameters.to_vec(),
            Saved::OfLlac(model) => model.names().to_vec(),
        }
    }

    fn predict(&self, at: &Configuration) -> Result<(Prediction, Vec<Warning>), Problem> {
        match self {
            Saved::OfFit(model) => model.predict(at, LEVEL),
            Saved::OfLlac(model) => model.predict(at, LEVEL),
        }
    }
}

impl Model for Fitted {
    fn parameters(&self) -> &[String] {
        &self.parameters
    }

    fn predict(&self, at: &[f64]) -> Result<f64, String> {
        if let Some(drawn) = self.errors.drawn(at) {
            return Ok(drawn);
        }
        let point = at;
        let at = Configuration::from_pairs(&self.parameters, at);
        let (prediction, warnings) = self.model.predict(&at).map_err(|problem| problem.message)?;
        let value = prediction.value.filter(|_| prediction.verdict != Verdict::Refused);
        let reason = || warnings.first().map_or_else(|| "it is refused".to_owned(), |warning| warning.message.clone());
        let value = value.ok_or_else(reason)?;
        for warning in &warnings {
            self.said.note(&self.name, warning);
        }
        Ok(self.errors.keep(point, value, &prediction))
    }
}

impl Said {
    fn note(&self, model: &str, warning: &Warning) {
        let Ok(mut remarks) = self.0.lock() else { return };
        let of_model = remarks.range((model.to_owned(), String::new())..).take_while(|((name, _), _)| name == model);
        let is_full = of_model.count() >= MOST_WARNINGS;
        match remarks.get_mut(&(model.to_owned(), warning.code.clone())) {
            Some(remark) => remark.times += 1,
            None if is_full => {}
            None => {
                let remark = Remark { message: warning.message.clone(), times: 1 };
                remarks.insert((model.to_owned(), warning.code.clone()), remark);
            }
        }
    }

    /// One of each kind and model, with how often it was said.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        let Ok(remarks) = self.0.lock() else { return Vec::new() };
        let told = remarks.iter().map(|((model, code), remark)| {
            let more = match remark.times {
                1 => String::new(),
                times => format!(" (and at {} more points)", times - 1),
            };
            Warning::new(code.clone(), format!("model {model}: {}{more}", remark.message))
        });
        told.collect()
    }
}
