//! `plan` and `import`.

use crate::{Place, program};
use serde_json::json;
use std::process::Command;

#[test]
fn a_plan_for_people() {
    let arguments = [
        "plan",
        "--complexity",
        "N^3",
        "--constant",
        "1e12",
        "--processes",
        "6,8,12",
        "--targets",
        "225",
        "--size",
        "N:multiple=100",
        "--repetitions",
        "5",
    ];
    insta::assert_snapshot!(Place::new().run(&arguments).code(0).whole());
}

#[test]
fn a_file_and_options_make_the_same_plan() {
    let place = Place::new();
    place.write(
        "plan.toml",
        "scaling = 'weak'\ncomplexity = '2/3*N^3'\nconstant = { p = 8, N = 20000 }\nprocesses = 'squares'\nmin_p = 4\n\
         max_p = 196\ncount = 8\ntargets = 'list:400,576'\n[size.N]\nmultiple = 100\n",
    );
    let from_file = place.run(&["plan", "plan.toml", "--json"]).code(0).document();
    let options = [
        "plan",
        "--json",
        "--scaling",
        "weak",
        "--complexity",
        "2/3*N^3",
        "--constant",
        "p=8,N=20000",
        "--processes",
        "squares",
        "--min-p",
        "4",
        "--max-p",
        "196",
        "--count",
        "8",
        "--targets",
        "list:400,576",
        "--size",
        "N:multiple=100",
    ];
    assert_eq!(place.run(&options).code(0).document(), from_file);
    assert_eq!(from_file["configurations"].as_array().map(Vec::len), Some(10));
    let overridden = place.run(&["plan", "plan.toml", "--json", "--count", "2"]).code(0).document();
    assert_eq!(overridden["configurations"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_grid_within_a_budget() {
    let place = Place::new();
    let arguments = [
        "plan",
        "--grid",
        "p=2,4,8,16; N=1000,2000,4000",
        "--targets",
        "p=64,N=8000",
        "--complexity",
        "N^2",
        "--measured",
        "p=4,N=1000:9s",
        "--repetitions",
        "2",
        "--budget",
        "1",
        "-o",
        "plan.csv",
    ];
    insta::assert_snapshot!(place.run(&arguments).code(0).whole());
    assert!(place.read("plan.csv").starts_with("set,p,N,reps,work_per_process,deviation_pct,core_hours\n"));
    place.write(
        "plan.toml",
        "complexity = 'N^2'\nmeasured = 'p=4,N=1000:9s'\nrepetitions = 2\nbudget = 1\n\
         targets = { p = 64, N = 8000 }\n[grid]\np = [2, 4, 8, 16]\nN = [1000, 2000, 4000]\n",
    );
    let document = place.run(&["plan", "plan.toml", "--json"]).code(0).document();
    assert_eq!(place.run(&[&arguments[..arguments.len() - 2], &["--json"]].concat()).code(0).document(), document);
    assert_eq!((&document["scaling"], &document["price"]["train_core_hours"]), (&json!("grid"), &json!(0.72)));
    let refused = place.run(&["plan", "plan.toml", "--budget", "0.1"]).code(2);
    assert!(refused.err.contains("error: --budget: 0.1 core-hours do not pay for the cheapest useful plan"));
    assert!(refused.err.contains("hint: "), "{}", refused.err);
}

#[test]
fn given_configurations_are_checked() {
    let place = Place::new();
    place.write("runs.csv", "p,N\n225,100.8\n400,117\n");
    let arguments = ["plan", "--complexity", "N^3", "--constant", "4000", "--check", "runs.csv", "--json"];
    let document = place.run(&arguments).code(0).document();
    let deviation = document["configurations"][0]["deviation_pct"].as_f64().expect("a number");
    assert!((deviation - 13.80).abs() < 0.01, "{deviation}");
}

#[test]
fn an_imported_table_goes_to_the_standard_output_or_into_a_file() {
    let place = Place::new();
    place.write(
        "m.txt",
        "PARAMETER p\nPOINTS 4 8 16 32\nREGION main\nMETRIC time\nDATA 10 11\nDATA 6\nDATA 4\nDATA 3\n",
    );
    let printed = place.run(&["import", "m.txt"]).code(0);
    assert_eq!(printed.out, "p,region,rep,time\n4,main,0,10\n4,main,1,11\n8,main,0,6\n16,main,0,4\n32,main,0,3\n");
    let written = place.run(&["import", "m.txt", "-o", "runs.csv"]).code(0);
    assert_eq!(place.read("runs.csv"), printed.out);
    assert!(written.err.contains("to fit it: runcast fit runs.csv"), "{}", written.err);
    place.run(&["import", "m.txt", "-o", "runs.jsonl"]).code(0);
    assert!(place.read("runs.jsonl").starts_with("{\"p\":4,\"region\":\"main\",\"rep\":0,\"time\":10}\n"));
    for table in ["runs.csv", "runs.jsonl", "m.txt"] {
        place.run(&["fit", table]).code(0);
    }
}

#[test]
fn the_command_that_fits_an_imported_table_works_as_it_is_told() {
    let place = Place::new();
    place.write("m.txt", "PARAMETER n\nPOINTS 4 8 16 32\nMETRIC visits of 'x'\nDATA 1\nDATA 2\nDATA 3\nDATA 4\n");
    let answer = place.run(&["import", "m.txt", "-o", "runs.csv"]).code(0);
    let line = answer.err.lines().find_map(|line| line.strip_prefix("note: to fit it: ")).expect("a note");
    assert_eq!(line, r"runcast fit runs.csv --metric 'visits of '\''x'\'''");
    let folder = program().parent().expect("a folder");
    let paths = std::env::join_paths([folder, "/usr/bin".as_ref(), "/bin".as_ref()]).expect("paths");
    let shell = Command::new("sh").args(["-c", line]).current_dir(place.folder.path()).env("PATH", paths).output();
    assert!(shell.expect("started").status.success());
}

#[test]
fn the_document_of_an_import_tells_the_roles() {
    let place = Place::new();
    place.write("m.txt", "PARAMETER p\nPOINTS 4 8\nREGION main\nMETRIC time\nDATA 10\nDATA 6\n");
    let document = place.run(&["import", "m.txt", "--json"]).code(0).document();
    assert_eq!(document["kind"], "import");
    assert_eq!(document["files"], json!([{"file": "m.txt", "format": "extrap-text", "rows": 2}]));
    assert_eq!((&document["parameters"], &document["labels"]), (&json!(["p"]), &json!(["region"])));
    assert_eq!(document["metrics"], json!([{"name": "time", "unit": "s"}]));
}

#[test]
fn a_pipe_is_read_like_a_file() {
    let place = Place::new();
    let output = place.command(&["import", "-", "--json"]).write_stdin("p,time_s\n1,2\n").output().expect("started");
    let document = crate::Answer::of(&output).code(0).document();
    assert_eq!(document["rows"], 1);
    assert_eq!(document["files"][0]["format"], "csv");
}

#[test]
fn the_formats_are_listed() {
    let answer = Place::new().run(&["import", "--list-formats"]).code(0);
    for format in ["extrap-text", "extrap-json", "extrap-jsonl", "talpas", "hyperfine", "gbench", "caliper", "csv"] {
        assert!(answer.out.contains(format), "{format}");
    }
}

#[test]
#[cfg(feature = "parquet")]
fn tables_in_parquet_are_read_as_those_in_csv() {
    let place = Place::new();
    let folder = format!("{}/../../testdata/parquet", env!("CARGO_MANIFEST_DIR"));
    for (from, to) in [("runs.csv", "runs.csv"), ("pandas_snappy.parquet", "runs.parquet")] {
        std::fs::copy(format!("{folder}/{from}"), place.path(to)).expect("copied");
    }
    let fit = |file: &str| place.run(&["fit", file]).code(0).out;
    assert_eq!(fit("runs.parquet"), fit("runs.csv"));
    place.run(&["import", "runs.parquet", "-o", "again.csv"]).code(0);
    assert_eq!(place.read("again.csv"), place.read("runs.csv"));
    let document = place.run(&["import", "runs.parquet", "--json"]).code(0).document();
    assert_eq!(document["files"][0]["format"], "parquet");
    let whole = std::fs::read(place.path("runs.parquet")).expect("a file");
    std::fs::write(place.path("cut.parquet"), &whole[..3000]).expect("written");
    let answer = place.run(&["fit", "cut.parquet"]).code(2);
    assert!(answer.err.starts_with("error: cut.parquet: the Parquet file is damaged"), "{}", answer.err);
    assert!(place.run(&["import", "--list-formats"]).code(0).out.contains("parquet"));
}
