//! `sim calibrate --free law.TYPE`, ranges of `sim run --coeff`, and what coefficients of files follow.

use crate::Place;
use serde_json::Value;

/// The first output of SplitMix64 from a state.
fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Uniform in 0 to 1, by number.
fn uniform(number: u64) -> f64 {
    ((splitmix(number << 26) >> 11) as f64 + 0.5) / 2.0_f64.powi(53)
}

const SYSTEM: &str = "format = \"runcast-system/1\"\nname = \"s\"\ndefault_model = \"m\"\ncomponent = [ { id = \"site\", kind = \
                      \"group\" }, { id = \"node\", kind = \"machine\", parent = \"site\", count = 4 }, { id = \"cpu\", kind = \"cpu\", \
                      parent = \"node\", hardware = \"intel-xeon-l5640\" } ]\nnetwork = [ { of = \"site\", hardware = \"ethernet-1g\" } ]\n";
const EXPERIMENT: &str =
    "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\n[[app]]\nname = \"a\"\nfile = \"app.luau\"\n";

/// A script of one type of blocks, and a rule that is wrong about them.
fn sorting() -> Place {
    let place = Place::new();
    place.write(
        "app.luau",
        "local n = param(\"n\", 1000)\nlabel{ \"w\", run = function() compute{ type = \"sort\", size = n } end }\n",
    );
    let model = "[model.m]\nextends = \"default\"\ncoeff = { sort = \"2ns\" }\nrule = [ { on = \"compute\", type = \"sort\", value = \
                 \"c.sort*size\" } ]\n";
    place.write("s.toml", &format!("{SYSTEM}{model}"));
    place.write("e.toml", EXPERIMENT);
    let row = |power: u64| {
        let n = 2.0_f64.powi(power as i32);
        let time = 3e-9 * n * power as f64 * (1.0 + 0.01 * (2.0 * uniform(power) - 1.0));
        format!("{n},{time}\n")
    };
    place.write("runs.csv", &format!("n,time_s\n{}", (16..26).map(row).collect::<String>()));
    place
}

fn calibrated(place: &Place, options: &[&str]) -> Value {
    let all = [&["sim", "calibrate", "e.toml", "--json", "--table"], options].concat();
    place.run(&all).code(0).document()
}

fn ran(place: &Place, options: &[&str]) -> Value {
    place.run(&[&["sim", "run", "e.toml", "--json"], options].concat()).code(0).document()
}

fn number(document: &Value, key: &str) -> f64 {
    document[key].as_f64().unwrap_or_else(|| panic!("{key} in {document}"))
}

/// Scores and the coefficient are those of a script of its own (docs/theory/sim.md tells the folds): least squares of relative
/// errors by numpy.linalg.lstsq, of the power law of logarithms.
#[test]
fn a_law_is_chosen_by_the_next_size_and_used_later() {
    let place = sorting();
    let document = calibrated(&place, &["runs.csv", "--free", "law.sort", "-o", "coeff.toml"]);
    let laws = document["laws"].as_array().expect("laws");
    let expected = [
        ("rule", 21.168_585),
        ("roofline", 21.168_585),
        ("linear", 21.168_585),
        ("nlogn", 0.351_062),
        ("affine", 12.739_724),
        ("power", 1.459_350),
        ("quadratic", 105.522_386),
    ];
    assert_eq!(laws.len(), expected.len());
    for (law, (word, score)) in laws.iter().zip(expected) {
        assert_eq!((&law["type"], &law["law"]), (&"sort".into(), &word.into()));
        assert!((number(law, "score_pct") / score - 1.0).abs() < 1e-4, "{law}");
        assert_eq!(law["chosen"], word == "nlogn");
        assert!(!law["why"].as_str().expect("a text").is_empty());
    }
    assert_eq!(document["coefficients"][0]["name"], "c.sort_nlogn");
    assert!((number(&document["coefficients"][0], "value") / 3.007_223_56e-9 - 1.0).abs() < 1e-6, "{document}");

    // The file brings the rule: a larger run, and another processor.
    let file = place.read("coeff.toml");
    assert!(file.contains("c.sort_nlogn*size*log2(size)") && file.contains("on = \"cpu:intel-xeon-l5640\""), "{file}");
    let large = ["--coeff", "coeff.toml", "--set", "n=67108864"];
    let run = ran(&place, &large);
    let time = 3.007_223_56e-9 * 67_108_864.0 * 26.0;
    assert!((number(&run, "time_s") / time - 1.0).abs() < 1e-6, "{run}");
    assert_eq!((&run["range_from"], number(&run, "level")), (&"calibration".into(), 0.9));
    // One coefficient: Student's t with 9 degrees of freedom, 1.833, of sqrt(0.568^2 + 0.180^2) % (misfit; its standard error).
    let half = 1.833 * 0.568_f64.hypot(0.180) / 100.0;
    for (key, sign) in [("time_low_s", -1.0), ("time_high_s", 1.0)] {
        let seen = (number(&run, key) / time).ln() * sign;
        assert!((seen / half - 1.0).abs() < 0.3, "{key}: {seen} for {half}");
    }
    let other = ran(&place, &[&large[..], &["--hardware", "cpu=amd-epyc-9654"]].concat());
    // The blocks give their size alone: it counts as operations, 12 * 2.27 and 1,152 / 96 Gflop/s a core.
    let scaled = &other["scaled"][0];
    assert_eq!((&scaled["coefficient"], &scaled["on"]), (&"sort_nlogn".into(), &"intel-xeon-l5640".into()));
    let ratio = number(&other, "time_s") / number(&run, "time_s");
    assert!((ratio / number(scaled, "ratio") - 1.0).abs() < 1e-6 && ratio < 0.5, "{ratio} {scaled}");
    let width = |run: &Value| (number(run, "time_high_s") / number(run, "time_low_s")).ln();
    assert!(width(&other) > 5.0 * width(&run), "elsewhere less is known: {} {}", width(&other), width(&run));
    // What is given by hand is certain but for the misfit.
    let by_hand = ran(&place, &[&large[..], &["--set", "c.sort_nlogn=3e-9"]].concat());
    assert!((number(&by_hand, "time_s") / (3e-9 * 67_108_864.0 * 26.0) - 1.0).abs() < 1e-6, "{by_hand}");
    assert!(width(&by_hand) < width(&run));
    // Calibrated again on top of the file, its law is the rule.
    let again = calibrated(&place, &["runs.csv", "--coeff", "coeff.toml", "--free", "law.sort"]);
    assert_eq!((&again["laws"][0]["law"], &again["laws"][0]["chosen"]), (&"rule".into(), &true.into()));
    assert_eq!(again["coefficients"][0]["name"], "c.sort_nlogn");
}

/// Two types at once: 3 ns n log2 n, shared among processes, and 50 ns a pair of sqrt(n), on all of them.
#[test]
fn laws_of_two_types_are_told_apart() {
    let place = sorting();
    place.write(
        "app.luau",
        "local n = param(\"n\", 1000)\nlocal p = param(\"p\", 1)\nlabel{ \"w\", count = p, run = function() compute{ type = \"sort\", \
         size = n/p } compute{ type = \"pair-wise\", size = math.sqrt(n), ops = n } end }\n",
    );
    let mut rows = String::from("n,p,time_s\n");
    for power in 10..18 {
        for p in [1.0_f64, 4.0] {
            let n = 2.0_f64.powi(power);
            let time = 3e-9 * n / p * (n / p).log2() + 5e-8 * n;
            let noise = 0.004 * (uniform((power as u64) << 4 | p as u64) - 0.5);
            rows += &format!("{n},{p},{}\n", time * (1.0 + noise));
        }
    }
    place.write("runs.csv", &rows);
    let document =
        calibrated(&place, &["runs.csv", "--free", "law.sort,law.pair-wise", "-o", "coeff.toml", "--starts", "1"]);
    let chosen = |kind: &str| {
        let laws = document["laws"].as_array().expect("laws");
        laws.iter().find(|law| law["type"] == kind && law["chosen"] == true).expect("one is chosen")["law"].clone()
    };
    assert_eq!(chosen("sort"), "nlogn", "{document}");
    // No rule, and operations that go with size^2: three laws say the same.
    assert!(["roofline", "power", "quadratic"].map(Value::from).contains(&chosen("pair-wise")), "{document}");
    let n = 2.0_f64.powi(24);
    let run = ran(&place, &["--coeff", "coeff.toml", "--set", "p=4", "--set", &format!("n={n}")]);
    let time = 3e-9 * n / 4.0 * (n / 4.0).log2() + 5e-8 * n;
    assert!((number(&run, "time_s") / time - 1.0).abs() < 0.01, "{run}");
}

#[test]
fn laws_that_nobody_can_find_are_refused() {
    let place = sorting();
    let refused = |options: &[&str], code: i32| {
        let all = [&["sim", "calibrate", "e.toml", "--table"], options].concat();
        place.run(&all).code(code).err
    };
    let told = refused(&["runs.csv", "--free", "law.sirt"], 2);
    assert!(told.contains("did you mean sort?"), "{told}");
    assert!(refused(&["runs.csv", "--free", "law.sort=1ns..2ns"], 2).contains("a law has no bounds"));
    assert!(refused(&["runs.csv", "--free", "law.sort,law.sort"], 2).contains("twice"));
    place.write("few.csv", "n,time_s\n1000,1\n2000,2\n4000,4\n");
    let told = refused(&["few.csv", "--free", "law.sort"], 2);
    assert!(told.contains("3 sizes") && told.contains("4 different sizes"), "{told}");
    // Seconds that the script gives follow no law.
    place.write(
        "app.luau",
        "local n = param(\"n\", 1000)\nlabel{ \"w\", run = function() compute{ type = \"sort\", time = n*1e-9 } end }\n",
    );
    let told = refused(&["runs.csv", "--free", "law.sort"], 2);
    assert!(told.contains("the script gives the seconds"), "{told}");
}

/// Runs of sizes that hardly differ: laws as good as one another say different things far away.
#[test]
fn laws_that_runs_do_not_tell_apart_are_warned_of() {
    let place = sorting();
    let row = |step: u64| {
        let n = 1_000_000 + 1_000 * step;
        format!("{n},{}\n", 2e-9 * n as f64 * (1.0 + 0.03 * (uniform(step) - 0.5)))
    };
    let rows: String = (0..8).map(row).collect();
    place.write("runs.csv", &format!("n,time_s\n{rows}1e9,2\n"));
    let document = calibrated(&place, &["runs.csv", "--free", "law.sort", "--train", "n < 1e8"]);
    let told = document["warnings"].as_array().expect("warnings");
    assert!(told.iter().any(|one| one["code"] == "laws_not_told_apart"), "{document}");
    let scores: Vec<f64> =
        document["laws"].as_array().expect("laws").iter().filter_map(|law| law["score_pct"].as_f64()).collect();
    let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
    let chosen = document["laws"].as_array().expect("laws").iter().position(|law| law["chosen"] == true).expect("one");
    assert!(
        scores[chosen] <= 1.05 * best + 1e-4 && scores[..chosen].iter().all(|score| *score > 1.05 * best),
        "{scores:?}"
    );
}

/// A literal with a unit of time is a coefficient: it follows an exchange, and is told.
#[test]
fn literals_with_a_unit_of_time_follow_the_hardware() {
    let place = sorting();
    let write = |value: &str| {
        let model =
            format!("[model.m]\nextends = \"default\"\nrule = [ {{ on = \"compute\", type = \"sort\", {value} }} ]\n");
        place.write("s.toml", &format!("{SYSTEM}{model}"));
    };
    let time = |options: &[&str]| ran(&place, &[&["--set", "n=1e8"], options].concat());
    write("value = \"2ns*size\"");
    assert!((number(&time(&[]), "time_s") / 0.2 - 1.0).abs() < 1e-9);
    let other = time(&["--hardware", "cpu=amd-epyc-9654"]);
    let scaled = &other["scaled"][0];
    assert_eq!((&scaled["coefficient"], &scaled["figure"]), (&"2ns".into(), &"roofline".into()));
    assert!((number(&other, "time_s") / (0.2 * number(scaled, "ratio")) - 1.0).abs() < 1e-9, "{other}");
    assert!(number(scaled, "ratio") < 0.5 && scaled["line"].as_u64() > Some(0), "{scaled}");
    // A named coefficient of the same value does the same.
    place.write(
        "s.toml",
        &format!(
            "{SYSTEM}[model.m]\nextends = \"default\"\ncoeff = {{ c = \"2ns\" }}\nrule = [ {{ on = \"compute\", type = \"sort\", value = \
             \"c.c*size\" }} ]\n"
        ),
    );
    assert_eq!(time(&["--hardware", "cpu=amd-epyc-9654"])["time_s"], other["time_s"]);
    // Rules for one entry, and numbers without a unit, stay.
    write("hardware = \"amd-epyc-9654\", value = \"2ns*size\"");
    assert!((number(&time(&["--hardware", "cpu=amd-epyc-9654"]), "time_s") / 0.2 - 1.0).abs() < 1e-9);
    write("value = \"2e-9*size\"");
    assert!((number(&time(&["--hardware", "cpu=amd-epyc-9654"]), "time_s") / 0.2 - 1.0).abs() < 1e-9);
}

/// `per`, `count` and `list` follow parameters.
#[test]
fn places_follow_parameters() {
    let place = sorting();
    place.write(
        "app.luau",
        "local p = param(\"p\", 4)\nlabel{ \"w\", count = p, run = function() compute{ type = \"sort\", size = 1e6 } end }\n",
    );
    let used = |entry: &str, p: u64| {
        place.write("e.toml", &format!("{EXPERIMENT}place = [ {{ label = \"w\", {entry} }} ]\n"));
        let document = ran(&place, &["--set", &format!("p={p}")]);
        let components = document["components"].as_array().expect("components").clone();
        components.iter().find(|one| one["id"] == "node").expect("machines")["used"].as_u64()
    };
    for p in [2, 4, 8] {
        assert_eq!(used("per = \"p/2\"", p), Some(2), "{p}");
        assert_eq!(used("per = \"ceil(p/4)\", order = \"cyclic\"", p), Some(p.min(4)), "{p}");
        assert_eq!(used("list = \"rank - 3*floor(rank/3)\"", p), Some(p.min(3)), "{p}");
    }
    assert_eq!(used("list = [\"p/4\", \"p/2\", 0, 3]", 4), Some(4));
    for (entry, told) in [
        ("per = \"p/3\"", "per is 1.3333333333333333"),
        ("per = \"p/x\"", "unknown name `x`"),
        ("per = \"p -\"", "/app/0/place/0/per"),
        ("list = \"rank*1e9\"", "list"),
        ("per = 0", "per"),
    ] {
        place.write("e.toml", &format!("{EXPERIMENT}place = [ {{ label = \"w\", {entry} }} ]\n"));
        let answer = place.run(&["sim", "run", "e.toml"]).code(2);
        assert!(answer.err.contains(told) && answer.err.contains("e.toml:6"), "{entry}: {}", answer.err);
    }
}

/// Files of coefficients that are wrong are told with the place.
#[test]
fn wrong_files_of_coefficients_are_refused() {
    let place = sorting();
    for (text, told) in [
        ("[uncertainty]\nnames = [\"c.sort\"]\n", "covariance"),
        ("[uncertainty]\nnames = [\"c.sort\"]\ncovariance = [[1, 2]]\n", "this is no covariance"),
        ("[uncertainty]\nnames = [\"c.sort\"]\ncovariance = [[-1]]\n", "this is no covariance"),
        ("[uncertainty]\nnames = [\"c.sort\"]\ncovariance = [[nan]]\n", "uncertainty"),
        ("[uncertainty]\nmisfit = -1\n", "misfit"),
        ("[uncertainty]\nmisfti = 1\n", "misfti"),
        (
            "[model.m]\nrule = [ { on = \"compute\", type = \"sort\", value = \"c.none*size\" } ]\n",
            "no coefficient none",
        ),
        ("[model.none]\nrule = [ { on = \"compute\", type = \"sort\", value = \"size\" } ]\n", "no model none"),
        ("[model.m]\nrule = [ { on = \"compute\", type = \"sort\", value = \"c.sort*\" } ]\n", "coeff.toml:2"),
    ] {
        place.write("coeff.toml", text);
        let answer = place.run(&["sim", "run", "e.toml", "--coeff", "coeff.toml"]).code(2);
        assert!(answer.err.contains(told), "{text}: {}", answer.err);
    }
    // Nothing uncertain: the range is as wide as nothing.
    place.write("coeff.toml", "[uncertainty]\n");
    let run = ran(&place, &["--coeff", "coeff.toml"]);
    assert_eq!((&run["time_low_s"], &run["range_from"]), (&run["time_s"], &"calibration".into()));
}
