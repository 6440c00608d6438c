//! `runcast compare`: forecasts of several methods and the runs, side by side.

use crate::Place;
use serde_json::Value;

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} for {expected}");
}

/// The entry of a list whose field has this value.
fn find<'v>(list: &'v Value, key: &str, value: &str) -> &'v Value {
    let found = list.as_array().expect("a list").iter().find(|one| one[key] == value);
    found.unwrap_or_else(|| panic!("{key} = {value} in {list}"))
}

/// Three tables of predictions with known errors on three runs, and ranges at a target.
fn tables() -> Place {
    let place = Place::new();
    place.write("runs.csv", "p,time_s\n1,100\n2,60\n4,40\n");
    let errors = [("a", [0.10, -0.06, 0.08]), ("b", [0.02, 0.04, 0.03]), ("c", [-0.30, 0.20, 0.25])];
    let targets = ["100,90,112", "110,100,120", "130,120,140"];
    for ((name, errors), target) in errors.iter().zip(targets) {
        let runs = [(1, 100.0), (2, 60.0), (4, 40.0_f64)];
        let row = |((p, time), error): (&(i32, f64), &f64)| format!("{p},{},,,\n", time / error.exp());
        let rows: String = runs.iter().zip(errors).map(row).collect();
        place.write(
            &format!("{name}.csv"),
            &format!("p,time_s,time_low_s,time_high_s,interval_level\n{rows}8,{target},0.9\n"),
        );
    }
    place
}

/// Weights, value, range and distances were computed with scipy from the errors and the ranges of [`tables`].
#[test]
fn three_forecasts_are_ranked_and_combined() {
    let place = tables();
    let inputs = ["--predictions", "a.csv", "--predictions", "b.csv", "--predictions", "c.csv"];
    let all = [&["compare", "runs.csv", "--at", "p=8", "--combine", "--json"], &inputs[..]].concat();
    let document = place.run(&all).code(0).document();
    assert_eq!((&document["kind"], &document["version"]), (&"compare".into(), &1.into()));
    assert_eq!(document["ranking"]["order"], serde_json::json!(["b", "a", "c"]));
    assert_eq!(document["ranking"]["points"], 3);
    let combined = &document["combined"];
    for (name, weight) in [("a", 0.158_869), ("b", 0.841_131), ("c", 0.0)] {
        let member = find(&combined["members"], "input", name);
        assert!((number(member, "weight") - weight).abs() < 1e-6, "{member}");
    }
    let at_target = combined["predictions"].as_array().expect("predictions").last().expect("some");
    near(number(at_target, "value"), 108.346_944, 1e-6);
    near(number(at_target, "low"), 96.038_506, 1e-6);
    near(number(at_target, "high"), 119.508_370, 1e-6);
    for (a, b, z, agree) in [("a", "b", 1.101_227, true), ("b", "c", 2.301777, false), ("a", "c", 3.225846, false)] {
        let pairs = document["agreement"].as_array().expect("pairs").iter();
        let mut of_pair = pairs.filter(|one| one["a"] == a && one["b"] == b && one["at"]["p"] == 8.0);
        let found = of_pair.next().expect("the pair");
        near(number(found, "z"), z, 1e-6);
        assert_eq!((&found["agree"], &found["independent"]), (&agree.into(), &true.into()));
    }
    let of_runs = &document["configurations"][0];
    near(number(find(&of_runs["forecasts"], "input", "a"), "error_pct"), 100.0 * (1.0 - (-0.1_f64).exp()), 1e-9);
    // What it writes is read as predictions again.
    place.run(&[&all[..], &["-o", "all.csv"]].concat()).code(0);
    let again = place.run(&["evaluate", "runs.csv", "--predictions", "all.csv", "--json"]).code(0).document();
    assert_eq!(find(&again["models"], "model", "combined")["count"], 3);
}

/// By hand: of three runs each 2, 2 and 1 are in the range, of the medians those of 8 and 16 processes.
#[test]
fn every_run_of_a_configuration_counts() {
    let place = Place::new();
    place.write("runs.csv", "p,time_s\n8,10\n8,10.2\n8,10.6\n16,5\n16,5.1\n16,5.8\n32,2.9\n32,2.6\n32,2.95\n");
    place.write(
        "said.csv",
        "p,time_s,time_low_s,time_high_s,interval_level\n8,10,9.5,10.4,0.9\n16,5,4.6,5.4,0.9\n32,2.5,2.4,2.7,0.9\n",
    );
    let document = place.run(&["compare", "runs.csv", "--predictions", "said.csv", "--json"]).code(0).document();
    let found = &document["inputs"][0];
    assert_eq!(
        (&found["covered"], &found["runs"], &found["covered_runs"]),
        (&2.into(), &9.into(), &5.into()),
        "{found}"
    );
}

/// The cost model of Jacobi's method with the numbers of its publication; T(1) and T(2) by its equations.
#[test]
fn every_method_is_asked_as_it_is() {
    let place = Place::new();
    place.write("runs.csv", "p,rep,time_s\n1,0,0.131\n1,1,0.130\n2,0,0.130\n3,0,0.067\n5,0,0.0355\n9,0,0.021\n");
    place.write(
        "costs.toml",
        "algorithm = \"jacobi\"\nsize = 1500\n[machine]\nlatency = \"15us\"\nop_time = \"29ns\"\ntransfer_time = \"190ns\"\n",
    );
    place.write("steps.toml", "[task.main]\nsteps = []\n");
    let all = ["compare", "runs.csv", "--train", "p <= 3", "--predictions", "costs.toml", "--at", "p=17", "--json"];
    let document = place.run(&all).code(0).document();
    let alone = &document["configurations"][0];
    // n^2 products and n sums a process: (2 n^2 + 4 n) operations of 29 ns.
    near(
        number(find(&alone["forecasts"], "input", "costs/smooth-flat"), "value"),
        29e-9 * (2.0 * 1500.0_f64.powi(2) + 4.0 * 1500.0),
        2e-3,
    );
    let flat =
        |row: usize| number(find(&document["configurations"][row]["forecasts"], "input", "costs/smooth-flat"), "value");
    // One worker has the whole list and a message each way on top; two have half of it.
    near(flat(1), 0.131_274, 1e-9);
    near(flat(2), 0.066_667_5, 1e-9);
    let fit = find(&document["inputs"], "input", "fit");
    assert_eq!((&fit["needs"]["runs"], &fit["held_out"]), (&4.into(), &2.into()));
    // 1 process for 0.261 s, 2 for 0.130 s, 3 for 0.067 s.
    near(number(&fit["needs"], "core_hours"), (0.261 + 0.26 + 0.201) / 3600.0, 1e-9);
    let seen = find(&document["configurations"][1]["forecasts"], "input", "fit");
    assert_eq!(seen["seen"], true);
    assert_eq!(document["ranking"]["points"], 2);

    // Workers in place of processes, and a name that only one input has.
    place.write("workers.csv", "K,time_s\n1,0.13\n2,0.067\n");
    let renamed = place.run(&["compare", "workers.csv", "costs.toml", "--json"]).code(0).document();
    near(
        number(find(&renamed["configurations"][1]["forecasts"], "input", "costs/smooth-flat"), "value"),
        0.066_667_5,
        1e-9,
    );
    place.write("closed.csv", "workers,time_s\n1,0.13\n2,0.066\n");
    let silent = place.run(&["compare", "workers.csv", "--predictions", "closed.csv"]).code(1);
    assert!(silent.err.contains("--rename K=workers"), "{}", silent.err);
    let met = ["compare", "workers.csv", "--predictions", "closed.csv", "--rename", "closed:K=workers", "--json"];
    assert_eq!(place.run(&met).code(0).document()["inputs"][0]["answered"], 2);
}

#[test]
fn a_model_of_the_simulator_and_saved_models_are_asked() {
    let place = Place::new();
    place.run(&["sim", "new", "heat"]).code(0);
    let truth = place.run(&["sim", "sweep", "heat/experiment.toml", "--vary", "p=1,8,27", "-o", "-"]).code(0);
    let time = |row: &str| row.split(',').nth(3).expect("a time").to_owned();
    let times: Vec<String> = truth.out.lines().skip(1).map(time).collect();
    place.write("runs.csv", &format!("p,time_s\n1,{}\n8,{}\n27,{}\n", times[0], times[1], times[2]));
    place.run(&["fit", "runs.csv", "--model", "amdahl", "--where", "p <= 8", "-o", "model.json"]);
    let all = ["compare", "runs.csv", "heat/experiment.toml", "model.json", "--name", "experiment=simulated", "--json"];
    let document = place.run(&all).code(0).document();
    let simulated = find(&document["inputs"], "input", "simulated");
    assert_eq!((&simulated["answered"], &simulated["method"]), (&3.into(), &"sim".into()));
    assert!(number(simulated, "max_error_pct") < 1e-9, "{simulated}");
    let model = find(&document["inputs"], "input", "model");
    assert_eq!((&model["held_out"], &model["needs"]["runs"]), (&1.into(), &2.into()), "{model}");
    assert_eq!(document["ranking"]["order"][0], "simulated");
    let differs = document["differences"].as_array().is_some_and(|list| list.len() <= 1);
    assert!(differs, "{document}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let place = tables();
    place.write("system.toml", "format = \"runcast-system/1\"\nname = \"s\"\ncomponent = []\n");
    for (options, code, told) in [
        (&["compare", "runs.csv", "--predictions", "system.toml"][..], 2, "forecasts nothing"),
        (&["compare", "runs.csv", "--predictions", "a.csv", "--set", "b:N=3"], 2, "no input is called b"),
        (&["compare", "runs.csv", "--predictions", "a.csv", "--name", "a.csv=x", "--set", "a:N"], 2, "model:N=1000"),
        (&["compare", "--predictions", "a.csv"], 2, "--at p=64"),
        (&["compare", "--predictions", "a.csv", "--train", "p < 4", "--at", "p=8"], 2, "no table of runs to fit"),
        (&["compare", "runs.csv", "--predictions", "a.csv", "--where", "p > 9"], 2, "no row satisfies"),
    ] {
        let refused = place.run(options).code(code);
        assert!(refused.err.contains(told), "{options:?}: {}", refused.err);
    }
    // An input that answers nowhere is listed with the reason; the others are compared.
    place.write("sizes.csv", "N,time_s\n1,2\n");
    let listed = place.run(&["compare", "runs.csv", "--predictions", "a.csv", "--predictions", "sizes.csv"]).code(0);
    assert!(listed.err.contains("sizes says nothing here") && listed.err.contains("--rename p=N"), "{}", listed.err);
}
