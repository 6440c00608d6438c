//! `sim new`: every template runs at the three fidelities, and what is made of a costs file agrees with the cost model.

use crate::{Answer, Place};
use serde_json::Value;

/// Template, a small size, and how far (in percent of the answer at `flow`) the other fidelities may be.
///
/// One master and grids: nothing is in the way of a message, so the three are close. The `dnn` templates, `mslave` and the
/// kernels burst into one link, which `label` and `loggops` do not share.
const SMALL: [(&str, &[&str], f64); 19] = [
    ("master-slave", &["tasks=200", "slaves=4"], 1.0),
    ("hierarchical-master-slave", &["groups=2", "slaves=3", "tasks=64"], 5.0),
    ("spmd-2d", &["n=2048", "px=2", "py=3", "iters=10"], 1.0),
    ("spmd-3d", &["n=128", "p=8", "iters=4"], 5.0),
    ("divide-and-conquer", &["n=1e6", "depth=3"], 3.0),
    ("dnn-allreduce", &["workers=4", "steps=3"], 15.0),
    ("dnn-master", &["workers=4", "steps=3"], 10.0),
    ("training", &["dp=2", "pp=2", "tp=4", "layers=4", "micro=4"], 1.0),
    ("heat", &["n=200", "iters=5", "p=8"], 5.0),
    ("msort", &["n=1048576", "p=8"], 12.0),
    ("mslave", &["pc=1000", "slaves=4"], 12.0),
    ("nas-ep", &["p=16"], 0.1),
    ("nas-cg", &["class=B", "p=16"], 5.0),
    ("nas-ft", &["p=16"], 15.0),
    ("nas-mg", &["p=8"], 2.0),
    // It does little but send all keys at once.
    ("nas-is", &["p=16"], 45.0),
    ("nas-lu", &["class=W", "p=16"], 15.0),
    ("nas-bt", &["class=W", "p=16"], 5.0),
    ("nas-sp", &["class=W", "p=16"], 10.0),
];

fn time_of(place: &Place, folder: &str, set: &[&str], fidelity: &[&str]) -> f64 {
    let experiment = format!("{folder}/experiment.toml");
    let mut arguments = vec!["sim", "run", &experiment, "--repetitions", "1", "--json"];
    arguments.extend(set.iter().flat_map(|value| ["--set", value]));
    arguments.extend(fidelity);
    place.run(&arguments).code(0).document()["time_s"].as_f64().expect("a time")
}

#[test]
fn every_template_runs_at_every_fidelity() {
    let place = Place::new();
    let listed = place.run(&["sim", "new", "--json"]).code(0).document();
    let mut names: Vec<&str> = listed["templates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names.pop(), Some("bsf"), "the one made of a file comes last");
    assert_eq!(names, SMALL.map(|(name, ..)| name), "a template has no test");
    for (name, set, tolerance_pct) in SMALL {
        let document = place.run(&["sim", "new", name, "-o", name, "--json"]).code(0).document();
        assert_eq!((&document["kind"], &document["template"]), (&"sim-new".into(), &name.into()));
        for file in ["app.luau", "system.toml", "experiment.toml"] {
            assert!(place.path(name).join(file).exists(), "{name}/{file}");
        }
        let flow = time_of(&place, name, set, &["--fidelity", "flow"]);
        for fidelity in ["label", "loggops"] {
            let time = time_of(&place, name, set, &["--fidelity", fidelity]);
            let off_pct = 100.0 * (time / flow - 1.0).abs();
            assert!(off_pct <= tolerance_pct, "{name}: {fidelity} {time} s, flow {flow} s: {off_pct} % apart");
        }
    }
}

/// The kernels: the coarse level against the fine one, as somebody asks for it.
#[test]
fn kernels_are_checked_label_against_flow() {
    let place = Place::new();
    // Coarse formulas share no links: what that is worth at 64 processes, in percent.
    for (name, class, tolerance_pct) in [("nas-ep", "A", 1.0), ("nas-cg", "C", 35.0), ("nas-ft", "A", 60.0)] {
        place.run(&["sim", "new", name]).code(0);
        let experiment = format!("{name}/experiment.toml");
        let class = format!("class={class}");
        let arguments = ["sim", "run", &experiment, "--set", "p=64", "--set", &class, "--check", "--json"];
        let document = place.run(&arguments).code(0).document();
        let rows = document["check"].as_array().expect("a check");
        let told: Vec<&str> = rows.iter().filter_map(|row| row["fidelity"].as_str()).collect();
        assert_eq!(told, ["label", "loggops", "flow"], "{name}");
        let label_pct = rows[0]["difference_pct"].as_f64().expect("a difference");
        assert!(label_pct.abs() <= tolerance_pct, "{name}: label is {label_pct} % off flow at 64 processes");
    }
}

const COSTS: &str = "algorithm = \"times\"\n[times]\nlist_length = 5000\nlatency = \"1.9us\"\nsend = \"3.9us\"\nwork = \"5.2ms\"\n\
    fold = \"2.1us\"\nreceive = \"4.0us\"\ncompute = \"14us\"\n";

/// Times of the cost model in its granular form, 1 to 64 workers.
fn predicted(place: &Place, collective: &str) -> Vec<f64> {
    let arguments = [
        "bsf",
        "predict",
        "costs.toml",
        "--form",
        "granular",
        "--collective",
        collective,
        "--workers",
        "1..64",
        "--json",
    ];
    let document = place.run(&arguments).code(0).document();
    let points = document["curves"][0]["points"].as_array().expect("points").clone();
    let workers: Vec<u64> = points.iter().filter_map(|point| point["workers"].as_u64()).collect();
    assert_eq!(workers, (1..=64).collect::<Vec<u64>>());
    points.iter().filter_map(|point| point["time_s"].as_f64()).collect()
}

#[test]
fn an_algorithm_on_paper_is_as_its_cost_model_says() {
    let place = Place::new();
    place.write("costs.toml", COSTS);
    place.run(&["sim", "new", "bsf", "--costs", "costs.toml", "-o", "paper"]).code(0);
    for collective in ["flat", "tree"] {
        let model = predicted(&place, collective);
        let set = format!("collective={collective}");
        let arguments = ["sim", "sweep", "paper/experiment.toml", "--set", &set, "--vary", "workers=1..64", "--json"];
        let document = place.run(&arguments).code(0).document();
        let rows = document["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 64);
        for (row, model) in rows.iter().zip(&model) {
            let time = row["time_s"].as_f64().expect("a time");
            let workers = row["workers"].as_f64().expect("workers");
            // The clock ticks in ps. Along a tree the model counts a fold less than there are on the longest way up: a worker
            // folds its own part with that of the last one below it, and the master, who has none, what comes of it.
            let slack_s = if collective == "tree" { 2.1e-6 } else { 0.0 };
            assert!(
                time <= model * (1.0 + 1e-9) + slack_s,
                "{collective}, {workers} workers: {time} s above {model} s"
            );
            if workers == 1.0 {
                assert!((time / model - 1.0).abs() <= 1e-9, "{collective}: {time} s, the model {model} s");
            }
        }
    }
}

/// A part of the latency in which nobody is busy is the system's.
#[test]
fn an_overhead_below_the_latency_leaves_the_rest_to_the_system() {
    let place = Place::new();
    place.write("costs.toml", &COSTS.replace("latency = \"1.9us\"", "latency = \"1.9us\"\noverhead = \"0.4us\""));
    place.run(&["sim", "new", "bsf", "--costs", "costs.toml", "-o", "paper"]).code(0);
    let time = time_of(&place, "paper", &["workers=1"], &[]);
    let model = predicted(&place, "flat")[0];
    assert!((time / model - 1.0).abs() <= 1e-9, "{time} s, the model {model} s");
}

fn refused(answer: Answer, told: &[&str]) {
    let answer = answer.code(2);
    for word in told {
        assert!(answer.err.contains(word), "{word}: {}", answer.err);
    }
    assert_eq!(answer.out, "");
}

#[test]
fn files_are_not_written_over_and_names_are_known() {
    let place = Place::new();
    place.run(&["sim", "new", "msort", "-o", "sort"]).code(0);
    place.write("sort/app.luau", "-- mine\n");
    refused(place.run(&["sim", "new", "msort", "-o", "sort"]), &["sort/app.luau", "--force"]);
    assert_eq!(place.read("sort/app.luau"), "-- mine\n");
    place.run(&["sim", "new", "msort", "-o", "sort", "--force"]).code(0);
    assert!(place.read("sort/app.luau").contains("sorter"));
    refused(place.run(&["sim", "new", "msrot"]), &["master-slave, ", "did you mean msort?"]);
    assert!(!place.path("msrot").exists());
    refused(place.run(&["sim", "new", "bsf"]), &["--costs"]);
    refused(place.run(&["sim", "new", "heat", "--costs", "costs.toml"]), &["--costs"]);
    place.write("bad.toml", &COSTS.replace("work = \"5.2ms\"", "work = \"-5.2ms\""));
    refused(place.run(&["sim", "new", "bsf", "--costs", "bad.toml"]), &["bad.toml"]);
    let listed = place.run(&["sim", "new", "--json"]).code(0).document();
    assert_eq!((&listed["template"], &listed["files"]), (&Value::Null, &serde_json::json!([])));
}
