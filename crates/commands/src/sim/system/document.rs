//! The document of `runcast sim system show`.

use runcast_core::Warning;
use runcast_sim::attributes::Attributes;
use runcast_sim::platform::Segment;
use runcast_sim::system::{System, TopologySpec, Totals};
use serde::Serialize;
use serde_json::{Value, json};

/// The document of `runcast sim system show`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShowDocument {
    /// `sim-system-show`.
    pub kind: &'static str,
    /// 1.
    pub version: u32,
    /// Name of the system.
    pub system: String,
    pub file: String,
    /// Components, a parent before its children.
    pub components: Vec<ComponentRow>,
    /// Networks, in the order of the file.
    pub networks: Vec<NetworkRow>,
    /// Names of its computational models.
    pub models: Vec<String>,
    /// What it has in all.
    pub totals: Totals,
    /// What it leaves open.
    pub assumed: Vec<String>,
    /// What may not be meant so.
    pub warnings: Vec<Warning>,
}

/// A component.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComponentRow {
    pub id: String,
    /// What it is; `kind` of the document is another thing.
    pub kind: &'static str,
    /// Id of its parent.
    pub parent: Option<String>,
    /// How many in one parent.
    pub count: u64,
    /// How many in all.
    pub total: u64,
    /// Catalogue entry.
    pub hardware: Option<String>,
    /// Its computational model, inherited or its own.
    pub model: Option<String>,
    /// Attributes by key, in SI base units: `value`, `unit`, `quality`, `source`, `formula`.
    pub attributes: Attributes,
}

/// A network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NetworkRow {
    pub id: String,
    /// Whose children it joins.
    pub of: String,
    /// Catalogue entry.
    pub hardware: Option<String>,
    /// Kind and sizes.
    pub topology: Value,
    /// Whether messages from inside to outside pass it.
    pub through: bool,
    /// Attributes by key.
    pub attributes: Attributes,
    /// What it does to messages by their size.
    pub segments: Vec<Value>,
}

impl ShowDocument {
    /// The document of a system.
    pub fn new(system: &System, warnings: Vec<Warning>) -> Self {
        let components = system.components.iter().enumerate().map(|(index, component)| ComponentRow {
            id: component.id.clone(),
            kind: component.kind.word(),
            parent: component.parent.map(|parent| system.components[parent].id.clone()),
            count: component.count,
            total: component.total,
            hardware: component.hardware.clone(),
            model: system.model_of(index).map(str::to_owned),
            attributes: component.attributes.clone(),
        });
        let networks = system.networks.iter().map(|network| NetworkRow {
            id: network.id.clone(),
            of: system.components[network.of].id.clone(),
            hardware: network.hardware.clone(),
            topology: topology(&network.topology),
            through: network.through,
            attributes: network.attributes.clone(),
            segments: network.segments.iter().map(segment).collect(),
        });
        ShowDocument {
            kind: "sim-system-show",
            version: 1,
            system: system.name.clone(),
            file: system.file.clone(),
            components: components.collect(),
            networks: networks.collect(),
            models: system.models.iter().map(|model| model.name.clone()).collect(),
            totals: system.totals(),
            assumed: system.assumed.clone(),
            warnings,
        }
    }
}

fn topology(topology: &TopologySpec) -> Value {
    let kind = topology.word();
    match topology {
        TopologySpec::Star { backbone } => {
            let backbone = backbone
                .map(|(bandwidth, latency)| json!({ "bandwidth_bytes_per_s": bandwidth, "latency_s": latency }));
            json!({ "kind": kind, "backbone": backbone })
        }
        TopologySpec::Crossbar | TopologySpec::Bus => json!({ "kind": kind }),
        TopologySpec::FatTree { down, up, links } => json!({ "kind": kind, "down": down, "up": up, "links": links }),
        TopologySpec::Torus { dims } => json!({ "kind": kind, "dims": dims }),
        TopologySpec::Dragonfly { groups, chassis, routers, nodes, group_links, chassis_links, router_links } => {
            json!({
                "kind": kind, "groups": groups, "chassis": chassis, "routers": routers, "nodes": nodes,
                "group_links": group_links, "chassis_links": chassis_links, "router_links": router_links
            })
        }
        TopologySpec::Explicit { links, routes } => {
            let all: Vec<Value> = links
                .iter()
                .map(|link| {
                    json!({
                        "id": link.id, "bandwidth_bytes_per_s": link.bandwidth, "latency_s": link.latency_s,
                        "shared": link.shared, "duplex": if link.full_duplex { "full" } else { "half" }
                    })
                })
                .collect();
            let name = |&(link, back): &(u32, bool)| {
                let id = &links[link as usize].id;
                if back { format!("-{id}") } else { id.clone() }
            };
            let routes: Vec<Value> = routes
                .iter()
                .map(|route| {
                    let links: Vec<String> = route.links.iter().map(name).collect();
                    json!({ "from": route.from, "to": route.to, "links": links, "one_way": route.one_way })
                })
                .collect();
            json!({ "kind": kind, "link": all, "route": routes })
        }
    }
}

fn segment(segment: &Segment) -> Value {
    json!({
        "from_bytes": segment.from,
        "latency_factor": segment.latency_factor,
        "bandwidth_factor": segment.bandwidth_factor,
        "send_overhead_s": segment.send_overhead_s,
        "recv_overhead_s": segment.recv_overhead_s,
        "send_overhead_s_per_byte": segment.send_overhead_per_byte_s,
        "recv_overhead_s_per_byte": segment.recv_overhead_per_byte_s
    })
}
