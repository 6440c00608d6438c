//! The published cases of `testdata/papers/fit.toml`, every model that claims one.

use runcast_core::{Configuration, Direction, Group, Metric, Point, Series};
use runcast_fit::{FitOptions, Model, registry};
use runcast_formula::Formula;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[expect(dead_code, reason = "for readers of the file")]
    source: String,
    model: String,
    size_unit: Option<f64>,
    parameters: Vec<String>,
    rows: Vec<Vec<f64>>,
    values: Option<Vec<f64>>,
    law: Option<String>,
    #[serde(default)]
    coefficients: BTreeMap<String, f64>,
    coefficient_tolerance: Option<f64>,
    condition: Option<f64>,
    rank: Option<usize>,
    #[serde(default)]
    targets: Vec<Vec<f64>>,
    #[serde(default)]
    predictions: Vec<f64>,
    #[serde(default)]
    intervals: Vec<[f64; 2]>,
    prediction_tolerance: Option<f64>,
}

impl Case {
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
            metric: Metric {
                name: "time_s".into(),
                unit: "s".into(),
                scale: 1.0,
                direction: Direction::Lower,
                unit_assumed: false,
            },
            parameters: self.parameters.clone().into(),
            process_parameter: Some(0),
            points: points.collect(),
            file: None,
            warnings: Vec::new(),
        }
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (found / expected - 1.0).abs();
    assert!(error <= tolerance, "{what}: expected {expected}, found {found}, off by {error:e}");
}

#[test]
fn published_cases() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/papers/fit.toml");
    let text = std::fs::read_to_string(path).expect("the suite is there");
    let suite: Suite = toml::from_str(&text).expect("the suite reads");
    assert!(suite.case.len() >= 19, "no case was lost");
    for case in &suite.case {
        let name = &case.name;
        let mut options = FitOptions::default();
        options.size_unit = case.size_unit.unwrap_or(options.size_unit);
        let regression = registry::find(&case.model).expect("a model of the registry");
        let model = Model::fit(&Arc::new(case.series()), regression, &options)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for (symbol, expected) in &case.coefficients {
            let tolerance = case.coefficient_tolerance.expect("a tolerance");
            close(model.fitted.coefficients[symbol], *expected, tolerance, &format!("{name}: {symbol}"));
        }
        if let Some(condition) = case.condition {
            close(model.fitted.condition.expect("a condition"), condition, 5e-4, &format!("{name}: condition"));
        }
        if let Some(rank) = case.rank {
            assert_eq!(model.fitted.rank, Some(rank), "{name}: rank");
        }
        assert_eq!(case.targets.len(), case.predictions.len(), "{name}");
        for (index, target) in case.targets.iter().enumerate() {
            let at = Configuration::from_pairs(&case.parameters, target);
            let (prediction, _) = model.predict(&at, 0.9).expect("a complete target");
            let tolerance = case.prediction_tolerance.expect("a tolerance");
            close(prediction.value.expect("a value"), case.predictions[index], tolerance, &format!("{name}: at {at}"));
            if let Some([low, high]) = case.intervals.get(index) {
                close(prediction.low.expect("a bound"), *low, tolerance, &format!("{name}: low"));
                close(prediction.high.expect("a bound"), *high, tolerance, &format!("{name}: high"));
            }
        }
    }
}
