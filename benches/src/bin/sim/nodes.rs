//! What is inside machines: blocks that share memory, streams of devices, accesses to memory, a training step.

use super::labels::thread_seconds;
use runcast_sim::experiment;
use runcast_sim::run::{Inputs, RunControl, Settings, Variation, prepare, simulate};
use runcast_sim::templates;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A node of 48 cores at 12 GB/s, 400 GB/s in all, with 8 devices; and a hundred of them.
const SYSTEM: &str = r#"format = "runcast-system/1"
name = "nodes"
component = [
  { id = "site", kind = "group" }, { id = "node", kind = "machine", parent = "site", count = 100 },
  { id = "cpu", kind = "cpu", parent = "node", set = { cores = 48, flops_double = "480Gflop/s", mem_bandwidth_core = "12GB/s", mem_bandwidth = "400GB/s" } },
  { id = "gpu", kind = "gpu", parent = "node", count = 8, set = { flops_double = "10Tflop/s" } } ]
network = [ { id = "lan", of = "site", set = { bandwidth = "10GB/s", latency = "1us" } } ]
"#;

/// Times that each process does something.
const ROUNDS: u64 = 2_000;

/// Name, processes, what one does in a round, and how many starts and stops that is.
const ROWS: [(&str, u64, &str, u64); 4] = [
    ("48 unlike blocks on a node", 48, "compute{ bytes = 1e6*(1 + rank), ops = 1e5*(48 - rank) }", 2),
    ("48 like blocks on a node", 48, "compute{ bytes = 1e6, ops = 1e5 }", 2),
    (
        "8 processes, 4 streams on each device",
        8,
        "for s = 1, 4 do compute{ device = 'gpu', ops = 1e7*(s + rank), stream = s, occupancy = 0.5, async = true } end",
        8,
    ),
    ("100 machines, a put and a flush", 100, "put{ win = w, to = (rank + 1) % 100, size = 4096 } flush{ win = w }", 1),
];

/// The section.
pub fn section() -> Result<String, String> {
    let mut text = String::from(
        "### Inside machines\n\nFrom the script to the answer, CPU seconds of one thread (least of 3). An event is a start or a stop of a block, or \
         an access.\n\n| run | level | events | CPU | an event | simulated time |\n|---|---|--:|--:|--:|--:|\n",
    );
    for (name, processes, body, events) in ROWS {
        let window = if body.contains("win") { "local w = win{} fence{ win = w }" } else { "" };
        let script = format!(
            "label{{ 'p', count = {processes}, run = function(rank) {window} loop({ROUNDS}, function() {body} end) end }}"
        );
        for fidelity in ["flow", "loggops"] {
            let (cpu_s, time_s) = least(SYSTEM, &script, fidelity)?;
            let events = processes * ROUNDS * events;
            let each = 1e6 * cpu_s / events as f64;
            let _ = writeln!(text, "| {name} | {fidelity} | {events} | {cpu_s:.3} s | {each:.2} us | {time_s:.4} s |");
        }
    }
    let training = templates::find("training").ok_or("there is no template training")?;
    for fidelity in ["flow", "loggops", "label"] {
        let (cpu_s, time_s) = least(training.system, training.app, fidelity)?;
        let _ = writeln!(text, "| training step on 1,024 devices | {fidelity} | | {cpu_s:.2} s | | {time_s:.4} s |");
    }
    Ok(text)
}

/// CPU seconds, the least of three, and simulated time.
fn least(system: &str, script: &str, fidelity: &str) -> Result<(f64, f64), String> {
    let mut least = (f64::INFINITY, 0.0);
    for _ in 0..3 {
        let begin = thread_seconds();
        let time_s = run(system, script, fidelity)?;
        least = ((thread_seconds() - begin).min(least.0), time_s);
    }
    Ok(least)
}

fn run(system: &str, script: &str, fidelity: &str) -> Result<f64, String> {
    let text = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"s.toml\"\nfidelity = \"{fidelity}\"\n[[app]]\nname = \"a\"\nfile = \"a.luau\"\n"
    );
    let experiment = experiment::read(&text, "e.toml").map_err(|problems| format!("{problems:?}"))?;
    let mut files = |path: &Path| {
        Ok(if path.extension().is_some_and(|end| end == "toml") { system.to_owned() } else { script.to_owned() })
    };
    let inputs =
        Inputs::read(experiment, Settings::default(), &mut files).map_err(|problems| format!("{problems:?}"))?;
    let prepared = prepare(&Arc::new(inputs), &Variation::default()).map_err(|problems| format!("{problems:?}"))?;
    let stop = AtomicBool::new(false);
    let simulated = simulate(&prepared, &RunControl::new(&stop)).map_err(|problems| format!("{problems:?}"))?;
    Ok(simulated.result.time_s)
}
