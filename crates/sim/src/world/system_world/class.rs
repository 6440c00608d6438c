//! Kinds of places: processes of one kind have the same device with the same number of others on it.

use super::SystemWorld;
use super::crowds::number_crowds;
use super::labels::LabelUse;
use super::node::{Processors, Shared};
use crate::application::{Application, Rates};
use crate::model::{DEFAULT, Input, On, Operand, Rule, UsedName};
use crate::place::{MachineDevices, Zone};
use crate::system::{Component, System};
use crate::world::{DeviceLaw, turbo_factor};
use runcast_core::{Problem, Warning};
use runcast_formula::nearest;
use std::collections::HashMap;

/// A kind of place.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Component of the machine.
    pub machine: usize,
    /// Component of the device.
    pub component: usize,
    /// What it can do.
    pub law: DeviceLaw,
    /// Processes on the machine.
    pub node_procs: f64,
    /// Cores of the machine's processors.
    pub node_cores: f64,
    /// Threads on the machine's processors.
    pub node_threads: f64,
    pub device_procs: f64,
    /// Threads placed on the device, k; of a process no more than there are hardware threads.
    pub device_threads: f64,
    /// Whether processes are placed on it by default.
    pub(super) is_default: bool,
    /// Factor on the speed of its cores.
    pub h: f64,
    /// Memory bandwidth of a thread.
    pub bw: f64,
    /// What its threads share.
    pub(super) shared: Shared,
    /// Index of its model.
    pub model: usize,
    /// Network of the aggregator that the machine is in.
    pub network: Option<usize>,
    /// Classes of the devices of such a machine: first, and one behind the last.
    pub(super) siblings: (u32, u32),
    /// Whether its model has a rule about this.
    pub(super) has_throughput: bool,
    /// Number of its volunteers, if it is one.
    pub(super) crowd: Option<u32>,
    /// Power state of the device, counted from the fastest; those of a device are classes one behind the other.
    pub(super) state: u32,
    /// Clock and operations per second there, over those of the device.
    pub(super) factor: f64,
}

impl Class {
    /// Number of its volunteers, if it is one.
    pub(crate) fn crowd(&self) -> Option<u32> {
        self.crowd
    }
}

/// Component of a machine, and its processes by device and label.
type Filling = (usize, Vec<(u32, u32, u64)>);

/// Finds the classes of all zones.
pub(super) fn classes(world: &mut SystemWorld) -> Result<(), Vec<Problem>> {
    let mut known: HashMap<Filling, Vec<u32>> = HashMap::new();
    let models = models_of(world)?;
    for index in 0..world.placement.zones().len() {
        let zone = world.placement.zones()[index].clone();
        let mut on = world.placement.on_devices(&zone);
        on.sort_unstable();
        let key = (zone.component, on);
        if let Some(classes) = known.get(&key) {
            world.zone_classes.push(classes.clone());
            continue;
        }
        let classes = add(world, &zone, &key.1, &models);
        world.zone_classes.push(classes.clone());
        known.insert(key, classes);
    }
    let labels = if world.by_label { world.labels.len() as u64 } else { 1 };
    if world.classes.len() as u64 * labels > u64::from(u32::MAX) {
        let problem = Problem::new("too_many_places", "there are too many kinds of places, by label and machine");
        return Err(vec![problem.hint("drop filters by label, or lists of machines")]);
    }
    number_crowds(world);
    Ok(())
}

/// Index of the model of every component.
fn models_of(world: &SystemWorld) -> Result<Vec<usize>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut all = Vec::new();
    for component in 0..world.system.components.len() {
        let name = world.system.model_of(component).unwrap_or(DEFAULT);
        match world.models.iter().position(|model| model.name == name) {
            Some(model) => all.push(model),
            None => {
                let id = &world.system.components[component].id;
                let known: Vec<&str> = world.models.iter().map(|model| model.name.as_str()).collect();
                let problem = Problem::new("unknown_model", format!("{id}: there is no model {name}")).value(name);
                let mut problem = problem.allowed(known.join(", "));
                problem.hint = nearest(name, known).map(|near| format!("did you mean {near}?"));
                problems.push(problem);
            }
        }
    }
    if problems.is_empty() { Ok(all) } else { Err(problems) }
}

/// The classes of the devices of a machine, those that are alike as one.
fn add(world: &mut SystemWorld, zone: &Zone, on: &[(u32, u32, u64)], models: &[usize]) -> Vec<u32> {
    let devices = world.placement.devices_of(zone).clone();
    let system = &world.system;
    let machine = &system.components[zone.component];
    let first = world.classes.len() as u32;
    let mut new: Vec<Class> = Vec::new();
    let loads: Vec<Load> =
        (0..devices.slots.len()).map(|device| load(&world.labels, zone, &devices, on, device, system)).collect();
    let node_threads: f64 =
        devices.slots.iter().zip(&loads).filter(|(slot, _)| slot.is_default).map(|(_, load)| load.threads).sum();
    let default = || devices.slots.iter().filter(|slot| slot.is_default).map(|slot| &system.components[slot.component]);
    let processors = Processors {
        threads: node_threads,
        domains: default().map(|cpu| cpu.attributes.get("numa").unwrap_or(1.0)).sum(),
        bandwidth: default().map(|cpu| cpu.attributes.get("mem_bandwidth")).sum(),
    };
    let mut of_device = Vec::with_capacity(devices.slots.len());
    for (slot, load) in devices.slots.iter().zip(loads) {
        let (device_procs, device_threads) = (load.procs, load.threads);
        let component = &system.components[slot.component];
        let states = component.attributes.states();
        let factor = |state: usize| states.get(state).map_or(1.0, |state| state.factor);
        let node_cores = devices.cores();
        // What the file sets on the machine counts all its cores, and is meant rather than what the catalogue says of the
        // device; what it sets on the device itself comes first.
        let of_machine = |key: &str| {
            let is_own = component.own.iter().any(|own| own == key);
            machine.attributes.get(key).filter(|_| slot.is_default && slot.component != zone.component && !is_own)
        };
        let attribute = |key: &str| of_machine(key).or_else(|| component.attributes.get(key));
        let (k, cores) = match of_machine("turbo") {
            Some(_) => (node_threads, node_cores),
            None => (device_threads, slot.cores),
        };
        let is_interleaved = slot.is_default
            && [component, machine].iter().any(|one| one.attributes.word("memory_policy") == Some("interleaved"));
        let all = if slot.is_default { processors } else { Processors { threads: device_threads, ..processors } };
        let own = (slot.cores, device_threads);
        let shared = Shared::of(&attribute, &|key| of_machine(key).is_some(), is_interleaved, own, all);
        let class = Class {
            machine: zone.component,
            component: slot.component,
            law: law(component, slot.cores, factor(0)),
            node_procs: zone.processes() as f64,
            node_cores,
            node_threads,
            device_procs,
            device_threads,
            is_default: slot.is_default,
            h: turbo_factor(shared.turbo, k, cores),
            bw: shared.bandwidth_of_a_thread(),
            shared,
            model: models[slot.component],
            network: machine.parent.and_then(|parent| world.tree.network(parent)),
            siblings: (first, 0),
            has_throughput: world.models[models[slot.component]].has(On::Throughput),
            crowd: None,
            state: 0,
            factor: factor(0),
        };
        let index = new.iter().position(|known| *known == class).unwrap_or_else(|| {
            let at = new.len();
            let slower = (1..states.len()).map(|state| Class {
                law: law(component, slot.cores, factor(state)),
                state: state as u32,
                factor: factor(state),
                ..class.clone()
            });
            let slower: Vec<Class> = slower.collect();
            new.push(class);
            new.extend(slower);
            at
        });
        of_device.push(first + (index + component.attributes.own_state()) as u32);
    }
    let end = first + new.len() as u32;
    for class in &mut new {
        class.siblings.1 = end;
    }
    world.classes.extend(new);
    of_device
}

/// The load of a device.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    procs: f64,
    /// Of a process no more than there are hardware threads.
    threads: f64,
}

impl Load {
    fn add(&mut self, procs: f64, threads: f64, most: f64) {
        self.procs += procs;
        self.threads += procs * threads.min(most);
    }
}

/// The load of a device of a machine: the processes placed there, and those that call it by name.
fn load(
    labels: &[LabelUse],
    zone: &Zone,
    devices: &MachineDevices,
    on: &[(u32, u32, u64)],
    device: usize,
    system: &System,
) -> Load {
    let slot = &devices.slots[device];
    let component = &system.components[slot.component];
    let mut load = Load::default();
    let most = slot.cores * component.attributes.get("threads_per_core").unwrap_or(1.0);
    for (at, label, count) in on {
        if *at as usize == device {
            load.add(*count as f64, labels[*label as usize].threads, most);
        }
    }
    if !slot.is_default {
        let alike = devices.slots.iter().filter(|other| other.component == slot.component).count() as f64;
        for part in &zone.parts {
            let label = &labels[part.label as usize];
            let named = label.devices.iter().find(|(name, _)| is_called(component, name));
            if let Some((_, threads)) = named.filter(|_| part.device != Some(slot.component)) {
                load.add(part.count as f64 / alike, *threads, most);
            }
        }
    }
    load
}

/// Whether a block that names a device means this one: by its id, or by its kind.
pub(super) fn is_called(component: &Component, name: &str) -> bool {
    component.id == name || component.kind.word() == name
}

fn law(component: &Component, cores: f64, factor: f64) -> DeviceLaw {
    let get = |key: &str| component.attributes.get(key).map(|value| in_state(key, value, factor));
    DeviceLaw {
        cores,
        threads_per_core: get("threads_per_core").unwrap_or(1.0),
        smt_gain: get("smt_gain").unwrap_or(1.0),
        rates: Rates::of(get),
    }
}

/// A figure in a power state of this factor.
pub(super) fn in_state(key: &str, value: f64, factor: f64) -> f64 {
    if key == "clock" || key.starts_with("flops_") { value * factor } else { value }
}

impl Class {
    /// Whether processes of it share cores: more threads than cores, or a rule that says what sharing costs.
    pub(super) fn shares_cores(&self) -> bool {
        self.has_throughput || self.device_threads > self.law.cores && !self.is_alone()
    }

    /// Threads of its node whose turbo and memory are those of the device.
    pub(super) fn is_alone(&self) -> bool {
        let procs = if self.is_default { self.node_procs } else { self.device_procs };
        procs <= 1.0
    }
}

impl SystemWorld {
    /// Whether processes share cores anywhere.
    pub fn shares_cores(&self) -> bool {
        self.classes.iter().any(Class::shares_cores)
    }

    /// Resolves the names of formulas, once for each class and network.
    pub(super) fn bind(&mut self, application: &Application) {
        let networks = self.system.networks.len();
        let mut bound = Vec::with_capacity(self.classes.len() * (networks + 1));
        for class in &self.classes {
            for slot in 0..=networks {
                let network = slot.checked_sub(1);
                let rules = self.models[class.model].rules.iter().map(|rule| {
                    if network != class.network && !is_about_messages(rule.on) {
                        return None;
                    }
                    let formula = rule.value.as_ref()?;
                    Some(formula.bind(&|used: &UsedName| self.input(used, rule, class, network, application)))
                });
                bound.push(rules.collect());
            }
        }
        self.bound = bound;
    }

    /// Values of the names of a rule, for a class and a network.
    pub(super) fn inputs(&self, class: usize, network: Option<usize>, rule: usize) -> Result<&[Input], Problem> {
        let slot = network.map_or(0, |network| network + 1);
        let all = &self.bound[class * (self.system.networks.len() + 1) + slot];
        match all.get(rule).and_then(Option::as_ref) {
            Some(Ok(inputs)) => Ok(inputs),
            Some(Err(problem)) => Err(problem.clone()),
            None => Ok(&[]),
        }
    }

    /// What a name stands for.
    fn input(
        &self,
        used: &UsedName,
        rule: &Rule,
        class: &Class,
        network: Option<usize>,
        application: &Application,
    ) -> Result<Input, Problem> {
        if let Operand::Coefficient(name) = &used.operand
            && let Some(coefficient) = self.models[class.model].coefficients.get(name)
        {
            return self.coefficient_input(coefficient, rule, class, network);
        }
        self.number(used, class, network, application).map(Input::Constant)
    }

    /// The number that a name stands for.
    fn number(
        &self,
        used: &UsedName,
        class: &Class,
        network: Option<usize>,
        application: &Application,
    ) -> Result<f64, Problem> {
        let components = &self.system.components;
        let (device, machine) = (&components[class.component], &components[class.machine]);
        match &used.operand {
            Operand::Hardware(key) => {
                let own = device
                    .attributes
                    .get(key)
                    .or_else(|| device.attributes.flag(key).map(|flag| f64::from(u8::from(flag))));
                let is_own = device.own.iter().any(|own| own == key);
                let of_machine = machine.attributes.get(key);
                let found = if is_own || !OF_ALL_CORES.contains(&key.as_str()) {
                    own.or(of_machine)
                } else {
                    of_machine.or(own)
                };
                let found = found.or_else(|| usual(key)).map(|value| in_state(key, value, class.factor));
                found.ok_or_else(|| unknown(used, &format!("{} has no {key}", device.id), device))
            }
            Operand::Node(key) => {
                let found = machine.attributes.get(key);
                found.ok_or_else(|| unknown(used, &format!("{} has no {key}", machine.id), machine))
            }
            Operand::Network(key) => {
                let Some(network) = network.and_then(|network| self.system.networks.get(network)) else {
                    let problem = Problem::new("unknown_name", "there is no network here").value(used.name.as_str());
                    return Err(problem.hint(format!("describe one: [[network]] of = \"{}\"", machine.id)));
                };
                let found = match key.as_str() {
                    "bandwidth" => Some(network.bandwidth()),
                    "latency" => Some(network.latency_s()),
                    _ => network.attributes.get(key),
                };
                let message = format!("the network {} has no {key}", network.id);
                found.ok_or_else(|| Problem::new("unknown_name", message).value(used.name.as_str()))
            }
            Operand::Parameter(name) => {
                let found = application.parameters.iter().find(|parameter| parameter.name == *name);
                found.map(|parameter| parameter.value).ok_or_else(|| {
                    let known: Vec<&str> =
                        application.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
                    let message = format!("the application has no parameter {name}");
                    let mut problem =
                        Problem::new("unknown_name", message).value(used.name.as_str()).allowed(known.join(", "));
                    problem.hint = nearest(name, known).map(|near| format!("did you mean par.{near}?"));
                    problem
                })
            }
            Operand::Coefficient(name) => {
                let found = self.models[class.model].coefficients.get(name);
                found.map(|coefficient| coefficient.value).ok_or_else(|| {
                    let message = format!("the model {} has no coefficient {name}", self.models[class.model].name);
                    Problem::new("unknown_name", message).value(used.name.as_str())
                })
            }
            Operand::Variable(_) => Ok(f64::NAN),
        }
    }

    /// Warns of machines that have less memory than their processes need.
    pub(super) fn warn_of_memory(&mut self, application: &Application) {
        let mut told: Vec<(usize, u64)> = Vec::new();
        for zone in self.placement.zones() {
            let needed: f64 = zone
                .parts
                .iter()
                .map(|part| {
                    part.count as f64 * application.labels.get(part.label as usize).map_or(0.0, |label| label.memory)
                })
                .sum();
            let machine = &self.system.components[zone.component];
            let of_devices = || {
                let slots = self.placement.devices_of(zone).slots.iter().filter(|slot| slot.is_default);
                let memories = slots.map(|slot| self.system.components[slot.component].attributes.get("memory"));
                memories.sum::<Option<f64>>()
            };
            let Some(memory) = machine.attributes.get("memory").or_else(of_devices).filter(|memory| *memory > 0.0)
            else {
                continue;
            };
            if needed <= memory || told.contains(&(zone.component, needed as u64)) {
                continue;
            }
            told.push((zone.component, needed as u64));
            let size = |bytes: f64| runcast_formula::units::format_quantity(bytes, "B");
            let text = format!(
                "{} processes on a machine {} need {}, but it has {}",
                zone.processes(),
                machine.id,
                size(needed),
                size(memory)
            );
            self.warnings.push(Warning::new("memory", text));
        }
    }
}

/// Failures per second of one component by a rule of its model: asked without a place.
pub(super) fn failure_rule(world: &SystemWorld, component: usize) -> Result<Option<f64>, Problem> {
    let found = &world.system.components[component];
    let name = world.system.model_of(component).unwrap_or(DEFAULT);
    let Some(model) = world.models.iter().find(|model| model.name == name) else { return Ok(None) };
    let case = crate::model::Case {
        hardware: found.hardware.as_deref().unwrap_or_default(),
        device: &found.id,
        device_kind: found.kind.word(),
        ..crate::model::Case::default()
    };
    let Some(rule) = model.rule_for(On::FailureRate, &case) else { return Ok(None) };
    let rule = &model.rules[rule];
    let Some(formula) = &rule.value else { return Ok(None) };
    let parent = found.parent.filter(|_| !found.kind.is_aggregator() && !found.kind.is_host());
    let machine = &world.system.components[parent.unwrap_or(component)];
    let number = |used: &UsedName| match &used.operand {
        Operand::Hardware(key) => found
            .attributes
            .get(key)
            .or_else(|| usual(key))
            .ok_or_else(|| unknown(used, &format!("{} has no {key}", found.id), found)),
        Operand::Node(key) => {
            machine.attributes.get(key).ok_or_else(|| unknown(used, &format!("{} has no {key}", machine.id), machine))
        }
        Operand::Coefficient(name) => {
            Ok(model.coefficients.get(name).map_or(f64::NAN, |coefficient| coefficient.value))
        }
        _ => Err(Problem::new("unknown_name", "a rule on failure_rate has no such name").value(used.name.as_str())),
    };
    let inputs = formula.bind(&|used: &UsedName| number(used).map(Input::Constant))?;
    let rate = formula.evaluate(&inputs, &crate::model::Variables::default());
    super::answers::check(rule, rate, "a failure rate").map(Some)
}

/// Rules whose network is that of the message.
fn is_about_messages(on: On) -> bool {
    !matches!(on, On::Compute | On::Overhead | On::Throughput | On::Power | On::FailureRate)
}

/// Attributes that may be on the machine, and then count all its cores.
const OF_ALL_CORES: [&str; 5] = ["turbo", "mem_bandwidth", "mem_bandwidth_core", "mem_sharpness", "memory"];

/// Attributes with default values.
fn usual(key: &str) -> Option<f64> {
    match key {
        "cores" | "threads_per_core" | "efficiency" | "smt_gain" | "replicas" => Some(1.0),
        "turbo" | "reduce_per_byte" | "wait_activity" | "error_rate" => Some(0.0),
        "mem_sharpness" => Some(f64::INFINITY),
        _ => None,
    }
}

fn unknown(used: &UsedName, message: &str, component: &Component) -> Problem {
    let known: Vec<&str> = component.attributes.numbers().map(|(key, _)| key).collect();
    let key = used.name.split_once('.').map_or(used.name.as_str(), |(_, key)| key);
    let near = nearest(key, known.iter().copied());
    let mut problem = Problem::new("unknown_name", message).value(used.name.as_str()).allowed(known.join(", "));
    problem.hint = Some(match near {
        Some(near) => format!("did you mean {near}?"),
        None => format!("give it: set = {{ {key} = .. }} on {}", component.id),
    });
    problem
}
