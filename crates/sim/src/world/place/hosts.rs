//! The machines named by a place.

use crate::platform::MachineId;
use crate::system::{Kind, System};
use runcast_core::Problem;
use runcast_formula::nearest;

/// Machines of one component that follow one another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    pub component: usize,
    pub first: MachineId,
    pub count: u32,
    /// Machines of the set before these.
    pub before: u64,
}

/// Machines, in order, and which of their devices is meant.
#[derive(Debug, Clone)]
pub(super) struct Hosts {
    pub ranges: Vec<Range>,
    pub machines: u64,
    /// Component of the device; none: the processors.
    pub device: Option<usize>,
}

impl Hosts {
    /// The machine of a number among these.
    #[inline]
    pub(super) fn machine(&self, nth: u64) -> MachineId {
        let index = self.ranges.partition_point(|range| range.before <= nth).saturating_sub(1);
        let range = &self.ranges[index];
        range.first + (nth - range.before) as u32
    }
}

/// The machines of a component: itself, those below it, or those that it is in; none: all.
pub(super) fn hosts_of(system: &System, on: Option<&str>) -> Result<Hosts, Problem> {
    let component = on.map(|on| find(system, on)).transpose()?;
    let mut device = None;
    let mut top = component;
    if let Some(index) = component {
        let kind = system.components[index].kind;
        if kind == Kind::Storage {
            let problem =
                Problem::new("no_processes_there", format!("{} does not compute", system.components[index].id));
            return Err(problem
                .at("on")
                .value(system.components[index].id.as_str())
                .allowed("a machine, a group, a device"));
        }
        if kind.computes() && !kind.is_host() {
            device = Some(index);
            top = system.components[index].parent;
        }
    }
    let below = |mut at: usize| loop {
        match (top, system.components[at].parent) {
            (None, _) => break true,
            (Some(top), _) if top == at => break true,
            (_, Some(parent)) => at = parent,
            (_, None) => break false,
        }
    };
    let mut hosts = Hosts { ranges: Vec::new(), machines: 0, device };
    for run in system.machines() {
        // Volunteers take part only where they are named.
        let lent = system.components[run.component].kind == Kind::Volunteer && component.is_none();
        if below(run.component) && !(lent && has_machines(system)) {
            hosts.ranges.push(Range {
                component: run.component,
                first: run.first,
                count: run.count,
                before: hosts.machines,
            });
            hosts.machines += u64::from(run.count);
        }
    }
    if hosts.machines == 0 {
        let message = match on {
            Some(on) => format!("there is no machine in {on}"),
            None => format!("the system {} has no machine", system.name),
        };
        return Err(Problem::new("no_machine", message).at("on"));
    }
    Ok(hosts)
}

fn has_machines(system: &System) -> bool {
    system.components.iter().any(|component| component.kind == Kind::Machine)
}

fn find(system: &System, on: &str) -> Result<usize, Problem> {
    system.find(on).ok_or_else(|| {
        let known: Vec<&str> = system.components.iter().map(|component| component.id.as_str()).collect();
        let problem = Problem::new("unknown_component", format!("the system {} has no component {on}", system.name));
        let mut problem = problem.at("on").value(on).allowed(known.join(", "));
        problem.hint = nearest(on, known).map(|near| format!("did you mean {near}?"));
        problem
    })
}
