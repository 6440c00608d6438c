//! Several applications on one system: what each of them uses.

#![cfg(feature = "luau")]

use runcast_sim::experiment;
use runcast_sim::run::{Inputs, RunControl, RunResult, Settings, Variation, prepare, simulate};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Two applications of these scripts; on machines of 8 cores, 100 W and 160 W more when all compute, 3 an hour.
fn run(machines: u32, scripts: [&str; 2], places: [&str; 2]) -> RunResult {
    let system = format!(
        "format = \"runcast-system/1\"\nname = \"s\"\ncomponent = [\n  {{ id = \"room\", kind = \"group\", set = {{ power_idle = \"10W\" }} }},\n  \
         {{ id = \"node\", kind = \"machine\", parent = \"room\", count = {machines}, set = {{ cores = 8, power_idle = \"100W\", power_load = \
         \"260W\", price_hour = 3, failure_rate = \"0.001/s\" }} }},\n]\n\
         network = [ {{ of = \"room\", set = {{ bandwidth = \"1GB/s\", latency = \"1us\" }} }} ]\n"
    );
    let app = |name: &str, place: &str| format!("[[app]]\nname = \"{name}\"\nfile = \"{name}.luau\"\n{place}\n");
    let text = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"flow\"\n{}{}",
        app("a", places[0]),
        app("b", places[1])
    );
    let experiment = experiment::read(&text, "e.toml").expect("reads");
    let mut files = |path: &Path| {
        Ok(match path.to_str() {
            Some("a.luau") => scripts[0].to_owned(),
            Some("b.luau") => scripts[1].to_owned(),
            _ => system.clone(),
        })
    };
    let inputs = Arc::new(Inputs::read(experiment, Settings::default(), &mut files).expect("complete"));
    let prepared = prepare(&inputs, &Variation::default()).expect("prepared");
    simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).expect("runs").result
}

fn near(seen: Option<f64>, expected: f64) {
    let seen = seen.expect("known");
    assert!((seen - expected).abs() < 1e-9 * expected.abs().max(1.0), "{seen}, expected {expected}");
}

fn adds_up(result: &RunResult) {
    let of_apps: f64 = result.apps.iter().map(|app| app.energy_j.expect("known")).sum();
    near(result.energy_j, of_apps + result.unallocated.energy_j.expect("known"));
    let of_apps: f64 = result.apps.iter().map(|app| app.cost.expect("priced")).sum();
    near(result.cost, of_apps + result.unallocated.cost.expect("priced"));
}

const LONG: &str = "label{ \"x\", count = 4, run = function() compute{ time = 10 } end }";
const SHORT: &str = "label{ \"y\", count = 2, run = function() compute{ time = 4 } end }";

#[test]
fn two_on_a_machine_share_what_it_draws() {
    let result = run(1, [LONG, SHORT], ["place = [ { label = \"x\" } ]", "place = [ { label = \"y\" } ]"]);
    adds_up(&result);
    let [a, b] = [&result.apps[0], &result.apps[1]];
    // 4 of 6 cores for 4 s, all for 6 s, of 110 W; 20 W a busy core.
    near(a.energy_idle_j, 866.666_666_666_666_7 * 1.1);
    near(a.energy_load_j, 800.0);
    near(b.energy_idle_j, 133.333_333_333_333_3 * 1.1);
    near(b.energy_load_j, 160.0);
    near(a.core_s, 40.0);
    near(b.core_s, 8.0);
    near(a.cost, 8.666_666_666_666_667 * 3.0 / 3600.0);
    near(result.unallocated.energy_j, 0.0);
    // The machine's failure ends both: these rates do not add up.
    near(a.failure_rate_per_s, 0.001);
    near(b.failure_rate_per_s, 0.001);
    near(b.failure_probability, -(-0.004_f64).exp_m1());
}

#[test]
fn what_nobody_reserves_is_nobodys() {
    let on = |label: &str, machine: u32| {
        let list = vec![machine.to_string(); if label == "x" { 4 } else { 2 }].join(", ");
        format!("place = [ {{ label = \"{label}\", on = \"room\", list = [{list}] }} ]")
    };
    let result = run(2, [LONG, SHORT], [&on("x", 0), &on("y", 1)]);
    adds_up(&result);
    let [a, b] = [&result.apps[0], &result.apps[1]];
    // The room's 10 W: 4/6 for 4 s, then all; b's machine is nobody's for 6 s.
    near(a.energy_idle_j, 1000.0 + 10.0 * (4.0 * 4.0 / 6.0 + 6.0));
    near(b.energy_idle_j, 400.0 + 10.0 * 4.0 * 2.0 / 6.0);
    near(result.unallocated.energy_j, 600.0);
    near(a.failure_rate_per_s, 0.001);
    near(result.reliability.failure_rate_per_s, 0.002);
    // Without a computing block only the idle power is there.
    let idle = run(1, ["label{ \"x\", run = function() sleep(2) end }", SHORT], ["", ""]);
    near(idle.apps[0].energy_load_j, 0.0);
    adds_up(&idle);
}
