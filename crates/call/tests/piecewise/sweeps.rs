//! Real sweeps of two kernels through the caches of a machine: `testdata/cll`.

use crate::made::{at, quick, samples, settings, sweep};
use runcast_call::piecewise::suggest::suggest;
use runcast_call::piecewise::validate::{Scheme, validate};
use runcast_call::piecewise::{Method, Repeated, Settings, fit};
use runcast_formula::Formula;

const MIB: f64 = 1_048_576.0;

#[test]
fn a_sum_over_doubles_has_the_breaks_of_its_caches() {
    let (samples, settings) = (sweep("sum"), quick("c[0] + c[1]*n", &["bytes"]));
    let model = fit(&samples, &settings).expect("a fit");
    let single = fit(&samples, &Settings { method: Some(Method::Single), ..settings }).expect("a fit");
    let error = model.quality().mean_error_pct.expect("an error");
    let alone = single.quality().mean_error_pct.expect("an error");
    assert!(error <= 4.0 && error * 3.5 <= alone, "{error} % {alone} %");
    assert!((alone - 31.0).abs() < 0.6, "{alone}");
    let breaks: Vec<f64> = model.breaks().iter().map(|at| at.at / MIB).collect();
    assert!(breaks.iter().any(|at| (0.5..0.85).contains(at)), "{breaks:?}");
    assert!(breaks.iter().any(|at| (10.0..=20.0).contains(at)), "{breaks:?}");
    let held = validate(&model, &Scheme::Folds(5)).expect("folds");
    let (mean, median) = (held.mean_error_pct.expect("a mean"), held.median_error_pct.expect("a median"));
    assert!(mean <= 6.0 && median <= 7.2, "{mean} % {median} %");
    assert!(held.single_mean_error_pct.expect("a mean") > 3.5 * mean);
    assert_eq!((held.points.len(), held.unpredictable), (69, 0));
}

#[test]
fn a_recursive_fft_has_two_pieces() {
    let (samples, settings) = (sweep("fft"), quick("c[0] + c[1]*n*log2(n)", &["bytes"]));
    let model = fit(&samples, &settings).expect("a fit");
    assert_eq!(model.pieces(), 2);
    assert!((1.7..7.0).contains(&(model.breaks()[0].at / MIB)));
    let single = fit(&samples, &Settings { method: Some(Method::Single), ..settings }).expect("a fit");
    let error = model.quality().mean_error_pct.expect("an error");
    assert!(error <= 8.0 && error * 3.5 <= single.quality().mean_error_pct.expect("an error"));
    let held = validate(&model, &Scheme::Folds(5)).expect("folds");
    assert!(held.mean_error_pct.expect("a mean") <= 11.0);
}

#[test]
fn held_out_runs_are_those_of_the_condition() {
    let model = fit(&sweep("fft"), &quick("c[0] + c[1]*n*log2(n)", &["bytes"])).expect("a fit");
    let held = validate(&model, &Scheme::Hold(Formula::parse("n > 1e6").expect("good"))).expect("a rest");
    assert_eq!(held.points.len(), 3);
    for point in &held.points {
        assert!(point.at.get("n").expect("n") > 1e6);
        let (measured, predicted) = (point.measured, point.predicted.expect("a prediction"));
        let residual = point.residual_pct.expect("a residual");
        assert!((residual - 100.0 * (measured - predicted) / measured).abs() < 1e-12);
    }
    for scheme in [Scheme::Folds(1), Scheme::Folds(20), Scheme::Hold(Formula::parse("n > 0").expect("good"))] {
        assert_eq!(validate(&model, &scheme).expect_err("nothing").code(), "setting");
    }
    // By hand: the fold of the index modulo 2, fitted to the other half.
    let folds = validate(&model, &Scheme::Folds(2)).expect("folds");
    let mut half = sweep("fft");
    half.configurations = half.configurations.into_iter().skip(1).step_by(2).collect();
    let other = fit(&half, model.settings()).expect("a fit");
    let first = &folds.points[0];
    let (wanted, _) = other.predict(&first.at, 0.9).expect("a target");
    assert_eq!(first.predicted, wanted.value);
}

#[test]
fn suggestions_go_where_the_model_knows_least() {
    let model = fit(&sweep("sum"), &quick("c[0] + c[1]*n", &["bytes"])).expect("a fit");
    let runs = suggest(&model, 100).runs;
    for at in model.breaks() {
        let inside = |run: &runcast_call::piecewise::suggest::Run| {
            let bytes = run.at.get("bytes").expect("bytes");
            bytes > at.below && bytes < at.above
        };
        assert!(runs.iter().any(inside), "no run in the gap at {}", at.at);
    }
    let most = 536_870_912.0;
    assert_eq!(runs.iter().filter(|run| run.at.get("bytes").expect("bytes") > most).count(), 3);
    for run in &runs {
        assert!(run.at.0.values().all(|value| value.fract() == 0.0), "{}", run.at);
        assert!(run.expected_s.is_some_and(|seconds| seconds > 0.0));
        assert!(!run.reason.is_empty());
        // The bytes follow the elements, which are eight bytes each.
        assert_eq!(run.at.get("bytes"), run.at.get("n").map(|n| 8.0 * n), "{}", run.at);
    }
    assert_eq!(suggest(&model, 2).runs.len(), 2);
    let fixed: Vec<Repeated> = [1.0, 2.0, 4.0, 8.0]
        .map(|p| Repeated::new(vec![1000.0, p], vec![1e-3 / p, 1.5e-3 / p, 1.01e-3 / p, 0.8e-3 / p]))
        .to_vec();
    let model = fit(&samples(&["n", "P"], fixed), &settings("c[0] + c[1]*n/P", &[])).expect("a fit");
    let runs = suggest(&model, 100).runs;
    let has = |n: f64, p: f64| runs.iter().any(|run| run.at == at(&[("n", n), ("P", p)]));
    assert!(has(1000.0, 16.0) && has(1000.0, 32.0) && has(2000.0, 8.0));
    assert!(runs.iter().any(|run| run.reason.starts_with("more repetitions")));
}

#[test]
fn runs_may_be_held_out_by_a_parameter_that_the_formula_does_not_use() {
    // 1 + 2 n, and 10 % more on eight processes.
    let factor = |processes: f64| if processes > 4.0 { 1.1 } else { 1.0 };
    let runs = [1.0, 2.0, 4.0, 8.0].into_iter().flat_map(|processes| {
        let time = move |n: f64| factor(processes) * (1.0 + 2.0 * n);
        [1.0, 2.0, 4.0, 8.0, 16.0].map(|n| Repeated::new(vec![n, processes], vec![time(n)]))
    });
    let model = fit(&samples(&["n", "P"], runs.collect()), &quick("c[0] + c[1]*n", &[])).expect("a fit");
    let held = validate(&model, &Scheme::Hold(Formula::parse("P > 4").expect("good"))).expect("a rest");
    assert_eq!(held.points.len(), 5);
    for point in &held.points {
        let residual = point.residual_pct.expect("a residual");
        assert!((residual - 100.0 * (1.0 - 1.0 / 1.1)).abs() < 1e-9, "{residual}");
    }
}
