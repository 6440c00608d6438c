//! `runcast advise` across methods: any forecasts, one of them or all together.

use crate::Place;
use serde_json::Value;

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() < tolerance, "{found} for {expected}");
}

/// Three tables of predictions with known errors on three runs, and ranges on 8 processes.
fn tables() -> Place {
    let place = Place::new();
    place.write("runs.csv", "p,time_s\n1,100\n2,60\n4,40\n");
    let errors = [("a", [0.10, -0.06, 0.08]), ("b", [0.02, 0.04, 0.03]), ("c", [-0.30, 0.20, 0.25])];
    let targets = ["100,90,112", "110,100,120", "130,120,140"];
    for ((name, errors), target) in errors.iter().zip(targets) {
        let row = |((p, time), error): ((i32, f64), &f64)| format!("bsf,{name},{p},{},,,,ok\n", time / error.exp());
        let rows: String = [(1, 100.0), (2, 60.0), (4, 40.0_f64)].into_iter().zip(errors).map(row).collect();
        let header = "method,model,p,time_s,time_low_s,time_high_s,interval_level,verdict\n";
        place.write(&format!("{name}.csv"), &format!("{header}{rows}bsf,{name},8,{target},0.9,ok\n"));
    }
    place
}

/// Weights, value, range and the probability of 115 s were computed with scipy from the errors and ranges of [`tables`].
#[test]
fn forecasts_are_combined_for_a_deadline() {
    let place = tables();
    let all = ["advise", "processes", "runs.csv", "a.csv", "b.csv", "c.csv", "--processes", "8", "--json"];
    let due = [&all[..], &["--combine", "--objective", "deadline:115s@0.8", "--price-per-core-hour", "0.5"]].concat();
    let document = place.run(&due).code(0).document();
    let choice = &document["choices"][0];
    near(number(choice, "time_s"), 108.346_944, 1e-6);
    near(number(choice, "low_s"), 96.038_506, 1e-6);
    near(number(choice, "high_s"), 119.508_370, 1e-6);
    near(number(choice, "probability"), 0.828_089, 1e-5);
    assert_eq!((&document["recommended"]["p"], &document["safe_p"]), (&8.into(), &8.into()));
    assert_eq!((&document["front"], &choice["input"]), (&serde_json::json!([8]), &"combined".into()));
    near(number(choice, "money"), 0.5 * number(choice, "core_hours"), 1e-12);
    // Against the measured 100 s on one process.
    near(number(choice, "speedup"), 100.0 / 108.346_944, 1e-6);
    let weight = |name: &str| {
        let members = document["members"].as_array().expect("members");
        number(members.iter().find(|one| one["input"] == name).expect("a member"), "weight")
    };
    near(weight("a"), 0.158_869, 1e-5);
    near(weight("b"), 0.841_131, 1e-5);
    assert_eq!(weight("c"), 0.0);
    let more = [&all[..], &["--combine", "--objective", "deadline:115s@0.9"]].concat();
    assert!(place.run(&more).document()["recommended"].is_null());
    // Without --combine the best on the runs answers, or the one that is picked.
    let best = place.run(&all).code(0).document();
    assert_eq!((&best["recommended"]["time_s"], &best["recommended"]["input"]), (&110.into(), &"b".into()));
    let picked = place.run(&[&all[..], &["--pick", "a", "--objective", "deadline:105s"]].concat()).code(0).document();
    near(number(&picked["choices"][0], "probability"), 0.760_571, 1e-5);
    let wrong = place.run(&[&all[..], &["--pick", "x"]].concat()).code(2);
    assert!(format!("{}{}", wrong.out, wrong.err).contains("no input that answers is called x"));
}

#[test]
fn what_no_run_judges_must_be_picked_or_combined() {
    let place = tables();
    let both = ["advise", "processes", "a.csv", "b.csv", "--processes", "8"];
    let refused = place.run(&both).code(2);
    assert!(refused.err.contains("--pick one of them, or --combine"), "{}", refused.err);
    place.run(&[&both[..], &["--combine", "--plot", "front.svg"]].concat()).code(0);
    assert!(place.read("front.svg").contains("core-hours"));
    let dear = place.run(&[&both[..], &["--combine", "--objective", "money"]].concat()).code(2);
    assert!(dear.err.contains("--price-per-core-hour"), "{}", dear.err);
}

/// The cost model of Jacobi's method with the numbers of its publication: the speedup peaks at 14 workers, 15 processes.
#[test]
fn a_cost_file_is_advised_on_as_it_is() {
    let place = Place::new();
    place.write(
        "costs.toml",
        "algorithm = \"jacobi\"\nsize = 1500\n[machine]\nlatency = \"15us\"\nop_time = \"29ns\"\ntransfer_time = \"190ns\"\n",
    );
    let asked = ["advise", "processes", "costs.toml", "--processes", "range:1..40:1", "--json"];
    let document = place.run(&asked).code(0).document();
    assert_eq!(document["recommended"]["p"], 15, "{}", document["recommended"]);
    assert_eq!(document["recommended"]["input"], "costs/smooth-flat");
    // Alone, T = 29 ns (2 n^2 + 4 n) or so: the speedup is against that.
    assert_eq!(document["choices"][0]["speedup"], 1);
    let front = document["front"].as_array().expect("a front").len();
    assert!((1..=15).contains(&front), "{front}");
}

/// Two forecasts that agree on 4 processes and part beyond: a run on 16 tells them apart, one on 4 does not.
#[test]
fn the_next_run_is_where_forecasts_part() {
    let place = Place::new();
    let header = "method,model,p,time_s,time_low_s,time_high_s,interval_level,verdict\n";
    let table = |name: &str, times: [f64; 3]| {
        let row = |(p, time): (i32, f64)| format!("bsf,{name},{p},{time},{},{},0.9,ok\n", 0.95 * time, 1.05 * time);
        let rows: String = [4, 16, 64].into_iter().zip(times).map(row).collect();
        place.write(&format!("{name}.csv"), &format!("{header}{rows}"));
    };
    table("a", [40.0, 12.0, 4.0]);
    table("b", [40.4, 16.0, 9.0]);
    let asked = ["advise", "next", "a.csv", "b.csv", "--at", "p=64", "--processes", "4,16", "--budget", "1", "--json"];
    let document = place.run(&asked).code(0).document();
    assert_eq!((&document["kind"], &document["target"]["p"]), (&"advise-next".into(), &64.into()));
    let of = |p: i32| {
        let list = document["candidates"].as_array().expect("a list");
        list.iter().find(|one| one["at"]["p"] == p).expect("a candidate")
    };
    assert_eq!(of(16)["would_tell_apart"], serde_json::json!(["a", "b"]));
    assert!(of(4)["would_tell_apart"].is_null());
    let now = number(&document, "now_factor");
    // Both likely, ln 9/4 = 0.811 apart: half of that is the standard deviation, with 0.0304 of each.
    near(now.ln() / 1.644_854, (0.405_465_f64.powi(2) + 0.0304_f64.powi(2)).sqrt(), 1e-3);
    assert!(number(of(16), "after_factor") < 1.1 && number(of(4), "after_factor") > 0.95 * now);
    assert_eq!(document["chosen"][0]["at"]["p"], 16);
    assert!(number(of(16), "cost_core_hours_high") >= number(of(16), "cost_core_hours"));
}

/// A fit that is saved forecasts what the command itself did, and knows the runs that it has seen.
#[test]
fn a_saved_fit_of_costs_is_compared() {
    let place = Place::new();
    let time = |workers: f64| 0.1 + 80.0 / workers + 0.05 * workers;
    let counts = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let rows: String = counts.iter().map(|workers| format!("{workers},{}\n", time(*workers))).collect();
    place.write("runs.csv", &format!("workers,time_s\n{rows}"));
    let fit = ["bsf", "validate", "runs.csv", "--fit", "--train", "workers <= 16", "-o", "fitted.toml", "--json"];
    let validated = place.run(&fit).code(0).document();
    assert!(place.read("fitted.toml").starts_with("algorithm = \"fit\""));
    let predicted = place.run(&["bsf", "predict", "fitted.toml", "--workers", "32,64", "--json"]).code(0).document();
    let points = &predicted["curves"][0]["points"];
    let mixture = validated["curves"].as_array().expect("curves").iter().find(|one| one["form"] == "auto");
    let of_32 =
        mixture.expect("a mixture")["points"].as_array().expect("points").iter().find(|one| one["workers"] == 32);
    near(number(&points[0], "time_s"), number(of_32.expect("a point"), "predicted_s"), 1e-12);
    let compared = place.run(&["compare", "runs.csv", "fitted.toml", "--json"]).code(0).document();
    let input = &compared["inputs"][0];
    assert_eq!((&input["held_out"], &input["needs"]["runs"]), (&1.into(), &5.into()), "{input}");
    assert_eq!(input["needs"]["machine_measured"], true);
}

/// Costs with the step of a cache against costs without: the step is the whole gap.
#[test]
fn what_is_left_out_is_the_effect() {
    let place = Place::new();
    let pieces = |map: &str| {
        format!(
            "algorithm = 'pieces'\n[pieces]\nlist_length = 64\nsend_bytes = 8\nelement_bytes = 1024\nmap = {map}\n[messages]\nsize_bytes = [8]\ntime_s = [1e-6]\n"
        )
    };
    place.write("cached.toml", &pieces("{ in_cache = '1ms', out_of_cache = '3ms', cache = '16KiB' }"));
    place.write("plain.toml", &pieces("'3ms'"));
    let asked = ["compare", "--predictions", "cached.toml", "plain.toml", "--at", "workers=1,8", "--json"];
    let document = place.run(&asked).code(0).document();
    let differences = document["differences"].as_array().expect("a list");
    let of = differences.iter().flat_map(|one| one["assumptions"].as_array().expect("a list"));
    let cache: Vec<&Value> = of.filter(|one| one["code"] == "cache").collect();
    assert!(!cache.is_empty(), "{document}");
    for one in cache {
        near(number(one, "effect_pct"), 100.0, 0.02);
    }
    // The same as a section of a page.
    place.write("compared.json", &document.to_string());
    place.run(&["report", "compared.json", "-o", "page.html"]).code(0);
    assert!(place.read("page.html").contains("Forecasts side by side"));
    place.run(&[&asked[..6], &["--report", "own.html"]].concat()).code(0);
    assert!(place.read("own.html").contains("Forecasts side by side"));
}

/// Ranges of a method that claims 2 % and is 10 % off: six groups of four runs show it, and the seventh gets the range that it
/// needs.
#[test]
fn ranges_are_as_wide_as_runs_have_shown() {
    let place = Place::new();
    let (mut runs, mut said) = ("app,p,time_s\n".to_owned(), String::new());
    said.push_str("method,model,app,p,time_s,time_low_s,time_high_s,interval_level,verdict\n");
    for app in 0..6 {
        for (p, off) in [(8, 0.10_f64), (16, -0.08), (32, 0.06), (64, -0.11)] {
            let time = 100.0 / f64::from(p);
            runs.push_str(&format!("a{app},{p},{}\n", time * (off * (1.0 + 0.02 * f64::from(app))).exp()));
            said.push_str(&format!("mine,m,a{app},{p},{time},{},{},0.9,ok\n", time / 1.02, time * 1.02));
        }
    }
    place.write("runs.csv", &runs);
    place.write("said.csv", &said);
    let judged = ["evaluate", "runs.csv", "--predictions", "said.csv", "--json"];
    let before = place.run(&[&judged[..], &["--write-ranges", "mine.tsv"]].concat()).code(0).document();
    assert_eq!(before["models"][0]["coverage_pct"], 0);
    assert!(place.read("mine.tsv").starts_with("# scale: range-1\n"));
    let after = place.run(&[&judged[..], &["--ranges", "mine.tsv"]].concat()).code(0).document();
    let coverage = number(&after["models"][0], "coverage_pct");
    assert!((85.0..=100.0).contains(&coverage), "{coverage}");
    let width = number(&after["models"][0], "interval_factor");
    assert!((1.08..1.16).contains(&width), "{width}");
    let wide = place.run(&["compare", "runs.csv", "said.csv", "--ranges", "mine.tsv", "--json"]).code(0).document();
    near(number(&wide["inputs"][0], "coverage_pct"), coverage, 1e-9);
    // Scores of other files, damaged ones, and too few.
    place.write("bad.tsv", "# scale: pieces-1\na\tb\t0\t1\t1\n");
    let refused = place.run(&[&judged[..], &["--ranges", "bad.tsv"]].concat()).code(2);
    assert!(refused.out.contains("bad.tsv") && refused.out.contains("range-1"), "{}", refused.out);
    place.write("few.tsv", "# scale: range-1\na\tb\t0\t1\t1\n");
    let few = place.run(&[&judged[..], &["--ranges", "few.tsv"]].concat()).code(0).document();
    assert!(few["warnings"].as_array().expect("a list").iter().any(|one| one["code"] == "few_scores"), "{few}");
}

/// Errors of 10, 20 and 60 % by hand.
#[test]
fn errors_are_averaged_by_what_points_share() {
    let place = Place::new();
    place.write("runs.csv", "app,p,time_s\na,8,10\na,16,10\nb,8,10\n");
    let header = "method,model,app,p,time_s,verdict\n";
    place.write("said.csv", &format!("{header}mine,m,a,8,11,ok\nmine,m,a,16,12,ok\nmine,m,b,8,16,ok\n"));
    let asked = ["evaluate", "runs.csv", "--predictions", "said.csv", "--means", "app,p", "--json"];
    let document = place.run(&asked).code(0).document();
    let means = document["means"].as_array().expect("means");
    let of = |by: Value| means.iter().find(|one| one["by"] == by).unwrap_or_else(|| panic!("{by} in {means:?}"));
    for (by, count, mean, median, most) in [
        (serde_json::json!({"app": "a"}), 2, 15.0, 15.0, 20.0),
        (serde_json::json!({"p": 8}), 2, 35.0, 35.0, 60.0),
        (serde_json::json!({}), 3, 30.0, 20.0, 60.0),
    ] {
        let one = of(by);
        assert_eq!(one["count"], count);
        near(number(one, "mean_error_pct"), mean, 1e-9);
        near(number(one, "median_error_pct"), median, 1e-9);
        near(number(one, "max_error_pct"), most, 1e-9);
    }
    let wrong = place.run(&["evaluate", "runs.csv", "--predictions", "said.csv", "--means", "nodes"]).code(2);
    assert!(wrong.err.contains("no point has nodes"), "{}", wrong.err);
}
