//! What the time of a configuration can depend on, as text: equal texts give equal times, so that nothing is simulated twice
//! while a system is edited.

use super::prepare::Prepared;
use crate::attributes::Attributes;
use crate::place::Placement;
use crate::system::{Parts, System};
use runcast_core::Problems;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What holds processes, and how many.
#[derive(Debug, Clone, PartialEq)]
pub struct Seated {
    /// A machine or a volunteer.
    pub component: usize,
    /// Processes on one of them.
    pub processes: u64,
    /// Cores of its processors.
    pub cores: f64,
    /// How many such machines follow one another.
    pub machines: u64,
}

impl Prepared {
    /// Machines with processes on them; none where LogGOPS parameters stand for the system.
    ///
    /// # Errors
    /// Processes that have no place.
    pub fn seated(&self) -> Result<Vec<Seated>, Problems> {
        let Some(read) = &self.system else { return Ok(Vec::new()) };
        let entries = self.entries()?;
        let placement = Placement::new(&read.system, &self.recorded.application, &entries, &self.shares());
        let placement = placement.map_err(Problems)?;
        let used = placement.zones().iter().filter(|zone| zone.processes() > 0);
        let seated = used.map(|zone| Seated {
            component: zone.component,
            processes: zone.processes(),
            cores: placement.devices_of(zone).cores(),
            machines: u64::from(zone.count),
        });
        Ok(seated.collect())
    }

    /// Machines without processes, and all that is in them: none of their figures can change the time.
    ///
    /// # Errors
    /// Processes that have no place.
    pub fn idle(&self) -> Result<BTreeSet<usize>, Problems> {
        let Some(read) = &self.system else { return Ok(BTreeSet::new()) };
        let used: BTreeSet<usize> = self.seated()?.iter().map(|seated| seated.component).collect();
        let system = &read.system;
        let mut idle = BTreeSet::new();
        // A parent comes before its children.
        for (index, component) in system.components.iter().enumerate() {
            let is_within = component.parent.is_some_and(|parent| idle.contains(&parent));
            if is_within || (component.kind.is_host() && !used.contains(&index)) {
                idle.insert(index);
            }
        }
        Ok(idle)
    }

    /// The text. Figures of idle machines are left out of it; their number stays, for it is part of the topology.
    ///
    /// # Errors
    /// Processes that have no place.
    pub fn essence(&self) -> Result<String, Problems> {
        let inputs = &self.inputs;
        let mut experiment = inputs.experiment.clone();
        experiment.file.clear();
        let system = match &self.system {
            Some(read) => Some(reduced(&read.system, &self.idle()?)),
            None => None,
        };
        let coefficients: Vec<&str> = inputs.coefficients.iter().map(|text| text.text.as_str()).collect();
        let scripts: Vec<&str> = inputs.scripts.iter().map(|text| text.text.as_str()).collect();
        let selector = inputs.selector.as_ref().map(|text| text.text.as_str());
        let laid_over = (&inputs.settings.loggops, &inputs.trace, &inputs.recorded, selector, coefficients);
        Ok(format!("{system:?}{experiment:?}{scripts:?}{:?}{:?}{laid_over:?}", self.variation, self.fidelity))
    }
}

/// A system without what does not matter: where it was read, and the figures of idle machines.
fn reduced(system: &System, idle: &BTreeSet<usize>) -> System {
    let mut system = System { file: String::new(), assumed: Vec::new(), catalogue: Arc::default(), ..system.clone() };
    for (index, component) in system.components.iter_mut().enumerate() {
        component.line = 0;
        if idle.contains(&index) {
            component.attributes = Attributes::default();
            component.parts = Parts::default();
            (component.hardware, component.model) = (None, None);
            component.own.clear();
        }
    }
    for network in &mut system.networks {
        network.line = 0;
    }
    system
}
