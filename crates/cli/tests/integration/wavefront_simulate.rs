//! `wavefront simulate`: both engines against reference values, runs, traces, the error, every error, threads.

use crate::wavefront_cases::{BARRIER, LAB, case, number};
use crate::{Answer, Place};
use serde_json::Value;

/// Without chance: updates of 3 and 5 s, messages of 4 s; phase 1 takes 9 s on ws1, 7 s on ws2.
const CLOCKWORK: &str = r#"
[wavefront]
step = "1s"
omega = 3
[[process]]
name = "ws1"
B = 2
update = { constant = "3s" }
[[process]]
name = "ws2"
B = 2
update = { constant = "5s" }
[network]
default = { constant = "4s" }
[operator]
matrix = "m.csv"
pieces = [2, 2]
"#;

/// Tridiagonal, 1/4 beside a diagonal of 1/4: rho = 1/4 + 1/2 cos(pi/5).
const MATRIX: &str = "0.25,0.25,0,0\n0.25,0.25,0.25,0\n0,0.25,0.25,0.25\n0,0,0.25,0.25\n";

fn place() -> Place {
    let place = Place::new();
    place.write("lab.toml", LAB);
    place.write("barrier.toml", BARRIER);
    place.write("clockwork.toml", CLOCKWORK);
    place.write("m.csv", MATRIX);
    place
}

fn simulated(place: &Place, arguments: &[&str]) -> Answer {
    place.run(&[&["wavefront", "simulate"], arguments].concat())
}

#[track_caller]
fn document(place: &Place, arguments: &[&str]) -> Value {
    simulated(place, &[arguments, &["--json"]].concat()).code(0).document()
}

fn expected(name: &str) -> Value {
    case(name)["expected"].clone()
}

#[test]
fn both_engines_agree_with_the_reference() {
    let place = place();
    let exact = expected("p3-const-net-async1");
    for (engine, phases) in [("recursion", "400000"), ("events", "100000")] {
        let document = document(&place, &["lab.toml", "--engine", engine, "--phases", phases]);
        assert_eq!((&document["kind"], &document["version"]), (&"wavefront-simulate".into(), &1.into()));
        assert_eq!((&document["engine"], &document["runs"], &document["seed"]), (&engine.into(), &1.into(), &0.into()));
        assert_eq!(document["phases"].to_string(), phases);
        let count: f64 = phases.parse().expect("a number");
        let error = |field: &str| (number(&exact["asym"][field]) / count).sqrt();
        for (field, reference, asymptotic) in [("phase_mean", "E_phi", "var_phi"), ("iterations_mean", "E_N", "var_N")]
        {
            let unit = if field == "phase_mean" { "_s" } else { "" };
            let off = number(&document[format!("{field}{unit}")]) - number(&exact[reference]);
            assert!(off.abs() < 4.0 * error(asymptotic), "{engine}: {field} off by {off}");
            let ratio = number(&document[format!("{field}_se{unit}")]) / error(asymptotic);
            assert!((0.5..2.0).contains(&ratio), "{engine}: standard error of {field}: {ratio}");
            let interval = &document["ci"][format!("{field}{unit}")];
            assert!(number(&interval[0]) < number(&interval[1]));
        }
        assert_eq!(document["ci"]["level"], 0.95);
        for (field, reference, relative) in [
            ("phase_var_s2", &exact["var_phi"], 0.03),
            ("iterations_var", &exact["var_N"], 0.03),
            ("cov_iterations_phase_s", &exact["cov_N_phi"], 0.1),
        ] {
            let ratio = number(&document[field]) / number(reference);
            assert!((ratio - 1.0).abs() < relative, "{engine}: {field}: {ratio}");
        }
        let ratio = number(&document["asymptotic"]["phase_var_s2"]) / number(&exact["asym"]["var_phi"]);
        assert!((ratio - 1.0).abs() < 0.15, "{engine}: {ratio}");
        let ties = &document["iterations_mean_ties"];
        assert_eq!(ties["counts"], document["iterations_mean"]);
        assert!((number(&ties["discards"]) - 1.59105514226).abs() < 0.006);
        for wavefront in document["wavefront"].as_array().expect("wavefronts") {
            let key: Vec<String> =
                wavefront["x_ticks"].as_array().expect("offsets").iter().map(Value::to_string).collect();
            let off = number(&wavefront["prob"]) - number(&exact["pi"][key.join(",")]);
            assert!(off.abs() < 0.004, "{engine}: {key:?} off by {off}");
            assert!(wavefront["mode"].is_null());
        }
        assert!(number(&document["phases_per_s"]) > 1000.0);
        assert!(document.get("time").is_none() && document.get("converge").is_none());
    }
}

#[test]
fn the_options_go_before_the_model() {
    let place = place();
    let options = ["--A", "2", "--B", "0,1,2", "--semantics", "complete", "--tie", "discards", "--omega", "3"];
    let found = document(&place, &[&["lab.toml", "--phases", "2000", "--seed", "7"], &options[..]].concat());
    let model = &found["model"];
    assert_eq!(model["A"], serde_json::json!([2, 2, 2]));
    assert_eq!(model["B"], serde_json::json!([0, 1, 2]));
    assert_eq!((&model["semantics"], &model["omega"], &found["seed"]), (&"complete".into(), &3.0.into(), &7.into()));
    assert!(found.get("iterations_mean_ties").is_none(), "ties mean nothing under complete");
    // Laws in ticks keep their ticks: half the step, half the time.
    let half = document(&place, &["barrier.toml", "--phases", "20000", "--step", "0.5s"]);
    let mean = number(&half["phase_mean_s"]);
    assert!((number(&half["model"]["step_s"]) - 0.5).abs() < 1e-15 && (mean - 1.25).abs() < 0.015, "{mean}");
}

#[test]
fn runs_have_times() {
    // 62 phases: T = 62 + 2 Binomial(62, 3/4).
    let found = document(&place(), &["barrier.toml", "--phases", "62", "--runs", "20000"]);
    let time = &found["time"];
    assert_eq!((&found["runs"], &found["phases"], &time["phases"]), (&20000.into(), &62.into(), &62.into()));
    assert!((number(&time["mean_s"]) - 155.0).abs() < 4.0 * 6.81909 / 20000_f64.sqrt());
    assert!((number(&time["sd_s"]) - 6.81909).abs() < 4.0 * 6.81909 / 40000_f64.sqrt());
    for (quantile, (q, time_s)) in time["quantiles"].as_array().expect("quantiles").iter().zip([
        (0.05, 144.0),
        (0.5, 156.0),
        (0.95, 166.0),
        (0.99, 170.0),
    ]) {
        assert_eq!(number(&quantile["q"]), q);
        assert!((number(&quantile["time_s"]) - time_s).abs() <= 2.0, "{quantile}");
    }
    assert_eq!(found["warm_up_phases"], 0);
}

/// T = e^x (62 + 2 Binomial(62, 3/4)), x normal with the deviation 0.2: by an independent script.
#[test]
fn runs_slow_down_together() {
    let place = place();
    place.write("level.toml", &format!("{BARRIER}[level]\nfixed = {{ sd = 0.2 }}\n"));
    let time = document(&place, &["level.toml", "--phases", "62", "--runs", "4000"])["time"].clone();
    for (found, expected, relative) in [
        (&time["mean_s"], 158.131208, 0.005),
        (&time["sd_s"], 32.724086, 0.03),
        (&time["quantiles"][0]["time_s"], 110.53844, 0.01),
        (&time["quantiles"][1]["time_s"], 154.86385, 0.01),
        (&time["quantiles"][2]["time_s"], 216.85091, 0.01),
        (&time["base"]["mean_s"], 155.0, 0.005),
        (&time["base"]["sd_s"], 6.81909, 0.05),
    ] {
        assert!((number(found) / expected - 1.0).abs() < relative, "{found}, expected {expected}: {time}");
    }
}

#[test]
fn a_trace_tells_each_phase_of_each_process() {
    let place = place();
    for engine in ["recursion", "events"] {
        let arguments = ["clockwork.toml", "--runs", "2", "--phases", "2", "--engine", engine, "--trace", "t.csv"];
        let answer = simulated(&place, &arguments).code(0);
        assert!(answer.err.contains("wrote t.csv"), "{}", answer.err);
        // Phase 2: Y = (12, 12), W = (16, 16): ws1 completes one of two updates, ws2 none.
        let run = |run: u32| {
            format!("{run},ws1,1,0,3,9,3,0\n{run},ws2,1,0,5,7,1,1\n{run},ws1,2,9,12,16,2,1\n{run},ws2,2,7,12,16,1,1\n")
        };
        let header = "run,process,phase,start_s,beta_start_s,end_s,updates,discarded\n";
        assert_eq!(place.read("t.csv"), format!("{header}{}{}", run(1), run(2)), "{engine}");
    }
}

#[test]
fn the_error_is_iterated() {
    let place = place();
    let found =
        document(&place, &["clockwork.toml", "--B", "0", "--phases", "5000", "--converge", "--engine", "events"]);
    let converge = &found["converge"];
    // Synchronous: every phase applies the matrix once.
    let digits = -(0.25 + 0.5 * (std::f64::consts::PI / 5.0).cos()).log10();
    for field in ["rate_per_phase", "rate_per_iteration"] {
        assert!((number(&converge[field]) / digits - 1.0).abs() < 1e-3, "{field}: {} and {digits}", converge[field]);
    }
    // About 3 digits, less what the start gives; a phase takes 8.5 s or 9 s.
    let time = number(&converge["time_mean_s"]);
    assert!(time < 3.0 / digits * 9.0 + 9.0 && time > 1.5 / digits * 8.0, "{time}");
    assert_eq!((&converge["runs"], &converge["converged"]), (&100.into(), &100.into()));
    assert!(number(&converge["time_sd_s"]) > 0.0);
    let again = document(&place, &["clockwork.toml", "--B", "0", "--phases", "5000", "--converge", "--threads", "1"]);
    assert_eq!(&again["converge"], converge, "the same counts, whatever engine and threads");
    let human = simulated(&place, &["clockwork.toml", "--phases", "500", "--converge", "--runs", "3"]).code(0).out;
    assert!(human.contains("The error falls by ") && human.contains("3 digits take "), "{human}");
}

#[test]
fn the_same_whatever_the_threads() {
    let place = place();
    let of = |threads: &str| {
        let mut found = document(&place, &["lab.toml", "--phases", "30000", "--threads", threads]);
        found["phases_per_s"].take();
        found
    };
    assert_eq!(of("1"), of("3"));
}

#[test]
fn people_see_both_rules_for_ties_and_wavefronts() {
    let answer = simulated(&place(), &["lab.toml", "--phases", "100000"]).code(0);
    for part in [
        "lab: 3 processes, abort, A = 1, B = 1\n",
        "100,000 phases in 40 replications, each after 250 phases that do not count, by recursion, seed 0\n",
        "iterations, if a tie counts ",
        "iterations, if it does not ",
        "updates of ws3 ",
        "0, 0, -3 ",
        " phases a second\n",
    ] {
        assert!(answer.out.contains(part), "{part}:\n{}", answer.out);
    }
}

#[test]
fn what_cannot_be_done_is_told() {
    let place = place();
    let problem = |arguments: &[&str], code: i32| {
        let answer = simulated(&place, &[arguments, &["--json"]].concat()).code(code);
        answer.document()["problems"][0]["code"].as_str().unwrap_or("").to_owned()
    };
    assert_eq!(problem(&["lab.toml", "--converge"], 2), "no_operator");
    assert_eq!(problem(&["lab.toml", "--trace", "t.csv", "--phases", "10000000"], 2), "too_many_rows");
    assert_eq!(problem(&["lab.toml", "--phases", "1000000000000", "--runs", "2"], 2), "too_many_phases");
    assert_eq!(problem(&["nothing.toml"], 2), "cannot_read");
    assert_eq!(problem(&["lab.toml", "--B", "1,2"], 2), "length");
    for wrong in [["--phases", "0"], ["--runs", "0"], ["--runs", "x"], ["--engine", "queue"], ["--step", "-1s"]] {
        let answer = simulated(&place, &["lab.toml", wrong[0], wrong[1]]).code(2);
        assert!(answer.err.contains(wrong[0]), "{}", answer.err);
    }
    // One phase has no interval, and says so.
    let found = document(&place, &["barrier.toml", "--phases", "1"]);
    assert!(found["ci"].is_null() && found["phase_mean_se_s"].is_null() && found["asymptotic"].is_null());
    assert_eq!(found["warnings"][0]["code"], "no_asymptotic");
}
