//! Volunteers of the system: each component with processes on it is a crowd, whose hosts take their jobs.

use super::{Class, SystemWorld};
use crate::system::Kind;
use crate::world::volunteer::{Crowd, Handling, Volunteer};
use runcast_core::Warning;

/// Numbers the crowds, and tells their classes.
pub(super) fn number_crowds(world: &mut SystemWorld) {
    let handling = world.options.volunteers.clone();
    for index in 0..world.classes.len() {
        let class = &world.classes[index];
        let component = &world.system.components[class.component];
        let has_processes = |other: &Class| other.component == class.component && other.device_procs > 0.0;
        if component.kind != Kind::Volunteer || !world.classes.iter().any(has_processes) {
            continue;
        }
        let number = class.component as u32;
        let known = world.crowds.iter().position(|crowd| crowd.component == number);
        let at = known.unwrap_or_else(|| {
            let (volunteer, told) = Volunteer::of(&component.attributes);
            let told = told.filter(|_| handling.recorded.is_none()).map(|told| format!("{}: {told}", component.id));
            world.assumed.extend(told);
            world.crowds.push(Crowd {
                name: component.id.clone(),
                component: number,
                hosts: u32::try_from(component.total).unwrap_or(u32::MAX),
                cores: class.law.cores,
                volunteer: Volunteer {
                    quorum: handling.quorum.unwrap_or(volunteer.quorum),
                    deadline_s: handling.deadline_s.unwrap_or(volunteer.deadline_s),
                    ..volunteer
                },
                recorded: handling.recorded.clone(),
                key: world.key,
            });
            world.crowds.len() - 1
        });
        world.classes[index].crowd = Some(at as u32);
    }
    if world.crowds.is_empty() && handling != Handling::default() {
        let message = "no process is placed on volunteers: quorum, deadline and trace change nothing";
        world.warnings.push(Warning::new("no_volunteers", message));
    }
}
