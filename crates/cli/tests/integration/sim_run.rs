//! `sim run`: the applications of the documentation on its cluster, at all fidelities; every option; every error.

use crate::{Answer, Place};
use serde_json::Value;

/// 32 machines of 12 cores, a fat tree of two levels (2:1) with segments by size; costs of sorting and merging.
const GALERA: &str = include_str!("../../../../testdata/sim/systems/galera.toml");

const MSORT: &str = r#"
local n = param("n", 536870912, "integers")
local p = param("p", 64, "processes: a power of two")
assert(p >= 1 and bit32.band(p, p - 1) == 0, "p must be a power of two")
label{ "sorter", count = p, run = function(rank)
  local low = if rank == 0 then p else bit32.band(rank, -rank)
  local m = n*low/p
  phase("split")
  if rank > 0 then recv{ from = rank - low } end
  local s = low/2
  while s >= 1 do
    m /= 2
    compute{ type = "split", size = m }
    send{ to = rank + s, size = 4*m }
    s /= 2
  end
  phase("sort")
  compute{ type = "sort", size = m, complexity = "d*log2(d)" }
  phase("merge")
  s = 1
  while s < low do
    recv{ from = rank + s }
    m *= 2
    compute{ type = "merge", size = m }
    s *= 2
  end
  if rank > 0 then send{ to = rank - low, size = 4*m } end
end }
"#;

const HEAT: &str = include_str!("../../../../testdata/sim/scripts/heat.luau");

const PAIR: &str = r#"
label{ "pair", count = param("p", 2), run = function(rank)
  compute{ time = 0.001 }
  if rank == 0 then send{ to = 1, size = 1024 } elseif rank == 1 then recv{ from = 0 } end
end }
"#;

const EXPERIMENT: &str = r#"
format = "runcast-experiment/1"
system = "galera.toml"
fidelity = "flow"
checkpoint = { cost = "60s", restart = "60s", downtime = "10min" }
[[app]]
file = "msort.luau"
params = { n = 1048576, p = 16 }
place = [ { label = "sorter", on = "node", per = 12, order = "block" } ]
[vary]
p = [1, 2, 4]
"#;

fn galera() -> String {
    GALERA.replace("mem_sharpness = 4", "mem_sharpness = 4, price_hour = 0.5")
}

fn place() -> Place {
    let place = Place::new();
    place.write("galera.toml", &galera());
    place.write("msort.luau", MSORT);
    place.write("heat.luau", HEAT);
    place.write("pair.luau", PAIR);
    place.write("e.toml", EXPERIMENT);
    place
}

fn ran(place: &Place, arguments: &[&str]) -> Answer {
    place.run(&[&["sim", "run"], arguments].concat())
}

#[track_caller]
fn document(place: &Place, arguments: &[&str]) -> Value {
    ran(place, &[arguments, &["--json"]].concat()).code(0).document()
}

#[track_caller]
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[track_caller]
fn near(value: &Value, expected: f64, relative: f64) {
    let value = number(value);
    assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
}

const FIELDS: [&str; 32] = [
    "kind",
    "version",
    "system",
    "fidelity",
    "tick_s",
    "seed",
    "repetitions",
    "processes",
    "apps",
    "time_s",
    "time_low_s",
    "time_high_s",
    "level",
    "time_min_s",
    "time_max_s",
    "time_sd_s",
    "time_ticks",
    "energy_j",
    "power_mean_w",
    "cost",
    "reliability",
    "labels",
    "phases",
    "components",
    "links",
    "bottleneck",
    "check",
    "counts",
    "not_modelled",
    "assumed",
    "warnings",
    "cost_of_simulation",
];

#[test]
fn the_document_has_every_field_and_its_parts_add_up() {
    let place = place();
    let document = document(&place, &["e.toml"]);
    for field in FIELDS {
        assert!(document.get(field).is_some(), "{field} is missing");
    }
    assert_eq!((&document["kind"], &document["version"]), (&"sim-run".into(), &1.into()));
    assert_eq!((&document["system"], &document["fidelity"]), (&"galera".into(), &"flow".into()));
    assert_eq!(document["processes"], 16);
    assert_eq!(document["bottleneck"], Value::Null);
    assert_eq!(document["check"], Value::Null);
    assert_eq!(document["time_low_s"], Value::Null, "one repetition has no interval");
    assert!(!document["not_modelled"].as_array().expect("a list").is_empty());
    let ticks: f64 = document["time_ticks"].as_str().expect("a text").parse().expect("a number");
    near(&document["time_s"], ticks * 1e-12, 1e-12);
    let app = &document["apps"][0];
    assert_eq!((&app["app"], &app["params"]["p"]), (&"msort".into(), &serde_json::json!(16.0)));
    let label = &document["labels"][0];
    let parts = ["compute_s", "overhead_s", "transfer_s", "wait_s", "collective_s", "io_s"];
    let sum: f64 = parts.iter().map(|part| number(&label[part])).sum();
    near(&label["time_s"], sum, 1e-9);
    let phases: f64 = document["phases"].as_array().expect("a list").iter().map(|phase| number(&phase["time_s"])).sum();
    near(&label["time_s"], phases, 1e-9);
    // 15 messages down and 15 up; half of the array leaves each level down, and comes back up.
    assert_eq!((&label["messages"], &document["counts"]["messages"]), (&30.into(), &30.into()));
    assert_eq!(label["bytes_sent"], serde_json::json!(2 * 4 * 4 * (1 << 19)));
    let reliability = &document["reliability"];
    // Two machines of five years.
    near(&reliability["failure_rate_per_s"], 2.0 / (5.0 * 8760.0 * 3600.0), 1e-9);
    near(&reliability["checkpoint"]["cost_s"], 60.0, 0.0);
    let energy = number(&document["energy_j"]);
    near(&document["power_mean_w"], energy / number(&document["time_s"]), 1e-9);
    let of_components: f64 = document["components"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|component| {
            component["energy_idle_j"].as_f64().unwrap_or(0.0) + component["energy_load_j"].as_f64().unwrap_or(0.0)
        })
        .sum();
    assert!((of_components / energy - 1.0).abs() < 1e-9, "{of_components} {energy}");
    near(&document["cost"], number(&document["time_s"]) / 3600.0 * 2.0 * 0.5, 1e-9);
}

#[test]
fn merge_sort_on_one_process_takes_what_its_rules_say() {
    let place = place();
    let document = document(&place, &["e.toml", "--set", "p=1"]);
    // h = 1.1 for one busy core with turbo 0.1.
    near(&document["time_s"], 2.9e-9 * 1_048_576.0 * 20.0 / 1.1, 1e-9);
}

#[test]
fn heat_and_merge_sort_run_at_all_fidelities_and_agree_about() {
    let place = place();
    // At `label` all update at the same time, and share the memory; at the others those that still exchange leave more of it.
    for (app, sets, tolerance) in [("msort.luau", ["n=16777216", "p=16"], 0.05), ("heat.luau", ["n=2000", "p=8"], 0.10)]
    {
        let mut times = Vec::new();
        for fidelity in ["label", "loggops", "flow"] {
            let document = document(
                &place,
                &["--app", app, "--system", "galera.toml", "--set", sets[0], "--set", sets[1], "--fidelity", fidelity],
            );
            assert_eq!(document["fidelity"], fidelity);
            times.push(number(&document["time_s"]));
        }
        let flow = times[2];
        assert!(times.iter().all(|time| (time / flow - 1.0).abs() < tolerance), "{app}: {times:?}");
    }
}

#[test]
fn the_reason_has_shares_that_add_up_and_reruns() {
    let place = place();
    let document = document(&place, &["e.toml", "--explain"]);
    let found = &document["bottleneck"];
    let path = found["path"].as_array().expect("a path");
    let shares: f64 = path.iter().map(|step| number(&step["share"])).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    let times: f64 = path.iter().map(|step| number(&step["time_s"])).sum();
    near(&document["time_s"], times, 1e-9);
    assert_eq!(found["kind"], path[0]["kind"]);
    let time = number(&document["time_s"]);
    assert!(number(&found["ideal_network_time_s"]) <= time && number(&found["free_compute_time_s"]) < time);
    assert!(found["text"].as_str().expect("a text").contains('%'));
}

#[test]
fn fidelities_are_held_against_each_other() {
    let place = place();
    let document = document(&place, &["e.toml", "--set", "p=64", "--check", "--check-procs", "16"]);
    let check = document["check"].as_array().expect("a list");
    let fidelities: Vec<&str> = check.iter().map(|one| one["fidelity"].as_str().expect("a text")).collect();
    assert_eq!(fidelities, ["label", "loggops", "flow"]);
    assert!(check.iter().all(|one| one["processes"] == 16), "{check:?}");
    assert_eq!(check[2]["difference_pct"], 0.0);
    assert!(number(&check[0]["difference_pct"]).abs() < 10.0, "{check:?}");
}

const NOISE: &str = r#"
noise = { run = { kind = "exp", mean = 0.004 }, node = { kind = "uniform", max = 0.01 }, block = { kind = "exp", mean = 0.004 }, detour = { rate = "0.05/s", mean = "4ms" }, link = { kind = "uniform", max = 0.05 } }
[[app]]"#;

/// What is compared is all but what the answer took.
fn compared(mut document: Value) -> Value {
    document.as_object_mut().expect("an object").remove("cost_of_simulation");
    document
}

#[test]
fn noisy_repetitions_have_an_interval_and_are_the_same_on_any_number_of_threads() {
    let place = place();
    place.write("noisy.toml", &EXPERIMENT.replacen("[[app]]", NOISE, 1));
    let with = |threads: &str, seed: &str| {
        document(&place, &["noisy.toml", "--repetitions", "20", "--threads", threads, "--seed", seed, "--level", "0.8"])
    };
    let one = with("1", "3");
    assert_eq!((&one["repetitions"], &one["level"]), (&20.into(), &0.8.into()));
    let [min, low, mean, high, max] =
        ["time_min_s", "time_low_s", "time_s", "time_high_s", "time_max_s"].map(|name| number(&one[name]));
    assert!(min < low && low < mean && mean < high && high < max, "{min} {low} {mean} {high} {max}");
    assert!(number(&one["time_sd_s"]) > 0.0);
    assert_eq!(compared(one.clone()), compared(with("2", "3")));
    assert_ne!(one["time_s"], with("1", "4")["time_s"]);
    // Scores up to 3 on both sides: of 20 the 19th of 21 places, 2.7, stands at 0.8, where the normal quantile is 1.2816.
    let line = |k: i32| format!("app{k}\ttime_s\t0\t0.1\t{}\n", 0.03 * f64::from(k));
    let scores: String = (-10..=10).filter(|k| *k != 0).map(line).collect();
    place.write("my.tsv", &format!("# scale: range-1\n{scores}"));
    let noisy = ["noisy.toml", "--repetitions", "20", "--seed", "3", "--level", "0.8", "--ranges", "my.tsv"];
    let ranged = document(&place, &noisy);
    let scale = (high / low).ln() / (2.0 * 1.281_551_566);
    for (name, expected) in [("time_low_s", mean * (-2.7 * scale).exp()), ("time_high_s", mean * (2.7 * scale).exp())] {
        assert!((number(&ranged[name]) / expected - 1.0).abs() < 1e-6, "{name}: {}", ranged[name]);
    }
    let few = document(&place, &["noisy.toml", "--repetitions", "9"]);
    assert_eq!((&few["time_low_s"], &few["level"]), (&Value::Null, &Value::Null));
}

#[test]
fn applications_share_machines_and_each_has_its_start() {
    let place = place();
    place.write(
        "two.toml",
        "format = \"runcast-experiment/1\"\nsystem = \"galera.toml\"\n[[app]]\nfile = \"msort.luau\"\nparams = { n = 65536, p = 4 }\n\
         [[app]]\nfile = \"pair.luau\"\nname = \"late\"\nstart = \"1s\"\n",
    );
    let document = document(&place, &["two.toml"]);
    let apps = document["apps"].as_array().expect("a list");
    assert_eq!((&apps[0]["app"], &apps[1]["app"]), (&"msort".into(), &"late".into()));
    assert_eq!(document["processes"], 6);
    assert!(number(&apps[0]["time_s"]) < 0.1);
    assert_eq!(apps[1]["start_s"], 1.0);
    let late = number(&apps[1]["time_s"]);
    assert!((0.001..0.0011).contains(&late), "{late}");
    assert!((number(&document["time_s"]) - 1.0 - late).abs() < 1e-9);
    // A parameter is set in each application that has it.
    let both = crate::sim_run::document(&place, &["two.toml", "--set", "p=2"]);
    assert_eq!(both["processes"], 4);
    let one = crate::sim_run::document(&place, &["two.toml", "--set", "n=131072"]);
    assert_eq!(one["apps"][0]["params"]["n"], 131_072.0);
}

#[test]
fn loggops_parameters_stand_in_place_of_a_system() {
    let place = place();
    let document = document(
        &place,
        &["--app", "pair.luau", "--loggops", "L=2500ns,o=1500ns,g=1000ns,G=6ns,S=65535", "--tick", "1ns"],
    );
    // 1 ms of computing, then 2o + L + 1023 G.
    assert_eq!(document["time_ticks"], (1_000_000 + 2 * 1500 + 2500 + 1023 * 6).to_string());
    assert_eq!((&document["energy_j"], &document["reliability"]["failure_probability"]), (&Value::Null, &Value::Null));
}

#[test]
fn timelines_are_traces_that_viewers_read() {
    let place = place();
    ran(&place, &["e.toml", "--timeline", "t.json"]).code(0);
    let trace: Value = serde_json::from_str(&place.read("t.json")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((count("s"), count("f")), (30, 30));
    assert!(count("X") >= 16);
    ran(&place, &["e.toml", "--timeline", "few.json", "--timeline-ranks", "0-1", "--timeline-span", "0s-1s"]).code(0);
    let few: Value = serde_json::from_str(&place.read("few.json")).expect("JSON");
    let tracks: std::collections::BTreeSet<u64> =
        few["traceEvents"].as_array().expect("events").iter().filter_map(|event| event["tid"].as_u64()).collect();
    assert_eq!(tracks.into_iter().collect::<Vec<_>>(), [0, 1]);
    ran(&place, &["e.toml", "--timeline", "t.paje"]).code(0);
    assert!(place.read("t.paje").starts_with("%EventDef PajeDefineContainerType 0\n"));
    let answer = ran(&place, &["e.toml", "--timeline", "t.txt"]).code(2);
    assert!(answer.err.contains(".json"), "{}", answer.err);
}

#[test]
fn hardware_places_and_coefficients_change_the_answer() {
    let place = place();
    let time = |arguments: &[&str]| number(&document(&place, &[&["e.toml"], arguments].concat())["time_s"]);
    let plain = time(&[]);
    let spread = document(&place, &["e.toml", "--map", "sorter=node:1:cyclic"]);
    let used = |document: &Value| {
        let components = document["components"].as_array().expect("a list").clone();
        components.into_iter().find(|component| component["id"] == "node").expect("there")["used"].clone()
    };
    assert_eq!((used(&document(&place, &["e.toml"])), used(&spread)), (2.into(), 16.into()));
    place.write(
        "c.toml",
        "[model.mpi.coeff]\nsort = { value = 5.8e-9, low = 5e-9, high = 6e-9 }\n[origin]\nwho = \"me\"\n",
    );
    assert!(time(&["--coeff", "c.toml"]) > 1.1 * plain);
    assert!((time(&["--coeff", "c.toml"]) - time(&["--set", "c.sort=5.8ns"])).abs() < 1e-12);
    let faster = document(
        &place,
        &["--app", "heat.luau", "--system", "galera.toml", "--set", "n=64", "--hardware", "cpu=amd-epyc-9654"],
    );
    let slower = document(&place, &["--app", "heat.luau", "--system", "galera.toml", "--set", "n=64"]);
    assert!(number(&faster["time_s"]) < number(&slower["time_s"]));
}

#[test]
fn the_result_for_people_begins_with_the_answer() {
    let place = place();
    let answer = ran(&place, &["e.toml", "--explain"]).code(0);
    let lines: Vec<&str> = answer.out.lines().collect();
    assert!(lines[0].starts_with("msort (n=1048576, p=16) on galera: 16 processes, fidelity flow"), "{}", lines[0]);
    for part in
        ["time", "energy", "chance of a failure", "% of the path", "sorter", "not modelled:", "simulated 30 messages"]
    {
        assert!(answer.out.contains(part), "{part} is missing:\n{}", answer.out);
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let place = place();
    place.write("bad.toml", &EXPERIMENT.replace("fidelity = \"flow\"", "fidelity = \"flaw\""));
    place.write("nofile.toml", &EXPERIMENT.replace("msort.luau", "msrt.luau"));
    place.write("noplace.toml", &EXPERIMENT.replace("\"sorter\", on", "\"sorte\", on"));
    place.write("small.toml", &EXPERIMENT.replace("per = 12", "per = 12, count = 4"));
    place.write(
        "dead.luau",
        "label{ \"cell\", count = 2, run = function(rank)\n  recv{ from = 1 - rank }\n  send{ to = 1 - rank, size = 8 }\nend }\n",
    );
    place.write("loop.luau", "while true do end\n");
    place.write("slip.luau", "label{ \"a\", run = function()\n  compute{ size = -1 }\nend }\n");
    place.write("many.luau", "label{ \"a\", count = 4e9, run = function() compute{ size = 8 } end }\n");
    let cases: [(&[&str], i32, &str); 16] = [
        (&["bad.toml"], 2, "bad.toml:4:12"),
        (&["nofile.toml"], 2, "msrt.luau"),
        (&["noplace.toml"], 2, "noplace.toml:9"),
        (&["missing.toml"], 2, "missing.toml"),
        (&["e.toml", "--set", "q=3"], 2, "no application has a parameter q"),
        (&["e.toml", "--set", "p=3"], 2, "p must be a power of two"),
        (&["e.toml", "--set", "c.srt=1ns"], 2, "c.sort"),
        (&["e.toml", "--hardware", "cpu=intel-xeon-l5641"], 2, "intel-xeon-l5640"),
        (&["--app", "pair.luau"], 2, "--system"),
        (&["pair.luau"], 2, "--app pair.luau"),
        (&["--app", "many.luau", "--system", "galera.toml", "--fidelity", "flow"], 1, "--fidelity label"),
        (&["--app", "dead.luau", "--system", "galera.toml"], 1, "dead.luau:2"),
        (&["--app", "loop.luau", "--system", "galera.toml", "--script-steps", "1e6"], 1, "--script-steps"),
        (&["--app", "slip.luau", "--system", "galera.toml"], 2, "slip.luau:2"),
        (&["--app", "pair.luau", "--system", "galera.toml", "--tick", "1e-25s"], 1, "--tick"),
        (&["--app", "pair.luau", "--loggops", "L=1us", "--fidelity", "flow"], 2, "--fidelity"),
    ];
    for (arguments, code, told) in cases {
        let answer = ran(&place, arguments);
        assert_eq!(answer.code, Some(code), "{arguments:?}: {}{}", answer.out, answer.err);
        assert!(answer.err.contains(told), "{arguments:?}: {}", answer.err);
        assert_eq!(answer.out, "", "{arguments:?}");
    }
    let json = ran(&place, &["bad.toml", "--json"]).code(2).document();
    assert_eq!((&json["kind"], &json["problems"][0]["line"]), (&"error".into(), &4.into()));
}

#[test]
fn classes_of_the_label_level_are_bounded_by_an_option() {
    let place = place();
    // A chain: each waits for the one before it, so that no two are alike.
    place.write(
        "chain.luau",
        "label{ \"cell\", count = 40, run = function(rank)\n  if rank > 0 then recv{ from = rank - 1 } end\n  compute{ time = 0.001 }\n  if rank < 39 then send{ to = rank + 1, size = 8 } end\nend }\n",
    );
    let chain = ["--app", "chain.luau", "--loggops", "L=2us,o=1us", "--fidelity", "label"];
    let run = |most: &str| ran(&place, &[&chain[..], &["--max-classes", most, "--json"]].concat());
    let answer = run("39").code(1);
    let problem = &answer.document()["problems"][0];
    assert_eq!(problem["code"], "too_many_classes");
    assert!(problem["hint"].as_str().expect("a hint").contains("--fidelity loggops"), "{problem}");
    // 40 blocks of 1 ms, and 39 messages of o + L + o.
    near(&run("40").code(0).document()["time_s"], 40.0 * 1e-3 + 39.0 * 4e-6, 1e-12);
}

#[test]
fn threads_are_the_option_of_all_commands() {
    let place = place();
    let arguments = ["sim", "run", "e.toml", "--json", "--fidelity", "loggops"];
    let before = place.run(&[&["--threads", "2"], &arguments[..]].concat()).code(0).document();
    let after = place.run(&[&arguments[..], &["--threads", "1"]].concat()).code(0).document();
    assert_eq!(before["time_ticks"], after["time_ticks"]);
}

#[test]
fn what_is_left_out_depends_on_what_is_simulated() {
    let place = place();
    let left_out = |arguments: &[&str]| document(&place, arguments)["not_modelled"].to_string();
    assert!(left_out(&["e.toml"]).contains("no noise"));
    let by_class = left_out(&["e.toml", "--fidelity", "label"]);
    assert!(by_class.contains("the lowest rank represents all") && by_class.contains("no noise"), "{by_class}");
    assert!(!by_class.contains("shared cores"), "12 processes on 12 cores share none: {by_class}");
    place.write("crowd.toml", &EXPERIMENT.replace("per = 12", "per = 16"));
    assert!(left_out(&["crowd.toml", "--fidelity", "label"]).contains("shared cores"));
    place.write("noisy.toml", &format!("{EXPERIMENT}[noise]\nblock = {{ kind = \"normal\", mean = 0, sd = 0.02 }}\n"));
    let noisy = left_out(&["noisy.toml", "--fidelity", "label"]);
    assert!(!noisy.contains("no noise") && noisy.contains("drawn for one process of a class"), "{noisy}");
}

#[test]
fn a_billion_machines_answer_by_label() {
    let place = place();
    place.write(
        "huge.toml",
        &galera().replace("count = 32", "count = 1000000000").replace(
            "topology = { kind = \"fat_tree\", down = [16, 2], up = [1, 8], links = [1, 1] }",
            "topology = \"star\"",
        ),
    );
    place.write("all.luau", "label{ \"a\", count = 1000000000, run = function()\n  compute{ time = 1 }\nend }\n");
    let arguments = ["--app", "all.luau", "--system", "huge.toml", "--map", "a=node:1:block", "--fidelity", "label"];
    near(&document(&place, &arguments)["time_s"], 1.0, 1e-12);
}

#[test]
fn exported_traces_take_as_long_on_the_same_system() {
    let place = place();
    let halo = "label{ \"cell\", count = 12, run = function(rank)\n  for i = 1, 3 do\n    compute{ type = \"merge\", size = 1e6 }\n    \
                compute{ bytes = 16e6 }\n    compute{ ops = 1e8 }\n    compute{ time = 0.01 }\n    \
                barrier{ size = 0, root = 0 }\n  end\nend }\n";
    place.write("steps.luau", halo);
    let on = ["--app", "steps.luau", "--system", "galera.toml"];
    let played = document(&place, &on);
    let written = ran(&place, &[&on[..], &["--export", "ti", "-o", "traces"]].concat());
    assert_eq!(written.code, Some(0), "{}", written.err);
    let arguments = ["sim", "replay", "traces/traces.txt", "--format", "ti", "--system", "galera.toml", "--json"];
    let replayed = place.run(&arguments).code(0).document();
    near(&replayed["time_s"], number(&played["time_s"]), 1e-6);
}

/// 20 h on a machine that fails every 10 h, saved four times (0.1 h each; restart 0.2 h, downtime 0.5 h).
#[test]
fn faults_in_a_run_take_the_mean_of_the_closed_form() {
    let place = place();
    place.write("long.luau", "label{ \"worker\", count = 2, run = function() compute{ time = 72000 } end }");
    let system = "format = \"runcast-system/1\"\ncomponent = [ { id = \"site\", kind = \"group\" },\n\
        { id = \"node\", kind = \"machine\", parent = \"site\", count = 3, set = { failure_rate = \"0.1/h\" } },\n\
        { id = \"cpu\", kind = \"cpu\", parent = \"node\", set = { cores = 4, flops_double = \"4Gflop/s\" } } ]\n";
    place.write("failing.toml", system);
    let experiment = |faults: &str| {
        format!(
            "format = \"runcast-experiment/1\"\nsystem = \"failing.toml\"\nrepetitions = 40000\n{faults}\n\
             [[app]]\nfile = \"long.luau\"\n"
        )
    };
    let saved = |rest: &str| {
        experiment(&format!(
            "faults = {{ checkpoint = {{ cost = \"6min\", restart = \"12min\", downtime = \"30min\"{rest} }} }}"
        ))
    };
    let faults = |text: &str, options: &[&str]| {
        place.write("faults.toml", text);
        document(&place, &[&["faults.toml"], options].concat())["faults"].clone()
    };
    // By the closed form, in hours; the least over N is at N = 15. Of 40,000 replays the mean has an error of 0.034 and 0.012.
    for (rest, expected, within) in
        [(", segments = 4", 28.5067007, 0.14), (", segments = 15", 24.7633723, 0.05), ("", 24.7633723, 0.05)]
    {
        let seen = faults(&saved(rest), &["--fidelity", "label"]);
        assert!((number(&seen["time_s"]) / 3600.0 - expected).abs() < within, "{rest}: {seen}");
        assert!(
            number(&seen["time_low_s"]) < number(&seen["time_high_s"]) && number(&seen["count_mean"]) > 2.0,
            "{seen}"
        );
    }
    let hopeless = faults(&saved(", segments = 4").replace("12min", "300h"), &[]);
    assert!(hopeless["time_s"].is_null(), "{hopeless}");
    let hopeless = place.run(&["sim", "run", "faults.toml"]).code(0);
    assert!(hopeless.err.contains("(does_not_finish)"), "{}", hopeless.err);
    assert!(faults(&experiment(""), &[]).is_null());
    assert!(number(&faults(&experiment(""), &["--faults"])["time_s"]) > 72000.0);
    place.write("faults.toml", &saved(", segments = 4, interval = \"1h\""));
    let both = place.run(&["sim", "run", "faults.toml"]).code(2);
    assert!(both.err.contains("faults.toml:4:") && both.err.contains("/faults/checkpoint/interval"), "{}", both.err);
}
