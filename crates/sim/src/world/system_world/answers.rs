//! Answers to engines, from rules and defaults.

use super::class::{Class, is_called};
use super::{SystemWorld, node};
use crate::application::{Block, Collective, Precision};
use crate::model::{Case, Model, On, Rule, Variable, Variables};
use crate::noise::{Noise, Purpose};
use crate::place::Seat;
use crate::platform::MachineId;
use crate::system::Kind;
use crate::volunteer::Crowd;
use crate::world::node::AtWork;
use crate::world::{
    COPY_ENGINES, Cost, Demand, Device, DeviceId, Io, IoCost, LabelCall, NodeSeat, Place, Spread, World, throughput,
};
use runcast_core::Problem;

impl World for SystemWorld {
    fn place(&self, process: u64) -> Place {
        let seat = self.placement.seat(process);
        let class = self.zone_classes[seat.zone as usize][seat.device as usize];
        let class = if self.by_label {
            let after = self.labels.partition_point(|label| label.first <= process);
            class + (after.saturating_sub(1) * self.classes.len()) as u32
        } else {
            class
        };
        Place {
            machine: seat.machine,
            device: self.placement.first_device(seat.machine) + seat.device,
            slot: seat.device,
            class,
        }
    }

    fn devices(&self) -> u32 {
        self.placement.device_count()
    }

    fn device(&self, device: DeviceId) -> Device {
        let (machine, index) = self.placement.machine_of(device);
        let class = self.class_at(self.placement.zone_of(machine), index);
        Device {
            machine,
            component: class.map_or(0, |class| class.component as u32),
            cores: class.map_or(1.0, |class| class.law.cores),
            placed: class.map_or(0.0, |class| class.device_threads),
        }
    }

    fn device_of(&self, process: u64, name: &str) -> Result<DeviceId, Problem> {
        let seat = self.placement.seat(process);
        let first = self.placement.first_device(seat.machine);
        if name.is_empty() {
            return Ok(first + seat.device);
        }
        let index = self.named_device(&seat, name)?;
        Ok(first + index)
    }

    fn copy_engines(&self, device: DeviceId) -> u32 {
        let (machine, index) = self.placement.machine_of(device);
        let class = self.zone_class(self.placement.zone_of(machine), index);
        let count = class.and_then(|class| {
            let component = self.classes[class as usize].component;
            self.system.components[component].attributes.get("copy_engines")
        });
        count.map_or(COPY_ENGINES, |count| count as u32).max(1)
    }

    fn compute(&self, block: &Block, class: u32) -> Result<Cost, Problem> {
        if let Some(seconds) = block.time_s {
            return Ok(self.with_spread(seconds, None, block));
        }
        let class = self.class_of_block(block, class)?;
        let found = &self.classes[self.base_class(class)];
        let case = self.block_case(block, class);
        let variables = node::variables(self, block, class, None)?;
        let overhead = self.ask(On::Overhead, class, found.network, &case, &variables)?.unwrap_or(1.0);
        let (seconds, rule) = self.seconds_of(block, class, None)?;
        Ok(self.with_spread(overhead * seconds, rule.map(|index| (found.model, index)), block))
    }

    fn throughput(&self, device: DeviceId, busy: f64) -> Result<f64, Problem> {
        let (machine, index) = self.placement.machine_of(device);
        let class = self.zone_class(self.placement.zone_of(machine), index);
        class.map_or(Ok(busy), |class| self.work_of(class, busy))
    }

    fn shares(&self, device: DeviceId) -> bool {
        self.must_be_watched(device)
    }

    fn demand(&self, block: &Block, class: u32) -> Result<Demand, Problem> {
        self.demand_of(block, class)
    }

    fn node(&self, device: DeviceId) -> NodeSeat {
        self.node_seat(device)
    }

    fn domains_of(&self, process: u64, device: DeviceId, threads: f64, domains: &mut Vec<(u32, f64)>) {
        self.spread_over_domains(process, device, threads, domains);
    }

    fn progress(&self, at_work: AtWork<'_>, rates: &mut Vec<f64>) -> Result<(), Problem> {
        self.node_progress(at_work, rates)
    }

    fn crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<f64, Problem> {
        self.when_crowded(block, class, device)
    }

    fn has_states(&self) -> bool {
        self.nodes.have_states()
    }

    fn draws(&self, at_work: AtWork<'_>, draws: &mut Vec<(DeviceId, f64)>) -> Result<(), Problem> {
        self.node_draws(at_work, draws)
    }

    fn draws_when_crowded(&self, block: &Block, class: u32, device: DeviceId) -> Result<Vec<(u32, f64)>, Problem> {
        self.crowded_draws(block, class, device)
    }

    fn noisy(&self, seconds: f64, process: u64, ordinal: u64, spread: Option<Spread>) -> f64 {
        let mut seconds = seconds;
        let spread = spread.unwrap_or_default();
        if let Some(law) = numbered(&self.rule_laws, spread.rule) {
            seconds *= 1.0 + law.draw(&mut self.key.stream(Purpose::Spread, process, ordinal));
        }
        match &self.noise {
            Some(noise) if noise.differs() => {
                let machine = if noise.by_machine() { self.placement.seat(process).machine } else { 0 };
                noise.computing(seconds, machine, process, ordinal, spread.kind)
            }
            _ => seconds,
        }
    }

    fn crowd(&self, class: u32) -> Option<u32> {
        self.classes[self.base_class(class)].crowd
    }

    fn crowds(&self) -> &[Crowd] {
        &self.crowds
    }

    fn is_noisy(&self) -> bool {
        self.has_spreads() || self.noise.as_ref().is_some_and(crate::noise::Noise::differs)
    }

    fn interrupted(&self, start_s: f64, seconds: f64, process: u64) -> f64 {
        self.noise.as_ref().map_or(seconds, |noise| noise.interrupted(start_s, seconds, process))
    }

    fn has_trace(&self) -> bool {
        self.noise.as_ref().is_some_and(crate::noise::Noise::has_trace)
    }

    fn message(&self, size: u64, from: &Place, to: &Place) -> Result<Option<f64>, Problem> {
        if !self.has_rule(On::P2p, from.class) {
            return Ok(None);
        }
        let network = self.tree.network_between((*from).into(), (*to).into());
        self.ask_message(On::P2p, size, (1.0, 1.0, 2.0), network, from.class)
    }

    fn has_message_rule(&self) -> bool {
        self.models.iter().any(|model| model.has(On::P2p))
    }

    fn contention(&self, concurrent: u64, size: u64, from: &Place, to: &Place) -> Result<f64, Problem> {
        if !self.has_rule(On::Contention, from.class) {
            return Ok(1.0);
        }
        let network = self.tree.network_between((*from).into(), (*to).into());
        let asked = (1.0, concurrent as f64, concurrent as f64);
        Ok(self.ask_message(On::Contention, size, asked, network, from.class)?.unwrap_or(1.0))
    }

    fn has_contention_rule(&self) -> bool {
        self.models.iter().any(|model| model.has(On::Contention))
    }

    fn between_labels(&self, call: &LabelCall, from: &Place) -> Result<Option<f64>, Problem> {
        let Some(on) = On::of_word(call.kind).filter(|on| self.has_rule(*on, from.class)) else { return Ok(None) };
        let network = self.classes[self.base_class(from.class)].network;
        let senders = call.senders as f64;
        self.ask_message(on, call.size, (call.messages as f64, senders, senders), network, from.class)
    }

    fn collective(&self, collective: &Collective, processes: u64) -> Result<Option<f64>, Problem> {
        let on = On::Collective(collective.kind);
        let label = self.groups.get(collective.group as usize).copied().unwrap_or(0);
        let Some(label) = self.labels.get(label as usize) else { return Ok(None) };
        if !self.models.iter().any(|model| model.has(on)) {
            return Ok(None);
        }
        let first = self.place(label.first);
        if !self.has_rule(on, first.class) {
            return Ok(None);
        }
        let network = self.classes[self.base_class(first.class)].network;
        let asked = (1.0, processes as f64, processes as f64);
        self.ask_message(on, collective.size, asked, network, first.class)
    }

    fn on_accelerator(&self, class: u32) -> bool {
        let class = &self.classes[self.base_class(class)];
        self.is_accelerator(class)
    }

    fn has_accelerators(&self) -> bool {
        self.system.components.iter().any(|component| matches!(component.kind, Kind::Gpu | Kind::Accelerator))
    }

    fn reduce_per_byte(&self, class: u32) -> f64 {
        let class = &self.classes[self.base_class(class)];
        let of = |component: usize| self.system.components[component].attributes.get("reduce_per_byte");
        of(class.component).or_else(|| of(class.machine)).unwrap_or(0.0)
    }

    fn io(&self, io: Io<'_>, size: u64, process: u64) -> Result<IoCost, Problem> {
        self.io_cost(io, size, process)
    }
}

impl SystemWorld {
    /// The device and the machine that a block runs on (components), and the rule that gives its seconds, if there is one.
    ///
    /// # Errors
    /// The machine has no such device.
    pub(crate) fn source_of(&self, block: &Block, class: u32) -> Result<(usize, usize, Option<&Rule>), Problem> {
        let machine = self.classes[self.base_class(self.class_of_block(block, class)?)].machine;
        let (component, _, rule) = self.model_of(block, class)?;
        Ok((component, machine, rule))
    }

    /// The device that a block runs on (a component), its model, and the rule that gives the block's seconds, if there is one.
    ///
    /// # Errors
    /// The machine has no such device.
    pub(crate) fn model_of(&self, block: &Block, class: u32) -> Result<(usize, &Model, Option<&Rule>), Problem> {
        let class = self.class_of_block(block, class)?;
        let found = &self.classes[self.base_class(class)];
        let model = &self.models[found.model];
        let rule = model.rule_for(On::Compute, &self.block_case(block, class)).map(|rule| &model.rules[rule]);
        Ok((found.component, model, rule.filter(|rule| rule.value.is_some())))
    }

    /// Seconds of a block without factors, and the rule that gave them; with this memory bandwidth of a thread, or that of
    /// all placed.
    pub(super) fn seconds_of(
        &self,
        block: &Block,
        class: u32,
        bw: Option<f64>,
    ) -> Result<(f64, Option<usize>), Problem> {
        let base = self.base_class(class);
        let found = &self.classes[base];
        let model = &self.models[found.model];
        let rule = model.rule_for(On::Compute, &self.block_case(block, class));
        if let Some(index) = rule {
            let variables = node::variables(self, block, class, bw)?;
            let seconds = self.evaluate(&model.rules[index], base, found.network, index, &variables)?;
            if let Some(seconds) = seconds {
                return Ok((seconds, rule));
            }
        }
        let traffic = self.traffic(block, class)?;
        Ok((self.default_seconds(block, class, &traffic)?, rule))
    }

    /// The values that filters see for a block.
    pub(super) fn block_case<'a>(&'a self, block: &'a Block, class: u32) -> Case<'a> {
        Case {
            kind: &block.kind,
            op: &block.op,
            opt: &block.opt,
            stack: &block.stack,
            label: self.label_of_class(class),
            ..self.device_case(class)
        }
    }

    /// The value of the rule that holds, if there is one.
    pub(super) fn ask(
        &self,
        on: On,
        class: u32,
        network: Option<usize>,
        case: &Case<'_>,
        variables: &Variables,
    ) -> Result<Option<f64>, Problem> {
        let base = self.base_class(class);
        let model = &self.models[self.classes[base].model];
        let Some(index) = model.rule_for(on, case) else { return Ok(None) };
        let network = network.or(self.classes[base].network);
        self.evaluate(&model.rules[index], base, network, index, variables)
    }

    fn evaluate(
        &self,
        rule: &Rule,
        base: usize,
        network: Option<usize>,
        index: usize,
        variables: &Variables,
    ) -> Result<Option<f64>, Problem> {
        let Some(formula) = &rule.value else { return Ok(None) };
        let inputs = self.inputs(base, network, index)?;
        let value = formula.evaluate(inputs, variables);
        if value.is_nan() {
            for input in inputs {
                if let crate::model::Input::Scaled(scaling) = input {
                    scaling.evaluate(variables).map_err(|problem| rule.location.locate(problem))?;
                }
            }
        }
        check(rule, value, rule.on.word()).map(Some)
    }

    /// A message's question: `(count, concurrent, procs)`.
    fn ask_message(
        &self,
        on: On,
        size: u64,
        (count, concurrent, procs): (f64, f64, f64),
        network: Option<usize>,
        class: u32,
    ) -> Result<Option<f64>, Problem> {
        let case = Case {
            network: network.and_then(|network| self.system.networks.get(network)).map_or("", |network| &network.id),
            label: self.label_of_class(class),
            ..self.device_case(class)
        };
        let size = size as f64;
        let variables = self
            .place_variables(class)
            .with(Variable::Size, size)
            .with(Variable::Bytes, size)
            .with(Variable::Count, count)
            .with(Variable::Concurrent, concurrent)
            .with(Variable::Procs, procs);
        self.ask(on, class, network, &case, &variables)
    }

    fn has_rule(&self, on: On, class: u32) -> bool {
        self.models[self.classes[self.base_class(class)].model].has(on)
    }

    /// The values that filters see for a place.
    pub(super) fn device_case(&self, class: u32) -> Case<'_> {
        let found = &self.classes[self.base_class(class)];
        let component = &self.system.components[found.component];
        let machine = &self.system.components[found.machine];
        let network = found.network.and_then(|network| self.system.networks.get(network));
        Case {
            hardware: component.hardware.as_deref().or(machine.hardware.as_deref()).unwrap_or_default(),
            device: &component.id,
            device_kind: component.kind.word(),
            network: network.map_or("", |network| &network.id),
            ..Case::default()
        }
    }

    /// The values that formulas may use of a place.
    pub(super) fn place_variables(&self, class: u32) -> Variables {
        let found = &self.classes[self.base_class(class)];
        Variables::default()
            .with(Variable::NodeProcs, found.node_procs)
            .with(Variable::NodeCores, found.node_cores)
            .with(Variable::DeviceProcs, found.device_procs)
            .with(Variable::Busy, found.device_threads)
            .with(Variable::H, found.h)
            .with(Variable::Bw, found.bw)
    }

    /// Cores' worth of work of this many busy threads on a device of a class.
    pub(super) fn work_of(&self, class: u32, busy: f64) -> Result<f64, Problem> {
        let found = &self.classes[class as usize];
        if !found.has_throughput {
            return Ok(throughput(self.law(class), busy));
        }
        let variables = self.place_variables(class).with(Variable::Busy, busy);
        let by_rule = self.ask(On::Throughput, class, found.network, &self.device_case(class), &variables)?;
        Ok(by_rule.unwrap_or_else(|| throughput(self.law(class), busy)))
    }

    /// The class of the device that a block runs on, in the power state that it runs in.
    pub(super) fn class_of_block(&self, block: &Block, class: u32) -> Result<u32, Problem> {
        let class = self.class_of_device(block, class)?;
        let found = &self.classes[self.base_class(class)];
        let component = &self.system.components[found.component];
        let states = component.attributes.states();
        let state = match block.state.as_str() {
            "" if states.is_empty() => return Ok(class),
            "" => component.attributes.own_state(),
            name => states
                .iter()
                .position(|state| state.name == name)
                .ok_or_else(|| crate::attributes::unknown_state(&component.id, name, states))?,
        };
        Ok(class - found.state + state as u32)
    }

    fn class_of_device(&self, block: &Block, class: u32) -> Result<u32, Problem> {
        let base = self.base_class(class);
        let own = &self.classes[base];
        if block.device.is_empty() || is_called(&self.system.components[own.component], &block.device) {
            return Ok(class);
        }
        let found = (own.siblings.0..own.siblings.1).find(|sibling| {
            is_called(&self.system.components[self.classes[*sibling as usize].component], &block.device)
        });
        match found {
            Some(sibling) => Ok(class - base as u32 + sibling),
            None => Err(self.no_device(own.machine, &block.device)),
        }
    }

    /// Whether a class is one of devices other than processors.
    pub(super) fn is_accelerator(&self, class: &Class) -> bool {
        matches!(self.system.components[class.component].kind, Kind::Gpu | Kind::Accelerator)
    }

    /// The device of this name in the machine of a process: its own, or one of several in turn.
    fn named_device(&self, seat: &Seat, name: &str) -> Result<u32, Problem> {
        let zone = &self.placement.zones()[seat.zone as usize];
        let slots = &self.placement.devices_of(zone).slots;
        let fits = |device: &u32| is_called(&self.system.components[slots[*device as usize].component], name);
        if fits(&seat.device) {
            return Ok(seat.device);
        }
        let all: Vec<u32> = (0..slots.len() as u32).filter(fits).collect();
        match all.len() as u64 {
            0 => Err(self.no_device(zone.component, name)),
            count => Ok(all[(seat.nth % count) as usize]),
        }
    }

    pub(super) fn no_device(&self, machine: usize, name: &str) -> Problem {
        let components = &self.system.components;
        let known: Vec<&str> = self.system.children(machine).map(|child| components[child].id.as_str()).collect();
        let id = &components[machine].id;
        let problem = Problem::new("no_device", format!("a machine {id} has no device {name}")).value(name);
        let mut problem = problem.allowed(known.join(", "));
        problem.hint = runcast_formula::nearest(name, known).map(|near| format!("did you mean {near}?"));
        problem
    }

    /// A computing time with the factor of the run, and with what is random about it.
    fn with_spread(&self, seconds: f64, rule: Option<(usize, usize)>, block: &Block) -> Cost {
        let seconds = seconds * self.noise.as_ref().map_or(1.0, Noise::run_factor);
        let spread = Spread {
            rule: rule.and_then(|rule| self.rule_spreads.get(&rule)).copied().unwrap_or(0),
            kind: self.noise.as_ref().map_or(0, |noise| noise.of_type(&block.kind)),
        };
        Cost { seconds, spread: (spread != Spread::default()).then_some(spread) }
    }

    pub(super) fn machine(&self, process: u64) -> MachineId {
        self.placement.seat(process).machine
    }
}

/// The law of a number from 1.
fn numbered<T>(laws: &[T], number: u16) -> Option<&T> {
    usize::from(number).checked_sub(1).and_then(|at| laws.get(at))
}

/// The numbers of a block beside those of its place.
pub(super) fn of_block(place: Variables, block: &Block, bytes: f64) -> Variables {
    let mut variables = place
        .with(Variable::Size, block.size)
        .with(Variable::Ops, block.ops)
        .with(Variable::Bytes, bytes)
        .with(Variable::Threads, block.threads);
    variables.precision = Precision::named(&block.op).unwrap_or_default();
    variables
}

/// A value of a rule must be a number from 0.
pub(super) fn check(rule: &Rule, value: f64, what: &str) -> Result<f64, Problem> {
    if value.is_finite() && value >= 0.0 {
        return Ok(value);
    }
    let text = rule.value.as_ref().map_or("", |formula| formula.text.as_str());
    let problem = Problem::new("bad_value", format!("the rule on {what} yields {value}: {text}"));
    Err(rule.location.locate(problem.value(value.to_string()).allowed("a finite number from 0")))
}

pub(super) fn unknown_speed(component: &crate::system::Component, precision: Precision) -> Problem {
    let key = precision.flops();
    Problem::new("unknown_speed", format!("the operations per second of {} are unknown", component.id))
        .at(key)
        .hint(format!("give it hardware = \"..\" or set = {{ {key} = \"..Gflop/s\" }}, or a rule on compute"))
}
