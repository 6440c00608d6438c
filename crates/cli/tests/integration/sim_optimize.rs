//! `sim optimize`: the front against every row of a sweep, constraints, searches, several applications.

use crate::Place;
use serde_json::Value;

fn with_sort() -> Place {
    let place = Place::new();
    place.run(&["sim", "new", "msort", "-o", "sort"]).code(0);
    place
}

fn numbers(row: &Value) -> [f64; 2] {
    ["time_s", "energy_j"].map(|name| row[name].as_f64().expect(name))
}

fn optimized(place: &Place, experiment: &str, options: &[&str]) -> Value {
    let all = [&["sim", "optimize", experiment, "--json"], options].concat();
    place.run(&all).code(0).document()
}

const VARY: [&str; 4] = ["--vary", "p=1..512*2", "--vary", "hardware.cpu=catalogue:cpu"];

#[test]
fn the_front_is_what_nothing_beats() {
    let place = with_sort();
    let options = [&VARY[..], &["--objectives", "time,energy"]].concat();
    let document = optimized(&place, "sort/experiment.toml", &options);
    assert_eq!((&document["kind"], &document["version"]), (&"sim-optimize".into(), &1.into()));
    assert_eq!((&document["exhaustive"], &document["schedule"]), (&true.into(), &Value::Null));
    let sweep =
        place.run(&[&["sim", "sweep", "sort/experiment.toml", "--json"], &VARY[..]].concat()).code(0).document();
    // The entry of a figure of the publication tells no clock, which the sorting goes with: it is left out, and says so.
    let all = sweep["rows"].as_array().expect("rows");
    let rows: Vec<&Value> = all.iter().filter(|row| row["status"] == "ok").collect();
    let left_out = document["left_out"].as_array().expect("a list");
    assert_eq!((left_out.len(), &left_out[0]["value"]), (1, &"merpsys-fig5".into()), "{left_out:?}");
    assert!(left_out[0]["reason"].as_str().is_some_and(|reason| reason.contains("clock")), "{left_out:?}");
    assert_eq!((document["evaluated"].as_u64(), all.len()), (Some(rows.len() as u64), rows.len() + 10));
    let cpus: std::collections::BTreeSet<&str> = rows.iter().filter_map(|row| row["hardware.cpu"].as_str()).collect();
    assert!(cpus.len() >= 8 && cpus.contains("amd-epyc-9654"), "every processor of the catalogue: {cpus:?}");
    // The slow, obvious way.
    let beaten = |one: [f64; 2]| {
        rows.iter().map(|row| numbers(row)).any(|other| other[0] <= one[0] && other[1] <= one[1] && other != one)
    };
    let mut expected: Vec<[f64; 2]> = rows.iter().map(|row| numbers(row)).filter(|one| !beaten(*one)).collect();
    let mut front: Vec<[f64; 2]> = document["front"].as_array().expect("a front").iter().map(numbers).collect();
    for list in [&mut expected, &mut front] {
        list.sort_by(|a, b| a[0].total_cmp(&b[0]));
        list.dedup();
    }
    assert!(front.len() >= 3, "{front:?}");
    assert_eq!(front, expected);
    assert!(
        document["advice"]
            .as_array()
            .expect("advice")
            .iter()
            .any(|line| line.as_str().is_some_and(|line| line.starts_with("fastest:")))
    );
}

#[test]
fn constraints_are_kept() {
    let place = with_sort();
    let options = [&VARY[..], &["--constraint", "power_mean_w < 1000", "--constraint", "p <= 64"]].concat();
    let document = optimized(&place, "sort/experiment.toml", &options);
    let front = document["front"].as_array().expect("a front");
    assert!(!front.is_empty());
    for best in front {
        assert!(best["power_mean_w"].as_f64().expect("a power") < 1000.0, "{best}");
        assert!(best["params"]["p"].as_f64().expect("p") <= 64.0, "{best}");
    }
    let free = optimized(&place, "sort/experiment.toml", &VARY);
    assert!(free["front"].as_array().expect("a front").iter().any(|best| best["params"]["p"].as_f64() > Some(64.0)));
    let cases: [(&[&str], i32, &str); 6] = [
        (&["--vary", "pp=1,2"], 2, "did you mean p?"),
        (&["--constraint", "power_mean_w < 1"], 1, "--constraint"),
        (&["--constraint", "power_men_w < 1"], 2, "did you mean power_mean_w?"),
        (&["--constraint", "p <"], 2, "--constraint"),
        (&["--objectives", "price"], 2, "price"),
        (&["--vary", "hardware.cpu=catalogue:toaster"], 2, "no entry of this kind"),
    ];
    for (options, code, told) in cases {
        let all = [&["sim", "optimize", "sort/experiment.toml", "--vary", "p=1,2"], options].concat();
        let answer = place.run(&all).code(code);
        assert!(answer.err.contains(told), "{options:?}: {}", answer.err);
    }
}

/// Beyond the budget it searches, says so, and finds the same again with the same seed.
#[test]
fn a_search_is_reproducible_and_says_that_it_is_one() {
    let place = with_sort();
    let options = [&VARY[..], &["--budget", "25", "--seed", "7"]].concat();
    let document = optimized(&place, "sort/experiment.toml", &options);
    assert_eq!((&document["exhaustive"], &document["seed"]), (&false.into(), &7.into()));
    let evaluated = document["evaluated"].as_u64().expect("a count");
    assert!((1..=25).contains(&evaluated), "{evaluated}");
    let warnings = document["warnings"].as_array().expect("a list");
    let warning = warnings.iter().find(|warning| warning["code"] == "not_exhaustive").expect("it says so");
    assert!(warning["message"].as_str().expect("a text").contains("evolutionary search"), "{warning}");
    assert_eq!(document, optimized(&place, "sort/experiment.toml", &options));
    let one = [&options[..], &["--jobs", "1"]].concat();
    assert_eq!(document, optimized(&place, "sort/experiment.toml", &one), "on one thread");
    // What it says is not beaten was simulated as `sim run` does it.
    let best = &document["front"][0];
    let set = format!("p={}", best["params"]["p"]);
    let hardware = format!("cpu={}", best["hardware"]["cpu"].as_str().expect("a name"));
    let arguments = ["sim", "run", "sort/experiment.toml", "--set", &set, "--hardware", &hardware, "--json"];
    assert_eq!(place.run(&arguments).code(0).document()["time_s"], best["time_s"]);
}

/// What follows only in part is said where one would choose by it.
#[test]
fn an_exchange_that_is_hidden_in_part_is_advice() {
    let place = with_sort();
    let system = place.read("sort/system.toml");
    // Without the turbo factor, which counts the cores of either.
    let system =
        system.replacen("scales = \"scalar\"", "scales = \"none\"", 1).replace("c.sort * ops / h", "c.sort * ops");
    place.write("sort/system.toml", &system);
    let vary = ["--set", "p=2", "--vary", "hardware.cpu=intel-xeon-l5640,amd-epyc-9654"];
    let document = optimized(&place, "sort/experiment.toml", &vary);
    let advice = document["advice"].as_array().expect("advice");
    let told = advice.iter().filter_map(|text| text.as_str()).find(|text| text.contains("changes only a part"));
    assert!(told.is_some_and(|text| text.contains("c.sort * ops")), "{document}");
    assert_eq!(document["exchange"][0]["effect"], "partly_hidden");
}

/// A figure that no rule goes with, a coefficient that no block uses: `run` and `sweep` say so, `optimize` refuses.
#[test]
fn values_that_cannot_matter_are_not_recommended() {
    let place = with_sort();
    let flops = ["--set", "p=1", "--vary", "cpu.flops_double=10Gflop/s,1Tflop/s"];
    let line = line_of(&place, "sort/system.toml", "c.sort * ops / h");
    let rule = format!("sort/system.toml:{line}");
    let refused = place.run(&[&["sim", "optimize", "sort/experiment.toml"], &flops[..]].concat()).code(2);
    assert!(refused.err.contains("changing cpu.flops_double") && refused.err.contains(&rule), "{}", refused.err);
    assert!(refused.err.contains("hint: "), "{}", refused.err);
    let swept = place.run(&[&["sim", "sweep", "sort/experiment.toml", "--json"], &flops[..]].concat()).code(0);
    let exchange = &swept.document()["exchange"][0];
    assert_eq!((&exchange["what"], &exchange["effect"]), (&"attribute".into(), &"hidden".into()), "{exchange}");
    let run = ["sim", "run", "sort/experiment.toml", "--set", "p=1", "--set", "cpu.flops_double=1Tflop/s"];
    let ran = place.run(&run).code(0);
    assert!(ran.err.contains("exchange_hidden") && ran.err.contains(&rule), "{}", ran.err);
    let pack = ["--set", "p=1", "--vary", "c.pack=1GB/s,2GB/s"];
    let refused = place.run(&[&["sim", "optimize", "sort/experiment.toml"], &pack[..]].concat()).code(2);
    assert!(refused.err.contains("nothing here uses it"), "{}", refused.err);
    let clock = ["--set", "p=1", "--vary", "cpu.clock=2GHz,3GHz"];
    let best = optimized(&place, "sort/experiment.toml", &clock);
    assert_eq!(best["front"][0]["params"]["cpu.clock"], "3GHz", "{best}");
    assert_eq!(best["exchange"][0]["effect"], "changed");
}

/// The line of a file on which a text stands first.
fn line_of(place: &Place, file: &str, text: &str) -> usize {
    place.read(file).lines().position(|line| line.contains(text)).expect("it is there") + 1
}

/// Entries that give the same time to the last digit are no choice: what hides the difference is named.
#[test]
fn nothing_is_recommended_among_entries_that_cannot_differ() {
    let place = with_sort();
    let optimize = |options: &[&str]| place.run(&[&["sim", "optimize", "sort/experiment.toml"], options].concat());
    let decades = ["--set", "n=1048576", "--vary", "p=1", "--vary", "hardware.cpu=intel-xeon-e5345,amd-epyc-9654"];
    let system = place.read("sort/system.toml");
    place.write("sort/system.toml", &system.replace("scales = \"scalar\"", "scales = \"none\""));
    let refused = optimize(&decades).code(2).err;
    let rule = line_of(&place, "sort/system.toml", "c.sort * ops / h");
    for told in [
        "exchanging cpu (intel-xeon-l5640 -> amd-epyc-9654) cannot change the result: 100 % of its time is",
        "\"c.sort * ops / h\"",
        &format!("sort/system.toml:{rule}"),
        "hw.",
    ] {
        assert!(refused.contains(told), "{told}: {refused}");
    }
    let network = ["--set", "p=64", "--vary", "hardware.galera=infiniband-ndr-4x,ethernet-1g"];
    let fixed = system.replace("rule = [", "rule = [\n  { on = \"p2p\", value = \"1e-9 * size\" },");
    place.write("sort/system.toml", &fixed);
    let refused = optimize(&network).code(2).err;
    let line = line_of(&place, "sort/system.toml", "1e-9 * size");
    for told in [
        "exchanging galera (infiniband-qdr-4x -> ethernet-1g) cannot change the result",
        "1e-9 * size",
        &format!("sort/system.toml:{line}"),
    ] {
        assert!(refused.contains(told), "{told}: {refused}");
    }
    // A rule that names a figure of the hardware tells them apart, as does a coefficient that depends on one.
    place.write("sort/system.toml", &system);
    optimize(&decades).code(0);
    optimize(&network).code(0);
    let system = system.replace("scales = \"scalar\"", "scales = \"none\"");
    place.write("sort/system.toml", &system.replace("c.sort * ops / h", "c.sort * ops * 37.28e9 / hw.flops_double"));
    let document = optimized(&place, "sort/experiment.toml", &decades);
    assert!(document["front"][0]["time_s"].as_f64().expect("a time") > 0.0, "{document}");
}

/// Where entries tie in some configurations only, none of them is called the fastest.
#[test]
fn ties_are_told() {
    let place = with_sort();
    // Both have six cores, and nothing asks for their clock; the third has four.
    let system = place.read("sort/system.toml");
    let system = ["scalar", "mem_bandwidth_core"]
        .iter()
        .fold(system, |text, word| text.replace(&format!("scales = \"{word}\""), "scales = \"none\""));
    place.write("sort/system.toml", &system);
    let cpus = "hardware.cpu=intel-xeon-l5640,intel-xeon-x5680,intel-xeon-e5345";
    let document = optimized(&place, "sort/experiment.toml", &["--vary", "p=1,512", "--vary", cpus]);
    let advice = document["advice"].to_string();
    assert!(advice.contains("intel-xeon-l5640 and intel-xeon-x5680 are equally fast"), "{advice}");
    assert!(!advice.contains("is fastest"), "{advice}");
    // By time alone both are on the front, tied.
    let document =
        optimized(&place, "sort/experiment.toml", &["--vary", "p=1,512", "--vary", cpus, "--objective", "time"]);
    assert_eq!(
        (document["front"].as_array().map(Vec::len), &document["ties"]),
        (Some(2), &serde_json::json!([[0, 1]]))
    );
    let advice = document["advice"].to_string();
    assert!(advice.contains("equally fast: ") && !advice.contains("\"fastest: "), "{advice}");
}

/// Searches and sweeps say which coefficients follow the entries that vary, and what each application takes.
#[test]
fn what_follows_the_hardware_is_told() {
    let place = with_sort();
    let vary = ["--vary", "p=4", "--vary", "hardware.cpu=intel-xeon-l5640,amd-epyc-9654"];
    let document = optimized(&place, "sort/experiment.toml", &vary);
    let sweep =
        place.run(&[&["sim", "sweep", "sort/experiment.toml", "--json"][..], &vary].concat()).code(0).document();
    for scaled in [&document["scaled"], &sweep["scaled"]] {
        let sort = scaled.as_array().and_then(|all| all.iter().find(|one| one["coefficient"] == "sort")).expect("sort");
        assert_eq!((&sort["figure"], &sort["to"]), (&"scalar".into(), &"amd-epyc-9654".into()));
        // Clock times instructions a cycle: 2.27 GHz * 1.15 to 2.4 GHz * 2.2.
        let ratio = sort["ratio"].as_f64().expect("a ratio");
        assert!((ratio / 0.494413 - 1.0).abs() < 1e-5, "{sort}");
    }
    let best = &document["front"][0];
    assert_eq!((&best["apps"][0]["app"], document["ties"].as_array().map(Vec::len)), (&"msort".into(), Some(0)));
    assert_eq!(best["apps"][0]["energy_j"], best["energy_j"]);
    let run = ["sim", "run", "sort/experiment.toml", "--set", "p=4", "--hardware", "cpu=amd-epyc-9654", "--json"];
    let assumed = place.run(&run).code(0).document()["assumed"].to_string();
    assert!(
        assumed.contains("c.sort of the model mpi follows clock and instructions a cycle: 0.4944 times"),
        "{assumed}"
    );
}

#[test]
fn several_applications_share_the_machines_out() {
    let place = with_sort();
    place.run(&["sim", "new", "heat"]).code(0);
    place.write(
        "both.toml",
        "format = \"runcast-experiment/1\"\nsystem = \"sort/system.toml\"\n\
         [[app]]\nfile = \"sort/app.luau\"\nparams = { n = 1048576 }\n\
         [[app]]\nfile = \"heat/app.luau\"\nparams = { n = 200, iters = 5 }\n[vary]\np = [1, 8, 64]\n",
    );
    let document = optimized(&place, "both.toml", &[]);
    let parts = document["schedule"].as_array().expect("a schedule");
    assert_eq!(parts.len(), 2);
    let machines: u64 = parts.iter().map(|part| part["machines"].as_u64().expect("a count")).sum();
    let ends =
        parts.iter().map(|part| part["start_s"].as_f64().expect("a start") + part["time_s"].as_f64().expect("a time"));
    let makespan_s = ends.fold(0.0, f64::max);
    let (value, other) = (&document["schedule_value"], &document["schedule_other_value"]);
    assert!((makespan_s / value.as_f64().expect("a makespan") - 1.0).abs() < 1e-9);
    assert!(value.as_f64() <= other.as_f64(), "{value} {other}");
    // Both are short of 32 machines: together is better, each from the start.
    assert_eq!(document["schedule_way"], "together");
    assert!(machines <= 32, "{machines}");
    assert!(parts.iter().all(|part| part["start_s"] == 0.0), "{parts:?}");
    let thrifty = optimized(&place, "both.toml", &["--aim", "energy"]);
    assert_eq!(thrifty["schedule"].as_array().map(Vec::len), Some(2));
}

/// Six like machines of one core; 12 and 4 blocks of a second. On m machines the first takes 12/m s, rounded up to whole blocks,
/// the second 4/(6 - m): 4 and 2 machines end at 3 s, everything else at 4 s or later.
#[test]
fn machines_are_shared_out_in_every_way() {
    let place = Place::new();
    place.write(
        "s.toml",
        "format = \"runcast-system/1\"\nname = \"six\"\ncomponent = [ { id = \"site\", kind = \"group\" },\n\
         { id = \"node\", kind = \"machine\", parent = \"site\", count = 6 },\n\
         { id = \"cpu\", kind = \"cpu\", parent = \"node\", set = { cores = 1, flops_double = \"1Gflop/s\" } } ]\n\
         network = [ { of = \"site\", hardware = \"ethernet-10g\" } ]\n",
    );
    for (name, count) in [("many", 12), ("few", 4)] {
        let script = format!(
            "local n = param(\"{name}_n\", {count})\nlabel{{ \"{name}\", count = n, run = function() compute{{ ops = 1e9 }} end }}\n"
        );
        place.write(&format!("{name}.luau"), &script);
    }
    place.write(
        "both.toml",
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\n[[app]]\nname = \"many\"\nfile = \"many.luau\"\n\
         [[app]]\nname = \"few\"\nfile = \"few.luau\"\n",
    );
    let search = ["--search", "partitions", "--objective", "time"];
    let document = optimized(&place, "both.toml", &search);
    assert_eq!((&document["exhaustive"], &document["combinations"]), (&true.into(), &5.0.into()));
    let best = &document["front"][0];
    assert_eq!((&best["params"]["share.many"], &best["params"]["share.few"]), (&"0-3".into(), &"4-5".into()));
    assert_eq!(best["time_s"], 3.0);
    // What it found can be run, and varied by hand.
    let shares = ["--set", "share.many=0-3", "--set", "share.few=4-5"];
    let run = place.run(&[&["sim", "run", "both.toml", "--json"], &shares[..]].concat()).code(0).document();
    let times: Vec<&Value> = run["apps"].as_array().expect("two").iter().map(|app| &app["time_s"]).collect();
    assert_eq!(times, [3.0, 2.0]);
    let swept = place.run(&["sim", "sweep", "both.toml", "--vary", "share.few=0,0-1,2+4-5", "-o", "-"]).code(0);
    for row in ["sim,flow,0,6,", "sim,flow,0-1,4,", "sim,flow,2+4-5,4,"] {
        assert!(swept.out.lines().any(|line| line.starts_with(row)), "{}", swept.out);
    }
    // With other things that vary, by a search that does not try all.
    let vary = ["--vary", "many_n=6,12,24", "--budget", "11", "--seed", "3"];
    let searched = optimized(&place, "both.toml", &[&search[..], &vary].concat());
    assert_eq!((&searched["exhaustive"], &searched["combinations"]), (&false.into(), &15.0.into()));
    assert_eq!(
        (&searched["front"][0]["params"]["many_n"], &searched["front"][0]["time_s"]),
        (&6.0.into(), &2.0.into())
    );
    assert_eq!(searched, optimized(&place, "both.toml", &[&search[..], &vary, &["--jobs", "1"]].concat()));
    for (options, told) in [
        (&["sim", "run", "both.toml", "--set", "share.many=4-9"][..], "there is no machine 9"),
        (&["sim", "run", "both.toml", "--set", "share.man=0"], "did you mean many?"),
        (&["sim", "run", "both.toml", "--set", "share.many=3-1"], "no share of the machines"),
        (&["sim", "optimize", "both.toml", "--search", "partitions", "--vary", "share.few=0,1"], "varies twice"),
    ] {
        let refused = place.run(options).code(2);
        assert!(refused.err.contains(told), "{}", refused.err);
    }
}
