//! Energy of a run, by component (docs/theory/sim.md, section 9).
//!
//! ```text
//! E = sum over components  [ P_idle*T + (P_load - P_idle) * integral of min(busy(t), C)/C dt ]
//!                     or   integral of P_threads(busy(t)) dt, constant past its ends
//! busy(t) = computing threads + wait_activity * threads blocked in communication
//! ```
//!
//! | what says so | counts |
//! |---|---|
//! | `power_idle`, `power_load` of a device | its threads, up to its cores |
//! | `power_threads` of a device | its threads |
//! | `states` of a device | each busy core in the state of its block, the others in that of the device |
//! | `power_idle` of a machine, a group | all the time, beside its devices |
//! | `power_threads` of a machine, a rule on `power` | threads on its processors, in place of these and of its `power_idle` |
//! | `power_load` of a machine | threads on its processors, beside what these say themselves |
//!
//! T runs to the end of the last process. Everything in a used machine is used, too: it is switched on, and its failure
//! ends the run.
//!
//! Engines report for how long how many threads computed on a device, and how long processes were blocked in total; blocked ones are
//! spread over those that do not compute in proportion. Processors of one machine are taken to be busy at the same times,
//! which matters only where the power of the machine is no straight line.
//!
//! Erratum: \[M\] prints no equations for energy; these are the textbook ones.

mod profile;
mod usage;

pub(crate) use profile::IDLE_SHARE;
pub use profile::{Power, Profile};
pub use usage::{used, used_by};

use crate::model::On;
use crate::outcome::{Activity, LabelAccount, Outcome};
use crate::place::Zone;
use crate::system::Kind;
use crate::tick::TickLength;
use crate::world::{Class, SystemWorld, World};
use profile::together;
use runcast_core::Problem;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EnergyOptions {
    /// Components that are not used, too.
    pub include_unused: bool,
}

/// Energy of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Energy {
    /// Total, in joules; none if a component's power is unknown.
    pub total_j: Option<f64>,
    /// Why there is none.
    pub reason: Option<String>,
    /// By component of the system.
    pub components: Vec<ComponentEnergy>,
    pub assumed: Vec<String>,
}

/// Energy of all components of one line of the system.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ComponentEnergy {
    pub used: u64,
    /// Seconds in which one has work, sum over all; none for what does not compute.
    pub busy_s: Option<f64>,
    /// Share of the cores of those that count that is busy, over the time; none for what does not compute.
    pub utilization: Option<f64>,
    /// Joules at rest; none: not known.
    pub idle_j: Option<f64>,
    /// Joules of the load; none: not known.
    pub load_j: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    busy_s: f64,
    /// Integral of busy cores over cores.
    share_s: f64,
    idle_j: f64,
    load_j: f64,
    unknown: bool,
}

/// The energy of a run that ends after this many seconds.
///
/// # Errors
/// Those of a rule on `power`.
pub fn energy(
    world: &SystemWorld,
    outcome: &Outcome,
    end_s: f64,
    tick: TickLength,
    options: EnergyOptions,
) -> Result<Energy, Problem> {
    let system = world.system();
    let used = used(world, options.include_unused);
    let mut sums = vec![Sums::default(); system.components.len()];
    let mut assumed = Vec::new();
    for (index, zone) in world.placement().zones().iter().enumerate() {
        let processes = zone.processes();
        if processes == 0 && !options.include_unused && world.crowd_at(index).is_none() {
            continue;
        }
        // If engines report no devices, or nothing computes, all machines of a zone are equivalent.
        let alike = outcome.devices.is_empty() || processes == 0;
        let (machines, times) = if alike { (1, f64::from(zone.count)) } else { (zone.count, 1.0) };
        for machine in zone.first..zone.first + machines {
            let first = world.placement().first_device(machine);
            let devices = world.placement().devices_of(zone).slots.len() as u32;
            let profiles: Vec<Used<'_>> = (0..devices)
                .filter_map(|device| {
                    let class = world.class_at(index, device)?;
                    let used = |profile| Used { class, profile, in_states: None };
                    if let Some(crowd) = class.crowd() {
                        let done = outcome.volunteers.get(crowd as usize).map_or(0.0, |done| done.thread_ticks);
                        let each = done * tick.seconds() / f64::from(world.crowds()[crowd as usize].hosts);
                        return Some(used(Profile::of_volunteer(each, end_s)));
                    }
                    let account = outcome.devices.get((first + device) as usize);
                    let profile = |activity: f64| match account {
                        Some(account) => Profile::of_device(account, class, activity, end_s, tick),
                        None => {
                            let on = world.placement().on_devices(zone);
                            let on = on.into_iter().filter(|(at, _, _)| *at == device).map(|(_, label, count)| {
                                let account = &outcome.labels[label as usize];
                                let each = tick.seconds() / world.label_uses()[label as usize].count.max(1) as f64;
                                (count as f64, sum(account, &COMPUTING) * each, sum(account, &BLOCKED) * each)
                            });
                            Profile::of_labels(&on.collect::<Vec<_>>(), class, activity, end_s)
                        }
                    };
                    let whole = profile(activity(world, class));
                    let Some((rest_w, more_w)) = world.rest_of(index, device) else { return Some(used(whole)) };
                    let drawn = match account {
                        Some(account) => account.drawn,
                        None => drawn_by_labels(world, outcome, zone, (class, index)),
                    };
                    // Threads that wait draw power in the state of the device.
                    let waiting_s = whole.share_s(class.law.cores) - profile(0.0).share_s(class.law.cores);
                    let joules = (rest_w * end_s, drawn * tick.seconds() + more_w * waiting_s);
                    Some(Used { in_states: Some(joules), ..used(whole) })
                })
                .collect();
            add_machine(world, index, zone.component, &profiles, (times, end_s), &mut sums, &mut assumed)?;
        }
    }
    add_rest(world, &used, end_s, &mut sums, &mut assumed);
    Ok(collect(world, &used, end_s, &sums, assumed))
}

/// A device of a machine, and what it did.
struct Used<'a> {
    class: &'a Class,
    profile: Profile,
    /// Joules at rest and above of one with power states.
    in_states: Option<(f64, f64)>,
}

/// Watt-ticks that a device with power states drew above its power at rest, from the sums of labels.
fn drawn_by_labels(world: &SystemWorld, outcome: &Outcome, zone: &Zone, (class, index): (&Class, usize)) -> f64 {
    let count = world.placement().devices_of(zone).slots.len() as u32;
    let alike = (0..count).filter(|at| world.class_at(index, *at).is_some_and(|one| one.component == class.component));
    let by_label = |part: &crate::place::Part| {
        let (account, label) = (&outcome.labels[part.label as usize], &world.label_uses()[part.label as usize]);
        let drawn = account.drawn.iter().find(|(component, _)| *component as usize == class.component);
        drawn.map_or(0.0, |(_, drawn)| drawn * part.count as f64 / label.count.max(1) as f64)
    };
    zone.parts.iter().map(by_label).sum::<f64>() / alike.count().max(1) as f64
}

/// A machine with its devices, this many times.
fn add_machine(
    world: &SystemWorld,
    zone: usize,
    component: usize,
    profiles: &[Used<'_>],
    (times, end_s): (f64, f64),
    sums: &mut [Sums],
    assumed: &mut Vec<String>,
) -> Result<(), Problem> {
    let components = &world.system().components;
    let machine = &components[component];
    // A machine that names no device is one itself.
    let is_itself = |class: &Class| class.component == component && machine.kind == Kind::Machine;
    let is_processor = |class: &Class| components[class.component].kind == Kind::Cpu || is_itself(class);
    let processors: Vec<&Used<'_>> = profiles.iter().filter(|used| is_processor(used.class)).collect();
    let busy = together(processors.iter().map(|used| &used.profile));
    let cores: f64 = processors.iter().map(|used| used.class.law.cores).sum();
    // Rules on the power of a machine are asked of its first device.
    let rule = world.zone_class(zone, 0).filter(|class| world.has_power_rule(*class));
    let curve = machine.attributes.curve("power_threads").filter(|_| machine.kind == Kind::Machine);
    // Power of the machine that stands for its processors.
    let whole = rule.is_some() || curve.is_some();
    let mut of_machine = None;
    if let Some(class) = rule {
        let (mut idle, mut load) = (0.0, 0.0);
        let at_rest = world.machine_power(class, 0.0)?.unwrap_or(0.0);
        for (threads, seconds) in busy.levels() {
            let watts = world.machine_power(class, threads)?.unwrap_or(0.0);
            idle += at_rest * seconds;
            load += (watts - at_rest) * seconds;
        }
        of_machine = Some((idle, load));
    } else if let Some(in_states) = profiles.iter().find(|used| is_itself(used.class)).and_then(|used| used.in_states) {
        of_machine = Some(in_states);
    } else if machine.kind == Kind::Machine {
        if let Some(power) = Power::of(machine, assumed) {
            of_machine = Some(busy.energy(&power, cores.max(1.0)));
        } else if let Some(idle) = machine.attributes.get("power_idle") {
            of_machine = Some((idle * end_s, 0.0));
        }
    }
    if let Some((idle, load)) = of_machine {
        sums[component].idle_j += idle * times;
        sums[component].load_j += load * times;
    }
    if machine.kind == Kind::Machine && cores > 0.0 {
        sums[component].busy_s += busy.busy_s() * times;
        sums[component].share_s += busy.share_s(cores) * times;
    }
    for Used { class, profile, in_states } in profiles {
        let index = class.component;
        let device = &components[index];
        if is_itself(class) {
            // Counted above, unless it says no power.
            sums[index].unknown |= !whole && machine.attributes.get("power_load").is_none();
            continue;
        }
        sums[index].busy_s += profile.busy_s() * times;
        sums[index].share_s += profile.share_s(class.law.cores) * times;
        if whole && is_processor(class) {
            continue;
        }
        if let Some((idle, load)) = in_states {
            sums[index].idle_j += idle * times;
            sums[index].load_j += load * times;
            continue;
        }
        match Power::of(device, assumed) {
            Some(power) => {
                let (idle, load) = profile.energy(&power, class.law.cores);
                sums[index].idle_j += idle * times;
                sums[index].load_j += load * times;
            }
            None => {
                let covered = is_processor(class) && machine.attributes.get("power_load").is_some();
                sums[index].unknown |= !covered;
            }
        }
    }
    Ok(())
}

/// What does not compute: groups, storages.
fn add_rest(world: &SystemWorld, used: &[u64], end_s: f64, sums: &mut [Sums], assumed: &mut Vec<String>) {
    for (index, component) in world.system().components.iter().enumerate() {
        if component.kind.computes() || component.kind.is_host() {
            continue;
        }
        let idle = match Power::of(component, assumed) {
            Some(power) => power.watts(0.0, 1.0),
            None => component.attributes.get("power_idle").unwrap_or(0.0),
        };
        sums[index].idle_j += idle * end_s * used[index] as f64;
    }
}

fn collect(world: &SystemWorld, used: &[u64], end_s: f64, sums: &[Sums], assumed: Vec<String>) -> Energy {
    let mut energy = Energy { total_j: Some(0.0), assumed, ..Energy::default() };
    for ((component, sums), used) in world.system().components.iter().zip(sums).zip(used) {
        let computes = component.kind.computes() || component.kind.is_host();
        let unknown = sums.unknown && *used > 0;
        if unknown && energy.reason.is_none() {
            energy.reason =
                Some(format!("{} has no power_load, nor power_threads: its energy is not known", component.id));
        }
        if !unknown {
            energy.total_j = energy.total_j.map(|total| total + sums.idle_j + sums.load_j);
        }
        let whole_s = *used as f64 * end_s;
        energy.components.push(ComponentEnergy {
            used: *used,
            busy_s: computes.then_some(sums.busy_s),
            utilization: computes.then_some(if whole_s > 0.0 { sums.share_s / whole_s } else { 0.0 }),
            idle_j: (!unknown).then_some(sums.idle_j),
            load_j: (!unknown).then_some(sums.load_j),
        });
    }
    if energy.reason.is_some() {
        energy.total_j = None;
    }
    energy.assumed.sort();
    energy.assumed.dedup();
    energy
}

/// How busy a thread is that waits for a message, on a device of a class.
fn activity(world: &SystemWorld, class: &Class) -> f64 {
    let of = |component: usize| world.system().components[component].attributes.get("wait_activity");
    of(class.component).or_else(|| of(class.machine)).unwrap_or(0.0)
}

const COMPUTING: [Activity; 1] = [Activity::Compute];
/// In communication.
const BLOCKED: [Activity; 4] = [Activity::Overhead, Activity::Transfer, Activity::Wait, Activity::Collective];

/// Ticks of all processes of a label.
fn sum(label: &LabelAccount, activities: &[Activity]) -> f64 {
    activities.iter().map(|activity| label.ticks[*activity as usize]).sum::<u128>() as f64
}

/// Whether a model has a rule on the power of machines.
pub(crate) fn has_power_rule(model: &crate::model::Model) -> bool {
    model.has(On::Power)
}

#[cfg(test)]
mod tests;
