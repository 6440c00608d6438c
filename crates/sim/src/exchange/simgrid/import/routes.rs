//! Links and routes of a zone: an explicit network, or a star where all hosts have like links to one backbone.

use super::{Importer, Outside};
use crate::attributes::{Attribute, Attributes, Quality, Value};
use crate::simgrid::paths::{self, Hop};
use crate::simgrid::units::Measure;
use crate::simgrid::xml::Element;
use crate::system::{ExplicitLink, ExplicitRoute, Kind, TopologySpec};
use runcast_core::Problem;
use runcast_core::problem::shorten;
use std::collections::{BTreeMap, HashMap};

/// Routes between more hosts are not computed.
const MOST_COMPUTED: usize = 600;

/// Links in order, and whether each is used backwards.
type Links = Vec<(u32, bool)>;

/// What a zone says about its routes.
struct Routes {
    /// Ports and routers.
    nodes: HashMap<String, u32>,
    /// How many of them are ports.
    ports: usize,
    links: Vec<ExplicitLink>,
    routes: Vec<Route>,
}

/// From and to, the links, whether the way back is the same, and its line.
type Route = (u32, u32, Links, bool, u64);

impl Routes {
    /// Links that no route takes: those inside machines have become networks of theirs.
    fn drop_unused_links(&mut self) {
        let mut used = vec![false; self.links.len()];
        for &(link, _) in self.routes.iter().flat_map(|route| &route.2) {
            used[link as usize] = true;
        }
        let mut numbers = Vec::with_capacity(used.len());
        let mut next = 0;
        for &used in &used {
            numbers.push(next);
            next += u32::from(used);
        }
        let mut at = 0;
        self.links.retain(|_| {
            at += 1;
            used[at - 1]
        });
        for (link, _) in self.routes.iter_mut().flat_map(|route| &mut route.2) {
            *link = numbers[*link as usize];
        }
    }
}

impl Importer<'_> {
    pub(super) fn routes(
        &mut self,
        zone: &Element,
        of: usize,
        ports: &HashMap<String, usize>,
        outside: Outside<'_>,
    ) -> Result<(), Problem> {
        let (links, link_ids) = self.links(zone)?;
        let mut names: Vec<&String> = ports.keys().collect();
        names.sort_by_key(|name| ports[*name]);
        let mut nodes: HashMap<String, u32> =
            names.iter().enumerate().map(|(at, name)| ((*name).clone(), at as u32)).collect();
        for router in zone.named("router") {
            let next = nodes.len() as u32;
            nodes.entry(self.name(router)?.to_owned()).or_insert(next);
        }
        let mut all = Routes { nodes, ports: ports.len(), links, routes: Vec::new() };
        for element in &zone.children {
            match element.name.as_str() {
                "route" | "zoneRoute" | "ASroute" => self.route(element, &mut all, &link_ids, ports)?,
                _ => {}
            }
        }
        let routing = zone.get("routing").unwrap_or("Full");
        let host_links: Vec<&Element> = zone.named("host_link").collect();
        let computed = match routing {
            "Floyd" | "Dijkstra" | "DijkstraCache" => true,
            "Cluster" | "Star" if !host_links.is_empty() => {
                return self.star(zone, of, ports, &host_links, &all.links, &link_ids, outside.gateway.is_some());
            }
            "Full" | "None" | "Cluster" | "Star" => false,
            _ => {
                self.warn(zone, "not_imported", format!("routing {} is read as Full", shorten(routing, 40)));
                false
            }
        };
        if all.routes.is_empty() {
            // One machine, or one group: nothing to join. More are reported as an assumption.
            return Ok(());
        }
        all.drop_unused_links();
        let ids: Vec<String> = names.iter().map(|name| self.components[ports[*name]].id.clone()).collect();
        let gateway = match outside.gateway {
            None => None,
            Some(name) => match all.nodes.get(name) {
                Some(&node) => Some(node),
                None => {
                    self.warn(zone, "not_imported", format!("the gateway {name} is not a host or router of this zone"));
                    None
                }
            },
        };
        let routes = if computed {
            self.computed(zone, &all, &ids, of, gateway)?
        } else {
            written(&all, &ids, &self.components[of].id, gateway)
        };
        let topology = TopologySpec::Explicit { links: all.links, routes };
        self.network(of, Attributes::default(), topology, outside.gateway.is_some());
        Ok(())
    }

    fn links(&mut self, zone: &Element) -> Result<(Vec<ExplicitLink>, HashMap<String, u32>), Problem> {
        let mut links = Vec::new();
        let mut ids = HashMap::new();
        for element in zone.named("link") {
            let id = self.name(element)?.to_owned();
            let required = |key: &str, measure: Measure| {
                element.get(key).ok_or_else(|| self.missing(element, key, measure.wanted()))
            };
            let bandwidth = required("bandwidth", Measure::Bandwidth)?;
            let bandwidth = self.positive(element, "bandwidth", bandwidth, Measure::Bandwidth)?;
            let latency_s = match element.get("latency") {
                Some(text) => self.measure(element, "latency", text, Measure::Time)?,
                None => 0.0,
            };
            let (shared, full_duplex) = match element.get("sharing_policy").unwrap_or("SHARED") {
                "SHARED" => (true, false),
                "FATPIPE" => (false, false),
                "SPLITDUPLEX" | "FULLDUPLEX" => (true, true),
                other => {
                    let text = format!("the link {id}: sharing_policy {} is read as SHARED", shorten(other, 40));
                    self.warn(element, "not_imported", text);
                    (true, false)
                }
            };
            for key in ["bandwidth_file", "latency_file", "state_file"] {
                if element.get(key).is_some() {
                    self.warn(element, "not_imported", format!("the profile {key} is left out"));
                }
            }
            if ids.insert(id.clone(), links.len() as u32).is_some() {
                return Err(self.wrong(element, "twice", format!("two links are called {}", shorten(&id, 60))));
            }
            links.push(ExplicitLink { id, bandwidth, latency_s, shared, full_duplex });
        }
        Ok((links, ids))
    }

    fn route(
        &mut self,
        element: &Element,
        all: &mut Routes,
        link_ids: &HashMap<String, u32>,
        ports: &HashMap<String, usize>,
    ) -> Result<(), Problem> {
        let end = |key: &str| {
            let name = element.get(key).ok_or_else(|| self.missing(element, key, "a host, router or zone"))?;
            let found = all.nodes.get(name).copied();
            found
                .ok_or_else(|| self.unknown(element, "host, router or zone here", name, &all.nodes))
                .map(|node| (name, node))
        };
        let ((name, from), (_, to)) = (end("src")?, end("dst")?);
        let mut links = Vec::new();
        for step in element.named("link_ctn") {
            let id = self.name(step)?;
            let (id, back) = match (link_ids.get(id), id.strip_suffix("_UP"), id.strip_suffix("_DOWN")) {
                (Some(_), _, _) => (id, step.get("direction") == Some("DOWN")),
                (None, Some(id), _) => (id, false),
                (None, None, Some(id)) => (id, true),
                (None, None, None) => (id, false),
            };
            let Some(&link) = link_ids.get(id) else {
                return Err(self.unknown(step, "link of this zone", id, link_ids));
            };
            links.push((link, back && all.links[link as usize].full_duplex));
        }
        if from == to {
            return match ports.get(name) {
                Some(&machine) if self.components[machine].kind == Kind::Machine => {
                    self.loopback(element, machine, &links, &all.links);
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        let both = !matches!(element.get("symmetrical"), Some("NO" | "no" | "0" | "false"));
        let (line, _) = self.source.line_and_column(element.offset);
        all.routes.push((from, to, links, both, line));
        Ok(())
    }

    /// The route of a host to itself.
    fn loopback(&mut self, element: &Element, machine: usize, route: &[(u32, bool)], links: &[ExplicitLink]) {
        let &[(link, _)] = route else {
            self.warn(element, "not_imported", "a route of a host to itself has one link".to_owned());
            return;
        };
        let link = &links[link as usize];
        let mut attributes = Attributes::default();
        attributes.give("bandwidth", link.bandwidth);
        attributes.give("latency", link.latency_s);
        attributes.insert("shared", given(Value::Flag(link.shared)));
        self.network(machine, attributes, TopologySpec::Star { backbone: None }, false);
    }

    /// Ways with the fewest links between all ports.
    fn computed(
        &mut self,
        zone: &Element,
        all: &Routes,
        ids: &[String],
        of: usize,
        gateway: Option<u32>,
    ) -> Result<Vec<ExplicitRoute>, Problem> {
        if all.ports > MOST_COMPUTED {
            let problem =
                self.wrong(zone, "too_large", format!("routes between {} hosts are to be computed", all.ports));
            return Err(problem.allowed(format!("at most {MOST_COMPUTED} hosts in such a zone")));
        }
        let mut hops: Vec<Vec<Hop>> = vec![Vec::new(); all.nodes.len()];
        for (from, to, links, both, _) in &all.routes {
            hops[*from as usize].push(Hop { to: *to as usize, links: links.clone() });
            if *both {
                hops[*to as usize].push(Hop { to: *from as usize, links: reversed(links, &all.links) });
            }
        }
        let (line, _) = self.source.line_and_column(zone.offset);
        let mut routes = Vec::new();
        let out = &self.components[of].id;
        let ends = (0..all.ports).chain(gateway.map(|node| node as usize).filter(|node| *node >= all.ports));
        let ways: BTreeMap<usize, Vec<Option<Links>>> = ends.map(|node| (node, paths::from(&hops, node))).collect();
        let route = |from: &str, to: &str, there: &Option<Links>, back: &Option<Links>| {
            let (there, back) = (there.clone()?, back.clone()?);
            let one_way = reversed(&there, &all.links) != back;
            let route = |from: &str, to: &str, links| ExplicitRoute {
                from: from.to_owned(),
                to: to.to_owned(),
                links,
                one_way,
                line,
            };
            let there = route(from, to, there);
            Some(if one_way { vec![there, route(to, from, back)] } else { vec![there] })
        };
        for from in 0..all.ports {
            for to in from + 1..all.ports {
                let Some(found) = route(&ids[from], &ids[to], &ways[&from][to], &ways[&to][from]) else {
                    let message = format!("there is no way between {} and {}", ids[from], ids[to]);
                    return Err(self.wrong(zone, "no_route", message));
                };
                routes.extend(found);
            }
            if let Some(gateway) = gateway.map(|node| node as usize) {
                if gateway == from {
                    routes.push(ExplicitRoute {
                        from: ids[from].clone(),
                        to: out.clone(),
                        links: Vec::new(),
                        one_way: false,
                        line,
                    });
                } else if let Some(found) = route(&ids[from], out, &ways[&from][gateway], &ways[&gateway][from]) {
                    routes.extend(found);
                }
            }
        }
        Ok(routes)
    }

    /// Hosts with links of their own to a backbone.
    #[allow(clippy::too_many_arguments)]
    fn star(
        &mut self,
        zone: &Element,
        of: usize,
        ports: &HashMap<String, usize>,
        host_links: &[&Element],
        links: &[ExplicitLink],
        link_ids: &HashMap<String, u32>,
        through: bool,
    ) -> Result<(), Problem> {
        let mut used = BTreeMap::new();
        for element in host_links {
            let host = self.name(element)?;
            let link = |key: &str| {
                let id = element.get(key).ok_or_else(|| self.missing(element, key, "a link"))?;
                let id = id.strip_suffix("_UP").or_else(|| id.strip_suffix("_DOWN")).unwrap_or(id);
                link_ids.get(id).copied().ok_or_else(|| self.unknown(element, "link of this zone", id, link_ids))
            };
            let (up, down) = (link("up")?, link("down")?);
            if !ports.contains_key(host) {
                return Err(self.wrong(
                    element,
                    "unknown_name",
                    format!("\"{}\" is not a host here", shorten(host, 60)),
                ));
            }
            used.insert(host, (up, down));
        }
        let first = used.values().next().map(|(up, _)| &links[*up as usize]);
        let alike = first.is_some_and(|first| {
            let like = |link: &ExplicitLink| ExplicitLink { id: first.id.clone(), ..link.clone() } == *first;
            used.len() == ports.len() && used.values().all(|(up, down)| up == down && like(&links[*up as usize]))
        });
        let Some(first) = first.filter(|_| alike) else {
            let problem = self.wrong(zone, "not_supported", "the hosts of the zone have different links".to_owned());
            return Err(problem
                .allowed("a link of the same kind for each host")
                .hint("write the zone with routing=\"Full\""));
        };
        let mut attributes = Attributes::default();
        attributes.give("bandwidth", first.bandwidth);
        attributes.give("latency", first.latency_s);
        if !first.shared {
            attributes.insert("shared", given(Value::Flag(false)));
        } else if !first.full_duplex {
            attributes.insert("duplex", given(Value::Word("half".to_owned())));
        }
        let backbone = match zone.named("backbone").next() {
            None => None,
            Some(element) => {
                let text = element.get("bandwidth").ok_or_else(|| self.missing(element, "bandwidth", "a bandwidth"))?;
                let bandwidth = self.positive(element, "bandwidth", text, Measure::Bandwidth)?;
                let latency = match element.get("latency") {
                    Some(text) => self.measure(element, "latency", text, Measure::Time)?,
                    None => 0.0,
                };
                Some((bandwidth, latency))
            }
        };
        self.network(of, attributes, TopologySpec::Star { backbone }, through);
        Ok(())
    }
}

/// The routes as they stand, with those to the gateway as the way out.
fn written(all: &Routes, ids: &[String], out: &str, gateway: Option<u32>) -> Vec<ExplicitRoute> {
    let mut routes = Vec::new();
    let name = |node: u32| ids.get(node as usize);
    for (from, to, links, both, line) in &all.routes {
        let route = |from: &str, to: &str| ExplicitRoute {
            from: from.to_owned(),
            to: to.to_owned(),
            links: links.clone(),
            one_way: !both,
            line: *line,
        };
        if let (Some(from), Some(to)) = (name(*from), name(*to)) {
            routes.push(route(from, to));
        }
        if let Some(to) = name(*to).filter(|_| gateway == Some(*from)) {
            routes.push(route(out, to));
        } else if let Some(from) = name(*from).filter(|_| gateway == Some(*to)) {
            routes.push(route(from, out));
        }
    }
    if let Some(own) = gateway.and_then(name) {
        let links = Vec::new();
        routes.push(ExplicitRoute { from: own.clone(), to: out.to_owned(), links, one_way: false, line: 0 });
    }
    routes
}

fn reversed(links: &[(u32, bool)], of: &[ExplicitLink]) -> Vec<(u32, bool)> {
    links.iter().rev().map(|&(link, back)| (link, !back && of[link as usize].full_duplex)).collect()
}

fn given(value: Value) -> Attribute {
    Attribute { value, unit: String::new(), quality: Quality::Given, source: String::new(), formula: None }
}
