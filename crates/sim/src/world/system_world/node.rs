//! Nodes: what the processors of a machine share, from the figures of machine and processors; and what blocks ask of it.

use super::SystemWorld;
use super::answers::of_block;
use super::class::{Class, is_called};
use super::power::{Capped, MachinePower};
use crate::application::{Application, Block, Op, Precision, Programs, Site, Task};
use crate::model::{On, Sharing, Variable};
use crate::system::Kind;
use crate::world::node::{Answered, AtWork, Domain, Need, NodeLaw, Rules, Running, positive};
use crate::world::{Demand, DeviceId, MemoryLaw, NodeSeat, throughput, turbo_factor};
use runcast_core::{Problem, Warning};
use std::collections::HashMap;

/// Bandwidth of a core to the memory of other parts of its machine, by default.
const REMOTE_FACTOR: f64 = 0.6;

/// What the threads on a device share, by the figures of the device and of its machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shared {
    /// A lone core is faster by this share.
    pub turbo: f64,
    /// Whether that counts the threads of the whole machine.
    turbo_of_machine: bool,
    memory: MemoryLaw,
    /// Whether one memory serves the whole machine.
    one_memory: bool,
    /// Threads placed that take from a memory.
    takers: f64,
    /// Domains of the device.
    domains: f64,
    /// Bytes of the last-level cache for a thread.
    cache_of_thread: Option<f64>,
    /// Bytes per second of a core from it.
    cache_core: Option<f64>,
}

/// The processors of a machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Processors {
    /// Threads on all.
    pub threads: f64,
    /// Parts with memory of their own.
    pub domains: f64,
    /// Memory bandwidth of all together, as far as they give it.
    pub bandwidth: Option<f64>,
}

impl Shared {
    /// From attributes; `of_machine` tells which the file sets on the machine, where they count all its cores.
    pub(super) fn of(
        attribute: &dyn Fn(&str) -> Option<f64>,
        of_machine: &dyn Fn(&str) -> bool,
        is_interleaved: bool,
        (cores, threads): (f64, f64),
        all: Processors,
    ) -> Self {
        let numa = attribute("numa");
        let domains = numa.unwrap_or(1.0);
        // Domains are filled one after the other.
        let used = (threads * domains / cores).ceil().clamp(1.0, domains);
        let of_domain = threads / used;
        let part = |key: &str| if of_machine(key) { all.domains } else { domains };
        let mut memory = MemoryLaw {
            core: attribute("mem_bandwidth_core"),
            all: attribute("mem_bandwidth"),
            sharpness: attribute("mem_sharpness").unwrap_or(f64::INFINITY),
        };
        let one_memory = is_interleaved || of_machine("mem_bandwidth") && numa.is_none();
        if is_interleaved {
            let near = 1.0 / all.domains;
            let remote = attribute("remote_factor").unwrap_or(REMOTE_FACTOR);
            memory.core = memory.core.map(|core| core * (near + (1.0 - near) * remote));
            if !of_machine("mem_bandwidth") {
                memory.all = all.bandwidth;
            }
        } else if !one_memory {
            memory.all = memory.all.map(|bandwidth| bandwidth / part("mem_bandwidth"));
        }
        let cache_of_thread = attribute("cache").map(|cache| {
            if of_machine("cache") && numa.is_none() {
                cache / all.threads.max(1.0)
            } else {
                cache / part("cache") / of_domain.max(1.0)
            }
        });
        Shared {
            turbo: attribute("turbo").unwrap_or(0.0),
            turbo_of_machine: of_machine("turbo"),
            memory,
            one_memory,
            takers: if one_memory { all.threads } else { of_domain },
            domains,
            cache_of_thread,
            cache_core: attribute("cache_bandwidth_core"),
        }
    }

    /// Memory bandwidth of a thread when all that are placed take part.
    pub fn bandwidth_of_a_thread(&self) -> f64 {
        self.memory.of_a_thread(self.takers)
    }

    /// Whether threads placed there take memory bandwidth from one another.
    fn is_contended(&self) -> bool {
        self.bandwidth_of_a_thread() < self.memory.of_a_thread(1.0) * (1.0 - 1e-12)
    }
}

/// Where a device of a zone is: its node, the first of its domains, and the first device of the node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seat {
    node: u32,
    domain: u32,
    first: u32,
}

/// Nodes of the placement.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    laws: Vec<NodeLaw>,
    /// For each zone: its devices.
    zones: Vec<Vec<Seat>>,
    /// For each class: whether its blocks must be watched.
    shares: Vec<bool>,
    /// For each zone: what its machines draw; none: without power states and caps.
    pub(super) powers: Vec<Option<MachinePower>>,
}

impl Nodes {
    /// Whether some device has power states, or some machine a cap.
    pub(super) fn have_states(&self) -> bool {
        self.powers.iter().any(Option::is_some)
    }
}

/// The memory traffic of a block at a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Traffic {
    /// Bytes in all.
    pub bytes: f64,
    /// Those from memory.
    memory: f64,
    /// Those from the last-level cache.
    cache: f64,
}

impl SystemWorld {
    /// Finds nodes, and who must be watched.
    pub(super) fn find_nodes(&mut self, application: &Application) {
        let mut nodes = Nodes { powers: std::mem::take(&mut self.nodes.powers), ..Nodes::default() };
        let mut known: HashMap<(usize, &[u32]), usize> = HashMap::new();
        for (index, zone) in self.placement.zones().iter().enumerate() {
            let key = (zone.component, self.zone_classes[index].as_slice());
            if let Some(like) = known.get(&key) {
                nodes.zones.push(nodes.zones[*like].clone());
                continue;
            }
            known.insert(key, index);
            let mut seats = Vec::new();
            let mut processors: Option<(u32, u32)> = None;
            // All devices of a machine share its cap.
            let is_capped = nodes.powers[index].as_ref().is_some_and(MachinePower::has_cap);
            for (device, class) in self.zone_classes[index].iter().enumerate() {
                let found = &self.classes[*class as usize];
                let (node, first) = match processors.filter(|_| found.is_default || is_capped) {
                    Some(known) => known,
                    None => {
                        nodes.laws.push(NodeLaw::default());
                        let new = (nodes.laws.len() as u32 - 1, device as u32);
                        if found.is_default || is_capped {
                            processors = Some(new);
                        }
                        new
                    }
                };
                let law = &mut nodes.laws[node as usize];
                seats.push(Seat { node, domain: law.domains.len() as u32, first });
                self.add_domains(*class, device as u32, law);
            }
            nodes.zones.push(seats);
        }
        let is_live = application.labels.iter().any(|label| matches!(label.programs, Programs::Live));
        nodes.shares =
            (0..self.classes.len() as u32).map(|class| self.must_watch(class, application, is_live)).collect();
        self.nodes = nodes;
    }

    /// Reports what is assumed of caches that blocks ask for.
    pub(super) fn note_caches(&mut self, application: &Application) {
        let mut told: Vec<String> = Vec::new();
        for found in self.classes.iter().filter(|found| found.device_procs > 0.0) {
            let asks = |block: &Block| block.working_set > 0.0 && block.time_s.is_none() && self.runs_on(block, found);
            if !application.blocks.iter().any(asks) {
                continue;
            }
            let id = &self.system.components[found.component].id;
            let text = match (found.shared.cache_of_thread, found.shared.cache_core) {
                (None, _) => format!("{id}: its last-level cache is not given, and holds nothing"),
                (Some(_), None) => format!("{id}: cache_bandwidth_core is not given, and limits nothing"),
                _ => continue,
            };
            if !told.contains(&text) {
                told.push(text);
            }
        }
        self.assumed.extend(told);
    }

    /// Warns of blocks with more threads than their device has hardware threads.
    pub(super) fn warn_of_threads(&mut self) {
        let mut told = Vec::new();
        for label in self.labels.iter().filter(|label| label.count > 0) {
            let seat = self.placement.seat(label.first);
            let class = self.zone_classes[seat.zone as usize][seat.device as usize];
            let found = &self.classes[class as usize];
            let most = found.law.cores * found.law.threads_per_core;
            if label.threads > most {
                let id = &self.system.components[found.component].id;
                let text = format!(
                    "blocks of {} have {} threads, but {id} has {most} hardware threads: these count",
                    label.name, label.threads
                );
                told.push(Warning::new("more_threads_than_cores", text));
            }
        }
        self.warnings.extend(told);
    }

    fn add_domains(&self, class: u32, device: u32, law: &mut NodeLaw) {
        let found = &self.classes[class as usize];
        let shared = &found.shared;
        let cores = found.law.cores / shared.domains;
        for domain in 0..shared.domains as u32 {
            let memory = match law.domains.iter().find(|domain| domain.is_processor) {
                Some(first) if shared.one_memory => first.memory,
                _ => {
                    law.memories.push(shared.memory);
                    law.memories.len() - 1
                }
            };
            // In order, until all are placed; evenly, where there are more threads than cores.
            let placed = if found.device_threads > found.law.cores {
                found.device_threads / shared.domains
            } else {
                (found.device_threads - f64::from(domain) * cores).clamp(0.0, cores)
            };
            law.domains.push(Domain {
                class,
                device,
                is_processor: found.is_default,
                share: 1.0 / shared.domains,
                cores,
                turbo: shared.turbo,
                memory,
                placed,
                counts_placed: self.sharing(found) == Sharing::Placed && found.device_threads > 0.0,
            });
        }
        if shared.turbo_of_machine {
            law.turbo = Some((shared.turbo, found.node_cores));
        }
    }

    /// Whether blocks on devices of a class may slow one another down.
    fn must_watch(&self, class: u32, application: &Application, is_live: bool) -> bool {
        let found = &self.classes[class as usize];
        let shared = &found.shared;
        let (device, machine) = (&self.system.components[found.component], &self.system.components[found.machine]);
        let has_states = !device.attributes.states().is_empty() || machine.attributes.get("power_cap").is_some();
        if has_states && machine.kind != Kind::Volunteer {
            return true;
        }
        if found.shares_cores() || self.has_streams(found, application, is_live) {
            return true;
        }
        if found.is_alone() {
            return shared.domains > 1.0 && found.device_threads > found.law.cores / shared.domains;
        }
        let (is_contended, has_turbo) = (shared.is_contended(), shared.turbo > 0.0);
        if !is_contended && !has_turbo {
            return false;
        }
        let matters = |block: &Block| {
            if !self.runs_on(block, found) || block.time_s.is_some() {
                return false;
            }
            match self.rule_of(block, class) {
                Some((_, names_bw)) => names_bw && is_contended,
                None => {
                    let moves = block.bytes > 0.0 || block.stencil.is_some();
                    moves && is_contended || block.ops > 0.0 && has_turbo
                }
            }
        };
        is_live || application.blocks.iter().any(matters)
    }

    /// Whether a process may have several blocks at work on a device of a class.
    fn has_streams(&self, found: &Class, application: &Application, is_live: bool) -> bool {
        let launches = |(op, _): &(Op, Site)| match op {
            Op::Launch { task: Task::Block(block), .. } => {
                self.runs_on(&application.blocks[*block as usize], found) || self.is_accelerator(found)
            }
            _ => false,
        };
        is_live && self.is_accelerator(found)
            || application.programs.iter().any(|program| program.ops.iter().any(launches))
    }

    /// Whether a block may run on devices of a class.
    fn runs_on(&self, block: &Block, found: &Class) -> bool {
        match block.device.as_str() {
            "" => found.is_default,
            name => is_called(&self.system.components[found.component], name),
        }
    }

    /// The rule that gives a block's seconds at a class, and whether it names the memory bandwidth.
    fn rule_of(&self, block: &Block, class: u32) -> Option<(usize, bool)> {
        let model = &self.models[self.classes[self.base_class(class)].model];
        let index = model.rule_for(On::Compute, &self.block_case(block, class))?;
        let formula = model.rules[index].value.as_ref()?;
        Some((index, formula.names_variable(Variable::Bw)))
    }

    /// Whether blocks on a device must be watched.
    pub(super) fn must_be_watched(&self, device: DeviceId) -> bool {
        let (machine, index) = self.placement.machine_of(device);
        let class = self.zone_class(self.placement.zone_of(machine), index);
        class.is_some_and(|class| self.nodes.shares.get(class as usize).copied().unwrap_or(false))
    }

    /// The law of the node of a device, and its place in it.
    fn node_law(&self, device: DeviceId) -> (&NodeLaw, NodeSeat, &Class) {
        let (machine, index) = self.placement.machine_of(device);
        let zone = self.placement.zone_of(machine);
        let seat = self.nodes.zones[zone][index as usize];
        let class = &self.classes[self.zone_classes[zone][index as usize] as usize];
        let node = device - index + seat.first;
        let place = NodeSeat { node, domain: seat.domain, domains: class.shared.domains as u32 };
        (&self.nodes.laws[seat.node as usize], place, class)
    }

    pub(super) fn node_seat(&self, device: DeviceId) -> NodeSeat {
        self.node_law(device).1
    }

    /// Appends the domains that threads of a process run on: its cores in order, around the device if they do not fit.
    pub(super) fn spread_over_domains(
        &self,
        process: u64,
        device: DeviceId,
        threads: f64,
        domains: &mut Vec<(u32, f64)>,
    ) {
        let (law, seat, class) = self.node_law(device);
        let own = &law.domains[seat.domain as usize..(seat.domain + seat.domains) as usize];
        let cores = class.law.cores;
        let (nth, all) = self.placement.on_its_device(process);
        let each = if class.device_procs > 0.0 { class.device_threads / class.device_procs } else { 1.0 };
        let first = if each * all as f64 <= cores {
            nth as f64 * each
        } else {
            (nth as f64 * cores / (all as f64).max(1.0)).floor()
        };
        let begin = domains.len();
        let (mut at, mut left) = (first.min(cores - 1.0), threads);
        while left > 0.0 {
            let width = own[0].cores;
            let index = ((at / width) as usize).min(own.len() - 1);
            let here = left.min(((index + 1) as f64 * width - at).max(1.0));
            match domains[begin..].iter_mut().find(|(known, _)| *known == seat.domain + index as u32) {
                Some((_, known)) => *known += here,
                None => domains.push((seat.domain + index as u32, here)),
            }
            left -= here;
            at = if at + here >= cores { 0.0 } else { at + here };
        }
    }

    /// The law of the node of a device.
    pub(super) fn law_of_node(&self, device: DeviceId) -> &NodeLaw {
        self.node_law(device).0
    }

    /// By how much a block takes longer when all who are placed on the node run the like.
    pub(super) fn when_crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<f64, Problem> {
        let (_, seat, found) = self.node_law(device);
        if self.is_accelerator(found) && !self.nodes.have_states() {
            let demand = self.demand_of(block, class)?;
            let busy = found.device_procs.max(1.0) * demand.threads;
            let class = self.class_of_block(block, class)?;
            return Ok(if busy > 0.0 { busy / positive(self.work_of(class, busy)?)? } else { 1.0 });
        }
        let (running, own) = self.crowd_running(block, class, device)?;
        let mut rates = Vec::new();
        let (blocks, answered) = (std::slice::from_ref(block), &Answered::default());
        let at_work = AtWork { node: seat.node, blocks, running: &running, answered };
        self.node_progress(at_work, &mut rates)?;
        Ok(own.into_iter().map(|one| 1.0 / rates[one]).fold(0.0, f64::max))
    }

    /// All who are placed on the node of a device at work on the like of a block, and which of them are on the device.
    pub(super) fn crowd_running(
        &self,
        block: &Block,
        class: u32,
        device: DeviceId,
    ) -> Result<(Vec<Running>, Vec<usize>), Problem> {
        let (law, seat, found) = self.node_law(device);
        let demand = self.demand_of(block, class)?;
        if self.is_accelerator(found) {
            let one = Running {
                domain: seat.domain,
                count: found.device_procs.max(1.0),
                threads: demand.threads,
                block: 0,
                class,
                seconds: demand.seconds,
                need: demand.need,
            };
            return Ok((vec![one], vec![0]));
        }
        let is_own = |domain: usize| (seat.domain..seat.domain + seat.domains).contains(&(domain as u32));
        let mut running = Vec::new();
        let mut own = Vec::new();
        for (index, domain) in law.domains.iter().enumerate() {
            // A block that nobody is placed for runs all the same.
            let is_first = index as u32 == seat.domain;
            if !domain.is_processor {
                continue;
            }
            let placed = if is_first { domain.placed.max(demand.threads.min(domain.cores)) } else { domain.placed };
            if placed <= 0.0 {
                continue;
            }
            let threads = demand.threads.min(placed);
            if is_own(index) {
                own.push(running.len());
            }
            running.push(Running {
                domain: index as u32,
                count: if threads > 0.0 { placed / threads } else { 0.0 },
                threads,
                block: 0,
                class,
                seconds: demand.seconds,
                need: if threads > 0.0 { demand.need.part(threads / demand.threads) } else { Need::Cores },
            });
        }
        Ok((running, own))
    }

    /// The memory traffic of a block at a place.
    ///
    /// # Errors
    /// `no_cache`: a stencil on a device whose cache is unknown.
    pub(super) fn traffic(&self, block: &Block, class: u32) -> Result<Traffic, Problem> {
        let found = &self.classes[self.base_class(class)];
        let share = found.shared.cache_of_thread.map(|cache| cache * block.threads);
        let bytes = match &block.stencil {
            None => block.bytes,
            Some(stencil) => {
                let id = &self.system.components[found.component].id;
                let unknown = || {
                    Problem::new("no_cache", format!("the last-level cache of {id} is unknown, and a stencil needs it"))
                        .at("cache")
                        .hint(format!("give it: set = {{ cache = \"..MiB\" }} on {id}"))
                };
                stencil.bytes(if stencil.needs_cache() { share.ok_or_else(unknown)? } else { 0.0 })
            }
        };
        let hit = match (block.working_set, share) {
            (set, Some(share)) if set > 0.0 && share > 0.0 => (2.0 - set / share).clamp(0.0, 1.0),
            _ => 0.0,
        };
        Ok(Traffic { bytes, memory: bytes * (1.0 - hit), cache: bytes * hit })
    }

    /// Seconds by default: the longest of computing, moving bytes from memory, and from the cache; all placed at work.
    pub(super) fn default_seconds(&self, block: &Block, class: u32, traffic: &Traffic) -> Result<f64, Problem> {
        let found = &self.classes[self.base_class(class)];
        let precision = Precision::named(&block.op).unwrap_or_default();
        let work = crate::world::Work { ops: block.ops, bytes: traffic.memory, threads: block.threads, precision };
        let h = if found.is_alone() { self.h_alone(found, block.threads) } else { found.h };
        let seconds = crate::world::compute_time(&found.law, &work, h, self.bandwidth_of(found, block.threads));
        let component = &self.system.components[found.component];
        let seconds = seconds.ok_or_else(|| super::answers::unknown_speed(component, precision))?;
        Ok(seconds.max(cache_seconds(found, traffic, threads_of(found, block))))
    }

    fn h_alone(&self, found: &Class, threads: f64) -> f64 {
        let cores = if found.shared.turbo_of_machine { found.node_cores } else { found.law.cores };
        turbo_factor(found.shared.turbo, threads, cores)
    }

    /// Memory bandwidth of a thread of a block: all placed at work, or it alone where no one else is placed.
    pub(super) fn bandwidth_of(&self, found: &Class, threads: f64) -> f64 {
        if found.is_alone() || self.is_accelerator(found) {
            found.shared.memory.of_a_thread(threads.min(found.law.cores))
        } else {
            found.bw
        }
    }

    /// What a block asks of its node.
    pub(super) fn demand_of(&self, block: &Block, class: u32) -> Result<Demand, Problem> {
        let class = self.class_of_block(block, class)?;
        let found = &self.classes[self.base_class(class)];
        let cores = |threads: f64| Demand { need: Need::Cores, threads: threads.min(found.law.cores), seconds: 1.0 };
        if self.is_accelerator(found) {
            // All that an accelerator has is shared in turns.
            return Ok(cores(block.occupancy.map_or(block.threads, |share| share * found.law.cores)));
        }
        if block.time_s.is_some() || block.threads <= 0.0 {
            return Ok(cores(block.threads));
        }
        let by_rule = self.rule_of(block, class);
        if let Some((_, false)) = by_rule {
            return Ok(cores(block.threads));
        }
        let traffic = self.traffic(block, class)?;
        let (seconds, _) = self.seconds_of(block, class, None)?;
        if by_rule.is_some() {
            return Ok(Demand { need: Need::Rule, seconds, ..cores(block.threads) });
        }
        let threads = threads_of(found, block);
        let law = &found.law;
        let computing_s = match law.rates.get(Precision::named(&block.op).unwrap_or_default()) {
            Some(rate) if block.ops > 0.0 => block.ops / (threads * rate.flops / law.cores * rate.efficiency),
            _ => 0.0,
        };
        let need =
            Need::Roofline { computing_s, memory: traffic.memory, cache_s: cache_seconds(found, &traffic, threads) };
        Ok(if seconds > 0.0 { Demand { need, threads, seconds } } else { cores(block.threads) })
    }
}

/// Threads that count: no more than the device has hardware threads.
fn threads_of(found: &Class, block: &Block) -> f64 {
    block.threads.min(found.law.cores * found.law.threads_per_core)
}

fn cache_seconds(found: &Class, traffic: &Traffic, threads: f64) -> f64 {
    match found.shared.cache_core {
        Some(bandwidth) if traffic.cache > 0.0 => traffic.cache / (threads * bandwidth),
        _ => 0.0,
    }
}

/// Rules, asked by the law of a node.
pub(super) struct Asked<'a> {
    pub world: &'a SystemWorld,
    pub blocks: &'a [Block],
    /// The cap that changes the states of blocks.
    pub capped: Option<Capped<'a>>,
    pub answered: &'a Answered,
}

impl Rules for Asked<'_> {
    fn throughput(&self, domain: &Domain, threads: f64) -> Result<f64, Problem> {
        let found = &self.world.classes[domain.class as usize];
        if found.has_throughput {
            let busy = threads / domain.share;
            let done = self.answered.throughput((domain.class, busy), || self.world.work_of(domain.class, busy))?;
            return Ok(done * domain.share);
        }
        Ok(throughput(&found.law, threads / domain.share) * domain.share)
    }

    fn seconds(&self, running: &Running, bw: f64) -> Result<f64, Problem> {
        let block = &self.blocks[running.block as usize];
        let own = self.world.class_of_block(block, running.class)?;
        let state = self.world.classes[self.world.base_class(own)].state;
        let class = own - state + self.capped.map_or(state, |capped| capped.state(running.domain, state));
        let ask = || self.world.seconds_of(block, class, Some(bw)).map(|(seconds, _)| seconds);
        self.answered.seconds((running.block, class, bw), ask)
    }
}

/// What formulas may name of a block and its place.
pub(super) fn variables(
    world: &SystemWorld,
    block: &Block,
    class: u32,
    bw: Option<f64>,
) -> Result<crate::model::Variables, Problem> {
    let found = &world.classes[world.base_class(class)];
    let bw = bw.unwrap_or_else(|| world.bandwidth_of(found, block.threads));
    let bytes = world.traffic(block, class)?.bytes;
    Ok(of_block(world.place_variables(class).with(Variable::Bw, bw), block, bytes))
}
