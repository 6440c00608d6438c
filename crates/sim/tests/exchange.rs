//! Exchanging a component of the published applications: the answer follows.

#![cfg(feature = "luau")]

use runcast_core::Problem;
use runcast_sim::application::templates;
use runcast_sim::exchanged::{self, Effect};
use runcast_sim::experiment::{self, Value};
use runcast_sim::optimize::Objective;
use runcast_sim::run::{self, Inputs, RunControl, Settings, Variation};
use runcast_sim::sweep::Axis;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The inputs of a template, with its system file changed.
fn inputs(name: &str, change: impl Fn(String) -> String) -> Arc<Inputs> {
    let template = templates::find(name).expect("a template");
    let text = |file: &str| match file {
        "system.toml" => change(template.system.to_owned()),
        "app.luau" => template.app.to_owned(),
        _ => template.experiment.to_owned(),
    };
    let experiment = experiment::read(&text("experiment.toml"), "experiment.toml").expect("reads");
    let mut read = |path: &Path| -> Result<String, Problem> { Ok(text(&path.display().to_string())) };
    Arc::new(Inputs::read(experiment, Settings::default(), &mut read).expect("complete"))
}

fn variation(params: &[(&str, f64)], hardware: &[(&str, &str)]) -> Variation {
    let mut variation = Variation::default();
    for (name, value) in params {
        variation.set(name, Value::Number(*value)).expect("a number");
    }
    for (id, entry) in hardware {
        variation.hardware.insert((*id).to_owned(), (*entry).to_owned());
    }
    variation
}

fn time(inputs: &Arc<Inputs>, params: &[(&str, f64)], hardware: &[(&str, &str)]) -> f64 {
    let prepared = run::prepare(inputs, &variation(params, hardware)).expect("prepared");
    let simulated = run::simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).expect("runs");
    simulated.result.time_s
}

fn near(seen: f64, expected: f64, what: &str) {
    assert!((seen - expected).abs() < 1e-6, "{what}: {seen}, expected {expected}");
}

const L5640: &str = "intel-xeon-l5640";
const E5345: &str = "intel-xeon-e5345";
const EPYC: &str = "amd-epyc-9654";

/// Scaled figures written by hand into the system file, simulated before entries scaled anything.
#[test]
fn the_published_applications_follow_their_hardware() {
    let msort = inputs("msort", |text| text);
    let networks = ["infiniband-qdr-4x", "infiniband-ndr-4x", "ethernet-1g"];
    let cases = [
        (1.0, L5640, [41.046222; 3]),
        (1.0, EPYC, [20.293781; 3]),
        (64.0, L5640, [7.370125, 6.415341, 40.171657]),
        // On one machine: the network is not used.
        (64.0, EPYC, [4.099981; 3]),
        (512.0, L5640, [6.972390, 5.748627, 40.868119]),
        (512.0, EPYC, [3.953566, 3.312141, 31.767256]),
    ];
    for (p, cpu, times) in cases {
        for (network, expected) in networks.iter().zip(times) {
            let seen = time(&msort, &[("p", p)], &[("cpu", cpu), ("galera", network)]);
            near(seen, expected, &format!("msort p={p} {cpu} {network}"));
        }
    }
    let heat = inputs("heat", |text| text);
    for (cpu, expected) in [(L5640, 170.746985), (EPYC, 42.666786)] {
        near(time(&heat, &[("p", 1.0), ("iters", 10.0)], &[("cpu", cpu)]), expected, &format!("heat {cpu}"));
    }
    let mslave = inputs("mslave", |text| text);
    let cases = [
        (E5345, "ethernet-1g", [209.993350, 30.221572, 18.970922]),
        (E5345, "ethernet-10g", [193.342380, 27.758502, 3.213739]),
        (EPYC, "ethernet-1g", [65.090083, 18.738364, 18.695038]),
        (EPYC, "ethernet-10g", [48.439113, 6.960622, 2.079801]),
    ];
    for (cpu, network, times) in cases {
        for (slaves, expected) in [1.0, 7.0, 64.0].into_iter().zip(times) {
            let seen = time(&mslave, &[("slaves", slaves)], &[("cpu", cpu), ("ethernet", network)]);
            near(seen, expected, &format!("mslave slaves={slaves} {cpu} {network}"));
        }
    }
}

#[test]
fn what_the_caller_sets_comes_first() {
    let msort = inputs("msort", |text| text);
    let prepared = |pairs: &[(&str, &str)]| {
        let mut variation = variation(&[("p", 1.0)], &[]);
        for (name, value) in pairs {
            variation.set(name, Value::Text((*value).to_owned())).expect("a value");
        }
        run::prepare(&msort, &variation).map(|prepared| {
            run::simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).expect("runs").result.time_s
        })
    };
    let whole = prepared(&[]).expect("runs");
    // Sorting alone at p = 1: its coefficient goes with the clock, 2.27 GHz in the catalogue.
    near(prepared(&[("cpu.clock", "4.54GHz")]).expect("runs"), whole / 2.0, "twice the clock");
    for (name, value, code) in [
        ("cpu.clok", "4GHz", "unknown_name"),
        ("cpu.clock", "4GB", "bad_quantity"),
        ("cpu.clock", "0", "out_of_range"),
        ("cpo.clock", "4GHz", "unknown_component"),
    ] {
        let problems = prepared(&[(name, value)]).expect_err(name).0;
        assert_eq!(problems[0].code, code, "{name}={value}");
    }
}

/// The effect of an exchange of processors, with its sites.
fn effect(inputs: &Arc<Inputs>, cpu: &str) -> exchanged::Exchange {
    let prepared = run::prepare(inputs, &variation(&[("p", 1.0)], &[("cpu", cpu)])).expect("prepared");
    let interrupt = AtomicBool::new(false);
    let result = run::simulate(&prepared, &RunControl::new(&interrupt)).expect("runs").result;
    exchanged::examine(&prepared, result.time_s, &interrupt).expect("runs").remove(0)
}

#[test]
fn what_hides_an_exchange_is_named() {
    assert_eq!(effect(&inputs("msort", |text| text), EPYC).effect, Effect::Changed);
    let reason = |change: &dyn Fn(String) -> String| {
        let seen = effect(&inputs("msort", change), EPYC);
        assert_eq!((seen.effect, seen.share), (Effect::Hidden, 1.0));
        assert!(seen.sites[0].value_from.is_some() && seen.sites[0].value_from == seen.sites[0].value_to);
        assert!(seen.warning().is_some_and(|warning| warning.code == "exchange_hidden"));
        seen.sites[0].reason.clone()
    };
    assert_eq!(reason(&|text| text.replace("scales = \"scalar\"", "scales = \"none\"")), Some("scales_none".into()));
    assert_eq!(reason(&|text| text.replace("value = \"2.9ns\"", "value = 2.9e-9")), Some("no_unit".into()));
    assert_eq!(reason(&|text| text.replace("c.sort * ops / h", "3e-9 * ops")), Some("constant".into()));
}

#[test]
fn a_coefficient_may_have_been_measured_elsewhere() {
    // Measured on the processor that is used now: it stays as it is.
    let on = |entry: &str| {
        let entry = format!("scales = \"scalar\", on = \"cpu:{entry}\"");
        inputs("msort", move |text| text.replace("scales = \"scalar\"", &entry))
    };
    near(time(&on(L5640), &[("p", 1.0)], &[]), 41.046222, "as in the file");
    near(time(&on(EPYC), &[("p", 1.0)], &[("cpu", EPYC)]), 41.046222, "measured there");
    // 2.4 GHz * 2.2 against 2.27 GHz * 1.15.
    near(time(&on(EPYC), &[("p", 1.0)], &[]), 41.046222 * 5.28 / 2.6105, "slower here");
    let wrong =
        inputs("msort", |text| text.replace("scales = \"scalar\"", "scales = \"scalar\", on = \"cpu:nothing\""));
    let prepared = run::prepare(&wrong, &variation(&[("p", 1.0)], &[])).expect("prepared");
    let problems = run::simulate(&prepared, &RunControl::new(&AtomicBool::new(false))).expect_err("no such entry").0;
    assert_eq!(problems[0].code, "unknown_hardware");
    assert!(problems[0].line.is_some(), "{problems:?}");
}

/// What values that the caller sets do, on msort.
fn set(change: impl Fn(String) -> String, p: f64, pairs: &[(&str, &str)]) -> Vec<exchanged::Exchange> {
    let mut variation = variation(&[("p", p)], &[]);
    for (name, value) in pairs {
        variation.set(name, Value::Text((*value).to_owned())).expect("a value");
    }
    let prepared = run::prepare(&inputs("msort", change), &variation).expect("prepared");
    let interrupt = AtomicBool::new(false);
    let result = run::simulate(&prepared, &RunControl::new(&interrupt)).expect("runs").result;
    exchanged::examine_attributes(&prepared, &result, &interrupt).expect("runs")
}

#[test]
fn attributes_that_change_nothing_are_told_with_the_rule() {
    let one = |p: f64, name: &str, value: &str| set(|text| text, p, &[(name, value)]).remove(0);
    // Sorting goes with clock and instructions a cycle, whatever the floating-point units do.
    let hidden = one(1.0, "cpu.flops_double", "1Tflop/s");
    assert_eq!((hidden.effect, hidden.share, hidden.from.as_str()), (Effect::Hidden, 1.0, "54.48Gflop/s"));
    let site = &hidden.sites[0];
    assert_eq!((site.text.as_str(), site.reason.as_deref()), ("c.sort * ops / h", Some("constant")));
    let warning = hidden.warning().expect("a warning");
    assert_eq!(warning.code, "exchange_hidden");
    let start = "changing cpu.flops_double (54.48Gflop/s -> 1Tflop/s) cannot change the result: 100 % of its time is";
    assert!(warning.message.starts_with(start), "{}", warning.message);
    assert!(warning.message.contains(&format!("{}:{}", site.file, site.line)), "{}", warning.message);
    assert_eq!(one(1.0, "cpu.clock", "4GHz").effect, Effect::Changed);
    // Splitting goes with the memory; on few processes it is less than 5 % of the time.
    assert_eq!(one(64.0, "cpu.clock", "4GHz").effect, Effect::Changed);
    let partly = one(512.0, "cpu.clock", "4GHz");
    assert_eq!(partly.effect, Effect::PartlyHidden);
    assert!(partly.sites.iter().any(|site| site.kind == "split" && site.reason.is_some()));
    assert!(partly.sites.iter().all(|site| site.kind != "sort" || site.reason.is_none()), "{:?}", partly.sites);
    assert_eq!(one(64.0, "galera.latency", "1ms").effect, Effect::Changed);
    assert_eq!(one(1.0, "galera.latency", "1ms").effect, Effect::Unused, "there is one process");
    // What no time depends on changes energy, or chance and cost.
    assert_eq!(one(1.0, "cpu.power_load", "500W").effect, Effect::Changed);
    assert_eq!(one(1.0, "cpu.price", "500").effect, Effect::Changed);
    // The value of the file is no exchange: 2.27 GHz in the catalogue.
    assert!(set(|text| text, 1.0, &[("cpu.clock", "2.27GHz")]).is_empty());
    let blind = set(|text| text.replace("scales = \"scalar\"", "scales = \"none\""), 1.0, &[("cpu.clock", "4GHz")]);
    assert_eq!((blind[0].effect, blind[0].sites[0].reason.as_deref()), (Effect::Hidden, Some("scales_none")));
}

#[test]
fn a_cap_changes_the_result_when_it_is_reached() {
    // Both processors rest at 24 W beside 60 W of the machine: 90 W allow the slow state alone.
    let states = "set = { states = [ { name = \"high\", factor = 1, power_idle = \"24W\", power_load = \"60W\" }, \
                  { name = \"low\", factor = 0.5, power_idle = \"8W\", power_load = \"20W\" } ], ";
    let with_states = |text: String| text.replace("set = { smt_gain", &format!("{states}smt_gain"));
    for (cap, effect) in [("90W", Effect::Changed), ("1kW", Effect::SameFigures)] {
        assert_eq!(set(with_states, 1.0, &[("node.power_cap", cap)])[0].effect, effect, "{cap}");
    }
    assert_eq!(set(|text| text, 1.0, &[("node.power_cap", "1kW")])[0].effect, Effect::Unused, "there are no states");
}

#[test]
fn domains_of_memory_divide_the_cores_that_the_caller_sets() {
    let msort = inputs("msort", |text| text);
    let prepared = |value: &str| {
        let mut variation = variation(&[("p", 1.0)], &[]);
        variation.set("cpu.numa", Value::Text(value.to_owned())).expect("a value");
        run::prepare(&msort, &variation).map(drop)
    };
    assert!(prepared("3").is_ok());
    assert_eq!(prepared("4").expect_err("6 cores").0[0].code, "bad_numa");
}

/// Whether values of a name are refused to be ranked on msort, and why.
fn refused(change: impl Fn(String) -> String, p: f64, name: &str, values: &[f64]) -> Result<(), Problem> {
    let base = run::prepare(&inputs("msort", change), &variation(&[("p", p)], &[])).expect("prepared");
    let values = values.iter().map(|value| Value::Number(*value)).collect();
    let axes = [Axis { name: name.to_owned(), values }];
    exchanged::refuse(&base, &axes, &[Objective::Time, Objective::Energy], &AtomicBool::new(false))
}

#[test]
fn nothing_is_recommended_among_values_that_cannot_matter() {
    let same = |text: String| text;
    assert!(refused(same, 1.0, "cpu.clock", &[2e9, 3e9]).is_ok());
    assert!(refused(same, 1.0, "cpu.power_load", &[50.0, 60.0]).is_ok(), "energy differs");
    assert!(refused(same, 1.0, "n", &[1e6, 1e7]).is_ok());
    assert!(refused(same, 1.0, "c.sort", &[1e-9, 2e-9]).is_ok());
    // Nothing is packed here.
    let unused = refused(same, 1.0, "c.pack", &[1e9, 2e9]).expect_err("no block uses it");
    assert_eq!((unused.code.as_str(), unused.pointer.as_deref()), ("exchange_hidden", Some("c.pack")));
    let hidden = refused(same, 1.0, "cpu.flops_double", &[1e9, 1e12]).expect_err("the rule does not name it");
    assert_eq!(hidden.code, "exchange_hidden");
    assert!(hidden.line.is_some() && hidden.hint.is_some(), "{hidden:?}");
    let flat = |text: String| text.replace("c.sort * ops / h", "3");
    let hidden = refused(flat, 1.0, "n", &[1e6, 1e7]).expect_err("three seconds, whatever is sorted");
    assert!(hidden.line.is_some() && hidden.message.contains("changing n (1000000 -> 10000000)"), "{hidden:?}");
    assert!(hidden.hint.is_some_and(|hint| hint.contains("par.NAME")));
    assert!(refused(flat, 1.0, "p", &[1.0, 2.0, 4.0]).is_ok(), "splitting and merging take time");
}
