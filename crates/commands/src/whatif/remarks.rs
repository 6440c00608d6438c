//! What physics says of a system: what cannot be as it is written, with what would mend it.
//!
//! | code | holds when |
//! |---|---|
//! | `no_network` | processes on several machines exchange messages, and no network joins them |
//! | `fabric_inside_machine` | a network between machines is inside one |
//! | `topology_too_small` | a topology has fewer places than machines are attached |
//! | `memory_too_small` | the processes of a machine need more memory than it has |
//! | `oversubscribed` | more threads on a machine than it has cores |
//! | `bandwidth_exceeds_bus` | the card of a network is faster than the bus or the memory behind it |
//! | `implausible` | outside 0.1 to 500 Gflop/s a core, 10 ns to 1 s of latency, 10 TB/s |
//! | `no_power`, `no_failure_data` | energy or failures are asked for, and figures for them are absent |
//! | `unused_part` | nothing reaches it |
//! | `undefined_call` | a script calls a name that nothing defines |

use runcast_core::Problem;
use runcast_sim::run::{Prepared, RunResult};
use runcast_sim::script::UNDEFINED_CALL;
use runcast_sim::system::{Kind, Network, System};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Remarks of a system, at most.
const MOST: usize = 40;
/// Families of networks that join machines.
const FABRICS: [&str; 5] = ["ethernet", "infiniband", "slingshot", "efa", "roce"];
/// The entry that "Connect" begins with.
const USUAL_NETWORK: &str = "infiniband-hdr-4x";
/// Flop/s of a core that can be.
const FLOPS_OF_CORE: (f64, f64) = (0.1e9, 500e9);
/// Seconds of latency that can be.
const LATENCY_S: (f64, f64) = (10e-9, 1.0);
/// Bytes per second that can be, at most.
const BANDWIDTH: f64 = 10e12;

/// The code of machines that nothing joins.
pub(super) const NO_NETWORK: &str = "no_network";
/// The codes of [`of_system`].
pub const OF_SYSTEMS: [&str; 4] =
    ["fabric_inside_machine", "topology_too_small", "bandwidth_exceeds_bus", "implausible"];

/// A remark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Remark {
    pub code: String,
    pub message: String,
    /// The component or network that it is about.
    pub part: Option<String>,
    /// What mends it; none: there is no one way.
    pub mend: Option<Mend>,
}

impl Remark {
    /// As a problem of the file.
    pub fn problem(&self) -> Problem {
        let problem = Problem::new(&self.code, &self.message);
        match &self.part {
            Some(part) => problem.value(part),
            None => problem,
        }
    }

    /// The same, said of another configuration than the current one.
    pub(super) fn at(mut self, at: &BTreeMap<String, f64>) -> Remark {
        let values: Vec<String> = at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        self.message = format!("at {}: {}", values.join(", "), self.message);
        self
    }
}

/// A change of the system file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Mend {
    /// Sets an attribute; `value` as in the file.
    Set { part: String, key: String, value: String },
    /// A network for what is in a component.
    Connect { of: String, hardware: String },
    /// The network joins the children of another component.
    Move { part: String, of: String },
    /// Another topology of a network, known by its place in the file; `value` as in the file.
    Topology { network: usize, value: String },
}

/// Of a system alone.
pub fn of_system(system: &System) -> Vec<Remark> {
    let networks = system.networks.iter();
    let fabrics = networks.clone().filter_map(|network| fabric(system, network));
    let sizes = networks.clone().filter_map(|network| size(system, network));
    let buses = networks.filter_map(|network| bus(system, network));
    let mut all: Vec<Remark> = fabrics.chain(sizes).chain(buses).chain(implausible(system)).collect();
    all.truncate(MOST);
    all
}

/// Of a system with processes on it, and of a run where there is one. `metrics` are those that are asked for.
pub fn of(prepared: &Prepared, result: Option<&RunResult>, metrics: &[String]) -> Vec<Remark> {
    let Some(read) = &prepared.system else { return Vec::new() };
    let system = &read.system;
    let mut all = of_system(system);
    all.extend(crowded(prepared, system));
    if let Some(result) = result {
        all.extend(of_run(prepared, system, result));
        let is_asked = |name: &str| metrics.iter().any(|one| one == name);
        let missing = |code: &str, what: &str, key: &str| {
            let lacks =
                |one: &&runcast_sim::system::Component| one.kind.computes() && one.attributes.get(key).is_none();
            let part = system.components.iter().find(lacks).map(|one| one.id.clone());
            let name = part.clone().unwrap_or_default();
            remark(code, format!("{what} is not known: {name} has no {key}"), part, None)
        };
        if is_asked("energy_j") && result.energy_j.is_none() {
            all.push(missing("no_power", "the energy", "power_load"));
        }
        if is_asked("failure_probability") && result.reliability.failure_probability.is_none() {
            all.push(missing("no_failure_data", "the chance of a failure", "mtbf"));
        }
    }
    all.truncate(MOST);
    all
}

fn remark(code: &str, message: String, part: Option<String>, mend: Option<Mend>) -> Remark {
    Remark { code: code.to_owned(), message, part, mend }
}

/// A network between machines that is inside one.
fn fabric(system: &System, network: &Network) -> Option<Remark> {
    let inside = &system.components[network.of];
    let family = network.attributes.word("family").filter(|family| FABRICS.contains(family))?;
    if inside.kind != Kind::Machine {
        return None;
    }
    let text = format!("{} joins machines ({family}), but it is inside the machine {}", network.id, inside.id);
    let parent = inside.parent.map(|parent| system.components[parent].id.clone());
    let mend = parent.map(|of| Mend::Move { part: network.id.clone(), of });
    Some(remark("fabric_inside_machine", text, Some(network.id.clone()), mend))
}

/// A topology with fewer places than there are children.
fn size(system: &System, network: &Network) -> Option<Remark> {
    let places = network.topology.places()?;
    let attached = system.children(network.of).map(|child| &system.components[child]);
    let attached =
        attached.filter(|child| child.kind != Kind::Storage).fold(0, |sum: u64, one| sum.saturating_add(one.count));
    if places >= attached {
        return None;
    }
    let text = format!("the {} of {} has {places} places for {attached} machines", network.topology.word(), network.id);
    Some(remark("topology_too_small", text, Some(network.id.clone()), None))
}

/// A network card that is faster than what is behind it.
fn bus(system: &System, network: &Network) -> Option<Remark> {
    let card = network.bandwidth();
    if system.components[network.of].kind == Kind::Machine || !card.is_finite() {
        return None;
    }
    let machines = system.children(network.of).filter(|&child| system.components[child].kind == Kind::Machine);
    let behind = machines.filter_map(|machine| {
        let memory = system.components[machine].attributes.get("mem_bandwidth");
        let buses = system.networks_of(machine).filter(|bus| bus.attributes.word("family") == Some("pcie"));
        buses.map(Network::bandwidth).chain(memory).filter(|limit| limit.is_finite()).reduce(f64::min)
    });
    let limit = behind.reduce(f64::min).filter(|limit| *limit < card)?;
    let shown = |value| runcast_formula::units::format_quantity(value, "B/s");
    let text =
        format!("{} is faster ({}) than the bus or memory of its machines ({})", network.id, shown(card), shown(limit));
    let mend = Mend::Set { part: network.id.clone(), key: "bandwidth".to_owned(), value: shown(limit) };
    Some(remark("bandwidth_exceeds_bus", text, Some(network.id.clone()), Some(mend)))
}

/// Figures that no hardware has.
fn implausible(system: &System) -> Vec<Remark> {
    let mut all = Vec::new();
    let mut look = |id: &str, key: &str, value: Option<f64>, (low, high): (f64, f64), unit: &str, hint: &str| {
        let Some(value) = value.filter(|value| value.is_finite() && (*value < low || *value > high)) else { return };
        let shown = runcast_formula::units::format_quantity(value, unit);
        let text = format!("{id}: {key} of {shown}{hint} cannot be; is the unit right?");
        all.push(remark("implausible", text, Some(id.to_owned()), None));
    };
    for one in &system.components {
        if one.kind == Kind::Cpu {
            let cores = one.attributes.get("cores").filter(|cores| *cores > 0.0).unwrap_or(1.0);
            let of_core = one.attributes.get("flops_double").map(|flops| flops / cores);
            look(&one.id, "flops_double", of_core, FLOPS_OF_CORE, "flop/s", " a core");
        }
        look(&one.id, "mem_bandwidth", one.attributes.get("mem_bandwidth"), (0.0, BANDWIDTH), "B/s", "");
    }
    for network in &system.networks {
        let latency = network.attributes.get("latency").filter(|latency| *latency > 0.0);
        look(&network.id, "latency", latency, LATENCY_S, "s", "");
        look(&network.id, "bandwidth", network.attributes.get("bandwidth"), (0.0, BANDWIDTH), "B/s", "");
    }
    all
}

/// Machines with more threads than cores, or with less memory than their processes need.
fn crowded(prepared: &Prepared, system: &System) -> Vec<Remark> {
    let Ok(seated) = prepared.seated() else { return Vec::new() };
    let mut all: Vec<Remark> = Vec::new();
    for seat in seated.iter().filter(|seat| seat.processes as f64 > seat.cores && seat.cores >= 1.0) {
        let id = &system.components[seat.component].id;
        if all.iter().any(|one| one.part.as_ref() == Some(id)) {
            continue;
        }
        let text = format!("{} processes on a machine {id} with {} cores", seat.processes, seat.cores);
        all.push(remark("oversubscribed", text, Some(id.clone()), None));
    }
    all
}

/// What a run tells: messages without a network, memory, parts that nothing reaches.
fn of_run(prepared: &Prepared, system: &System, result: &RunResult) -> Vec<Remark> {
    let mut all = Vec::new();
    let hosts = prepared.seated().unwrap_or_default();
    let machines: u64 = hosts.iter().map(|seat| seat.machines).sum();
    if machines > 1 && result.counts.messages > 0 {
        for (index, group) in system.components.iter().enumerate() {
            let joins = |seat: &&runcast_sim::run::Seated| is_within(system, seat.component, index);
            let joined: u64 = hosts.iter().filter(joins).map(|seat| seat.machines).sum();
            let lacks = matches!(group.kind, Kind::Group | Kind::Wan) && system.networks_of(index).next().is_none();
            if lacks && joined > group.total.max(1) {
                let text = format!("{joined} machines of {} exchange messages, and no network joins them", group.id);
                let mend = Mend::Connect { of: group.id.clone(), hardware: USUAL_NETWORK.to_owned() };
                all.push(remark(NO_NETWORK, text, Some(group.id.clone()), Some(mend)));
            }
        }
    }
    let memory = result.warnings.iter().filter(|warning| warning.code == "memory");
    all.extend(memory.map(|warning| remark("memory_too_small", warning.message.clone(), None, None)));
    let slips = result.warnings.iter().filter(|warning| warning.code == UNDEFINED_CALL);
    all.extend(slips.map(|warning| remark(UNDEFINED_CALL, warning.message.clone(), None, None)));
    // Of a machine that nothing uses, the machine alone.
    let is_unused =
        |id: &str| result.components.iter().any(|one| one.id == id && one.used == 0 && one.busy_s.is_some());
    let unused = system.components.iter().filter(|one| {
        let around = one.parent.map(|parent| system.components[parent].id.as_str());
        is_unused(&one.id) && !around.is_some_and(is_unused)
    });
    all.extend(unused.map(|one| {
        let text = format!("no process uses {}", one.id);
        remark("unused_part", text, Some(one.id.clone()), None)
    }));
    all
}

/// Whether a component is in another one.
fn is_within(system: &System, component: usize, other: usize) -> bool {
    std::iter::successors(Some(component), |one| system.components[*one].parent).any(|one| one == other)
}
