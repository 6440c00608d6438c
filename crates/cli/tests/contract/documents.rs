//! Documents of `fit`, `predict` and `evaluate`.

use crate::run::{Folder, STRONG, has, number, regions};

#[test]
fn fit_tells_table_models_and_failures() {
    let folder = Folder::with(&[("runs.csv", &regions())]);
    let (document, exit) = folder.json(&["fit", "runs.csv", "--metric", "time_s", "--model", "all"]);
    assert_eq!(exit, 0);
    assert_eq!((document["kind"].as_str(), document["version"].as_i64()), (Some("fit"), Some(1)));
    has(&document, "kind version table warnings failed models");
    has(&document["table"], "files rows configurations parameters");
    assert_eq!(document["table"]["rows"], 30);
    assert_eq!(document["table"]["parameters"], serde_json::json!(["p", "N"]));
    let models = document["models"].as_array().expect("a list");
    for model in models {
        has(
            model,
            "group metric unit direction model formula class terms coefficients rank condition scaling points \
             repetitions range aggregate dropped members warnings quality",
        );
        has(&model["quality"], "smape_pct validation_smape_pct median_error_pct max_error_pct r2 noise_pct");
        assert!(["main", "halo"].contains(&model["group"]["region"].as_str().expect("text")));
        assert_eq!(model["scaling"], "weak");
        assert_eq!(model["range"]["p"], serde_json::json!([2, 32]));
    }
    let of = |name: &str| models.iter().find(|m| m["model"] == name).unwrap_or_else(|| panic!("{name} is missing"));
    assert_eq!(of("auto1")["members"].as_array().map(Vec::len), Some(2));
    let members = of("auto")["members"].as_array().expect("a list");
    assert!(members.len() > 2);
    assert_eq!((&members[0]["model"], &members[1]["model"]), (&"power".into(), &"pmnf-pt".into()));
    assert_eq!(of("weak")["dropped"][0]["column"], "log2(N)");
    assert_eq!(of("weak")["dropped"][0]["reason"], "collinear");
    has(&of("mokrov")["coefficients"], "beta1 beta2 beta3");
    has(&of("gustafson")["coefficients"], "t1 f");
    has(&of("usl")["coefficients"], "t1 sigma kappa");
    assert_eq!(of("pmnf")["aggregate"], "mean");
    assert_eq!(of("mokrov")["aggregate"], "best");
    assert_eq!(of("auto")["aggregate"], "median");
}

#[test]
fn predict_tells_value_interval_distance_and_verdict() {
    let folder = Folder::with(&[("strong.csv", STRONG)]);
    let (document, exit) = folder.json(&["predict", "strong.csv", "--at", "p=64", "--at", "p=16"]);
    assert_eq!(exit, 0);
    has(&document, "kind version level warnings predictions");
    let prediction = &document["predictions"][0];
    has(
        prediction,
        "method group metric unit model at value low high level interval intervals extrapolates distance horizon verdict \
         members warnings",
    );
    // The rule written again with numpy and scipy.
    assert!((number(&prediction["value"]) / 3.1925962650674666 - 1.0).abs() < 1e-9);
    assert_eq!(prediction["interval"], "conformal");
    assert!(prediction["intervals"]["parametric"].is_null());
    assert_eq!(number(&prediction["horizon"]), 2.0);
    assert_eq!(number(&prediction["distance"]["p"]), 2.0);
    assert_eq!((prediction["extrapolates"].as_bool(), prediction["verdict"].as_str()), (Some(true), Some("ok")));
    assert_eq!(prediction["members"][0]["model"], "power");
    assert_eq!(document["predictions"][1]["extrapolates"], false);
    assert!(prediction["warnings"].as_array().expect("a list").contains(&"extrapolation".into()));
    assert!(document["warnings"].as_array().expect("a list").iter().any(|w| w["code"] == "extrapolation"));
}

#[test]
fn saved_models_predict_what_the_table_does() {
    let folder = Folder::with(&[("runs.csv", &regions())]);
    let saved = folder.run(&["fit", "runs.csv", "--model", "auto,weak,pmnf,usl,mokrov", "-o", "models.json"]);
    assert!(saved.status.success());
    let target = ["--at", "p=256", "--level", "0.8"];
    let (from_table, _) =
        folder.json(&[&["predict", "runs.csv", "--model", "auto,weak,pmnf,usl,mokrov"][..], &target].concat());
    let (from_models, _) = folder.json(&[&["predict", "models.json"][..], &target].concat());
    assert_eq!(from_table["predictions"], from_models["predictions"]);
    assert_eq!(from_table["predictions"].as_array().map(Vec::len), Some(18), "usl knows no rates");
    let (chosen, _) = folder.json(&[&["predict", "models.json", "--model", "weak"][..], &target].concat());
    assert_eq!(chosen["predictions"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_rate_is_predicted_as_a_rate() {
    let folder = Folder::with(&[("runs.csv", &regions())]);
    let (document, _) =
        folder.json(&["predict", "runs.csv", "--metric", "perf_gflops", "--where", "region == 'main'", "--at", "p=64"]);
    let prediction = &document["predictions"][0];
    assert_eq!(prediction["unit"], "flop/s");
    let truth = 50e9 * 64.0 / (10.0 * 64f64.powf(0.25) * 1.01);
    assert!((number(&prediction["value"]) / truth - 1.0).abs() < 0.02, "{prediction}");
}

#[test]
fn evaluate_compares_all_models_on_one_split() {
    let folder = Folder::with(&[("runs.csv", &regions())]);
    let (document, exit) =
        folder.json(&["evaluate", "runs.csv", "--metric", "time_s", "--models", "auto,mean", "--hold-out", "factor:4"]);
    assert_eq!(exit, 0);
    has(&document, "kind version warnings models points histogram");
    for model in document["models"].as_array().expect("a list") {
        has(
            model,
            "model count failed mean_error_pct median_error_pct p90_error_pct max_error_pct smape_pct mean_re_log_pct \
             bias_factor coverage_pct interval_factor",
        );
        assert_eq!(model["count"], 4, "p = 16 and 32 in two groups");
    }
    has(&document["points"][0], "model group metric at measured predicted error_pct re_log_pct low high covered");
    has(&document["histogram"][0], "model from_pct to_pct count");
    let error = |index: usize| number(&document["models"][index]["median_error_pct"]);
    assert!(error(0) < error(1), "auto knows more than the mean");
}

#[test]
fn predictions_of_any_method_are_joined_to_runs() {
    let folder = Folder::with(&[
        ("runs.csv", b"p,time_s\n64,2.0\n64,2.2\n64,2.4\n128,1.0\n"),
        ("predictions.csv", b"form,p,time_s,time_low_s,time_high_s,interval_level\nsmooth,64,2.0,1.9,2.1,0.9\nexact,64,2.2,2.1,2.3,0.9\n"),
    ]);
    let (document, exit) = folder.json(&["evaluate", "--predictions", "predictions.csv", "--runs", "runs.csv"]);
    assert_eq!(exit, 0);
    let points = document["points"].as_array().expect("a list");
    assert_eq!(points.len(), 2);
    // Truth is the median of the repetitions, 2.2.
    assert!((number(&points[0]["error_pct"]) - 100.0 * 0.2 / 2.2).abs() < 1e-9);
    assert_eq!((points[0]["covered"].as_bool(), points[1]["covered"].as_bool()), (Some(false), Some(true)));
}

#[test]
fn every_run_is_judged_beside_the_medians() {
    let runs = "p,time_s\n8,10\n8,10.2\n8,10.6\n16,5\n16,5.1\n16,5.8\n32,2.9\n32,2.6\n32,2.95\n";
    let predictions =
        "p,time_s,time_low_s,time_high_s,interval_level\n8,10,9.5,10.4,0.9\n16,5,4.6,5.4,0.9\n32,2.5,2.4,2.7,0.9\n";
    let folder = Folder::with(&[("runs.csv", runs.as_bytes()), ("predictions.csv", predictions.as_bytes())]);
    let args = ["evaluate", "--predictions", "predictions.csv", "--runs", "runs.csv"];
    let (document, exit) = folder.json(&args);
    assert_eq!(exit, 0);
    let model = &document["models"][0];
    has(
        model,
        "covered no_range coverage_low_pct coverage_high_pct runs covered_runs runs_coverage_pct runs_coverage_low_pct \
         runs_coverage_high_pct design_effect coverage_level",
    );
    assert_eq!((&model["covered"], &model["covered_runs"], &model["runs"]), (&2.into(), &5.into(), &9.into()));
    assert!((number(&model["runs_coverage_low_pct"]) - 21.2009).abs() < 1e-4);
    assert!((number(&model["runs_coverage_high_pct"]) - 86.3004).abs() < 1e-4);
    assert_eq!((number(&model["design_effect"]), number(&model["coverage_level"])), (1.0, 0.95));
    assert_eq!((&document["points"][0]["runs"], &document["points"][0]["covered_runs"]), (&3.into(), &2.into()));
    let text = String::from_utf8(folder.run(&args).stdout).expect("text");
    assert!(text.contains("5 of 9 runs in the 90 % range (56 %; between 21 and 86 %), 2 of 3 medians"), "{text}");
    assert!(text.contains("ranges are too narrow"), "{text}");
}

#[test]
fn predictions_written_as_a_table_are_read_back() {
    let folder = Folder::with(&[("runs.csv", &regions()), ("large.csv", b"region,p,N,time_s\nmain,64,64000,28.6\n")]);
    let written = folder.run(&["predict", "runs.csv", "--metric", "time_s", "--at", "p=64", "-o", "predictions.csv"]);
    assert!(written.status.success());
    let (document, exit) = folder.json(&["evaluate", "--predictions", "predictions.csv", "--runs", "large.csv"]);
    assert_eq!(exit, 0);
    assert!(number(&document["points"][0]["error_pct"]) < 5.0, "{document}");
    assert_eq!(document["points"][0]["covered"], true);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::with(&[("runs.csv", &regions())]);
    let run = |threads: &str| folder.run(&["fit", "runs.csv", "--model", "all", "--json", "--threads", threads]).stdout;
    assert_eq!(run("1"), run("2"));
}

#[test]
fn a_user_formula_is_fitted_with_its_own_names() {
    let csv = b"p,N,time_s\n1,100,102\n2,100,52\n4,100,27\n1,200,402\n2,200,202\n8,200,52\n";
    let folder = Folder::with(&[("runs.csv", csv)]);
    // T = 0.01 N^2/p + 2
    let args = ["fit", "runs.csv", "--formula", "a*N^2/p + c + b*p", "--unknown", "a,b,c"];
    let (document, _) = folder.json(&args);
    let model = &document["models"][0];
    assert_eq!(model["model"], "formula");
    assert!((number(&model["coefficients"]["a"]) - 0.01).abs() < 1e-9);
    assert!((number(&model["coefficients"]["c"]) - 2.0).abs() < 1e-6);
    assert!(number(&model["coefficients"]["b"]).abs() < 1e-9);
}

/// Repetitions are numbered in a column of another name: a configuration is one point all the same.
#[test]
fn a_configuration_is_one_point_however_often_it_was_run() {
    let rows = [(1, [8.0, 8.1, 8.2]), (2, [4.0, 4.1, 4.3]), (4, [2.0, 2.1, 2.2]), (8, [1.0, 1.1, 1.3])];
    let mut runs = "p,run,time_s\n".to_owned();
    for (p, times) in rows {
        times.iter().enumerate().for_each(|(run, time)| runs.push_str(&format!("{p},{},{time}\n", run + 1)));
    }
    let table = b"method,model,p,time_s,time_low_s,time_high_s,interval_level,verdict,horizon\nbsf,smooth-flat,8,1.2,1,1.4,0.9,ok,\n";
    let folder = Folder::with(&[("runs.csv", runs.as_bytes()), ("predictions.csv", table)]);
    for line in [&["evaluate", "runs.csv"][..], &["evaluate", "runs.csv", "--predictions", "predictions.csv"]] {
        let (document, exit) = folder.json(line);
        let points = document["points"].as_array().expect("a list");
        assert_eq!((exit, points.len(), &document["models"][0]["count"]), (0, 1, &1.into()), "{document}");
        assert_eq!(number(&points[0]["measured"]), 1.1);
    }
}

#[test]
fn forecasts_of_several_methods_and_models_stand_side_by_side() {
    let table = b"method,model,workers,time_s,time_low_s,time_high_s,interval_level,verdict,horizon\n\
                  bsf,smooth-flat,32,0.3,0.2,0.4,0.9,ok,\nbsf,granular-flat,32,,,,,refused,\n";
    let runs = b"p,time_s\n1,8\n2,4.1\n4,2.1\n8,1.1\n16,0.6\n";
    let folder = Folder::with(&[("small.csv", runs), ("large.csv", b"p,time_s\n32,0.33\n"), ("bsf.csv", table)]);
    assert!(folder.run(&["fit", "small.csv", "--model", "auto,amdahl", "-o", "models.json"]).status.success());
    let files = ["evaluate", "large.csv", "models.json", "--predictions", "bsf.csv", "--rename", "p=workers"];
    let (document, exit) = folder.json(&files);
    assert_eq!(exit, 0, "{document}");
    let models = document["models"].as_array().expect("a list");
    let names: Vec<String> =
        models.iter().map(|model| format!("{}/{}", model["method"], model["model"]).replace('"', "")).collect();
    assert_eq!(names, ["bsf/smooth-flat", "bsf/granular-flat", "fit/auto", "fit/amdahl"]);
    assert_eq!((&models[1]["count"], &models[1]["failed"]), (&0.into(), &1.into()));
    let wrong = folder.run(&["evaluate", "large.csv", "--predictions", "bsf.csv", "--rename", "p=worker"]);
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean workers?"));
    let page = ["report", "large.csv", "--predictions", "bsf.csv", "--rename", "p=workers", "-o", "page.html"];
    assert!(folder.run(&page).status.success());
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(page.contains("bsf smooth-flat") && page.contains("Predicted against measured"));
}
