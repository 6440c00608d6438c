//! `bsf validate`: its document, its files, and what it says to bad tables.

use crate::run::{Folder, has, number};
use serde_json::Value;

const RND400: &[u8] = include_bytes!("../../../../testdata/bsf/rnd400.csv");
const RND22: &[u8] = include_bytes!("../../../../testdata/bsf/rnd22.csv");

/// Costs for which one worker takes 1.0102 s and more of them help.
const COSTS: &str = "algorithm = 'times'
[times]
list_length = 400
latency = '1us'
send = '98us'
work = { value = '1s', low = '0.98s', high = '1.02s' }
fold = '0s'
receive = '100us'
compute = '10ms'
";

fn folder() -> Folder {
    Folder::with(&[("rnd400.csv", RND400), ("rnd22.csv", RND22), ("costs.toml", COSTS.as_bytes())])
}

fn validated(folder: &Folder, args: &[&str]) -> Value {
    let (document, exit) = folder.json(&[&["bsf", "validate"], args].concat());
    assert_eq!(exit, 0, "{document}");
    assert_eq!((&document["kind"], &document["version"]), (&"bsf-validate".into(), &1.into()));
    document
}

fn curve<'a>(document: &'a Value, form: &str, collective: &str) -> &'a Value {
    let curves = document["curves"].as_array().expect("curves");
    let found = curves.iter().find(|curve| curve["form"] == form && curve["collective"] == collective);
    found.unwrap_or_else(|| panic!("no {form}, {collective} in {document}"))
}

fn codes(document: &Value) -> Vec<&str> {
    document["warnings"].as_array().expect("a list").iter().filter_map(|warning| warning["code"].as_str()).collect()
}

fn close(found: &Value, expected: f64, tolerance: f64) {
    let found = number(found);
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

/// The document that the specification shows (`bsf`, 3.5), number by number.
#[test]
fn the_published_document_is_reproduced() {
    let folder = folder();
    let args = ["rnd400.csv", "--fit", "--train", "workers <= 100", "--form", "granular", "--collective", "flat"];
    let document = validated(&folder, &args);
    has(&document, "kind version source list_length warnings curves");
    assert_eq!((&document["source"], &document["list_length"]), (&"fit".into(), &400.into()));
    assert_eq!(codes(&document), ["boundary_not_seen"]);
    let curve = &document["curves"][0];
    has(curve, "form collective loss coefficients k_max k_max_interval train test points");
    assert_eq!(document["curves"].as_array().map(Vec::len), Some(1));
    assert_eq!(curve["loss"], "l2");
    close(&curve["coefficients"]["fixed_s"], 0.113_285, 5e-7);
    close(&curve["coefficients"]["work_s"], 2390.17, 5e-3);
    assert_eq!(number(&curve["coefficients"]["per_worker_s"]), 0.0);
    assert!(curve["k_max"].is_null());
    close(&curve["k_max_interval"]["low"], 1333.98, 5e-3);
    assert!(curve["k_max_interval"]["high"].is_null());
    assert_eq!(number(&curve["k_max_interval"]["level"]), 0.9);
    for (part, count, mean, max) in [("train", 5, 0.015, 0.022), ("test", 10, 0.57, 1.04)] {
        assert_eq!(curve[part]["count"], count);
        close(&curve[part]["mean_error_pct"], mean, 0.005);
        close(&curve[part]["max_error_pct"], max, 0.005);
        assert_eq!(number(&curve[part]["coverage_pct"]), 100.0);
    }
    let point = &curve["points"][5];
    assert_eq!(
        (&point["workers"], &point["part"], &point["extrapolates"]),
        (&120.into(), &"test".into(), &true.into())
    );
    close(&point["measured_s"], 24.013_484, 1e-9);
    close(&point["predicted_s"], 24.014_985, 1e-6);
    close(&point["low_s"], 23.97, 0.005);
    close(&point["high_s"], 24.06, 0.005);
    close(&point["error_pct"], 0.006, 0.0005);
    close(&point["distance"], 1.2, 1e-12);
    assert_eq!(curve["points"][0]["extrapolates"], false);
}

#[test]
fn losses_and_forms_have_the_published_errors() {
    let folder = folder();
    let rows = [
        ("rnd400.csv", "l2", [17.45, 37.22], [0.57, 1.04]),
        ("rnd400.csv", "l1", [18.15, 37.73], [0.52, 0.98]),
        ("rnd22.csv", "l2", [1.26, 2.49], [1.25, 2.47]),
        ("rnd22.csv", "l1", [1.46, 3.07], [1.46, 3.05]),
    ];
    for (table, loss, smooth, granular) in rows {
        let document = validated(&folder, &[table, "--fit", "--train", "workers <= 100", "--loss", loss]);
        for (form, [mean, max]) in [("smooth", smooth), ("granular", granular)] {
            let test = &curve(&document, form, "flat")["test"];
            close(&test["mean_error_pct"], mean, 0.02);
            close(&test["max_error_pct"], max, 0.02);
            assert!(number(&test["coverage_pct"]) >= 85.0);
        }
    }
}

#[test]
fn all_rows_are_fitted_unless_some_are_named() {
    let folder = folder();
    for (table, form, mean) in
        [("rnd400.csv", "smooth", 6.09), ("rnd400.csv", "granular", 0.11), ("rnd22.csv", "smooth", 0.58)]
    {
        let document = validated(&folder, &[table, "--fit"]);
        let curve = curve(&document, form, "flat");
        close(&curve["train"]["mean_error_pct"], mean, 0.02);
        assert!(curve["test"].is_null());
    }
    let document = validated(&folder, &["rnd22.csv", "--fit", "--form", "smooth", "--train", "workers <= 100"]);
    assert_eq!(codes(&document), ["extrapolation"], "the boundary, 906, is beyond 100 workers");
    close(&document["curves"][0]["k_max"], 906.341, 0.001);
}

/// Scores, weights and ranges of an independent script.
#[test]
fn forms_are_weighed_by_what_they_predict() {
    let folder = folder();
    let document = validated(&folder, &["rnd400.csv", "--fit", "--train", "workers <= 100"]);
    let auto = curve(&document, "auto", "auto");
    assert_eq!(document["curves"][0], *auto, "it comes first, the plain curves beside it");
    let members = auto["members"].as_array().expect("members");
    assert_eq!(members.len(), 2);
    has(&members[0], "form collective score weight coefficients");
    for (member, (collective, score, weight)) in
        members.iter().zip([("flat", 0.000_747, 0.4953), ("tree", 0.000_559, 0.5047)])
    {
        assert_eq!((&member["form"], &member["collective"]), (&"granular".into(), &collective.into()));
        close(&member["score"], score, 1e-6);
        close(&member["weight"], weight, 1e-4);
    }
    let point = &auto["points"][14];
    close(&point["predicted_s"], 12.064_135, 1e-6);
    close(&point["low_s"], 11.399, 1e-3);
    close(&point["high_s"], 12.768, 1e-3);
    has(&point["range"], "source class scores clusters parts level_reached");
    has(&point["range"]["parts"], "parameter form noise fold floor g");
    close(&auto["test"]["mean_error_pct"], 0.571, 1e-3);
    let alone = validated(&folder, &["rnd22.csv", "--fit", "--form", "auto", "--collective", "auto"]);
    assert_eq!(alone["curves"].as_array().map(Vec::len), Some(1));
    let named = validated(&folder, &["rnd22.csv", "--fit", "--collective", "tree"]);
    assert!(named["curves"].as_array().expect("curves").iter().all(|curve| curve["form"] != "auto"));
}

#[test]
fn costs_are_held_against_times() {
    let folder = folder();
    let csv: String =
        (1..=8).map(|k| format!("{k},400,{}\n", 10.0 * (0.01 + 1.0 / f64::from(k) + 2e-4 * f64::from(k)))).collect();
    // Times of ten iterations each.
    let whole = csv.replace('\n', ",10\n");
    std::fs::write(folder.path().join("runs.csv"), format!("workers,list_length,time_s,iterations\n{whole}"))
        .expect("written");
    let document =
        validated(&folder, &["runs.csv", "--params", "costs.toml", "--collective", "flat,tree", "--form", "all"]);
    assert_eq!((&document["source"], &document["list_length"]), (&"params".into(), &400.into()));
    assert_eq!(document["curves"].as_array().map(Vec::len), Some(6));
    let smooth = curve(&document, "smooth", "flat");
    assert!(smooth.get("coefficients").is_none() && smooth.get("loss").is_none() && smooth["train"].is_null());
    assert_eq!(smooth["test"]["count"], 8);
    close(&smooth["test"]["max_error_pct"], 0.0, 1e-9);
    assert_eq!(number(&smooth["test"]["coverage_pct"]), 100.0);
    close(&smooth["k_max"], (1.0f64 / 2e-4).sqrt(), 1e-9);
    assert!(number(&smooth["k_max_interval"]["low"]) < 70.0);
    assert!(smooth["points"].as_array().expect("points").iter().all(|point| point["part"] == "test"));
    let tree = curve(&document, "smooth", "tree");
    close(&tree["k_max"], std::f64::consts::LN_2 / 2e-4, 1e-6);
}

#[test]
fn without_uncertain_costs_there_are_no_intervals() {
    let exact = COSTS.replace("{ value = '1s', low = '0.98s', high = '1.02s' }", "'1s'");
    let folder = Folder::with(&[("costs.toml", exact.as_bytes()), ("runs.csv", b"workers,time_s\n1,1.01\n4,0.26\n")]);
    let document = validated(&folder, &["runs.csv", "--params", "costs.toml"]);
    let curve = &document["curves"][0];
    assert!(curve["k_max_interval"].is_null() && curve["test"]["coverage_pct"].is_null());
    assert!(curve["points"][0]["low_s"].is_null() && document.get("seed").is_none());
}

#[test]
fn of_timings_the_iterations_of_the_master_count() {
    let mut csv = String::from(
        "program,backend,collective,workers,threads,size,list_length,region,rank,count,time_s,time_total_s,cpu_time_s\n",
    );
    for workers in [1u32, 2, 3, 4, 6, 8] {
        for (region, rank, factor) in
            [("send", 0, 0.1), ("iteration", 0, 1.0), ("map_fold", 1, 0.9), ("iteration", 1, 7.0)]
        {
            let depth = (f64::from(workers) + 1.0).log2().ceil();
            let time = factor * (0.001 + 0.5 / f64::from(workers) + 0.002 * depth);
            csv.push_str(&format!(
                "jacobi,threads,tree,{workers},1,48,48,{region},{rank},50,{time},{},1\n",
                50.0 * time
            ));
        }
    }
    let folder = Folder::with(&[("timings.csv", csv.as_bytes())]);
    let document = validated(&folder, &["timings.csv", "--fit"]);
    for form in ["smooth", "granular"] {
        // The table tells the collective; 48 elements fall into equal blocks.
        let coefficients = &curve(&document, form, "tree")["coefficients"];
        close(&coefficients["fixed_s"], 0.001, 1e-9);
        close(&coefficients["work_s"], 0.5, 1e-9);
        close(&coefficients["per_worker_s"], 0.002, 1e-9);
    }
}

#[test]
fn repetitions_count_by_their_median_in_any_order() {
    let rows = |factors: &[f64]| -> String {
        let counts = [8.0, 1.0, 4.0, 2.0, 16.0];
        let row = |k: f64, f: f64| format!("{k},{}\n", f * (0.1 + 10.0 / k + 0.05 * k));
        factors.iter().flat_map(|&f| counts.map(|k| row(k, f))).collect()
    };
    let table = |rows: String| format!("workers,time_s\n{rows}");
    let folder = Folder::with(&[
        ("once.csv", table(rows(&[1.0])).as_bytes()),
        ("thrice.csv", table(rows(&[1.1, 1.0, 0.97])).as_bytes()),
    ]);
    let [once, thrice] = ["once.csv", "thrice.csv"].map(|file| validated(&folder, &[file, "--fit"])["curves"].clone());
    assert_eq!(once, thrice);
    assert_eq!(once.as_array().map(Vec::len), Some(2), "auto and smooth, as no list is known");
    close(&once[1]["k_max"], 200f64.sqrt(), 1e-9);
}

#[test]
fn failed_runs_do_not_count_and_mixed_settings_are_told() {
    let csv =
        "workers,threads,status,iterations,time_s\n1,1,ok,2,20\n1,2,,2,20\n2,1,ok,2,11\n3,1,ok,2,8\n4,1,failed,0,0\n";
    let folder = Folder::with(&[("runs.csv", csv.as_bytes())]);
    let document = validated(&folder, &["runs.csv", "--fit"]);
    assert_eq!(document["curves"][0]["train"]["count"], 3);
    assert_eq!(document["curves"][0]["points"][0]["measured_s"], 10);
    let codes = codes(&document);
    assert!(codes.contains(&"failed_runs") && codes.contains(&"mixed_settings") && codes.contains(&"few_points"));
}

#[test]
fn a_wrong_time_is_suspected() {
    let mut csv = String::from("workers,time_s\n");
    for k in [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0] {
        let wrong = if k == 8.0 { 1.5 } else { 1.0 };
        csv.push_str(&format!("{k},{}\n", wrong * (0.2 + 10.0 / k + 0.01 * k)));
    }
    let folder = Folder::with(&[("runs.csv", csv.as_bytes())]);
    let document = validated(&folder, &["runs.csv", "--fit", "--loss", "l1"]);
    let warnings = document["warnings"].as_array().expect("a list");
    let warning = warnings.iter().find(|warning| warning["code"] == "outlier_suspected").expect("a warning");
    assert!(warning["message"].as_str().expect("text").contains("8 workers"), "{warning}");
    assert_eq!((&warning["file"], &warning["line"]), (&"runs.csv".into(), &7.into()));
    close(&document["curves"][0]["coefficients"]["work_s"], 10.0, 1e-9);
}

#[test]
fn other_numbers_of_workers_are_predicted_when_asked_for() {
    let folder = folder();
    let args = ["rnd400.csv", "--fit", "--form", "granular", "--workers", "100,300,400"];
    let document = validated(&folder, &args);
    let points = document["curves"][0]["points"].as_array().expect("points");
    let asked: Vec<&Value> = points.iter().filter(|point| point["part"] == "requested").collect();
    assert_eq!(asked.iter().map(|point| number(&point["workers"])).collect::<Vec<_>>(), [300.0, 400.0]);
    for point in asked {
        assert!(point["measured_s"].is_null() && point["error_pct"].is_null() && number(&point["low_s"]) > 0.0);
    }
    assert_eq!(document["curves"][0]["train"]["count"], 15);
}

#[test]
fn where_workers_do_not_differ_enough_ranges_are_open() {
    let folder =
        Folder::with(&[("runs.csv", b"workers,list_length,time_s\n50,100,2\n60,100,2.1\n70,100,2.2\n80,100,2.3\n")]);
    let document = validated(&folder, &["runs.csv", "--fit", "--form", "granular", "--workers", "20"]);
    assert!(codes(&document).contains(&"undetermined"), "{document}");
    let point = &document["curves"][0]["points"][0];
    assert!(point["high_s"].is_null() && number(&point["low_s"]) > 0.0);
}

#[test]
fn files_are_written() {
    let folder = folder();
    let train = ["bsf", "validate", "rnd400.csv", "--fit", "--train", "workers <= 100"];
    let outputs = ["-o", "predictions.csv", "--plot", "curves.svg", "--report", "page.html"];
    let output = folder.run(&[&train[..], &outputs].concat());
    assert!(output.status.success());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    assert!(
        read("predictions.csv")
            .starts_with("method,model,workers,time_s,time_low_s,time_high_s,interval_level,verdict,horizon\n")
    );
    assert!(read("curves.svg").starts_with("<svg"));
    let page = read("page.html");
    assert!(page.contains("granular, flat") && page.contains("1,334 or more"));
    let (document, exit) = folder.json(&["evaluate", "--predictions", "predictions.csv", "--runs", "rnd400.csv"]);
    assert_eq!((exit, document["points"].as_array().map(Vec::len)), (0, Some(45)), "auto, smooth, granular");
}

/// A table, options, and what the error says beside exit code 2.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const BAD: &[Row] = &[
    ("p,time_s\n1,2\n2,1\n4,1\n", &["--fit"], &["t.csv: workers: there is no column \"workers\"", "p, time_s"]),
    (
        "workers,time_s\n1,2\n2,1\n2,1.1\n",
        &["--fit"],
        &["t.csv", "different numbers of workers for a fit: 2", "3 or more"],
    ),
    ("workers,time_s\n1,2\n2,1\n4,0.9\n", &["--fit", "--train", "workers < 3"], &["for a fit: 2", "--train take more"]),
    ("workers,time_s\n1,2\n2,1\n4,0.9\n", &["--fit", "--train", "workers < 1"], &["for a fit: 0"]),
    ("workers,time_s\n1,2\n2,0\n4,1\n", &["--fit"], &["t.csv:3: time_s: a time of 0 s"]),
    ("workers,time_s\n1,2\n2,-1\n4,1\n", &["--fit"], &["t.csv:3: time_s: a time of -1 s"]),
    ("workers,time_s\n1,2\n2,nan\n4,1\n", &["--fit"], &["t.csv:3", "\"nan\""]),
    ("workers,time_s\n1,2\n2.5,1\n4,1\n", &["--fit"], &["t.csv:3: workers: 2.5"]),
    ("workers,time_s\n0,2\n2,1\n4,1\n", &["--fit"], &["t.csv:2: workers: 0"]),
    ("workers,time_s\n1,2\n,1\n4,1\n", &["--fit"], &["t.csv:3: workers", "no value"]),
    ("workers,time_s\n1,2\nx,1\n4,1\n", &["--fit"], &["t.csv:3: workers: \"x\" is not a number"]),
    (
        "workers,list_length,time_s\n5,4,1\n1,4,2\n2,4,1\n4,4,1\n",
        &["--fit"],
        &["t.csv:2: workers: 5 workers", "1 to 4"],
    ),
    ("workers,list_length,time_s\n1,4,2\n2,4,1\n3,5,1\n", &["--fit"], &["t.csv:4: list_length: a list of 5"]),
    ("workers,list_length,time_s\n1,0,2\n2,0,1\n3,0,1\n", &["--fit"], &["t.csv:2: list_length: 0"]),
    (
        "workers,list_length,time_s\n1,9,2\n2,9,1\n3,9,1\n",
        &["--fit", "--list-length", "8"],
        &["a list of 9", "8 in every row"],
    ),
    ("app,workers,time_s\na,1,2\na,2,1\nb,4,1\n", &["--fit"], &["t.csv: app: runs of 2", "--where 'app == \"a\"'"]),
    ("workers,time_s,iterations\n1,2,5\n2,1,0\n4,1,5\n", &["--fit"], &["t.csv:3: iterations"]),
    ("workers,size_bytes\n1,2\n2,1\n4,1\n", &["--fit"], &["size_bytes is no time"]),
    ("workers,a_s,b_s\n1,2,2\n2,1,1\n4,1,1\n", &["--fit"], &["--metric", "a_s, b_s"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--fit", "--form", "granular"], &["--form", "--list-length"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--fit", "--form", "exact"], &["--form", "smooth, granular"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--fit", "--train", "workerz < 3"], &["--train", "workers"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--fit", "--workers", "0"], &["--workers: 0"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--fit", "--workers", "powers:2"], &["--workers", "no end"]),
    (
        "workers,time_s\n1,2\n2,1\n4,1\n",
        &["--fit", "--list-length", "4", "--workers", "5"],
        &["--workers: 5", "1 to 4"],
    ),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--fit", "--list-length", "0"], &["--list-length"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &[], &["--fit, --costs FILE"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--train", "workers < 3"], &["--train", "--fit"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--params", "costs.toml", "--fit"], &["--params", "--fit"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--params", "costs.toml", "--train", "1"], &["--params", "--train"]),
    ("workers,time_s\n1,2\n2,1\n4,1\n", &["--params", "none.toml"], &["none.toml", "no such file"]),
    ("workers,time_s\n1,2\n500,1\n", &["--params", "costs.toml"], &["t.csv:3: workers: 500 workers", "1 to 400"]),
    ("workers,list_length,time_s\n1,9,2\n", &["--params", "costs.toml"], &["costs.toml: list_length", "400", "9"]),
    ("workers,region,rank,time_s\n1,send,0,2\n2,send,0,2\n3,send,0,2\n", &["--fit"], &["t.csv: region", "iteration"]),
];

#[test]
fn bad_input_is_told_with_its_place() {
    for (table, options, said) in BAD {
        let folder = Folder::with(&[("t.csv", table.as_bytes()), ("costs.toml", COSTS.as_bytes())]);
        let output = folder.run(&[&["bsf", "validate", "t.csv"], *options].concat());
        let errors = String::from_utf8_lossy(&output.stderr);
        let shown = format!("{options:?} on {table:?}\n{errors}");
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert!(!errors.contains("panicked"), "{shown}");
        said.iter().for_each(|part| assert!(errors.contains(part), "\"{part}\" is not said by {shown}"));
    }
}

#[test]
fn hostile_times_do_no_harm() {
    for times in ["1e-308,1e-307,1e-306,1e-305", "1e300,1e-300,1,1e150", "1e308,1e308,1e308,1e308", "5e-324,1,1,1"] {
        let rows: String = times.split(',').zip(1..).map(|(time, k)| format!("{k},{time}\n")).collect();
        let folder = Folder::with(&[("t.csv", format!("workers,time_s\n{rows}").as_bytes())]);
        let output = folder.run(&[
            "bsf",
            "validate",
            "t.csv",
            "--fit",
            "--workers",
            "9007199254740992",
            "--json",
            "--plot",
            "p.svg",
        ]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 2)), "{times}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!text.contains("NaN") && !text.contains("inf"), "{times}: {text}");
    }
}
