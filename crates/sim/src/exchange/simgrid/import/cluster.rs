//! `<cluster>`: identical machines at one switch, or in a fat tree, torus or dragonfly.

use super::Importer;
use crate::attributes::{Attribute, Attributes, Quality, Value};
use crate::simgrid::units::Measure;
use crate::simgrid::xml::Element;
use crate::system::{Kind, TopologySpec};
use runcast_core::Problem;
use runcast_core::problem::shorten;

impl Importer<'_> {
    pub(super) fn cluster(
        &mut self,
        cluster: &Element,
        parent: Option<usize>,
        through: bool,
    ) -> Result<usize, Problem> {
        let group = self.component(cluster, self.name(cluster)?, Kind::Group, parent, 1)?;
        let radical = cluster.get("radical").ok_or_else(|| self.missing(cluster, "radical", "such as \"0-31\""))?;
        let Some((count, from_zero)) = radical_count(radical) else {
            let problem = self.wrong(cluster, "out_of_range", format!("radical is {}", shorten(radical, 60)));
            return Err(problem.value(radical).allowed("numbers and ranges such as \"0-31\" or \"1,3-5\""));
        };
        if !from_zero {
            self.warn(cluster, "renamed", format!("the machines {} are numbered from 0", shorten(radical, 60)));
        }
        let prefix = cluster.get("prefix").unwrap_or_default().trim_end_matches(['-', '_', '.']);
        let name = if prefix.is_empty() || self.ids.contains(prefix) {
            format!("{}-node", self.components[group].id)
        } else {
            prefix.to_owned()
        };
        let machine = self.component(cluster, &name, Kind::Machine, Some(group), count)?;
        let cores = self.count(cluster, "core")?;
        self.cpu(cluster, machine, cores)?;
        for child in cluster.children.iter().filter(|child| child.name != "prop") {
            self.skip(child);
        }
        for key in ["limiter_link", "availability_file", "state_file"] {
            if cluster.get(key).is_some() {
                self.warn(cluster, "not_imported", format!("{key} is left out"));
            }
        }
        let topology = self.topology(cluster, count)?;
        let mut attributes = self.link(cluster, "bw", "lat")?;
        self.policy(cluster, "sharing_policy", "SPLITDUPLEX", &mut attributes)?;
        self.network(group, attributes, topology, through);
        match (cluster.get("loopback_bw"), cluster.get("loopback_lat")) {
            (Some(_), _) => {
                let mut attributes = self.link(cluster, "loopback_bw", "loopback_lat")?;
                attributes.insert("shared", given(Value::Flag(false)));
                self.network(machine, attributes, TopologySpec::Star { backbone: None }, false);
            }
            (None, Some(_)) => return Err(self.missing(cluster, "loopback_bw", Measure::Bandwidth.wanted())),
            (None, None) => {}
        }
        Ok(group)
    }

    /// Bandwidth and latency of a link.
    fn link(&self, element: &Element, bandwidth: &str, latency: &str) -> Result<Attributes, Problem> {
        let mut attributes = Attributes::default();
        let text =
            element.get(bandwidth).ok_or_else(|| self.missing(element, bandwidth, Measure::Bandwidth.wanted()))?;
        attributes.give("bandwidth", self.positive(element, bandwidth, text, Measure::Bandwidth)?);
        let latency_s = match element.get(latency) {
            Some(text) => self.measure(element, latency, text, Measure::Time)?,
            None => 0.0,
        };
        attributes.give("latency", latency_s);
        Ok(attributes)
    }

    /// Whether links are shared, and by both directions.
    fn policy(&self, element: &Element, key: &str, default: &str, attributes: &mut Attributes) -> Result<(), Problem> {
        match element.get(key).unwrap_or(default) {
            "SPLITDUPLEX" => {}
            "SHARED" => attributes.insert("duplex", given(Value::Word("half".to_owned()))),
            "FATPIPE" => attributes.insert("shared", given(Value::Flag(false))),
            other => {
                let problem = self.wrong(element, "unknown_name", format!("{key} is {}", shorten(other, 40)));
                return Err(problem.value(other).allowed("SPLITDUPLEX, SHARED, FATPIPE"));
            }
        }
        Ok(())
    }

    fn topology(&mut self, cluster: &Element, count: u64) -> Result<TopologySpec, Problem> {
        let parameters = cluster.get("topo_parameters").unwrap_or_default();
        let kind = cluster.get("topology").unwrap_or("FLAT");
        let has_backbone = cluster.get("bb_bw").is_some();
        if kind != "FLAT" && has_backbone {
            self.warn(cluster, "not_imported", "the backbone of a cluster that is not a star is left out".to_owned());
        }
        let spec = match kind {
            "FLAT" => match cluster.get("bb_bw") {
                None => Some(TopologySpec::Crossbar),
                Some(bandwidth) => {
                    let bandwidth = self.positive(cluster, "bb_bw", bandwidth, Measure::Bandwidth)?;
                    let latency = match cluster.get("bb_lat") {
                        Some(text) => self.measure(cluster, "bb_lat", text, Measure::Time)?,
                        None => 0.0,
                    };
                    if cluster.get("bb_sharing_policy").is_some_and(|policy| policy != "SHARED") {
                        self.warn(cluster, "not_imported", "the backbone is treated as shared".to_owned());
                    }
                    Some(TopologySpec::Star { backbone: Some((bandwidth, latency)) })
                }
            },
            "FAT_TREE" => fat_tree(parameters),
            "TORUS" => list(parameters, ',').map(|dims| TopologySpec::Torus { dims }),
            "DRAGONFLY" => dragonfly(parameters),
            other => {
                let problem = self.wrong(cluster, "unknown_name", format!("topology is {}", shorten(other, 40)));
                return Err(problem.value(other).allowed("FLAT, FAT_TREE, TORUS, DRAGONFLY"));
            }
        };
        let Some(spec) = spec else {
            let message = format!("topo_parameters is {}", shorten(parameters, 60));
            let allowed = match kind {
                "FAT_TREE" => "\"2;16,2;1,8;1,1\": levels; down; up; cables",
                "TORUS" => "\"4,4,4\"",
                _ => "\"3,4;3,2;3,1;2\": groups, cables; chassis, cables; routers, cables; nodes",
            };
            return Err(self.wrong(cluster, "out_of_range", message).value(parameters).allowed(allowed));
        };
        let places = spec.places();
        if places.is_some_and(|places| places != count) {
            let message = format!("the topology has {} places for {count} machines", places.unwrap_or(0));
            return Err(self.wrong(cluster, "out_of_range", message).allowed("as many places as machines"));
        }
        Ok(spec)
    }
}

fn given(value: Value) -> Attribute {
    Attribute { value, unit: String::new(), quality: Quality::Given, source: String::new(), formula: None }
}

/// How many numbers a radical has, and whether they are 0 up to that.
fn radical_count(text: &str) -> Option<(u64, bool)> {
    let mut count = 0_u64;
    let mut from_zero = true;
    for part in text.split(',') {
        let (from, to) = match part.trim().split_once('-') {
            Some((from, to)) => (from.trim().parse::<u64>().ok()?, to.trim().parse::<u64>().ok()?),
            None => {
                let only = part.trim().parse::<u64>().ok()?;
                (only, only)
            }
        };
        from_zero &= from == count;
        count = count.checked_add(to.checked_sub(from)?.checked_add(1)?)?;
    }
    (count <= 1 << 31).then_some((count, from_zero))
}

fn list(text: &str, by: char) -> Option<Vec<u32>> {
    let fits = |number: &u32| (1..=1 << 24).contains(number);
    text.split(by).map(|part| part.trim().parse().ok().filter(fits)).collect()
}

fn fat_tree(text: &str) -> Option<TopologySpec> {
    let parts: Vec<&str> = text.split(';').collect();
    let &[levels, down, up, links] = parts.as_slice() else { return None };
    let (down, up, links) = (list(down, ',')?, list(up, ',')?, list(links, ',')?);
    let fits =
        levels.trim().parse::<usize>().ok()? == down.len() && up.len() == down.len() && links.len() == down.len();
    (fits && down.len() <= crate::topology::MOST_LEVELS).then_some(TopologySpec::FatTree { down, up, links })
}

fn dragonfly(text: &str) -> Option<TopologySpec> {
    let parts: Vec<Vec<u32>> = text.split(';').map(|part| list(part, ',')).collect::<Option<_>>()?;
    let [groups, chassis, routers, nodes] = parts.as_slice() else { return None };
    let (&[groups, group_links], &[chassis, chassis_links], &[routers, router_links], &[nodes]) =
        (groups.as_slice(), chassis.as_slice(), routers.as_slice(), nodes.as_slice())
    else {
        return None;
    };
    (groups <= 1 || groups <= routers).then_some(TopologySpec::Dragonfly {
        groups,
        chassis,
        routers,
        nodes,
        group_links,
        chassis_links,
        router_links,
    })
}
