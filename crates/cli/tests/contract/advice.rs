//! Documents of `advise`.

use crate::run::{Folder, STRONG, has, number, regions};

fn usl() -> Vec<u8> {
    let mut csv = String::from("p,time_s\n");
    for p in [1.0f64, 2.0, 4.0, 8.0, 16.0, 32.0] {
        let time = 100.0 * (1.0 + 0.02 * (p - 1.0) + 0.0005 * p * (p - 1.0)) / p;
        csv.push_str(&format!("{p},{time}\n"));
    }
    csv.into_bytes()
}

#[test]
fn processes_under_the_universal_law() {
    let folder = Folder::with(&[("usl.csv", &usl())]);
    let base = ["advise", "processes", "usl.csv", "--model", "usl", "--processes", "range:1..128:1"];
    let (document, exit) = folder.json(&base);
    assert_eq!(exit, 0);
    has(&document, "kind version objective recommended near_best_p choices warnings");
    assert_eq!(document["kind"], "advise-processes");
    // sqrt((1 - 0.02)/0.0005) = 44.27, and T(44) = 6.377273 by hand.
    assert_eq!(document["recommended"]["p"], 44);
    assert!((number(&document["recommended"]["time_s"]) - 6.377273).abs() < 1e-6);
    has(
        &document["choices"][0],
        "p time_s low_s high_s speedup speedup_against_p efficiency core_hours energy_j cost verdict",
    );
    assert!((number(&document["choices"][0]["speedup"]) - 1.0).abs() < 1e-9);

    let with = |objective: &str| folder.json(&[&base[..], &["--objective", objective]].concat()).0;
    // Efficiency 0.7: 1/(1 + 0.02 (p-1) + 0.0005 p (p-1)) >= 0.7 up to p = 16.
    assert_eq!(with("efficiency:0.7")["recommended"]["p"], 16);
    assert_eq!(with("core-hours")["recommended"]["p"], 1);
    let deadline = with("deadline:10s");
    assert_eq!(deadline["recommended"]["p"], 14);
    assert!(number(&deadline["safe_p"]) >= 14.0);
    assert_eq!(with("cost:core_hours*3600 + 10*time_s")["objective"], "cost:core_hours*3600 + 10*time_s");
    let (energy, exit) = folder.json(&[&base[..], &["--objective", "energy"]].concat());
    assert_eq!((energy["kind"].as_str(), exit), (Some("error"), 2), "energy needs a power");
}

#[test]
fn the_next_run_within_a_budget() {
    let folder = Folder::with(&[("strong.csv", STRONG)]);
    let args = ["advise", "next", "strong.csv", "--at", "p=4096", "--max-p", "512", "--budget-core-hours", "50"];
    let (document, exit) = folder.json(&args);
    assert_eq!(exit, 0);
    has(&document, "kind version target factor_now candidates chosen");
    let candidates = document["candidates"].as_array().expect("a list");
    has(&candidates[0], "at cost_core_hours factor_after gain_per_core_hour");
    let gains: Vec<f64> = candidates.iter().map(|c| number(&c["gain_per_core_hour"])).collect();
    assert!(gains.windows(2).all(|pair| pair[0] >= pair[1]), "best first: {gains:?}");
    let spent: f64 = document["chosen"].as_array().expect("a list").iter().map(|c| number(&c["cost_core_hours"])).sum();
    assert!(spent > 0.0 && spent <= 50.0);
    assert!(candidates[0]["at"]["p"].as_f64().expect("a number") > 32.0, "a new run, not one that was made");
}

#[test]
fn regions_by_growth() {
    let folder = Folder::with(&[("runs.csv", &regions())]);
    let (document, exit) =
        folder.json(&["advise", "regions", "runs.csv", "--metric", "time_s", "--at", "p=1024", "--min-share", "10%"]);
    assert_eq!(exit, 0);
    let ranked = document["regions"].as_array().expect("a list");
    has(&ranked[0], "rank group class value low high growth share_pct share_measured_pct formula minor");
    assert_eq!(ranked[0]["rank"], 1);
    let shares: f64 = ranked.iter().map(|region| number(&region["share_pct"])).sum();
    assert!((shares - 100.0).abs() < 1e-9);
    // halo grows faster, but holds less than a tenth of the whole.
    assert_eq!((ranked[0]["group"]["region"].as_str(), ranked[1]["minor"].as_bool()), (Some("main"), Some(true)));
    assert!(number(&ranked[1]["growth"]) > number(&ranked[0]["growth"]));
}

#[test]
fn two_tables_compared() {
    let before = regions();
    let after = String::from_utf8(before.clone()).expect("text").replace("halo", "exchange");
    let folder = Folder::with(&[("before.csv", &before), ("after.csv", after.as_bytes())]);
    let (document, exit) =
        folder.json(&["advise", "compare", "before.csv", "after.csv", "--metric", "time_s", "--at", "p=64"]);
    assert_eq!(exit, 0);
    let found = document["regions"].as_array().expect("a list");
    has(&found[0], "group before after ratio low high class_before class_after change crosses_at");
    let change =
        |region: &str| found.iter().find(|r| r["group"]["region"] == region).expect("listed")["change"].clone();
    assert_eq!((change("main"), change("halo"), change("exchange")), ("same".into(), "gone".into(), "new".into()));
}
