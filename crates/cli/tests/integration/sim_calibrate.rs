//! `sim calibrate`: the three published applications from small runs, held out at scale; what runs cannot tell apart.

use crate::Place;
use serde_json::Value;
use std::path::Path;

/// A table of real runs: our own, or one of the folder beside the project, where there is one.
fn table(name: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let places = [root.join("testdata/sim").join(name), root.join("../shared/data/sim").join(name)];
    places.iter().find(|path| path.exists()).map(|path| path.display().to_string())
}

fn calibrated(place: &Place, template: &str, table: &str, options: &[&str]) -> Value {
    place.run(&["sim", "new", template, "--force"]).code(0);
    let experiment = format!("{template}/experiment.toml");
    let mut arguments =
        vec!["sim", "calibrate", &experiment, "--table", table, "--train", "set == \"train\"", "--json"];
    arguments.extend(options);
    place.run(&arguments).code(0).document()
}

fn holdout_pct(document: &Value) -> f64 {
    document["holdout"]["d_avg_pct"].as_f64().expect("rows held out")
}

fn value_of(document: &Value, name: &str) -> f64 {
    let all = document["coefficients"].as_array().expect("coefficients");
    all.iter().find(|one| one["name"] == name).and_then(|one| one["value"].as_f64()).expect(name)
}

/// Goal of the method: a mean error of 8 % on each of the published applications beyond the runs calibrated on, 4 % over all.
#[test]
fn the_published_applications_are_predicted_at_scale() {
    let place = Place::new();
    let mut errors = Vec::new();
    let heat = calibrated(&place, "heat", &table("heat.csv").expect("our own"), &["--free", "c.stencil"]);
    // The runs move 20 bytes a cell (testdata/sim/PROVENANCE.md).
    assert!((value_of(&heat, "c.stencil") / 20.0 - 1.0).abs() < 0.05, "{}", value_of(&heat, "c.stencil"));
    errors.push(("heat", holdout_pct(&heat)));
    let mslave = calibrated(&place, "mslave", &table("mslave.csv").expect("our own"), &["--free", "c.similarity"]);
    // 0.15 s for a job of 10^7 pairs of numbers.
    assert!((value_of(&mslave, "c.similarity") / 1.5e-8 - 1.0).abs() < 0.05, "{}", value_of(&mslave, "c.similarity"));
    errors.push(("mslave", holdout_pct(&mslave)));
    if let Some(table) = table("msort.csv") {
        let options = ["--free", "c.sort=1ns..10ns,c.merge", "--fix", "c.split=1.333ns"];
        let msort = calibrated(&place, "msort", &table, &options);
        assert!((value_of(&msort, "c.sort") / 2.93e-9 - 1.0).abs() < 0.03);
        assert!((value_of(&msort, "c.merge") / 4.45e-9 - 1.0).abs() < 0.03);
        assert!(msort["holdout"]["d_max_pct"].as_f64().expect("held out") <= 3.0);
        errors.push(("msort", holdout_pct(&msort)));
    }
    for (name, error_pct) in &errors {
        assert!(*error_pct <= 8.0, "{name}: {error_pct} %");
    }
    let mean_pct = errors.iter().map(|(_, error)| error).sum::<f64>() / errors.len() as f64;
    assert!(mean_pct <= 4.0, "{errors:?}");
}

/// Runs of the merge sort on the template's own system: whoever calibrates on them must find its coefficients again.
fn with_own_runs() -> Place {
    let place = Place::new();
    place.run(&["sim", "new", "msort"]).code(0);
    place.run(&["sim", "sweep", "msort/experiment.toml", "--vary", "p=1..64*2", "-o", "own.csv"]).code(0);
    let table = place.read("own.csv");
    // Only what was varied and the time: nothing else is a parameter.
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let at = |name: &str| rows[0].iter().position(|column| *column == name).expect(name);
    let (p, time_s) = (at("p"), at("time_s"));
    let lines: Vec<String> = rows.iter().map(|row| format!("{},{}\n", row[p], row[time_s])).collect();
    place.write("runs.csv", &lines.concat());
    place
}

const OWN: [&str; 5] = ["sim", "calibrate", "msort/experiment.toml", "--table", "runs.csv"];

fn own(place: &Place, options: &[&str]) -> crate::Answer {
    place.run(&[&OWN, options].concat())
}

#[test]
fn coefficients_are_found_again_and_read_back() {
    let place = with_own_runs();
    let options =
        ["--free", "c.sort=1ns..10ns,c.merge=1ns..20ns", "--fix", "c.split=1.333ns", "-o", "coeff.toml", "--json"];
    let document = own(&place, &options).code(0).document();
    assert_eq!((&document["kind"], &document["version"]), (&"sim-calibrate".into(), &1.into()));
    assert!((value_of(&document, "c.sort") / 2.9e-9 - 1.0).abs() < 1e-5, "{}", value_of(&document, "c.sort"));
    assert!((value_of(&document, "c.merge") / 4.5e-9 - 1.0).abs() < 1e-5, "{}", value_of(&document, "c.merge"));
    assert!(document["train"]["d_max_pct"].as_f64().expect("errors") < 1e-3);
    assert_eq!((&document["holdout"], &document["converged"]), (&Value::Null, &true.into()));
    assert_eq!(document["rows"].as_array().expect("rows").len(), 7);

    let file = place.read("coeff.toml");
    for part in ["[model.mpi.coeff]", "sort = { value = 2.", "split = 1.333e-9", "[origin]", "table = \"runs.csv\""] {
        assert!(file.contains(part), "{part}: {file}");
    }

    // Laid over others, the file decides.
    let time = |options: &[&str]| {
        let all = [&["sim", "run", "msort/experiment.toml", "--set", "p=64", "--json"], options].concat();
        place.run(&all).code(0).document()["time_s"].as_f64().expect("a time")
    };
    let doubled = "[model.mpi.coeff]\nmerge = \"9ns\"\n";
    place.write("doubled.toml", doubled);
    let (plain, read, other) = (time(&[]), time(&["--coeff", "coeff.toml"]), time(&["--coeff", "doubled.toml"]));
    assert!((read / plain - 1.0).abs() < 1e-5, "{plain} {read}");
    assert!(other > 1.3 * plain, "{plain} {other}");
    let again = own(&place, &options).code(0).document();
    assert_eq!(document["coefficients"], again["coefficients"], "the same seed");
}

#[test]
fn what_runs_cannot_tell_apart_is_refused() {
    let place = with_own_runs();
    let answer = own(&place, &["--free", "c.sort,c.merge,c.split", "-o", "coeff.toml"]).code(1);
    assert!(answer.err.contains("c.split + 2*c.merge"), "{}", answer.err);
    assert!(answer.err.contains("--fix"), "{}", answer.err);
    assert!(!place.path("coeff.toml").exists());
    let json = own(&place, &["--free", "c.sort,c.merge,c.split", "--json"]).code(1).document();
    assert_eq!(json["kind"], "error");
}

#[test]
fn wrong_options_are_named() {
    let place = with_own_runs();
    let cases: [(&[&str], &str); 9] = [
        (&["--free", "c.srot"], "did you mean c.sort?"),
        (&["--free", "c.sort", "--fix", "c.none=1"], "c.none"),
        (&["--free", "c.sort=10ns..1ns"], "1ns..10ns"),
        (&["--free", "c.sort=3ns"], "1ns..10ns"),
        (&["--free", "c.sort=1ns..2parsecs"], "parsecs"),
        (&["--free", "c.sort,c.sort"], "twice"),
        (&["--free", "c.sort", "--fix", "c.split"], "c.NAME=VALUE"),
        (&["--free", "c.sort", "--train", "p > 1000"], "--train"),
        (&["--free", "c.sort", "--metric", "energy_j"], "energy_j"),
    ];
    for (options, told) in cases {
        let answer = own(&place, options).code(2);
        assert!(answer.err.contains(told), "{options:?}: {}", answer.err);
        assert_eq!(answer.out, "", "{options:?}");
    }
}

/// Bounds hold, and ending at one is told.
#[test]
fn a_value_at_its_bound_is_warned_of() {
    let place = with_own_runs();
    let document = own(&place, &["--free", "c.merge=1ns..4ns", "--json"]).code(0).document();
    assert_eq!(value_of(&document, "c.merge"), 4e-9);
    let codes: Vec<&str> =
        document["warnings"].as_array().expect("warnings").iter().filter_map(|one| one["code"].as_str()).collect();
    assert!(codes.contains(&"at_bound"), "{codes:?}");
}

/// Steps with a barrier after each, on machines of a core.
fn steps() -> Place {
    let place = Place::new();
    place.write(
        "app.luau",
        "local p = param(\"p\", 4)\nlabel{ \"w\", count = p, run = function()\n  loop(50, function() compute{ type = \"work\", size = \
         1e9/(50*p) } barrier{} end)\nend }\n",
    );
    place.write(
        "s.toml",
        "format = \"runcast-system/1\"\nname = \"s\"\ndefault_model = \"m\"\ncomponent = [ { id = \"c\", kind = \"group\" }, { id = \
         \"node\", kind = \"machine\", parent = \"c\", count = 64 } ]\nnetwork = [ { of = \"c\", set = { bandwidth = \"1GB/s\", latency = \
         \"1ns\" } } ]\n[model.m]\nextends = \"default\"\ncoeff = { work = \"10ns\" }\nrule = [ { on = \"compute\", type = \"work\", value = \
         \"c.work*size\" }, { on = \"barrier\", value = \"0\" } ]\n",
    );
    let experiment =
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"loggops\"\n[[app]]\nname = \"a\"\n";
    place.write("e.toml", &format!("{experiment}file = \"app.luau\"\nplace = [ {{ label = \"w\", per = 1 }} ]\n"));
    place
}

#[test]
fn noise_is_found_with_the_coefficient() {
    let place = steps();
    let table = table("noisy.csv").expect("our own");
    let common = ["sim", "calibrate", "e.toml", "--table", &table, "--train", "set == \"train\"", "--json"];
    let alone = place.run(&[&common[..], &["--free", "c.work"]].concat()).code(0).document();
    assert!(holdout_pct(&alone) > 5.0 && alone["misfit_pct"].is_null() && alone["noise"] == serde_json::json!([]));
    let both = ["--free", "c.work,noise.block.mean", "-o", "coeff.toml"];
    let both = place.run(&[&common[..], &both].concat()).code(0).document();
    // 8 ns and 5 % are what the runs were made with.
    assert!((value_of(&both, "c.work") / 8e-9 - 1.0).abs() < 0.01, "{both}");
    let noise = &both["noise"][0];
    let number = |key: &str| noise[key].as_f64().expect(key);
    assert!((number("value") / 0.05 - 1.0).abs() < 0.1 && number("low") <= 0.05 && 0.05 <= number("high"), "{noise}");
    assert!(both["holdout"]["d_max_pct"].as_f64().expect("held out") <= 1.5, "{both}");
    assert_eq!((&both["seeds"], &both["rows_unplaced"]), (&64.into(), &0.into()));

    // The file carries the noise to runs; a size may be set by hand.
    let time = |options: &[&str]| {
        let all = [&["sim", "run", "e.toml", "--set", "p=32", "--repetitions", "20", "--json"], options].concat();
        place.run(&all).code(0).document()
    };
    let noisy = time(&["--coeff", "coeff.toml"]);
    assert!((noisy["time_s"].as_f64().expect("a time") / 0.299_894 - 1.0).abs() < 0.015, "{noisy}");
    assert!(noisy["time_sd_s"].as_f64().expect("several") > 0.0);
    let quiet = time(&["--coeff", "coeff.toml", "--set", "noise.block.mean=0"]);
    let work = value_of(&both, "c.work");
    assert!((quiet["time_s"].as_f64().expect("a time") / (work * 1e9 / 32.0) - 1.0).abs() < 1e-5, "{quiet}");
    place.run(&["sim", "run", "e.toml", "--set", "noise.blok.mean=0"]).code(2);
}

#[test]
fn rows_without_a_place_are_counted() {
    let place = steps();
    place.write("runs.csv", "p,time_s\n1,8\n2,4\n4,2\n100,0.08\n");
    let common = ["sim", "calibrate", "e.toml", "--free", "c.work", "--json", "--table"];
    let document = place.run(&[&common[..], &["runs.csv"]].concat()).code(0).document();
    assert_eq!((&document["rows_unplaced"], document["rows"].as_array().map(Vec::len)), (&1.into(), Some(3)));
    assert_eq!(document["warnings"][0]["code"], "rows_unplaced");
    assert!((value_of(&document, "c.work") / 8e-9 - 1.0).abs() < 1e-6);
    place.write("none.csv", "p,time_s\n100,8\n200,4\n");
    let none = place.run(&[&common[..], &["none.csv"]].concat()).code(1);
    assert!(none.out.contains("no configuration to calibrate on can be placed"), "{}", none.out);
    // Sizes of noise need repetitions.
    let few = ["sim", "calibrate", "e.toml", "--free", "c.work,noise.run.mean", "--table", "runs.csv"];
    let answer = place.run(&few).code(1);
    assert!(answer.err.contains("at most 1 of a configuration"), "{}", answer.err);
}

#[test]
fn simulations_are_kept_and_taken_over() {
    let place = steps();
    place.write("runs.csv", "p,time_s\n1,8\n2,4\n4,2\n");
    let arguments =
        ["sim", "calibrate", "e.toml", "--free", "c.work", "--json", "--table", "runs.csv", "--resume", "kept.txt"];
    let first = place.run(&arguments).code(0).document();
    let kept = place.read("kept.txt");
    assert!(kept.lines().count() > 10, "{kept}");
    // The same again simulates nothing: no line is added; what a killed run has left is enough to go on with.
    let again = place.run(&arguments).code(0).document();
    assert_eq!((&again["coefficients"], place.read("kept.txt")), (&first["coefficients"], kept.clone()));
    place.write("kept.txt", &kept[..kept.len() / 2]);
    assert_eq!(place.run(&arguments).code(0).document()["coefficients"], first["coefficients"]);
    assert!(place.read("kept.txt").len() >= kept.len());
    // Another model is simulated anew.
    let changed = place.read("s.toml").replace("\"10ns\"", "\"11ns\"");
    place.write("s.toml", &changed);
    place.run(&arguments).code(0);
    assert!(place.read("kept.txt").len() > kept.len() + 1000);
    place.write("kept.txt", "p,time_s\n1,2\n");
    place.run(&arguments).code(2);
    assert_eq!(place.read("kept.txt"), "p,time_s\n1,2\n");
}

#[test]
fn what_was_measured_of_a_machine_is_an_entry_that_others_use() {
    let place = Place::new();
    place.write(
        "app.luau",
        "local p = param(\"p\", 1)\nlabel{ \"w\", count = p, run = function() compute{ bytes = 8e9/p } end }\n",
    );
    place.write(
        "s.toml",
        "format = \"runcast-system/1\"\nname = \"s\"\ncomponent = [ { id = \"node\", kind = \"machine\" }, { id = \"cpu\", kind = \"cpu\", \
         parent = \"node\", hardware = \"intel-xeon-l5640\", set = { cores = 16 } } ]\n",
    );
    let experiment =
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"loggops\"\n[[app]]\nname = \"a\"\n";
    place.write("e.toml", &format!("{experiment}file = \"app.luau\"\n"));
    // A core takes 5 GB/s, all together 20 GB/s.
    place.write("runs.csv", "p,time_s\n1,1.6\n2,0.8\n4,0.4\n8,0.4\n16,0.4\n");
    let arguments = [
        "sim",
        "calibrate",
        "e.toml",
        "--table",
        "runs.csv",
        "--free",
        "cpu.mem_bandwidth,cpu.mem_bandwidth_core",
        "--entry",
        "cpu",
        "--entry-out",
        "mine.toml",
        "--json",
    ];
    let document = place.run(&arguments).code(0).document();
    assert!((value_of(&document, "cpu.mem_bandwidth") / 20e9 - 1.0).abs() < 1e-3, "{document}");
    assert!((value_of(&document, "cpu.mem_bandwidth_core") / 5e9 - 1.0).abs() < 1e-3, "{document}");
    assert_eq!(document["entry"], "intel-xeon-l5640-measured");
    let shown = ["sim", "hardware", "show", "intel-xeon-l5640-measured", "--catalogue", "mine.toml", "--json"];
    let shown = place.run(&shown).code(0).out;
    assert!(shown.contains("\"measured\"") && shown.contains("5 configurations of runs.csv"), "{shown}");
    // Used elsewhere, it gives what was measured.
    let used = ["sim", "run", "e.toml", "--set", "p=8", "--json", "--catalogue", "mine.toml", "--hardware"];
    let used = place.run(&[&used[..], &["cpu=intel-xeon-l5640-measured"]].concat()).code(0).document();
    assert!((used["time_s"].as_f64().expect("a time") / 0.4 - 1.0).abs() < 1e-3, "{used}");
    let none = [&arguments[..8], &["node", "--entry-out", "mine.toml"]].concat();
    assert!(place.run(&none).code(2).err.contains("nothing of node was found"));
}
