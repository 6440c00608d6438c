//! What must hold for every model, whatever the runs.

use proptest::prelude::*;
use runcast_core::{Configuration, Direction, Group, Metric, Point, Series};
use runcast_fit::{FitOptions, Model, document, registry};
use runcast_formula::Formula;
use std::sync::Arc;

fn series(parameters: &[&str], rate: bool, runs: Vec<(Vec<f64>, Vec<f64>)>) -> Arc<Series> {
    let (name, unit, direction) =
        if rate { ("perf_flops", "flop/s", Direction::Higher) } else { ("time_s", "s", Direction::Lower) };
    Arc::new(Series {
        group: Group::new(),
        metric: Metric::new(name, unit, direction),
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        process_parameter: Some(0),
        points: runs.into_iter().map(|(at, values)| Point { at, lines: vec![2; values.len()], values }).collect(),
        file: None,
        warnings: Vec::new(),
    })
}

/// A run time over the number of processes.
type Law = Box<dyn Fn(f64) -> f64>;

/// Between one and nine process counts in ascending order, with one to three repetitions of a positive metric.
fn strong_or_weak() -> impl Strategy<Value = Arc<Series>> {
    let counts = proptest::collection::btree_set(1u32..2000, 1..9);
    (counts, proptest::collection::vec(proptest::collection::vec(1e-6..1e6f64, 1..4), 9), any::<bool>()).prop_map(
        |(counts, values, rate)| {
            series(&["p"], rate, counts.into_iter().map(f64::from).map(|p| vec![p]).zip(values).collect())
        },
    )
}

/// A grid of process counts and sizes, some cells left out.
fn grid() -> impl Strategy<Value = Arc<Series>> {
    (proptest::collection::vec((any::<bool>(), 1e-3..1e3f64), 25), any::<bool>()).prop_map(|(cells, rate)| {
        let mut runs = Vec::new();
        for (index, (keep, value)) in cells.into_iter().enumerate() {
            if keep || index % 7 == 0 {
                let (p, n) = (f64::from(1 << (index / 5)), f64::from(100 + 100 * (index % 5) as i32));
                runs.push((vec![p, n], vec![value]));
            }
        }
        series(&["p", "N"], rate, runs)
    })
}

fn targets(series: &Series) -> Vec<Configuration> {
    [1.0, 3.0, 64.0, 5000.0]
        .iter()
        .flat_map(|p| [100.0, 350.0, 4000.0].iter().map(move |n| [*p, *n]))
        .map(|at| Configuration::from_pairs(&series.parameters, &at))
        .collect()
}

fn check_every_model(series: &Arc<Series>) -> Result<(), TestCaseError> {
    for regression in registry::MODELS {
        let Ok(model) = Model::fit(series, regression, &FitOptions::default()) else { continue };
        let entry = document::entry_of(&model);
        let text = serde_json::to_string(&entry).expect("a document");
        let saved = serde_json::from_str(&text).expect("reads back");
        let reloaded = document::reload(&saved).expect("fits again");
        let formula = (!entry.formula.is_empty()).then(|| Formula::parse(&entry.formula));
        for target in targets(series) {
            let (prediction, warnings) = model.predict(&target, 0.9).expect("a complete target");
            let (again, _) = reloaded.predict(&target, 0.9).expect("a complete target");
            prop_assert_eq!(&prediction, &again, "{}: saved and reloaded", regression.name());
            prop_assert!(prediction.horizon >= 1.0);
            prop_assert_eq!(prediction.extrapolates, prediction.horizon > 1.0);
            let codes: Vec<&String> = warnings.iter().map(|warning| &warning.code).collect();
            prop_assert!(prediction.warnings.iter().all(|code| codes.contains(&code)));
            let Some(value) = prediction.value else {
                prop_assert!(prediction.low.is_none() && prediction.high.is_none());
                prop_assert!(!warnings.is_empty(), "{}: a refusal says why", regression.name());
                continue;
            };
            prop_assert!(value > 0.0 && value.is_finite());
            if let (Some(low), Some(high)) = (prediction.low, prediction.high) {
                prop_assert!(0.0 < low && low <= value && value <= high && high.is_finite());
                let (wider, _) = model.predict(&target, 0.95).expect("a complete target");
                if let (Some(lower), Some(higher)) = (wider.low, wider.high) {
                    prop_assert!(lower <= low && higher >= high, "{}: levels nest", regression.name());
                }
            }
            if let Some(formula) = &formula {
                let formula = formula.as_ref().expect("the formula of a model can be read");
                let told = formula.evaluate(|name| prediction.at.get(name)).expect("evaluates");
                // The law; `auto` answers with what was measured, where it was.
                let law = model.fitted.predictor.law(&model.complete(&target).expect("a complete target"));
                prop_assert!(
                    (told / law - 1.0).abs() < 1e-9,
                    "{}: {} gives {told}, the model {law} at {}",
                    regression.name(),
                    entry.formula,
                    prediction.at
                );
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn predictions_are_positive_ordered_and_told_by_their_formula(series in strong_or_weak()) {
        check_every_model(&series)?;
    }

    #[test]
    fn so_are_those_of_grids(series in grid()) {
        check_every_model(&series)?;
    }

    /// A positive model of runs that fall with p stays positive sixteen times beyond the largest.
    #[test]
    fn pmnf_stays_positive(series in strong_or_weak()) {
        let Ok(model) = Model::fit(&series, registry::find("pmnf").expect("there"), &FitOptions::default()) else {
            return Ok(());
        };
        let most = model.range(0)[1];
        for leap in [1.0, 2.0, 8.0, 16.0] {
            prop_assert!(model.fitted.predictor.value(&[most * leap]) > 0.0);
        }
    }

    /// weak does not depend on the unit of N.
    #[test]
    fn weak_is_free_of_units(noise in proptest::collection::vec(0.9..1.1f64, 12), unit in 1e-3..1e6f64) {
        let runs = |unit: f64| {
            let cells = (0..4).flat_map(|i| (0..3).map(move |j| (f64::from(1 << i), f64::from(100 * (j + 1)))));
            cells.zip(&noise).map(|((p, n), noise)| (vec![p, n * unit], vec![n * n / p * noise])).collect::<Vec<_>>()
        };
        let value = |unit: f64| {
            let series = series(&["p", "N"], false, runs(unit));
            let weak = registry::find("weak").expect("there");
            Model::fit(&series, weak, &FitOptions::default()).expect("fits").fitted.predictor.value(&[64.0, 1000.0 * unit])
        };
        prop_assert!((value(unit) / value(1.0) - 1.0).abs() < 1e-9);
    }

    /// The law of each model, without noise, comes back.
    #[test]
    fn amdahl_and_usl_come_back(f in 0.0..1.0f64, t1 in 1e-3..1e3f64, s in 0.0..0.3f64, q in 0.0..0.01f64) {
        let laws: [(&str, Law); 2] = [
            ("amdahl", Box::new(move |p| t1 * (f + (1.0 - f) / p))),
            ("usl", Box::new(move |p| t1 * (1.0 + s * (p - 1.0) + q * p * (p - 1.0)) / p)),
        ];
        for (name, law) in laws {
            let runs = [1.0, 2.0, 4.0, 8.0, 16.0].iter().map(|p| (vec![*p], vec![law(*p)])).collect();
            let series = series(&["p"], false, runs);
            if let Ok(model) = Model::fit(&series, registry::find(name).expect("there"), &FitOptions::default()) {
                // usl reads runs that rise as weak scaling.
                if model.series.points[4].values[0] < model.series.points[0].values[0] {
                    let value = model.fitted.predictor.value(&[128.0]);
                    prop_assert!((value / law(128.0) - 1.0).abs() < 1e-6, "{name}: {value} for {}", law(128.0));
                }
            }
        }
    }
}
