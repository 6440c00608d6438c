//! The main job on real input: public tables of runs, when they are beside the checkout.

use crate::run::{Folder, has, number};
use std::path::PathBuf;

/// The folder of the public data.
fn data() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = std::env::var_os("RUNCAST_DATA").map_or(beside, PathBuf::from).join("fit");
    if !folder.is_dir() {
        eprintln!("the public data is not here: nothing was run (set RUNCAST_DATA to its folder)");
        return None;
    }
    Some(folder)
}

#[test]
fn every_table_is_fitted() {
    let Some(data) = data() else { return };
    let folder = Folder::with(&[]);
    let tables: [(&str, &[&str], usize); 5] = [
        ("lulesh_quartz_grid/tidy.csv", &["--metric", "time:s", "--params", "p,N", "--by", "region,s"], 280),
        ("relearn_grid/tidy.csv", &["--metric", "time:s", "--params", "p,N", "--by", "region,n"], 40),
        ("mpi_collectives/tidy.csv", &["--metric", "time_median_us", "--params", "p"], 14),
        ("sparta_crossroads_weak/tidy.csv", &["--metric", "time:s", "--params", "p"], 1),
        ("bench_inputs/b_1000k_5p_5r.txt", &[], 1000),
    ];
    for (file, options, least) in tables {
        let path = data.join(file).display().to_string();
        let (document, exit) = folder.json(&[&["fit", &path][..], options].concat());
        assert_eq!(exit, 0, "{file}");
        let models = document["models"].as_array().expect("a list");
        assert!(models.len() >= least, "{file}: {} models", models.len());
        models.iter().for_each(|model| has(model, "formula class quality"));
    }
}

#[test]
fn the_wrong_run_of_sparta_is_found() {
    let Some(data) = data() else { return };
    let path = data.join("sparta_crossroads_weak/tidy.csv").display().to_string();
    let (document, _) =
        Folder::with(&[]).json(&["predict", &path, "--metric", "time:s", "--params", "p", "--at", "p=4096"]);
    let outliers: Vec<&serde_json::Value> = document["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|warning| warning["code"] == "repetition_outlier" && warning["line"].is_i64())
        .collect();
    assert_eq!(outliers[0]["line"], 38);
    assert!(outliers[0]["message"].as_str().expect("text").contains("0.0606"));
}

#[test]
fn noise_free_kernels_are_found_without_exception() {
    let Some(data) = data() else { return };
    let path = data.join("bench_inputs/d0_42terms_noiseless.txt").display().to_string();
    let (document, _) = Folder::with(&[]).json(&["fit", &path, "--model", "pmnf"]);
    let truth = std::fs::read_to_string(data.join("bench_inputs/d0_42terms_noiseless.truth.json")).expect("the truth");
    let truth: serde_json::Value = serde_json::from_str(&truth).expect("reads");
    let (models, truth) = (document["models"].as_array().expect("a list"), truth.as_array().expect("a list"));
    assert_eq!(models.len(), 420);
    for (model, truth) in models.iter().zip(truth) {
        let factor = &model["terms"][0]["factors"][0];
        assert!((number(&factor["power"]) - number(&truth["i"])).abs() < 1e-9, "{model}");
        assert_eq!(number(&factor["log_power"]), number(&truth["j"]), "{model}");
    }
}
