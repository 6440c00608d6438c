//! Answers follow the hardware: over all templates no two entries of the catalogue a decade apart take the same time, unless
//! something says why; and what has more is never slower.
//!
//! A decade is ten years between two processors, or a factor of ten between the figures of two accelerators or two networks.

#![cfg(feature = "luau")]

mod support;

use proptest::prelude::*;
use runcast_core::Problem;
use runcast_sim::application::templates;
use runcast_sim::catalogue::Catalogue;
use runcast_sim::exchanged::{self, Effect};
use runcast_sim::experiment::{self, Value};
use runcast_sim::job::Collectives;
use runcast_sim::run::{self, Inputs, Prepared, RunControl, Settings, Variation};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Years of launch of processors, by their makers' pages.
const YEARS: [(&str, u32); 9] = [
    ("intel-xeon-e5345", 2007),
    ("intel-xeon-l5640", 2010),
    ("intel-xeon-x5680", 2010),
    ("intel-core-i7-4712hq", 2014),
    ("intel-xeon-e5-2697v3", 2014),
    ("intel-core-i5-7200u", 2016),
    ("amd-epyc-7763", 2021),
    ("amd-epyc-9654", 2022),
    ("intel-xeon-platinum-8480+", 2023),
];
const INSIDE: [&str; 3] = ["nvlink", "pcie", "memory"];
const YEARS_OF_A_DECADE: u32 = 10;
const FACTOR_OF_A_DECADE: f64 = 10.0;

/// A template with its files as they are.
fn inputs(template: &templates::Template) -> Arc<Inputs> {
    let experiment = experiment::read(template.experiment, "experiment.toml").expect("reads");
    let mut read = |path: &Path| -> Result<String, Problem> {
        Ok(if path.ends_with("system.toml") { template.system } else { template.app }.to_owned())
    };
    Arc::new(Inputs::read(experiment, Settings::default(), &mut read).expect("complete"))
}

/// The least problem of templates that take long: what limits it is the same.
fn small(template: &str) -> Variation {
    let mut variation = Variation::default();
    let mut set = |name: &str, value: Value| variation.set(name, value).expect("a parameter");
    match template {
        "training" => {
            [("dp", 2.0), ("micro", 8.0)].map(|(name, value)| set(name, Value::Number(value))).into_iter().collect()
        }
        "spmd-2d" => set("iters", Value::Number(20.0)),
        // The smallest that 16 processes may share.
        "nas-lu" => set("class", Value::Text("W".to_owned())),
        name if name.starts_with("nas-") => set("class", Value::Text("S".to_owned())),
        _ => {}
    }
    variation
}

/// A run with another entry; none: the tree of the template has no place for its rails.
fn exchanged(template: &str, inputs: &Arc<Inputs>, id: &str, entry: &str) -> Option<(Prepared, f64)> {
    let mut variation = small(template);
    variation.hardware.insert(id.to_owned(), entry.to_owned());
    let told = |problems: &dyn std::fmt::Debug| -> ! { panic!("{template}, {id} = {entry}: {problems:?}") };
    let prepared = match run::prepare(inputs, &variation) {
        Err(problems) if problems.0[0].code == "too_small" => return None,
        prepared => prepared.unwrap_or_else(|problems| told(&problems)),
    };
    let simulated = run::simulate(&prepared, &RunControl::new(&AtomicBool::new(false)));
    let time_s = simulated.unwrap_or_else(|problems| told(&problems)).result.time_s;
    Some((prepared, time_s))
}

/// Entries of the catalogue that may take the place of one of a kind, each with its year or its figure.
fn entries(kind: &str) -> BTreeMap<&'static str, f64> {
    let figure = |entry: &runcast_sim::catalogue::Entry| match kind {
        "cpu" => YEARS.iter().find(|(id, _)| *id == entry.id).map(|(_, year)| f64::from(*year)),
        // What joins devices inside a machine joins no machines.
        "network" if INSIDE.contains(&entry.attributes.word("family").unwrap_or_default()) => None,
        "network" => entry.attributes.get("bandwidth"),
        _ => entry.attributes.get("flops_double"),
    };
    Catalogue::builtin().of_kind(kind).filter_map(|entry| Some((entry.id.as_str(), figure(entry)?))).collect()
}

fn is_a_decade(kind: &str, one: f64, other: f64) -> bool {
    let (low, high) = (one.min(other), one.max(other));
    if kind == "cpu" { high - low >= f64::from(YEARS_OF_A_DECADE) } else { high / low >= FACTOR_OF_A_DECADE }
}

/// Checks the pairs of one component or network; how many differ.
fn check(template: &str, inputs: &Arc<Inputs>, id: &str, kind: &str) -> (usize, usize) {
    let mut known: Vec<(&str, f64)> = entries(kind).into_iter().collect();
    known.sort_by(|one, other| one.1.total_cmp(&other.1));
    if template == "nas-lu" {
        // Its runs take long: the least and the greatest.
        known = vec![known[0], known[known.len() - 1]];
    }
    let has_other = |figure: f64| known.iter().any(|(_, other)| is_a_decade(kind, figure, *other));
    let found: Vec<(&str, f64, Prepared, f64)> = known
        .iter()
        .filter(|(_, figure)| has_other(*figure))
        .filter_map(|(entry, figure)| {
            let (prepared, time_s) = exchanged(template, inputs, id, entry)?;
            Some((*entry, *figure, prepared, time_s))
        })
        .collect();
    let (mut differ, mut tie) = (0, 0);
    let mut unused = false;
    for (number, (one, figure, first, time_s)) in found.iter().enumerate() {
        for (other, other_figure, second, other_s) in &found[number + 1..] {
            if !is_a_decade(kind, *figure, *other_figure) {
                continue;
            }
            if !exchanged::is_same(*time_s, *other_s) {
                differ += 1;
                continue;
            }
            tie += 1;
            if unused {
                continue;
            }
            // One of the two may be the entry of the file, which is no exchange.
            let told = [first, second].into_iter().find_map(|prepared| {
                let examined = exchanged::examine(prepared, *time_s, &AtomicBool::new(false)).expect("runs");
                examined.into_iter().find(|exchange| exchange.name == id)
            });
            unused = told.as_ref().is_some_and(|exchange| exchange.effect == Effect::Unused);
            let is_told = told.as_ref().is_some_and(|exchange| match exchange.effect {
                // Nothing computes there, no message goes over it.
                Effect::Unused => exchange.warning().is_some(),
                Effect::Hidden => exchange.sites.iter().any(|site| {
                    site.reason.is_some() && (site.line > 0 || site.reason.as_deref() == Some("time_given"))
                }),
                _ => false,
            });
            assert!(is_told, "{template}: {one} and {other} as {id} take {time_s} s both: {told:?}");
        }
    }
    (differ, tie)
}

#[test]
fn nothing_a_decade_apart_ties_in_silence() {
    let (mut differ, mut tie) = (BTreeMap::<&str, usize>::new(), BTreeMap::<&str, usize>::new());
    for template in templates::TEMPLATES {
        let inputs = inputs(&template);
        let base = run::prepare(&inputs, &Variation::default()).expect("prepared");
        let system = &base.system.as_ref().expect("a system").system;
        let components = system.components.iter().filter(|one| one.hardware.is_some());
        let components = components.map(|one| (one.id.clone(), one.kind.word()));
        let between = entries("network");
        let joins = |entry: &str| between.contains_key(entry);
        let networks = system
            .networks
            .iter()
            .filter(|one| one.parts.entry.as_deref().is_some_and(joins))
            .map(|one| (one.id.clone(), "network"));
        for (id, kind) in components.chain(networks).filter(|(_, kind)| ["cpu", "gpu", "network"].contains(kind)) {
            let (changed, same) = check(template.name, &inputs, &id, kind);
            *differ.entry(kind).or_default() += changed;
            *tie.entry(kind).or_default() += same;
        }
    }
    // Most differ: the small applications stay on one machine, and need no network.
    assert!(tie.get("cpu").is_none_or(|count| *count < 10), "{tie:?}");
    assert!(
        ["cpu", "gpu", "network"].iter().all(|kind| differ.get(kind).is_some_and(|count| *count > 10)),
        "{differ:?}"
    );
}

fn seconds(system: &str, script: &str) -> f64 {
    let system = format!("format = \"runcast-system/1\"\n{system}");
    support::run(&system, script, "flow", Collectives::Usual).unwrap_or_else(|problem| panic!("{problem:?}")).time_s
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn more_bandwidth_is_never_slower(
        machines in 2_u32..17, size in 0_u64..1 << 26, slow in 1e7_f64..1e10, more in 1.0_f64..100.0, which in 0_usize..4,
    ) {
        let of = |bandwidth: f64| {
            let system = format!("component = [\n{{ id = \"c\", kind = \"group\" }},\n\
                {{ id = \"n\", kind = \"machine\", parent = \"c\", count = {machines} }},\n\
                {{ id = \"cpu\", kind = \"cpu\", parent = \"n\", set = {{ cores = 1 }} }} ]\n\
                network = [ {{ of = \"c\", set = {{ bandwidth = {bandwidth}, latency = \"1us\" }} }} ]\n");
            let call = ["bcast{ size = s, root = 0 }", "allreduce{ size = s }", "alltoall{ size = s }",
                "local out = isend{ to = (rank + 1) % size, size = s } recv{ from = (rank - 1) % size } wait(out)"][which];
            let call = call.replace("= s", &format!("= {size}"));
            seconds(&system, &format!("label{{ \"a\", count = {machines}, run = function(rank, size) {call} end }}"))
        };
        let (before, after) = (of(slow), of(slow * more));
        prop_assert!(after <= before * (1.0 + 1e-9), "{} s, with {} times the bandwidth {} s", before, more, after);
    }

    #[test]
    fn more_threads_are_never_slower_where_memory_is_the_limit(
        domain in 1_u32..33, numa in 1_u32..5, smt in 1_u32..3, core in 1e9_f64..4e10, all in 1e10_f64..8e11, sharpness in 1.0_f64..8.0,
    ) {
        let cores = domain * numa;
        let system = format!("component = [\n{{ id = \"n\", kind = \"machine\" }},\n\
            {{ id = \"cpu\", kind = \"cpu\", parent = \"n\", set = {{ cores = {cores}, numa = {numa}, threads_per_core = {smt}, \
            mem_bandwidth_core = {core}, mem_bandwidth = {all}, mem_sharpness = {sharpness} }} }} ]\n");
        let of = |threads: u32| {
            seconds(&system, &format!("label{{ \"a\", run = function() compute{{ bytes = 4e11, threads = {threads} }} end }}"))
        };
        let most = cores * smt;
        // Beyond a thread a core some domains have more threads than others, and their share of the bytes takes longer.
        let few = [1, 2, 3, domain, domain + 1, cores.div_ceil(2), cores].map(|threads| threads.min(cores));
        let mut counts: Vec<u32> = few.into_iter().chain([most]).collect();
        counts.sort_unstable();
        let times: Vec<f64> = counts.iter().map(|threads| of(*threads)).collect();
        prop_assert!(times.is_sorted_by(|fewer, more| *more <= fewer * (1.0 + 1e-9)), "{:?} threads: {:?} s", counts, times);
    }
}
