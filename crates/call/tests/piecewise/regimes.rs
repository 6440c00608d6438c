//! Smooth regimes, against numbers computed in Python with the non-negative least squares of SciPy.

use crate::made::{at, close, quick, settings, sweep};
use runcast_call::piecewise::validate::{Scheme, validate};
use runcast_call::piecewise::{Family, Method, Piecewise, Samples, Settings, fit};
use runcast_formula::Formula;
use serde_json::Value;

const FFT: &str = "c[0] + c[1]*n*log2(n)";
const SUM: &str = "c[0] + c[1]*n";

fn with(samples: &Samples, template: &str, method: Option<Method>) -> Piecewise {
    fit(samples, &Settings { method, ..quick(template, &["bytes"]) }).expect("a fit")
}

/// `shape C value`, in the order of choice.
fn shapes(model: &Piecewise) -> Vec<(String, f64, f64)> {
    let entry = serde_json::to_value(model.entry()).expect("JSON");
    let list = entry["shapes"].as_array().expect("shapes").clone();
    let number = |value: &Value| value.as_f64().expect("a number");
    list.iter()
        .map(|shape| {
            let power = shape["w"].as_u64().map_or("cap".to_owned(), |power| format!("log{power}"));
            assert_eq!(shape["term"], "c[1]");
            (power, number(&shape["C"]), number(&shape["value"]))
        })
        .collect()
}

struct Published {
    kernel: &'static str,
    template: &'static str,
    shapes: [(&'static str, f64, f64); 4],
    constants: [f64; 2],
    bic: f64,
    /// Mean and median error in 5 folds, of pieces and of regimes.
    folds: [[f64; 2]; 2],
    /// Mean and largest error beyond an eighth of the range.
    far: [[f64; 2]; 2],
    /// Medians of regimes and of pieces, and the standard error of the difference.
    choice: [f64; 3],
    distance: [f64; 2],
}

const PUBLISHED: [Published; 2] = [
    Published {
        kernel: "fft",
        template: FFT,
        shapes: [
            ("log2", 7.12751e6, 1.92692e-9),
            ("cap", 7.61683e7, 2.33221e-9),
            ("log4", 4.43783e6, 9.61946e-10),
            ("log4", 877.724, 8.14722e-10),
        ],
        constants: [6.23143e-8, 2.79034e-10],
        bic: -109.2229,
        folds: [[7.7177, 4.9460], [4.4230, 1.5133]],
        far: [[15.8700, 28.2693], [13.2868, 26.6965]],
        choice: [1.5020, 5.0725, 1.2432],
        distance: [0.2421, 0.3062],
    },
    Published {
        kernel: "sum",
        template: SUM,
        shapes: [
            ("log2", 2.34163e7, 8.96826e-11),
            ("log8", 879_812.0, 1.81847e-11),
            ("log8", 2.01716e7, 6.98245e-11),
            ("log64", 2.34163e7, 3.21071e-11),
        ],
        constants: [4.2202e-10, 6.1438e-11],
        bic: -438.2536,
        folds: [[3.8854, 1.4288], [2.2290, 1.1670]],
        far: [[5.2111, 13.1065], [3.4507, 6.1620]],
        choice: [1.1602, 1.4265, 0.9047],
        distance: [0.1934, 0.1974],
    },
];

fn same(kernel: &str, what: &str, got: f64, wanted: f64, tolerance: f64) {
    assert!(close(got, wanted, tolerance), "{kernel}, {what}: expectation {wanted}, actual result {got}");
}

#[test]
fn the_shapes_of_two_kernels_are_those_of_an_independent_program() {
    for case in PUBLISHED {
        let model = with(&sweep(case.kernel), case.template, Some(Method::Regimes));
        assert_eq!((model.family(), model.entry().model.as_str()), (Family::Regimes, "regimes"));
        let found = shapes(&model);
        assert_eq!(found.len(), 4, "{found:?}");
        for ((shape, place, value), wanted) in found.iter().zip(case.shapes) {
            assert_eq!(shape, wanted.0);
            same(case.kernel, "C", *place, wanted.1, 1e-5);
            same(case.kernel, "value", *value, wanted.2, 1e-5);
        }
        let entry = serde_json::to_value(model.entry()).expect("JSON");
        for (k, wanted) in case.constants.into_iter().enumerate() {
            same(case.kernel, "c", entry["smooth"][format!("c[{k}]")].as_f64().expect("c"), wanted, 1e-4);
        }
        same(case.kernel, "BIC", model.bic(), case.bic, 1e-6);
    }
}

#[test]
fn held_out_sizes_are_predicted_as_well_as_published() {
    for case in PUBLISHED {
        let samples = sweep(case.kernel);
        for (method, wanted) in [(Some(Method::Segments), case.folds[0]), (None, case.folds[1])] {
            let held = validate(&with(&samples, case.template, method), &Scheme::Folds(5)).expect("folds");
            same(case.kernel, "mean", held.mean_error_pct.expect("a mean"), wanted[0], 1e-4);
            same(case.kernel, "median", held.median_error_pct.expect("a median"), wanted[1], 1e-4);
        }
        let most = samples.configurations.iter().map(|repeated| repeated.at[1]).fold(0.0, f64::max);
        let far = Scheme::Hold(Formula::parse(&format!("bytes > {}", most / 8.0)).expect("good"));
        for (method, wanted) in [(Method::Segments, case.far[0]), (Method::Regimes, case.far[1])] {
            let held = validate(&with(&samples, case.template, Some(method)), &far).expect("a rest");
            let most = held.points.iter().filter_map(|point| point.residual_pct).map(f64::abs).fold(0.0, f64::max);
            same(case.kernel, "mean beyond", held.mean_error_pct.expect("a mean"), wanted[0], 1e-4);
            same(case.kernel, "most beyond", most, wanted[1], 1e-4);
        }
    }
}

#[test]
fn the_better_family_is_chosen_and_says_why() {
    for case in PUBLISHED {
        let model = with(&sweep(case.kernel), case.template, None);
        assert_eq!((model.family(), model.method()), (Family::Regimes, Method::Regimes));
        assert!(!model.breaks().is_empty(), "breaks are reported either way");
        let choice = model.choice().expect("a choice");
        same(case.kernel, "median of regimes", choice.regimes_median_pct.expect("one"), case.choice[0], 1e-4);
        same(case.kernel, "median of pieces", choice.pieces_median_pct.expect("one"), case.choice[1], 1e-4);
        same(case.kernel, "standard error", choice.standard_error_pct.expect("one"), case.choice[2], 1e-4);
        assert!(choice.reason.is_empty());
    }
}

#[test]
fn the_error_of_distance_is_that_of_an_independent_program() {
    for case in PUBLISHED {
        for (method, wanted) in [(Method::Regimes, case.distance[0]), (Method::Segments, case.distance[1])] {
            let settings = Settings { method: Some(method), ..settings(case.template, &["bytes"]) };
            let entry = fit(&sweep(case.kernel), &settings).expect("a fit").entry();
            let k = entry.extra["distance_per_e"].as_f64().expect("a number");
            assert!(
                (k - wanted).abs() < 6e-5,
                "{}, {}: expectation {wanted}, actual result {k}",
                case.kernel,
                method.name()
            );
        }
    }
}

#[test]
fn predictions_are_those_of_an_independent_program() {
    let fft = with(&sweep("fft"), FFT, None);
    let n = 2f64.powi(24);
    let (far, _) = fft.predict(&at(&[("n", n), ("bytes", 40.0 * n)]), 0.9).expect("a target");
    same("fft", "n = 2^24", far.value.expect("a value"), 2.43601713, 1e-6);
    let sum = with(&sweep("sum"), SUM, None);
    let (within, _) = sum.predict(&at(&[("n", 1e5), ("bytes", 8e5)]), 0.9).expect("a target");
    same("sum", "n = 1e5", within.value.expect("a value"), 6.57792213e-6, 1e-8);
}
