//! `sim sweep`: rows, resuming, speedups, what fails.

use crate::Place;
use serde_json::Value;

fn with_sort() -> Place {
    let place = Place::new();
    place.run(&["sim", "new", "msort", "-o", "sort"]).code(0);
    place
}

const VARY: [&str; 9] = [
    "sim",
    "sweep",
    "sort/experiment.toml",
    "--vary",
    "p=1,2,3,4",
    "--vary",
    "hardware.cpu=intel-xeon-l5640,amd-epyc-9654",
    "--speedup",
    "p",
];

fn swept(place: &Place, file: &str) -> Value {
    place.run(&[&VARY[..], &["-o", file, "--json"]].concat()).code(0).document()
}

#[test]
fn a_row_for_every_combination() {
    let place = with_sort();
    let document = swept(&place, "all.csv");
    assert_eq!((&document["kind"], &document["version"]), (&"sim-sweep".into(), &1.into()));
    assert_eq!(document["simulated"], 8);
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 8);
    let table = place.read("all.csv");
    let columns = "method,model,hardware.cpu,p,time_s,time_low_s,time_high_s,energy_j,energy_low_j,energy_high_j,";
    assert!(table.starts_with(columns), "{table}");
    let end = "speedup,speedup_low,speedup_high,efficiency,efficiency_low,efficiency_high,interval_level,verdict,horizon,\
               rep,status,key\n";
    assert!(table.contains(end), "{table}");
    assert_eq!(table.lines().count(), 9);
    assert!(!table.contains("\"\""), "what is null is an empty cell: {table}");
    for row in rows {
        let (p, cpu) = (row["p"].as_f64().expect("p"), row["hardware.cpu"].as_str().expect("a name"));
        let verdict = if p == 3.0 { "refused" } else { "ok" };
        assert_eq!((&row["method"], &row["model"], &row["verdict"]), (&"sim".into(), &"flow".into(), &verdict.into()));
        if p == 3.0 {
            // The script takes powers of two only: the others are done all the same.
            assert!(row["status"].as_str().expect("a status").starts_with("failed"), "{row}");
            assert_eq!(row["time_s"], Value::Null);
            continue;
        }
        let set = format!("p={p}");
        let hardware = format!("cpu={cpu}");
        let one = ["sim", "run", "sort/experiment.toml", "--set", &set, "--hardware", &hardware, "--json"];
        let run = place.run(&one).code(0).document();
        assert_eq!((&run["time_s"], &run["energy_j"]), (&row["time_s"], &row["energy_j"]));
        let base = rows.iter().find(|row| row["p"] == 1.0 && row["hardware.cpu"] == cpu).expect("one process");
        let speedup = base["time_s"].as_f64().expect("a time") / row["time_s"].as_f64().expect("a time");
        assert!((row["speedup"].as_f64().expect("a speedup") - speedup).abs() < 1e-9);
        assert!((row["efficiency"].as_f64().expect("an efficiency") - speedup / p).abs() < 1e-9);
    }
    assert_eq!(document["failed"], 2);
    assert_eq!(document["warnings"][0]["code"], "not_simulated");
}

/// Whatever a kill left, the table ends the same, and whole rows are not simulated again.
#[test]
fn a_table_cut_at_any_byte_is_resumed() {
    let place = with_sort();
    swept(&place, "all.csv");
    let whole = place.read("all.csv");
    // Every byte around the ends of lines, and some between.
    let ends: Vec<usize> = whole.match_indices('\n').map(|(at, _)| at).collect();
    let near = |cut: usize| ends.iter().any(|end| cut.abs_diff(*end) <= 1);
    for cut in (0..=whole.len()).filter(|cut| near(*cut) || cut % 97 == 0) {
        place.write("cut.csv", &whole[..cut]);
        let document = swept(&place, "cut.csv");
        assert_eq!(place.read("cut.csv"), whole, "cut behind byte {cut}");
        let lines = whole[..cut].matches('\n').count();
        assert_eq!(document["taken_over"], lines.saturating_sub(1), "cut behind byte {cut}");
    }
}

/// The key is of what is in the files, not of where they are.
#[test]
fn keys_do_not_depend_on_paths() {
    let place = with_sort();
    swept(&place, "all.csv");
    for file in ["app.luau", "system.toml", "experiment.toml"] {
        place.write(&format!("far/away/{file}"), &place.read(&format!("sort/{file}")));
    }
    let elsewhere = |file: &str| {
        let mut arguments: Vec<&str> = VARY.to_vec();
        arguments[2] = "far/away/experiment.toml";
        place.run(&[&arguments[..], &["-o", file, "--json"]].concat()).code(0).document()
    };
    let document = elsewhere("all.csv");
    assert_eq!((&document["simulated"], &document["taken_over"]), (&0.into(), &8.into()));
    // What is in them counts: another cost of merging is another simulation.
    place.write("far/away/system.toml", &place.read("sort/system.toml").replace("4.5ns", "4.6ns"));
    let document = elsewhere("all.csv");
    assert_eq!((&document["simulated"], &document["taken_over"]), (&8.into(), &0.into()));
}

#[test]
fn repetitions_are_rows_and_fit_takes_them() {
    let place = with_sort();
    let noise = "noise = { run = { kind = \"exp\", mean = 0.01 } }\nrepetitions = 3\n";
    place.write(
        "sort/experiment.toml",
        &place.read("sort/experiment.toml").replacen("system", &format!("{noise}system"), 1),
    );
    let arguments = ["sim", "sweep", "sort/experiment.toml", "--vary", "p=1..64*2", "-o", "runs.csv", "--json"];
    let document = place.run(&arguments).code(0).document();
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 21);
    let reps: Vec<&Value> = rows.iter().take(3).map(|row| &row["rep"]).collect();
    assert_eq!(reps, [1.0, 2.0, 3.0]);
    assert_ne!(rows[0]["time_s"], rows[1]["time_s"]);
    // The same on one thread: noise is drawn by configuration and repetition.
    let one = ["sim", "sweep", "sort/experiment.toml", "--vary", "p=1..64*2", "--jobs", "1", "-o", "one.csv"];
    place.run(&one).code(0);
    assert_eq!(place.read("one.csv"), place.read("runs.csv"));
    let fitted = place.run(&["fit", "runs.csv", "--metric", "time_s", "--json"]).code(0).document();
    assert_eq!(fitted["kind"], "fit");
}

#[test]
fn wrong_sweeps_are_named() {
    let place = with_sort();
    place.write("other.csv", "a,b\n1,2\n");
    let cases: [(&[&str], i32, &str); 10] = [
        (&["--vary", "q=1,2"], 2, "q cannot vary"),
        (&["--vary", "pp=1,2"], 2, "did you mean p?"),
        (&["--vary", "hardware.cup=intel-xeon-l5640"], 2, "did you mean hardware.cpu?"),
        (&["--vary", "c.sotr=1e-9,2e-9"], 2, "did you mean c.sort?"),
        (&["--set", "pp=4", "--vary", "p=1,2"], 2, "did you mean p?"),
        (&["--vary", "p"], 2, "--vary"),
        (&["--vary", "hardware.cpu=intel-xeon-l5641"], 2, "intel-xeon-l5640"),
        (&["--vary", "p=1,2", "--speedup", "n"], 2, "n does not vary"),
        (&["--vary", "p=1,2", "-o", "other.csv"], 2, "other.csv"),
        (&["--vary", "p=3,5"], 2, "power of two"),
    ];
    for (options, code, told) in cases {
        let answer = place.run(&[&["sim", "sweep", "sort/experiment.toml"], options].concat()).code(code);
        assert!(answer.err.contains(told), "{options:?}: {}", answer.err);
        assert!(!told.contains("did you mean") || !answer.err.contains("simulated"), "{options:?}: {}", answer.err);
    }
    assert_eq!(place.read("other.csv"), "a,b\n1,2\n");
}

/// The table of a sweep is a table of predictions like any other; and one of runs, for those who fit what was simulated.
#[test]
fn a_sweep_is_a_table_of_predictions() {
    let place = with_sort();
    let sweep = ["sim", "sweep", "sort/experiment.toml", "--vary", "p=1..8*2", "-o", "sweep.csv", "--json"];
    let rows = place.run(&sweep).code(0).document()["rows"].clone();
    let time = |index: usize| rows[index]["time_s"].as_f64().expect("a time");
    place.write("runs.csv", &format!("p,rep,solve_ms\n2,0,{}\n2,1,{}\n", 2000.0 * time(1), 2000.0 * time(1)));
    let evaluate = ["evaluate", "--predictions", "sweep.csv", "--runs", "runs.csv", "--rename", "solve_ms=time_s"];
    let found = place.run(&[&evaluate[..], &["--metric", "solve_ms", "--json"]].concat()).code(0).document();
    let model = &found["models"][0];
    assert_eq!((&model["method"], &model["model"], &model["count"]), (&"sim".into(), &"flow".into(), &1.into()));
    assert!((found["points"][0]["error_pct"].as_f64().expect("an error") - 50.0).abs() < 1e-9, "{found}");
    let run = ["sim", "run", "sort/experiment.toml", "--set", "p=2", "-o", "run.csv"];
    assert!(place.run(&run).code(0).err.contains("no_interval"));
    let table = place.read("run.csv");
    assert!(table.starts_with("method,model,") && table.lines().nth(1).is_some_and(|row| row.starts_with("sim,flow,")));
    let both = ["evaluate", "--runs", "runs.csv", "--predictions", "sweep.csv", "--predictions", "run.csv"];
    let both = [&both[..], &["--rename", "time_s=solve_ms", "--metric", "solve_ms", "--json"]].concat();
    let names: Vec<String> = place.run(&both).code(0).document()["models"]
        .as_array()
        .expect("models")
        .iter()
        .map(|model| model["model"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, ["flow (sweep.csv)", "flow (run.csv)"]);
    let fitted = place.run(&["fit", "sweep.csv", "--metric", "time_s", "--json"]).code(0).document();
    assert_eq!(fitted["models"][0]["group"], serde_json::json!({}), "who made them is no group");
}

#[test]
fn places_and_noise_vary_like_parameters() {
    let place = with_sort();
    let sweep = ["sim", "sweep", "sort/experiment.toml", "--set", "p=16", "--json", "--vary"];
    let document = place.run(&[&sweep[..], &["map.sorter=node:12:block,node:2:cyclic"]].concat()).code(0).document();
    let rows = document["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    for row in rows {
        let map = format!("sorter={}", row["map.sorter"].as_str().expect("a place"));
        let one = ["sim", "run", "sort/experiment.toml", "--set", "p=16", "--map", &map, "--json"];
        assert_eq!(place.run(&one).code(0).document()["time_s"], row["time_s"], "{map}");
    }
    assert_ne!(rows[0]["time_s"], rows[1]["time_s"]);
    // In the file, and with noise beside it.
    let experiment = place.read("sort/experiment.toml");
    let vary = "[vary]\n\"map.sorter\" = [\"node:12:block\", \"node:2:cyclic\"]\n\"noise.block.mean\" = [0, 0.1]\n#";
    place.write("sort/placed.toml", &experiment.replacen("[vary]", vary, 1));
    let document = place.run(&["sim", "sweep", "sort/placed.toml", "--set", "p=16", "--json"]).code(0).document();
    let both = document["rows"].as_array().expect("rows");
    let time = |row: &Value| row["time_s"].as_f64().expect("a time");
    assert_eq!((both.len(), time(&both[0]), time(&both[2])), (4, time(&rows[0]), time(&rows[1])));
    assert!(time(&both[1]) > 1.05 * time(&both[0]), "{both:?}");
    // What is not there is told before anything runs.
    for (wrong, hint) in [
        ("map.sortr=node:12", "map.sorter"),
        ("noise.blok.mean=0.1", "allowed"),
        ("map.sorter=nod:12", "has no component nod"),
    ] {
        let answer = place.run(&[&sweep[..], &[wrong]].concat());
        assert!(answer.out.contains(hint), "{wrong}: {}", answer.out);
    }
    // The search takes them as any other choice: fewer processes on a machine have more of its memory and network.
    let best = ["sim", "optimize", "sort/experiment.toml", "--set", "p=16", "--objective", "time", "--json", "--vary"];
    let best = place.run(&[&best[..], &["map.sorter=node:12:block,node:2:cyclic"]].concat()).code(0).document();
    assert!(
        best["front"].as_array().expect("a front").iter().any(|point| point.to_string().contains("node:")),
        "{best}"
    );
}
