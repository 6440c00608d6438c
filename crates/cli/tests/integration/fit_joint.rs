//! Models of several series: sums of parts, tables that are completed, factors of efficiency.

use crate::Place;
use serde_json::Value;

fn value(document: &Value) -> f64 {
    document["predictions"][0]["value"].as_f64().unwrap_or_else(|| panic!("no value: {document}"))
}

/// 40/p + 0.5 on the rank that computes longest, half of it on the other; 0.2 log2 p on both.
fn by_rank() -> String {
    let mut table = "p,rank,rep,compute_s,communication_s\n".to_owned();
    for p in [2, 4, 8, 16, 32, 64_u32] {
        let (compute, communication) = (40.0 / f64::from(p) + 0.5, 0.2 * f64::from(p).log2());
        for rep in 0..2 {
            table += &format!("{p},0,{rep},{},{}\n", compute / 2.0, communication);
            table += &format!("{p},1,{rep},{compute},{communication}\n");
        }
    }
    table
}

#[test]
fn parts_of_the_slowest_rank_are_fitted_apart() {
    let place = Place::new();
    place.write("ranks.csv", &by_rank());
    let sum = "compute_s,communication_s=pmnf";
    place.run(&["fit", "ranks.csv", "--sum", sum, "-o", "sum.json"]).code(0);
    // 40/256 + 0.5 + 0.2*8
    for file in ["sum.json", "ranks.csv"] {
        let options: &[&str] = if file == "ranks.csv" { &["--sum", sum] } else { &[] };
        let all = [&["predict", file, "--at", "p=256", "--json"], options].concat();
        let document = place.run(&all).code(0).document();
        assert!((value(&document) - 2.25625).abs() < 1e-6, "{document}");
        assert_eq!(document["predictions"][0]["model"], "sum");
        assert_eq!(document["predictions"][0]["members"].as_array().map(Vec::len), Some(2));
    }
    // The table has no whole to compare with.
    place.run(&["evaluate", "ranks.csv", "--sum", sum, "--train", "p <= 16"]).code(2);
}

#[test]
fn a_sum_is_judged_by_the_whole_that_the_table_has() {
    let place = Place::new();
    let row = |p: u32| {
        let (compute, communication) = (40.0 / f64::from(p) + 0.5, 0.2 * f64::from(p).log2());
        format!("{p},{},{compute},{communication}\n", compute + communication)
    };
    let rows: String = [2, 4, 8, 16, 32, 64, 128, 256].map(row).concat();
    place.write("runs.csv", &format!("p,time_s,compute_s,communication_s\n{rows}"));
    let sum = ["--sum", "compute_s,communication_s=pmnf"];
    let evaluate = [&["evaluate", "runs.csv", "--train", "p <= 32", "--json"], &sum[..]].concat();
    let document = place.run(&evaluate).code(0).document();
    assert_eq!((&document["models"][0]["model"], &document["models"][0]["count"]), (&"sum".into(), &3.into()));
    assert!(document["models"][0]["max_error_pct"].as_f64().is_some_and(|pct| pct < 1e-3), "{document}");
    let compare = [&["compare", "runs.csv", "--train", "p <= 32", "--json", "--model", "power"], &sum[..]].concat();
    let document = place.run(&compare).code(0).document();
    let order = document["ranking"]["order"].as_array().expect("a ranking");
    assert_eq!(order.len(), 2, "{order:?}");
    let wrong = place.run(&["fit", "runs.csv", "--sum", "compute_s,io_s"]);
    assert!(wrong.code(2).err.contains("io_s"));
}

#[test]
fn a_table_of_programs_is_completed_and_not_extended() {
    let place = Place::new();
    let rows = "a,1,100\na,2,51\na,4,26.5\na,8,14.5\nb,1,200\nb,2,101\nb,4,51.5\nb,8,27\nc,1,50\nc,2,26\nc,4,14\nc,8,8.5\nd,1,400\nd,2,202\nd,4,103\n";
    place.write("runs.csv", &format!("app,p,time_s\n{rows}"));
    let uv = ["--model", "uv", "--uv", "rows=app;columns=p;factors=1;ridge=0.1"];
    place.run(&[&["fit", "runs.csv", "-o", "uv.json"], &uv[..]].concat()).code(0);
    let document = place.run(&["predict", "uv.json", "--at", "p=8", "--json"]).code(0).document();
    let of_d = document["predictions"].as_array().expect("predictions").iter().find(|one| one["group"]["app"] == "d");
    let value = of_d.and_then(|one| one["value"].as_f64()).expect("a value");
    assert!((value - 57.663115).abs() < 1e-5, "{value}");
    let document = place.run(&["predict", "uv.json", "--at", "p=16", "--json"]).code(1).document();
    assert_eq!(document["predictions"][0]["verdict"], "refused");
    let all = ["evaluate", "runs.csv", "--model", "uv", "--train", "not (app == \"a\" and p == 8)", "--json"];
    let document = place.run(&all).code(0).document();
    assert_eq!(document["models"][0]["count"], 1, "{document}");
    place.run(&["fit", "runs.csv", "--uv", "rows=program"]).code(2);
}

#[test]
fn four_factors_make_a_time() {
    let place = Place::new();
    let header = "p,time_s,load_balance,serialization,transfer,computation_scaling\n";
    let row = |p: f64, rest: &str, cs: &str| format!("{p},{},{rest},{},{cs}\n", 40.0 / p, 1.0 / (0.98 + 0.005 * p));
    let rows = [
        row(4.0, "0.96,0.99", "1"),
        row(8.0, "0.95,0.97", "0.99"),
        row(16.0, "0.955,0.94", "0.985"),
        row(32.0, "0.95,0.88", "0.98"),
    ];
    place.write("runs.csv", &format!("{header}{}", rows.concat()));
    let predict = ["predict", "runs.csv", "--model", "efficiency", "--at", "p=128", "--json"];
    let document = place.run(&predict).code(0).document();
    assert!((value(&document) - 0.870433).abs() < 1e-6, "{document}");
    place.write("wrong.csv", &format!("{header}{}", rows.concat().replace("0.96,", "1.06,")));
    let wrong = place.run(&["fit", "wrong.csv", "--model", "efficiency"]);
    assert!(wrong.code(2).err.contains("load_balance is 1.06"));
}
