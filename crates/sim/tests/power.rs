//! Power states and caps: times and joules by hand.
//!
//! The processor has 8 cores of 1 Gflop/s, and draws at rest/with all cores busy: high 20/100 W, mid (0.75) 16/60 W, low (0.5)
//! 12/36 W; its machine draws 60 W.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;

const STATES: &str = r#"states = [ { name = "low", factor = 0.5, power_idle = "12W", power_load = "36W" },
    { name = "high", factor = 1, power_idle = "20W", power_load = "100W" },
    { name = "mid", factor = 0.75, power_idle = "16W", power_load = "60W" } ]"#;

fn system(machine: &str, cpu: &str, rest: &str) -> String {
    format!(
        r#"format = "runcast-system/1"
component = [
  {{ id = "node", kind = "machine", set = {{ power_idle = "60W"{machine} }} }},
  {{ id = "cpu", kind = "cpu", parent = "node", set = {{ cores = 8, flops_double = "8Gflop/s", mem_bandwidth_core = "1GB/s", {STATES}{cpu} }} }},
{rest}"#
    )
}

fn run_on(machine: &str, cpu: &str, script: &str, fidelity: &str) -> Result<RunResult, Problem> {
    support::run(&system(machine, cpu, "]\n"), script, fidelity, Collectives::Usual)
}

fn run(machine: &str, cpu: &str, script: &str, fidelity: &str) -> RunResult {
    run_on(machine, cpu, script, fidelity).unwrap_or_else(|problem| panic!("{problem:?}"))
}

fn near(seen: f64, expected: f64, what: &str) {
    assert!((seen / expected - 1.0).abs() < 1e-7, "{what}: {seen}, expected {expected}");
}

fn check(seen: &RunResult, time_s: f64, energy_j: f64, what: &str) {
    near(seen.time_s, time_s, &format!("seconds, {what}"));
    near(seen.energy_j.expect("known"), energy_j, &format!("joules, {what}"));
    let parts: f64 =
        seen.components.iter().map(|one| one.energy_idle_j.unwrap_or(0.0) + one.energy_load_j.unwrap_or(0.0)).sum();
    near(parts, energy_j, &format!("components, {what}"));
}

/// `count` processes of so many Gop each.
fn label(name: &str, count: u32, gops: f64, more: &str, block: &str) -> String {
    format!("label{{ \"{name}\", count = {count}{more}, run = function() compute{{ ops = {gops}e9{block} }} end }}\n")
}

const ALL: [&str; 3] = ["flow", "loggops", "label"];
const EXACT: [&str; 2] = ["flow", "loggops"];

#[test]
fn a_slower_state_takes_longer_and_draws_less() {
    let all = label("a", 8, 7.0, "", "");
    for fidelity in ALL {
        check(&run("", "", &all, fidelity), 7.0, 160.0 * 7.0, fidelity);
        check(&run("", ", state = \"low\"", &all, fidelity), 14.0, 96.0 * 14.0, fidelity);
        check(&run("", ", state = \"mid\"", &all, fidelity), 28.0 / 3.0, 120.0 * 28.0 / 3.0, fidelity);
        // Half of the cores: the others rest in the state of the device.
        check(&run("", "", &label("a", 4, 7.0, "", ""), fidelity), 7.0, (60.0 + 50.0 + 10.0) * 7.0, fidelity);
        let of_block = label("a", 4, 7.0, "", ", state = \"low\"");
        check(&run("", "", &of_block, fidelity), 14.0, (60.0 + 18.0 + 10.0) * 14.0, fidelity);
        // The block comes before its label.
        let both = label("a", 8, 7.0, ", state = \"mid\"", ", state = \"low\"");
        check(&run("", "", &both, fidelity), 14.0, 96.0 * 14.0, fidelity);
    }
}

#[test]
fn labels_may_be_in_states_of_their_own() {
    let script = label("slow", 4, 7.0, ", state = \"low\"", "") + &label("fast", 4, 7.0, "", "");
    for fidelity in ALL {
        // 7 s of both: 18 + 50 W; then 7 s of the slow ones: 18 W, and 10 W of the other cores.
        check(&run("", "", &script, fidelity), 14.0, (60.0 + 68.0) * 7.0 + (60.0 + 28.0) * 7.0, fidelity);
    }
}

#[test]
fn waiting_draws_power_in_the_state_of_the_device() {
    // One computes, the other waits for its message.
    let script = "label{ \"a\", count = 2, run = function(rank)\n\
        if rank == 0 then compute{ ops = 7e9 } send{ to = 1, size = 0 } else recv{ from = 0 } end end }";
    for fidelity in EXACT {
        let seen = run("", ", state = \"low\", wait_activity = 0.5", script, fidelity);
        near(seen.time_s, 14.0, fidelity);
        // At rest 12 W; a core more draws 24/8 W.
        near(seen.energy_j.expect("known"), (60.0 + 12.0 + 3.0 + 1.5) * 14.0, fidelity);
    }
}

#[test]
fn memory_is_as_fast_in_any_state() {
    for fidelity in ALL {
        let script = "label{ \"a\", run = function() compute{ ops = 1e9, bytes = 7e9 } end }";
        near(run("", ", state = \"low\"", script, fidelity).time_s, 7.0, fidelity);
        let given = "label{ \"a\", run = function() compute{ time = 7 } end }";
        near(run("", ", state = \"low\"", given, fidelity).time_s, 7.0, fidelity);
    }
}

#[test]
fn a_cap_takes_the_fastest_state_within_it() {
    let all = label("a", 8, 7.0, "", "");
    for fidelity in ALL {
        let seen = run(", power_cap = \"130W\"", "", &all, fidelity);
        check(&seen, 28.0 / 3.0, 120.0 * 28.0 / 3.0, fidelity);
        assert!(seen.warnings.iter().all(|warning| warning.code != "cap_exceeded"), "{:?}", seen.warnings);
        check(&run(", power_cap = \"160W\"", "", &all, fidelity), 7.0, 160.0 * 7.0, fidelity);
        // No state is within it.
        let seen = run(", power_cap = \"50W\"", "", &all, fidelity);
        check(&seen, 14.0, 96.0 * 14.0, fidelity);
        let warning = seen.warnings.iter().find(|warning| warning.code == "cap_exceeded").expect("told");
        assert!(warning.message.contains("node draws up to 96"), "{}", warning.message);
        // A state of the block stays below the cap, and is never raised to it.
        let low = label("a", 8, 7.0, "", ", state = \"low\"");
        check(&run(", power_cap = \"160W\"", "", &low, fidelity), 14.0, 96.0 * 14.0, fidelity);
    }
}

#[test]
fn states_change_when_blocks_start_and_stop() {
    let script = label("long", 4, 7.0, "", "") + &label("short", 4, 3.5, "", "");
    for fidelity in EXACT {
        // All at 0.75 for 14/3 s; then half of the cores at full speed draw 60 + 50 + 10 W.
        let seen = run(", power_cap = \"130W\"", "", &script, fidelity);
        check(&seen, 14.0 / 3.0 + 3.5, 120.0 * (14.0 / 3.0 + 3.5), fidelity);
    }
}

#[test]
fn coefficients_follow_the_state() {
    let rule = |rule: &str| {
        let coefficients = "coeff = { a = \"1ns\", m = { value = \"1ns\", scales = \"none\" } }";
        let text = system("", "", "]\n").replacen("component", "default_model = \"m\"\ncomponent", 1);
        format!("{text}[model.m]\n{coefficients}\nrule = [ {{ on = \"compute\", value = \"{rule}\" }} ]\n")
    };
    let script = label("a", 8, 7.0, "", ", state = \"low\"");
    for (text, expected) in [("c.a*ops", 14.0), ("c.m*ops", 7.0), ("ops/(hw.flops_double/hw.cores)", 14.0), ("7", 7.0)]
    {
        let text = rule(text);
        for fidelity in ALL {
            let seen = support::run(&text, &script, fidelity, Collectives::Usual);
            near(seen.unwrap_or_else(|problem| panic!("{problem:?}\n{text}")).time_s, expected, fidelity);
        }
    }
}

#[test]
fn processors_and_accelerators_share_a_cap() {
    let gpu = r#"  { id = "gpu", kind = "gpu", parent = "node", set = { flops_double = "1Tflop/s",
    states = [ { name = "full", factor = 1, power_idle = 100, power_load = 300 }, { name = "half", factor = 0.5, power_idle = 80, power_load = 160 } ] } } ]
"#;
    let script = "label{ \"a\", on = \"gpu\", run = function() compute{ ops = 7e12 } end }";
    for fidelity in ALL {
        let of = |cap: &str| {
            support::run(&system(cap, "", gpu), script, fidelity, Collectives::Usual)
                .unwrap_or_else(|p| panic!("{p:?}"))
        };
        check(&of(""), 7.0, (60.0 + 20.0 + 300.0) * 7.0, fidelity);
        // No faster than 0.75: the accelerator at half of its clock, 160 W, and the processor at rest in mid, 16 W.
        check(&of(", power_cap = \"250W\""), 14.0, (60.0 + 160.0 + 16.0) * 14.0, fidelity);
    }
}

#[test]
fn what_cannot_be_is_told() {
    let code = |machine: &str, cpu: &str, block: &str| {
        let problem = run_on(machine, cpu, &label("a", 1, 1.0, "", block), "flow").expect_err("wrong");
        (problem.code.clone(), problem)
    };
    let (seen, problem) = code("", "", ", state = \"lwo\"");
    assert_eq!(seen, "unknown_state");
    assert_eq!(problem.hint.as_deref(), Some("did you mean low?"));
    assert_eq!(code("", ", state = \"none\"", "").0, "unknown_state");
    assert_eq!(code(", power_cap = 0", "", "").0, "out_of_range");
    assert_eq!(code(", power_threads = [[0, 1], [8, 2]]", "", "").0, "power_twice");
    for states in ["[]", "[ { name = \"a\", factor = 0, power_load = 1 } ]", "[ { name = \"a\", factor = 1 } ]", "3"] {
        let text = system("", "", "]\n").replace(STATES, &format!("states = {states}"));
        let problem = support::run(&text, &label("a", 1, 1.0, "", ""), "flow", Collectives::Usual).expect_err("wrong");
        assert!(
            ["out_of_range", "missing", "missing_key", "wrong_type"].contains(&problem.code.as_str()),
            "{problem:?}"
        );
    }
    let without = system(", power_cap = \"100W\"", "", "]\n").replace(STATES, "clock = \"1GHz\"");
    let problem =
        support::run(&without, &label("a", 1, 1.0, "", ""), "flow", Collectives::Usual).expect_err("unknown power");
    assert_eq!(problem.code, "no_power");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_higher_cap_is_never_slower(low in 50.0_f64..170.0, more in 0.0_f64..100.0, work in prop::collection::vec(1_u32..9, 1..9)) {
        let script: String = work.iter().enumerate().map(|(at, gops)| label(&format!("l{at}"), 1, f64::from(*gops), "", "")).collect();
        for fidelity in EXACT {
            let of = |cap: f64| run(&format!(", power_cap = {cap}"), "", &script, fidelity);
            let (slow, fast) = (of(low), of(low + more));
            prop_assert!(fast.time_s <= slow.time_s * (1.0 + 1e-9), "{} W: {}, {} W: {}", low, slow.time_s, low + more, fast.time_s);
            // Within the cap at all times is within it on average.
            let kept = slow.warnings.iter().all(|warning| warning.code != "cap_exceeded");
            prop_assert!(!kept || slow.power_mean_w.expect("known") <= low * (1.0 + 1e-9));
        }
    }
}
