//! What the runs cannot tell is refused, with its cure; what they hardly tell is warned about.

use crate::made::{at, close, quick, samples, settings};
use runcast_call::piecewise::{Method, NoFit, Repeated, Samples, Settings, Signs, fit};
use runcast_core::prediction::Verdict;

fn runs(parameters: &[&str], rows: &[(&[f64], f64)]) -> Samples {
    let one = |(at, value): &(&[f64], f64)| Repeated::new(at.to_vec(), vec![*value]);
    samples(parameters, rows.iter().map(one).collect())
}

/// `n` from 1 to 12 on these processes.
fn grid(processes: &[f64], value: fn(f64, f64) -> f64) -> Samples {
    let rows = (1..=12).flat_map(|n| processes.iter().map(move |p| [f64::from(n), *p]));
    samples(&["n", "P"], rows.map(|[n, p]| Repeated::new(vec![n, p], vec![value(n, p)])).collect())
}

fn codes(model: &runcast_call::piecewise::Piecewise) -> Vec<&str> {
    model.warnings().iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn a_term_that_is_zero_throughout_names_its_cure() {
    let made = grid(&[1.0], |n, _| 1e-3 * n);
    let error = fit(&made, &quick("F[0] + F[1]*n + F[2]*log2(P)", &[])).expect_err("no log2(P)");
    assert_eq!(error.code(), "zero_term");
    assert!(error.to_string().contains("log2(P) is 0: measure P > 1"), "{error}");
    assert!(error.to_string().contains("F[2]"), "{error}");
}

#[test]
fn dependent_columns_are_named_with_a_cure() {
    let made = grid(&[4.0], |n, _| 1e-3 * n);
    let error = fit(&made, &quick("F[0] + F[1]*n + F[2]*n/P", &[])).expect_err("n and n/P");
    assert_eq!(error.code(), "dependent");
    assert!(error.to_string().contains("F[1], F[2]") && !error.to_string().contains("F[0]"), "{error}");
    assert!(error.hint().expect("a hint").contains("vary P (always 4)"), "{:?}", error.hint());
    assert!(fit(&grid(&[4.0, 8.0], |n, p| 1e-3 * n / p), &quick("F[0] + F[1]*n + F[2]*n/P", &[])).is_ok());
}

#[test]
fn too_few_configurations_are_refused_unless_signs_decide() {
    let three = runs(&["n"], &[(&[1.0], 1.0), (&[2.0], 2.1), (&[3.0], 3.3)]);
    let template = "F[0] + F[1]*n + F[2]*n^2 + F[3]*n^3";
    let error = fit(&three, &Settings { signs: Signs::Free, ..quick(template, &[]) }).expect_err("three");
    assert!(matches!(&error, NoFit::TooFew { configurations: 3, constants } if constants.len() == 4), "{error}");
    // Through three points on a line upwards go several sums of growing terms.
    assert_eq!(fit(&three, &quick(template, &[])).expect_err("three").code(), "too_few");
    // Only the constant helps where everything else grows and the values fall.
    let falling = runs(&["n"], &[(&[1.0], 3.0), (&[2.0], 2.0), (&[3.0], 1.0)]);
    let model = fit(&falling, &settings(template, &[])).expect("one solution");
    assert_eq!(codes(&model), ["underdetermined"]);
    // Least squares of 1 - c/y: c = sum(1/y) / sum(1/y^2).
    let wanted = (1.0 / 3.0 + 0.5 + 1.0) / (1.0 / 9.0 + 0.25 + 1.0);
    assert!(close(model.constants()[0].pieces[0].value, wanted, 1e-12));
    let (prediction, _) = model.predict(&at(&[("n", 4.0)]), 0.9).expect("a target");
    assert_eq!((prediction.low, prediction.interval, prediction.verdict), (None, None, Verdict::FewPoints));
    assert!(prediction.warnings.contains(&"underdetermined".to_owned()));
}

#[test]
fn terms_that_look_alike_are_warned_about() {
    let made = samples(
        &["n"],
        (0..12).map(|i| 1000.0 + f64::from(i)).map(|n| Repeated::new(vec![n], vec![1e-3 * n])).collect(),
    );
    assert!(codes(&fit(&made, &quick("F[0] + F[1]*n", &[])).expect("a fit")).is_empty());
    let model = fit(&made, &quick("F[0] + F[1]*n + F[2]*n*log2(n)", &[])).expect("a fit");
    assert!(model.condition().expect("a condition") > 1e3);
    assert_eq!(codes(&model), ["ill_conditioned"]);
}

#[test]
fn what_is_not_finite_is_rejected_and_counted() {
    let made = runs(
        &["n"],
        &[
            (&[0.0], 1.0),
            (&[1.0], 1.0),
            (&[2.0], 2.0),
            (&[4.0], 3.0),
            (&[8.0], 4.0),
            (&[16.0], 0.0),
            (&[3.0], f64::NAN),
        ],
    );
    let model = fit(&made, &quick("F[0] + F[1]*log2(n)", &[])).expect("a fit");
    assert_eq!(model.rejected()["log2(n) is not finite"], 1);
    assert_eq!(model.rejected()["the measured value is not above 0"], 1);
    assert_eq!(model.rejected()["the measured value is not finite"], 1);
    assert_eq!(model.points().count(), 4);
    assert_eq!(codes(&model), ["rejected"]);
    let error = fit(&made, &quick("F[0] + F[1]/(n-n)", &[])).expect_err("never finite");
    assert_eq!(error.code(), "no_runs");
    assert!(error.to_string().contains("1/(n - n) is not finite"), "{error}");
    let error = fit(&samples(&["n"], vec![]), &quick("F[0]", &[])).expect_err("nothing");
    assert_eq!(error.code(), "no_runs");
}

#[test]
fn names_that_were_not_recorded_are_told() {
    let made = grid(&[1.0, 2.0], |n, p| n / p);
    let error = fit(&made, &quick("F[0] + F[1]*m", &[])).expect_err("m");
    assert!(matches!(&error, NoFit::UnknownName { name, .. } if name == "m"));
    assert!(error.hint().expect("a hint").contains("n, P"));
    assert_eq!(fit(&made, &quick("F[0] + F[1]*n", &["q"])).expect_err("q").code(), "unknown_name");
    let long: Vec<String> = (0..33).map(|k| format!("F[{k}]*n^{k}")).collect();
    assert_eq!(fit(&made, &quick(&long.join("+"), &[])).expect_err("33 constants").code(), "setting");
    let wrong = Settings { level: 1.0, ..quick("F[0]", &[]) };
    assert_eq!(fit(&made, &wrong).expect_err("a level").code(), "setting");
}

#[test]
fn impossible_predictions_are_refused() {
    let rows: Vec<(f64, f64)> = (1..=10).map(|n| (f64::from(n), 12.0 - f64::from(n))).collect();
    let made = samples(&["n"], rows.iter().map(|(n, y)| Repeated::new(vec![*n], vec![*y])).collect());
    let model = fit(&made, &Settings { signs: Signs::Free, ..settings("F[0] + F[1]*n", &[]) }).expect("a fit");
    assert_eq!(codes(&model), ["negative"]);
    assert!(model.constants()[1].pieces[0].negative);
    for n in [12.0, 100.0] {
        let (prediction, _) = model.predict(&at(&[("n", n)]), 0.9).expect("a target");
        assert_eq!((prediction.verdict, prediction.value, prediction.low), (Verdict::Refused, None, None));
        assert!(prediction.warnings.contains(&"nonpositive".to_owned()));
    }
    let logs = fit(&made, &settings("F[0] + F[1]/log2(n+1)", &[])).expect("a fit");
    let (prediction, _) = logs.predict(&at(&[("n", 0.0)]), 0.9).expect("a target");
    assert_eq!(prediction.verdict, Verdict::Refused);
}

#[test]
fn one_value_beyond_a_break_is_few() {
    let time = |n: f64, p: f64| 1e-3 * n / p + if p > 4.0 { 5e-2 } else { 1e-2 } * p.log2();
    let template = "F[0]*n/P + F[1]*log2(P)";
    let verdict = |processes: &[f64], target: f64| {
        let made = grid(processes, time);
        let made = Samples { configurations: made.configurations, ..made };
        let model = fit(&made, &Settings { method: Some(Method::Steps), ..quick(template, &["P"]) }).expect("a fit");
        assert_eq!(model.breaks().len(), 1, "{:?}", model.breaks());
        let (prediction, warnings) = model.predict(&at(&[("n", 6.0), ("P", target)]), 0.9).expect("a target");
        (prediction.verdict, warnings.iter().any(|warning| warning.code == "in_gap"))
    };
    assert_eq!(verdict(&[1.0, 2.0, 4.0, 8.0], 16.0), (Verdict::FewPoints, false));
    assert_eq!(verdict(&[1.0, 2.0, 4.0, 8.0], 8.0), (Verdict::Ok, false));
    assert_eq!(verdict(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 64.0), (Verdict::Ok, false));
    assert_eq!(verdict(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], 6.0), (Verdict::Ok, true));
}

#[test]
fn targets_must_be_complete() {
    let model = fit(&grid(&[1.0, 2.0, 4.0], |n, p| n / p), &quick("F[0] + F[1]*n/P", &[])).expect("a fit");
    let error = model.predict(&at(&[("n", 5.0)]), 0.9).expect_err("no P");
    assert_eq!(error.code, "missing_parameter");
    assert_eq!(error.hint.as_deref(), Some("at n=12,P=4"));
    let error = model.predict(&at(&[("n", 5.0), ("P", 2.0), ("q", 1.0)]), 0.9).expect_err("q");
    assert_eq!((error.code.as_str(), error.allowed.as_deref()), ("unknown_parameter", Some("n, P")));
    assert_eq!(model.predict(&at(&[("n", f64::NAN), ("P", 2.0)]), 0.9).expect_err("NaN").code, "not_a_number");
    assert_eq!(model.predict(&at(&[("n", 5.0), ("P", 2.0)]), 0.0).expect_err("level").code, "out_of_range");
    // What never varied may be left out, what the formula does not use too.
    let fixed = fit(&grid(&[4.0], |n, p| n / p), &quick("F[0] + F[1]*n/P", &[])).expect("a fit");
    let (prediction, _) = fixed.predict(&at(&[("n", 5.0)]), 0.9).expect("P is known");
    assert_eq!(prediction.at, at(&[("n", 5.0), ("P", 4.0)]));
    let unused = fit(&grid(&[1.0, 2.0], |n, _| n), &quick("F[0] + F[1]*n", &[])).expect("a fit");
    assert_eq!(codes(&unused), ["unused_parameter"]);
    assert_eq!(unused.points().count(), 12);
    assert!(unused.predict(&at(&[("n", 5.0), ("P", 64.0)]), 0.9).is_ok());
}
