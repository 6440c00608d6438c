//! Threads over a memory, cores that are shared, caches and domains: against numbers by hand and by a program of fluids in
//! another language.

#![cfg(feature = "luau")]

mod support;

use runcast_core::Problem;
use runcast_sim::job::Collectives;
use runcast_sim::run::RunResult;

/// One machine with one processor.
fn run_on(cpu: &str, machine: &str, script: &str, fidelity: &str) -> Result<RunResult, Problem> {
    let system = format!(
        "format = \"runcast-system/1\"\nname = \"one\"\ncomponent = [\n  {{ id = \"node\", kind = \"machine\", set = {{ {machine} }} }},\n  \
         {{ id = \"cpu\", kind = \"cpu\", parent = \"node\", {cpu} }},\n]\n"
    );
    support::run(&system, script, fidelity, Collectives::Usual)
}

fn time(cpu: &str, script: &str, fidelity: &str) -> f64 {
    run_on(cpu, "", script, fidelity).expect("runs").time_s
}

fn near(seen: f64, expected: f64, what: &str) {
    assert!((seen / expected - 1.0).abs() < 1e-7, "{what}: {seen}, expected {expected}");
}

/// 48 cores of 10 Gflop/s; 12 GB/s a core, 400 GB/s in all.
const MANY: &str =
    "set = { cores = 48, flops_double = \"480Gflop/s\", mem_bandwidth_core = \"12GB/s\", mem_bandwidth = \"400GB/s\" }";
const EXACT: [&str; 2] = ["flow", "loggops"];

#[test]
fn threads_share_the_bytes_of_a_block() {
    let expected = [(1, 33.333333333), (8, 4.1666666667), (33, 1.0101010101), (34, 1.0), (48, 1.0)];
    for (threads, expected) in expected {
        let script = format!("label{{ \"a\", run = function() compute{{ bytes = 400e9, threads = {threads} }} end }}");
        for fidelity in ["flow", "loggops", "label"] {
            near(time(MANY, &script, fidelity), expected, &format!("{threads} threads, {fidelity}"));
        }
    }
    let script = "label{ \"a\", count = 48, run = function() compute{ bytes = 400e9/48 } end }";
    for fidelity in ["flow", "loggops", "label"] {
        near(time(MANY, script, fidelity), 1.0, fidelity);
    }
}

#[test]
fn threads_that_there_are_not_are_told() {
    let script = "label{ \"a\", run = function() compute{ ops = 48e10, threads = 100 } end }";
    let result = run_on(MANY, "", script, "flow").expect("runs");
    near(result.time_s, 1.0, "100 threads");
    assert_eq!(result.warnings[0].code, "more_threads_than_cores");
    assert!(result.warnings[0].message.contains("100 threads, but cpu has 48"), "{}", result.warnings[0].message);
}

/// Two labels of one process each, and when they end.
fn beside(cpu: &str, one: &str, other: &str, fidelity: &str) -> [f64; 2] {
    let script =
        format!("label{{ \"a\", run = function() {one} end }}\nlabel{{ \"b\", run = function() {other} end }}");
    let result = run_on(cpu, "", &script, fidelity).expect("runs");
    ["a", "b"].map(|name| {
        let label = result.labels.iter().find(|label| label.label == name).expect("the label");
        label.compute_s
    })
}

#[test]
fn blocks_share_the_memory_while_they_run_together() {
    for fidelity in EXACT {
        let both = beside(
            MANY,
            "compute{ ops = 400e9, bytes = 40e9, threads = 40 }",
            "compute{ bytes = 96e9, threads = 8 }",
            fidelity,
        );
        both.into_iter().for_each(|seen| near(seen, 1.0, fidelity));
        let [long, short] =
            beside(MANY, "compute{ bytes = 400e9, threads = 40 }", "compute{ bytes = 40e9, threads = 8 }", fidelity);
        near(long, 1.1, fidelity);
        near(short, 0.6, fidelity);
        let cores = MANY.replace("cores = 48", "cores = 96").replace("480G", "960G");
        let [first, late] = beside(
            &cores,
            "compute{ bytes = 400e9, threads = 34 }",
            "sleep(0.5) compute{ bytes = 400e9, threads = 34 }",
            fidelity,
        );
        near(first, 1.5, fidelity);
        near(late, 1.5, fidelity);
    }
}

#[test]
fn more_processes_than_cores_pay_for_memory_once() {
    let cpu = |sharpness: &str| {
        format!(
            "set = {{ cores = 12, threads_per_core = 2, smt_gain = 1.22, mem_bandwidth_core = \"7.5GB/s\", mem_bandwidth = \
             \"36GB/s\"{sharpness} }}"
        )
    };
    let cases = [
        (", mem_sharpness = 4", [2.1343373, 5.3671438, 14.2631327]),
        ("", [2.1333333333, 5.3333333333, 14.2222222222]),
    ];
    for (sharpness, expected) in cases {
        for (processes, expected) in [1, 12, 32].into_iter().zip(expected) {
            let script =
                format!("label{{ \"a\", count = {processes}, run = function() compute{{ bytes = 16e9 }} end }}");
            for fidelity in ["flow", "loggops", "label"] {
                near(time(&cpu(sharpness), &script, fidelity), expected, &format!("{processes}, {fidelity}"));
            }
        }
    }
}

#[test]
fn a_lone_core_is_faster() {
    let cpu =
        "set = { cores = 12, threads_per_core = 2, smt_gain = 1.22, turbo = 0.1, flops_double = \"108.96Gflop/s\" }";
    let expected = [(1, 0.9090909091), (12, 1.0), (16, 1.2422360248), (24, 1.6393442623), (32, 2.1857923497)];
    for (processes, expected) in expected {
        let script = format!("label{{ \"a\", count = {processes}, run = function() compute{{ ops = 9.08e9 }} end }}");
        for fidelity in ["flow", "loggops", "label"] {
            near(time(cpu, &script, fidelity), expected, &format!("{processes}, {fidelity}"));
        }
    }
    // Two of 1 s each at base clock, of unlike length: both busy at 1 + 0.1*10/11, then one alone at 1.1.
    for fidelity in EXACT {
        let [long, short] = beside(cpu, "compute{ ops = 18.16e9 }", "compute{ ops = 9.08e9 }", fidelity);
        let both = 1.0 / (1.0 + 0.1 * 10.0 / 11.0);
        near(short, both, fidelity);
        near(long, both + 1.0 / 1.1, fidelity);
    }
}

#[test]
fn what_fits_the_cache_takes_its_bandwidth() {
    // 48 MB over 12 threads: a share of 4 MB each; hits 1, 0.75, 0.5, 0 for 4, 5, 6, 8 MB.
    let cpu =
        "set = { cores = 12, cache = \"48MB\", cache_bandwidth_core = \"40GB/s\", mem_bandwidth_core = \"10GB/s\" }";
    for (set, hit) in [(4.0, 1.0_f64), (5.0, 0.75), (6.0, 0.5), (8.0, 0.0)] {
        let script = format!(
            "label{{ \"a\", count = 12, run = function() compute{{ bytes = 1e9, working_set = {set}e6 }} end }}"
        );
        let expected = (hit * 1e9 / 40e9).max((1.0 - hit) * 1e9 / 10e9);
        for fidelity in ["flow", "loggops", "label"] {
            near(time(cpu, &script, fidelity), expected, &format!("{set} MB, {fidelity}"));
        }
    }
}

#[test]
fn stencils_move_what_their_layers_need() {
    // 4 MiB over 2 threads: layers of 200^2 cells fit, those of 400^2 do not; 24 and 40 bytes a cell, 1e9 B/s a core.
    let cpu = "set = { cores = 2, cache = \"4MiB\", mem_bandwidth_core = \"1GB/s\" }";
    for (n, bytes) in [(200.0_f64, 24.0), (400.0, 40.0)] {
        let script =
            format!("label{{ \"a\", count = 2, run = function() stencil{{ dims = {{ {n}, {n}, {n} }} }} end }}");
        near(time(cpu, &script, "flow"), n.powi(3) * bytes / 1e9, "a stencil");
        let script = script.replace("dims", "streaming = true, dims");
        near(time(cpu, &script, "flow"), n.powi(3) * (bytes - 8.0) / 1e9, "a stencil that streams");
    }
    // What the cache gives is not known: told.
    let script = "label{ \"a\", run = function() stencil{ dims = { 50, 50, 50 }, flops = 8 } end }";
    let fast = cpu.replace("cores = 2", "cores = 2, flops_double = \"20Gflop/s\"");
    let result = run_on(&fast, "", script, "flow").expect("runs");
    near(result.time_s, 8.0 * 125_000.0 / 10e9, "a stencil in the cache");
    assert!(result.assumed.iter().any(|text| text.contains("cache_bandwidth_core")), "{:?}", result.assumed);
    let unknown = run_on(
        "set = { cores = 2, mem_bandwidth_core = \"1GB/s\" }",
        "",
        "label{ \"a\", run = function() stencil{ dims = { 9, 9 } } end }",
        "flow",
    );
    let problem = unknown.expect_err("no cache");
    assert_eq!((problem.code.as_str(), problem.pointer.as_deref()), ("no_cache", Some("cache")));
    let wrong = run_on(cpu, "", "label{ \"a\", run = function() stencil{ dims = { 9, 0 } } end }", "flow");
    assert_eq!(wrong.expect_err("no grid").code, "bad_grid");
}

#[test]
fn domains_have_memory_of_their_own() {
    // 4 domains of 12 cores and 100 GB/s each.
    let parts = MANY.replace("cores = 48", "cores = 48, numa = 4");
    // 12 processes fill the first domain: a quarter of the bandwidth; 48 fill all.
    let script = |count: u32, gigabytes: f64| {
        format!("label{{ \"a\", count = {count}, run = function() compute{{ bytes = {gigabytes}e9 }} end }}")
    };
    for fidelity in ["flow", "loggops", "label"] {
        near(time(&parts, &script(12, 100.0 / 12.0), fidelity), 1.0, fidelity);
        near(time(&MANY.replace("12GB/s", "99GB/s"), &script(12, 400.0 / 12.0), fidelity), 1.0, fidelity);
        near(time(&parts, &script(48, 400.0 / 48.0), fidelity), 1.0, fidelity);
        // One process of 24 threads takes from two domains.
        let wide = "label{ \"a\", run = function() compute{ bytes = 200e9, threads = 24 } end }";
        near(time(&parts, wide, fidelity), 1.0, fidelity);
        // 18 threads: 12 in the first domain, 6 in the second, each 1/18 of the bytes; the first takes longer.
        let uneven = "label{ \"a\", run = function() compute{ bytes = 180e9, threads = 18 } end }";
        near(time(&parts, uneven, fidelity), 1.2, fidelity);
    }
    // Spread over all domains: one memory of 400 GB/s, a core takes 12*(1/4 + 3/4*0.6) GB/s.
    let spread = parts.replace("numa = 4", "numa = 4, memory_policy = \"interleaved\"");
    let core = 12.0 * (0.25 + 0.75 * 0.6);
    near(time(&spread, &script(12, core), "flow"), 1.0, "spread");
    near(time(&spread, &script(48, core), "flow"), 48.0 * core / 400.0, "spread, all");
    // The same on the machine's figures: 100 GB/s for a domain.
    let machine = "mem_bandwidth = \"400GB/s\"";
    let cpu = parts.replace(", mem_bandwidth = \"400GB/s\"", "");
    near(run_on(&cpu, machine, &script(12, 100.0 / 12.0), "flow").expect("runs").time_s, 1.0, "of the machine");
    let odd = run_on(&MANY.replace("cores = 48", "cores = 48, numa = 5"), "", &script(1, 1.0), "flow");
    assert_eq!(odd.expect_err("does not divide").code, "bad_numa");
}

#[test]
fn a_rule_that_names_the_bandwidth_gets_its_share_of_it() {
    // As galera's stencil: 16 bytes a cell over bw; 12 cores, 36 GB/s, 7.5 GB/s a core. 32 processes move 16 GB each.
    let system = r#"
format = "runcast-system/1"
name = "one"
default_model = "m"
component = [ { id = "node", kind = "machine" },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 12, mem_bandwidth_core = "7.5GB/s", mem_bandwidth = "36GB/s" } } ]
[model.m]
extends = "default"
rule = [ { on = "compute", type = "stencil", value = "16*size/bw" },
  { on = "throughput", value = "if(busy > hw.cores, 1.22*hw.cores, busy)" } ]
"#;
    for (processes, expected) in [(1, 16.0 / 7.5), (12, 12.0 * 16.0 / 36.0), (32, 32.0 * 16.0 / 36.0)] {
        let script = format!(
            "label{{ \"a\", count = {processes}, run = function() compute{{ type = \"stencil\", size = 1e9 }} end }}"
        );
        for fidelity in ["flow", "loggops", "label"] {
            let result = support::run(system, &script, fidelity, Collectives::Usual).expect("runs");
            near(result.time_s, expected, &format!("{processes}, {fidelity}"));
        }
    }
}
