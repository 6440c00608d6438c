//! The files of a learnt model.

use super::Read;
use runcast_record::learn::{Coefficient, Emitted, Learnt};
use runcast_sim::job::Fidelity;
use std::fmt::Write;

/// Their names; `learn.json` is the document.
pub(super) const NAMES: [&str; 5] = ["app.luau", "coefficients.toml", "system.toml", "experiment.toml", "learn.json"];

/// Their texts.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    texts: [String; 4],
    pub time_share: f64,
    /// Coefficients with their ranges.
    pub coefficients: Vec<Coefficient>,
}

impl Files {
    /// Name and text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&'static str, &String)> {
        NAMES.into_iter().zip(&self.texts)
    }
}

/// All files, blocks with a share of their spread; the system is the one that is given, or cores as recorded on an assumed
/// network.
pub(super) fn written(
    learnt: &Learnt,
    reads: &[Read],
    system: Option<String>,
    most: f64,
    (fidelity, spread): (Option<Fidelity>, f64),
) -> Files {
    let p = learnt.p.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let mut head = vec![format!("learnt from p = {p}")];
    if let Some(grid) = &learnt.grid {
        let wrap = if grid.wrap { "periodic" } else { "not periodic" };
        let order = if grid.order() == "last" { "last dimension fastest" } else { "ranks bisected" };
        head.push(format!("grid {}-D, {order}, {wrap}", grid.dims));
    }
    let params = reads.last().map(|read| read.params.clone()).unwrap_or_default();
    let mut emitted = learnt.emit(&params, &head);
    emitted.coefficients.iter_mut().for_each(|one| one.spread_by(spread));
    let fidelity = fidelity.map_or(String::new(), |fidelity| format!("fidelity = \"{}\"\n", fidelity.word()));
    let experiment = format!(
        "format = \"runcast-experiment/1\"\nsystem = \"system.toml\"\ncoeff = \"coefficients.toml\"\n{fidelity}\n[[app]]\nname = \"learnt\"\nfile = \"app.luau\"\n"
    );
    let system = system.unwrap_or_else(|| assumed(reads, most));
    Files {
        time_share: emitted.time_share,
        coefficients: emitted.coefficients.clone(),
        texts: [emitted.script.clone(), coefficients(&emitted), system, experiment],
    }
}

/// What stands above the rules.
const SIZES: &str =
    "# Seconds of a unit of each block's size. For another processor, name in system.toml the one that was recorded, as
# hardware = \"intel-xeon-e5345\", and put in place of \"none\" what a block depends on: \"scalar\" (clock, instructions
# a cycle) or \"mem_bandwidth_core\". Then: runcast sim optimize experiment.toml --vary hardware.cpu=catalogue:cpu
[model.default]
rule = [
";

fn coefficients(emitted: &Emitted) -> String {
    let all = &emitted.coefficients;
    if all.is_empty() {
        return "[model.default]\n".to_owned();
    }
    let mut text = SIZES.to_owned();
    for Coefficient { name, .. } in all {
        let _ = writeln!(text, "  {{ on = \"compute\", type = \"{name}\", value = \"c.{name} * size\" }},");
    }
    text.push_str("]\n\n[model.default.coeff]\n");
    for Coefficient { name, value_s, low_s, high_s, .. } in all {
        let _ = writeln!(
            text,
            "{name} = {{ value = \"{value_s:e}s\", low = \"{low_s:e}s\", high = \"{high_s:e}s\", scales = \"none\" }}"
        );
    }
    text.push_str("\n# How executions differ.\n[noise]\n");
    for Coefficient { name, noise, .. } in all.iter().filter(|one| one.noise > 0.0) {
        let _ = writeln!(text, "\"block.{name}.mean\" = {noise:.4}");
    }
    text
}

/// The nodes that were recorded, as many as the ranks need.
fn assumed(reads: &[Read], most: f64) -> String {
    let meta = reads.last().map(|read| &read.recording.meta);
    let cores = meta.map_or(1, |meta| meta.cores.max(1));
    let nodes = (most / cores as f64).ceil().max(1.0);
    format!(
        "# Nodes of {cores} cores, as recorded. The network is assumed: put in yours.
format = \"runcast-system/1\"
name = \"recorded\"
component = [
  {{ id = \"cluster\", kind = \"group\" }},
  {{ id = \"node\", kind = \"machine\", parent = \"cluster\", count = {nodes} }},
  {{ id = \"cpu\", kind = \"cpu\", parent = \"node\", set = {{ cores = {cores}, flops_double = \"10Gflop/s\" }} }},
]

[[network]]
of = \"cluster\"
set = {{ bandwidth = \"10GB/s\", latency = \"1us\", eager_limit = \"16KiB\", detach_limit = \"64KiB\" }}

[[network]]
of = \"node\"
set = {{ bandwidth = \"5GB/s\", latency = \"0.5us\", shared = false, eager_limit = \"16KiB\", detach_limit = \"64KiB\" }}
"
    )
}
