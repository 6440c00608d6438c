//! The published cases of method `fit`, every model that claims one.

use runcast_core::{Configuration, Direction, Group, Metric, Point, Series};
use runcast_fit::{FitOptions, Model, registry};
use runcast_formula::Formula;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    model: String,
    size_unit: Option<f64>,
    parameters: Vec<String>,
    rows: Vec<Vec<f64>>,
    values: Option<Vec<f64>>,
    law: Option<String>,
    #[serde(default)]
    targets: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    coefficients: BTreeMap<String, f64>,
    condition: Option<f64>,
    rank: Option<usize>,
    #[serde(default)]
    predictions: Vec<f64>,
    #[serde(default)]
    intervals: Vec<[f64; 2]>,
}

impl Given {
    fn series(&self) -> Series {
        let value = |row: &[f64]| match &self.law {
            Some(law) => {
                let named: Vec<(&str, f64)> =
                    self.parameters.iter().map(String::as_str).zip(row.iter().copied()).collect();
                Formula::parse(law).expect("a law").evaluate_at(&named).expect("evaluates")
            }
            None => f64::NAN,
        };
        let points = self.rows.iter().enumerate().map(|(index, row)| Point {
            at: row.clone(),
            values: vec![self.values.as_ref().map_or_else(|| value(row), |values| values[index])],
            lines: vec![index as u32 + 2],
        });
        Series {
            group: Group::new(),
            metric: Metric::new("time_s", "s", Direction::Lower),
            parameters: self.parameters.clone().into(),
            process_parameter: Some(0),
            points: points.collect(),
            file: None,
            warnings: Vec::new(),
        }
    }
}

#[test]
fn published_cases() {
    for case in runcast_papers::cases::<Given, Expected>("fit") {
        let (name, given, expected) = (&case.name, &case.given, &case.expected);
        let mut options = FitOptions::default();
        options.size_unit = given.size_unit.unwrap_or(options.size_unit);
        let regression = registry::find(&given.model).expect("a model of the registry");
        let model = Model::fit(&Arc::new(given.series()), regression, &options)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for (symbol, value) in &expected.coefficients {
            case.close("coefficients", symbol, model.fitted.coefficients[symbol], *value);
        }
        if let Some(condition) = expected.condition {
            case.close("condition", "", model.fitted.condition.expect("a condition"), condition);
        }
        if let Some(rank) = expected.rank {
            assert_eq!(model.fitted.rank, Some(rank), "{name}: rank");
        }
        assert_eq!(given.targets.len(), expected.predictions.len(), "{name}");
        for (index, target) in given.targets.iter().enumerate() {
            let at = Configuration::from_pairs(&given.parameters, target);
            let (prediction, _) = model.predict(&at, 0.9).expect("a complete target");
            case.close("predictions", &at, prediction.value.expect("a value"), expected.predictions[index]);
            if let Some([low, high]) = expected.intervals.get(index) {
                // By hand: that of the residuals, whatever range calibration makes of it.
                let own = prediction.intervals["parametric"].expect("an interval");
                case.close("predictions", format!("low at {at}"), own.low, *low);
                case.close("predictions", format!("high at {at}"), own.high, *high);
            }
        }
    }
}
