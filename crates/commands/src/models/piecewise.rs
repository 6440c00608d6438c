//! Models of `llac` among those of `fit`.

pub mod picture;

use runcast_call::piecewise::{Piecewise, Repeated, SampleAggregate, Samples, fit};
use runcast_core::model::ModelEntry;
use runcast_core::prediction::Prediction;
use runcast_core::series::Aggregate;
use runcast_core::{Configuration, Point, Problem, Series, Warning};
use runcast_fit::{Foreign, Model};
use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;

/// A piecewise model as `fit` knows models.
struct OfLlac(Piecewise);

/// A saved model.
///
/// # Errors
/// A [`Problem`] when the document holds no runs or contradicts itself.
pub(super) fn reload(entry: &ModelEntry) -> Result<Model, Problem> {
    model(Piecewise::reload(entry)?)
}

/// The piecewise model behind a model, if it is one.
pub(super) fn of(model: &Model) -> Option<&Piecewise> {
    let foreign = model.foreign()?.as_any().downcast_ref::<OfLlac>();
    foreign.map(|OfLlac(piecewise)| piecewise)
}

fn model(piecewise: Piecewise) -> Result<Model, Problem> {
    let series = Arc::new(series(&piecewise));
    let aggregate = match piecewise.settings().aggregate {
        SampleAggregate::Median | SampleAggregate::Q25 => Aggregate::Median,
        SampleAggregate::Min => Aggregate::Min,
        SampleAggregate::Max => Aggregate::Max,
        SampleAggregate::Mean => Aggregate::Mean,
    };
    Model::of_foreign(Arc::new(OfLlac(piecewise)), &series, aggregate)
}

/// The names that a model uses; of one that is a constant, the first parameter that was recorded.
fn names_of(piecewise: &Piecewise) -> &[String] {
    match piecewise.names() {
        [] => piecewise.samples().parameters.get(..1).unwrap_or_default(),
        names => names,
    }
}

/// The runs behind a constant, over one parameter.
fn runs_of_constant(samples: &Samples) -> Vec<Point> {
    let mut points: HashMap<u64, Point> = HashMap::new();
    for repeated in &samples.configurations {
        let Some(&at) = repeated.at.first() else { continue };
        let new = || Point { at: vec![at], values: Vec::new(), lines: Vec::new() };
        let point = points.entry((at + 0.0).to_bits()).or_insert_with(new);
        point.values.extend(&repeated.values);
        point.lines.resize(point.values.len(), 0);
    }
    points.into_values().collect()
}

/// The runs behind a model, over the names that it uses.
fn series(piecewise: &Piecewise) -> Series {
    let samples = piecewise.samples();
    let names = names_of(piecewise);
    let places: Vec<Option<usize>> =
        names.iter().map(|name| samples.parameters.iter().position(|parameter| parameter == name)).collect();
    let process_parameter =
        samples.process_parameter.as_ref().and_then(|process| names.iter().position(|name| name == process));
    // Only what was fitted: configurations without a value of the formula were kept out.
    let mut points: Vec<Point> = piecewise
        .points()
        .map(|(at, ..)| Point {
            at: names.iter().map(|name| at.get(name).unwrap_or(f64::NAN)).collect(),
            values: Vec::new(),
            lines: Vec::new(),
        })
        .collect();
    let index: HashMap<Vec<u64>, usize> =
        points.iter().enumerate().map(|(place, point)| (key(&point.at), place)).collect();
    for repeated in &samples.configurations {
        let at: Vec<f64> = places.iter().map(|place| place.map_or(f64::NAN, |place| repeated.at[place])).collect();
        if let Some(point) = index.get(&key(&at)).and_then(|place| points.get_mut(*place)) {
            point.values.extend(&repeated.values);
            point.lines.resize(point.values.len(), 0);
        }
    }
    if piecewise.names().is_empty() {
        points = runs_of_constant(samples);
    }
    points.retain(|point| !point.values.is_empty());
    let order = |point: &Point| -> Vec<f64> {
        process_parameter.map(|process| point.at[process]).into_iter().chain(point.at.iter().copied()).collect()
    };
    points.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
    Series {
        group: samples.group.clone(),
        metric: samples.metric.clone(),
        parameters: names.to_vec().into(),
        process_parameter,
        points,
        file: None,
        warnings: Vec::new(),
    }
}

/// The bits of a value for each name, in which equal numbers are equal.
fn key(at: &[f64]) -> Vec<u64> {
    at.iter().map(|value| (value + 0.0).to_bits()).collect()
}

/// The points of a series with the runs and visits of the samples behind them. What has been added to a point, or has
/// other values, stands for a visit in a run of its own.
fn known_again(samples: &Samples, series: &Series) -> Vec<Repeated> {
    let places: Vec<Option<usize>> =
        series.parameters.iter().map(|name| samples.parameters.iter().position(|own| own == name)).collect();
    let mut known: HashMap<Vec<u64>, Repeated> = HashMap::new();
    for repeated in &samples.configurations {
        let at: Vec<f64> = places.iter().map(|place| place.map_or(f64::NAN, |place| repeated.at[place])).collect();
        let all = known.entry(key(&at)).or_insert_with(|| Repeated::new(at, Vec::new()));
        all.values.extend(&repeated.values);
        all.visits.extend(&repeated.visits);
        all.runs.extend(&repeated.runs);
    }
    let has_runs = samples.configurations.iter().any(|repeated| !repeated.runs.is_empty());
    let mut next = samples.configurations.iter().flat_map(|repeated| &repeated.runs).max().map_or(0, |run| run + 1);
    let again = |point: &Point| {
        let mut repeated = Repeated::new(point.at.clone(), point.values.clone());
        let own = known.get(&key(&point.at)).filter(|own| point.values.starts_with(&own.values));
        if let Some(own) = own {
            repeated.visits[..own.visits.len()].copy_from_slice(&own.visits);
            repeated.runs.extend(&own.runs);
        }
        while has_runs && repeated.runs.len() < repeated.values.len() {
            repeated.runs.push(next);
            next += 1;
        }
        repeated
    };
    series.points.iter().map(again).collect()
}

impl Foreign for OfLlac {
    fn name(&self) -> &'static str {
        self.0.model_name()
    }

    fn entry(&self) -> ModelEntry {
        self.0.entry()
    }

    fn predict(&self, target: &Configuration, level: f64) -> Result<(Prediction, Vec<Warning>), Problem> {
        self.0.predict(target, level)
    }

    fn value(&self, at: &[f64]) -> f64 {
        self.0.value(&at[..at.len().min(self.0.names().len())])
    }

    fn refitted(&self, series: &Series) -> Option<Model> {
        let samples = Samples {
            parameters: series.parameters.to_vec(),
            process_parameter: series.process_parameter.map(|process| series.parameters[process].clone()),
            configurations: known_again(self.0.samples(), series),
            group: series.group.clone(),
            metric: series.metric.clone(),
            rejected: Default::default(),
        };
        model(fit(&samples, self.0.settings()).ok()?).ok()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runcast_core::{Group, Metric};

    #[test]
    fn samples_that_are_fitted_again_keep_their_runs_and_visits() {
        let mut first = Repeated::new(vec![1.0, 4.0], vec![2.0, 3.0]);
        (first.runs, first.visits) = (vec![0, 1], vec![1.0, 20.0]);
        let mut second = Repeated::new(vec![2.0, 8.0], vec![5.0]);
        second.runs = vec![1];
        let samples = Samples {
            parameters: vec!["k".to_owned(), "n".to_owned()],
            process_parameter: None,
            configurations: vec![first, second],
            group: Group::default(),
            metric: Metric::from_name("time_s").expect("a metric"),
            rejected: Default::default(),
        };
        let point = |n: f64, values: &[f64]| Point { at: vec![n], values: values.to_vec(), lines: Vec::new() };
        let series = Series {
            group: Group::default(),
            metric: samples.metric.clone(),
            parameters: vec!["n".to_owned()].into(),
            process_parameter: None,
            points: vec![point(4.0, &[2.0, 3.0, 2.5]), point(8.0, &[5.5]), point(16.0, &[9.0])],
            file: None,
            warnings: Vec::new(),
        };
        let again = known_again(&samples, &series);
        // Two as they were; then what was added, what was measured anew, and a new size: runs of their own.
        assert_eq!(
            again.iter().map(|repeated| repeated.runs.clone()).collect::<Vec<_>>(),
            [vec![0, 1, 2], vec![3], vec![4]]
        );
        assert_eq!(again[0].visits, [1.0, 20.0, 1.0]);
        assert_eq!(again[1].visits, [1.0]);
    }
}
