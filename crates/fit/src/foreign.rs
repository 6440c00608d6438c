//! Models of other methods, which judge their own predictions: everything that accepts a [`Model`] accepts them.

use crate::fitted::{Answer, Fitted, Predictor};
use crate::options::FitOptions;
use crate::predict::Model;
use runcast_core::model::ModelEntry;
use runcast_core::prediction::Prediction;
use runcast_core::series::Aggregate;
use runcast_core::{Configuration, Problem, Series, Warning};
use std::any::Any;
use std::sync::Arc;

/// A model that another method has fitted.
pub trait Foreign: Send + Sync {
    /// Its name in documents.
    fn name(&self) -> &'static str;

    /// Its entry in a document.
    fn entry(&self) -> ModelEntry;

    /// Its prediction for a configuration, with its own intervals, verdict and warnings.
    ///
    /// # Errors
    /// A [`Problem`] when the target is not complete.
    fn predict(&self, target: &Configuration, level: f64) -> Result<(Prediction, Vec<Warning>), Problem>;

    /// Its bare value at a value for each parameter of the series; not finite if there is none.
    fn value(&self, at: &[f64]) -> f64;

    /// The same kind of model fitted to other runs; none if that fails.
    fn refitted(&self, series: &Series) -> Option<Model>;

    /// The model itself, for downcasting.
    fn as_any(&self) -> &dyn Any;
}

/// The bare values of a foreign model.
struct Values(Arc<dyn Foreign>);

impl Predictor for Values {
    fn predict(&self, at: &[f64]) -> Answer {
        Answer { value: self.0.value(at), ..Answer::default() }
    }
}

impl Model {
    /// A model of another method, with the runs behind it.
    ///
    /// # Errors
    /// There are no runs, or no parameters to distinguish them.
    pub fn of_foreign(foreign: Arc<dyn Foreign>, series: &Arc<Series>, aggregate: Aggregate) -> Result<Model, Problem> {
        if series.points.is_empty() || series.parameters.is_empty() {
            let problem = Problem::new("bad_model", format!("the model {} has no parameters", foreign.name()));
            return Err(problem.hint("a formula of constants alone says the same of every configuration"));
        }
        let entry = foreign.entry();
        let mut fitted =
            Fitted::new(foreign.name(), entry.formula, entry.class, Box::new(Values(Arc::clone(&foreign))));
        fitted.terms = entry.terms;
        fitted.coefficients = entry.coefficients;
        fitted.rank = entry.rank;
        fitted.condition = entry.condition;
        fitted.segments = entry.segments;
        fitted.warnings = entry.warnings;
        let mut model = Model::new(series, aggregate, &FitOptions::default(), fitted, entry.quality);
        model.foreign = Some(foreign);
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::processes;
    use crate::document;
    use crate::models::usl::Usl;
    use crate::testing::series;

    /// A law that is not in the registry; its interval is of its own kind.
    struct Law(Model);

    impl Foreign for Law {
        fn name(&self) -> &'static str {
            "law"
        }

        fn entry(&self) -> ModelEntry {
            ModelEntry { model: "law".to_owned(), ..document::entry_of(&self.0) }
        }

        fn predict(&self, target: &Configuration, level: f64) -> Result<(Prediction, Vec<Warning>), Problem> {
            let (prediction, warnings) = self.0.predict(target, level)?;
            let interval = Some("own".to_owned());
            Ok((Prediction { model: "law".to_owned(), interval, ..prediction }, warnings))
        }

        fn value(&self, at: &[f64]) -> f64 {
            self.0.fitted.predictor.value(at)
        }

        fn refitted(&self, _: &Series) -> Option<Model> {
            None
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn a_foreign_model_speaks_for_itself() {
        let runs = Arc::new(series(&[(1.0, 100.0), (2.0, 51.05), (4.0, 26.65), (8.0, 14.6), (16.0, 8.9)]));
        let own = Model::fit(&runs, &Usl, &FitOptions::default()).expect("fits");
        let again = Model::fit(&runs, &Usl, &FitOptions::default()).expect("fits");
        let model = Model::of_foreign(Arc::new(Law(again)), &runs, Aggregate::Median).expect("a model");
        let target = Configuration([("p".to_owned(), 64.0)].into_iter().collect());
        let (prediction, _) = model.predict(&target, 0.9).expect("complete");
        assert_eq!((prediction.model.as_str(), prediction.interval.as_deref()), ("law", Some("own")));
        assert_eq!(prediction.value, own.predict(&target, 0.9).expect("complete").0.value);
        assert_eq!(model.complete(&target), Ok(vec![64.0]));
        assert_eq!(document::entry_of(&model).model, "law");
        let question = processes::Question {
            processes: vec![1.0, 8.0, 64.0],
            fixed: Configuration::default(),
            objective: processes::Objective::Time,
            cores_per_process: 1.0,
            watts_per_process: None,
            prices: processes::Prices::default(),
            scaling: None,
            level: 0.9,
        };
        let of = |model: &Model| processes::advise(model, &question).expect("advises").0;
        assert_eq!(of(&model).choices[2].time_s, of(&own).choices[2].time_s);
    }
}
