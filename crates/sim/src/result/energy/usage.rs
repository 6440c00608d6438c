//! The components that a run uses.

use crate::place::Zone;
use crate::system::Kind;
use crate::world::SystemWorld;

/// How many of each component count: machines with processes, all volunteers if one has some, and all that is in them, the groups that these are in, and
/// storages that are read or written. With `all`, all components.
pub fn used(world: &SystemWorld, all: bool) -> Vec<u64> {
    let system = world.system();
    if all {
        return system.components.iter().map(|component| component.total).collect();
    }
    used_by(world, &|_| true)
}

/// The same of labels: machines with processes of them, and all that is in these.
pub fn used_by(world: &SystemWorld, counts: &dyn Fn(u32) -> bool) -> Vec<u64> {
    let system = world.system();
    let mut used = vec![0_u64; system.components.len()];
    // Up to where numbers of aggregators have been counted; machines come in order.
    let mut counted: Vec<u64> = vec![0; system.components.len()];
    let zones = world.placement().zones();
    let has_processes = |zone: &Zone| zone.parts.iter().any(|part| part.count > 0 && counts(part.label));
    for (index, zone) in zones.iter().enumerate() {
        // Whatever volunteers a process is placed on, all take its jobs.
        let of_crowd = |other: &Zone| other.component == zone.component && has_processes(other);
        let takes_jobs = world.crowd_at(index).is_some() && zones.iter().any(of_crowd);
        if !has_processes(zone) && !takes_jobs {
            continue;
        }
        used[zone.component] += u64::from(zone.count);
        let first = world.path(zone.first);
        let last = world.path(zone.first + (zone.count - 1));
        for ((component, from), (_, to)) in first.iter().zip(&last) {
            if *component == zone.component {
                continue;
            }
            let from = (*from).max(counted[*component]);
            if to + 1 > from {
                used[*component] += to + 1 - from;
                counted[*component] = to + 1;
            }
        }
    }
    let storages = storages(world, counts);
    for (index, component) in system.components.iter().enumerate() {
        let Some(parent) = component.parent else { continue };
        if component.kind.is_aggregator() || component.kind.is_host() {
            continue;
        }
        let in_machine = system.components[parent].kind == Kind::Machine;
        if in_machine || component.kind != Kind::Storage || storages.contains(&index) {
            used[index] = used[parent].saturating_mul(component.count);
        }
    }
    used
}

/// Storages of groups that labels read or write: those that they name, or the nearest to their first process.
fn storages(world: &SystemWorld, counts: &dyn Fn(u32) -> bool) -> Vec<usize> {
    let system = world.system();
    let mut found = Vec::new();
    for (_, label) in world.label_uses().iter().enumerate().filter(|(index, _)| counts(*index as u32)) {
        for name in &label.storages {
            let path = world.path(world.placement().seat(label.first).machine);
            let near = path.iter().rev().find_map(|(around, _)| {
                system.children(*around).find(|&child| {
                    let child = &system.components[child];
                    child.kind == Kind::Storage && name.as_ref().is_none_or(|name| child.id == *name)
                })
            });
            found.extend(near);
        }
    }
    found
}
