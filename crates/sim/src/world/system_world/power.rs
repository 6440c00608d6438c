//! Power states of devices, and caps on the power of machines.
//!
//! ```text
//! device   W = (1 - c)*idle(own state) + c * sum over threads of load(state of its block)/k      c = min(k, C)/C
//! machine  W = its own + sum over devices
//! ```
//!
//! k threads compute on C cores: each busy core draws its share of `power_load` in the state of its block, each other one its
//! share of `power_idle` in the state of the device. With one state this is `P_idle + (P_load - P_idle)*c`.
//!
//! A cap allows no state above the fastest with which the machine stays within it, at every start and stop of a block and at
//! rest; states are compared by their factors. Threads that wait are not counted there, even where `wait_activity` says that
//! they draw power.

use super::SystemWorld;
use super::node::Asked;
use crate::application::Block;
use crate::attributes::PowerState;
use crate::energy::{IDLE_SHARE, Power};
use crate::outcome::add_drawn;
use crate::system::{Component, Kind};
use crate::world::node::{Answered, AtWork, Need, NodeLaw};
use crate::world::{DeviceId, World};
use runcast_core::{Problem, Warning};
use std::collections::BTreeMap;
use std::sync::PoisonError;

/// Sums of watts are within a cap up to this share.
const ROUNDING: f64 = 1e-9;

/// What a machine and its devices draw.
#[derive(Debug, Clone)]
pub(super) struct MachinePower {
    component: usize,
    cap_w: Option<f64>,
    own: OfMachine,
    /// Whether that stands for the processors.
    is_whole: bool,
    devices: Vec<DevicePower>,
    /// Factors of all states of its devices, the fastest first.
    levels: Vec<f64>,
    /// Watts of each device at rest.
    rest: Vec<f64>,
}

#[derive(Debug, Clone)]
enum OfMachine {
    /// A rule, asked for this class.
    Rule(u32),
    /// By threads on its processors, which have so many cores.
    Line(Power, f64),
    Always(f64),
}

#[derive(Debug, Clone)]
struct DevicePower {
    cores: f64,
    is_processor: bool,
    states: Vec<Watts>,
    /// Where blocks name no state.
    own: usize,
    /// Of one without states.
    power: Option<Power>,
}

/// A power state.
#[derive(Debug, Clone, Copy)]
struct Watts {
    factor: f64,
    idle: f64,
    load: f64,
}

/// Threads at work on each device, by state.
type Load = Vec<Vec<(usize, f64)>>;

/// Watts of a state at rest.
pub(crate) fn idle_of(state: &PowerState) -> f64 {
    state.power_idle.unwrap_or(IDLE_SHARE * state.power_load)
}

impl DevicePower {
    /// The state in which one of this number is, where none is faster than a factor.
    fn within(&self, state: usize, factor: f64) -> usize {
        let fits = |state: &Watts| state.factor <= factor * (1.0 + ROUNDING);
        let first = self.states.iter().position(fits).unwrap_or(self.states.len().saturating_sub(1));
        first.max(state)
    }

    fn watts(&self, threads: &[(usize, f64)], factor: f64) -> f64 {
        let busy: f64 = threads.iter().map(|(_, threads)| threads).sum();
        let Some(own) = self.states.get(self.within(self.own, factor)) else {
            return self.power.as_ref().map_or(0.0, |power| power.watts(busy, self.cores));
        };
        let share = busy.min(self.cores) / self.cores;
        let load: f64 =
            threads.iter().map(|(state, threads)| threads * self.states[self.within(*state, factor)].load).sum();
        let of_busy = if busy > 0.0 { share * load / busy } else { 0.0 };
        (1.0 - share) * own.idle + of_busy
    }
}

impl MachinePower {
    /// The fastest factor at a level.
    fn factor(&self, level: usize) -> f64 {
        self.levels.get(level).copied().unwrap_or(f64::INFINITY)
    }

    /// The state of a block on a device at a level.
    fn state_at(&self, device: u32, state: u32, level: usize) -> u32 {
        self.devices[device as usize].within(state as usize, self.factor(level)) as u32
    }

    pub(super) fn has_cap(&self) -> bool {
        self.cap_w.is_some()
    }

    fn has_states(&self) -> bool {
        self.devices.iter().any(|device| !device.states.is_empty())
    }
}

impl SystemWorld {
    /// What the machines of all zones draw, where devices have states or a machine has a cap.
    ///
    /// # Errors
    /// `no_power`: a cap where the power is not known; `power_twice`.
    pub(super) fn find_powers(&mut self) -> Result<(), Problem> {
        let mut all: Vec<Option<MachinePower>> = Vec::new();
        for zone in 0..self.placement.zones().len() {
            let found = &self.placement.zones()[zone];
            let machine = &self.system.components[found.component];
            let like = (0..zone).find(|other| {
                self.placement.zones()[*other].component == found.component
                    && self.zone_classes[*other] == self.zone_classes[zone]
            });
            all.push(match like {
                Some(like) => all[like].clone(),
                None if machine.kind == Kind::Volunteer => None,
                None => self.power_of_zone(zone)?,
            });
        }
        self.nodes.powers = all;
        Ok(())
    }

    fn power_of_zone(&self, zone: usize) -> Result<Option<MachinePower>, Problem> {
        let component = self.placement.zones()[zone].component;
        let machine = &self.system.components[component];
        let cap_w = machine.attributes.get("power_cap");
        let classes: Vec<_> = self.zone_classes[zone].iter().map(|class| &self.classes[*class as usize]).collect();
        let of = |class: &super::Class| &self.system.components[class.component];
        let has_states = classes.iter().any(|class| !of(class).attributes.states().is_empty());
        if !has_states && cap_w.is_none() {
            return Ok(None);
        }
        let is_itself = |device: &Component| device.id == machine.id;
        let is_processor = |device: &Component| device.kind == Kind::Cpu || is_itself(device);
        let cores: f64 = classes.iter().filter(|class| is_processor(of(class))).map(|class| class.law.cores).sum();
        let rule = self.zone_class(zone, 0).filter(|class| self.has_power_rule(*class));
        let is_whole = rule.is_some() || machine.attributes.curve("power_threads").is_some();
        let machine_has_states = !machine.attributes.states().is_empty();
        let own = match (rule, Power::of(machine, &mut Vec::new())) {
            (Some(class), _) => OfMachine::Rule(class),
            // It is its own device, and counted there.
            (None, Some(_)) if machine_has_states => OfMachine::Always(0.0),
            (None, Some(power)) => OfMachine::Line(power, cores.max(1.0)),
            (None, None) => OfMachine::Always(machine.attributes.get("power_idle").unwrap_or(0.0)),
        };
        let covers = machine.attributes.get("power_load").is_some();
        let mut devices = Vec::new();
        for class in classes {
            let device = of(class);
            let states: Vec<Watts> = device.attributes.states().iter().map(watts).collect();
            let processor = is_processor(device);
            if is_whole && processor && !states.is_empty() {
                let what = if rule.is_some() { "a rule on power" } else { "its power_threads" };
                let message = format!("{} has power states, but {what} says what {} draws", device.id, machine.id);
                return Err(Problem::new("power_twice", message).at("states").hint("leave out one of the two"));
            }
            let power = if is_itself(device) { None } else { Power::of(device, &mut Vec::new()) };
            let is_known = power.is_some() || !states.is_empty() || processor && (is_whole || covers);
            if let (Some(cap), false) = (cap_w, is_known) {
                let message = format!("{} has a power_cap, but what {} draws is not known", machine.id, device.id);
                let problem = Problem::new("no_power", message).at("power_cap").value(format!("{cap} W"));
                return Err(problem.hint(format!("give {} a power_load, or states", device.id)));
            }
            let own = device.attributes.own_state();
            devices.push(DevicePower { cores: class.law.cores, is_processor: processor, states, own, power });
        }
        let mut levels: Vec<f64> =
            devices.iter().flat_map(|device| device.states.iter().map(|state| state.factor)).collect();
        levels.sort_by(|one, other| other.total_cmp(one));
        levels.dedup();
        let mut power = MachinePower { component, cap_w, own, is_whole, devices, levels, rest: Vec::new() };
        let at_rest: Load = vec![Vec::new(); power.devices.len()];
        let factor = power.factor(self.level(&power, &at_rest)?);
        power.rest = power.devices.iter().map(|device| device.watts(&[], factor)).collect();
        Ok(Some(power))
    }

    fn total(&self, power: &MachinePower, load: &Load, factor: f64) -> Result<f64, Problem> {
        let threads = |device: usize| -> f64 { load[device].iter().map(|(_, threads)| threads).sum() };
        let processors = power.devices.iter().enumerate().filter(|(_, device)| device.is_processor);
        let busy: f64 = processors.map(|(device, _)| threads(device)).sum();
        let own = match &power.own {
            OfMachine::Rule(class) => self.machine_power(*class, busy)?.unwrap_or(0.0),
            OfMachine::Line(line, cores) => line.watts(busy, *cores),
            OfMachine::Always(watts) => *watts,
        };
        let counted = power.devices.iter().zip(load).filter(|(device, _)| !(power.is_whole && device.is_processor));
        Ok(own + counted.map(|(device, load)| device.watts(load, factor)).sum::<f64>())
    }

    /// The fastest level within the cap; the slowest, where none is, which is remembered.
    fn level(&self, power: &MachinePower, load: &Load) -> Result<usize, Problem> {
        let Some(cap_w) = power.cap_w else { return Ok(0) };
        let most = cap_w * (1.0 + ROUNDING);
        let last = power.levels.len().saturating_sub(1);
        let mut watts = 0.0;
        for level in 0..=last {
            watts = self.total(power, load, power.factor(level))?;
            if watts <= most {
                return Ok(level);
            }
        }
        let mut exceeded = self.exceeded.lock().unwrap_or_else(PoisonError::into_inner);
        let known = exceeded.entry(power.component).or_insert(watts);
        *known = known.max(watts);
        Ok(last)
    }

    /// The caps that machines could not keep.
    pub(crate) fn exceeded(&self) -> Vec<Warning> {
        let exceeded: BTreeMap<usize, f64> = self.exceeded.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let one = |(component, watts): (usize, f64)| {
            let machine = &self.system.components[component];
            let cap = machine.attributes.get("power_cap").unwrap_or(0.0);
            let text = format!(
                "{} draws up to {watts:.6} W in its slowest power states, above its power_cap of {cap} W",
                machine.id
            );
            Warning::new("cap_exceeded", text)
        };
        exceeded.into_iter().map(one).collect()
    }

    /// What the machine of a node draws, where there is something to choose or to keep.
    fn power_of(&self, node: DeviceId) -> Option<&MachinePower> {
        let (machine, _) = self.placement.machine_of(node);
        self.nodes.powers.get(self.placement.zone_of(machine))?.as_ref()
    }

    /// The class of a block, and the number of its power state.
    fn state_of(&self, block: &Block, class: u32) -> Result<(u32, u32), Problem> {
        let class = self.class_of_block(block, class)?;
        Ok((class, self.classes[self.base_class(class)].state))
    }

    fn load(&self, power: &MachinePower, law: &NodeLaw, at_work: AtWork<'_>) -> Result<Load, Problem> {
        let AtWork { blocks, running, .. } = at_work;
        let mut load: Load = vec![Vec::new(); power.devices.len()];
        for one in running {
            let (_, state) = self.state_of(&blocks[one.block as usize], one.class)?;
            let device = law.domains[one.domain as usize].device;
            load[device as usize].push((state as usize, one.count * one.threads));
        }
        Ok(load)
    }

    /// How fast blocks at work on a node progress within the cap of its machine, if it has one.
    pub(super) fn node_progress(&self, at_work: AtWork<'_>, rates: &mut Vec<f64>) -> Result<(), Problem> {
        let AtWork { node, blocks, running, answered } = at_work;
        let law = self.law_of_node(node);
        let first = rates.len();
        let Some(power) = self.power_of(node).filter(|power| power.has_cap() && power.has_states()) else {
            if let Some(power) = self.power_of(node) {
                self.level(power, &self.load(power, law, at_work)?)?;
            }
            return law.progress(running, &Asked { world: self, blocks, capped: None, answered }, rates);
        };
        let level = self.level(power, &self.load(power, law, at_work)?)?;
        let mut slower = running.to_vec();
        let mut factors = vec![1.0; running.len()];
        for (one, factor) in slower.iter_mut().zip(&mut factors) {
            let block = &blocks[one.block as usize];
            let (own, state) = self.state_of(block, one.class)?;
            let class = own - state + power.state_at(law.domains[one.domain as usize].device, state, level);
            if class == own || block.time_s.is_some() {
                continue;
            }
            match &mut one.need {
                Need::Roofline { computing_s, .. } => {
                    let factor = |class: u32| self.classes[self.base_class(class)].factor;
                    *computing_s *= factor(own) / factor(class);
                }
                Need::Rule => {}
                Need::Cores => {
                    let (before, now) = (self.seconds_of(block, own, None)?.0, self.seconds_of(block, class, None)?.0);
                    *factor = if now > 0.0 { before / now } else { 1.0 };
                }
            }
        }
        let capped = Some(Capped { power, law, level });
        law.progress(&slower, &Asked { world: self, blocks, capped, answered }, rates)?;
        rates[first..].iter_mut().zip(factors).for_each(|(rate, factor)| *rate *= factor);
        Ok(())
    }

    /// What devices with states draw above what they do at rest.
    pub(super) fn node_draws(&self, at_work: AtWork<'_>, draws: &mut Vec<(DeviceId, f64)>) -> Result<(), Problem> {
        let node = at_work.node;
        let Some(power) = self.power_of(node).filter(|power| power.has_states()) else { return Ok(()) };
        let (machine, _) = self.placement.machine_of(node);
        let first = self.placement.first_device(machine);
        let law = self.law_of_node(node);
        let load = self.load(power, law, at_work)?;
        let factor = power.factor(self.level(power, &load)?);
        let mut told = None;
        for device in law.domains.iter().map(|domain| domain.device) {
            let of = &power.devices[device as usize];
            if told != Some(device) && !of.states.is_empty() {
                draws.push((first + device, of.watts(&load[device as usize], factor) - power.rest[device as usize]));
            }
            told = Some(device);
        }
        Ok(())
    }

    /// The share of a process in what devices draw above what they do at rest, by component, when all run the like.
    pub(super) fn crowded_draws(
        &self,
        block: &Block,
        class: u32,
        device: DeviceId,
    ) -> Result<Vec<(u32, f64)>, Problem> {
        let (running, _) = self.crowd_running(block, class, device)?;
        let law = self.law_of_node(device);
        let mut draws = Vec::new();
        let blocks = std::slice::from_ref(block);
        let at_work =
            AtWork { node: self.node(device).node, blocks, running: &running, answered: &Answered::default() };
        self.node_draws(at_work, &mut draws)?;
        let mut devices: Vec<u32> = running.iter().map(|one| law.domains[one.domain as usize].device).collect();
        devices.dedup();
        let (machine, _) = self.placement.machine_of(device);
        let zone = self.placement.zone_of(machine);
        let on = |device: u32| self.class_at(zone, device).map_or(0.0, |class| class.device_procs);
        let processes = devices.into_iter().map(on).sum::<f64>().max(1.0);
        let mut watts = Vec::new();
        for (device, drawn) in draws {
            add_drawn(&mut watts, self.device(device).component, drawn / processes);
        }
        Ok(watts)
    }

    /// Watts at rest of a device of a zone with power states, and how much more it draws in its own state when all its cores
    /// compute.
    pub(crate) fn rest_of(&self, zone: usize, device: u32) -> Option<(f64, f64)> {
        let power = self.nodes.powers.get(zone)?.as_ref()?;
        let of = &power.devices[device as usize];
        let own = of.states.get(of.own)?;
        Some((power.rest[device as usize], (own.load - own.idle).max(0.0)))
    }
}

/// The cap that holds for blocks of a node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capped<'a> {
    power: &'a MachinePower,
    law: &'a NodeLaw,
    level: usize,
}

impl Capped<'_> {
    /// The number of the state that a block on a domain has in place of its own.
    pub fn state(&self, domain: u32, state: u32) -> u32 {
        self.power.state_at(self.law.domains[domain as usize].device, state, self.level)
    }
}

fn watts(state: &PowerState) -> Watts {
    Watts { factor: state.factor, idle: idle_of(state), load: state.power_load }
}
