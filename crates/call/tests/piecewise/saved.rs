//! Models as documents, and back.

use crate::made::{at, close, normal, samples, settings};
use runcast_call::piecewise::{Method, Piecewise, Repeated, SampleAggregate, Samples, Settings, Weights, fit};
use runcast_core::model::ModelEntry;
use runcast_core::random::SplitMix;
use runcast_formula::Formula;

fn noisy() -> Samples {
    let mut random = SplitMix::new(9, 0);
    let mut configurations = Vec::new();
    for n in (4..=20).map(|e| 2.0f64.powi(e)) {
        for p in [1.0f64, 2.0, 4.0, 8.0, 16.0] {
            let cost = if n / p > 4096.0 { 3e-9 } else { 1e-9 };
            let time = 1e-6 + 1e-7 * p.log2() + cost * n / p;
            let values = (0..4).map(|_| time * (0.01 * normal(&mut random)).exp()).collect();
            let visits = vec![1.0, 1.0, 1.0, if n > 1e4 { 17.0 } else { 1.0 }];
            configurations.push(Repeated { at: vec![n, p], values, visits, runs: vec![] });
        }
    }
    let mut made = samples(&["n", "P"], configurations);
    made.rejected.insert("status exit".to_owned(), 3);
    made.group.insert("region".to_owned(), "F".to_owned());
    made
}

const TEMPLATE: &str = "F[0] + F[1]*log2(P) + F[2]*n/P";

fn models() -> Vec<Piecewise> {
    let segments = settings(TEMPLATE, &["n/P"]);
    let steps = Settings { segmentation_auto: true, seed: 7, ..settings(TEMPLATE, &[]) };
    let single = Settings { weights: Weights::Sqrt, aggregate: SampleAggregate::Q25, ..settings(TEMPLATE, &[]) };
    [segments, steps, single].map(|settings| fit(&noisy(), &settings).expect("a fit")).to_vec()
}

#[test]
fn a_saved_model_gives_the_same_bits() {
    for model in models() {
        let text = serde_json::to_string(&model.entry()).expect("JSON");
        let entry: ModelEntry = serde_json::from_str(&text).expect("an entry");
        let again = Piecewise::reload(&entry).expect("a model");
        assert_eq!(serde_json::to_string(&again.entry()).expect("JSON"), text);
        assert_eq!((again.breaks(), again.constants()), (model.breaks(), model.constants()));
        for n in [3e2, 5e4, 1e9] {
            let target = at(&[("n", n), ("P", 32.0)]);
            assert_eq!(again.predict(&target, 0.8), model.predict(&target, 0.8));
        }
    }
}

#[test]
fn the_entry_has_the_fields_of_a_model() {
    let entries: Vec<serde_json::Value> =
        models().iter().map(|model| serde_json::to_value(model.entry()).expect("JSON")).collect();
    for (entry, method) in entries.iter().zip(["segments", "steps", "single"]) {
        assert_eq!(entry["model"], "piecewise");
        assert_eq!(entry["method"], method);
        assert_eq!(entry["template"], TEMPLATE);
        assert_eq!(entry["group"]["region"], "F");
        assert_eq!((&entry["unit"], &entry["scaling"]), (&"s".into(), &"grid".into()));
        assert_eq!((&entry["points"], &entry["repetitions"]), (&85.into(), &340.into()));
        assert_eq!(entry["rejected"]["status exit"], 3);
        assert!(entry["bic"].is_number());
        assert!(entry["quality"]["mean_error_pct"].is_number());
        let constants = entry["constants"].as_array().expect("constants");
        assert_eq!(constants.len(), 3);
        for piece in constants.iter().flat_map(|constant| constant["pieces"].as_array().expect("pieces")) {
            assert!(
                piece["low"].as_f64() <= piece["value"].as_f64() && piece["value"].as_f64() <= piece["high"].as_f64()
            );
            assert!(piece["negative"].is_boolean() && piece["points"].is_number() && piece["where"].is_array());
        }
    }
    let [segments, steps, single] = &entries[..] else { panic!("three") };
    let fault = &segments["breaks"][0];
    assert_eq!((&fault["variable"], &fault["constant"]), (&"n/P".into(), &serde_json::Value::Null));
    assert_eq!((&fault["below"], &fault["above"]), (&4096.into(), &8192.into()));
    assert!(segments["stability"].as_f64().is_some_and(|share| share > 0.9));
    let ranges = segments["constants"][2]["pieces"].as_array().expect("pieces");
    assert_eq!(ranges[0]["where"][0], serde_json::json!({"variable": "n/P", "from": null, "to": fault["at"]}));
    assert_eq!(ranges[1]["where"][0], serde_json::json!({"variable": "n/P", "from": fault["at"], "to": null}));
    assert_eq!(segments["segments"].as_array().map(Vec::len), Some(2));
    assert_eq!(steps["breaks"][0]["constant"], "F[2]");
    assert_eq!(single["breaks"], serde_json::json!([]));
    assert!(single["coefficients"]["F[1]"].is_number() && single["stability"].is_null());
}

#[test]
fn the_written_formula_is_the_model() {
    for model in models() {
        let formula = Formula::parse(&model.formula()).expect("a formula");
        for n in [10.0, 3000.0, 4096.0, 8191.0, 1e5, 1e8] {
            for p in [1.0, 2.0, 3.0, 64.0] {
                let (written, value) =
                    (formula.evaluate_at(&[("n", n), ("P", p)]).expect("a value"), model.value(&[n, p]));
                assert!(close(written, value, 1e-9), "{}: {written} {value}", model.formula());
            }
        }
        assert_eq!(model.formula().contains("if("), model.method() != Method::Single);
    }
}

#[test]
fn documents_that_contradict_themselves_are_problems() {
    let good = models()[0].entry();
    let mut other = good.clone();
    other.model = "pmnf".to_owned();
    assert_eq!(Piecewise::reload(&other).expect_err("another model").code, "bad_model");
    let mut bare = good.clone();
    bare.training = None;
    assert!(Piecewise::reload(&bare).expect_err("no runs").message.contains("training"));
    for (key, value) in [("template", "F[0] + n"), ("signs", "some"), ("level", "0.9"), ("visits", "x")] {
        let mut wrong = good.clone();
        wrong.training.as_mut().expect("training").options[key] = value.into();
        assert_eq!(Piecewise::reload(&wrong).expect_err(key).code, "bad_model", "{key}");
    }
    let mut short = good.clone();
    short.training.as_mut().expect("training").points[3].values.pop();
    assert!(Piecewise::reload(&short).expect_err("visits").message.contains("visits"));
    let mut unnamed = good;
    unnamed.training.as_mut().expect("training").points[3].at.0.shift_remove("n");
    assert!(Piecewise::reload(&unnamed).expect_err("a parameter").message.contains("parameter"));
}
