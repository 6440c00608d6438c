//! `plan` asked for sizes and processes that a forecast implies.

use crate::{Answer, Place};
use serde_json::Value;
use std::fmt::Write as _;

/// Runs that follow T = 2 + 4e-11 N^3/p + 3e-9 N^2/sqrt p exactly, and the model of this form.
fn place() -> Place {
    let place = Place::new();
    let mut runs = String::from("p,N,time_s\n");
    for p in [1.0, 2.0, 4.0, 8.0, 16.0_f64] {
        for size in [2000.0, 4000.0, 6000.0, 8000.0, 10000.0_f64] {
            let time_s = 2.0 + 4e-11 * size.powi(3) / p + 3e-9 * size.powi(2) / p.sqrt();
            writeln!(runs, "{p},{size},{time_s}").expect("text in memory");
        }
    }
    place.write("runs.csv", &runs);
    let formula = ["--formula", "a + b*N^3/p + c*N^2/sqrt(p)", "--unknown", "a,b,c"];
    place.run(&[&["fit", "runs.csv", "-o", "model.json"][..], &formula].concat()).code(0);
    place
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found / expected - 1.0).abs() < 1e-7, "{found}, not {expected}");
}

fn message(answer: Answer) -> String {
    answer.document()["problems"][0]["message"].as_str().expect("a message").to_owned()
}

/// The numbers are the roots of the cubic, computed apart from the program.
#[test]
fn sizes_and_processes_follow_from_a_forecast() {
    let place = place();
    let times = ["plan", "--for-time", "60s", "--models", "model.json", "--processes", "1,8,64,512"];
    let document = place.run(&[&times[..], &["--json"]].concat()).code(0).document();
    assert_eq!((document["kind"].as_str(), document["inverse"]["of"].as_str()), (Some("plan"), Some("time_s")));
    assert_eq!(document["inverse"]["limit"], 60.0);
    let expected = [(1, 11293.567098), (8, 22566.533658), (64, 45074.928745), (512, 89985.929567)];
    for (row, (processes, size)) in document["rows"].as_array().expect("rows").iter().zip(expected) {
        near(&row["exact"], size);
        assert_eq!(
            (row["at"]["p"].as_f64(), row["at"]["N"].as_f64()),
            (Some(f64::from(processes)), Some(size.floor()))
        );
        assert!(row["low"].as_f64() <= row["exact"].as_f64() && row["exact"].as_f64() <= row["high"].as_f64(), "{row}");
    }

    // The table is a plan: the bounds of a size are no parameters.
    place.run(&[&times[..], &["-o", "sizes.csv"]].concat()).code(0);
    let document = place.run(&["predict", "model.json", "--targets", "sizes.csv", "--json"]).code(0).document();
    let predictions = document["predictions"].as_array().expect("predictions");
    assert_eq!((predictions.len(), predictions[1]["at"].as_object().map(|at| at.len())), (4, Some(2)));

    let deadline = ["plan", "--deadline", "60s", "--fixed", "N=20000", "--models", "model.json", "--json"];
    let document = place.run(&deadline).code(0).document();
    assert_eq!((document["rows"][0]["at"]["p"].as_f64(), document["safe_p"].as_f64()), (Some(6.0), Some(6.0)));
    near(&document["rows"][0]["time_s"], 55.823231);
}

#[test]
fn sizes_follow_from_a_formula_of_the_memory() {
    let memory = ["plan", "--for-memory", "2e9", "--memory", "8*N^2/p", "--processes", "1,8,64,512", "--json"];
    let document = Place::new().run(&memory).code(0).document();
    let expected = [15811.388301, 44721.359550, 126491.106407, 357770.876400];
    for (row, size) in document["rows"].as_array().expect("rows").iter().zip(expected) {
        near(&row["exact"], size);
        assert_eq!(row["at"]["N"].as_f64(), Some(size.floor()));
    }
}

#[test]
fn what_has_no_answer_says_why() {
    let place = place();
    let falling = ["plan", "--for-memory", "2GiB", "--memory", "1e12/N", "--processes", "2", "--json"];
    let told = message(place.run(&falling).code(1));
    assert!(told.contains("does not rise with N: it is above the limit at N=1"), "{told}");
    let late = ["plan", "--deadline", "1s", "--fixed", "N=20000", "--models", "model.json", "--json"];
    assert_eq!(message(place.run(&late).code(1)), "no number of processes meets the deadline");
    let of_all = ["plan", "--for-time", "1ms", "--models", "model.json", "--processes", "4", "--json"];
    let document = place.run(&of_all).code(1).document();
    assert_eq!(
        (document["rows"][0]["verdict"].as_str(), document["warnings"][0]["code"].as_str()),
        (Some("refused"), Some("below_range"))
    );
    for (arguments, code) in [
        (&["--for-memory", "2GiB", "--memory", "8*N^2/p"][..], "no_end"),
        (&["--for-time", "60s", "--models", "model.json", "--fixed", "N=5"], "no_size"),
        (&["--for-time", "60s", "--models", "model.json", "--complexity", "N^3"], "conflict"),
    ] {
        let document = place.run(&[&["plan", "--json"][..], arguments].concat()).code(2).document();
        assert_eq!(document["problems"][0]["code"], code, "{document}");
    }
}
