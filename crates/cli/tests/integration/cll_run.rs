//! `runcast cll run`: a program that records, run and checked.

use crate::Place;
use crate::cll_cc::wrapped;
use serde_json::Value;

const SOURCE: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    static volatile double sum;\n\
    static void add(int n) {\n#pragma cll add add[0] + add[1]*n\n\
        for (int i = 0; i < n; i++) sum += i;\n#pragma cll end add\n}\n\
    int main(int count, char **words) {\n    int n = count > 1 ? atoi(words[1]) : 1;\n\
        for (int k = 0; k < 6; k++) {\n#pragma cll step step[0] + step[1]*n\n\
        { for (int j = 0; j < 40; j++) add(n); }\n#pragma cll end step\n    }\n\
        printf(\"%g\\n\", sum);\n    return count > 2;\n}\n";

fn built() -> Place {
    let place = Place::new();
    place.write("p.c", SOURCE);
    wrapped(&place, &["gcc", "-O1", "p.c", "-o", "p"]).code(0);
    place
}

/// `runcast cll run -o traces --json ..`
fn run(place: &Place, words: &[&str], code: i32) -> Value {
    let mut command = place.command(&[&["cll", "run", "-o", "traces", "--json"], words].concat());
    command.env_remove("CLL_RUN").env_remove("CLL_DIR");
    crate::Answer::of(&command.output().expect("started")).code(code).document()
}

#[test]
fn runs_are_numbered_on_and_checked() {
    let place = built();
    let first = run(&place, &["--repetitions", "2", "--", "./p", "100"], 0);
    assert_eq!((&first["kind"], &first["overhead"]), (&"cll-run".into(), &Value::Null));
    assert_eq!(first["runs"][1]["traces"], serde_json::json!(["traces/p.cll.1.csv"]));
    assert!(first["runs"][0]["wall_s"].as_f64().is_some_and(|wall| wall > 0.0), "{first}");
    // By the source: 6 steps, each with 40 visits inside.
    let rows = |name: &str, region: &str| {
        let text = place.read(name);
        text.lines().filter(|line| line.starts_with(&format!("{region},"))).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!((rows("traces/p.cll.1.csv", "step").len(), rows("traces/p.cll.1.csv", "add").len()), (6, 240));
    assert!(rows("traces/p.cll.1.csv", "step").iter().all(|row| row.starts_with("step,1,0,")));

    let checked = run(&place, &["--check-overhead", "--clock", "tsc", "--", "./p", "100"], 0);
    let runs: Vec<&Value> = checked["runs"].as_array().expect("runs").iter().map(|run| &run["run"]).collect();
    assert_eq!(runs, [2, 3, 4]);
    let overhead = &checked["overhead"];
    assert_eq!(overhead["rounds"], 3);
    let regions = overhead["regions"].as_array().expect("regions");
    assert_eq!(regions.len(), 1, "only what has none around it: {overhead}");
    let step = &regions[0];
    assert_eq!(
        (&step["name"], &step["at"]["n"], &step["visits_inside"]),
        (&"step".into(), &100.0.into(), &40.0.into())
    );
    let number = |field: &str| step[field].as_f64().expect("a number");
    assert!((number("ratio_pct") - 100.0 * (number("full_s") / number("depth1_s") - 1.0)).abs() < 1e-9, "{step}");
    assert!(["ok", "perturbed"].contains(&step["verdict"].as_str().expect("a word")), "{step}");
    // What was run for comparison is not among the measurements.
    let files = std::fs::read_dir(place.path("traces")).expect("a folder").count();
    assert_eq!(files, 5);
}

#[test]
fn what_fails_or_does_not_record_is_told() {
    let place = built();
    let failed = run(&place, &["--repetitions", "3", "--", "./p", "1", "x"], 1);
    assert_eq!((failed["runs"].as_array().map(Vec::len), &failed["runs"][0]["status"]), (Some(1), &"exit_1".into()));
    let silent = run(&place, &["--", "true"], 0);
    assert_eq!(
        (&silent["warnings"][0]["code"], &silent["runs"][0]["traces"]),
        (&"no_trace".into(), &serde_json::json!([]))
    );
    for words in
        [&["--", "./missing"][..], &["--launcher", "slurm", "--", "./p"], &["--launcher", "mpirun", "--", "./p"]]
    {
        assert_eq!(run(&place, words, 2)["kind"], "error", "{words:?}");
    }
}
