//! `bsp predict`: the numbers of the paper, the document, the table, the picture, and what is wrong.

use crate::{Answer, Place};
use serde_json::{Value, json};

const FIG1: &str = include_str!("../../../../testdata/bsp/fig1.toml");
const FFT: &str = include_str!("../../../../testdata/bsp/fft.toml");
const GROUPS: &str = include_str!("../../../../testdata/bsp/groups.toml");
const SUMMATION: &str = include_str!("../../../../testdata/bsp/summation.toml");

fn place() -> Place {
    let place = Place::new();
    for (name, text) in [("fig1", FIG1), ("fft", FFT), ("groups", GROUPS), ("summation", SUMMATION)] {
        place.write(&format!("{name}.toml"), text);
    }
    place
}

fn predicted(place: &Place, arguments: &[&str]) -> Answer {
    place.run(&[&["bsp", "predict"], arguments].concat())
}

#[track_caller]
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

#[test]
fn figure_1_in_both_readings_one_way_and_two_way() {
    let document = predicted(&place(), &["fig1.toml", "--set", "two_way=0,1", "--json"]).code(0).document();
    assert_eq!((&document["kind"], &document["version"]), (&json!("bsp-predict"), &json!(1)));
    assert_eq!(document["program"], "two processors, two oblivious supersteps");
    assert_eq!(document["warnings"], json!([]));
    let times = |key: &str| -> Vec<Value> {
        document["predictions"].as_array().expect("a list").iter().map(|one| one[key].clone()).collect()
    };
    assert_eq!(times("at"), [json!({"two_way": 0}), json!({"two_way": 1})]);
    assert_eq!(times("obsp_time_s"), [10, 12]);
    assert_eq!(times("bsp_time_s"), [12, 12]);
    assert_eq!(times("raw_bsp_time_s"), [Value::Null, Value::Null]);
    assert_eq!(times("gain"), [json!(1.2), json!(1)]);
    assert_eq!(times("processors"), [2, 2]);
}

#[test]
fn every_field_of_a_prediction_is_there() {
    let answer = predicted(&place(), &["groups.toml", "--detail", "--json"]).code(0);
    let document = answer.document();
    let prediction = &document["predictions"][0];
    let keys: Vec<&String> = prediction.as_object().expect("an object").keys().collect();
    for key in [
        "at",
        "processors",
        "obsp_time_s",
        "bsp_time_s",
        "raw_bsp_time_s",
        "gain",
        "start_s",
        "obsp_finish_s",
        "bsp_finish_s",
        "work_s",
        "wait_s",
        "comm_s",
        "steps",
        "critical_path",
    ] {
        assert!(keys.iter().any(|known| *known == key), "{key} in {keys:?}");
    }
    assert_eq!(numbers(&prediction["start_s"]), [0.0, 1.0, 0.0]);
    assert_eq!(numbers(&prediction["obsp_finish_s"]), [15.5, 12.5, 13.5]);
    assert_eq!(numbers(&prediction["bsp_finish_s"]), [15.5, 15.5, 15.5]);
    let sums: Vec<f64> = (0..3)
        .map(|rank| ["start_s", "work_s", "wait_s", "comm_s"].map(|key| numbers(&prediction[key])[rank]).iter().sum())
        .collect();
    assert_eq!(sums, numbers(&prediction["obsp_finish_s"]));
    let expected = json!({
        "path": "1:1/1", "name": null, "task": "pair", "depth": 1, "first_rank": 1, "processors": 2, "sync": "oblivious",
        "obsp_finish_s": [6.5, 6.5], "bsp_finish_s": [6.5, 6.5], "wait_s": [0, 0], "h_bytes": [20, 20],
    });
    assert_eq!(prediction["steps"][2], expected);
    let path = prediction["critical_path"].as_array().expect("a list");
    let first = json!({"rank": 2, "path": "1", "kind": "work", "from_s": 0.0, "to_s": 2.0});
    assert_eq!((&path[0], &path[5]["to_s"]), (&first, &json!(15.5)));
    assert_eq!(path[4], json!({"rank": 0, "path": "1", "kind": "comm", "from_s": 9.5, "to_s": 14.5}));
}

#[test]
fn without_detail_there_are_no_steps() {
    let document = predicted(&place(), &["groups.toml", "--json"]).code(0).document();
    let prediction = document["predictions"][0].as_object().expect("an object");
    assert!(!prediction.contains_key("steps") && !prediction.contains_key("critical_path"));
}

#[test]
fn the_fft_follows_its_equation() {
    let place = place();
    let answer = predicted(&place, &["fft.toml", "--set", "P=1,2,4,8", "-o", "t.csv", "--json"]).code(0);
    let times: Vec<f64> = answer.document()["predictions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["obsp_time_s"].as_f64().expect("a number"))
        .collect();
    assert_eq!(times, [6157.0, 19754.0, 26695.0, 30244.0]);
    let table = place.read("t.csv");
    let lines: Vec<&str> = table.lines().collect();
    let header = "method,model,P,N,A0,B0,C0,D0,D1,E0,E1,F0,F1,G0,G1,time_s,time_low_s,time_high_s,interval_level,verdict,\
                  horizon";
    assert_eq!(lines[0], header);
    assert_eq!(lines[3], "bsp,obsp,2,4096,1,2,3,5,0.5,7,0,11,0.25,13,0.125,19754,,,,ok,");
    assert_eq!(lines[4], "bsp,bsp,2,4096,1,2,3,5,0.5,7,0,11,0.25,13,0.125,19754,,,,ok,");
    assert_eq!(lines.len(), 9);
}

/// The table is one like any other: what takes tables takes it.
#[test]
fn the_table_can_be_evaluated_against_runs() {
    let place = place();
    predicted(&place, &["fft.toml", "--set", "P=2,4,8", "-o", "t.csv"]).code(0);
    place.write("runs.csv", "P,time_s\n2,20000\n4,26000\n8,30000\n");
    let answer = place.run(&["evaluate", "--predictions", "t.csv", "--runs", "runs.csv", "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

#[test]
fn people_see_a_table_and_with_detail_the_path_in_words() {
    insta::assert_snapshot!(predicted(&place(), &["fig1.toml", "--set", "two_way=0,1"]).whole());
    insta::assert_snapshot!(predicted(&place(), &["groups.toml", "--detail"]).whole());
    let raw = predicted(&place(), &["summation.toml"]).code(0);
    assert!(raw.out.contains("raw BSP"), "{}", raw.out);
}

#[test]
fn combinations_vary_the_last_parameter_fastest() {
    let document =
        predicted(&place(), &["fft.toml", "--set", "P=1,2", "--set", "D1=1/4,1/2", "--json"]).code(0).document();
    let at: Vec<(Value, Value)> = document["predictions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (one["at"]["P"].clone(), one["at"]["D1"].clone()))
        .collect();
    let (quarter, half) = (json!(0.25), json!(0.5));
    assert_eq!(at, [(json!(1), quarter.clone()), (json!(1), half.clone()), (json!(2), quarter), (json!(2), half)]);
}

#[test]
fn the_picture_shows_both_readings_over_one_time_axis() {
    let place = place();
    let answer = predicted(&place, &["fig1.toml", "--svg", "fig1.svg"]).code(0);
    assert!(answer.err.contains("wrote fig1.svg"), "{}", answer.err);
    let svg = place.read("fig1.svg");
    for part in ["OBSP*, oblivious: 10 s", "BSP, with barriers: 12 s", "critical path", "time (s)", "two_way = 0"] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    assert_eq!(svg.matches(">time (s)<").count(), 1);
    // 128 ranks: a sample, marked so.
    predicted(&place, &["fft.toml", "--set", "P=128", "--svg", "fft.svg"]).code(0);
    assert!(place.read("fft.svg").contains("of 128 ranks"), "a sample is marked");
    let several = predicted(&place, &["fft.toml", "--set", "P=2,4", "--svg", "x.svg"]).code(0);
    assert!(several.err.contains("first of 2 predictions"), "{}", several.err);
}

#[test]
fn help_fits_the_width_and_ends_in_examples() {
    for command in [&["bsp", "--help"][..], &["bsp", "predict", "--help"]] {
        let answer = Place::new().run(command).code(0);
        assert_eq!(answer.out.lines().find(|line| line.chars().count() > 80), None);
        assert_eq!(answer.out.contains("Examples:\n"), command.len() == 3);
    }
}

#[test]
fn what_is_wrong_is_an_input_error() {
    let place = place();
    place.write("odd.toml", &FFT.replace("P = 8", "P = 6"));
    place.write("endless.toml", "machine = { processors = 1, task = \"t\" }\ntask.t.step = [ { call = \"t\" } ]");
    for (arguments, parts) in [
        (vec!["none.toml"], vec!["none.toml", "cannot be read"]),
        (vec!["fft.toml", "--set", "M=1"], vec!["--set", "no parameter \"M\"", "P, N, A0"]),
        (vec!["fft.toml", "--set", "P"], vec!["--set", "NAME=V"]),
        (vec!["fft.toml", "--set", "P=3"], vec!["fft.toml:9:", "task fft, step 1 (halves)", "\"procs/2\" is 1.5"]),
        (vec!["odd.toml"], vec!["odd.toml:9:", "superstep 1:0/1", "\"procs/2\" is 1.5, with procs = 3"]),
        (vec!["endless.toml"], vec!["task t, step 1", "does not end"]),
        (vec!["fft.toml", "--max-steps", "55"], vec!["--max-steps", "more than 55 processor-supersteps"]),
        (vec!["fft.toml", "--svg", "a.png"], vec!["--svg", "not an .svg"]),
        (vec!["fft.toml", "--max-steps", "0"], vec!["--max-steps"]),
    ] {
        let answer = predicted(&place, &arguments).code(2);
        for part in parts {
            assert!(answer.err.contains(part), "{part} in {}", answer.err);
        }
        assert_eq!(answer.out, "");
    }
    let document = predicted(&place, &["fft.toml", "--set", "P=3", "--json"]).code(2).document();
    assert_eq!(document["kind"], "error");
    assert_eq!(document["problems"][0]["value"], "1.5");
}

/// Leaves and exchanges measured at small sizes, fitted, and composed by the recursion on many processors: the same
/// as the formula at the top.
#[test]
fn blocks_that_were_fitted_are_composed_by_the_recursion() {
    let place = place();
    let measured = |formula: fn(f64) -> f64| {
        let rows = (4..13).map(|k| 2f64.powi(k)).map(|n| format!("{n},{}\n", formula(n)));
        format!("n,time_s\n{}", rows.collect::<String>())
    };
    place.write("models/leaf.csv", &measured(|n| 13.0 + 0.125 * n * n.log2()));
    place.write("models/exchange.csv", &measured(|n| 5.0 + 8.0 * n));
    for (name, formula) in [("leaf", "a + b*n*log2(n)"), ("exchange", "a + b*n")] {
        let (table, model) = (format!("models/{name}.csv"), format!("models/{name}.json"));
        let fit = ["fit", &table, "--params", "n", "--formula", formula, "--unknown", "a,b", "-o", &model];
        place.run(&fit).code(0);
    }
    let program = FFT
        .replace("block.D = { g = \"D1\", L = \"D0\" }", "block.D = { g = 0, L = \"exchange\" }\nmodels.leaf = { file = \"models/leaf.json\" }\nmodels.exchange = { file = \"models/exchange.json\", with = { n = \"n/2\" } }")
        .replace("work = \"G0 + G1*n*log2(n)\"", "work = \"leaf\"");
    place.write("fitted.toml", &program);
    let answer = predicted(&place, &["fitted.toml", "--set", "P=8,128", "--json"]).code(0);
    let document = answer.document();
    // (11) with fft[0..3] = 13, 29, 0.125, 8.25.
    let expected = |p: f64| {
        let n = 4096.0;
        13.0 + 29.0 * p.log2() + 0.125 * (n / p) * (n / p).log2() + 8.25 * n * (p - 1.0) / p
    };
    for (index, p) in [8.0, 128.0].into_iter().enumerate() {
        let time = document["predictions"][index]["obsp_time_s"].as_f64().expect("a number");
        assert!((time / expected(p) - 1.0).abs() < 1e-9, "{time} against {}", expected(p));
    }
    // On 4,096 processors a leaf has one element, which nobody measured.
    let far = predicted(&place, &["fitted.toml", "--set", "P=4096"]).code(0);
    assert!(far.err.contains("model leaf") && far.err.contains("extrapolation"), "{}", far.err);
}

/// A model of `llac` with a break: the leaf is cheap in the cache and dear beyond.
#[test]
fn a_model_of_llac_chooses_its_piece() {
    let place = place();
    let time = |n: f64| if n <= 4096.0 { 300.0 + n } else { 2500.0 + 1.9 * n };
    let rows = (6..19).map(|k| 2f64.powi(k)).map(|n| format!("{n},{}\n", time(n)));
    place.write("t.csv", &format!("n,time_s\n{}", rows.collect::<String>()));
    let script = "load t.csv as t; fit formula \"c[0] + c[1]*n\" in t seg n as m; save m to m.json";
    place.run(&["llac", "-e", script]).code(0);
    place.write(
        "p.toml",
        "parameters = { N = 65536, P = 4 }\nmachine = { processors = \"P\", task = \"t\" }\n\
         models.leaf = { file = \"m.json\", with = { n = \"N/procs\" } }\ntask.t.step = [ { work = \"leaf\" } ]",
    );
    let document = predicted(&place, &["p.toml", "--set", "P=2,32", "--json"]).code(0).document();
    for (index, n) in [32_768.0, 2048.0].into_iter().enumerate() {
        let predicted = document["predictions"][index]["obsp_time_s"].as_f64().expect("a number");
        assert!((predicted / time(n) - 1.0).abs() < 1e-6, "{predicted} against {}", time(n));
    }
    let far = predicted(&place, &["p.toml", "--set", "N=1e9"]).code(0);
    assert!(far.err.contains("extrapolation"), "{}", far.err);
}

#[test]
fn what_is_wrong_with_models_is_told_at_their_place() {
    let place = place();
    let program = |file: &str| {
        format!(
            "machine = {{ processors = 1, task = \"t\", args = {{ n = 1 }} }}\nmodels.X = {{ file = \"{file}\" }}\ntask.t.step = [ {{ work = \"X\" }} ]"
        )
    };
    place.write("not.json", "{\"kind\": \"plan\", \"version\": 1}");
    for (file, parts) in [
        ("gone.json", ["p.toml:2:", "models X", "gone.json", "cannot be read"]),
        ("not.json", ["p.toml:2:", "models X", "not.json", "no document of models"]),
    ] {
        place.write("p.toml", &program(file));
        let answer = predicted(&place, &["p.toml"]).code(2);
        for part in parts {
            assert!(answer.err.contains(part), "{part} in {}", answer.err);
        }
    }
}
